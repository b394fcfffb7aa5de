//! Cases for all detectors, as tiny transcripts.

use super::*;
use crate::failure::outcome;
use crate::session::{Author, Body, Call, Event, Excerpt, Origin, Outcome, SourceName, Span, ToolKind};
use expect_test::{Expect, expect};

mod originals;

/// A session in a few lines: `u text`, `a text`, `$ command` (ok), `! command => output` (failed), `e file` (an edit).
pub(crate) fn session(script: &str) -> Session {
    let mut s = Session { id: "s1".into(), root: "s1".into(), source: SourceName::parse("test"), ..Session::default() };
    for (n, line) in script.lines().map(str::trim).filter(|l| !l.is_empty()).enumerate() {
        let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (text, output) = rest.split_once(" => ").unwrap_or((rest, ""));
        let call = |kind, input: &str, outcome| {
            Body::Call(Call {
                outcome,
                output: Excerpt::new(&output.replace("\\n", "\n")),
                ..Call::new("Bash", kind, input)
            })
        };
        let body = match mark {
            "u" => Body::User {
                author: Author::Human,
                spans: vec![Span { origin: Origin::User, text: Excerpt::new(rest) }],
            },
            "a" => Body::Assistant { text: Excerpt::new(rest) },
            "$" => call(ToolKind::Shell, text, Outcome::Ok),
            "!" => call(ToolKind::Shell, text, Outcome::Failed(Some(1))),
            "e" => call(ToolKind::Edit, text, Outcome::Ok),
            "?" => call(ToolKind::Shell, text, outcome::from_output(text, &Excerpt::new(&output.replace("\\n", "\n")))),
            other => panic!("unknown mark {other}"),
        };
        s.events.push(Event { id: format!("e{n}"), at: Some(1_000 * n as i64), offset: 0, len: 0, tokens: None, body });
    }
    s
}

fn check(script: &str, expect: Expect) {
    // What failed and what worked has its own tests.
    let found: Vec<String> = detect(&session(script))
        .iter()
        .filter(|o| o.claim.kind != Kind::Fact)
        .map(|o| {
            format!(
                "{} {} {} [{}]{}",
                o.head.detector,
                o.claim.name,
                o.claim.sure.as_str(),
                o.claim.commands.join(" | "),
                if o.claim.suggest { "" } else { " (quiet)" }
            )
        })
        .collect();
    expect.assert_eq(&found.join("\n"));
}

#[test]
fn a_clone_and_build_is_a_procedure() {
    check(
        "$ git clone https://github.com/example/repo.git
         $ cd repo
         $ npm install
         $ npm test",
        expect![
            "multi-step procedure-git medium [git clone https://github.com/example/repo.git | cd repo | npm install | npm test]"
        ],
    );
    check(
        "$ docker build -t app .
         $ docker tag app registry.example.com/app
         $ docker push registry.example.com/app
         $ kubectl rollout restart deployment/app",
        expect![
            "multi-step procedure-docker high [docker build -t app . | docker tag app registry.example.com/app | docker push registry.example.com/app | kubectl rollout restart deployment/app]"
        ],
    );
}

#[test]
fn a_failure_ends_a_run_and_another_may_begin() {
    let runs = detect(&session("$ a 1\n$ b 1\n$ c 1\n$ d 1\n! e 1\n$ f 1\n$ g 1\n$ h 1\n$ i 1"));
    assert_eq!(runs.iter().filter(|o| o.head.detector == "multi-step").count(), 2);
    check("$ a 1\n$ b 1", expect![""]);
}

#[test]
fn a_misspelt_package_is_a_recovery() {
    check(
        "? pip install request => Error: No matching distribution
         ? pip install requests => Successfully installed requests-2.31.0",
        expect!["error-recovery error-pip high [pip install request | pip install requests]"],
    );
    check(
        "! docker build . => unknown flag: --cach-from
         $ docker build --cache-from x .
         $ docker push x",
        expect!["error-recovery error-docker high [docker build . | docker build --cache-from x .]"],
    );
    check("! make => make: *** No rule", expect![""]);
}

#[test]
fn the_next_success_alone_is_no_recovery() {
    check("! npm test => 1 failing\n$ git status", expect![""]);
    check("! cargo build => error[E0308]: mismatched types\ne src/a.rs\n$ cargo build", expect![""]);
    check("! curl http://x => timeout\n$ curl http://x", expect![""]);
}

#[test]
fn another_program_with_the_same_target_is_a_recovery() {
    check(
        "! python tools/gen.py --all => bash: python: command not found
         $ python3 tools/gen.py --all",
        expect!["error-recovery error-python high [python tools/gen.py --all | python3 tools/gen.py --all]"],
    );
}

