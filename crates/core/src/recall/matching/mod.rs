//! A failing command, a command about to run or a prompt → the known items that fit, or nothing.
//!
//! Two decisions: [`Index::rank`] orders what is nearest, however far that is; [`Index::best`] says something only if
//! the same program failed in the same words and the fix could be applied. Silence is the default.
//! Deliberately absent: a model, learned weights, files. The same items and query always give the same answer.

mod change;
mod index;
mod speak;
mod terms;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use change::{Change, change};
use index::{Asks, Postings};
use terms::{Failure, Term};

use index::Likeness;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query<'a> {
    /// A command failed and printed this.
    Failure {
        /// The command line.
        command: &'a str,
        /// What it printed.
        output: &'a str,
    },
    /// A command is about to run.
    Command(&'a str),
    /// A person typed this.
    Prompt(&'a str),
}

/// Something known: a command that failed, how, and what worked instead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// Whose it is; given back in a [`Match`].
    pub id: String,
    /// The command that failed.
    pub failed: String,
    /// What it printed, or the line that said what went wrong.
    pub output: String,
    /// The command that worked.
    pub fixed: String,
    /// What a prompt is compared with.
    pub statement: String,
}

/// An item, ready to be compared.
#[derive(Clone, Debug)]
pub struct KnownItem {
    id: String,
    failure: Failure,
    change: Change,
    command: String,
    terms: Vec<Term>,
}

impl KnownItem {
    /// Takes an item apart.
    pub fn new(item: &Item) -> Self {
        let failure = terms::failure(&item.failed, &item.output);
        let change = change(&failure, &item.fixed);
        // An output that names a place does not make the fix one about that place.
        let mut terms: Vec<Term> = failure.terms.iter().copied().filter(|t| *t != terms::place()).collect();
        terms.extend(terms::said(&item.statement));
        terms.extend(change.takes_place.then(terms::place));
        terms.sort_unstable();
        Self { id: item.id.clone(), command: item.failed.trim().to_owned(), failure, change, terms }
    }
}

/// An item that fits, and how well.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Whose item it is.
    pub id: String,
    /// What the order is by.
    pub score: f32,
    /// How alike the two are.
    likeness: Likeness,
}

/// A match by the item's place.
#[derive(Clone, Copy, Debug)]
struct Hit {
    at: usize,
    score: f32,
    likeness: Likeness,
}

/// A query, ready to be compared.
struct PreparedQuery<'q> {
    asks: Asks,
    failure: Failure,
    command: &'q str,
    terms: Vec<Term>,
}

impl<'q> PreparedQuery<'q> {
    pub(super) fn new(query: &Query<'q>) -> Self {
        let (asks, command, failure) = match *query {
            Query::Failure { command, output } if !output.trim().is_empty() => {
                (Asks::Failure, command, terms::failure(command, output))
            }
            Query::Failure { command, .. } | Query::Command(command) => {
                (Asks::Command, command, terms::failure(command, ""))
            }
            Query::Prompt(text) => {
                return Self { asks: Asks::Prompt, failure: Failure::default(), command: "", terms: terms::said(text) };
            }
        };
        Self { asks, command: command.trim(), terms: failure.terms.clone(), failure }
    }
}

/// Known items, ready to be asked.
#[derive(Clone, Debug, Default)]
pub struct Index {
    known: Vec<Arc<KnownItem>>,
    postings: Postings,
}

impl Index {
    /// Makes an index of items.
    pub fn new(items: &[Item]) -> Self {
        Self::of(items.iter().map(|i| Arc::new(KnownItem::new(i))).collect())
    }

    /// The same of items taken apart already.
    pub fn of(known: Vec<Arc<KnownItem>>) -> Self {
        Self { postings: Postings::build(&known), known }
    }

    /// The nearest items, best first, at most `k`; those of a kind already shown stand behind the others.
    pub fn rank(&self, query: &Query<'_>, k: usize) -> Vec<Match> {
        let (hits, _) = self.hits(&PreparedQuery::new(query));
        let mut seen = HashSet::new();
        let of_a_kind = |h: &Hit| {
            let known = &self.known[h.at];
            (known.failure.program.clone(), known.change.kind, known.failure.line)
        };
        let (first, rest): (Vec<Hit>, Vec<Hit>) = hits.into_iter().partition(|h| seen.insert(of_a_kind(h)));
        first.into_iter().chain(rest).take(k).map(|h| self.shown(h)).collect()
    }

    /// The item to speak of, if one fits.
    pub fn best(&self, query: &Query<'_>) -> Option<Match> {
        let asked = PreparedQuery::new(query);
        let (hits, _) = self.hits(&asked);
        speak::choose(&self.known, &asked, &hits).map(|h| self.shown(h))
    }

    /// How many places of the index a query reads: never more than `VISITED_LIMIT`.
    pub fn visited(&self, query: &Query<'_>) -> usize {
        self.hits(&PreparedQuery::new(query)).1
    }

    fn hits(&self, asked: &PreparedQuery<'_>) -> (Vec<Hit>, usize) {
        let found = self.postings.find(asked.asks, &self.known, &asked.terms);
        let score = |(at, likeness): (usize, Likeness)| Hit {
            at,
            score: speak::score(&self.known[at], asked, &likeness),
            likeness,
        };
        let mut hits: Vec<Hit> = found.items.into_iter().map(score).collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.at.cmp(&b.at)));
        (hits, found.visited)
    }

    fn shown(&self, hit: Hit) -> Match {
        Match { id: self.known[hit.at].id.clone(), score: hit.score, likeness: hit.likeness }
    }
}
