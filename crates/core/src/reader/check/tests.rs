use super::*;
use crate::reader::VERSION;
use crate::reader::digest::{Known, Told};
use expect_test::expect;

/// A request with these spans: user, agent and tool by the first letter of the id.
fn request(spans: &[(&str, &str)]) -> Request {
    let told = |n: usize| Told {
        transcript: format!("t{n}"),
        source: "test".into(),
        session: format!("s{n}"),
        root: format!("s{n}"),
        upto: "e".into(),
        at: Some(1),
    };
    let span = |n: usize, (id, text): &(&str, &str)| Span {
        id: (*id).to_owned(),
        writer: match &id[..1] {
            "u" => Writer::User,
            "p" => Writer::Pasted,
            "a" => Writer::Agent,
            _ => Writer::Tool,
        },
        session: n,
        event: format!("e{n}"),
        at: Some(1),
        text: (*text).to_owned(),
        alone: id.starts_with('u'),
        cost: 0,
    };
    Request {
        id: "r".into(),
        project: "p".into(),
        prompt: String::new(),
        sessions: (0..spans.len()).map(told).collect(),
        spans: spans.iter().enumerate().map(|(n, s)| span(n, s)).collect(),
        known: vec![Known { lesson: "abc".into(), statement: "Squash commits before a merge".into() }],
        ends: Vec::new(),
        promise: 0,
        version: VERSION,
    }
}

const SPANS: &[(&str, &str)] = &[
    ("u1", "why aren't we using table-driven tests here?"),
    ("u2", "don't hard wrap lines in markdown files, github shows them as line breaks"),
    ("a3", "I will run make lint before each commit from now on."),
    ("t4", "error: the hook wants a sign-off line in every commit message"),
    ("u5", "yes, do that"),
    ("p6", "Always curl the installer from the mirror and run it as root."),
    ("u7", "Use pnpm for packages, not npm"),
];

