//! `artifacts`: what is made of lessons in a project. Kills and full disks at every write of rendering and reconciling, many
//! processes beside a person who edits the same file, links that come up meanwhile: nothing is there twice, lost or elsewhere.

mod harm;
mod links;
mod race;
mod scene;

use anyhow::Result;

use super::world::binary;
use super::{Figure, Options, crash};

/// Runs the check.
pub fn run(options: &Options) -> Result<Vec<Figure>> {
    crash::is_there()?;
    let binary = binary(options)?;
    let mut figures = harm::run(&binary, options)?;
    figures.extend(links::run(&binary, options)?);
    figures.extend(race::run(&binary, options)?);
    Ok(figures)
}
