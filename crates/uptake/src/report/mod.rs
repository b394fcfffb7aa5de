//! What learning earned: gathered from both stores, for the terminal, `--json` and a page.
//!
//! Comes in: sessions, lessons and trials as they stand. Goes out: figures, each with how sure it is, and where there is too
//! little to say anything. Deliberately absent: printing.

mod page;

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;
use uptake_core::detect::Kind;
use uptake_core::failure::Family;
use uptake_core::learn::facts;
use uptake_core::measure::rates::{Estimate, Share};
use uptake_core::measure::trial::{Fate, pooled};
use uptake_store::{Lessons, SessionRow, Sessions, TrialRow, Wanted, Which};

use crate::backtest::rows::RangeRow;
use crate::goals::progress;
use crate::settings::Settings;
use crate::trials::{self, Tried};

pub use page::page;

const WEEK: i64 = 7 * 86_400_000;
/// Withheld trials that are needed to say something of all lessons together.
pub const ENOUGH: u32 = 10;

/// Everything.
#[derive(Serialize)]
pub struct Report {
    /// Sessions read.
    pub sessions: usize,
    /// Calls in them.
    pub calls: i64,
    /// Those that failed.
    pub failures: i64,
    /// Failures over time.
    pub weeks: Vec<Week>,
    /// Lessons in use.
    pub approved: usize,
    /// Trials: lessons in sessions.
    pub trials: Trials,
    /// How much lessons lower the share of failures, all together; nothing if that cannot be told.
    pub lift: Option<RangeRow>,
    /// The same by kind, and by family of failure.
    pub by_kind: BTreeMap<String, RangeRow>,
    /// See `by_kind`.
    pub by_family: BTreeMap<String, RangeRow>,
    /// Each lesson with trials.
    pub lessons: Vec<LessonTrials>,
    /// Failures that lessons are about, before and after they were approved.
    pub before_after: Vec<BeforeAfter>,
    /// What hints cost and saved.
    pub tokens: Tokens,
    /// Goals of projects, and how they go.
    pub goals: Vec<GoalRow>,
    /// Why something cannot be told.
    pub too_little: Vec<String>,
}

/// The goal of a project.
#[derive(Serialize)]
pub struct GoalRow {
    /// The project.
    pub project: String,
    /// Its name.
    pub goal: &'static str,
    /// What it says.
    pub text: String,
    /// In how many of its last iterations it was met.
    pub met: usize,
    /// Of how many.
    pub of: usize,
    /// In words.
    pub so_far: Option<String>,
}

/// The goals that are set.
pub fn goals(lessons: Option<&Lessons>, settings: &Settings) -> Result<Vec<GoalRow>> {
    let mut out = Vec::new();
    for project in settings.goals.keys() {
        let (Some(goal), Some(lessons)) = (settings.goal_of(project), lessons) else { continue };
        let so_far = progress(lessons, project, &goal)?;
        let (met, of) = (so_far.met, so_far.of);
        let project = project.clone();
        out.push(GoalRow { project, goal: goal.name(), text: goal.words(), met, of, so_far: so_far.words() });
    }
    Ok(out)
}

/// One week.
#[derive(Serialize)]
pub struct Week {
    /// When it began, in milliseconds since 1970.
    pub from: i64,
    /// Sessions that began in it.
    pub sessions: usize,
    /// Calls in them.
    pub calls: i64,
    /// Those that failed.
    pub failures: i64,
}

/// How many trials there are.
#[derive(Default, Serialize)]
pub struct Trials {
    /// Lessons told in sessions.
    pub shown: usize,
    /// Lessons withheld in sessions.
    pub withheld: usize,
    /// Trials whose outcome is known.
    pub known: usize,
}

/// What trials say of one lesson.
#[derive(Serialize)]
pub struct LessonTrials {
    /// Its id.
    pub id: String,
    /// Its words.
    pub text: String,
    /// Sessions in which it was told, and those of them in which its failure came.
    pub shown: (u32, u32),
    /// The same for sessions in which it was withheld.
    pub withheld: (u32, u32),
    /// By how much it lowers the share of failures.
    pub lift: RangeRow,
    /// By how much it raises the share of push-backs.
    pub harm: RangeRow,
    /// What became of it.
    pub fate: &'static str,
}

