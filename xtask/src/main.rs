//! Project chores: `cargo xtask tidy | eval | fit | proof | reader | bench | battery`.
#![allow(clippy::print_stdout, reason = "printing tables is what these tools do")]

mod battery;
mod bench;
mod bench_artifacts;
mod bench_bulk;
mod bench_counting;
mod bench_cycle;
mod bench_facts;
mod bench_growth;
mod bench_init;
mod bench_lessons;
mod bench_moments;
mod eval;
mod proof;
mod reading;
mod tidy;

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;

use bench::What;
use bench_bulk::Size;

/// Project chores
#[derive(Parser)]
#[command(name = "xtask")]
enum Task {
    /// Check the project's own rules
    Tidy,
    /// Measure how often it is right on a folder of labelled sessions; writes docs/quality.md
    Eval {
        #[command(flatten)]
        on: eval::On,
        /// The page to write; `-` for none [default: docs/quality.md]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Show the suggestions that were drawn to be read, and messages that are taken for something else
        #[arg(long)]
        verbose: bool,
        /// Only print what goes without each phrase and word class, by repository
        #[arg(long, conflicts_with_all = ["out", "verbose"])]
        ablate: bool,
    },
    /// Fit the weights of the user's words to labelled sessions; writes their table in the core
    Fit(eval::On),
    /// Measure what lessons would have done on folders of real sessions
    Proof(proof::Options),
    /// Measure what a reader hears in labelled sessions; who answers is asked by files
    Reader(reading::Options),
    /// Measure speed and memory beside baselines
    Bench {
        /// Folders of real transcripts; the recorded fixtures if none is given
        folders: Vec<PathBuf>,
        /// Only the detectors
        #[arg(long)]
        detectors: bool,
        /// Only facts: folding failures and tallies, hooks that tell them
        #[arg(long, conflicts_with = "detectors")]
        facts: bool,
        /// Only large stores: adding, listing, the inbox
        #[arg(long, conflicts_with_all = ["detectors", "facts"])]
        lessons: bool,
        /// Only what is read: speed, an endless session, very many transcripts
        #[arg(long, conflicts_with_all = ["detectors", "facts", "lessons"])]
        bulk: bool,
        /// Only the speed of reading, beside a bare scan; nothing is built
        #[arg(long, conflicts_with_all = ["detectors", "facts", "lessons", "bulk"])]
        reading: bool,
        /// Only hooks: every moment, beside hooks that do nothing
        #[arg(long, conflicts_with_all = ["detectors", "facts", "lessons", "bulk", "reading"])]
        hooks: bool,
        /// Only files made of lessons: rendering, looking at them again, the card, the index
        #[arg(long, conflicts_with_all = ["detectors", "facts", "lessons", "bulk", "reading", "hooks"])]
        artifacts: bool,
        /// Only the first minute: `init` on a made-up history, what is kept of it, hooks beside it
        #[arg(long, conflicts_with_all = ["detectors", "facts", "lessons", "bulk", "reading", "hooks"])]
        init: bool,
        /// Only track records: success rates over many outcomes, places against a diff, what they add to `learn`
        #[arg(long, conflicts_with_all = ["detectors", "facts", "lessons", "bulk", "reading", "hooks", "artifacts", "init"])]
        cycle: bool,
        /// Gigabytes of that history
        #[arg(long, value_name = "GB", default_value_t = 5.0, requires = "init")]
        size: f64,
        /// A session of 2 GB and a million transcripts instead of a tenth of that
        #[arg(long)]
        full: bool,
    },
    /// Run the long checks and print one table of figures; see docs/battery.md
    Battery(battery::Options),
}

fn main() -> Result<()> {
    match Task::parse() {
        Task::Tidy => tidy::run(),
        Task::Bench {
            folders,
            detectors,
            facts,
            lessons,
            bulk,
            reading,
            hooks,
            artifacts,
            init,
            cycle,
            size: gigabytes,
            full,
        } => {
            let size = if full { Size::Full } else { Size::Tenth };
            let what = match (detectors, lessons, bulk, reading) {
                (true, ..) => What::Detectors,
                _ if facts => What::Facts,
                _ if hooks => What::Moments,
                _ if artifacts => What::Artifacts,
                _ if init => What::Init(gigabytes),
                _ if cycle => What::Cycle,
                (_, true, ..) => What::Lessons,
                (.., true, _) => What::Bulk(size),
                (.., true) => What::Reading,
                _ => What::All(size),
            };
            bench::run(&folders, what)
        }
        Task::Battery(options) => battery::run(&options),
        Task::Eval { on, ablate: true, .. } => eval::ablate(&on),
        Task::Eval { on, out, verbose, .. } => eval::run(&on, out.as_deref(), verbose),
        Task::Fit(on) => eval::fit(&on),
        Task::Proof(options) => proof::run(&options),
        Task::Reader(options) => reading::run(&options),
    }
}
