//! What an agent hands in itself: one learning, or that there is none.
//!
//! Comes in: the bytes of one JSON object. Goes out: what it says, clean and within caps, or why it is refused; and the
//! observation made of it. An agent's words are by an agent, however it came to them: they wait for a person like all others, and
//! never add up with the user's own words.

use std::fmt;

use serde::Deserialize;

use crate::detect::{HandedIn, Kind, Observation, SUBMITTED, Seen, Sure, wording};
use crate::redact::{Redactor, hides};
use crate::session::{ENVELOPE, Origin, READER_MARK, Session, SourceName};

/// Longest input.
pub const LIMIT: usize = 64 * 1024; // bytes
/// Longest learning; what is told is not longer.
const LEARNING: usize = 400; // characters
/// Longest task and reason.
const TASK: usize = 400; // characters
/// Most citations and tags.
const MOST: usize = 20;
/// Longest of these, and of the name of an agent or a session.
const WORD: usize = 64; // characters

/// What an agent handed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Submission {
    /// Something to learn.
    Learning(Learning),
    /// Nothing, for this reason.
    Nothing {
        /// The reason.
        reason: String,
    },
}

/// Something to learn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learning {
    /// What the agent was at.
    pub task: String,
    /// A mistake to avoid, or a pattern to follow.
    pub kind: LearningKind,
    /// What it says.
    pub text: String,
    /// Entries of the knowledge files and lessons that it names.
    pub citations: Vec<String>,
    /// What it is about.
    pub tags: Vec<String>,
    /// The kind of agent.
    pub agent: Option<String>,
    /// The session, if the agent says it.
    pub session: Option<String>,
}

/// Which way round a learning is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LearningKind {
    /// What to do.
    Pattern,
    /// What not to do.
    Mistake,
}

/// Why something is refused. Never words of the input: those may hold secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is too long.
    TooLong,
    /// It is no JSON object of this form.
    Form(String),
    /// A field is missing or empty.
    Missing(&'static str),
    /// A field holds more than may be in it.
    Long(&'static str, usize),
    /// A field has characters that cannot be seen.
    Hidden(&'static str),
    /// A field is not made of the characters that it may be made of.
    Name(&'static str),
    /// A field holds what looks like a secret.
    Secret(&'static str),
    /// It says two things that exclude each other.
    Both(&'static str, &'static str),
    /// It has no words that say something.
    Wordless,
    /// It repeats what we told the agent.
    Echo,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "it is longer than {} KB; hand in one learning at a time", LIMIT / 1024),
            Self::Form(why) => write!(f, "it is no JSON object of this form: {why}"),
            Self::Missing(field) => write!(f, "`{field}` is missing or empty"),
            Self::Long(field, most) => write!(f, "`{field}` may have {most} at most; say it shorter"),
            Self::Hidden(field) => write!(f, "`{field}` holds characters that cannot be seen; leave them out"),
            Self::Name(field) => write!(f, "`{field}` may have letters, digits and `-_.:/` only"),
            Self::Secret(field) => write!(f, "`{field}` holds what looks like a secret; leave it out"),
            Self::Both(one, other) => write!(f, "it has `{one}` and `{other}`; say one of them"),
            Self::Wordless => f.write_str("it has no words that say something of this project"),
            Self::Echo => f.write_str("it repeats what uptake told; say what you learned yourself"),
        }
    }
}

/// The object, as agents write it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    task: Option<String>,
    pattern: Option<String>,
    mistake: Option<String>,
    #[serde(default)]
    citations: Vec<String>,
    #[serde(default)]
    tags: Vec<String>,
    agent: Option<String>,
    session: Option<String>,
    no_learnings: Option<bool>,
    reason: Option<String>,
}

