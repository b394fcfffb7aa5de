//! Track records: success rates over very many outcomes, and places held against a diff.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use uptake::cycle::records;
use uptake_store::{CYCLE, Iteration, Lessons, Measured, UseRow};

use crate::bench_counting;
use crate::bench_lessons::middle;

/// Lessons that the outcomes are of.
const LESSONS: usize = 200;
/// Lessons used in one iteration.
const EACH: usize = 20;
/// Runs of each.
const RUNS: usize = 15;
/// Places that are held against a diff.
const PLACES: usize = 100;

/// Runs the measurements.
pub fn run(binary: &Path, bash: f64) -> Result<()> {
    for (outcomes, bar) in [(10_000, 20), (100_000, 200)] {
        rates(outcomes, bar)?;
    }
    places(binary, bash)?;
    bench_counting::run()
}

/// Reading the rows and adding them up.
fn rates(outcomes: usize, bar: u32) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut store = Lessons::open_scratch(folder.path())?;
    for n in 0..outcomes / EACH {
        let measured =
            n.is_multiple_of(2).then(|| Measured { goal: "keep-green".into(), value: 0.0, met: n % 3 > 0, score: 500 });
        let iteration = Iteration {
            source: CYCLE.to_owned(),
            session: format!("run-{}/{n}", n / 10),
            project: "git.example.com/dev/shop".to_owned(),
            at: n as i64,
            built: Some(n % 5 > 0),
            measured,
        };
        let one = |m: usize| UseRow {
            lesson: format!("{:020x}", (n * EACH + m) % LESSONS),
            applied: !m.is_multiple_of(4),
            claims: if m.is_multiple_of(3) {
                vec![("src/a.rs:10".to_owned(), m.is_multiple_of(2))]
            } else {
                Vec::new()
            },
            relevance: Some(400),
        };
        store.keep_cycle(&iteration, &(0..EACH).map(one).collect::<Vec<_>>())?;
    }
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        let all = records(&store, 1_000_000)?;
        times.push(start.elapsed().as_secs_f64());
        let uses: u32 = all.values().map(|w| w.all.uses).sum();
        ensure!(uses as usize == outcomes && all.len() == LESSONS, "{uses} uses of {} lessons", all.len());
    }
    times.sort_by(f64::total_cmp);
    println!("success rates over {outcomes:6} outcomes      {:.1} ms (bar {bar})", times[RUNS / 2] * 1e3);
    Ok(())
}

/// A whole `uptake cycle` that is told a hundred places, beside one that is told none.
fn places(binary: &Path, bash: f64) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let at = folder.path();
    let shop = at.join("shop");
    std::fs::create_dir_all(shop.join("src"))?;
    let file = |n: usize| shop.join(format!("src/f{n}.rs"));
    for n in 0..PLACES {
        std::fs::write(file(n), "line\n".repeat(60))?;
    }
    for args in [
        &["init", "-q"][..],
        &["add", "-A"],
        &["-c", "user.name=d", "-c", "user.email=d@example.com", "commit", "-qm", "first"],
    ] {
        ensure!(Command::new("git").args(args).current_dir(&shop).status()?.success(), "git {args:?}");
    }
    for n in 0..PLACES {
        std::fs::write(file(n), format!("{}changed\n{}", "line\n".repeat(9), "line\n".repeat(50)))?;
    }
    let uptake = |args: &[&str]| {
        let mut command = Command::new(binary);
        command.args(args).current_dir(&shop).env("HOME", at).env("UPTAKE_HOME", at.join("data"));
        let out = command.env_remove("XDG_CONFIG_HOME").output()?;
        ensure!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        Ok(out.stdout)
    };
    uptake(&["add", "Always check token expiry before API calls"])?;
    let line = |n: usize| {
        format!(
            "2026-02-01T10:00:00Z|r1|1|coder|Always check token expiry before API calls|applied|src/f{n}.rs:{}\n",
            8 + n % 8
        )
    };
    let log = at.join("outcomes.log");
    std::fs::write(&log, (0..PLACES).map(line).collect::<String>())?;
    let log = log.to_str().context("a path")?;
    // In turns: whatever else the machine does slows down both.
    // Each has a run of its own, so that neither removes what the other wrote.
    let both = [&["cycle", "--json", "--run", "r0"][..], &["cycle", "--json", "--run", "r1", "--outcomes", log]];
    let mut times: [Vec<f64>; 2] = Default::default();
    for _ in 0..RUNS {
        for (n, args) in both.into_iter().enumerate() {
            let start = Instant::now();
            uptake(args)?;
            times[n].push(start.elapsed().as_secs_f64());
        }
    }
    let medians = times.map(middle);
    println!(
        "{PLACES} places against a diff of {PLACES} files    {:.1} ms beside a cycle without (bar 30); the whole cycle {:.1} ms = {:.1}x `bash -c true`",
        (medians[1] - medians[0]) * 1e3,
        medians[1] * 1e3,
        medians[1] / bash
    );
    Ok(())
}