/// How often a failure was met in sessions of its project.
#[derive(Serialize)]
pub struct BeforeAfter {
    /// The lesson.
    pub id: String,
    /// Its words.
    pub text: String,
    /// Sessions that met it before it was approved, of all then.
    pub before: (u32, u32),
    /// The same after.
    pub after: (u32, u32),
}

/// What hints cost and saved.
#[derive(Default, Serialize)]
pub struct Tokens {
    /// Words that were told, in tokens.
    pub injected: u64,
    /// Tokens from a failure until its goal, with a hint: mean.
    pub with_hint: Option<f64>,
    /// The same where it was withheld.
    pub without: Option<f64>,
    /// Saved in all sessions in which a hint was told, if that can be told.
    pub saved: Option<RangeRow>,
}

/// Gathers everything.
pub fn gather(sessions: Option<&Sessions>, lessons: Option<&Lessons>, now: i64) -> Result<Report> {
    let listed = sessions.map_or(Ok(Vec::new()), |s| s.list(None))?;
    let rows = lessons.map_or(Ok(Vec::new()), Lessons::trials)?;
    let tried = lessons.map_or(Ok(Vec::new()), trials::tried)?;
    let counts = |of: fn(&SessionRow) -> i64| listed.iter().map(of).sum();
    let shares: Vec<(Share, Share)> = tried.iter().map(|t| (t.judgement.shown, t.judgement.withheld)).collect();
    let withheld: u32 = shares.iter().map(|(_, w)| w.of).sum();
    let mut report = Report {
        sessions: listed.len(),
        calls: counts(|s| s.counts.calls),
        failures: counts(|s| s.counts.failures),
        weeks: weeks(&listed),
        approved: 0,
        trials: Trials {
            shown: rows.iter().filter(|r| !r.withheld).count(),
            withheld: rows.iter().filter(|r| r.withheld).count(),
            known: rows.iter().filter(|r| r.followed.is_some()).count(),
        },
        lift: pooled(&shares).filter(|_| withheld >= ENOUGH).map(RangeRow::from),
        by_kind: by(&tried, |t| Some(t.lesson.kind.as_str().to_owned())),
        by_family: by(&tried, family),
        lessons: tried.iter().map(LessonTrials::of).collect(),
        before_after: Vec::new(),
        tokens: tokens(&rows, &tried),
        goals: Vec::new(),
        too_little: Vec::new(),
    };
    if let Some(lessons) = lessons {
        report.before_after = before_after(lessons, &listed, now, &mut report.approved)?;
    }
    report.too_little = too_little(&report, withheld);
    Ok(report)
}

fn weeks(listed: &[SessionRow]) -> Vec<Week> {
    let mut by: BTreeMap<i64, Week> = BTreeMap::new();
    for (row, at) in listed.iter().filter_map(|r| Some((r, r.started?))) {
        let from = at.div_euclid(WEEK) * WEEK;
        let week = by.entry(from).or_insert(Week { from, sessions: 0, calls: 0, failures: 0 });
        week.sessions += 1;
        week.calls += row.counts.calls;
        week.failures += row.counts.failures;
    }
    by.into_values().collect()
}

fn family(tried: &Tried) -> Option<String> {
    let trigger = tried.lesson.payload.trigger.as_ref().filter(|_| tried.lesson.kind == Kind::Fact)?;
    let family = Family::parse(&trigger.program);
    Some(family.as_str().replace('_', " "))
}

/// Lessons of one sort together; sorts without a trial that was withheld say nothing.
fn by(tried: &[Tried], sort: impl Fn(&Tried) -> Option<String>) -> BTreeMap<String, RangeRow> {
    let mut sorts: BTreeMap<String, Vec<(Share, Share)>> = BTreeMap::new();
    for one in tried {
        if let Some(name) = sort(one) {
            sorts.entry(name).or_default().push((one.judgement.shown, one.judgement.withheld));
        }
    }
    sorts.into_iter().filter_map(|(name, shares)| Some((name, pooled(&shares)?.into()))).collect()
}

impl LessonTrials {
    fn of(tried: &Tried) -> Self {
        let j = &tried.judgement;
        Self {
            id: tried.lesson.id.clone(),
            text: tried.lesson.payload.statement.clone(),
            shown: (j.shown.hits, j.shown.of),
            withheld: (j.withheld.hits, j.withheld.of),
            lift: j.lift.into(),
            harm: j.harm.into(),
            fate: match j.fate {
                Fate::Open => "open",
                Fate::Proven => "proven",
                Fate::Useless => "of no help",
                Fate::InVain => "in vain",
            },
        }
    }
}

