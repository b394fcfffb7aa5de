//! `telling`: secrets that only their name gives away: words, numbers, stand-ins with a drawn tail.
//!
//! Rules were written while looking at one half of names and places; the other half is the judge, and the bar is its.

use anyhow::Result;
use uptake_core::redact::clean;
use uptake_testkit::plants::telling::{Half, Plant, plants};

use super::{Figure, Options, say};

/// The largest share that may leak, in per cent.
const BAR: f64 = 1.0;
/// Values of each kind, place and name.
const DRAWS: u64 = 4;

/// Runs the check.
pub fn run(options: &Options) -> Result<Vec<Figure>> {
    Ok([Half::Learn, Half::Judge].map(|half| figure(options, half)).into())
}

fn figure(options: &Options, half: Half) -> Figure {
    let all: Vec<Plant> = (0..DRAWS).flat_map(|draw| plants(half, options.seed + draw)).collect();
    let leaks: Vec<&Plant> = all.iter().filter(|plant| plant.leaks(&clean(&plant.text))).collect();
    // What the judge misses is counted, not shown: a rule must not be fitted to it.
    if options.verbose && half == Half::Learn {
        leaks.iter().for_each(|plant| say(&format!("leak: {}: {:?}", plant.what.join(", "), plant.text)));
    }
    let share = 100.0 * leaks.len() as f64 / all.len().max(1) as f64;
    let what = match half {
        Half::Learn => "under a telling name, places that rules were written for: leaks",
        Half::Judge => "under a telling name, held-back names and places: leaks",
    };
    Figure::new(what, format!("{} of {} ({share:.2} %)", leaks.len(), all.len()))
        .bar(format!("≤ {BAR:.0} %"), share <= BAR)
}
