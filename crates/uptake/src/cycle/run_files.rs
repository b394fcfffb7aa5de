//! The files of a run, in ClosedLoop's forms: for whoever wants to look, or to go on with another tool. All of them are made of
//! what the store knows; `uptake prune` removes old ones.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use jiff::Timestamp;
use serde_json::{Value, json};
use uptake_core::measure::goal::Goal;
use uptake_core::measure::outcome_log::{Logged, write as line};
use uptake_core::measure::places::places;
use uptake_core::redact::clean;
use uptake_core::render::{TableRow, toon};
use uptake_store::atomic_file::{self, Over, Readers};
use uptake_store::open::make_home;

use super::Done;

/// Where the files of all runs are.
pub const RUNS: &str = "runs";

/// Where those of an iteration are.
pub(super) fn folder(data: &Path, project: &str, run: &str, iteration: u32) -> PathBuf {
    data.join(RUNS).join(format!("{run}-{}", super::short(project))).join(format!("iteration-{iteration}"))
}

/// Writes them, each whole or not at all.
pub(super) fn write(done: &Done, now: i64) -> Result<()> {
    make_home(&done.files)?;
    let time =
        Timestamp::from_millisecond(now).map(|t| t.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()).unwrap_or_default();
    let put = |name: &str, text: &str| {
        let path = done.files.join(name);
        atomic_file::write(&path, text, Readers::User, Over::Replace)
            .with_context(|| format!("cannot write `{}`", path.display()))
    };
    let json = |value: &Value| serde_json::to_string_pretty(value).map(|t| t + "\n");
    put("changed-files.json", &json(&json!(done.changed))?)?;
    let scores: Vec<Value> = done
        .relevance
        .iter()
        .map(|(id, score, common)| {
            let score = f64::from(*score) / 1_000.0;
            json!({ "pattern_id": id, "score": score, "method": "context_tags", "matched_concepts": common })
        })
        .collect();
    put("relevance-scores.json", &json(&json!(scores))?)?;
    if let Some((goal, judged)) = &done.goal {
        put(
            "goal-outcome.json",
            &json(&json!({
                "goal": goal.name(), "run_id": done.run, "success": judged.map(|j| j.met),
                "score": judged.map_or(0.5, |j| j.score), "metrics": { "value": judged.map(|j| j.value) },
                "details": if judged.is_some() { clean(&goal.words()) } else { unmeasured(goal).to_owned() },
                "evaluated_at": time,
            }))?,
        )?;
    }
    if let Some(built) = done.built {
        let status = if built { "passed" } else { "failed" };
        let result = json!({ "status": status, "timestamp": time, "iteration": done.iteration, "run_id": done.run });
        put("build-result.json", &json(&result)?)?;
    }
    put("outcomes.log", &log(done, &time))?;
    let rows: Vec<TableRow<'_>> = done.standings.iter().map(super::Standing::row).collect();
    put("org-patterns.toon", &toon(&rows, &time))
}

/// Why nothing was measured.
fn unmeasured(goal: &Goal) -> &'static str {
    if goal.command().is_some() { "command_failed" } else { "session_file_not_found" }
}

fn log(done: &Done, time: &str) -> String {
    let mut out = String::new();
    let words = |id: &str| {
        let standing = done.standings.iter().find(|s| s.lesson.id == id);
        standing.map(|s| clean(&s.lesson.payload.statement)).unwrap_or_default()
    };
    for one in &done.uses {
        let goal = done.goal.as_ref().and_then(|(goal, judged)| {
            let judged = (*judged)?;
            Some((goal.name().to_owned(), judged.met, judged.score))
        });
        out.push_str(&line(&Logged {
            time: time.to_owned(),
            run: done.run.clone(),
            iteration: done.iteration,
            agent: "uptake".to_owned(),
            pattern: format!("[{}] {}", one.lesson, words(&one.lesson)),
            applied: one.applied,
            places: one.claims.iter().flat_map(|(place, _)| places(place)).collect(),
            relevance: one.relevance,
            method: "context_tags".to_owned(),
            goal,
            unverified: !one.is_verified(),
            built: done.built,
        }));
        out.push('\n');
    }
    out
}
