//! What a command works with: the user's home, uptake's home, the time. Asked for once per process.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};

use crate::data_rights;
use crate::env_vars;
use crate::settings::{self, Settings};

/// The surroundings of a command.
#[derive(Clone, Debug)]
pub struct World {
    /// The user's home folder.
    pub home: PathBuf,
    /// Where uptake keeps its data.
    pub data: PathBuf,
    /// The file of the user's settings.
    pub config: PathBuf,
    /// Milliseconds since 1970.
    pub now: i64,
}

impl World {
    /// From the environment. Warns of a data folder that others can reach.
    pub fn from_env() -> Result<Self> {
        let home = etcetera::home_dir().context("cannot find your home folder; set HOME")?;
        let data = data_folder().context("cannot find a data folder; set UPTAKE_HOME")?;
        let config = settings::path().context("cannot find a folder for settings; set XDG_CONFIG_HOME")?;
        data_rights::warn_once(&data);
        Ok(Self { home, data, config, now: now() })
    }

    /// The user's settings.
    pub fn settings(&self) -> Result<Settings> {
        Settings::read(&self.config)
    }
}

/// Where uptake keeps its data: `UPTAKE_HOME`, else `$XDG_DATA_HOME/uptake`.
pub fn data_folder() -> Option<PathBuf> {
    use etcetera::BaseStrategy as _;
    if let Some(home) = env_vars::get(env_vars::UPTAKE_HOME) {
        return Some(PathBuf::from(home));
    }
    etcetera::base_strategy::choose_base_strategy().ok().map(|b| b.data_dir().join("uptake"))
}

/// Milliseconds since 1970, by the variable of the tests, else by the wall clock. Any time at all is an answer: a clock may
/// stand wherever somebody set it.
#[expect(clippy::disallowed_methods, reason = "the one place that asks")]
pub fn now() -> i64 {
    env_vars::get(env_vars::UPTAKE_NOW).and_then(|time| parsed(&time)).unwrap_or_else(|| millis(SystemTime::now()))
}

fn parsed(time: &str) -> Option<i64> {
    time.parse().ok().or_else(|| time.parse().ok().map(jiff::Timestamp::as_millisecond))
}

fn millis(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |ms| -ms),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_clock_may_stand_anywhere() {
        let year_10000 = 253_402_300_800;
        for (seconds, expected) in [
            (0, 0),
            (1_794_830_400, 1_794_830_400_000),
            (year_10000, year_10000 * 1_000),
            (1_000 * year_10000, 1_000_000 * year_10000),
            (i64::MAX, i64::MAX),
            (-1, -1_000),
            (-year_10000, -1_000 * year_10000),
            (i64::MIN + 1, i64::MIN),
        ] {
            let distance = Duration::from_secs(seconds.unsigned_abs());
            let time = if seconds < 0 { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) };
            assert_eq!(millis(time.expect("a time")), expected, "{seconds}");
        }
    }

    #[test]
    fn a_time_is_given_as_a_date_or_in_milliseconds() {
        for (text, expected) in [
            ("2026-11-16T12:00:00Z", Some(1_794_830_400_000)),
            ("1794830400000", Some(1_794_830_400_000)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9999-12-31T23:59:59Z", None),
            ("+010000-01-01T00:00:00Z", None),
            ("9223372036854775808", None),
            ("tomorrow", None),
        ] {
            assert_eq!(parsed(text), expected, "{text}");
        }
    }
}
