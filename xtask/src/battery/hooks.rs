//! `hooks`: many hooks of a session at once, hooks that are killed, hooks that are kept waiting; the clients take turns. A fix is told
//! once, and no agent waits.

use std::io::Write as _;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use uptake_core::learn::{Lesson, by_hand};
use uptake_core::recall;
use uptake_store::Lessons;

use super::dialects::{self, CLIENTS, COMMAND, ERROR};
use super::kept;
use super::world::{World, binary};
use super::{Figure, Options, Rng};

/// Sessions in which many ask at once.
const ROUNDS: usize = 40;
/// Hooks of one session at once.
const AT_ONCE: usize = 64;
/// Hooks that are killed, each in a session of its own.
const KILLS: usize = 400;
/// Hooks that get no payload, or half of one.
const WAITING: usize = 20;
/// What the hook promises, in milliseconds.
const DEADLINE: f64 = 250.0;

const FIX: &str = "Run it with --output json";

/// What is counted.
#[derive(Default)]
struct Given {
    told: usize,
    twice: usize,
    untold: usize,
    unsound: usize,
    told_after_kill: usize,
}

impl Given {
    /// Whether a hook told the fix, with its id behind it and nothing after that. It must end well, and say nothing or that.
    fn tells(&mut self, client: &str, out: &Output) -> bool {
        let fix = format!("\n{}", recall::with_id(FIX, &lesson().id));
        let told = dialects::told(client, &out.stdout).is_some_and(|text| text.ends_with(&fix));
        let silent = out.stdout.is_empty() || dialects::is_trouble(client, &out.stdout);
        self.unsound += usize::from(!told && !silent || !out.stderr.is_empty());
        told
    }
}

/// Runs the check.
pub fn run(options: &Options) -> Result<Vec<Figure>> {
    let world = World::new(&binary(options)?)?;
    Lessons::open(&world.data())?.add(&lesson(), &[], 1)?;
    let mut given = Given::default();
    for round in 0..ROUNDS {
        at_once(&world, round, &mut given)?;
    }
    let mut rng = Rng::new(options.seed, "hooks");
    for n in 0..KILLS {
        killed(&world, n, &mut rng, &mut given)?;
    }
    let mut waits = (0..WAITING).map(|n| kept_waiting(&world, n)).collect::<Result<Vec<f64>>>()?;
    waits.sort_by(f64::total_cmp);
    let median = waits[WAITING / 2];
    let mut kept = kept::figures(&world)?;
    let mut figures = vec![
        Figure::new(format!("sessions in which {AT_ONCE} hooks ask at once: told"), format!("{}/{ROUNDS}", given.told)),
        Figure::none("of them, told more than once", given.twice),
        Figure::none("of them, told by nobody", given.untold),
        Figure::new("hooks killed; of them, told by it or the next one", format!("{KILLS}; {}", given.told_after_kill)),
        Figure::none("answers that are not JSON, words on standard error, other exit codes", given.unsound),
        Figure::new(
            "hooks without a whole payload: median, longest",
            format!("{median:.0}, {:.0} ms", waits[WAITING - 1]),
        )
        .bar("median ≤ 250 ms", median <= DEADLINE),
    ];
    figures.append(&mut kept);
    Ok(figures)
}

fn lesson() -> Lesson {
    let mut lesson = by_hand("git.example.com/dev/ledger", FIX, 0);
    lesson.payload.trigger = recall::trigger(COMMAND, ERROR);
    lesson
}

fn payload(world: &World, client: &str, session: &str) -> String {
    dialects::payload(client, dialects::after_failure(client), &world.project(), session)
}

fn start(world: &World, client: &str) -> Result<Child> {
    world.command(&[]).args(["hook", client]).stdin(Stdio::piped()).spawn().context("cannot run the hook")
}

fn send(child: &mut Child, text: &str) {
    // One that is gone already takes nothing.
    let _ = child.stdin.as_mut().map(|stdin| stdin.write_all(text.as_bytes()));
}

/// All of them wait for the last byte of their payload.
fn at_once(world: &World, round: usize, given: &mut Given) -> Result<()> {
    let client = CLIENTS[round % CLIENTS.len()];
    let payload = payload(world, client, &format!("round-{round}"));
    let (most, last) = payload.split_at(payload.len() - 1);
    let mut hooks = (0..AT_ONCE).map(|_| start(world, client)).collect::<Result<Vec<Child>>>()?;
    hooks.iter_mut().for_each(|hook| send(hook, most));
    for hook in &mut hooks {
        send(hook, last);
        // For one that waits for the end of its input.
        drop(hook.stdin.take());
    }
    let mut told = 0;
    for hook in hooks {
        let out = hook.wait_with_output()?;
        told += usize::from(given.tells(client, &out));
        given.unsound += usize::from(out.status.code() != Some(0));
    }
    given.told += usize::from(told > 0);
    given.twice += usize::from(told > 1);
    given.untold += usize::from(told == 0);
    Ok(())
}

/// One is killed at any time, then another one asks.
fn killed(world: &World, n: usize, rng: &mut Rng, given: &mut Given) -> Result<()> {
    let client = CLIENTS[n % CLIENTS.len()];
    let payload = payload(world, client, &format!("killed-{n}"));
    let mut hook = start(world, client)?;
    send(&mut hook, &payload);
    std::thread::sleep(Duration::from_micros(rng.below(6_000) as u64));
    let _ = hook.kill();
    let first = given.tells(client, &hook.wait_with_output()?);
    let mut next = start(world, client)?;
    send(&mut next, &payload);
    let second = given.tells(client, &next.wait_with_output()?);
    given.twice += usize::from(first && second);
    given.told_after_kill += usize::from(first || second);
    Ok(())
}

/// How long one takes to give up, in milliseconds.
fn kept_waiting(world: &World, n: usize) -> Result<f64> {
    let begun = Instant::now();
    let client = CLIENTS[n % CLIENTS.len()];
    let mut hook = world.command(&[]).env_remove("UPTAKE_HOOK_MS").args(["hook", client]).spawn()?;
    if n / CLIENTS.len() % 2 == 1 {
        send(&mut hook, &payload(world, client, "never")[..60]);
    }
    // `wait` would close its standard input.
    let open = hook.stdin.take();
    hook.wait()?;
    drop(open);
    Ok(begun.elapsed().as_secs_f64() * 1e3)
}