/// Reads what an agent handed in. Secrets are taken out before anything else is done with a text.
pub fn read(bytes: &[u8], redactor: &Redactor) -> Result<Submission, Refused> {
    if bytes.len() > LIMIT {
        return Err(Refused::TooLong);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|_| Refused::Form("it is not UTF-8".to_owned()))?;
    let written: Written = serde_json::from_str(text).map_err(|e| Refused::Form(form(&e)))?;
    if written.no_learnings == Some(true) {
        let more = [("pattern", &written.pattern), ("mistake", &written.mistake)];
        if let Some((field, _)) = more.iter().find(|(_, value)| value.is_some()) {
            return Err(Refused::Both("no_learnings", field));
        }
        return Ok(Submission::Nothing { reason: line("reason", written.reason.as_deref(), TASK, redactor)? });
    }
    if written.reason.is_some() {
        return Err(Refused::Missing("no_learnings"));
    }
    let (kind, field, text) = match (&written.pattern, &written.mistake) {
        (Some(_), Some(_)) => return Err(Refused::Both("pattern", "mistake")),
        (None, Some(text)) => (LearningKind::Mistake, "mistake", text),
        (Some(text), None) => (LearningKind::Pattern, "pattern", text),
        (None, None) => return Err(Refused::Missing("pattern` or `mistake")),
    };
    let text = line(field, Some(text), LEARNING, redactor)?;
    if wording::names_nothing(&text) {
        return Err(Refused::Wordless);
    }
    Ok(Submission::Learning(Learning {
        task: line("task", written.task.as_deref(), TASK, redactor)?,
        kind,
        text,
        citations: words("citations", &written.citations, redactor, str::to_owned)?,
        tags: words("tags", &written.tags, redactor, str::to_lowercase)?,
        agent: written.agent.map(|agent| clean_word("agent", &agent, redactor)).transpose()?,
        // Some clients name a session by what looks like a key: it is kept without it.
        session: written.session.map(|id| word("session", &id).map(|id| redactor.clean(&id))).transpose()?,
    }))
}

/// What is wrong with the form, without words of the input: a message of the parser may quote them.
fn form(error: &serde_json::Error) -> String {
    const FIELDS: &str = "task, pattern or mistake, citations, tags, agent, session; or no_learnings and reason";
    let place = format!("line {}, column {}", error.line(), error.column());
    match error.classify() {
        serde_json::error::Category::Data => format!("{place}: it has {FIELDS}, and nothing else"),
        _ => format!("{place}: it is not JSON, or goes on behind the object"),
    }
}

/// A text on one line, without secrets.
fn line(field: &'static str, text: Option<&str>, most: usize, redactor: &Redactor) -> Result<String, Refused> {
    let text = text.unwrap_or_default();
    if text.chars().count() > most {
        return Err(Refused::Long(field, most));
    }
    if hides(text) {
        return Err(Refused::Hidden(field));
    }
    let clean = redactor.clean(text).split_whitespace().collect::<Vec<_>>().join(" ");
    if clean.is_empty() {
        return Err(Refused::Missing(field));
    }
    if [ENVELOPE, READER_MARK].iter().any(|ours| clean.contains(ours)) {
        return Err(Refused::Echo);
    }
    Ok(clean)
}

/// Names, each once, spelled one way.
fn words(
    field: &'static str,
    list: &[String],
    redactor: &Redactor,
    spelled: fn(&str) -> String,
) -> Result<Vec<String>, Refused> {
    if list.len() > MOST {
        return Err(Refused::Long(field, MOST));
    }
    let mut all: Vec<String> = Vec::new();
    for text in list {
        let one = spelled(&clean_word(field, text, redactor)?);
        if !all.contains(&one) {
            all.push(one);
        }
    }
    Ok(all)
}

/// A name that holds no secret: nothing would be left of it without.
fn clean_word(field: &'static str, text: &str, redactor: &Redactor) -> Result<String, Refused> {
    let one = word(field, text)?;
    if redactor.clean(&one) == one { Ok(one) } else { Err(Refused::Secret(field)) }
}

