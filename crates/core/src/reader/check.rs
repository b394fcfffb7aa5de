//! An answer against what was sent: what is dropped, what is kept but marked, whose words it is.
//!
//! Comes in: an answer and the request it is for. Goes out: proposals that may be kept, and how many were dropped and why.
//! Nothing here asks whether a lesson is good; only whether its words are those of the session.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::answer::{Answer, Entry};
use super::claims::made_up;
use super::digest::{Request, Span, Writer};
use super::polarity;
use super::words::{content, telling};
use crate::detect::former::read_key;
use crate::detect::{Basis, Kind, Leap};
use crate::redact::{clean, hides};
use crate::session::Origin;
use crate::worded::worded;

/// Most lessons that are taken from one answer. With ten, two in five answers were full, and mostly those of projects with few
/// sessions; what is too much is put behind by the order, not cut off.
pub(super) const MOST: usize = 14;
/// Most of them that rest on one and the same: who calls everything the person's word does not tell their words from others.
/// Of 310 lessons in real answers this takes none; four would take ten, and four of those are a person's own words.
pub(super) const ALIKE: usize = 6;
/// Longest statement.
const STATEMENT: usize = 300; // bytes
/// Longest quote, and how many of them a lesson may have.
const QUOTE: usize = 800; // bytes
const QUOTES: usize = 12;
/// With fewer words that say something, quotes prove nothing.
const TELLING: usize = 4;

/// Why an entry of an answer was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dropped {
    /// It could not be read, or names a kind or scope that there is not.
    Unreadable,
    /// It quotes, or speaks of, something that was not sent.
    UnknownId,
    /// A quote does not stand in its span.
    Misquoted,
    /// It names a command, path, URL, option, number or name that no quoted span has.
    MadeUp,
    /// It says nothing, or has no proof.
    Empty,
    /// It is too long, or not one sentence.
    TooLong,
    /// It says what another one says.
    Duplicate,
    /// There were enough already.
    TooMany,
    /// The reader itself does not stand by it.
    Doubted,
}

impl Dropped {
    /// The word used in `--json` output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::UnknownId => "unknown-id",
            Self::Misquoted => "misquoted",
            Self::MadeUp => "made-up",
            Self::Empty => "empty",
            Self::TooLong => "too-long",
            Self::Duplicate => "duplicate",
            Self::TooMany => "too-many",
            Self::Doubted => "doubted",
        }
    }
}

/// How many were dropped, by reason.
pub type Tally = BTreeMap<Dropped, usize>;

/// What an answer came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// What may be kept.
    pub proposals: Vec<Proposal>,
    /// What was not.
    pub dropped: Tally,
}

/// A proposal whose words are those of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// What it is about.
    pub kind: Kind,
    /// Whether it is about the user, not only about the project.
    pub about_user: bool,
    /// What it rests on.
    pub basis: Basis,
    /// What it says.
    pub statement: String,
    /// Its quotes.
    pub proof: Vec<Proof>,
    /// What it says of a lesson that exists.
    pub relation: Option<(Relation, String)>,
    /// In which ways it goes beyond its quotes.
    pub leaps: Vec<Leap>,
    /// The lowest origin of what it rests on; the reader's own wording is the assistant's at best.
    pub trust: Origin,
    /// Whether it is, byte for byte, all that a message of the user says.
    pub alone: bool,
}

/// Words of a span of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The span's place in the request.
    pub span: usize,
    /// The words.
    pub quote: String,
}

/// What a proposal says of a lesson that exists. It is told to a person, and changes nothing by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// It says the same.
    Same,
    /// It says the opposite.
    Contradicts,
    /// It is outdated by this.
    Supersedes,
    /// It says the same less well, and nobody decided on it yet. Never the reader's own word: it says "the same".
    Rewords,
}

worded!(Relation { Same = "same", Contradicts = "contradicts", Supersedes = "supersedes", Rewords = "rewords" });

