//! Figures as `--json` has them.

use std::collections::BTreeMap;

use serde::Serialize;
use uptake_core::measure::baseline::Baseline;
use uptake_core::measure::rates::{Estimate, Share};
use uptake_core::measure::script::Scope;

use super::{Figures, Score, Way};

/// A whole backtest.
#[derive(Serialize)]
pub struct BacktestRow {
    /// Each project by itself.
    pub projects: Vec<ProjectRow>,
    /// All together.
    #[serde(flatten)]
    pub all: FiguresRow,
}

/// One project.
#[derive(Serialize)]
pub struct ProjectRow {
    /// Its name.
    pub project: String,
    /// What was counted in it.
    #[serde(flatten)]
    pub figures: FiguresRow,
}

/// What was counted.
#[derive(Serialize)]
pub struct FiguresRow {
    /// Sessions gone through.
    pub sessions: u32,
    /// Failing calls.
    pub failures: u32,
    /// Causes that came back.
    pub recurring: u32,
    /// Those whose fix is known.
    pub judged: u32,
    /// Of those, prevented with all lessons accepted.
    pub prevented: u32,
    /// Of the hints whose failure has a known fix, the right ones.
    pub precision: Option<f64>,
    /// Tokens saved less those injected.
    pub net_tokens: i64,
    /// The three ways of approving.
    pub ways: BTreeMap<&'static str, ScoreRow>,
    /// What must not help.
    pub control: BTreeMap<&'static str, ScoreRow>,
    /// Simple memories.
    pub baselines: BTreeMap<&'static str, ScoreRow>,
}

/// What one way did.
#[derive(Serialize)]
pub struct ScoreRow {
    /// Failures that came back and were prevented.
    pub prevented: u32,
    /// The share of those that are judged.
    pub rate: RangeRow,
    /// The same by scope.
    pub scopes: BTreeMap<&'static str, (u32, u32)>,
    /// Failures at which something was said.
    pub hints: u32,
    /// The share of right hints.
    pub precision: Option<f64>,
    /// The same with its interval.
    #[serde(skip)]
    pub right: Option<RangeRow>,
    /// Tokens injected.
    pub injected_tokens: u64,
    /// The same with every request that carries them.
    pub carried_tokens: u64,
    /// Tokens of retries up to the fix.
    pub saved_tokens: u64,
    /// Saved less carried.
    pub net_tokens: i64,
    /// The same where retries count with every request that carries them, too.
    pub net_tokens_if_retries_are_carried: i64,
    /// Calls that were not needed.
    pub saved_calls: u64,
    /// By how much all accepted lessons prevent more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lessons_better_by: Option<RangeRow>,
    /// The same without failures of the agent's own tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lessons_better_by_without_tool: Option<RangeRow>,
}

/// A number with its interval.
#[derive(Clone, Copy, Serialize)]
pub struct RangeRow {
    /// The number.
    pub value: f64,
    /// From.
    pub low: f64,
    /// To.
    pub high: f64,
}

impl From<Estimate> for RangeRow {
    fn from(e: Estimate) -> Self {
        Self { value: rounded(e.value), low: rounded(e.low), high: rounded(e.high) }
    }
}

fn rounded(x: f64) -> f64 {
    (x * 10_000.0).round() / 10_000.0
}

impl BacktestRow {
    /// Of figures by project.
    pub fn of(projects: &BTreeMap<String, Figures>) -> Self {
        let mut all = Figures::default();
        projects.values().for_each(|figures| all.add(figures));
        let row = |(key, figures): (&String, &Figures)| ProjectRow {
            project: name(key).to_owned(),
            figures: FiguresRow::of(figures),
        };
        let mut projects: Vec<ProjectRow> = projects.iter().map(row).collect();
        projects.sort_by(|a, b| b.figures.sessions.cmp(&a.figures.sessions).then_with(|| a.project.cmp(&b.project)));
        Self { projects, all: FiguresRow::of(&all) }
    }
}

impl ScoreRow {
    /// The share of prevented failures of one scope.
    pub fn of_scope(&self, scope: Scope) -> Option<RangeRow> {
        let (hits, of) = *self.scopes.get(scope.as_str())?;
        Some(Share { hits, of }.estimate().into())
    }
}

/// A project's key without what kind of key it is.
pub fn name(key: &str) -> &str {
    key.split_once(':').map_or(key, |(_, name)| name).trim_start_matches('/')
}

impl FiguresRow {
    /// What one way did.
    pub fn of_way(&self, way: Way) -> Option<&ScoreRow> {
        let name = way.as_str();
        self.ways.get(name).or_else(|| self.control.get(name)).or_else(|| self.baselines.get(name))
    }

    fn of(figures: &Figures) -> Self {
        let all = figures.score(Way::All);
        let rows = |ways: &[Way]| ways.iter().map(|way| (way.as_str(), ScoreRow::of(figures, *way))).collect();
        let memories = Baseline::ALL.map(Way::Memory);
        Self {
            sessions: figures.sessions,
            failures: figures.failures,
            recurring: figures.recurring,
            judged: figures.judged,
            prevented: all.prevented.hits,
            precision: precision(&all),
            net_tokens: all.net(),
            ways: rows(&[Way::All, Way::Shown, Way::Auto]),
            control: rows(&[Way::Other, Way::Constant]),
            baselines: rows(&memories),
        }
    }
}

fn precision(score: &Score) -> Option<f64> {
    (score.right.of > 0).then(|| rounded(score.right.value()))
}

impl ScoreRow {
    fn of(figures: &Figures, way: Way) -> Self {
        let score = figures.score(way);
        let own = matches!(way, Way::All | Way::Shown | Way::Auto);
        let better = (!own).then(|| figures.better(Way::All, way));
        let scope = |s: Scope| score.scopes.get(&s).map(|share| (s.as_str(), (share.hits, share.of)));
        Self {
            prevented: score.prevented.hits,
            rate: score.prevented.estimate().into(),
            scopes: Scope::ALL.into_iter().filter_map(scope).collect(),
            hints: score.hints,
            precision: precision(&score),
            right: (score.right.of > 0).then(|| score.right.estimate().into()),
            injected_tokens: score.injected,
            carried_tokens: score.carried,
            saved_tokens: score.saved,
            net_tokens: score.net(),
            net_tokens_if_retries_are_carried: score.net_carried(),
            saved_calls: score.calls,
            lessons_better_by: better.map(|[all, _]| all.into()),
            lessons_better_by_without_tool: better.map(|[_, apart]| apart.into()),
        }
    }
}
