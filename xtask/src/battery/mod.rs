//! `cargo xtask battery`: the long checks, each with a bar, in one table at the end.
//!
//! Comes in: options. Goes out: progress on standard error, one table of figures on standard output, and a failure if
//! a bar is missed. A check is one file here and one row of [`CHECKS`]; `docs/battery.md` says what each figure means.

mod artifacts;
mod caps;
mod changes;
mod crash;
mod cycle;
mod damage;
mod dialects;
mod full;
mod fuzz;
mod hooks;
mod kept;
mod kills;
mod load;
mod over_redaction;
mod plants;
mod reader;
mod real;
mod redact_share;
mod retention;
mod table;
mod telling;
mod trust;
mod world;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Result, bail, ensure};
use clap::Args;

pub use table::{Figure, State};
pub use uptake_testkit::Rng;

/// What all checks are given.
#[derive(Args, Debug, Default)]
pub struct Options {
    /// Run only these checks
    #[arg(long, num_args = 1.., value_name = "NAME")]
    pub only: Vec<String>,
    /// List the checks
    #[arg(long)]
    pub list: bool,
    /// A folder of real sessions, for the checks that need some
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// Seconds per fuzz target
    #[arg(long, default_value_t = 60, value_name = "N")]
    pub seconds: u64,
    /// Where chance begins
    #[arg(long, default_value_t = SEED, value_name = "N")]
    pub seed: u64,
    /// A table of gitleaks rules to measure beside ours
    #[arg(long, value_name = "FILE")]
    pub gitleaks: Option<PathBuf>,
    /// Judgements of redaction marks: `HASH right` or `HASH wrong`, one a line
    #[arg(long, value_name = "FILE")]
    pub judged: Option<PathBuf>,
    /// Plant only every Nth case, for a quick look
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub every: usize,
    /// Mutated transcripts per source
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    pub mutations: usize,
    /// Damaged stores
    #[arg(long, default_value_t = 1_000, value_name = "N")]
    pub damages: usize,
    /// Kills at a random time
    #[arg(long, default_value_t = 2_000, value_name = "N")]
    pub kills: usize,
    /// Times that 32 processes write decisions while a person edits the file
    #[arg(long, default_value_t = 1_000, value_name = "N")]
    pub trials: usize,
    /// Times that a folder becomes a link while uptake writes below it
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    pub swaps: usize,
    /// Strings of attackers to plant: a JSON list of objects with a `text`
    #[arg(long, value_name = "FILE")]
    pub injections: Option<PathBuf>,
    /// One-byte changes of approved lessons
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    pub changes: usize,
    /// A built uptake to check, instead of building one
    #[arg(long, value_name = "FILE")]
    pub binary: Option<PathBuf>,
    /// Show more of what was found
    #[arg(long)]
    pub verbose: bool,
    /// One JSON object per figure
    #[arg(long)]
    pub json: bool,
}

/// The seed if none is given.
const SEED: u64 = 20_260_301;

/// One long check.
pub struct Check {
    /// What `--only` calls it.
    pub name: &'static str,
    /// What it does, for `--list`.
    pub about: &'static str,
    /// Whether it reads real sessions.
    pub needs_corpus: bool,
    /// Does it.
    pub run: fn(&Options) -> Result<Vec<Figure>>,
}

