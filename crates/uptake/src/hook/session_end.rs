//! Session end: what happened is learned from in the background, if it is time for that.

use std::path::Path;

use anyhow::Result;

use crate::background;
use crate::settings::Settings;
use crate::world;

pub(super) fn run(data: &Path) -> Result<()> {
    let settings = Settings::of_user()?;
    if settings.enabled {
        background::start(data, world::now(), &settings)?;
    }
    Ok(())
}
