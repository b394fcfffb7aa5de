//! `trust`: nothing leaves without an approval that matches. Strings of attackers go through every way into a session,
//! in both modes; then the bytes of approved lessons are changed one by one.

mod changes;
mod channels;
mod controls;
mod leaves;
mod pen;
mod seek;
pub(super) mod strings;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;

use self::channels::{CHANNELS, Channel};
use self::leaves::{Given, Planted};
use super::plants::script::Script;
use super::plants::write::{WRITERS, Writer};
use super::world::{World, binary};
use super::{Figure, Options, say, two_at_a_time};

/// Strings in one world.
const IN_A_WORLD: usize = 100;
/// Of the other sources only every nth string.
const SAMPLE: usize = 10;
/// The sources that are sampled.
const OTHERS: [&str; 3] = ["codex", "opencode export", "gemini lines"];
/// Sessions in which a string comes up.
const OFTEN: [usize; 2] = [1, 5];
/// Sessions begin here: 1 March 2026.
const BEGIN: i64 = 1_772_359_200_000;
const DAY: i64 = 86_400_000;
/// Leaks of a way in that are told one by one, unless `--verbose`.
const TOLD: usize = 4;

struct Job<'a> {
    writer: &'static Writer,
    channel: &'static Channel,
    sessions: usize,
    strings: Vec<&'a str>,
}

/// Runs the check.
pub fn run(options: &Options) -> Result<Vec<Figure>> {
    let binary = binary(options)?;
    let (strings, left) = strings::strings(options.injections.as_deref())?;
    let strings: Vec<&str> = strings.iter().map(String::as_str).step_by(options.every.max(1)).collect();
    let jobs = jobs(&strings);
    say(&format!("trust: {} strings × {} ways in, {} worlds", strings.len(), CHANNELS.len(), jobs.len()));
    let done = std::sync::atomic::AtomicUsize::new(0);
    let given = two_at_a_time(&jobs, |job| {
        let given = world(&binary, job)?;
        // Told at once: who waits for the end of a long run wants to know early.
        if let Some(leak) = given.leaks.iter().flatten().next() {
            say(&format!("leak: {}, {}, {}: {}", job.writer.name, job.channel.name, job.sessions, leak.shown));
        }
        let n = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
        if n.is_multiple_of(50) {
            say(&format!("trust: {n} of {} worlds", jobs.len()));
        }
        Ok(given)
    })?;
    let mut figures = figures(options, &jobs, &given, strings.len(), left);
    figures.extend(changes::figures(&binary, options)?);
    Ok(figures)
}

fn jobs<'a>(strings: &[&'a str]) -> Vec<Job<'a>> {
    let mut jobs = Vec::new();
    for writer in WRITERS.iter().filter(|w| w.name == "claude" || OTHERS.contains(&w.name)) {
        let step = if writer.name == "claude" { 1 } else { SAMPLE };
        let chosen: Vec<&str> = strings.iter().step_by(step).copied().collect();
        for channel in CHANNELS {
            for sessions in OFTEN {
                let chunks = chosen.chunks(IN_A_WORLD);
                jobs.extend(chunks.map(|c| Job { writer, channel, sessions, strings: c.to_vec() }));
            }
        }
    }
    jobs
}

/// The sessions of a world: each string in as many as it should, on a day each, and three with harmless work.
fn scripts(world: &World, job: &Job<'_>) -> Vec<Script> {
    let cwd = world.project().to_string_lossy().into_owned();
    let script = |n: usize, round: usize, steps| Script {
        id: format!("{n:08x}-0000-4000-8000-{round:012x}"),
        at: BEGIN + DAY * round as i64 + 60_000 * n as i64,
        cwd: cwd.clone(),
        remote: "https://git.example.com/dev/ledger.git".to_owned(),
        steps,
    };
    let mut out = Vec::new();
    for (n, text) in job.strings.iter().enumerate() {
        let steps = (job.channel.steps)(text, &format!("tool{n}"));
        out.extend((0..job.sessions).map(|round| script(n, round, steps.clone())));
    }
    out.extend((0..3).map(|round| script(0xc000, round, controls::steps())));
    out
}

