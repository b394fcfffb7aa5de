//! What is counted while sessions are gone through again.

use std::collections::BTreeMap;

use uptake_core::measure::baseline::Baseline;
use uptake_core::measure::rates::{Estimate, Pair, Share, paired};
use uptake_core::measure::script::Scope;

/// Where words at a failure come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// All lessons accepted.
    All,
    /// Those accepted that `learn` shows.
    Shown,
    /// Those that mode `auto` lets through.
    Auto,
    /// Another project's lessons, all accepted.
    Other,
    /// The same card for everybody.
    Constant,
    /// A simple memory.
    Memory(Baseline),
}

impl Way {
    /// All, in the order shown.
    pub const EVERY: [Self; 8] = [
        Self::All,
        Self::Shown,
        Self::Auto,
        Self::Other,
        Self::Constant,
        Self::Memory(Baseline::Exact),
        Self::Memory(Baseline::Jaccard),
        Self::Memory(Baseline::Bm25),
    ];

    /// The word in `--json` output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Shown => "shown",
            Self::Auto => "auto",
            Self::Other => "other_project",
            Self::Constant => "constant_card",
            Self::Memory(baseline) => baseline.as_str(),
        }
    }

    /// For people.
    pub fn title(self) -> &'static str {
        match self {
            Self::All => "all lessons accepted",
            Self::Shown => "only what learn shows",
            Self::Auto => "only what mode auto lets through",
            Self::Other => "another project's lessons",
            Self::Constant => "the same card for everybody",
            Self::Memory(Baseline::Exact) => "memory: the same call",
            Self::Memory(Baseline::Jaccard) => "memory: words in common",
            Self::Memory(Baseline::Bm25) => "memory: best match (BM25)",
        }
    }
}

/// What one way did.
#[derive(Clone, Debug, Default)]
pub struct Score {
    /// Failures at which something was said.
    pub hints: u32,
    /// Of those whose fix is known, how often it was the right thing.
    pub right: Share,
    /// Failures that came back and were prevented, of those whose fix is known.
    pub prevented: Share,
    /// The same, by what they are about.
    pub scopes: BTreeMap<Scope, Share>,
    /// Tokens put in.
    pub injected: u64,
    /// The same, once for each later request that carries them.
    pub carried: u64,
    /// Tokens of retries up to the fix.
    pub saved: u64,
    /// The same, with the later requests that would have carried them.
    pub saved_carried: u64,
    /// Milliseconds are not known; calls that were not needed are.
    pub calls: u64,
    /// By session: prevented, and of how many.
    pub sessions: Vec<Share>,
    /// The same without failures of the agent's own tools, which any general advice prevents.
    pub apart: Vec<Share>,
}

impl Score {
    /// Tokens saved, less those put in with every request that carries them.
    pub fn net(&self) -> i64 {
        whole(self.saved) - whole(self.carried)
    }

    /// The same, where retries, too, count with every request that carries them.
    pub fn net_carried(&self) -> i64 {
        whole(self.saved_carried) - whole(self.carried)
    }

    fn add(&mut self, other: &Self) {
        let sum = |a: &mut Share, b: Share| (a.hits, a.of) = (a.hits + b.hits, a.of + b.of);
        self.hints += other.hints;
        sum(&mut self.right, other.right);
        sum(&mut self.prevented, other.prevented);
        for (scope, share) in &other.scopes {
            sum(self.scopes.entry(*scope).or_default(), *share);
        }
        self.injected += other.injected;
        self.carried += other.carried;
        self.saved += other.saved;
        self.saved_carried += other.saved_carried;
        self.calls += other.calls;
        self.sessions.extend_from_slice(&other.sessions);
        self.apart.extend_from_slice(&other.apart);
    }
}

fn whole(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// What was counted in a project, or in all.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Sessions.
    pub sessions: u32,
    /// Failing calls.
    pub failures: u32,
    /// Causes that a session met and an earlier one had met.
    pub recurring: u32,
    /// Those of them whose fix is known and not said by the error itself.
    pub judged: u32,
    /// What each way did.
    pub ways: BTreeMap<Way, Score>,
}

impl Figures {
    /// What a way did.
    pub fn score(&self, way: Way) -> Score {
        self.ways.get(&way).cloned().unwrap_or_default()
    }

    /// By how much one way prevents more than another: of all failures, and of those that are not about the agent's own tools.
    pub fn better(&self, one: Way, than: Way) -> [Estimate; 2] {
        let (a, b) = (self.score(one), self.score(than));
        [(a.sessions, b.sessions), (a.apart, b.apart)].map(|(a, b)| {
            let pairs: Vec<Pair> = a.iter().zip(&b).map(|(a, b)| (a.hits, b.hits, a.of)).collect();
            paired(&pairs)
        })
    }

    /// Adds up.
    pub fn add(&mut self, other: &Self) {
        self.sessions += other.sessions;
        self.failures += other.failures;
        self.recurring += other.recurring;
        self.judged += other.judged;
        for (way, score) in &other.ways {
            self.ways.entry(*way).or_default().add(score);
        }
    }
}
