//! `[retention]` of the user's `config.toml`: how much is kept of what can be had again. Numbers, each within bounds; nothing of
//! it is ever run.

use std::ops::RangeInclusive;

use anyhow::{Context as _, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use toml_edit::{DocumentMut, Item, Table};

use super::{Change, Setting, put, refused, whole};

const SECTION: &str = "retention";

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Retention {
    /// Folders of `uptake cycle`.
    pub max_runs: u32,
    /// Sessions whose events are kept.
    pub max_sessions: u32,
    /// Lines of each log.
    pub max_log_lines: u32,
    /// Days that retrospectives, damaged stores and records of hooks are kept.
    pub max_archive_age_days: u32,
    /// Hours after which a lock that nobody holds goes, and what a killed process left.
    pub lock_stale_hours: u32,
    /// What is younger is never touched.
    pub protected_window_minutes: u32,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            max_runs: 100,
            max_sessions: 5_000,
            max_log_lines: 10_000,
            max_archive_age_days: 30,
            lock_stale_hours: 4,
            protected_window_minutes: 30,
        }
    }
}

const RUNS: RangeInclusive<i64> = 1..=100_000;
const SESSIONS: RangeInclusive<i64> = 1..=10_000_000;
const LINES: RangeInclusive<i64> = 1..=10_000_000;
const DAYS: RangeInclusive<i64> = 1..=3_650;
const HOURS: RangeInclusive<i64> = 1..=8_760;
const MINUTES: RangeInclusive<i64> = 0..=525_600;

/// The settings of the section, in the order they are shown.
pub const RETENTION_KEYS: &[Setting] = &[
    Setting {
        name: "retention.max-runs",
        what: "runs of `uptake cycle` whose files are kept",
        values: "1 to 100000",
        fits: |text| whole(text, RUNS),
    },
    Setting {
        name: "retention.max-sessions",
        what: "sessions whose events are kept",
        values: "1 to 10000000",
        fits: |text| whole(text, SESSIONS),
    },
    Setting {
        name: "retention.max-log-lines",
        what: "lines of a log that are kept",
        values: "1 to 10000000",
        fits: |text| whole(text, LINES),
    },
    Setting {
        name: "retention.max-archive-age-days",
        what: "days that retrospectives, damaged stores and records of hooks are kept",
        values: "1 to 3650",
        fits: |text| whole(text, DAYS),
    },
    Setting {
        name: "retention.lock-stale-hours",
        what: "hours after which a lock that nobody holds, and what a killed process left, goes",
        values: "1 to 8760",
        fits: |text| whole(text, HOURS),
    },
    Setting {
        name: "retention.protected-window-minutes",
        what: "what is younger is never touched",
        values: "0 to 525600",
        fits: |text| whole(text, MINUTES),
    },
];

impl Retention {
    fn part(&self, name: &str) -> Option<u32> {
        Some(match name.strip_prefix("retention.")? {
            "max-runs" => self.max_runs,
            "max-sessions" => self.max_sessions,
            "max-log-lines" => self.max_log_lines,
            "max-archive-age-days" => self.max_archive_age_days,
            "lock-stale-hours" => self.lock_stale_hours,
            "protected-window-minutes" => self.protected_window_minutes,
            _ => return None,
        })
    }

    /// Whether all of it is within bounds.
    pub(super) fn check(&self) -> Result<()> {
        for key in RETENTION_KEYS {
            let value = self.part(key.name).unwrap_or_default().to_string();
            ensure!((key.fits)(&value).is_some(), "`{}` must be {}, not {value}", key.name, key.values);
        }
        Ok(())
    }
}

pub(super) fn get(settings: &Retention, name: &str) -> Option<String> {
    settings.part(name).map(|n| n.to_string())
}

pub(super) fn is_ours(name: &str) -> bool {
    RETENTION_KEYS.iter().any(|key| key.name == name)
}

pub(super) fn set(document: &mut DocumentMut, name: &str, change: &Change<'_>) -> Result<()> {
    let key =
        RETENTION_KEYS.iter().find(|k| k.name == name).with_context(|| format!("there is no setting `{name}`"))?;
    let section = document.entry(SECTION).or_insert_with(|| Item::Table(Table::new()));
    let section = section.as_table_mut().context("`retention` is no table; write it as [retention]")?;
    let part = name.strip_prefix("retention.").unwrap_or(name);
    match change {
        Change::Set(text) => {
            let value = (key.fits)(text.trim()).ok_or_else(|| refused(name, text, key.values))?;
            put(section, part, value);
        }
        Change::Unset => drop(section.remove(part)),
        Change::Add(_) | Change::Remove(_) => bail!("`{name}` is no list"),
    }
    if section.is_empty() {
        document.remove(SECTION);
    }
    Ok(())
}
