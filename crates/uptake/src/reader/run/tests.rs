mod second;

use std::cell::RefCell;

use uptake_core::detect::{READER, detect, version};
use uptake_core::learn::Lesson;
use uptake_core::learn::status::Verdict;
use uptake_core::session::{Agent, Author, Body, Event, Excerpt, Origin, Session, SourceName, Span};
use uptake_store::{Cursor, Kept, SeenIn, TombstoneKey, Wanted, Which};

use super::super::remarks::{self, Worded};
use super::*;

const PROJECT: &str = "git.example.com/dev/shop";
const NOW: i64 = 100 * DAY;

/// A home with stores in it.
struct Home {
    folder: tempfile::TempDir,
    stores: Stores,
    settings: Settings,
    limits: Limits,
    now: i64,
}

/// What was sent, and what is said to it.
type Says<'a> = &'a dyn Fn(&str) -> Result<String, Trouble>;

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let stores = Stores::open(folder.path()).expect("open");
        let limits = Limits { days: 30, requests_a_day: 10, tokens_a_day: 100_000, only: None };
        Self { folder, stores, settings: Settings::default(), limits, now: NOW }
    }

    fn world(&self) -> World {
        let at = |name: &str| self.folder.path().join(name);
        World { home: at("home"), data: self.folder.path().to_owned(), config: at("config.toml"), now: self.now }
    }

    /// Keeps a session in which these messages were typed, as `learn` would.
    fn typed(&mut self, id: &str, at: i64, messages: &[&str]) {
        self.keep(PROJECT, &session(id, at, messages));
    }

    fn keep(&mut self, project: &str, session: &Session) {
        let path = format!("/sessions/{}.jsonl", session.id);
        let observations = detect(session);
        let (source, id) = (session.source.as_str(), &session.id);
        let seen = SeenIn { source, session: id, path: &path, project, observations: &observations };
        self.stores.lessons.keep_observations(&[seen]).expect("kept");
        let cursor = Cursor { size: 1, modified: 1, resume_at: 1, print: String::new() };
        let detectors = version();
        let kept = Kept { path: &path, cursor, project, session, first_changed: 0, detectors: &detectors };
        self.stores.sessions.keep(&[kept]).expect("kept");
    }

    /// Reads what is new; answers what was sent as well.
    fn read(&mut self, says: Says<'_>) -> (Report, Vec<String>) {
        let (world, settings, limits) = (self.world(), self.settings.clone(), self.limits.clone());
        let run = Run::new(&mut self.stores, &world, &settings, &limits).expect("ready");
        let plan = run.plan().expect("planned");
        let sent = RefCell::new(Vec::new());
        let mut ask = |ask: &Ask<'_>| {
            sent.borrow_mut().push(ask.prompt.to_owned());
            says(ask.prompt)
        };
        let report = run.run(plan, &mut ask, &ProgressBar::hidden()).expect("read");
        (report, sent.into_inner())
    }

    fn lessons(&self) -> Vec<Lesson> {
        let wanted = Wanted { which: Which::Waiting, now: self.now, ..Wanted::default() };
        let all = self.stores.lessons.list(&wanted).expect("listed").into_iter().map(|s| s.lesson);
        all.filter(|l| l.origin.detector == READER).collect()
    }

    fn statements(&self) -> Vec<(String, usize)> {
        self.lessons().into_iter().map(|l| (l.payload.statement, l.evidence.sessions)).collect()
    }
}

fn session(id: &str, at: i64, messages: &[&str]) -> Session {
    let event = |n: usize, body: Body| Event {
        id: format!("{id}-{n}"),
        at: Some(at + n as i64),
        offset: n as u64,
        len: 1,
        tokens: None,
        body,
    };
    let typed = |text: &str| Body::User {
        author: Author::Human,
        spans: vec![Span { origin: Origin::User, text: Excerpt::new(text) }],
    };
    let events = messages
        .iter()
        .enumerate()
        .flat_map(|(n, text)| {
            [event(2 * n, typed(text)), event(2 * n + 1, Body::Assistant { text: Excerpt::new("Fine.") })]
        })
        .collect();
    let (source, agent) = (SourceName::Claude, Agent::Main);
    Session { id: id.into(), root: id.into(), source, agent, events, ..Session::default() }
}