#[test]
fn what_made_the_same_command_pass_is_the_lesson() {
    let found =
        detect(&session("! make test => make: *** No rule to make target 'deps.txt'\n$ make deps\n$ make test"));
    let o = found.iter().find(|o| o.head.detector == "error-recovery").expect("seen");
    assert_eq!((o.seen.failed(), o.seen.fixed(), o.seen.via()), (Some("e0"), Some("e2"), &["e1".to_owned()][..]));
    assert_eq!(o.claim.text, "Before `make test` run `make deps`");
}

#[test]
fn a_correction_needs_attempt_message_success_in_that_order() {
    check(
        "u build it
         ! npm run build => Missing environment
         u no, try npm run build:prod instead
         $ npm run build:prod",
        expect!["user-correction user-correction-build high [npm run build | npm run build:prod]"],
    );
    check("u I want to know the entry point\n$ npm run build\n$ npm run build:prod\n$ ls", expect![""]);
}

#[test]
fn the_same_command_again_and_again() {
    check(
        "$ go test ./pkg/auth/...
         $ go test ./pkg/db/...
         ! go vet ./... => x
         $ go test ./...
         $ ls
         $ go build ./...",
        expect!["repeated-action repeated-go-test high [go test ./...]"],
    );
}

#[test]
fn an_explicit_request_is_kept_by_its_name() {
    check(
        "u set it up
         $ docker compose up -d
         u save this docker-compose setup as docker-dev",
        expect!["explicit-instruction docker-dev high [docker compose up -d]"],
    );
    check("u do it\n$ make all\nu save this as a skill please", expect!["explicit-instruction all high [make all]"]);
    check("u remember that the database has users\n$ ls", expect![""]);
    check("u how are you\n$ make all", expect![""]);
    check(
        "u x\n$ make\nu Remember this: amounts always have two decimals",
        expect!["explicit-instruction amounts-two-decimals high []"],
    );
}

#[test]
fn best_per_detector_is_at_most_one_each_and_stable() {
    let s = session(
        "$ go test a\n$ go test b\n$ npm i\n$ npm run x\n$ go build\n$ go vet\n! foo --x => unknown option --x\n$ foo --y",
    );
    let all = detect(&s);
    let best = best_per_detector(&all);
    assert!(best.len() <= 5);
    assert_eq!(
        best,
        best_per_detector(&detect(&s))
            .into_iter()
            .map(|o| all.iter().find(|a| a.head.id == o.head.id).expect("same"))
            .collect::<Vec<_>>()
    );
}

#[test]
fn observation_ids_are_the_same_in_a_fork() {
    let a = session("! pip install request => Error: No matching distribution\n$ pip install requests");
    let mut b = a.clone();
    b.id = "fork".into();
    assert_eq!(detect(&a)[0].head.id, detect(&b)[0].head.id);
}

#[test]
fn a_formatter_that_makes_the_check_pass_is_the_lesson() {
    let found = detect(&session(
        "! npm run lint => 3 problems\\n  × Formatter would have printed the following content
         $ npm run lint:fix
         $ npm run lint",
    ));
    let o = found.iter().find(|o| o.head.detector == "error-recovery").expect("seen");
    assert_eq!(o.claim.text, "When `npm run lint` fails, run `npm run lint:fix`");
    // With an edit as well, nobody knows which of the two it was.
    let mixed = "! npm run lint => bad\ne a.ts\n$ npm run lint:fix\n$ npm run lint";
    assert!(detect(&session(mixed)).iter().all(|o| o.head.detector != "error-recovery"));
}

#[test]
fn what_the_tool_advised_is_the_lesson() {
    check(
        "! git cherry-pick abc => The previous cherry-pick is now empty\\nOtherwise, please use 'git cherry-pick --skip'
         $ git cherry-pick --skip",
        expect!["error-recovery error-git high [git cherry-pick abc | git cherry-pick --skip] (quiet)"],
    );
}

#[test]
fn another_version_of_one_detector_is_another_version_of_all() {
    let today = version();
    assert_eq!(today, version_of(COMMON_VERSION, DETECTORS));
    let table = |raised: usize| -> Vec<Detector> {
        let one = |(n, d): (usize, &Detector)| Detector { version: d.version + u32::from(n == raised), ..*d };
        DETECTORS.iter().enumerate().map(one).collect()
    };
    let mut all: Vec<String> = (0..DETECTORS.len()).map(|n| version_of(COMMON_VERSION, &table(n))).collect();
    all.extend([version_of(COMMON_VERSION + 1, DETECTORS), version_of(COMMON_VERSION, &DETECTORS[1..]), today]);
    let different: std::collections::BTreeSet<&String> = all.iter().collect();
    assert_eq!(different.len(), DETECTORS.len() + 3);
}