/// Checks an answer against the request it is for.
pub fn check(answer: &Answer, request: &Request) -> Checked {
    let mut out = Checked::default();
    let mut drop = |why: Dropped, n: usize| *out.dropped.entry(why).or_default() += n;
    if answer.unreadable > 0 {
        drop(Dropped::Unreadable, answer.unreadable);
    }
    let mut said = HashSet::new();
    for entry in &answer.entries {
        if out.proposals.len() == MOST {
            drop(Dropped::TooMany, 1);
            continue;
        }
        match proposal(entry, request) {
            Ok(proposal) if is_one_too_many(&out.proposals, &proposal) => drop(Dropped::TooMany, 1),
            Ok(proposal) if said.insert(read_key(&proposal.statement)) => out.proposals.push(proposal),
            Ok(_) => drop(Dropped::Duplicate, 1),
            Err(why) => drop(why, 1),
        }
    }
    out
}

/// Whether enough of an answer rests on the same already.
fn is_one_too_many(kept: &[Proposal], proposal: &Proposal) -> bool {
    kept.iter().filter(|p| p.basis == proposal.basis).count() == ALIKE
}

fn proposal(entry: &Entry, request: &Request) -> Result<Proposal, Dropped> {
    if !entry.quality_ok {
        return Err(Dropped::Doubted);
    }
    let kind = kind_of(&entry.kind).ok_or(Dropped::Unreadable)?;
    let about_user = match entry.scope.as_str() {
        "project" => false,
        "user" => true,
        _ => return Err(Dropped::Unreadable),
    };
    let said = Basis::parse(&entry.basis).ok_or(Dropped::Unreadable)?;
    let statement = statement_of(&entry.statement)?;
    let relation = relation_of(entry, request)?;
    let proof = proof_of(entry, request)?;
    let spans: Vec<&Span> = proof.iter().map(|p| &request.spans[p.span]).collect();
    let texts: Vec<&str> = spans.iter().map(|s| s.text.as_str()).collect();
    if made_up(&statement, &texts).is_some() {
        return Err(Dropped::MadeUp);
    }
    let basis = basis_of(said, &spans);
    let quotes: Vec<&str> = proof.iter().map(|p| p.quote.as_str()).collect();
    let mut leaps = leaps(&statement, &quotes);
    leaps.extend((basis == Basis::Task).then_some(Leap::OneTask));
    let typed = spans.iter().find(|s| s.writer == Writer::User && has_sentence(&s.text, &statement));
    let lowest = spans.iter().map(|s| s.writer.origin()).min().unwrap_or(Origin::Tool);
    // Bytes of the user's own, quoted beside nothing else, are theirs; any other wording is the reader's.
    let trust = if typed.is_some() && lowest == Origin::User { Origin::User } else { lowest.min(Origin::Assistant) };
    let alone = trust == Origin::User && typed.is_some_and(|s| s.alone && s.text == statement);
    Ok(Proposal { kind, about_user, basis, statement, proof, relation, leaps, trust, alone })
}

/// What it rests on, as far as the quoted spans bear that out: nobody said what no line of the person is quoted for.
fn basis_of(said: Basis, spans: &[&Span]) -> Basis {
    let typed = spans.iter().any(|s| s.writer == Writer::User);
    match said {
        Basis::Stated | Basis::Corrected | Basis::Repeated if !typed => Basis::Found,
        said => said,
    }
}

/// What the words for kinds stand for here.
fn kind_of(word: &str) -> Option<Kind> {
    Some(match word {
        "rule" => Kind::Instruction,
        "fact" => Kind::Insight,
        "decision" => Kind::Decision,
        "pitfall" => Kind::Pitfall,
        "workflow" => Kind::Workflow,
        _ => return None,
    })
}

/// One sentence that can be shown as it is.
fn statement_of(said: &str) -> Result<String, Dropped> {
    let text = said.trim();
    if content(text).len() < 2 {
        return Err(Dropped::Empty);
    }
    let sentences =
        text.match_indices(['.', '!', '?']).filter(|(at, _)| text[at + 1..].starts_with(char::is_whitespace));
    let abbreviated = |at: usize| ["e.g", "i.e", "etc", "vs"].iter().any(|a| text[..at].ends_with(a));
    let several = sentences.into_iter().any(|(at, _)| !abbreviated(at));
    if text.len() > STATEMENT || text.contains(['\n', '\r']) || several {
        return Err(Dropped::TooLong);
    }
    // What hides something, or holds a secret that was not sent, is nobody's lesson.
    if hides(text) || clean(text) != text {
        return Err(Dropped::MadeUp);
    }
    Ok(text.to_owned())
}

