//! `load`: very many hooks at once, of all clients in turn, some of them killed. Every start that ended well is written down, once; and nothing that
//! keeps a hook keeps the agent.

use std::collections::HashMap;
use std::io::Write as _;
use std::process::Child;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use uptake_core::learn::by_hand;
use uptake_store::{Lessons, spool};
use uptake_testkit::database;

use super::dialects::{self, CLIENTS};
use super::world::{World, binary};
use super::{Figure, Options, Rng};

/// Hooks at once.
const AT_ONCE: usize = 64;
/// Hooks that each of them starts, one after the other.
const EACH: usize = 1_000;
/// One of so many is killed.
const KILLED: usize = 49;
/// What the hook promises, with the time to start and end a process, in milliseconds.
const DEADLINE: f64 = 300.0;

/// Runs the check.
pub fn run(options: &Options) -> Result<Vec<Figure>> {
    let world = World::new(&binary(options)?)?;
    let lesson = by_hand("git.example.com/dev/ledger", "Invoices are rounded to cents", 0);
    Lessons::open(&world.data())?.add(&lesson, &[], 1)?;
    let each = (EACH / options.every.max(1)).max(1);
    let (ended, failed) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for n in 0..AT_ONCE {
            let (world, ended, failed) = (&world, &ended, &failed);
            let mut rng = Rng::new(options.seed, &format!("load {n}"));
            scope.spawn(move || {
                for m in 0..each {
                    let session = format!("s{n}-{m}");
                    let client = CLIENTS[m % CLIENTS.len()];
                    match one(world, client, &session, (m % KILLED == KILLED - 1).then_some(&mut rng)) {
                        Ok(true) => ended.lock().map(|mut all| all.push(session)).unwrap_or_default(),
                        Ok(false) => {}
                        Err(_) => drop(failed.fetch_add(1, Ordering::Relaxed)),
                    }
                }
            });
        }
    });
    let took = begun.elapsed().as_secs_f64();
    let mut written: HashMap<String, usize> = HashMap::new();
    spool::asked_since(&world.data(), 0).into_iter().for_each(|a| *written.entry(a.session).or_default() += 1);
    let ended = ended.into_inner().unwrap_or_default();
    let lost = ended.iter().filter(|session| !written.contains_key(*session)).count();
    let twice = written.values().filter(|n| **n > 1).count();
    let counts = format!("{}, {}, {}", AT_ONCE * each, ended.len(), written.len());
    let mut figures = vec![
        Figure::new("hooks started, ended well, written down", counts),
        Figure::new("seconds", format!("{took:.0}")),
        Figure::none("ended well and not written down", lost),
        Figure::none("written down twice", twice),
        Figure::none("other exit codes, words on standard error", failed.into_inner()),
    ];
    figures.extend(kept(&world)?);
    Ok(figures)
}

fn payload(world: &World, client: &str, session: &str) -> String {
    dialects::payload(client, dialects::at_prompt(client), &world.project(), session)
}

/// Whether a hook ended well; one that is to be killed may not.
fn one(world: &World, client: &str, session: &str, kill: Option<&mut Rng>) -> Result<bool> {
    let mut hook = world.command(&[]).args(["hook", client]).spawn()?;
    send(&mut hook, payload(world, client, session).as_bytes());
    let spared = kill.is_none();
    if let Some(rng) = kill {
        std::thread::sleep(Duration::from_micros(rng.below(6_000) as u64));
        let _ = hook.kill();
    }
    let out = hook.wait_with_output()?;
    let well = out.status.success() && out.stderr.is_empty();
    anyhow::ensure!(well || !spared, "it did not end well");
    Ok(well)
}

fn send(hook: &mut Child, bytes: &[u8]) {
    // One that is gone already takes nothing.
    let _ = hook.stdin.take().map(|mut stdin| stdin.write_all(bytes));
}

/// How long hooks take when something keeps them.
fn kept(world: &World) -> Result<Vec<Figure>> {
    let large = format!(r#"{{"hook_event_name":"UserPromptSubmit","prompt":"{}"}}"#, "x".repeat(50_000_000));
    let mut figures = vec![
        timed(world, "a payload of 50 MB", large.as_bytes())?,
        timed(world, "a payload of rubbish", &b"\x00{{{\xff".repeat(1_000))?,
    ];
    let mut locked = Ok(None);
    let change = "BEGIN EXCLUSIVE";
    database::held_open(&world.data().join("lessons.db"), change, || {
        locked =
            timed(world, "a store that somebody writes to", payload(world, CLIENTS[0], "locked").as_bytes()).map(Some);
    });
    figures.extend(locked?);
    Ok(figures)
}

/// The longest of a few.
fn timed(world: &World, what: &str, payload: &[u8]) -> Result<Figure> {
    let mut longest = 0.0_f64;
    for _ in 0..5 {
        let begun = Instant::now();
        let mut hook = world.command(&[]).env_remove("UPTAKE_HOOK_MS").args(["hook", "claude"]).spawn()?;
        let mut stdin = hook.stdin.take().context("its input")?;
        std::thread::scope(|scope| {
            scope.spawn(move || drop(stdin.write_all(payload)));
            hook.wait()
        })?;
        longest = longest.max(begun.elapsed().as_secs_f64() * 1e3);
    }
    let figure = Figure::new(format!("longest of five hooks with {what}"), format!("{longest:.0} ms"));
    Ok(figure.bar("≤ 300 ms", longest <= DEADLINE))
}