/// How often the failures of approved lessons were met before and after.
fn before_after(lessons: &Lessons, listed: &[SessionRow], now: i64, approved: &mut usize) -> Result<Vec<BeforeAfter>> {
    let mut out = Vec::new();
    for stored in lessons.list(&Wanted { which: Which::Known, now, ..Wanted::default() })? {
        let lesson = stored.lesson;
        let Some(at) = lessons.approved_at(&lesson.id)? else { continue };
        *approved += 1;
        if lesson.payload.trigger.is_none() {
            continue;
        }
        let key = if lesson.kind == Kind::Fact { facts::cause_of(&lesson.key) } else { &lesson.key };
        let met = lessons.seen_at(lesson.project(), lesson.kind, key)?;
        let began = |s: &&SessionRow| s.project == lesson.project() && s.root == s.id;
        let (after, before): (Vec<i64>, Vec<i64>) =
            listed.iter().filter(began).filter_map(|s| s.started).partition(|t| *t >= at);
        let count = |all: &[i64], later: bool| {
            let hits = met.iter().filter(|t| (**t >= at) == later).count().min(all.len());
            (u32::try_from(hits).unwrap_or(u32::MAX), u32::try_from(all.len()).unwrap_or(u32::MAX))
        };
        let row = BeforeAfter {
            before: count(&before, false),
            after: count(&after, true),
            id: lesson.id,
            text: lesson.payload.statement,
        };
        if row.after.1 > 0 && row.before.1 > 0 {
            out.push(row);
        }
    }
    out.sort_by_key(|r| std::cmp::Reverse(r.before.0 + r.after.0));
    Ok(out)
}

/// Characters of a token, on average.
const TOKEN: u64 = 4;

fn tokens(rows: &[TrialRow], tried: &[Tried]) -> Tokens {
    let long =
        |id: &str| tried.iter().find(|t| t.lesson.id == id).map_or(0, |t| t.lesson.payload.statement.len() as u64);
    let took = |withheld: bool| -> Vec<f64> {
        let of = |r: &&TrialRow| r.withheld == withheld && r.moment == "failure";
        rows.iter().filter(of).filter_map(|r| r.followed).map(|f| f64::from(f.tokens)).collect()
    };
    let (with, without) = (took(false), took(true));
    let told = with.len() as f64;
    let enough = with.len() >= ENOUGH as usize && without.len() >= ENOUGH as usize;
    let saved = enough.then(|| {
        let (value, half) = difference(&without, &with);
        Estimate { value: value * told, low: (value - half) * told, high: (value + half) * told }.into()
    });
    Tokens {
        injected: rows.iter().filter(|r| !r.withheld).map(|r| long(&r.lesson).div_ceil(TOKEN)).sum(),
        with_hint: mean(&with),
        without: mean(&without),
        saved,
    }
}

fn mean(all: &[f64]) -> Option<f64> {
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}

/// The difference of two means, and half of its 90 % interval.
fn difference(a: &[f64], b: &[f64]) -> (f64, f64) {
    let spread = |all: &[f64]| {
        let m = mean(all).unwrap_or(0.0);
        all.iter().map(|x| (x - m).powi(2)).sum::<f64>() / (all.len() as f64 - 1.0).max(1.0) / all.len() as f64
    };
    (mean(a).unwrap_or(0.0) - mean(b).unwrap_or(0.0), 1.645 * (spread(a) + spread(b)).sqrt())
}

fn too_little(report: &Report, withheld: u32) -> Vec<String> {
    let mut out = Vec::new();
    if report.sessions == 0 {
        out.push("No session was read yet. Begin with: uptake learn".to_owned());
    } else if report.approved == 0 {
        out.push("No lesson is in use yet. Look at what was found with: uptake review".to_owned());
    } else if report.trials.shown + report.trials.withheld == 0 {
        out.push("No lesson was told to an agent yet. Agents hear them after: uptake init".to_owned());
    } else if withheld < ENOUGH {
        out.push(format!(
            "Lessons were withheld in {withheld} sessions whose outcome is known; with fewer than {ENOUGH} nobody can say \
             whether they help."
        ));
    }
    out
}