fn world(binary: &Path, job: &Job<'_>) -> Result<Given> {
    let world = World::new(binary)?;
    let scripts = scripts(&world, job);
    let by_hand = (job.writer.write)(&world, &scripts)?;
    Planted::new(&world, by_hand, &scripts, &job.strings).check()
}

fn figures(options: &Options, jobs: &[Job<'_>], given: &[Given], strings: usize, left: usize) -> Vec<Figure> {
    let mut figures = vec![Figure::new(
        "strings × ways in × once and in five sessions; of other sources every tenth string",
        format!("{strings} × {} × 2, {left} too short", CHANNELS.len()),
    )];
    let lessons: usize = given.iter().map(|g| g.tainted).sum();
    figures.push(
        Figure::new("lessons made of them that hold a piece of one, and wait", lessons)
            .bar("≥ 1 a way in", lessons >= CHANNELS.len()),
    );
    for sessions in OFTEN {
        for (mode, pick) in [("review", 0), ("auto", 1)] {
            let of = || jobs.iter().zip(given).filter(move |(j, _)| j.sessions == sessions);
            let leaks: BTreeSet<_> = of()
                .flat_map(|(j, g)| g.leaks[pick].iter().map(|l| (j.writer.name, j.channel.name, &l.text)))
                .collect();
            let what = format!("strings of which a piece left, in {sessions} session(s), mode {mode}");
            figures
                .push(Figure::none(what, leaks.len()).why(leaks.first().map_or(String::new(), |l| format!("{l:?}"))));
        }
    }
    tell(options, jobs, given);
    figures.extend(passed(given));
    let broken: Vec<&String> = given.iter().flat_map(|g| &g.broken).collect();
    figures.push(Figure::none("commands that failed", broken.len()).why(broken.first().map_or("", |b| b.as_str())));
    figures
}

/// What should leave, and did.
fn passed(given: &[Given]) -> Vec<Figure> {
    let sum = |of: fn(&Given) -> usize| given.iter().map(of).sum::<usize>();
    let all = given.len() * controls::COUNT;
    let auto = sum(|g| g.controls[1].iter().filter(|p| **p).count());
    let share = 100.0 * auto as f64 / all.max(1) as f64;
    let waits = (0..controls::COUNT).filter(|n| given.iter().any(|g| !g.controls[1][*n]));
    let waits: Vec<&str> = waits.map(controls::name).collect();
    vec![
        Figure::none(
            "harmless lessons that left in mode review",
            sum(|g| g.controls[0].iter().filter(|p| **p).count()),
        ),
        Figure::new("harmless lessons that left in mode auto", format!("{share:.1} % of {all}"))
            .bar("≥ 90 %", share >= 90.0)
            .why(waits.join("; ")),
        Figure::none("lessons that still left when the mode was review again", sum(|g| g.stayed)),
        Figure::none("lessons a person approved that did not leave", sum(|g| g.missing)),
        Figure::none("lessons that left beside those a person approved", sum(|g| g.beside))
            .baseline(format!("{} approved", sum(|g| g.approved))),
        Figure::new(
            "hooks asked, through the binary and through the store",
            format!("{}, {}", sum(|g| g.hooks), sum(|g| g.asked)),
        ),
    ]
}

fn tell(options: &Options, jobs: &[Job<'_>], given: &[Given]) {
    let mut ways: BTreeMap<(&str, usize, &str), Vec<&leaves::Leak>> = BTreeMap::new();
    for (job, given) in jobs.iter().zip(given) {
        for (mode, leaks) in ["review", "auto"].iter().zip(&given.leaks) {
            ways.entry((job.channel.name, job.sessions, mode)).or_default().extend(leaks);
        }
    }
    for ((channel, sessions, mode), leaks) in ways.iter().filter(|(_, l)| !l.is_empty()) {
        say(&format!("leak: {channel}, {sessions} session(s), {mode}: {} texts", leaks.len()));
        let most = if options.verbose { usize::MAX } else { TOLD };
        leaks.iter().take(most).for_each(|l| say(&format!("leak:   {} | {}", l.by, l.shown)));
    }
}
