//! Stories of sessions, day by day: for `uptake retro`, and kept in a file a day by runs that nobody watches.
//!
//! A file of a day is made of what is kept of its sessions, so it can be written again at any time.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;
use uptake_core::detect;
use uptake_core::measure::retro::{Retro, retro};
use uptake_core::redact::clean;
use uptake_core::session::{Agent, Session};
use uptake_store::atomic_file::{self, Over, Readers};
use uptake_store::open::make_home;
use uptake_store::{SessionRow, Sessions};

use crate::prune::RETROS;

/// The keys are those of the seed design; each number counts what the story names.
#[derive(Serialize)]
pub struct StoryRow {
    session_id: String,
    patterns_detected: usize,
    error_solutions_extracted: usize,
    skill_improvements: usize,
    summary: String,
}

impl StoryRow {
    /// Of a session.
    pub fn of(session: &Session, story: &Retro) -> Self {
        Self {
            session_id: session.id.clone(),
            patterns_detected: story.patterns,
            error_solutions_extracted: story.solved.len(),
            skill_improvements: story.learnable.len(),
            summary: clean(&story.summary()),
        }
    }
}

/// The day of a time, as the world counts days.
pub fn day_of(ms: i64) -> Option<Date> {
    Some(jiff::Timestamp::from_millisecond(ms).ok()?.to_zoned(TimeZone::UTC).date())
}

/// The sessions that ended on a day, each with its story.
pub fn of_day(sessions: &Sessions, day: Date) -> Result<Vec<(SessionRow, StoryRow)>> {
    let mut out = Vec::new();
    let on_day = |r: &SessionRow| r.agent == Agent::Main && r.ended.and_then(day_of) == Some(day);
    for row in sessions.list(None)?.into_iter().filter(on_day) {
        let Some(session) = sessions.session_of(&row.path)? else { continue };
        if let Some(story) = retro(&session, &detect::detect(&session)) {
            let told = StoryRow::of(&session, &story);
            out.push((row, told));
        }
    }
    Ok(out)
}

/// Writes the file of a day, if anything happened on it. Answers where it is, and how many sessions are in it.
pub fn write_day(data: &Path, sessions: &Sessions, day: Date) -> Result<Option<(PathBuf, usize)>> {
    let stories = of_day(sessions, day)?;
    if stories.is_empty() {
        return Ok(None);
    }
    let mut text = String::new();
    for (_, story) in &stories {
        let mut value = serde_json::to_value(story)?;
        value["v"] = 1.into();
        text.push_str(&format!("{value}\n"));
    }
    let folder = data.join(RETROS);
    make_home(&folder)?;
    let path = folder.join(format!("{day}.jsonl"));
    atomic_file::write(&path, &text, Readers::User, Over::Replace)
        .with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(Some((path, stories.len())))
}

/// Keeps the stories of today, when sessions were learned from in the background.
pub fn after_session(data: &Path, now: i64) -> Result<()> {
    if let (Some(sessions), Some(day)) = (Sessions::open_read_only(data)?, day_of(now)) {
        write_day(data, &sessions, day)?;
    }
    Ok(())
}

/// The file whose words are the time of the last daily run.
fn marker(data: &Path) -> PathBuf {
    data.join(RETROS).join("daily")
}

/// Notes that the daily run ran.
pub fn ran(data: &Path, now: i64) -> Result<()> {
    make_home(&data.join(RETROS))?;
    Ok(uptake_store::open::write_private(&marker(data), &now.to_string())?)
}

/// When it last ran.
pub fn last_ran(data: &Path) -> Option<i64> {
    std::fs::read_to_string(marker(data)).ok()?.trim().parse().ok()
}
