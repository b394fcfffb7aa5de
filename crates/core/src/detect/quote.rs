//! A few words of the session itself that show a person what an observation rests on.
//!
//! Comes in: an observation and its session. Goes out: what the tool printed, what the user typed, or what the agent said
//! there; never a sentence of ours.

use std::cell::LazyCell;
use std::collections::HashMap;

use super::{Fix, Observation, Seen};
use crate::session::{Body, Event, Session};

/// Longest quote.
const LIMIT: usize = 160; // characters

/// Gives each observation its quote.
pub(super) fn add_quotes(session: &Session, seen: &mut [Observation]) {
    // Many sessions have only observations that bring their quote along.
    let places = LazyCell::new(|| -> HashMap<&str, usize> {
        session.events.iter().enumerate().map(|(n, e)| (e.id.as_str(), n)).collect()
    });
    let event = |id: &str| places.get(id).map(|n| &session.events[*n]);
    for o in seen {
        let first = o.head.events.first().map(String::as_str);
        let said = match &o.seen {
            Seen::Fix(Fix { error: Some(line), .. }) => Some(line.clone()),
            Seen::Fix(Fix { failed: Some(failed), .. }) => event(failed).and_then(words),
            Seen::Corrected { message, .. } | Seen::Said { message, .. } => event(message).and_then(words),
            Seen::Steps(_) => first.and_then(|id| places.get(id)).and_then(|at| asked_before(session, *at)),
            Seen::Met(met) => Some(met.error.clone()),
            Seen::Noted { message: Some(message), .. } => event(message).and_then(words),
            Seen::Noted { .. } => Some(o.claim.text.clone()),
            // A reader and an agent bring their own.
            Seen::Worked(_) | Seen::Whole { .. } | Seen::Proposed(_) | Seen::HandedIn(_) => None,
            Seen::Fix(_) | Seen::Finding => first.and_then(event).and_then(words),
        };
        o.head.quote = said.map(|text| short(&text)).unwrap_or_default();
    }
}

/// What the user last typed before an event, else what was run there.
fn asked_before(session: &Session, at: usize) -> Option<String> {
    let typed = session.events[..at].iter().rev().find_map(|e| e.human_text().filter(|t| !t.trim().is_empty()));
    typed.or_else(|| session.events[at].shell().map(|(_, command)| command.to_owned()))
}

/// What somebody said in an event: a message, or the last line a call printed, or the call itself.
fn words(event: &Event) -> Option<String> {
    match &event.body {
        Body::User { spans, .. } => Some(spans.iter().map(|s| s.text.to_text()).collect::<Vec<_>>().join(" ")),
        Body::Assistant { text } => Some(text.to_text()),
        Body::Call(call) => {
            let printed = call.output.lines().rev().map(str::trim).find(|line| !line.is_empty());
            Some(printed.unwrap_or(&call.input).to_owned())
        }
    }
}

/// One line, cut if long.
pub(crate) fn short(text: &str) -> String {
    let one = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if one.chars().count() <= LIMIT { one } else { format!("{}…", one.chars().take(LIMIT - 1).collect::<String>()) }
}

#[cfg(test)]
mod tests {
    use crate::detect::detect;
    use crate::detect::tests::session;

    fn quote(script: &str, detector: &str) -> String {
        let seen = detect(&session(script));
        let found = seen.into_iter().find(|o| o.head.detector == detector);
        found.unwrap_or_else(|| panic!("{detector} sees nothing in {script}")).head.quote
    }

    #[test]
    fn every_quote_is_of_the_session() {
        let fix =
            "! tool report --format json => error: unexpected argument '--format' found\n$ tool report --output json";
        assert_eq!(quote(fix, "error-recovery"), "error: unexpected argument '--format' found");
        let corrected = "u build it\n! npm run build => Missing environment\nu no, try npm run build:prod instead\n$ npm run build:prod";
        assert_eq!(quote(corrected, "user-correction"), "no, try npm run build:prod instead");
        let rule = "u x\n$ make\nu Never push to main without a review";
        assert_eq!(quote(rule, "rule"), "Never push to main without a review");
        let steps = "u release it\n$ make deps\n$ make lint\n$ make test\n$ make dist V=1\n$ git tag v1";
        assert_eq!(quote(steps, "multi-step"), "release it");
        let unasked = "$ make deps\n$ make lint\n$ make test\n$ make dist V=1\n$ git tag v1";
        assert_eq!(quote(unasked, "multi-step"), "make deps");
    }
}
