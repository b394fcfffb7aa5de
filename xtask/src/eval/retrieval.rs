//! How well a failing command finds what is known of it, and how often nothing is said where nothing fits.
//!
//! Expects `thefuck/pairs.jsonl`: rule, failed command, output, fixes. Each pair asks, all others are known; a pair of
//! the same rule is right. Only pairs with an output are used, as by the baselines.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use uptake_core::recall::matching::{Index, Item, KnownItem, Query};
use uptake_core::session::Outcome;

use super::corpus::Corpus;
use super::report::Table;
use super::score::share;

#[derive(Deserialize)]
struct Pair {
    rule: String,
    failed: String,
    output: String,
    fixed: Vec<String>,
}

impl Pair {
    fn query(&self) -> Query<'_> {
        Query::Failure { command: &self.failed, output: &self.output }
    }

    fn words(&self) -> Vec<String> {
        let text = format!("{} {}", self.failed, self.output).to_lowercase();
        text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_owned).collect()
    }
}

/// What became of queries, in one half of the rules or in both.
#[derive(Clone, Copy, Default)]
struct Tally {
    first: u32,
    five: u32,
    n: u32,
    spoke: u32,
    right: u32,
    silent: u32,
    unknown: u32,
}

impl Tally {
    fn ranked(&mut self, rule: &str, found: &[&str]) {
        self.n += 1;
        self.first += u32::from(found.first() == Some(&rule));
        self.five += u32::from(found.iter().take(5).any(|r| *r == rule));
    }

    fn said(&mut self, rule: &str, said: Option<&str>) {
        self.spoke += u32::from(said.is_some());
        self.right += u32::from(said == Some(rule));
    }

    fn asked_unknown(&mut self, said: Option<&str>) {
        self.unknown += 1;
        self.silent += u32::from(said.is_none());
    }

    fn plus(self, other: Self) -> Self {
        Self {
            first: self.first + other.first,
            five: self.five + other.five,
            n: self.n + other.n,
            spoke: self.spoke + other.spoke,
            right: self.right + other.right,
            silent: self.silent + other.silent,
            unknown: self.unknown + other.unknown,
        }
    }

    fn cells(&self) -> [String; 5] {
        [
            share(self.first, self.n),
            share(self.five, self.n),
            share(self.spoke, self.n),
            share(self.right, self.spoke),
            share(self.silent, self.unknown),
        ]
    }
}

/// Runs every measurement; none if there are no pairs.
pub fn table(folder: &Path, corpus: &Corpus, verbose: bool) -> Result<Option<Table>> {
    let path = folder.join("thefuck/pairs.jsonl");
    if !path.is_file() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let all = text.lines().map(serde_json::from_str::<Pair>).collect::<Result<Vec<_>, _>>()?;
    let (pairs, mute): (Vec<Pair>, Vec<Pair>) = all.into_iter().partition(|p| !p.output.trim().is_empty());
    let known: Vec<Arc<KnownItem>> = pairs.iter().map(|p| Arc::new(KnownItem::new(&item(p)))).collect();
    let mut out = Table::new(
        "Known failures: found, or nothing said",
        "Failing commands with their output and fix, by the rule that knows the fix. Each asks all others; one of the \
         same rule is right. Then each asks those of other rules only: nothing should be said.",
        &["", "hit@1", "hit@5", "speaks", "then right", "silent if unknown"],
    );
    out.row("bar", ["≥ 0.93", "≥ 0.98", "", "", "≥ 0.95"].map(str::to_owned));
    let mut halves = [Tally::default(); 2];
    known_rules(&pairs, &known, verbose, &mut halves);
    unknown_rules(&pairs, &known, verbose, &mut halves);
    out.row("ours", halves[0].plus(halves[1]).cells());
    out.row("one half of the rules", halves[0].cells());
    out.row("the other", halves[1].cells());
    let words: Vec<Vec<String>> = pairs.iter().map(Pair::words).collect();
    out.row("BM25", baseline(&pairs, |n| by_bm25(&words, n)));
    out.row("Jaccard over 0.6", baseline(&pairs, |n| by_jaccard(&words, n)));
    out.notes.push(format!("{} failures, {} of rules with more than one", pairs.len(), halves[0].n + halves[1].n));
    out.notes.push(successes(&Index::of(known), corpus, verbose));
    out.notes.push(commands(&mute));
    out.notes.extend([10_000, 100_000].map(time));
    Ok(Some(out))
}

