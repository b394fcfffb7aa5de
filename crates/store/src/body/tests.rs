use uptake_core::detect::{Basis, Claim, Fix, HandedIn, Head, Observation, Proposed, Seen, StepForm};

use super::*;
use crate::{Lessons, SeenIn};

/// An observation after it was kept in a session.
fn kept(o: &Observation, source: &str, session: &str) -> Option<Observation> {
    let home = tempfile::tempdir().expect("a folder");
    let mut lessons = Lessons::open(home.path()).expect("a store");
    let seen = SeenIn { source, session, path: "/a/transcript", project: "p", observations: std::slice::from_ref(o) };
    lessons.keep_observations(&[seen]).expect("kept");
    lessons.kept_of("/a/transcript").expect("read").pop().map(|(_, o)| o)
}

/// A lesson after it was kept in a row.
fn kept_lesson(lesson: &Lesson) -> Option<Lesson> {
    let home = tempfile::tempdir().expect("a folder");
    let mut lessons = Lessons::open(home.path()).expect("a store");
    lessons.add_shown(std::slice::from_ref(lesson)).expect("kept");
    lessons.by_id(&lesson.id).expect("read").pop().map(|s| s.lesson)
}

/// An observation whose row has this body.
fn with_body(body: &str) -> Option<Observation> {
    let home = tempfile::tempdir().expect("a folder");
    let mut lessons = Lessons::open(home.path()).expect("a store");
    let o = seen(Seen::Finding, Kind::Insight);
    let all = SeenIn { source: "claude", session: "s", path: "f", project: "p", observations: &[o] };
    lessons.keep_observations(&[all]).expect("kept");
    lessons.db.connection.execute("UPDATE observations SET body = ?1", [body]).expect("changed");
    lessons.kept_of("f").expect("read").pop().map(|(_, o)| o)
}

fn seen(seen: Seen, kind: Kind) -> Observation {
    Observation {
        head: Head {
            id: "o1".into(),
            detector: "some-detector".into(),
            source: "claude".into(),
            session: "s".into(),
            root: "r".into(),
            events: vec!["e1".into(), "e\"2\"".into()],
            at: Some(7),
            quote: "they said \"no\"".into(),
        },
        claim: Claim {
            kind,
            key: "k > \\ \n".into(),
            name: "name".into(),
            title: "Title".into(),
            text: "Text ü \u{1}".into(),
            commands: vec!["a 'b'".into()],
            sure: Sure::High,
            trust: Origin::Tool,
            suggest: true,
            telling: false,
        },
        seen,
    }
}

#[test]
fn every_kind_of_observation_comes_back_as_it_was() {
    let fix = Fix {
        failed: Some("e1".into()),
        fixed: None,
        via: vec!["e2".into()],
        message: None,
        error: Some("error: no".into()),
        trigger: Some(Trigger { program: "p".into(), error: "no".into() }),
    };
    let told = Fix { message: Some("m".into()), via: vec!["e2".into()], ..Fix::default() };
    let steps = vec![StepForm { normal: "make".into(), command: "make -j2".into() }];
    for (what, kind) in [
        (Seen::Fix(fix), Kind::Recovery),
        (Seen::Fix(told), Kind::Recovery),
        (Seen::Corrected { message: "m".into(), failed: "e1".into(), fixed: "e2".into() }, Kind::Correction),
        (Seen::Said { message: "m".into(), alone: true }, Kind::Instruction),
        (Seen::Said { message: "m".into(), alone: false }, Kind::Workflow),
        (Seen::Steps(steps), Kind::Procedure),
        (
            Seen::Proposed(Proposed {
                leaps: vec![Leap::FewWords],
                about_user: true,
                basis: Some(Basis::Found),
                cost: 7,
                second: uptake_core::detect::Second::Lasts(vec!["e1".into()]),
                ..Proposed::default()
            }),
            Kind::Decision,
        ),
        (Seen::Proposed(Proposed { alone: true, ..Proposed::default() }), Kind::Instruction),
        (Seen::Noted { files: vec!["a/CLAUDE.md".into()], message: Some("m".into()), gone: false }, Kind::Instruction),
        (
            Seen::Noted { files: vec!["CLAUDE.md".into(), "~/b c.md".into()], message: None, gone: true },
            Kind::Instruction,
        ),
        (Seen::Whole { file: "CLAUDE.md".into(), says: vec!["0a".into(), "1b".into()] }, Kind::Instruction),
        (Seen::Whole { file: "CLAUDE.md".into(), says: Vec::new() }, Kind::Instruction),
        (
            Seen::HandedIn(HandedIn { tags: vec!["db".into()], citations: vec!["ADR-001".into(), "0e3dd".into()] }),
            Kind::Pitfall,
        ),
        (Seen::Finding, Kind::Insight),
    ] {
        let o = seen(what, kind);
        assert_eq!(kept(&o, "claude", "s"), Some(o.clone()));
        assert_eq!(kept(&o, "codex", "another"), Some(o));
    }
}

#[test]
fn a_text_that_repeats_commands_errors_or_messages_comes_back_as_it_was() {
    let commands = ["make deploy --to A", "make deploy --to AB", "", "ls"].map(str::to_owned);
    let trigger = Trigger { program: "make".into(), error: "no rule".into() };
    let fix = |error: Option<&str>| {
        Seen::Fix(Fix {
            failed: Some("e1".into()),
            fixed: Some("elsewhere".into()),
            via: vec!["e\"2\"".into(), "elsewhere".into()],
            message: None,
            error: error.map(str::to_owned),
            trigger: Some(trigger.clone()),
        })
    };
    let said = Seen::Said { message: "Text".into(), alone: false };
    for what in [fix(Some("no rule")), fix(Some("another")), fix(None), said] {
        for text in
            ["", "Text", "ls", "Instead of `make deploy --to AB` run `make deploy --to A`", "make deploy --to A"]
        {
            for quote in ["", "no rule", "another", "Text"] {
                let mut o = seen(what.clone(), Kind::Recovery);
                (o.claim.text, o.head.quote, o.claim.commands) = (text.into(), quote.into(), commands.to_vec());
                o.head.root = if quote.is_empty() { o.head.session.clone() } else { "r".into() };
                assert_eq!(kept(&o, "claude", "s"), Some(o));
            }
        }
    }
}

