//! `reader`: what a reader may make us believe. Forged answers against the checks, then a reader that obeys what attackers put
//! into sessions, in mode `auto`: nothing of it leaves without a person.

mod forged;
mod material;
mod obeying;

use anyhow::Result;

use super::{Figure, Options};

/// Runs the check.
pub fn run(options: &Options) -> Result<Vec<Figure>> {
    let mut figures = forged::figures(options);
    figures.extend(obeying::figures(options)?);
    Ok(figures)
}