fn item(pair: &Pair) -> Item {
    Item {
        id: pair.rule.clone(),
        failed: pair.failed.clone(),
        output: pair.output.clone(),
        fixed: pair.fixed.first().cloned().unwrap_or_default(),
        statement: String::new(),
    }
}

fn without(known: &[Arc<KnownItem>], left_out: impl Fn(usize) -> bool) -> Index {
    Index::of(known.iter().enumerate().filter(|(n, _)| !left_out(*n)).map(|(_, k)| k.clone()).collect())
}

/// Pairs whose rule has another one.
fn answerable(pairs: &[Pair]) -> impl Iterator<Item = (usize, &Pair)> {
    let another = |n: usize, rule: &str| pairs.iter().enumerate().any(|(m, p)| m != n && p.rule == rule);
    pairs.iter().enumerate().filter(move |(n, p)| another(*n, &p.rule))
}

/// Each such pair asks all others.
fn known_rules(pairs: &[Pair], known: &[Arc<KnownItem>], verbose: bool, halves: &mut [Tally; 2]) {
    for (n, pair) in answerable(pairs) {
        let index = without(known, |m| m == n);
        let found = index.rank(&pair.query(), 5);
        let rules: Vec<&str> = found.iter().map(|m| m.id.as_str()).collect();
        let said = index.best(&pair.query()).map(|m| m.id);
        let tally = &mut halves[half(&pair.rule)];
        tally.ranked(&pair.rule, &rules);
        tally.said(&pair.rule, said.as_deref());
        if verbose && (rules.first() != Some(&pair.rule.as_str()) || said.as_ref() != Some(&pair.rule)) {
            println!("{} `{}` ranks {rules:?}, says {said:?}", pair.rule, pair.failed);
        }
    }
}

/// Two halves that share no rule.
fn half(rule: &str) -> usize {
    rule.bytes().map(usize::from).sum::<usize>() % 2
}

/// Each pair asks all pairs of other rules.
fn unknown_rules(pairs: &[Pair], known: &[Arc<KnownItem>], verbose: bool, halves: &mut [Tally; 2]) {
    let rules: BTreeSet<&str> = pairs.iter().map(|p| p.rule.as_str()).collect();
    for rule in rules {
        let index = without(known, |m| pairs[m].rule == rule);
        for pair in pairs.iter().filter(|p| p.rule == rule) {
            let said = index.best(&pair.query()).map(|m| m.id);
            halves[half(rule)].asked_unknown(said.as_deref());
            if verbose && said.is_some() {
                println!("{rule} is unknown, but `{}` gives {said:?}", pair.failed);
            }
        }
    }
}

fn baseline(pairs: &[Pair], found: impl Fn(usize) -> Vec<usize>) -> Vec<String> {
    let mut tally = Tally::default();
    for (n, pair) in answerable(pairs) {
        let rules: Vec<&str> = found(n).into_iter().map(|m| pairs[m].rule.as_str()).collect();
        tally.ranked(&pair.rule, &rules);
    }
    tally.cells().into_iter().take(2).collect()
}

/// The pairs without an output, as commands about to run.
fn commands(pairs: &[Pair]) -> String {
    let known: Vec<Arc<KnownItem>> = pairs.iter().map(|p| Arc::new(KnownItem::new(&item(p)))).collect();
    let (mut spoke, mut right, mut silent) = (0, 0, 0);
    for (n, pair) in pairs.iter().enumerate() {
        let said = without(&known, |m| m == n).best(&pair.query());
        spoke += u32::from(said.is_some());
        right += u32::from(said.is_some_and(|m| m.id == pair.rule));
        silent += u32::from(without(&known, |m| pairs[m].rule == pair.rule).best(&pair.query()).is_none());
    }
    let n = pairs.len() as u32;
    let silent = share(silent, n);
    format!(
        "before a command: speaks {}  right {}  silent where unknown {silent}",
        share(spoke, n),
        share(right, spoke)
    )
}

