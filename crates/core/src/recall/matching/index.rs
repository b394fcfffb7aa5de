//! Known items by their terms, so that a lookup costs the same however many items there are.
//!
//! Each term keeps only the items it says most about, strongest first; a query looks at its rarest terms only. So the
//! terms that find an item depend on the other items, but a term for all of the error line and one for all of the
//! command are rare, so the same failure is found among any number of items.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::KnownItem;
use super::terms::{Term, TermKind, kind_of};

/// Items kept for one term.
const KEPT: usize = 64;
/// Terms of a query that are looked up.
const ASKED: usize = 96;
/// Items compared in full.
const COMPARED: usize = 64;
/// The most places of the index one lookup ever reads.
#[cfg(test)]
pub(super) const VISITED_LIMIT: usize = KEPT * ASKED;

/// What kind of query a term matters to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asks {
    /// A failing command and its output.
    Failure,
    /// A command about to run.
    Command,
    /// A prompt.
    Prompt,
}

/// How much a term counts beside its rareness.
fn weight(asks: Asks, kind: u64) -> f32 {
    let is = |k: TermKind| kind == k as u64;
    match asks {
        Asks::Failure if is(TermKind::Word) || is(TermKind::Pair) => 1.0,
        Asks::Failure if is(TermKind::LineWord) || is(TermKind::LinePair) => 1.5,
        Asks::Failure if is(TermKind::Program) => 2.0,
        Asks::Command if is(TermKind::Program) || is(TermKind::Argument) => 1.0,
        Asks::Prompt if is(TermKind::Said) => 1.0,
        _ => 0.0,
    }
}

/// Terms that find an item without telling how alike it is, with what they are worth when found.
fn finder(asks: Asks, kind: u64) -> f32 {
    let is = |k: TermKind| kind == k as u64;
    match asks {
        Asks::Failure if is(TermKind::Place) => 0.1,
        Asks::Failure if is(TermKind::Key) || is(TermKind::Command) => 0.5,
        Asks::Command if is(TermKind::Command) => 0.5,
        _ => 0.0,
    }
}

/// Sums of rareness.
#[derive(Clone, Copy, Debug, Default)]
struct Mass {
    all: f32,
    output: f32,
    line: f32,
}

impl Mass {
    fn add(&mut self, asks: Asks, term: Term, rareness: f32) {
        let kind = kind_of(term);
        self.all += weight(asks, kind) * rareness;
        if kind == TermKind::Word as u64 || kind == TermKind::Pair as u64 {
            self.output += rareness;
        } else if kind == TermKind::LineWord as u64 || kind == TermKind::LinePair as u64 {
            self.line += rareness;
        }
    }
}

/// How alike a query and an item are: 0 nothing in common, 1 the same.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Likeness {
    /// In everything that counts for this kind of query.
    pub all: f32,
    /// In what was printed.
    pub output: f32,
    /// In the line that says what went wrong; none if either has none.
    pub line: Option<f32>,
    /// Share of what the item printed that the query printed, too.
    pub held: f32,
    /// Share of the item that the query explains.
    pub explained: f32,
    /// Terms that count in common.
    pub shared: usize,
}

/// What a lookup found.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// Items with how alike they are, in no order.
    pub items: Vec<(usize, Likeness)>,
    /// Places of the index that were read.
    pub visited: usize,
}

/// Known items by their terms.
#[derive(Clone, Debug, Default)]
pub(super) struct Postings {
    counts: HashMap<Term, u32>,
    lists: HashMap<Term, Vec<(f32, u32)>>,
    masses: Vec<[Mass; 3]>,
    len: usize,
}

const ALL: [Asks; 3] = [Asks::Failure, Asks::Command, Asks::Prompt];

impl Postings {
    /// Counts terms and keeps for each the items it says most about.
    pub(super) fn build(known: &[Arc<KnownItem>]) -> Self {
        let mut out = Self { len: known.len(), ..Self::default() };
        for term in known.iter().flat_map(|k| &k.terms) {
            *out.counts.entry(*term).or_default() += 1;
        }
        for (at, item) in known.iter().enumerate() {
            let masses = ALL.map(|asks| out.mass(asks, &item.terms));
            for term in &item.terms {
                let impact = ALL.iter().zip(&masses).map(|(asks, mass)| out.impact(*asks, *term, mass.all));
                let impact = impact.fold(0.0, f32::max);
                out.lists.entry(*term).or_default().push((impact, at as u32));
            }
            out.masses.push(masses);
        }
        for list in out.lists.values_mut() {
            list.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            list.truncate(KEPT);
            list.shrink_to_fit();
        }
        out
    }

