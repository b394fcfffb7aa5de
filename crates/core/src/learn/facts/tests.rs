//! Facts over several sessions, as tiny stories.

use super::*;
use std::borrow::Cow;

use crate::detect::{Claim, FAILURES, Head, Seen, Sure, WayOut, cause_key};
use crate::session::Origin;

fn met(family: Family, subject: &str, way: WayOut) -> Met {
    Met {
        family,
        subject: subject.to_owned(),
        tool: "Bash".to_owned(),
        tried: "go build ./...".to_owned(),
        folder: ".".to_owned(),
        error: "no matter".to_owned(),
        times: 1,
        calls: 3,
        tokens: 900,
        way,
    }
}

fn seen(root: &str, met: Met) -> Observation {
    let key = cause_key(met.family, &met.subject);
    Observation {
        head: Head {
            id: format!("{root} {key}"),
            detector: Cow::Borrowed(FAILURES),
            source: "claude".into(),
            session: root.into(),
            root: root.into(),
            events: vec!["e".into()],
            at: Some(1),
            quote: String::new(),
        },
        claim: Claim {
            kind: Kind::Fact,
            key,
            name: met.name(),
            title: String::new(),
            text: met.text(),
            commands: Vec::new(),
            sure: Sure::High,
            trust: Origin::Tool,
            suggest: false,
            telling: false,
        },
        seen: Seen::Met(met),
    }
}

fn place(path: &str, ok: u32, failed: u32) -> Place {
    Place { place: path.to_owned(), sessions: 1, ok, failed, last: Some(0) }
}

fn told(all: &[Observation], worked: &Worked<'_>) -> Option<Lesson> {
    fold("p", &all.iter().collect::<Vec<_>>(), &Bars::default(), worked)
}

#[test]
fn what_came_up_in_two_sessions_is_ready_and_carries_its_cost() {
    let one = |root| seen(root, met(Family::ToolPrecondition, "file not-read", WayOut::None));
    let once = told(&[one("a")], &|_| Vec::new()).expect("known");
    assert!(!once.evidence.worth.ready);
    let twice = told(&[one("a"), one("b")], &|_| Vec::new()).expect("known");
    assert!(twice.evidence.worth.ready);
    assert_eq!(twice.evidence.spent, Spent { times: 2, calls: 6, tokens: 1_800 });
    assert_eq!(once.sha256(), twice.sha256(), "a yes holds while evidence grows");
}

#[test]
fn a_missing_path_is_told_with_its_place_unless_it_is_there_again() {
    let all = [seen("a", met(Family::MissingPath, "src/cart.rs", WayOut::None))];
    let worked = |what: &str| if what == "f:cart" { vec![place("app/cart.rs", 3, 0)] } else { Vec::new() };
    let fact = told(&all, &worked).expect("known");
    assert_eq!(fact.payload.statement, "`src/cart.rs` does not exist: it is `app/cart.rs`.");
    let again = |what: &str| {
        if what == "f:cart" { vec![Place { last: Some(2), ..place("src/cart.rs", 1, 0) }] } else { Vec::new() }
    };
    assert_eq!(told(&all, &again), None);
}

#[test]
fn that_paths_are_guessed_is_for_the_failure_and_not_for_the_start() {
    let nothing = |_: &str| Vec::new();
    let guessed = told(&[seen("a", met(Family::MissingPath, ANY, WayOut::None))], &nothing).expect("known");
    assert!(is_for_failure(&guessed) && !is_for_start(&guessed));
    let worked = |what: &str| if what == "f:cart" { vec![place("app/cart.rs", 3, 0)] } else { Vec::new() };
    let cart = told(&[seen("a", met(Family::MissingPath, "src/cart.rs", WayOut::None))], &worked).expect("known");
    assert!(is_for_failure(&cart) && is_for_start(&cart));
}

#[test]
fn a_name_that_many_files_have_says_nothing() {
    let many: Vec<Place> = ["a", "b", "c", "d"].iter().map(|f| place(&format!("{f}/index.ts"), 1, 0)).collect();
    assert_eq!(meant("x/index.ts", &many, false), None);
    assert_eq!(meant("src/a/index.ts", &many, false).as_deref(), Some("a/index.ts"));
    assert_eq!(meant("x/index.lock", &[place("a/index.ts", 1, 0)], false), None, "another kind of file");
    let setup = [place("cli/setup.go", 1, 0), place("cli/agent/setup.go", 1, 0)];
    assert_eq!(meant("cli/commands/setup.go", &setup, false).as_deref(), Some("cli/setup.go"), "a folder too many");
    let common = [place("strategy/common.go", 1, 0)];
    assert_eq!(meant("agent/common.go", &common, true), None, "the folder is there: another file");
    assert_eq!(meant("agent/common.go", &common, false).as_deref(), Some("strategy/common.go"));
}

