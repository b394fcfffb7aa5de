//! The second reading: when it is asked, of what, and when not again.

use super::*;

#[test]
fn what_cannot_be_read_again_today_is_read_again_tomorrow_and_what_nobody_can_answer_is_left() {
    let mut home = Home::new();
    home.typed("a", NOW - DAY, &[TABLES, WRAP]);
    home.limits.requests_a_day = 1;
    let lessons =
        [("Use table-driven tests", "table-driven"), ("Do not hard-wrap lines in markdown files", "hard wrap")];
    let (report, sent) = home.read(&|prompt| says(prompt, &lessons));
    assert_eq!((sent.len(), report.left), (1, 1));
    home.now += DAY;
    let (_, sent) = home.read(&reader(&[]));
    assert!(sent.len() == 1 && sent[0].starts_with("Below are messages"), "{sent:?}");
    home.now += DAY;
    let (_, sent) = home.read(&reader(&[]));
    assert!(sent.len() == 1 && is_about_sameness(&sent[0]), "the order is asked for once messages were read again");
    home.limits.requests_a_day = 9;
    home.typed("b", NOW, &["more tests", TABLES]);
    let second = |prompt: &str| prompt.contains("Below are messages");
    let others = reader(&[("Write tests as tables", "table-driven")]);
    let (report, sent) = home.read(&|prompt| if second(prompt) { Ok("no".to_owned()) } else { others(prompt) });
    assert_eq!((report.broken, sent.iter().filter(|p| second(p)).count()), (1, 2));
    let (_, sent) = home.read(&reader(&[]));
    assert!(!sent.iter().any(|p| second(p)), "not asked a third time");
}

/// Answers what is read, and leaves the second reading for later.
fn second_later(lessons: &'static [(&'static str, &'static str)]) -> impl Fn(&str) -> Result<String, Trouble> {
    let others = reader(lessons);
    move |prompt| if all_last(prompt).is_some() { Err(Trouble::NotReady("there".to_owned())) } else { others(prompt) }
}

#[test]
fn messages_are_read_again_only_where_their_session_may_be_read() {
    const LESSON: &[(&str, &str)] = &[("Use table-driven tests", "table-driven")];
    let seconds = |sent: &[String]| sent.iter().filter(|p| all_last(p).is_some()).count();
    // A session that is too old by now, or another client's.
    for spoil in [
        (|home: &mut Home| home.now += 40 * DAY) as fn(&mut Home),
        |home| home.limits.only = Some(SourceName::Codex),
        |home| home.settings.exclude = vec![PROJECT.to_owned()],
    ] {
        let mut home = Home::new();
        home.typed("a", NOW - DAY, &["add tests", TABLES]);
        let (report, _) = home.read(&second_later(LESSON));
        assert_eq!(report.waiting, 1);
        spoil(&mut home);
        let (_, sent) = home.read(&reader(&[]));
        assert_eq!(seconds(&sent), 0, "{sent:?}");
        assert!(home.stores.sessions.open_requests().expect("read").is_empty());
    }
    // A question that went is asked anew.
    let mut home = Home::new();
    home.typed("a", NOW - DAY, &["add tests", TABLES]);
    home.read(&second_later(LESSON));
    let (id, _) = home.stores.sessions.open_requests().expect("read").remove(0);
    home.stores.sessions.drop_request(&id).expect("dropped");
    let (_, sent) = home.read(&reader(&[]));
    assert_eq!(seconds(&sent), 1);
}

#[test]
fn while_a_second_reading_waits_no_other_is_asked_beside_it() {
    const LESSONS: &[(&str, &str)] =
        &[("Use table-driven tests", "table-driven"), ("Do not hard-wrap lines", "hard wrap")];
    let mut home = Home::new();
    home.typed("a", NOW - DAY, &["add tests", TABLES]);
    home.read(&second_later(LESSONS));
    home.typed("b", NOW - DAY, &["write it down", WRAP]);
    let (report, _) = home.read(&second_later(LESSONS));
    assert_eq!((report.waiting, home.stores.sessions.open_requests().expect("read").len()), (1, 1));
    let (_, sent) = home.read(&reader(&[]));
    let seconds: Vec<&String> = sent.iter().filter(|p| all_last(p).is_some()).collect();
    assert!(seconds.len() == 2 && !seconds[0].contains(WRAP) && !seconds[1].contains(TABLES), "each message once");
}
