//! Damaged stores: bytes, pages, headers and ends of `lessons.db`, of its log and of its journal. No decision and no lesson of
//! the user's own is lost, nothing else changes without a word, and every command works afterwards.
//!
//! The material and the measure are those of `crates/uptake/tests/cli/damaged.rs`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use uptake_testkit::folders;
use uptake_testkit::store_damage::{Before, Run, Wrong};

use crate::battery::world::{World, binary};
use crate::battery::{Figure, Options, Rng, say, two_at_a_time};

/// Two at a time, each in a world of its own.
const WORKERS: usize = 2;
/// Findings that are told.
const TOLD: usize = 5;
/// Damages that make the bar.
const ENOUGH: usize = 1_000;

const SORTS: [(Wrong, &str); 4] = [
    (Wrong::Lost, "damages that cost a decision or a lesson of the user's own"),
    (Wrong::Silent, "damages that changed something else without a word"),
    (Wrong::DeadEnd, "damages after which a command fails"),
    (Wrong::Trace, "damages after which a forgotten text can be read"),
];

#[derive(Default)]
struct Found {
    targets: BTreeMap<String, usize>,
    wrong: Vec<(Wrong, String)>,
}

/// Runs the check.
pub fn figures(options: &Options) -> Result<Vec<Figure>> {
    let binary = binary(options)?;
    let workers: Vec<usize> = (0..WORKERS).collect();
    let mut all = Found::default();
    for one in two_at_a_time(&workers, |worker| work(&binary, options, *worker))? {
        one.targets.into_iter().for_each(|(target, n)| *all.targets.entry(target).or_default() += n);
        all.wrong.extend(one.wrong);
    }
    all.wrong.iter().take(TOLD).for_each(|(sort, what)| say(&format!("damage: {sort:?}: {what}")));
    let done: usize = all.targets.values().sum();
    let targets: Vec<String> = all.targets.iter().map(|(target, n)| format!("{target} {n}")).collect();
    let mut out = vec![Figure::new("damaged stores", done).bar("≥ 1,000", done >= ENOUGH).why(targets.join(", "))];
    for (sort, what) in SORTS {
        let of: Vec<&String> = all.wrong.iter().filter(|(s, _)| *s == sort).map(|(_, w)| w).collect();
        let first = of.first().map(|w| w.chars().take(200).collect::<String>());
        out.push(Figure::none(what, of.len()).why(first.unwrap_or_default()));
    }
    Ok(out)
}

fn work(binary: &Path, options: &Options, worker: usize) -> Result<Found> {
    let world = World::new(binary)?;
    let demo = folders::fixtures().join("demo");
    folders::copy(&demo.join("claude/projects"), &world.home().join(".claude/projects"));
    folders::copy(&demo.join("codex/sessions"), &world.home().join(".codex/sessions"));
    let run = |args: &[&str]| match world.run(args, &[], b"") {
        Ok(said) => {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            Run { ok: said.ok, out: text(&said.out), err: text(&said.err) }
        }
        Err(e) => Run { ok: false, out: String::new(), err: e.to_string() },
    };
    run(&["learn", "--json"]);
    let before = Before::new(&world.data(), &world.home(), &world.path("kept"), &run);
    let mut rng = Rng::new(options.seed, &format!("damaged stores {worker}"));
    let mut found = Found::default();
    for n in 0..options.damages / WORKERS {
        let (target, how, wrong) = before.damage(&world.data(), &world.home(), &mut rng, &run);
        *found.targets.entry(format!("{target:?}")).or_default() += 1;
        found.wrong.extend(wrong.into_iter().map(|(sort, what)| (sort, format!("{how}: {what}"))));
        if (n + 1) % 100 == 0 {
            say(&format!("damage: {} stores", n + 1));
        }
    }
    Ok(found)
}