#[test]
fn a_program_is_told_where_it_works() {
    let all = [seen("a", met(Family::WrongFolder, "go build", WayOut::None))];
    let runs =
        |what: &str| if what == "r:go build" { vec![place("src", 41, 0), place(".", 0, 12)] } else { Vec::new() };
    let fact = told(&all, &runs).expect("known");
    assert_eq!(fact.payload.statement, "`go build` does not work at the root: run it in `src/`.");
    assert_eq!(fact.evidence.tally.as_deref(), Some("at the root 0 of 12, in `src/` 41 of 41"));
}

#[test]
fn a_program_is_told_behind_what_it_works() {
    let all = [seen("a", met(Family::MissingProgram, "pytest", WayOut::None))];
    let runs = |what: &str| if what == "w:pytest" { vec![place("uv run", 9, 1)] } else { Vec::new() };
    let fact = told(&all, &runs).expect("known");
    assert_eq!(fact.payload.statement, "`pytest` is not on the PATH here: run it as `uv run pytest`.");
    let alone = |what: &str| if what == "r:pytest" { vec![place(".", 3, 0)] } else { runs(what) };
    assert_eq!(told(&all, &alone), None, "it works by itself now");
}

#[test]
fn a_word_that_must_go_is_named_and_ways_around_a_guard_are_not() {
    let way = |run: &str, change: &str| WayOut::Instead { run: run.into(), change: change.into() };
    let wrapped = || Met {
        tried: "wrap bun run test".into(),
        ..met(Family::WrongUsage, "wrap bun", way("bun run test", "wrap > "))
    };
    let all = ["a", "b"].map(|r| seen(r, wrapped()));
    let fact = told(&all, &|_| Vec::new()).expect("known");
    assert_eq!(fact.payload.statement, "`wrap bun run test` fails here: run it without `wrap`, as in `bun run test`.");
    let around = ["a", "b"].map(|r| {
        seen(
            r,
            Met {
                error: r.into(),
                ..met(Family::Refused, "git commit", way("git commit --no-verify", " > --no-verify"))
            },
        )
    });
    assert_eq!(told(&around, &|_| Vec::new()), None);
}

#[test]
fn a_machine_fact_needs_two_projects_and_says_nothing_of_them() {
    let one = |p: &str, family, subject: &str| seen(p, met(family, subject, WayOut::None));
    let [p, q] = ["p", "q"].map(|p| one(p, Family::ToolPrecondition, "file not-read"));
    assert_eq!(fold_machine("machine:m", &[("p", &p)], &Bars::default(), &|_| Vec::new()), None);
    let fact = fold_machine("machine:m", &[("p", &p), ("q", &q)], &Bars::default(), &|_| Vec::new()).expect("known");
    assert_eq!(fact.project(), "machine:m");
    assert!(fact.evidence.worth.ready && fact.payload.commands.is_empty());
    // The shell is the same in every project.
    let shell = one("p", Family::ShellDialect, "==");
    assert!(fold_machine("machine:m", &[("p", &shell)], &Bars::default(), &|_| Vec::new()).is_some());
    assert!(!may_be_everywhere("missing_path src/a.rs") && may_be_everywhere("shell_dialect =="));
}

#[test]
fn a_skill_that_worked_since_it_was_missed_is_not_called_missing() {
    let missed = |project: &str, at: i64| {
        let unknown = Met { error: "Unknown skill: tidy".into(), ..met(Family::ToolUnavailable, "tidy", WayOut::None) };
        let mut o = seen(project, unknown);
        o.head.at = Some(at);
        o
    };
    let (a, b) = (missed("a", 5), missed("b", 9));
    let used = |last: i64| {
        move |what: &str| match what {
            "s:tidy" => vec![Place { place: "claude".into(), sessions: 1, ok: 1, failed: 0, last: Some(last) }],
            _ => Vec::new(),
        }
    };
    let says = |worked: &Worked<'_>| fold("p", &[&a, &b], &Bars::default(), worked).map(|l| l.payload.statement);
    assert!(says(&|_| Vec::new()).is_some_and(|said| said.contains("There is no skill `tidy`")));
    assert!(says(&used(4)).is_some(), "it worked before, and is gone");
    assert_eq!(says(&used(7)), None, "another agent has it");
    let machine = |worked: &Worked<'_>| fold_machine("machine:m", &[("p", &a), ("q", &b)], &Bars::default(), worked);
    assert!(machine(&|_| Vec::new()).is_some());
    assert_eq!(machine(&used(7)), None, "it works in another project");
}

#[test]
fn where_the_shell_should_go_no_file_is_told() {
    let gone = |tried: &str| {
        let one = Met { tried: tried.to_owned(), ..met(Family::MissingPath, "src/cart", WayOut::None) };
        [seen("a", one.clone()), seen("b", one)]
    };
    let worked = |what: &str| if what == "f:cart" { vec![place("app/cart.rs", 2, 0)] } else { Vec::new() };
    assert!(told(&gone("ls src/cart"), &worked).is_some());
    assert_eq!(told(&gone("cd src/cart && make"), &worked), None);
}
