//! Proposals → observations of the detector `reader`: one for each session that is quoted.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::check::Proposal;
use super::digest::{Request, Span};
use crate::detect::former::read_key;
use crate::detect::{Claim, Head, Observation, Proposed, READER, Seen, Sure, observation_id, wording};

/// What people are shown above a statement; also how lessons about the user are told from those about a project.
const TITLE: &str = "Proposed by the reader";
const TITLE_ABOUT_USER: &str = "Proposed by the reader, for all your projects";

/// Longest text of quotes kept for one session.
const QUOTES: usize = 400; // characters

/// Whether a lesson with this title is about the user, not only about a project.
pub fn is_about_user(title: &str) -> bool {
    title == TITLE_ABOUT_USER
}

/// The observations of a proposal, each with the place of its session in the request. Forks of one session are one
/// sight of it each, and count once.
pub fn observations(proposal: &Proposal, request: &Request) -> Vec<(usize, Observation)> {
    let mut by_session: BTreeMap<usize, Vec<(&Span, &str)>> = BTreeMap::new();
    for proof in &proposal.proof {
        let span = &request.spans[proof.span];
        by_session.entry(span.session).or_default().push((span, &proof.quote));
    }
    by_session.into_iter().map(|(at, quoted)| (at, observation(proposal, request, at, &quoted))).collect()
}

fn observation(proposal: &Proposal, request: &Request, at: usize, quoted: &[(&Span, &str)]) -> Observation {
    let told = &request.sessions[at];
    let key = read_key(&proposal.statement);
    let mut events: Vec<String> = Vec::new();
    for (span, _) in quoted {
        if !events.contains(&span.event) {
            events.push(span.event.clone());
        }
    }
    let quotes: Vec<&str> = quoted.iter().map(|(_, quote)| *quote).collect();
    let head = Head {
        id: observation_id(&key, READER, &told.root, &events),
        detector: Cow::Borrowed(READER),
        source: told.source.clone(),
        session: told.session.clone(),
        root: told.root.clone(),
        events,
        at: quoted.iter().filter_map(|(span, _)| span.at).max().or(told.at),
        quote: capped(&quotes.join(" … ")),
    };
    let claim = Claim {
        key,
        name: wording::name(&proposal.statement),
        title: if proposal.about_user { TITLE_ABOUT_USER } else { TITLE }.to_owned(),
        text: proposal.statement.clone(),
        sure: if proposal.leaps.is_empty() { Sure::High } else { Sure::Medium },
        trust: proposal.trust,
        suggest: true,
        ..Claim::new(proposal.kind)
    };
    let Proposal { leaps, alone, about_user, .. } = proposal;
    let seen = Seen::Proposed(Proposed { leaps: leaps.clone(), alone: *alone, about_user: *about_user });
    Observation { head, claim, seen }
}

fn capped(text: &str) -> String {
    if text.chars().count() <= QUOTES {
        text.to_owned()
    } else {
        format!("{}…", text.chars().take(QUOTES - 1).collect::<String>())
    }
}
