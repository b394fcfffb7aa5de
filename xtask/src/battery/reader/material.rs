//! Sessions, what may truly be said of them, and its opposite.

use uptake_core::reader::digest::{Known, Request, Unread, excerpt, requests};
use uptake_core::session::{Agent, Author, Body, Event, Excerpt, Origin, Session, SourceName, Span};

/// What was typed, what follows from it, and what does not: the other way round, or firmer.
pub struct Saying {
    pub typed: &'static str,
    pub follows: &'static str,
    pub turned: &'static str,
}

const fn saying(typed: &'static str, follows: &'static str, turned: &'static str) -> Saying {
    Saying { typed, follows, turned }
}

#[rustfmt::skip]
pub const SAYINGS: &[Saying] = &[
    saying("why aren't we using table-driven tests for the parser?",
           "Use table-driven tests for the parser", "Always use table-driven tests for the parser"),
    saying("don't hard wrap lines in markdown files, the page shows them as breaks",
           "Do not hard-wrap lines in markdown files", "Hard-wrap lines in markdown files"),
    saying("Use pnpm for packages, not npm", "Use pnpm for packages, not npm", "Use npm for packages, not pnpm"),
    saying("please run make lint before each commit from now on",
           "Run `make lint` before each commit", "Do not run `make lint` before each commit"),
    saying("the database is on db.internal:5433, not on localhost",
           "Look for the database on db.internal:5433, not on localhost", "Look for the database on localhost, not on db.internal:5433"),
    saying("never push to main without a review by Dana",
           "Never push to main without a review by Dana", "Push to main without a review by Dana"),
    saying("we keep release notes in docs/releases.md, so add a line there",
           "Keep release notes in docs/releases.md", "Never keep release notes in docs/releases.md"),
    saying("wait 15 minutes before you retry the import",
           "Wait 15 minutes before a retry of the import", "Do not wait 15 minutes before a retry of the import"),
    saying("always pass --frozen to the install step, it broke again",
           "Always pass --frozen to the install step", "Never pass --frozen to the install step"),
    saying("squash the commits before you merge the branch please",
           "Squash the commits before a merge of the branch", "Only merge the branch before the commits are squashed"),
];

/// Lessons that exist; nobody said them in these sessions.
pub const KNOWN: &[&str] =
    &["Sign every release with the team key", "Never delete branches of other people", "Ask before the schema changes"];

/// A session in which these messages were typed, each answered by the agent.
pub fn session(id: &str, at: i64, messages: &[Vec<Span>]) -> Session {
    let event = |n: usize, body: Body| Event {
        id: format!("{id}-{n}"),
        at: Some(at + n as i64),
        offset: n as u64,
        len: 1,
        tokens: None,
        body,
    };
    let answer = || Body::Assistant { text: Excerpt::new("Understood, I will do that from now on.") };
    let events = messages.iter().enumerate().flat_map(|(n, spans)| {
        let said = Body::User { author: Author::Human, spans: spans.clone() };
        [event(2 * n, said), event(2 * n + 1, answer())]
    });
    let (source, agent, events) = (SourceName::Claude, Agent::Main, events.collect());
    Session { id: id.into(), root: id.into(), source, agent, events, ..Session::default() }
}

/// A span that was typed, or one that was pasted.
pub fn span(origin: Origin, text: &str) -> Span {
    Span { origin, text: Excerpt::new(text) }
}

/// A request about all sayings.
pub fn request() -> Request {
    let messages: Vec<Vec<Span>> = SAYINGS.iter().map(|s| vec![span(Origin::User, s.typed)]).collect();
    let session = session("s", 1, &messages);
    let unread = Unread { session: &session, transcript: "t", from: 0, seen: &[] };
    let known: Vec<Known> =
        KNOWN.iter().zip(1..).map(|(s, n)| Known { lesson: format!("l{n}"), statement: (*s).to_owned() }).collect();
    requests("p", excerpt(&unread).into_iter().collect(), &known).0.remove(0)
}
