//! `hooks`: many hooks of a session at once, hooks that are killed, hooks that are kept waiting. A fix is told once, and no
//! agent waits.

use std::io::Write as _;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use uptake_core::learn::{Lesson, by_hand};
use uptake_core::recall;
use uptake_store::Lessons;
use uptake_testkit::database;

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
/// What an agent may wait for it, with the start of the process.
const LIMIT: f64 = 300.0;
/// A payload that nobody should send, in bytes.
const LARGE: usize = 50_000_000;

const COMMAND: &str = "python3 -m ledger report --format json";
const ERROR: &str = "ledger: error: unrecognized arguments: --format json";
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
    fn tells(&mut self, out: &Output) -> bool {
        let fix = format!("\n{}", recall::with_id(FIX, &lesson().id));
        let told = serde_json::from_slice::<Value>(&out.stdout)
            .is_ok_and(|v| v["hookSpecificOutput"]["additionalContext"].as_str().is_some_and(|t| t.ends_with(&fix)));
        self.unsound += usize::from(!told && !out.stdout.is_empty() || !out.stderr.is_empty());
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
    let mut kept = kept_by(&world)?;
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

/// What else keeps a hook: each must end in time, with exit code 0 and silence or an answer.
fn kept_by(world: &World) -> Result<Vec<Figure>> {
    let whole = payload(world, "kept");
    let large = whole.replace(ERROR, &"x".repeat(LARGE));
    let database = world.data().join("lessons.db");
    let locked = database::while_locked(&database, || ended(world, &whole));
    let spool = world.data().join("spool");
    std::fs::remove_dir_all(&spool)?;
    std::fs::write(&spool, "no folder")?;
    let unwritable = ended(world, &whole);
    std::fs::remove_file(&spool)?;
    let all = [
        ("the store is locked", locked?),
        ("nothing can be written", unwritable?),
        ("a payload of 50 MB", ended(world, &large)?),
        ("garbage", ended(world, "\0{\"a\":[}}")?),
    ];
    let figure = |(what, (median, sound)): (&str, (f64, bool))| {
        Figure::new(format!("{what}: median"), format!("{median:.0} ms"))
            .bar("≤ 300 ms, exit 0, silence or JSON", median <= LIMIT && sound)
    };
    Ok(all.into_iter().map(figure).collect())
}

/// How long hooks with a payload take, the median in milliseconds, and whether all ended well.
fn ended(world: &World, payload: &str) -> Result<(f64, bool)> {
    let (mut times, mut sound) = (Vec::new(), true);
    for _ in 0..WAITING {
        let begun = Instant::now();
        let mut hook = world.command(&[]).env_remove("UPTAKE_HOOK_MS").args(["hook", "claude"]).spawn()?;
        send(&mut hook, payload);
        let out = hook.wait_with_output()?;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        let said = out.stdout.is_empty() || serde_json::from_slice::<Value>(&out.stdout).is_ok();
        sound &= said && out.stderr.is_empty() && out.status.code() == Some(0);
    }
    times.sort_by(f64::total_cmp);
    Ok((times[WAITING / 2], sound))
}

fn lesson() -> Lesson {
    let mut lesson = by_hand("git.example.com/dev/ledger", FIX, 0);
    lesson.payload.trigger = recall::trigger(COMMAND, ERROR);
    lesson
}

fn payload(world: &World, session: &str) -> String {
    json!({
        "session_id": session, "cwd": world.project(), "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
        "tool_input": { "command": COMMAND }, "error": format!("Exit code 2\n{ERROR}"),
    })
    .to_string()
}

fn start(world: &World) -> Result<Child> {
    world.command(&[]).args(["hook", "claude"]).stdin(Stdio::piped()).spawn().context("cannot run the hook")
}

fn send(child: &mut Child, text: &str) {
    // One that is gone already takes nothing.
    let _ = child.stdin.as_mut().map(|stdin| stdin.write_all(text.as_bytes()));
}

/// All of them wait for the last byte of their payload.
fn at_once(world: &World, round: usize, given: &mut Given) -> Result<()> {
    let payload = payload(world, &format!("round-{round}"));
    let (most, last) = payload.split_at(payload.len() - 1);
    let mut hooks = (0..AT_ONCE).map(|_| start(world)).collect::<Result<Vec<Child>>>()?;
    hooks.iter_mut().for_each(|hook| send(hook, most));
    for hook in &mut hooks {
        send(hook, last);
        // For one that waits for the end of its input.
        drop(hook.stdin.take());
    }
    let mut told = 0;
    for hook in hooks {
        let out = hook.wait_with_output()?;
        told += usize::from(given.tells(&out));
        given.unsound += usize::from(out.status.code() != Some(0));
    }
    given.told += usize::from(told > 0);
    given.twice += usize::from(told > 1);
    given.untold += usize::from(told == 0);
    Ok(())
}

/// One is killed at any time, then another one asks.
fn killed(world: &World, n: usize, rng: &mut Rng, given: &mut Given) -> Result<()> {
    let payload = payload(world, &format!("killed-{n}"));
    let mut hook = start(world)?;
    send(&mut hook, &payload);
    std::thread::sleep(Duration::from_micros(rng.below(6_000) as u64));
    let _ = hook.kill();
    let first = given.tells(&hook.wait_with_output()?);
    let mut next = start(world)?;
    send(&mut next, &payload);
    let second = given.tells(&next.wait_with_output()?);
    given.twice += usize::from(first && second);
    given.told_after_kill += usize::from(first || second);
    Ok(())
}

/// How long one takes to give up, in milliseconds.
fn kept_waiting(world: &World, n: usize) -> Result<f64> {
    let begun = Instant::now();
    let mut hook = world.command(&[]).env_remove("UPTAKE_HOOK_MS").args(["hook", "claude"]).spawn()?;
    if n % 2 == 1 {
        send(&mut hook, &payload(world, "never")[..60]);
    }
    // `wait` would close its standard input.
    let open = hook.stdin.take();
    hook.wait()?;
    drop(open);
    Ok(begun.elapsed().as_secs_f64() * 1e3)
}
