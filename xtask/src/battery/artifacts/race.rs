//! Many processes write decisions into one project while a person adds lines to the file.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::Result;

use super::scene::{Scene, lesson};
use crate::battery::{Figure, Options, say, two_at_a_time};

/// Processes at a time.
const PROCESSES: usize = 32;
/// Between two lines of the person.
const PAUSE: Duration = Duration::from_millis(4);
/// Trials in one world.
const IN_ONE_WORLD: usize = 20;

#[derive(Default)]
struct Given {
    trials: usize,
    notes: usize,
    lost: Vec<String>,
    twice: usize,
    missing: usize,
    failed: Vec<String>,
}

/// Runs it.
pub fn run(binary: &Path, options: &Options) -> Result<Vec<Figure>> {
    let worlds: Vec<usize> = (0..options.trials).step_by(IN_ONE_WORLD).collect();
    let mut all = Given::default();
    for one in two_at_a_time(&worlds, |from| world(binary, *from, (options.trials - from).min(IN_ONE_WORLD)))? {
        all.trials += one.trials;
        all.notes += one.notes;
        all.lost.extend(one.lost);
        all.twice += one.twice;
        all.missing += one.missing;
        all.failed.extend(one.failed);
    }
    let told = all.failed.first().cloned().unwrap_or_default();
    Ok(vec![
        Figure::new("times that 32 processes wrote decisions beside a person", all.trials)
            .bar("≥ 1,000", all.trials >= 1_000),
        Figure::new("lines the person wrote meanwhile", all.notes),
        Figure::none("lines that are not there", all.lost.len()).why(all.lost.join("; ")),
        Figure::none("numbers or lessons that are there twice", all.twice),
        Figure::none("decisions that are not there", all.missing),
        Figure::none("processes that failed", all.failed.len()).why(told),
    ])
}

fn world(binary: &Path, from: usize, trials: usize) -> Result<Given> {
    let scene = Scene::new(binary)?;
    let mut given = Given::default();
    for trial in from..from + trials {
        let texts = (0..PROCESSES).map(|n| (n, format!("Choose option {n} of trial {trial} for module m{n}")));
        let rows: String = texts.map(|(n, text)| lesson(trial * PROCESSES + n, "decision", &text)).collect();
        let ids = scene.take_in(&rows)?;
        one(&scene, &ids, &mut given)?;
    }
    say(&format!("artifacts: {} trials of 32 at once", from + trials));
    Ok(given)
}

fn one(scene: &Scene, ids: &[String], given: &mut Given) -> Result<()> {
    let file = scene.world.project().join(".uptake/knowledge/decisions.md");
    let accept = |id: &String| {
        let mut command = scene.world.command(&[]);
        command.args(["review", "--accept", id]).current_dir(scene.world.project());
        command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()
    };
    let mut children = ids.iter().map(accept).collect::<std::io::Result<Vec<_>>>()?;
    let (first, mut n) = (given.notes, 0);
    while children.iter_mut().any(|c| c.try_wait().is_ok_and(|ended| ended.is_none())) {
        let mut open = std::fs::OpenOptions::new().append(true).open(&file)?;
        writeln!(open, "note {}.", first + n)?;
        n += 1;
        std::thread::sleep(PAUSE);
    }
    for child in children {
        let out = child.wait_with_output()?;
        if !out.status.success() {
            given.failed.push(String::from_utf8_lossy(&out.stderr).trim().to_owned());
        }
    }
    // What came through an old door stands in the file after the next look, which every session begins with.
    scene.world.run(&["reconcile"], &[], b"")?;
    let text = std::fs::read_to_string(&file)?;
    let lines: BTreeSet<&str> = text.lines().collect();
    for n in (first..first + n).filter(|n| !lines.contains(format!("note {n}.").as_str())) {
        let near: Vec<&str> = text.lines().filter(|l| l.contains(&n.to_string())).take(3).collect();
        given.lost.push(format!("{n} (there is {near:?})"));
    }
    let found = scene.found()?;
    given.twice += found.twice().len();
    let there: BTreeSet<String> = found.entries().into_iter().map(|(_, lesson)| lesson).collect();
    given.missing += ids.iter().filter(|id| !there.contains(*id)).count();
    given.notes += n;
    given.trials += 1;
    Ok(())
}