    fn rareness(&self, term: Term) -> f32 {
        let (n, count) = (self.len as f32, self.counts.get(&term).copied().unwrap_or(0) as f32);
        (1.0 + (n - count + 0.5) / (count + 0.5)).ln()
    }

    fn mass(&self, asks: Asks, terms: &[Term]) -> Mass {
        let mut mass = Mass::default();
        terms.iter().for_each(|t| mass.add(asks, *t, self.rareness(*t)));
        mass
    }

    fn impact(&self, asks: Asks, term: Term, mass: f32) -> f32 {
        weight(asks, kind_of(term)) * self.rareness(term) / mass.max(f32::MIN_POSITIVE).sqrt()
    }

    /// Finds the items a query has most in common with.
    pub(super) fn find(&self, asks: Asks, known: &[Arc<KnownItem>], terms: &[Term]) -> Found {
        let mass = self.mass(asks, terms);
        let scale = mass.all.sqrt();
        let mut sums: BTreeMap<u32, f32> = BTreeMap::new();
        let mut visited = 0;
        for term in self.asked(asks, terms) {
            let bonus = finder(asks, kind_of(term)) * scale;
            for (impact, at) in self.lists.get(&term).into_iter().flatten() {
                *sums.entry(*at).or_default() += impact.max(bonus);
                visited += 1;
            }
        }
        let mut best: Vec<(u32, f32)> = sums.into_iter().collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        best.truncate(COMPARED);
        let rare: Vec<f32> = terms.iter().map(|t| self.rareness(*t)).collect();
        let compare = |(at, _): (u32, f32)| {
            let at = at as usize;
            let item = (known.get(at)?, self.masses.get(at)?.get(asks as usize)?);
            Some((at, likeness(asks, (terms, &rare, &mass), (&item.0.terms, item.1))))
        };
        Found { items: best.into_iter().filter_map(compare).collect(), visited }
    }

    /// The terms worth looking up: those that find an item by themselves, then the rarest.
    fn asked(&self, asks: Asks, terms: &[Term]) -> Vec<Term> {
        let worth = |t: &Term| {
            let kind = kind_of(*t);
            let alone = if finder(asks, kind) > 0.0 { f32::MAX } else { 0.0 };
            alone.max(weight(asks, kind) * self.rareness(*t))
        };
        let mut known: Vec<(f32, Term)> = terms
            .iter()
            .filter(|t| self.counts.contains_key(t))
            .map(|t| (worth(t), *t))
            .filter(|t| t.0 > 0.0)
            .collect();
        known.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        known.into_iter().take(ASKED).map(|(_, t)| t).collect()
    }
}

/// Compares two sorted lists of terms.
fn likeness(asks: Asks, query: (&[Term], &[f32], &Mass), item: (&[Term], &Mass)) -> Likeness {
    let mut both = Mass::default();
    let (mut j, mut shared) = (0, 0);
    for (term, rareness) in query.0.iter().zip(query.1) {
        while item.0.get(j).is_some_and(|t| t < term) {
            j += 1;
        }
        if item.0.get(j) == Some(term) {
            both.add(asks, *term, *rareness);
            shared += usize::from(weight(asks, kind_of(*term)) > 0.0);
        }
    }
    let (a, b) = (query.2, item.1);
    let cosine = |both: f32, a: f32, b: f32| if a > 0.0 && b > 0.0 { both / (a * b).sqrt() } else { 0.0 };
    Likeness {
        all: cosine(both.all, a.all, b.all),
        output: cosine(both.output, a.output, b.output),
        line: (a.line > 0.0 && b.line > 0.0).then(|| cosine(both.line, a.line, b.line)),
        held: if b.output > 0.0 { both.output / b.output } else { 0.0 },
        explained: if b.all > 0.0 { both.all / b.all } else { 0.0 },
        shared,
    }
}
