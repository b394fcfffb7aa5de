//! `cycle`: an iteration is counted once. `uptake cycle` is killed before every single write, run again, and run by sixteen at
//! once: the numbers are those of one run that nobody disturbed.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::crash::{self, Harmed, Point, calls, replace};
use super::world::{World, binary, finish};
use super::{Figure, Options, say};

/// Calls at which a process may leave something half done.
const CALLS: &str = "write,pwrite64,writev,pwritev,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,\
                     unlinkat,ftruncate,fallocate,mkdir";
/// Processes at once.
const AT_ONCE: usize = 16;
/// Times that they are started.
const ROUNDS: usize = 20;

const LESSONS: [&str; 3] =
    ["Always check token expiry before API calls", "Run unit tests first, then push", "Use arr[0] not arr.first"];

/// Runs the check.
pub fn run(options: &Options) -> Result<Vec<Figure>> {
    crash::is_there()?;
    let world = World::new(&binary(options)?)?;
    let args = stage(&world)?;
    let kept = world.path("kept");
    replace(&world.data(), &kept)?;
    let wanted = numbers(&world, &args)?;
    ensure!(wanted.as_array().is_some_and(|l| l.len() == LESSONS.len()), "not all lessons are there: {wanted}");
    let again = numbers(&world, &args)?;
    let harmed = Harmed { world: &world, folder: world.path("shop"), name: "cycle", args: &args };
    replace(&kept, &world.data())?;
    let points = calls(&harmed, CALLS)?;
    let (mut killed, mut other) = (0, Vec::new());
    for at in (0..points.len()).step_by(options.every.max(1)) {
        let point = Point::kill(&points, at);
        replace(&kept, &world.data())?;
        let (said, _) = point.run(&harmed, CALLS)?;
        killed += usize::from(said.killed);
        let now = numbers(&world, &args)?;
        if now != wanted {
            other.push(format!("{}: {now}", point.how));
        }
    }
    say(&format!("cycle: {} calls that write", points.len()));
    let mut at_once = 0;
    for _ in 0..ROUNDS {
        replace(&kept, &world.data())?;
        let failed = sixteen(&world, &args)?;
        at_once += usize::from(failed > 0 || numbers(&world, &args)? != wanted);
    }
    let counted = points.len().div_ceil(options.every.max(1));
    Ok(vec![
        Figure::new("second runs with other numbers", usize::from(again != wanted)).bar("0", again == wanted),
        Figure::new("kills, one before every call that writes", killed)
            .bar(counted.to_string(), killed == counted && killed > 0),
        Figure::new("next runs with other numbers", other.len()).bar("0", other.is_empty()).why(other.join("; ")),
        Figure::new("rounds of sixteen at once that fail or give other numbers", at_once).bar("0", at_once == 0),
    ])
}

/// A repository with a change, three lessons, a log and a learning.
fn stage(world: &World) -> Result<Vec<String>> {
    let shop = world.path("shop");
    let lines = |changed: &str| format!("{}{changed}\n{}", "line\n".repeat(9), "line\n".repeat(30));
    world.write(&shop.join("src/auth/token.ts"), lines("line").as_bytes())?;
    for args in [
        &["init", "-q"][..],
        &["remote", "add", "origin", "https://git.example.com/dev/shop.git"],
        &["add", "-A"],
        &["-c", "user.name=d", "-c", "user.email=d@example.com", "commit", "-qm", "first"],
    ] {
        let ok = Command::new("git").args(args).current_dir(&shop).env("HOME", world.home()).status()?.success();
        ensure!(ok, "git {args:?}");
    }
    world.write(&shop.join("src/auth/token.ts"), lines("changed").as_bytes())?;
    for text in LESSONS {
        in_shop(world, &["add".to_owned(), text.to_owned()])?;
    }
    let mut log = String::new();
    for iteration in 1..=5 {
        for (n, text) in LESSONS.iter().enumerate() {
            let status = if n == 1 { "injected" } else { "applied" };
            log.push_str(&format!(
                "2026-02-01T10:00:00Z|r1|{iteration}|coder|{text}|{status}|src/auth/token.ts:{}\n",
                10 + n * 10
            ));
        }
    }
    world.write(&world.path("outcomes.log"), log.as_bytes())?;
    let learning =
        json!({ "task": "t", "pattern": "Never log tokens in the billing service", "citations": [LESSONS[0]] });
    world.write(&world.path("pending/a.json"), learning.to_string().as_bytes())?;
    let path = |name: &str| world.path(name).to_string_lossy().into_owned();
    let args =
        ["cycle", "--json", "--build", "passed", "--outcomes", &path("outcomes.log"), "--learnings", &path("pending")];
    Ok(args.map(str::to_owned).into())
}

fn in_shop(world: &World, args: &[String]) -> Result<Vec<u8>> {
    let said = finish(world.command(&[]).args(args).current_dir(world.path("shop")), b"")?;
    ensure!(said.ok, "{args:?}: {}", String::from_utf8_lossy(&said.err));
    Ok(said.out)
}

/// Uses, rate and flag of every lesson after one more run.
fn numbers(world: &World, args: &[String]) -> Result<Value> {
    let out = in_shop(world, args)?;
    let done: Value = serde_json::from_slice(&out).context("no JSON")?;
    let lessons = done["lessons"].as_array().context("no lessons")?;
    Ok(lessons.iter().map(|l| json!([l["text"], l["uses"], l["success_rate"], l["flag"]])).collect())
}

/// How many of sixteen at once fail.
fn sixteen(world: &World, args: &[String]) -> Result<usize> {
    let start = |shop: &Path| {
        let mut command = world.command(&[]);
        command.args(args).current_dir(shop).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn()
    };
    let shop = world.path("shop");
    let all = (0..AT_ONCE).map(|_| start(&shop)).collect::<std::io::Result<Vec<_>>>()?;
    let mut failed = 0;
    for mut one in all {
        failed += usize::from(!one.wait()?.success());
    }
    Ok(failed)
}
