//! What kind of trouble a failure is, and what it is about: ours, beside two readers and beside failures that recur.

use std::collections::{BTreeMap, HashMap};

use uptake_core::failure::{self, Failure, Family};

use super::corpus::Corpus;
use super::report::Table;
use super::score::{ratio, share};

/// The share of families that has to be right, and that may be left open.
const RIGHT: f64 = 0.90;
const UNKNOWN: f64 = 0.15;
/// The share of pairs with one subject in a group that is worth a lesson, and between groups.
const SAME: f64 = 0.85;
const OTHER: f64 = 0.02;

/// Every failure by its call and repository; forks repeat calls.
fn failures(corpus: &Corpus) -> HashMap<(&str, &str), Failure> {
    let mut out = HashMap::new();
    for repository in &corpus.repositories {
        for session in &repository.sessions {
            for event in &session.events {
                let found = event.call().and_then(|call| failure::of(call, session.root_folder()));
                if let Some(failure) = found {
                    out.entry((repository.name.as_str(), event.id.as_str())).or_insert(failure);
                }
            }
        }
    }
    out
}

#[derive(Clone, Copy, Default)]
struct Count {
    judged: u32,
    told: u32,
    right: u32,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.judged += other.judged;
        self.told += other.told;
        self.right += other.right;
    }

    fn cells(self) -> Vec<String> {
        vec![share(self.right, self.told), share(self.judged - self.told, self.judged), self.judged.to_string()]
    }
}

/// The table of families; none without judgements.
pub fn families(corpus: &Corpus) -> Option<Table> {
    let failures = failures(corpus);
    let mut by: BTreeMap<&str, Count> = BTreeMap::new();
    for label in &corpus.families {
        // What we take for no failure has no family; that is the matter of the table of outcomes.
        let Some(found) = failures.get(&(label.repo.as_str(), label.id.as_str())) else { continue };
        let told = found.family != Family::Unknown;
        let right = told && label.families.iter().any(|f| f.replace('-', "_") == found.family.as_str());
        by.entry(&label.repo).or_default().add(Count { judged: 1, told: u32::from(told), right: u32::from(right) });
    }
    let (mut all, mut held) = (Count::default(), Count::default());
    for (repository, count) in &by {
        all.add(*count);
        if corpus.is_held_back(repository) {
            held.add(*count);
        }
    }
    let mut table = Table::new(
        "What went wrong",
        "The family of a failure, versus two readers who had not seen the rules; what either of them said counts. Bars: \
         right in ≥ .90 of those that are told, unknown in ≤ .15.",
        &["repository", "right", "unknown", "failures judged"],
    );
    for (repository, count) in &by {
        table.row(repository, count.cells());
    }
    let met = ratio(all.right, all.told) >= RIGHT && ratio(all.judged - all.told, all.judged) <= UNKNOWN;
    table.row(if met { "**all**" } else { "**all** (**missed**)" }, all.cells());
    if held.judged > 0 {
        table.row("*of these, held back until the rules were done*", held.cells());
    }
    (all.judged > 0).then_some(table)
}

/// Pairs of failures, and those of one family and subject.
#[derive(Clone, Copy, Default)]
struct Pairs {
    alike: u32,
    all: u32,
}

impl Pairs {
    fn add(&mut self, other: Self) {
        self.alike += other.alike;
        self.all += other.all;
    }
}

/// The table of subjects; none without groups.
pub fn subjects(corpus: &Corpus) -> Option<Table> {
    let failures = failures(corpus);
    let mut table = Table::new(
        "What it is about",
        "Failures that a reader grouped because the same happened in several sessions of a repository: pairs with the same \
         family and subject. In groups that one note would have prevented (bar ≥ .85), in all groups (some hold different \
         causes behind one line: a missing file is another file each time), and between groups (bar ≤ .02).",
        &["repository", "in groups worth a note", "in all groups", "between groups"],
    );
    let mut by: BTreeMap<&str, Vec<(bool, Vec<&Failure>)>> = BTreeMap::new();
    for group in &corpus.recurring {
        let repository = group.repository();
        let found = group.ids.iter().filter_map(|id| failures.get(&(repository, id.as_str()))).collect();
        by.entry(repository).or_default().push((group.lesson == "yes", found));
    }
    let (mut sums, mut held) = ([Pairs::default(); 3], [Pairs::default(); 3]);
    for (repository, groups) in &by {
        let row = rows_of(groups);
        sums.iter_mut().zip(row).for_each(|(sum, pairs)| sum.add(pairs));
        if corpus.is_held_back(repository) {
            held.iter_mut().zip(row).for_each(|(sum, pairs)| sum.add(pairs));
        }
        table.row(repository, row.iter().map(|p| share(p.alike, p.all)));
    }
    let met = ratio(sums[0].alike, sums[0].all) >= SAME && ratio(sums[2].alike, sums[2].all) <= OTHER;
    let name = if met { "**all**" } else { "**all** (**missed**)" };
    table.row(name, sums.iter().map(|p| share(p.alike, p.all)));
    if held[1].all > 0 {
        table.row("*of these, held back until the rules were done*", held.iter().map(|p| share(p.alike, p.all)));
    }
    (!by.is_empty()).then_some(table)
}

fn rows_of(groups: &[(bool, Vec<&Failure>)]) -> [Pairs; 3] {
    let mut out = [Pairs::default(); 3];
    for (n, (worth, group)) in groups.iter().enumerate() {
        for (at, one) in group.iter().enumerate() {
            for other in &group[at + 1..] {
                let pair = Pairs { alike: u32::from(alike(one, other)), all: 1 };
                out[1].add(pair);
                if *worth {
                    out[0].add(pair);
                }
            }
            for other in groups[n + 1..].iter().flat_map(|(_, g)| g) {
                out[2].add(Pairs { alike: u32::from(alike(one, other)), all: 1 });
            }
        }
    }
    out
}

/// What is unknown is like nothing.
fn alike(one: &Failure, other: &Failure) -> bool {
    one.family != Family::Unknown && one == other
}