/// A name: of an entry, an agent, a session, a topic.
fn word(field: &'static str, text: &str) -> Result<String, Refused> {
    if text.chars().count() > WORD {
        return Err(Refused::Long(field, WORD));
    }
    let named = |c: char| c.is_ascii_alphanumeric() || "-_.:/".contains(c);
    if text.is_empty() || !text.chars().all(named) {
        return Err(Refused::Name(field));
    }
    Ok(text.to_owned())
}

/// How the source of what an agent handed in begins; its kind follows.
const BY_AGENT: &str = "agent:";

/// The source under which what an agent of a kind hands in stands.
pub fn source_of(agent: Option<&str>) -> String {
    format!("{BY_AGENT}{}", agent.unwrap_or("any"))
}

/// Whether a lesson from these sources concerns an agent of a kind: what only agents of other kinds handed in does not.
pub fn concerns(sources: &[String], agent: &str) -> bool {
    let any = source_of(None);
    sources.is_empty() || sources.iter().any(|s| !s.starts_with(BY_AGENT) || *s == any || *s == source_of(Some(agent)))
}

/// A learning as something that was seen: the same learning of the same session is seen once in a project.
pub fn observed(learning: &Learning, project: &str, root: &str, at: i64) -> Observation {
    let (kind, title) = match learning.kind {
        LearningKind::Pattern => (Kind::Procedure, "Handed in by an agent"),
        LearningKind::Mistake => (Kind::Pitfall, "A mistake, handed in by an agent"),
    };
    let source = source_of(learning.agent.as_deref());
    let session = Session {
        source: SourceName::parse(&source),
        id: root.to_owned(),
        root: root.to_owned(),
        ..Session::default()
    };
    let key = format!("{SUBMITTED}: {}", wording::normal_statement(&learning.text));
    let mut o = Observation::new(SUBMITTED, kind, &session, vec![format!("{project} {key}")], 0);
    o.head.at = Some(at);
    o.head.quote = wording::short(&learning.task);
    o.claim.key = key;
    o.claim.name = wording::name(&learning.text);
    o.claim.title = title.to_owned();
    o.claim.text.clone_from(&learning.text);
    o.claim.sure = Sure::Medium;
    o.claim.trust = Origin::Assistant;
    o.claim.suggest = true;
    let (tags, citations) = (learning.tags.clone(), learning.citations.clone());
    if !(tags.is_empty() && citations.is_empty()) {
        o.seen = Seen::HandedIn(HandedIn { tags, citations });
    }
    o
}