/// All checks, in the order they run.
pub const CHECKS: &[Check] = &[
    Check {
        name: "plants",
        about: "planted secrets through every source, command and file: none comes out",
        needs_corpus: false,
        run: plants::run,
    },
    Check {
        name: "caps",
        about: "a token of every kind at every place across every cap: no part of it is kept",
        needs_corpus: false,
        run: caps::run,
    },
    Check {
        name: "telling",
        about: "secrets that only their name gives away, with names and places that no rule was written for",
        needs_corpus: false,
        run: telling::run,
    },
    Check {
        name: "trust",
        about: "strings of attackers through every way into a session, and changed bytes: nothing unapproved leaves",
        needs_corpus: false,
        run: trust::run,
    },
    Check {
        name: "reader",
        about: "forged answers of a reader, and one that obeys attackers: nothing passes that should not, nothing leaves",
        needs_corpus: false,
        run: reader::run,
    },
    Check {
        name: "over-redaction",
        about: "what is taken out of real sessions, and whether paths, commit ids and UUIDs stay",
        needs_corpus: true,
        run: over_redaction::run,
    },
    Check {
        name: "damage",
        about: "mutated transcripts of every source, and damaged stores: nothing panics, hangs, is lost or passes in silence",
        needs_corpus: false,
        run: damage::run,
    },
    Check {
        name: "changes",
        about: "random sequences of sights, decisions, undoing, clearing and crashes equal a small model",
        needs_corpus: false,
        run: changes::run,
    },
    Check {
        name: "kills",
        about: "uptake killed at random times and at every write: nothing is lost, and the next run goes on",
        needs_corpus: false,
        run: kills::run,
    },
    Check {
        name: "full",
        about: "no space left at every write: a clear message, nothing torn, and the next run goes on",
        needs_corpus: false,
        run: full::run,
    },
    Check {
        name: "cycle",
        about: "uptake cycle killed at every write, run again, and run by sixteen at once: the same numbers",
        needs_corpus: false,
        run: cycle::run,
    },
    Check {
        name: "retention",
        about: "a year of sessions, day by day: sessions.db and the spool stay within their caps, in bytes",
        needs_corpus: false,
        run: retention::run,
    },
    Check {
        name: "artifacts",
        about: "files made of lessons: kills and full disks at every write, 32 at once beside a person, racing links",
        needs_corpus: false,
        run: artifacts::run,
    },
    Check {
        name: "hooks",
        about: "64 hooks of a session at once, killed hooks, hooks kept waiting, in the dialect of every client: a fix is told once, and no agent waits",
        needs_corpus: false,
        run: hooks::run,
    },
    Check {
        name: "load",
        about: "64 at once start 1,000 hooks each, some are killed: every start that ended well is written down once",
        needs_corpus: false,
        run: load::run,
    },
    Check {
        name: "redact-share",
        about: "how much of learn's time goes into taking out secrets",
        needs_corpus: true,
        run: redact_share::run,
    },
    Check {
        name: "fuzz",
        about: "every fuzz target for --seconds, two at a time: nothing is found",
        needs_corpus: false,
        run: fuzz::run,
    },
];

/// Runs the checks and prints the table.
pub fn run(options: &Options) -> Result<()> {
    if options.list {
        CHECKS.iter().for_each(|c| println!("{:16} {}", c.name, c.about));
        return Ok(());
    }
    if let Some(unknown) = options.only.iter().find(|n| !CHECKS.iter().any(|c| c.name == **n)) {
        bail!("no check is called `{unknown}`; `cargo xtask battery --list` lists them");
    }
    say(&format!("seed {}", options.seed));
    let chosen = CHECKS.iter().filter(|c| options.only.is_empty() || options.only.iter().any(|n| n == c.name));
    let mut figures = Vec::new();
    for check in chosen {
        let start = Instant::now();
        say(&format!("{}: {}", check.name, check.about));
        figures.extend(one(check, options));
        say(&format!("{}: {:.0} s", check.name, start.elapsed().as_secs_f64()));
    }
    if options.json {
        figures.iter().for_each(|f| println!("{}", f.json(options.seed)));
    } else {
        print!("{}", table::table(&figures));
        println!("seed {}", options.seed);
    }
    let missed = figures.iter().filter(|f| f.state == State::Failed).count();
    ensure!(missed == 0, "{missed} bars are missed");
    Ok(())
}

/// The figures of one check. A check that breaks is a bar that is missed, not the end of the others.
fn one(check: &Check, options: &Options) -> Vec<Figure> {
    if check.needs_corpus && options.corpus.is_none() {
        return vec![Figure::not_run(check.name, "needs --corpus DIR")];
    }
    let mut figures = (check.run)(options)
        .unwrap_or_else(|e| vec![Figure::new("the check itself", "broke off").failed(format!("{e:#}"))]);
    figures.iter_mut().for_each(|f| f.check = check.name);
    figures
}

/// Runs jobs two at a time, and answers in their order.
pub fn two_at_a_time<J: Sync, R: Send>(jobs: &[J], run: impl Fn(&J) -> Result<R> + Sync) -> Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut out = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(at) else { return out };
            out.push((at, run(job)));
        }
    };
    let mut all = std::thread::scope(|scope| {
        let other = scope.spawn(worker);
        let mut all = worker();
        all.extend(other.join().unwrap_or_default());
        all
    });
    all.sort_by_key(|(at, _)| *at);
    ensure!(all.len() == jobs.len(), "a worker broke off");
    all.into_iter().map(|(_, result)| result).collect()
}

/// A line of progress.
#[allow(clippy::print_stderr, reason = "progress is for the person who waits")]
pub fn say(line: &str) {
    eprintln!("battery: {line}");
}

/// The top of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
