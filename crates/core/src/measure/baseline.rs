//! What simple memories would have said: the fix of a past failure that looks like this one.
//!
//! Three of them: the very same call, words in common (Jaccard), and BM25. Each knows the failures of past sessions whose
//! fix is known, and answers with the call that worked then.

use std::collections::{BTreeSet, HashMap};

/// A way to find a past failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Baseline {
    /// The same call, letter by letter.
    Exact,
    /// More than this share of words in common.
    Jaccard,
    /// The best match of BM25.
    Bm25,
}

/// Share of words that two failures have in common to be held alike.
const JACCARD: f64 = 0.6;
/// The usual constants of BM25.
const K1: f64 = 1.2;
/// See `K1`.
const B: f64 = 0.75;

impl Baseline {
    /// All, in the order shown.
    pub const ALL: [Self; 3] = [Self::Exact, Self::Jaccard, Self::Bm25];

    /// The word in `--json` output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Jaccard => "jaccard",
            Self::Bm25 => "bm25",
        }
    }
}

/// Past failures and what got past them.
#[derive(Default)]
pub struct Memory {
    past: Vec<Past>,
    exact: HashMap<String, usize>,
    postings: HashMap<String, Vec<usize>>,
    length: usize,
}

struct Past {
    words: BTreeSet<String>,
    fix: String,
}

impl Memory {
    /// Remembers a failure: the call, what it printed, and the call that worked.
    pub fn add(&mut self, call: &str, output: &str, fix: &str) {
        let words = words(call, output);
        let n = self.past.len();
        self.exact.insert(call.to_owned(), n);
        for word in &words {
            self.postings.entry(word.clone()).or_default().push(n);
        }
        self.length += words.len();
        self.past.push(Past { words, fix: fix.to_owned() });
    }

    /// What a baseline says at a failure.
    pub fn ask(&self, baseline: Baseline, call: &str, output: &str) -> Option<&str> {
        let found = match baseline {
            Baseline::Exact => self.exact.get(call).copied(),
            Baseline::Jaccard => self.most_alike(&words(call, output)),
            Baseline::Bm25 => self.best(&words(call, output)),
        };
        found.map(|n| self.past[n].fix.as_str())
    }

    fn most_alike(&self, asked: &BTreeSet<String>) -> Option<usize> {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for n in asked.iter().filter_map(|word| self.postings.get(word)).flatten() {
            *shared.entry(*n).or_default() += 1;
        }
        let alike =
            |(n, both): (usize, usize)| (both as f64 / (asked.len() + self.past[n].words.len() - both) as f64, n);
        let best = shared.into_iter().map(alike).max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        best.filter(|(alike, _)| *alike > JACCARD).map(|(_, n)| n)
    }

    fn best(&self, asked: &BTreeSet<String>) -> Option<usize> {
        let all = self.past.len() as f64;
        let mean = self.length as f64 / all.max(1.0);
        let mut scores: HashMap<usize, f64> = HashMap::new();
        for found in asked.iter().filter_map(|word| self.postings.get(word)) {
            let idf = ((all - found.len() as f64 + 0.5) / (found.len() as f64 + 0.5) + 1.0).ln();
            for n in found {
                // Each word counts once: outputs repeat themselves.
                let long = self.past[*n].words.len() as f64 / mean;
                *scores.entry(*n).or_default() += idf * (K1 + 1.0) / (1.0 + K1 * (1.0 - B + B * long));
            }
        }
        scores.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0))).map(|(n, _)| n)
    }
}

/// Most of an output that is compared.
const OUTPUT: usize = 600;

fn words(call: &str, output: &str) -> BTreeSet<String> {
    let output = &output[..output.floor_char_boundary(OUTPUT)];
    let split = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric() && !"_.-/".contains(c));
        words.filter(|w| w.len() > 1).map(str::to_lowercase).collect()
    };
    split(call).into_iter().chain(split(output)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_baseline_finds_in_its_own_way() {
        let mut memory = Memory::default();
        memory.add("npm test", "sh: jest: not found", "npx jest");
        memory.add("cargo fmt --check", "Diff in src/lib.rs", "cargo fmt");
        let ask = |b, call, output| memory.ask(b, call, output);
        assert_eq!(ask(Baseline::Exact, "npm test", ""), Some("npx jest"));
        assert_eq!(ask(Baseline::Exact, "npm tests", ""), None);
        assert_eq!(ask(Baseline::Jaccard, "npm test a", "sh: jest: not found"), Some("npx jest"));
        assert_eq!(ask(Baseline::Jaccard, "npm run build", "sh: vite: not found"), None);
        assert_eq!(ask(Baseline::Bm25, "cargo fmt", ""), Some("cargo fmt"));
        assert_eq!(ask(Baseline::Bm25, "zig build", ""), None);
    }
}