/// Adds what was said of the same learning before in its session: the tags and citations of both stay, as many as there may be.
pub fn with_earlier(mut now: Observation, before: &Observation) -> Observation {
    let Seen::HandedIn(earlier) = &before.seen else { return now };
    let mut all = match now.seen {
        Seen::HandedIn(said) => said,
        _ => HandedIn { tags: Vec::new(), citations: Vec::new() },
    };
    for (list, more) in [(&mut all.tags, &earlier.tags), (&mut all.citations, &earlier.citations)] {
        let new: Vec<String> = more.iter().filter(|one| !list.contains(one)).cloned().collect();
        list.extend(new);
        list.truncate(MOST);
    }
    now.seen = Seen::HandedIn(all);
    now
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn;

    fn read_text(text: &str) -> Result<Submission, Refused> {
        read(text.as_bytes(), &Redactor::default())
    }

    fn learning(text: &str) -> Learning {
        match read_text(text) {
            Ok(Submission::Learning(learning)) => learning,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_learning_is_a_pattern_or_a_mistake_with_its_task() {
        let text = r#"{"task":"add a column","mistake":"Migrations run twice without `--once`","citations":["ADR-001"],"tags":["db"],"agent":"builder"}"#;
        let said = learning(text);
        assert_eq!((said.kind, said.task.as_str()), (LearningKind::Mistake, "add a column"));
        let seen = observed(&said, "p", "s1", 5);
        assert_eq!((seen.claim.kind, seen.claim.trust), (Kind::Pitfall, Origin::Assistant));
        assert_eq!(seen.head.source, "agent:builder");
        let told = HandedIn { tags: vec!["db".into()], citations: vec!["ADR-001".into()] };
        assert_eq!(seen.seen, Seen::HandedIn(told), "what it is about stays with it");
        let bare = Learning { tags: Vec::new(), citations: Vec::new(), ..said };
        assert_eq!(
            learn::fold("p", &[observed(&bare, "p", "s1", 5)])[0].sha256(),
            learn::fold("p", std::slice::from_ref(&seen))[0].sha256(),
            "a yes binds the words, not the tags"
        );
        let lessons = learn::fold("p", &[seen]);
        assert!(lessons[0].evidence.worth.ready, "one session is enough to be shown");
        assert!(learn::trust::auto_form(&lessons[0]).is_err(), "never without a person");
    }

    #[test]
    fn a_tag_is_spelled_one_way_and_stands_once() {
        let said = learning(
            r#"{"task":"t","pattern":"Use tabs here","tags":["DB","db","Sql"],"citations":["ADR-001","ADR-001"]}"#,
        );
        assert_eq!((said.tags, said.citations), (vec!["db".to_owned(), "sql".to_owned()], vec!["ADR-001".to_owned()]));
    }

    #[test]
    fn what_agents_hand_in_never_adds_up_with_the_words_of_the_user() {
        let said = learning(r#"{"task":"t","pattern":"Invoices are rounded to cents"}"#);
        let own = learn::by_hand("p", "Invoices are rounded to cents", 1);
        assert_ne!(observed(&said, "p", "s1", 5).claim.key, own.key);
    }

    #[test]
    fn an_agent_hears_what_its_kind_handed_in_and_what_is_for_all() {
        let sources = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        for (list, expected) in [
            (&["claude"][..], true),
            (&[], true),
            (&["agent:builder"], true),
            (&["agent:any"], true),
            (&["agent:tester"], false),
            (&["agent:tester", "codex"], true),
        ] {
            assert_eq!(concerns(&sources(list), "builder"), expected, "{list:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_and_nothing_of_it_is_repeated() {
        let long = "x ".repeat(300);
        for (text, why) in [
            ("", "not JSON"),
            ("{}", "`pattern` or `mistake` is missing"),
            ("[1]", "it has task"),
            (r#"{"task":"t","pattern":"Use tabs","secret":"hunter2"}"#, "and nothing else"),
            (r#"{"task":"t","pattern":"Use tabs","mistake":"Use spaces"}"#, "say one of them"),
            (r#"{"no_learnings":true,"reason":"read only","mistake":"x"}"#, "say one of them"),
            (r#"{"no_learnings":true}"#, "`reason` is missing"),
            (r#"{"reason":"none"}"#, "`no_learnings` is missing"),
            (r#"{"pattern":"Use tabs"}"#, "`task` is missing"),
            (r#"{"task":"t","pattern":"the of and"}"#, "no words"),
            (r#"{"task":"t","pattern":"Use\u202etabs"}"#, "cannot be seen"),
            (r#"{"task":"t","pattern":"Use tabs","tags":["a b"]}"#, "letters, digits"),
            (r#"{"task":"t","pattern":"Use tabs"} {}"#, "goes on behind"),
            (&format!(r#"{{"task":"t","pattern":"{long}"}}"#), "400 at most"),
            (&format!(r#"{{"task":"t","pattern":"({ENVELOPE}) Use tabs"}}"#), "repeats"),
        ] {
            let refused = read_text(text).expect_err(text).to_string();
            assert!(refused.contains(why) && !refused.contains("hunter2"), "{text}: {refused}");
        }
        assert_eq!(read(&vec![b' '; LIMIT + 1], &Redactor::default()), Err(Refused::TooLong));
        assert!(matches!(read(b"\xff{}", &Redactor::default()), Err(Refused::Form(_))));
    }
}
