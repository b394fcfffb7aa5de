//! `redact-share`: how much of `learn`'s time goes into taking out secrets.
//!
//! The same steps as in the binary, in this process, on one thread and an empty store: the whole of `ingest`, then the
//! cleaning of the same sessions alone. Each the median of five.

use std::time::Instant;

use anyhow::{Context as _, Result};
use uptake::ingest;
use uptake::known_secrets::KnownSecrets;
use uptake::settings::Settings;
use uptake::stores::Stores;
use uptake::world::World;

use super::{Figure, Options, real, say};

const RUNS: usize = 5;
/// The largest share that is allowed, in per cent.
const BAR: f64 = 15.0;

/// Runs the check.
pub fn run(options: &Options) -> Result<Vec<Figure>> {
    let found = real::transcripts(options)?;
    let bytes: u64 = found.transcripts.iter().map(|t| t.size).sum();
    let known = KnownSecrets::from_env();
    let sessions = real::sessions(&found, &known)?;
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().context("no thread")?;
    let (mut whole, mut cleaning) = (Vec::new(), Vec::new());
    for run in 0..RUNS {
        say(&format!("redact-share: run {} of {RUNS}", run + 1));
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        let world = World { home: at("home"), data: at("uptake"), config: at("config.toml"), now: 0 };
        let mut stores = Stores::open(&world.data)?;
        let start = Instant::now();
        one.install(|| ingest::ingest(&found, &mut stores, &world, &Settings::default()))?;
        whole.push(start.elapsed().as_secs_f64());
        // Copied before the clock starts: cleaning changes them.
        let mut copies: Vec<_> = sessions.iter().map(|r| r.session.clone()).collect();
        let start = Instant::now();
        for session in &mut copies {
            let redactor = known.redactor(session.cwd.as_deref());
            session.settle_from(0, |text| redactor.clean_up(text));
        }
        cleaning.push(start.elapsed().as_secs_f64());
    }
    let (whole, cleaning) = (median(whole), median(cleaning));
    let share = 100.0 * cleaning / whole;
    let what = format!("cleaning, of a first `learn` of {} transcripts, one thread", found.transcripts.len());
    let figure = Figure::new(what, format!("{share:.1} % ({cleaning:.2} s of {whole:.2} s)"))
        .bar(format!("≤ {BAR:.0} %"), share <= BAR)
        .baseline(format!("{:.0} MB, {:.0} MB/s in all", bytes as f64 / 1e6, bytes as f64 / 1e6 / whole));
    Ok(vec![figure])
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
