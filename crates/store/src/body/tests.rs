use super::*;

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
        (Seen::Finding, Kind::Insight),
    ] {
        let o = seen(what, kind);
        let body = of_observation(&o).expect("written");
        assert_eq!(observation(&body), Some(o), "{body}");
    }
}

#[test]
fn a_lesson_comes_back_as_it_was() {
    let mut lesson = uptake_core::learn::by_hand("path:/p", "Say \"no\" to npm\u{2028}", 5);
    lesson.payload.trigger = Some(Trigger { program: "npm".into(), error: "no".into() });
    lesson.evidence.sightings.push(Sighting {
        observation: "o1".into(),
        source: "codex".into(),
        session: "s".into(),
        events: vec!["e".into()],
        at: None,
        quote: "q".into(),
    });
    let body = of_lesson(&lesson).expect("written");
    assert_eq!(super::lesson(&body), Some(lesson));
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
        assert_eq!(observation(text), None, "{text}");
    }
}
