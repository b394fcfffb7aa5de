//! Proposals that hold → the store: as lessons of their own, as more evidence, or as remarks on lessons that are there.

use anyhow::Result;
use uptake_core::detect::Kind;
use uptake_core::detect::former::{read_key, said_key};
use uptake_core::learn::lesson_id;
use uptake_core::learn::status::Verdict;
use uptake_core::reader::NAME;
use uptake_core::reader::check::{Proposal, Relation};
use uptake_core::reader::digest::Request;
use uptake_core::reader::observe::{is_about_user, observations};
use uptake_core::reader::reduce::may_be_one;
use uptake_store::{Place, ReadUpto, SeenIn, Stored, Taken};

use super::plan::read_upto;
use crate::folding::Tombstones;
use crate::stores::Stores;

/// Kinds of lessons that say what they say in words.
const IN_WORDS: [Kind; 6] =
    [Kind::Instruction, Kind::Correction, Kind::Decision, Kind::Pitfall, Kind::Workflow, Kind::Insight];

/// How far the sessions of a request are read once it was answered.
pub(super) fn read(request: &Request) -> Vec<ReadUpto> {
    request.ends.iter().filter_map(|at| request.sessions.get(*at)).map(read_upto).collect()
}

/// Keeps what an answer says, and notes that its sessions were read.
pub(super) fn keep(
    stores: &mut Stores,
    tombstones: &Tombstones,
    request: &Request,
    proposals: &[Proposal],
) -> Result<Taken> {
    let mut seen = Vec::new();
    for proposal in proposals {
        let Some((kind, into, place)) = place_of(stores, tombstones, request, proposal)? else { continue };
        if let Some(into) = &into {
            let own = read_key(&proposal.statement);
            stores.lessons.make_one(kind, &[own], into)?;
        }
        let mut found = observations(&Proposal { kind, ..proposal.clone() }, request);
        found.retain(|(_, o)| !tombstones.holds(o.claim.kind, &o.claim.key, &[]));
        seen.extend(found.into_iter().map(|(at, o)| (at, vec![o], place.clone())));
    }
    let with_sessions: Vec<(SeenIn<'_>, Place)> = seen
        .iter()
        .map(|(at, observations, place)| {
            let told = &request.sessions[*at];
            let (source, session, path) = (&told.source, &told.session, &told.transcript);
            (SeenIn { source, session, path, project: &request.project, observations }, place.clone())
        })
        .collect();
    Ok(stores.lessons.keep_read(&with_sessions, &read(request))?)
}

/// Where a proposal belongs: its kind, the key it is kept under if that is another one's, and its place. `None` if somebody
/// said no to it before.
fn place_of(
    stores: &Stores,
    tombstones: &Tombstones,
    request: &Request,
    proposal: &Proposal,
) -> Result<Option<(Kind, Option<String>, Place)>> {
    if let Some(said) = said_by_rules(stores, tombstones, request, proposal)? {
        let remark = |lesson: String| (proposal.kind, None, Place::Remark(Relation::Same, lesson));
        return Ok(match said {
            Said::Refused => None,
            Said::By(lesson) => Some(remark(lesson)),
        });
    }
    let Some((relation, lesson)) = &proposal.relation else { return Ok(Some((proposal.kind, None, Place::Lesson))) };
    let Some(known) = stores.lessons.by_id(lesson)?.into_iter().find(|s| s.lesson.id == *lesson) else {
        return Ok(Some((proposal.kind, None, Place::Lesson)));
    };
    Ok(Some(match relation {
        Relation::Same if !may_be_one(&proposal.statement, &known.lesson.payload.statement) => {
            (proposal.kind, None, Place::Lesson)
        }
        Relation::Same
            if is_open_and_read(&known) && is_about_user(&known.lesson.payload.title) == proposal.about_user =>
        {
            (known.lesson.kind, Some(known.lesson.key.clone()), Place::Lesson)
        }
        Relation::Same if is_open_in_words(&known) => {
            (proposal.kind, None, Place::Both(Relation::Rewords, lesson.clone()))
        }
        Relation::Same => (proposal.kind, None, Place::Remark(Relation::Same, lesson.clone())),
        other => (proposal.kind, None, Place::Both(*other, lesson.clone())),
    }))
}

/// Whether a lesson is the reader's, and nobody decided on it.
pub(super) fn is_open_and_read(known: &Stored) -> bool {
    known.lesson.origin.detector == NAME && matches!(known.verdict(), None | Some(Verdict::Snoozed | Verdict::Released))
}

/// Whether a lesson is words of somebody else, and nobody decided on it: a reader may word it better. Never commands.
pub(super) fn is_open_in_words(known: &Stored) -> bool {
    let Stored { lesson, .. } = known;
    lesson.origin.detector != NAME
        && IN_WORDS.contains(&lesson.kind)
        && lesson.payload.commands.is_empty()
        && matches!(known.verdict(), None | Some(Verdict::Released))
}

/// What is known of the very same words.
enum Said {
    /// A person said no to them, or had them forgotten.
    Refused,
    /// A lesson that no reader made says them.
    By(String),
}

/// Looks for the same words among lessons that no reader made: what a reader says must not count for them.
fn said_by_rules(
    stores: &Stores,
    tombstones: &Tombstones,
    request: &Request,
    proposal: &Proposal,
) -> Result<Option<Said>> {
    let read = read_key(&proposal.statement);
    let words = said_key(&proposal.statement);
    if IN_WORDS.into_iter().any(|kind| tombstones.holds(kind, &words, std::slice::from_ref(&read))) {
        return Ok(Some(Said::Refused));
    }
    for kind in IN_WORDS {
        let id = lesson_id(kind, &words, &request.project);
        if matches!(stores.lessons.verdict(&id)?, Some(Verdict::Rejected | Verdict::Superseded | Verdict::Retired)) {
            return Ok(Some(Said::Refused));
        }
        if stores.lessons.by_id(&id)?.iter().any(|s| s.lesson.id == id) {
            return Ok(Some(Said::By(id)));
        }
    }
    Ok(None)
}
