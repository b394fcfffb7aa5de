//! Hooks that something keeps, in every client's dialect and at every moment: each ends in time, with 0 and silence or an answer.

use std::io::Write as _;
use std::process::Child;
use std::time::Instant;

use anyhow::{Context as _, Result};
use serde_json::Value;
use uptake_core::learn::by_hand;
use uptake_store::Lessons;
use uptake_testkit::database;

use super::Figure;
use super::dialects::{MOMENTS, payload};
use super::world::World;

/// Hooks of each client and moment.
const EACH: usize = 5;
/// What an agent may wait for one, with the start of the process, in milliseconds.
const LIMIT: f64 = 300.0;
/// A payload that nobody should send, in bytes.
const LARGE: usize = 50_000_000;
/// All that a user has to want, so that every moment has something to do.
const WANTED: &str = "guard = true\nbefore-calls = true\nlearning-agents = [\"general-purpose\"]\n";

/// Whether the hook's standard input stays open until it ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Input {
    Open,
    Closed,
}

/// How the hooks of a check did.
#[derive(Default)]
struct Ended {
    /// The slowest moment by its median, in milliseconds.
    slowest: (f64, String),
    longest: f64,
    unsound: Vec<String>,
}

/// Runs hooks that are kept by one thing after the other.
pub fn figures(world: &World) -> Result<Vec<Figure>> {
    world.write(&world.home().join(".config/uptake/config.toml"), WANTED.as_bytes())?;
    let rule = by_hand("git.example.com/dev/ledger", "Run `python3` with -B, and round invoices to cents", 0);
    Lessons::open(&world.data())?.add(&rule, &[], 1)?;
    let whole = |client: &str, event: &str, n: usize| {
        payload(client, event, &world.project(), &format!("kept-{client}-{event}-{n}")).into_bytes()
    };
    let large = |client: &str, event: &str, n: usize| {
        let text = String::from_utf8_lossy(&whole(client, event, n)).into_owned();
        text.replacen("\"prompt\":\"", &format!("\"prompt\":\"{}", "x".repeat(LARGE)), 1).into_bytes()
    };
    let around = |line: &str| -> Vec<String> { ["sh", "-c", line].map(str::to_owned).to_vec() };
    let data = world.path("").display().to_string();
    // Writing to a file fails from the first byte on, as on a full disk.
    let full = around("trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"");
    let read_only =
        format!("mount --bind '{data}' '{data}' && mount -o remount,bind,ro '{data}' && exec \"$0\" \"$@\"");
    let read_only = [vec!["unshare".to_owned(), "-m".to_owned()], around(&read_only)].concat();
    let locked =
        database::while_locked(&world.data().join("lessons.db"), || ask_all(world, &[], Input::Closed, EACH, &whole));
    let mut out = vec![
        figure("nothing", ask_all(world, &[], Input::Closed, EACH, &whole)?),
        figure("an input that stays open", ask_all(world, &[], Input::Open, EACH, &whole)?),
        figure("an input that stays open and empty", ask_all(world, &[], Input::Open, EACH, &|_, _, _| Vec::new())?),
        figure("a store that somebody keeps locked", locked?),
        figure("a full disk", ask_all(world, &full, Input::Closed, EACH, &whole)?),
        figure("a payload of 50 MB", ask_all(world, &[], Input::Closed, 1, &large)?),
        figure("garbage", ask_all(world, &[], Input::Closed, EACH, &|_, _, _| b"\0{\"a\":[}}".to_vec())?),
    ];
    out.push(match can_be_read_only(&read_only) {
        true => figure("a disk that cannot be written", ask_all(world, &read_only, Input::Closed, EACH, &whole)?),
        false => Figure::new("hooks kept by a disk that cannot be written", "not tried: no mounts of our own here"),
    });
    Ok(out)
}

fn can_be_read_only(around: &[String]) -> bool {
    let [program, args @ ..] = around else { return false };
    std::process::Command::new(program).args(args).arg("true").status().is_ok_and(|s| s.success())
}

fn figure(what: &str, ended: Ended) -> Figure {
    let (slowest, moment) = &ended.slowest;
    let why = match ended.unsound.is_empty() {
        true => format!("{moment}; longest of all {:.0} ms", ended.longest),
        false => format!("unsound: {}", ended.unsound.join(", ")),
    };
    Figure::new(
        format!("hooks of {} moments kept by {what}: slowest median", MOMENTS.len()),
        format!("{slowest:.0} ms"),
    )
    .bar("≤ 300 ms, exit 0, silence or JSON", *slowest <= LIMIT && ended.unsound.is_empty())
    .why(why)
}

type Payload<'p> = dyn Fn(&str, &str, usize) -> Vec<u8> + 'p;

/// Asks at every moment of every client.
fn ask_all(world: &World, around: &[String], input: Input, each: usize, payload: &Payload<'_>) -> Result<Ended> {
    let mut ended = Ended::default();
    for (client, event) in MOMENTS {
        let mut times = Vec::new();
        for n in 0..each {
            let (took, sound) = ask(world, around, client, &payload(client, event, n), input)?;
            times.push(took);
            if !sound && !ended.unsound.contains(&format!("{client} {event}")) {
                ended.unsound.push(format!("{client} {event}"));
            }
        }
        times.sort_by(f64::total_cmp);
        let median = times[each / 2];
        ended.longest = ended.longest.max(times[each - 1]);
        if median > ended.slowest.0 {
            ended.slowest = (median, format!("{client} {event}"));
        }
    }
    Ok(ended)
}

/// How long a hook takes, in milliseconds, and whether it ended well.
fn ask(world: &World, around: &[String], client: &str, payload: &[u8], input: Input) -> Result<(f64, bool)> {
    let begun = Instant::now();
    let mut hook: Child = world.command(around).env_remove("UPTAKE_HOOK_MS").args(["hook", client]).spawn()?;
    let mut stdin = hook.stdin.take().context("its input")?;
    let out = std::thread::scope(|scope| {
        let sender = scope.spawn(move || {
            // One that is gone already takes nothing.
            let _ = stdin.write_all(payload);
            (input == Input::Open).then_some(stdin)
        });
        let out = hook.wait_with_output();
        drop(sender.join());
        out
    })?;
    let took = begun.elapsed().as_secs_f64() * 1e3;
    let said = out.stdout.is_empty() || serde_json::from_slice::<Value>(&out.stdout).is_ok_and(|v| v.is_object());
    Ok((took, said && out.stderr.is_empty() && out.status.code() == Some(0)))
}