/// The lesson it speaks of, if any. One at a time: the firmest claim counts least.
fn relation_of(entry: &Entry, request: &Request) -> Result<Option<(Relation, String)>, Dropped> {
    let named = [
        (Relation::Same, &entry.same_as),
        (Relation::Contradicts, &entry.contradicts),
        (Relation::Supersedes, &entry.supersedes),
    ];
    for (relation, id) in named {
        let Some(id) = id.as_deref().map(str::trim).filter(|id| !id.is_empty()) else { continue };
        let number = id.strip_prefix('K').and_then(|n| n.parse::<usize>().ok()).and_then(|n| n.checked_sub(1));
        let known = number.and_then(|n| request.known.get(n)).ok_or(Dropped::UnknownId)?;
        return Ok(Some((relation, known.lesson.clone())));
    }
    Ok(None)
}

fn proof_of(entry: &Entry, request: &Request) -> Result<Vec<Proof>, Dropped> {
    if entry.proof.is_empty() {
        return Err(Dropped::Empty);
    }
    if entry.proof.len() > QUOTES {
        return Err(Dropped::TooLong);
    }
    let mut out: Vec<Proof> = Vec::new();
    for quoted in &entry.proof {
        let span = request.spans.iter().position(|s| s.id == quoted.id.trim()).ok_or(Dropped::UnknownId)?;
        let quote = quoted.quote.trim();
        if quote.is_empty() {
            return Err(Dropped::Empty);
        }
        if quote.len() > QUOTE {
            return Err(Dropped::TooLong);
        }
        if !is_in(&request.spans[span].text, quote) {
            return Err(Dropped::Misquoted);
        }
        let proof = Proof { span, quote: quote.to_owned() };
        if !out.contains(&proof) {
            out.push(proof);
        }
    }
    Ok(out)
}

/// Whether words stand in a span, byte for byte, from a word's start to a word's end: "do it" is not in "undo it".
fn is_in(span: &str, quote: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    span.match_indices(quote).any(|(at, _)| {
        let (before, behind) = (&span[..at], &span[at + quote.len()..]);
        let torn = |a: Option<char>, b: Option<char>| part(a) && part(b);
        !torn(before.chars().next_back(), quote.chars().next())
            && !torn(quote.chars().next_back(), behind.chars().next())
    })
}

/// Whether a text holds a sentence, byte for byte.
fn has_sentence(text: &str, sentence: &str) -> bool {
    text.match_indices(sentence).any(|(at, _)| {
        let (before, behind) = (text[..at].trim_end(), text[at + sentence.len()..].trim_start_matches(['.', '!', '?']));
        let begins = before.is_empty() || before.ends_with(['.', '!', '?', ';']);
        let ends = behind.is_empty()
            || behind.starts_with(char::is_whitespace) && text[at + sentence.len()..] != *behind
            || sentence.ends_with(['.', '!', '?']) && behind.starts_with(char::is_whitespace);
        begins && ends
    })
}

/// In which ways a statement goes beyond its quotes.
fn leaps(statement: &str, quotes: &[&str]) -> Vec<Leap> {
    let quoted: BTreeSet<String> = quotes.iter().flat_map(|q| content(q)).collect();
    let own = content(statement);
    let shared = own.intersection(&quoted).count();
    let holds = |leap: &Leap| match leap {
        Leap::Polarity => polarity::differs(statement, quotes),
        Leap::FewWords => telling(quotes) < TELLING,
        Leap::OtherWords => 2 * shared < own.len(),
        // The reader itself says so.
        Leap::OneTask => false,
    };
    Leap::ALL.into_iter().filter(holds).collect()
}

#[cfg(test)]
mod tests;