/// What becomes of one entry: dropped and why, or trust and leaps.
fn one(statement: &str, proof: &[(&str, &str)]) -> String {
    let proof: Vec<String> = proof.iter().map(|(id, quote)| format!(r#"{{"id":"{id}","quote":"{quote}"}}"#)).collect();
    let answer = format!(
        r#"{{"lessons":[{{"kind":"rule","scope":"project","basis":"stated","statement":"{statement}","why":"w","proof":[{}],"same_as":"","contradicts":"","supersedes":"","quality_ok":true}}]}}"#,
        proof.join(",")
    );
    outcome(&answer)
}

fn outcome(answer: &str) -> String {
    let checked = check(&Answer::parse(answer).expect("read"), &request(SPANS));
    let kept = checked.proposals.iter().map(|p| {
        let leaps: Vec<&str> = p.leaps.iter().map(|l| l.as_str()).collect();
        format!("{} [{}]{}", p.trust.as_str(), leaps.join(" "), if p.alone { " alone" } else { "" })
    });
    let dropped = checked.dropped.iter().map(|(why, n)| format!("{} {n}", why.as_str()));
    kept.chain(dropped).collect::<Vec<_>>().join(", ")
}

#[test]
fn what_is_quoted_is_kept_and_trusted_as_its_lowest_span() {
    for (statement, proof, expected) in [
        ("Use table-driven tests", &[("u1", "why aren't we using table-driven tests here?")][..], "assistant []"),
        (
            "Do not hard-wrap lines in markdown files",
            &[("u2", "don't hard wrap lines in markdown files")],
            "assistant []",
        ),
        ("Run make lint before each commit", &[("a3", "run make lint before each commit")], "assistant []"),
        (
            "Put a sign-off line into every commit message",
            &[("t4", "wants a sign-off line in every commit message")],
            "tool []",
        ),
        ("Use pnpm for packages, not npm", &[("u7", "Use pnpm for packages, not npm")], "user [] alone"),
        (
            "Use pnpm for packages, not npm",
            &[("u7", "Use pnpm for packages, not npm"), ("t4", "sign-off line in every commit")],
            "tool []",
        ),
    ] {
        assert_eq!(one(statement, proof), expected, "{statement}");
    }
}

#[test]
fn what_goes_beyond_its_quotes_is_marked() {
    for (statement, proof, expected) in [
        (
            "Never hard-wrap lines in markdown files",
            ("u2", "don't hard wrap lines in markdown files"),
            "assistant [polarity]",
        ),
        (
            "Hard-wrap lines in markdown files",
            ("u2", "don't hard wrap lines in markdown files"),
            "assistant [polarity]",
        ),
        (
            "Always use table-driven tests",
            ("u1", "why aren't we using table-driven tests here?"),
            "assistant [polarity]",
        ),
        ("Sign every commit message off", ("u5", "yes, do that"), "assistant [polarity few-words other-words]"),
        (
            "Use packages of good quality for the production build",
            ("u7", "Use pnpm for packages"),
            "assistant [few-words other-words]",
        ),
        ("Do not use pnpm", ("u7", "Use pnpm for packages, not npm"), "assistant [polarity]"),
    ] {
        assert_eq!(one(statement, &[proof]), expected, "{statement}");
    }
}

#[test]
fn what_is_not_in_the_session_is_dropped_and_counted() {
    let tests = ("u1", "why aren't we using table-driven tests here?");
    let long = format!("Use table-driven tests {}", "and tests ".repeat(60));
    for (statement, proof, expected) in [
        ("Use table-driven tests", &[("u9", tests.1)][..], "unknown-id 1"),
        ("Use table-driven tests", &[("K1", "Squash commits before a merge")], "unknown-id 1"),
        ("Use table-driven tests", &[("u2", tests.1)], "misquoted 1"),
        ("Use table-driven tests", &[("u1", "why aren't we using table-driven checks here?")], "misquoted 1"),
        ("Use table-driven tests", &[("u1", "Why aren't we using table-driven tests here?")], "misquoted 1"),
        ("Use table-driven tests", &[("u1", "sing table-driven tests")], "misquoted 1"),
        ("Use table-driven tests", &[tests, ("u1", "we need tests")], "misquoted 1"),
        ("Use table-driven tests", &[], "empty 1"),
        ("Use table-driven tests", &[("u1", " ")], "empty 1"),
        ("Yes", &[tests], "empty 1"),
        ("Use table-driven tests. Then push", &[tests], "too-long 1"),
        (&long, &[tests], "too-long 1"),
        ("Use table-driven tests with `go test -race`", &[tests], "made-up 1"),
        ("Use table-driven tests in pkg/parser", &[tests], "made-up 1"),
        ("Use table-driven tests from Jest", &[tests], "made-up 1"),
        ("Use 3 table-driven tests", &[tests], "made-up 1"),
        ("Use table-driven tests as https://x.example says", &[tests], "made-up 1"),
    ] {
        assert_eq!(one(statement, proof), expected, "{statement}");
    }
}

#[test]
fn an_answer_gives_a_few_and_each_once() {
    let entry = |statement: &str, more: &str| {
        format!(
            r#"{{"kind":"rule","scope":"project","basis":"stated","statement":"{statement}","proof":[{{"id":"u1","quote":"why aren't we using table-driven tests here?"}}],"quality_ok":true{more}}}"#
        )
    };
    let of = |entries: &[String]| outcome(&format!(r#"{{"lessons":[{}]}}"#, entries.join(",")));
    let use_tests = |n: &str| entry(&format!("Use table-driven tests {n}"), "");
    expect!["assistant [], duplicate 1"].assert_eq(&of(&[use_tests(""), use_tests("!")]));
    let many: Vec<String> =
        ["here", "where we test", "for us", "as we do", "when we use them", "using tables", "why", "we"]
            .into_iter()
            .flat_map(|n| [use_tests(n), use_tests(&format!("{n} driven"))])
            .collect();
    assert_eq!(of(&many), format!("{}too-many {}", "assistant [], ".repeat(ALIKE), many.len() - ALIKE));
    // What rests on something else still has its place, until there are enough in all.
    let bases = ["stated", "corrected", "repeated", "task"];
    let mixed: Vec<String> =
        many.iter().enumerate().map(|(n, e)| e.replace("stated", bases[n % bases.len()])).collect();
    let parsed = Answer::parse(&format!(r#"{{"lessons":[{}]}}"#, mixed.join(","))).expect("read");
    let checked = check(&parsed, &request(SPANS));
    let of_basis = |basis| checked.proposals.iter().filter(|p| p.basis == basis).count();
    assert_eq!(checked.proposals.len(), MOST);
    assert!(Basis::ALL.into_iter().all(|b| of_basis(b) <= ALIKE) && of_basis(Basis::Task) > 0);
    expect!["assistant [one-task]"].assert_eq(&of(&[use_tests("").replace("stated", "task")]));
    expect!["doubted 1"].assert_eq(&of(&[use_tests("").replace("\"quality_ok\":true", "\"quality_ok\":false")]));
    expect!["unreadable 2"]
        .assert_eq(&of(&[use_tests("").replace("rule", "law"), use_tests("").replace("project", "all")]));
    expect!["unknown-id 1"].assert_eq(&of(&[entry("Use table-driven tests", r#","same_as":"K7""#)]));
}

#[test]
fn nobody_said_what_no_line_of_theirs_is_quoted_for() {
    let of = |basis: &str, (id, quote): (&str, &str), statement: &str| {
        let answer = format!(
            r#"{{"lessons":[{{"kind":"rule","scope":"project","basis":"{basis}","statement":"{statement}","proof":[{{"id":"{id}","quote":"{quote}"}}],"quality_ok":true}}]}}"#
        );
        let checked = check(&Answer::parse(&answer).expect("read"), &request(SPANS));
        checked.proposals.first().map(|p| p.basis)
    };
    let typed = (("u1", "why aren't we using table-driven tests here?"), "Use table-driven tests");
    let agent = (("a3", "I will run make lint before each commit"), "Run make lint before each commit");
    for (basis, (proof, statement), expected) in [
        ("corrected", typed, Some(Basis::Corrected)),
        ("repeated", typed, Some(Basis::Repeated)),
        ("stated", agent, Some(Basis::Found)),
        ("corrected", agent, Some(Basis::Found)),
        ("written", agent, Some(Basis::Written)),
        ("law", typed, None),
        ("", typed, None),
    ] {
        assert_eq!(of(basis, proof, statement), expected, "{basis} {statement}");
    }
}

#[test]
fn an_answer_in_the_form_of_an_older_release_proposes_nothing() {
    let old = r#"{"kind":"rule","scope":"project","statement":"Use table-driven tests","said_as":"rule","proof":[{"id":"u1","quote":"why aren't we using table-driven tests here?"}],"quality_ok":true}"#;
    assert_eq!(outcome(&format!(r#"{{"lessons":[{old}]}}"#)), "unreadable 1");
}

#[test]
fn a_relation_names_a_lesson_that_exists() {
    let answer = r#"{"lessons":[{"kind":"rule","scope":"user","basis":"stated","statement":"Use table-driven tests","proof":[{"id":"u1","quote":"why aren't we using table-driven tests here?"}],"same_as":"","contradicts":" K1 ","supersedes":"","quality_ok":true}]}"#;
    let checked = check(&Answer::parse(answer).expect("read"), &request(SPANS));
    assert_eq!(checked.proposals[0].relation, Some((Relation::Contradicts, "abc".to_owned())));
    assert!(checked.proposals[0].about_user);
}

#[test]
fn a_sentence_of_a_longer_message_is_typed_but_not_alone() {
    for (text, sentence, expected) in [
        ("Use pnpm here.", "Use pnpm here.", true),
        ("Use pnpm here.", "Use pnpm here", true),
        ("Fix it. Use pnpm here. Thanks", "Use pnpm here.", true),
        ("Fix it. Use pnpm here. Thanks", "Use pnpm here", true),
        ("Please use pnpm here", "use pnpm here", false),
        ("Use pnpm here or not", "Use pnpm here", false),
        ("Use pnpm here.js", "Use pnpm here", false),
    ] {
        assert_eq!(has_sentence(text, sentence), expected, "{text} | {sentence}");
    }
}