/// Calls that went well ask everything known.
fn successes(index: &Index, corpus: &Corpus, verbose: bool) -> String {
    let (mut silent, mut n) = (0, 0);
    let events = corpus.repositories.iter().flat_map(|r| &r.raw).flat_map(|s| &s.events);
    for (call, command) in events.filter_map(|e| e.shell()).filter(|(call, _)| call.outcome == Outcome::Ok) {
        let output = call.output.to_text();
        let said = index.best(&Query::Failure { command, output: &output });
        n += 1;
        silent += u32::from(said.is_none());
        if let Some(said) = said.filter(|_| verbose) {
            println!("success, but `{command}` gives {}", said.id);
        }
    }
    format!("silent at {} of {n} successful shell calls (bar: ≥ 0.98)", share(silent, n))
}

fn by_score(scores: impl Iterator<Item = (usize, f64)>) -> Vec<usize> {
    let mut scores: Vec<(usize, f64)> = scores.filter(|s| s.1 > 0.0).collect();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    scores.into_iter().take(5).map(|s| s.0).collect()
}

fn by_bm25(words: &[Vec<String>], query: usize) -> Vec<usize> {
    let docs = || words.iter().enumerate().filter(|(n, _)| *n != query);
    let count = (words.len() - 1) as f64;
    let mean = docs().map(|(_, d)| d.len()).sum::<usize>() as f64 / count;
    let asked: HashSet<&String> = words[query].iter().collect();
    let mut sums: HashMap<usize, f64> = HashMap::new();
    for word in asked {
        let holds: Vec<(usize, f64, f64)> = docs()
            .map(|(n, d)| (n, d.iter().filter(|w| *w == word).count() as f64, d.len() as f64))
            .filter(|d| d.1 > 0.0)
            .collect();
        let df = holds.len() as f64;
        let idf = (1.0 + (count - df + 0.5) / (df + 0.5)).ln();
        for (n, tf, len) in holds {
            *sums.entry(n).or_default() += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len / mean));
        }
    }
    by_score(sums.into_iter())
}

fn by_jaccard(words: &[Vec<String>], query: usize) -> Vec<usize> {
    let sets: Vec<HashSet<&String>> = words.iter().map(|w| w.iter().collect()).collect();
    let jaccard = |n: usize| {
        let both = sets[n].intersection(&sets[query]).count() as f64;
        both / sets[n].union(&sets[query]).count() as f64
    };
    by_score((0..words.len()).filter(|n| *n != query).map(|n| (n, jaccard(n))).filter(|s| s.1 > 0.6))
}

/// A made-up word: numbers would all be the same.
fn word(kind: &str, n: usize) -> String {
    let letters = [n, n / 26, n / 676].map(|n| char::from(b'a' + (n % 26) as u8));
    kind.chars().chain(letters).collect()
}

/// Time of a lookup among so many made-up items.
fn time(count: usize) -> String {
    let row = |n: usize| {
        let (tool, verb, thing) = (word("tool", n % 97), word("verb", n % 211), word("thing", n % 4_999));
        let (why, failed) = (word("why", n % 17), format!("{tool} {verb} {}", word("arg", n)));
        Item {
            id: n.to_string(),
            output: format!("{tool}: error: cannot act on {thing} because of {why}\nhint: see the manual of {verb}\n"),
            fixed: format!("{tool} init && {failed}"),
            failed,
            statement: String::new(),
        }
    };
    let items: Vec<Item> = (0..count).map(row).collect();
    let index = Index::new(&items);
    let more: String =
        (0..300).map(|n| format!("{} because of {}\n", word("thing", n * 7), word("why", n % 17))).collect();
    let timed = |tail: &str| {
        let asks: Vec<(&Item, String)> =
            items.iter().step_by(count / 500).map(|i| (i, format!("{}{tail}", i.output))).collect();
        let queries = || asks.iter().map(|(i, output)| Query::Failure { command: &i.failed, output });
        let began = Instant::now();
        let said = queries().filter(|q| index.best(q).is_some()).count();
        let each = began.elapsed().as_micros() as f64 / asks.len() as f64;
        let read = queries().map(|q| index.visited(&q)).max().unwrap_or(0);
        format!("{each:.0} µs a lookup, at most {read} entries read, {said} of {} said", asks.len())
    };
    format!("{count} items: {}; outputs of 4 KiB and more: {}", timed(""), timed(&more))
}
