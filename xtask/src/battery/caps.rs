//! `caps`: a token of every kind, with every number of its bytes before every cap: no part of it is kept.
//!
//! In this process, through the core's own steps from a transcript to skills and hints. `--every N` tries a part.

use anyhow::Result;
use uptake_testkit::plants::caps::{CAPS, Cap, left_of};
use uptake_testkit::plants::kinds::{KINDS, Kind, KnownBy};

use super::{Figure, Options, Rng, say, two_at_a_time};

/// Huge lines take long: every so many places.
const HUGE_STEP: usize = 19;

/// Runs the check.
pub fn run(options: &Options) -> Result<Vec<Figure>> {
    let kinds: Vec<&Kind> = KINDS.iter().filter(|k| k.known_by != KnownBy::Name).collect();
    let jobs: Vec<(&Cap, &Kind)> = CAPS.iter().flat_map(|c| kinds.iter().map(move |k| (c, *k))).collect();
    let given = two_at_a_time(&jobs, |(cap, kind)| Ok(one(options, cap, kind)))?;
    let tried: usize = given.iter().map(|(tried, _)| tried).sum();
    let leaks: Vec<&String> = given.iter().flat_map(|(_, leaks)| leaks).collect();
    leaks.iter().take(12).for_each(|leak| say(&format!("leak: {leak}")));
    let what =
        format!("{} kinds across {} caps, {tried} places: parts of eight characters kept", kinds.len(), CAPS.len());
    Ok(vec![Figure::none(what, leaks.len()).why(leaks.first().map_or("", |l| l.as_str()))])
}

fn one(options: &Options, cap: &Cap, kind: &Kind) -> (usize, Vec<String>) {
    let mut rng = Rng::new(options.seed, &format!("caps {} {}", cap.name, kind.name));
    let secret = kind.draw(&mut rng);
    let step = options.every.max(1) * if cap.name.starts_with("huge") { HUGE_STEP } else { 1 };
    let places = (1 + rng.below(step)..secret.text.len() + 2).step_by(step);
    let leak = |before: usize| {
        let part = left_of(&secret, &cap.kept(&secret.text, before))?;
        Some(format!("{}, {}, {before} before: {part}", cap.name, kind.name))
    };
    (places.clone().count(), places.filter_map(leak).collect())
}
