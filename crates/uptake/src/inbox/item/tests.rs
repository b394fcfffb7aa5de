use uptake_core::detect::{Kind, Sure};
use uptake_core::learn::{Evidence, Payload, Provenance, Sighting, Spent, Worth};

use super::*;

/// A lesson to look at.
pub fn item(id: &str, name: &str, statement: &str) -> Item {
    let lesson = Lesson {
        id: id.to_owned(),
        kind: Kind::Recovery,
        key: id.to_owned(),
        payload: Payload {
            statement: statement.to_owned(),
            commands: Vec::new(),
            trigger: Some(Trigger { program: "make".to_owned(), error: format!("no rule for {name}") }),
            scope: "git.example.com/dev/ledger".to_owned(),
            name: name.to_owned(),
            title: name.to_owned(),
        },
        origin: Provenance {
            detector: "error-recovery".to_owned(),
            trust: Origin::Assistant,
            alone: false,
            leaps: Vec::new(),
            basis: None,
        },
        evidence: Evidence {
            sure: Sure::High,
            sessions: 2,
            same: 1,
            days: 1,
            first: Some(0),
            last: Some(0),
            sources: vec!["claude".to_owned()],
            error: None,
            sightings: vec![Sighting {
                observation: "o".to_owned(),
                source: "claude".to_owned(),
                session: "8f2c".to_owned(),
                events: Vec::new(),
                at: Some(0),
                quote: format!("make: *** no rule for {name}"),
            }],
            spent: Spent::default(),
            tally: None,
            quality: true,
            worth: Worth { confidence: 1.0, ready: true, rank: 1.0 },
        },
    };
    Item { project: "ledger".to_owned(), lesson, said: None, known: None }
}

fn told(items: &[Item], at: usize) -> String {
    let preview =
        Preview { used: Use::Hint("Run `b`".to_owned()), approved: vec!["77".to_owned()], remarks: Vec::new() };
    let parts = details(items, at, &Twins::of(items), Ok(&preview));
    parts.iter().map(|p| format!("{}\n", p.text)).collect()
}

#[test]
fn the_details_say_what_where_what_it_costs_and_where_from() {
    let items = [item("1", "x", "Run `b`"), item("2", "x", "Run `c`")];
    expect_test::expect![[r#"
        Run `b`
        Words by: the agent
        When `make` fails with: no rule for x
        the agent is told:
        Run `b`
        About 2 tokens, each time it is told
        ! Same error: 77 (approved), 2 (waits)
        Seen in 2 sessions on 1 day (claude) of ledger
        1970-01-01, claude session 8f2c:
        make: *** no rule for x
    "#]]
    .assert_eq(&told(&items, 0));
}

#[test]
fn what_should_be_looked_at_twice_is_named() {
    let mut items = vec![item("1", "x", "Ru\u{200b}n `rm -rf build`\u{1b}[2J")];
    items[0].lesson.origin.trust = Origin::Tool;
    let text = told(&items, 0);
    for part in ["Ru<U+200B>n", "<U+001B>[2J", "deletes or overwrites", "cannot be seen", "! Words by: a tool"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains(['\u{200b}', '\u{1b}']));
}

#[test]
fn of_many_duplicates_a_few_are_named() {
    let items: Vec<Item> = (0..100_000).map(|n| item(&n.to_string(), "same", "Run `b`")).collect();
    assert!(told(&items, 5).contains("Same error: 77 (approved), 0 (waits), 1 (waits) and 99997 more"));
}

#[test]
fn letters_and_signs_of_every_script_stay_as_they_are() {
    assert_eq!(spelled_out("é 漢字 — “x” ✓"), "é 漢字 — “x” ✓");
}

#[test]
fn a_readers_words_stand_beside_their_quotes_and_a_leap_is_told() {
    let mut read = item("1", "x", "Never use tabs");
    read.lesson.origin.detector = READER.to_owned();
    read.lesson.origin.leaps = vec![uptake_core::detect::Leap::Polarity];
    read.lesson.evidence.sightings[0].quote = "tabs look odd".to_owned();
    let preview = Preview {
        used: Use::Hint("Run `b`".to_owned()),
        approved: Vec::new(),
        remarks: vec!["The reader thinks it is the opposite of “Use tabs” (77)".to_owned()],
    };
    let parts = details(&[read], 0, &Twins::default(), Ok(&preview));
    let first: Vec<&str> = parts.iter().map(|p| p.text.as_str()).take(5).collect();
    assert_eq!(
        first,
        [
            "Never use tabs",
            "“tabs look odd”",
            "! Inferred: what it forbids or always wants is not quoted.",
            "Words by: the reader",
            "! The reader thinks it is the opposite of “Use tabs” (77)",
        ]
    );
}