const TABLES: &str = "why aren't we using table-driven tests here?";
const WRAP: &str = "don't hard wrap lines in markdown files, it looks broken";

/// Answers with a lesson for each of these statements, quoting every line of the user that has these words.
fn says(prompt: &str, lessons: &[(&str, &str)]) -> Result<String, Trouble> {
    says_of(prompt, lessons, "")
}

fn says_of(prompt: &str, lessons: &[(&str, &str)], same_as: &str) -> Result<String, Trouble> {
    let entries: Vec<String> = lessons
        .iter()
        .filter_map(|(statement, words)| {
            let lines = prompt.lines().filter(|l| l.starts_with('u') && l.contains(" user: ") && l.contains(words));
            let proof: Vec<String> = lines
                .filter_map(|l| l.split_once(" user: "))
                .map(|(id, text)| serde_json::json!({ "id": id, "quote": text }).to_string())
                .collect();
            (!proof.is_empty()).then(|| {
                format!(
                    r#"{{"kind":"rule","scope":"project","statement":"{statement}","basis":"stated","why":"w","proof":[{}],"same_as":"{same_as}","contradicts":"","supersedes":"","quality_ok":true}}"#,
                    proof.join(",")
                )
            })
        })
        .collect();
    Ok(format!(r#"{{"lessons":[{}]}}"#, entries.join(",")))
}

/// Answers that nothing is the same.
const APART: &str = r#"{"groups":[]}"#;

fn is_about_sameness(prompt: &str) -> bool {
    prompt.starts_with("Below are notes")
}

/// Answers a second reading: all of them last.
fn all_last(prompt: &str) -> Option<String> {
    prompt.starts_with("Below are messages").then(|| {
        let ids: Vec<&str> = prompt.lines().filter_map(|l| l.split_once(" person: ")).map(|(id, _)| id).collect();
        serde_json::json!({ "durable": ids }).to_string()
    })
}

fn reader(lessons: &'static [(&'static str, &'static str)]) -> impl Fn(&str) -> Result<String, Trouble> {
    move |prompt| match all_last(prompt) {
        Some(answer) => Ok(answer),
        None if is_about_sameness(prompt) => Ok(APART.to_owned()),
        None => says(prompt, lessons),
    }
}

#[test]
fn what_a_reader_proposes_becomes_a_lesson_and_nothing_new_costs_nothing() {
    let mut home = Home::new();
    home.typed("a", NOW - DAY, &["add tests", TABLES]);
    home.typed("b", NOW - 2 * DAY, &["more tests", TABLES]);
    let (report, sent) = home.read(&reader(&[("Use table-driven tests", "table-driven")]));
    assert_eq!((report.sessions, report.requests, report.proposals, report.broken), (2, 2, 1, 0));
    assert!(sent[1].starts_with("Below are messages") && sent.len() == 2, "one statement is no group");
    assert_eq!(home.statements(), [("Use table-driven tests".to_owned(), 2)]);
    let lesson = &home.lessons()[0];
    assert_eq!((lesson.kind.as_str(), lesson.origin.trust), ("instruction", Origin::Assistant));
    assert_eq!(lesson.evidence.sightings[0].quote, TABLES);
    assert_eq!(home.read(&reader(&[])).1.len(), 0, "each session is read once");
    // What came since is read, and nothing else.
    home.typed("a", NOW - DAY, &["add tests", TABLES, WRAP]);
    let (_, sent) = home.read(&reader(&[("Do not hard-wrap lines in markdown files", "hard wrap")]));
    assert!(sent[0].contains(WRAP) && !sent[0].contains("user: why aren't"), "{}", sent[0]);
    assert_eq!(home.statements().len(), 2, "what was seen before stays");
}

#[test]
fn old_sessions_other_clients_and_excluded_projects_are_not_sent() {
    let mut home = Home::new();
    home.typed("old", NOW - 31 * DAY, &[TABLES]);
    home.typed("future", NOW + DAY, &[TABLES]);
    let mut sub = session("sub", NOW - DAY, &[TABLES]);
    sub.agent = Agent::Sub;
    home.keep(PROJECT, &sub);
    home.keep("git.example.com/dev/secret", &session("excluded", NOW - DAY, &[TABLES]));
    home.settings.exclude = vec!["git.example.com/dev/secret".to_owned()];
    home.limits.only = Some(SourceName::Codex);
    home.typed("claude", NOW - DAY, &[TABLES]);
    assert_eq!(home.read(&reader(&[])).1.len(), 0);
    home.limits.only = None;
    let (report, sent) = home.read(&reader(&[]));
    assert_eq!((sent.len(), report.sessions), (1, 1));
}

#[test]
fn a_client_in_use_is_told_and_its_limits_hold() {
    let mut home = Home::new();
    home.typed("now", NOW - 60_000, &[TABLES]);
    home.limits.only = Some(SourceName::Claude);
    let (world, settings, limits) = (home.world(), home.settings.clone(), home.limits.clone());
    let run = Run::new(&mut home.stores, &world, &settings, &limits).expect("ready");
    assert!(run.plan().expect("planned").in_use);
    home.limits = Limits { requests_a_day: 2, only: None, ..home.limits };
    for n in 0..5 {
        home.keep(&format!("git.example.com/dev/p{n}"), &session(&format!("s{n}"), NOW - DAY, &[TABLES]));
    }
    let (report, sent) = home.read(&reader(&[]));
    assert_eq!((sent.len(), report.left, report.requests), (2, 4, 2));
    assert_eq!(home.read(&reader(&[])).1.len(), 0, "not today");
    home.now += DAY;
    assert_eq!(home.read(&reader(&[])).1.len(), 2);
    home.now += DAY;
    home.limits.tokens_a_day = 500;
    assert_eq!(home.read(&reader(&[])).1.len(), 0, "a request is larger than that");
}

#[test]
fn a_broken_answer_is_asked_for_once_more_and_then_left() {
    let mut home = Home::new();
    home.typed("a", NOW - DAY, &[TABLES]);
    let (report, sent) = home.read(&|_| Ok("Sorry, {no}".to_owned()));
    assert_eq!((sent.len(), report.broken, report.requests), (2, 1, 2));
    assert!(sent[1].starts_with("Your last answer could not be read") && sent[1].ends_with(&sent[0]));
    assert_eq!(home.read(&reader(&[])).1.len(), 0);
    home.typed("b", NOW - DAY, &[TABLES]);
    let once = RefCell::new(false);
    let (report, _) = home.read(&|prompt| {
        if let Some(answer) = all_last(prompt) {
            Ok(answer)
        } else if once.replace(true) {
            says(prompt, &[("Use table-driven tests", "table-driven")])
        } else {
            Ok("{".to_owned())
        }
    });
    assert_eq!((report.broken, home.statements().len()), (0, 1));
}

#[test]
fn trouble_ends_the_reading_and_the_next_one_goes_on() {
    let mut home = Home::new();
    home.typed("a", NOW - DAY, &[TABLES]);
    for trouble in [Trouble::Unavailable("not logged in".into()), Trouble::TimedOut] {
        let (report, _) = home.read(&|_| Err(trouble.clone()));
        assert_eq!((report.trouble.as_ref(), report.sessions), (Some(&trouble), 0));
    }
    let (report, _) = home.read(&reader(&[("Use table-driven tests", "table-driven")]));
    assert_eq!((report.sessions, home.statements().len()), (1, 1));
}

#[test]
fn a_question_in_a_folder_is_the_same_until_it_is_answered() {
    let mut home = Home::new();
    home.typed("a", NOW - DAY, &[TABLES]);
    let later = |_: &str| Err(Trouble::NotReady("there".to_owned()));
    let (report, first) = home.read(&later);
    assert_eq!((report.waiting, report.requests), (1, 1));
    home.keep("git.example.com/dev/other", &session("c", NOW - DAY, &[WRAP]));
    home.typed("b", NOW - DAY, &[WRAP]);
    let (report, second) = home.read(&later);
    assert_eq!((report.waiting, report.requests, &second[0]), (3, 2, &first[0]), "asked beside it, not again");
    let both = [("Use table-driven tests", "table-driven"), ("Do not hard-wrap lines in markdown files", "hard wrap")];
    let (report, _) =
        home.read(&|prompt| if is_about_sameness(prompt) { Ok(APART.into()) } else { says(prompt, &both) });
    assert_eq!((report.sessions, report.waiting, home.statements().len()), (3, 0, 3));
    assert!(home.stores.sessions.open_requests().expect("read").is_empty());
}

/// Says that all statements with this word are one, in the words of the last.
fn one_group(prompt: &str, word: &str) -> String {
    let ids: Vec<&str> =
        prompt.lines().filter(|l| l.starts_with('C') && l.contains(word)).filter_map(|l| l.split(' ').next()).collect();
    let last = ids.last().copied().unwrap_or_default();
    serde_json::json!({ "groups": [{ "ids": ids, "best": last }] }).to_string()
}

/// A reader that says the same in other words each time, and knows that it is the same.
fn rewording(prompt: &str, statement: &str) -> Result<String, Trouble> {
    if let Some(answer) = all_last(prompt) {
        Ok(answer)
    } else if is_about_sameness(prompt) {
        Ok(one_group(prompt, "table"))
    } else {
        says(prompt, &[(statement, "table-driven")])
    }
}

#[test]
fn the_same_lesson_in_other_words_is_one_lesson_with_all_its_sessions() {
    let mut home = Home::new();
    let words = ["Use table-driven tests", "Write tests table-driven here", "Prefer tables of tests, table-driven"];
    for (n, statement) in words.iter().enumerate() {
        home.typed(&format!("s{n}"), NOW - DAY, &[TABLES]);
        let (report, _) = home.read(&|prompt| rewording(prompt, statement));
        assert_eq!(report.merged, usize::from(n > 0), "{report:?}");
    }
    let all = home.statements();
    assert_eq!((all.len(), all[0].1), (1, 3), "{all:?}");
    // What was said before in those words still belongs to it.
    home.typed("s9", NOW - DAY, &[TABLES]);
    home.read(&|prompt| says(prompt, &[("Use table-driven tests", "table-driven")]));
    assert_eq!(home.statements()[0].1, 4);
    // A no to it is a no to all of its words.
    let lesson = home.lessons().remove(0);
    home.stores.lessons.decide(&lesson, Verdict::Rejected, NOW).expect("rejected");
    for (n, statement) in words.iter().enumerate() {
        home.typed(&format!("t{n}"), NOW - DAY, &[TABLES]);
        home.read(&|prompt| says(prompt, &[(statement, "table-driven")]));
    }
    assert_eq!(home.statements(), []);
}

#[test]
fn what_is_forgotten_stays_so_in_all_its_words() {
    let mut home = Home::new();
    let words = ["Use table-driven tests", "Write tests table-driven here"];
    for (n, statement) in words.iter().enumerate() {
        home.typed(&format!("s{n}"), NOW - DAY, &[TABLES]);
        home.read(&|prompt| rewording(prompt, statement));
    }
    let lesson = home.lessons().remove(0);
    let key = TombstoneKey::of(home.folder.path()).expect("a key");
    home.stores.lessons.forget(&lesson, &key, NOW).expect("forgotten");
    for (n, statement) in words.iter().enumerate() {
        home.typed(&format!("t{n}"), NOW - DAY, &[TABLES]);
        home.read(&|prompt| says(prompt, &[(statement, "table-driven")]));
    }
    assert_eq!(home.statements(), []);
}

#[test]
fn what_a_reader_says_of_an_approved_lesson_is_a_remark_and_counts_for_nothing() {
    let mut home = Home::new();
    home.typed("a", NOW - DAY, &[TABLES]);
    home.read(&reader(&[("Use table-driven tests", "table-driven")]));
    let lesson = home.lessons().remove(0);
    home.stores.lessons.decide(&lesson, Verdict::Approved, NOW).expect("approved");
    let before = home.stores.lessons.by_id(&lesson.id).expect("read").remove(0);
    // In the same words, in other words with `same_as`, and by a group.
    home.typed("b", NOW - DAY, &[TABLES]);
    home.read(&reader(&[("Use table-driven tests", "table-driven")]));
    home.typed("c", NOW - DAY, &[TABLES]);
    home.read(&|prompt| says_of(prompt, &[("Write tests table-driven here", "table-driven")], "K1"));
    home.typed("d", NOW - DAY, &[TABLES]);
    home.read(&|prompt| rewording(prompt, "Make tests table-driven"));
    let after = home.stores.lessons.by_id(&lesson.id).expect("read").remove(0);
    assert_eq!((after.lesson.evidence.sessions, after.lesson.sha256()), (1, before.lesson.sha256()));
    assert_eq!(after.standing, before.standing);
    let remarks = home.stores.lessons.remarks_on(&lesson.id).expect("read");
    assert_eq!(remarks.len(), 3, "{remarks:?}");
    assert!(remarks.iter().all(|r| r.quote == TABLES && r.relation.as_str() == "same"));
    assert_eq!(home.statements(), []);
}

#[test]
fn a_contradiction_is_told_beside_both_and_retires_nothing() {
    let mut home = Home::new();
    home.typed("a", NOW - DAY, &[TABLES]);
    home.read(&reader(&[("Use table-driven tests", "table-driven")]));
    let lesson = home.lessons().remove(0);
    home.stores.lessons.decide(&lesson, Verdict::Approved, NOW).expect("approved");
    home.typed("b", NOW - DAY, &["please do not write table-driven tests any more, they hide what fails"]);
    home.read(&|prompt| {
        let said = says(prompt, &[("Do not write table-driven tests", "table-driven")])?;
        Ok(said.replace(r#""supersedes":"""#, r#""supersedes":"K1""#))
    });
    assert_eq!(home.statements(), [("Do not write table-driven tests".to_owned(), 1)]);
    let remarks = home.stores.lessons.remarks_on(&lesson.id).expect("read");
    assert_eq!((remarks.len(), remarks[0].relation.as_str()), (1, "supersedes"));
    let key = &home.lessons()[0].key;
    assert_eq!(home.stores.lessons.remarks_in_words_of(key).expect("read"), remarks);
    assert!(home.stores.lessons.by_id(&lesson.id).expect("read")[0].may_leave(uptake_core::learn::trust::Mode::Review));
}

#[test]
fn the_users_own_words_are_not_counted_up_by_a_reader() {
    let mut home = Home::new();
    let rule = "Never push to main without a review";
    home.typed("a", NOW - DAY, &["build it", rule]);
    for n in 0..4 {
        home.typed(&format!("b{n}"), NOW - DAY, &["please look at the main page and review it again"]);
    }
    // It says that all of them say so.
    let liar = |prompt: &str| {
        let said = says(prompt, &[(rule, "main")])?;
        Ok(if is_about_sameness(prompt) { one_group(prompt, "main") } else { said })
    };
    home.read(&liar);
    let all = home.stores.lessons.list(&Wanted { now: NOW, ..Wanted::default() }).expect("listed");
    let rules: Vec<_> = all.iter().filter(|s| s.lesson.payload.statement == rule).collect();
    assert!(!rules.is_empty());
    for s in rules {
        assert!(uptake_core::learn::trust::auto_form(&s.lesson).is_err(), "{:?}", s.lesson);
        assert!(s.lesson.origin.detector == READER || s.lesson.evidence.sessions == 1);
    }
}

#[test]
fn what_rules_found_is_worded_better_until_somebody_decides_on_it() {
    let mut home = Home::new();
    let awkward = "Never push to main without a review";
    home.typed("a", NOW - DAY, &["build it", awkward]);
    home.read(&|_| Ok(r#"{"lessons":[]}"#.to_owned()));
    let all = home.stores.lessons.list(&Wanted { now: NOW, ..Wanted::default() }).expect("listed");
    let original =
        all.into_iter().find(|s| s.lesson.payload.statement.contains("push to main")).expect("a rule").lesson;
    home.typed("b", NOW - DAY, &["again: never push to our main branch without a review of it"]);
    home.read(&|prompt| {
        says_of(prompt, &[("Never push to the main branch without a review", "our main branch")], "K1")
    });
    assert_eq!(home.statements(), [("Never push to the main branch without a review".to_owned(), 1)]);
    let words = home.lessons().remove(0);
    let hides = |home: &Home, id: &str| Worded::of(&home.stores.lessons).expect("read").hides(id);
    assert!(hides(&home, &original.id) && !hides(&home, &words.id));
    let lines = remarks::lines(&home.stores.lessons, &words).expect("read");
    assert_eq!(lines, [format!("Worded by the reader, instead of “{}” ({})", original.payload.statement, original.id)]);
    let there = home.stores.lessons.by_id(&original.id).expect("read").remove(0);
    assert_eq!((there.lesson.sha256(), there.lesson.evidence.sessions), (original.sha256(), 1), "it stays as it is");
    // Who says yes to the words as they were needs no others.
    home.stores.lessons.decide(&original, Verdict::Approved, NOW).expect("approved");
    assert!(!hides(&home, &original.id) && hides(&home, &words.id));
}

#[test]
fn a_no_to_the_readers_words_brings_the_others_back() {
    let mut home = Home::new();
    home.typed("a", NOW - DAY, &["build it", "Never push to main without a review"]);
    home.read(&|_| Ok(r#"{"lessons":[]}"#.to_owned()));
    home.typed("b", NOW - DAY, &["again: never push to our main branch without a review of it"]);
    home.read(&|prompt| {
        says_of(prompt, &[("Never push to the main branch without a review", "our main branch")], "K1")
    });
    let words = home.lessons().remove(0);
    let all = home.stores.lessons.list(&Wanted { now: NOW, ..Wanted::default() }).expect("listed");
    let hidden = |home: &Home| {
        let worded = Worded::of(&home.stores.lessons).expect("read");
        all.iter().filter(|s| worded.hides(&s.lesson.id)).count()
    };
    assert_eq!(hidden(&home), 1);
    home.stores.lessons.decide(&words, Verdict::Rejected, NOW).expect("rejected");
    assert_eq!(hidden(&home), 0);
}

#[test]
fn a_question_of_another_release_is_asked_anew() {
    let mut home = Home::new();
    home.typed("a", NOW - DAY, &[TABLES]);
    home.read(&|_| Err(Trouble::NotReady("there".to_owned())));
    let (id, body) = home.stores.sessions.open_requests().expect("read").remove(0);
    let older = body.replace(&format!("\"version\":{VERSION}"), "\"version\":1");
    assert_ne!(older, body);
    home.stores.sessions.keep_request(&id, &older, NOW).expect("kept");
    let (report, sent) = home.read(&reader(&[("Use table-driven tests", "table-driven")]));
    assert_eq!((report.requests, report.sessions, sent.len()), (2, 1, 2), "and its messages once more");
    assert!(home.stores.sessions.open_requests().expect("read").is_empty());
}

#[test]
fn one_reading_at_a_time() {
    let home = Home::new();
    let turn = Turn::take(home.folder.path()).expect("nobody reads");
    assert!(Turn::take(home.folder.path()).is_none());
    drop(turn);
    assert!(Turn::take(home.folder.path()).is_some());
}
