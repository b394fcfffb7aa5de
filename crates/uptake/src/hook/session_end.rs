//! Session end: what happened is learned from in the background, if it is time for that.

use std::path::Path;

use anyhow::Result;

use crate::background;
use crate::settings::{self, Settings};
use crate::world;

pub(super) fn run(data: &Path) -> Result<()> {
    let settings = settings::path().map_or_else(|| Ok(Settings::default()), |path| Settings::read(&path))?;
    if settings.enabled {
        background::start(data, world::now(), &settings)?;
    }
    Ok(())
}
