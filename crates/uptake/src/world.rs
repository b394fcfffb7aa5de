//! What a command works with: the user's home, uptake's home, the time. Asked for once per process.

use std::path::PathBuf;

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

/// Milliseconds since 1970, by the variable of the tests, else by the wall clock.
#[expect(clippy::disallowed_methods, reason = "the one place that asks")]
pub fn now() -> i64 {
    let fixed = env_vars::get(env_vars::UPTAKE_NOW).and_then(|time| time.parse().ok());
    fixed.unwrap_or_else(jiff::Timestamp::now).as_millisecond()
}