#[test]
fn a_lesson_comes_back_as_it_was() {
    let mut lesson = uptake_core::learn::by_hand("path:/p", "Say \"no\" to npm\u{2028}", 5);
    lesson.payload.trigger = Some(Trigger { program: "npm".into(), error: "no".into() });
    lesson.origin.leaps = vec![Leap::Polarity, Leap::OtherWords];
    lesson.origin.basis = Some(Basis::Corrected);
    lesson.evidence.sightings.push(Sighting {
        observation: "o1".into(),
        source: "codex".into(),
        session: "s".into(),
        events: vec!["e".into()],
        at: None,
        quote: "q".into(),
    });
    let body = of_lesson(&lesson).expect("written");
    assert_eq!(super::lesson(&body), Some(lesson.clone()));
    assert_eq!(kept_lesson(&lesson), Some(lesson.clone()));
    // What a lesson says is not said again by where it was seen.
    for (error, quote) in
        [(None, "no"), (Some("no"), "no"), (Some("other"), "no"), (Some("other"), "other"), (None, "")]
    {
        for at in [None, Some(5), Some(4)] {
            let mut lesson = lesson.clone();
            lesson.evidence.error = error.map(str::to_owned);
            let seen = &mut lesson.evidence.sightings[0];
            (seen.quote, seen.at) = (quote.into(), at);
            for sources in [vec![], vec!["codex".to_owned()], vec!["claude".to_owned(), "codex".to_owned()]] {
                lesson.evidence.sources = sources;
                assert_eq!(kept_lesson(&lesson), Some(lesson.clone()));
            }
        }
    }
}

#[test]
fn a_body_repeats_neither_itself_nor_its_row() {
    let mut o = seen(
        Seen::Fix(Fix {
            failed: Some("e1".into()),
            error: Some("error: no such option".into()),
            trigger: Some(Trigger { program: "p".into(), error: "error: no such option".into() }),
            ..Fix::default()
        }),
        Kind::Recovery,
    );
    o.head.quote = "error: no such option".into();
    o.claim.commands = vec!["report --format".into(), "report --output".into()];
    o.claim.text = "Instead of `report --format` run `report --output`".into();
    let body = of_observation(&o, "claude", "s").expect("written");
    for once in ["report --format", "report --output", "no such option", "e1"] {
        assert_eq!(body.matches(once).count(), 1, "{once} in {body}");
    }
    for of_row in [&o.head.id, &*o.head.detector, "recovery", "\"s\"", "claude", "k >"] {
        assert!(!body.contains(of_row), "{of_row} in {body}");
    }
}

/// What the first release that had these tables wrote; it must be read for ever.
const OLD_OBSERVATION: &str = r#"{"id":"o7","detector":"error-recovery","kind":"recovery","source":"codex","session":"s9","root":"r9","key":"k9","name":"n","title":"t","text":"x","commands":["a","b"],"steps":[],"sure":"high","trust":"assistant","alone":false,"suggest":true,"telling":true,"events":["e1","e2"],"failed":"e1","fixed":"e2","via":[],"message":null,"error":null,"trigger":{"program":"p","error":"e"},"at":3}"#;

#[test]
fn an_observation_of_the_first_release_is_read_as_it_was_written() {
    let o = with_body(OLD_OBSERVATION).expect("read");
    assert_eq!((o.head.id.as_str(), o.head.session.as_str(), o.head.root.as_str()), ("o7", "s9", "r9"));
    assert_eq!((o.head.at, o.head.quote.as_str(), o.claim.text.as_str()), (Some(3), "", "x"));
    assert_eq!((o.seen.failed(), o.seen.fixed(), o.seen.error()), (Some("e1"), Some("e2"), None));
}

/// What the first release that had these tables wrote; it must be read for ever.
const OLD_LESSON: &str = r#"{"id":"1f","kind":"recovery","key":"k","project":"path:/p","name":"n","title":"t","statement":"s","commands":["a","b"],"trigger":{"program":"p","error":"e"},"detector":"error-recovery","trust":"assistant","sure":"high","sessions":2,"days":1,"first":1,"last":2,"sources":["claude"],"error":"line","evidence":[{"observation":"o","source":"claude","session":"s","events":["e"],"at":2}],"ready":true,"rank":7.5}"#;

#[test]
fn a_body_of_the_first_release_is_read() {
    let lesson = lesson(OLD_LESSON).expect("read");
    assert_eq!((lesson.kind, lesson.project(), lesson.evidence.worth.rank), (Kind::Recovery, "path:/p", 7.5));
    assert_eq!((lesson.evidence.same, lesson.origin.alone, lesson.evidence.sightings.len()), (0, false, 1));
}

#[test]
fn what_is_no_body_is_nothing() {
    for text in ["", "{}", "[]", "null", "{\"id\":1}", &OLD_LESSON[..40], &OLD_LESSON.replace("recovery", "revery")] {
        assert_eq!(lesson(text), None, "{text}");
        assert_eq!(with_body(text), None, "{text}");
    }
}
