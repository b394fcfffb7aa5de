//! Proposals → observations of the detector `reader`: one for each session that is quoted.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::check::Proposal;
use super::digest::{Request, Span, Writer};
use crate::detect::former::read_key;
use crate::detect::{
    Basis, Claim, Head, Observation, PROPOSED, PROPOSED_FOR_USER, Proposed, READER, Second, Seen, Sure, observation_id,
    wording,
};
use crate::session::Origin;

/// Longest text of quotes kept for one session.
const QUOTES: usize = 400; // characters

/// Whether a lesson with this title is about the user, not only about a project.
pub fn is_about_user(title: &str) -> bool {
    title == PROPOSED_FOR_USER
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

/// Between quotes of one session.
const BETWEEN: &str = " … ";

fn observation(proposal: &Proposal, request: &Request, at: usize, quoted: &[(&Span, &str)]) -> Observation {
    let told = &request.sessions[at];
    let key = read_key(&proposal.statement);
    let mut events: Vec<String> = Vec::new();
    for (span, _) in quoted {
        if !events.contains(&span.event) {
            events.push(span.event.clone());
        }
    }
    // The person's own words first.
    let mut quotes: Vec<(&Span, &str)> = quoted.to_vec();
    quotes.sort_by_key(|(span, _)| span.writer != Writer::User);
    let quotes: Vec<&str> = quotes.into_iter().map(|(_, quote)| quote).collect();
    let head = Head {
        id: observation_id(&key, READER, &told.root, &events),
        detector: Cow::Borrowed(READER),
        source: told.source.clone(),
        session: told.session.clone(),
        root: told.root.clone(),
        events,
        at: quoted.iter().filter_map(|(span, _)| span.at).max().or(told.at),
        quote: capped(&quotes.join(BETWEEN)),
    };
    // Whose words these are is asked of each session: a quote of something else makes nobody say them again.
    let typed = quoted.iter().any(|(span, _)| span.text.contains(&proposal.statement));
    let alone = proposal.alone && quoted.iter().any(|(span, _)| span.alone && span.text == proposal.statement);
    let claim = Claim {
        key,
        name: wording::name(&proposal.statement),
        title: if proposal.about_user { PROPOSED_FOR_USER } else { PROPOSED }.to_owned(),
        text: proposal.statement.clone(),
        sure: if proposal.leaps.is_empty() { Sure::High } else { Sure::Medium },
        trust: if typed { proposal.trust } else { proposal.trust.min(Origin::Assistant) },
        suggest: true,
        ..Claim::new(proposal.kind)
    };
    let Proposal { leaps, about_user, .. } = proposal;
    let seen = Seen::Proposed(Proposed {
        leaps: leaps.clone(),
        alone,
        about_user: *about_user,
        basis: Some(basis_in(proposal, quoted)),
        cost: quoted.iter().map(|(span, _)| span.cost).max().unwrap_or(0),
        second: Second::NotYet,
    });
    Observation { head, claim, seen }
}

/// What it rests on in a session: a person says nothing in one of which no line of theirs is quoted.
fn basis_in(proposal: &Proposal, quoted: &[(&Span, &str)]) -> Basis {
    let typed = quoted.iter().any(|(span, _)| span.writer == Writer::User);
    match proposal.basis {
        Basis::Stated | Basis::Corrected if !typed => Basis::Task,
        basis => basis,
    }
}

fn capped(text: &str) -> String {
    if text.chars().count() <= QUOTES {
        text.to_owned()
    } else {
        format!("{}…", text.chars().take(QUOTES - 1).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::Proof;
    use super::super::digest::{Told, Writer};
    use super::*;
    use crate::detect::Kind;
    use crate::learn::{Holds, Lesson, fold};

    /// The lesson of a proposal that quotes a line of each of so many sessions, each of which tells of a failure of this cost.
    fn lesson(basis: Basis, about_user: bool, sessions: usize, cost: u64) -> Lesson {
        lesson_of(Kind::Instruction, basis, about_user, sessions, cost)
    }

    /// The same of a kind.
    fn lesson_of(kind: Kind, basis: Basis, about_user: bool, sessions: usize, cost: u64) -> Lesson {
        let told = |n: usize| Told {
            transcript: format!("t{n}"),
            source: "claude".into(),
            session: format!("s{n}"),
            root: format!("s{n}"),
            upto: "e".into(),
            at: Some(1),
        };
        let span = |n: usize| Span {
            id: format!("u{n}"),
            writer: Writer::User,
            session: n,
            event: format!("e{n}"),
            at: Some(1),
            text: "use our own helpers for that".into(),
            alone: false,
            cost,
        };
        let request = Request {
            id: "r".into(),
            project: "p".into(),
            prompt: String::new(),
            sessions: (0..sessions).map(told).collect(),
            spans: (0..sessions).map(span).collect(),
            known: Vec::new(),
            ends: Vec::new(),
            promise: 0,
            version: super::super::VERSION,
        };
        let quote = |span| Proof { span, quote: "use our own helpers".into() };
        let proposal = Proposal {
            kind,
            about_user,
            basis,
            statement: "Use our own helpers".into(),
            proof: (0..sessions).map(quote).collect(),
            relation: None,
            leaps: Vec::new(),
            trust: Origin::Assistant,
            alone: false,
        };
        let all: Vec<Observation> = observations(&proposal, &request).into_iter().map(|(_, o)| o).collect();
        fold("p", &all).remove(0)
    }

    #[test]
    fn what_nobody_said_for_all_work_waits_for_a_second_session() {
        for basis in Basis::ALL {
            let waits = matches!(basis, Basis::Corrected | Basis::Repeated | Basis::Task);
            assert_eq!(lesson(basis, false, 1, 0).evidence.worth.ready, !waits, "{basis:?}");
            assert!(lesson(basis, false, 2, 0).evidence.worth.ready, "{basis:?}");
            assert_eq!(lesson(basis, false, 1, 0).is_grounded(), basis == Basis::Stated, "{basis:?}");
        }
    }

    #[test]
    fn what_a_statement_rests_on_decides_and_not_its_kind() {
        for kind in [Kind::Instruction, Kind::Insight, Kind::Decision, Kind::Pitfall, Kind::Workflow] {
            let ready = |basis, sessions| lesson_of(kind, basis, false, sessions, 0).evidence.worth.ready;
            assert!(ready(Basis::Stated, 1) && ready(Basis::Found, 1), "{kind:?}");
            assert!(!ready(Basis::Corrected, 1) && ready(Basis::Corrected, 2), "{kind:?}");
        }
    }

    #[test]
    fn what_people_say_comes_before_what_agents_find_and_dear_failures_before_cheap_ones() {
        let rank = |basis, cost| lesson(basis, false, 1, cost).evidence.worth.rank;
        let order: Vec<f64> = Basis::ALL.iter().map(|b| rank(*b, 0)).collect();
        assert!(order.is_sorted_by(|a, b| a >= b), "{order:?}");
        assert!(rank(Basis::Found, 5_000) > rank(Basis::Found, 500));
        assert!(rank(Basis::Found, 500) > rank(Basis::Found, 0));
    }

    #[test]
    fn what_is_about_the_person_holds_in_every_project() {
        assert_eq!(lesson(Basis::Stated, true, 1, 0).holds(), Holds::User);
        let here = lesson(Basis::Stated, false, 1, 0);
        assert_eq!(here.holds(), Holds::Project);
        let skill = |lesson: &Lesson| crate::render::skill(lesson, "helpers").text;
        assert!(skill(&here).contains("(in p)") && !skill(&here).contains("every project"));
        assert!(skill(&lesson(Basis::Stated, true, 1, 0)).contains("(in every project)"));
    }
}
