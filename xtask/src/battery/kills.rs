//! `kills`: a running uptake is killed, at random times and before every single write. What was acknowledged is still
//! there, and the same command again ends as if nothing had happened.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::crash::{self, Act, Plan, Point, Problem, Sort, Stage, acts, calls};
use super::world::binary;
use super::{Figure, Options, Rng, say, two_at_a_time};

/// Calls at which a process may leave something half done.
const CALLS: &str = "write,pwrite64,writev,pwritev,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,\
                     unlinkat,ftruncate,fallocate,mkdir";
/// Of twenty random kills, how many are of each act, in the order of acts: most of `learn`.
const SHARES: [usize; 8] = [11, 2, 1, 1, 1, 1, 1, 2];
/// Runs that are timed.
const TIMED: usize = 5;
/// Two at a time, each in a world of its own.
const WORKERS: usize = 2;

const SORTS: &[(Sort, &str)] = &[
    (Sort::Lost, "kills after which something acknowledged is missing"),
    (Sort::Half, "decisions made by half"),
    (Sort::Silent, "kills after which the hook does not answer"),
    (Sort::Blind, "commands that only look and fail right after it"),
    (Sort::Unsound, "databases that are not sound"),
    (Sort::Again, "next runs that fail"),
    (Sort::Differs, "next runs whose rows are not those of a run that was not killed"),
    (Sort::Files, "next runs that leave other files"),
    (Sort::Leftover, "next runs that leave parts of files, or skills nobody said yes to"),
    (Sort::Trace, "forgotten texts that can still be read"),
];

#[derive(Default)]
struct Given {
    /// Kills by time.
    by_time: BTreeMap<&'static str, usize>,
    /// Calls that were counted, and kills at them.
    at_calls: BTreeMap<&'static str, (usize, usize)>,
    problems: Vec<Problem>,
}

/// Runs the check.
pub fn run(options: &Options) -> Result<Vec<Figure>> {
    crash::is_there()?;
    let binary = binary(options)?;
    let workers: Vec<usize> = (0..WORKERS).collect();
    let given = two_at_a_time(&workers, |worker| work(&binary, options, *worker))?;
    let mut all = Given::default();
    for one in given {
        one.by_time.into_iter().for_each(|(name, n)| *all.by_time.entry(name).or_default() += n);
        for (name, (counted, killed)) in one.at_calls {
            let sum = all.at_calls.entry(name).or_default();
            *sum = (sum.0 + counted, sum.1 + killed);
        }
        all.problems.extend(one.problems);
    }
    Ok(figures(&all))
}

fn figures(all: &Given) -> Vec<Figure> {
    let words = |list: &mut dyn Iterator<Item = (&str, usize)>| {
        list.map(|(name, n)| format!("{name} {n}")).collect::<Vec<_>>().join("; ")
    };
    let by_time: usize = all.by_time.values().sum();
    let counted: usize = all.at_calls.values().map(|(counted, _)| counted).sum();
    let killed: usize = all.at_calls.values().map(|(_, killed)| killed).sum();
    let mut out = vec![
        Figure::new("kills at a random time", by_time)
            .bar("≥ 2,000", by_time >= 2_000)
            .why(words(&mut all.by_time.iter().map(|(name, n)| (*name, *n)))),
        Figure::new("kills, one before every call that writes", killed)
            .bar(counted.to_string(), killed == counted && counted > 0)
            .why(words(&mut all.at_calls.iter().map(|(name, (_, n))| (*name, *n)))),
    ];
    out.extend(crash::figures(&all.problems, SORTS));
    out
}

fn work(binary: &Path, options: &Options, worker: usize) -> Result<Given> {
    let stage = Stage::new(binary)?;
    let plans = acts(&stage).into_iter().map(|act| Plan::new(&stage, act)).collect::<Result<Vec<Plan>>>()?;
    let mut given = Given::default();
    at_calls(&stage, &plans, worker, options, &mut given)?;
    at_random(&stage, &plans, worker, options, &mut given)?;
    Ok(given)
}

/// One kill before every call; each worker takes its share of them.
fn at_calls(stage: &Stage, plans: &[Plan], worker: usize, options: &Options, given: &mut Given) -> Result<()> {
    for plan in plans {
        stage.restore(plan.act.from)?;
        let calls = calls(&stage.harmed(&plan.act), CALLS)?;
        let sum = given.at_calls.entry(plan.act.name).or_default();
        for at in (worker..calls.len()).step_by(WORKERS * options.every.max(1)) {
            let point = Point::kill(&calls, at);
            stage.restore(plan.act.from)?;
            let (said, _) = point.run(&stage.harmed(&plan.act), CALLS)?;
            *sum = (sum.0 + 1, sum.1 + usize::from(said.killed));
            given.problems.extend(plan.verify(stage, &point.how)?);
        }
        say(&format!("kills: {}: {} calls that write", plan.act.name, calls.len()));
    }
    Ok(())
}

fn at_random(stage: &Stage, plans: &[Plan], worker: usize, options: &Options, given: &mut Given) -> Result<()> {
    ensure!(plans.len() == SHARES.len(), "an act without a share");
    let mut rng = Rng::new(options.seed, &format!("kills {worker}"));
    let wanted = options.kills / WORKERS + usize::from(worker < options.kills % WORKERS);
    let took = plans.iter().map(|p| duration(stage, &p.act)).collect::<Result<Vec<Duration>>>()?;
    let shares: Vec<usize> = SHARES.iter().enumerate().flat_map(|(n, share)| std::iter::repeat_n(n, *share)).collect();
    let mut killed = 0;
    // A run may end before its time has come: that is no kill.
    for _ in 0..wanted * 4 {
        if killed == wanted {
            break;
        }
        let n = *rng.pick(&shares);
        let plan = &plans[n];
        let after = took[n].mul_f64(rng.below(1_000_000) as f64 / 1e6);
        stage.restore(plan.act.from)?;
        if !kill(stage, &plan.act, after)? {
            continue;
        }
        killed += 1;
        *given.by_time.entry(plan.act.name).or_default() += 1;
        given.problems.extend(plan.verify(stage, &format!("killed after {after:?}"))?);
        if killed % 250 == 0 {
            say(&format!("kills: {killed} of {wanted}"));
        }
    }
    Ok(())
}

/// How long an act takes: the median of a few runs.
fn duration(stage: &Stage, act: &Act) -> Result<Duration> {
    let mut took = Vec::new();
    for _ in 0..TIMED {
        stage.restore(act.from)?;
        let start = Instant::now();
        stage.run(act)?;
        took.push(start.elapsed());
    }
    took.sort();
    Ok(took[TIMED / 2])
}

/// Starts an act and kills it. Whether it was still running.
fn kill(stage: &Stage, act: &Act, after: Duration) -> Result<bool> {
    let mut child = stage
        .world
        .command(&[])
        .args(&act.args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    std::thread::sleep(after);
    child.kill()?;
    Ok(child.wait()?.code().is_none())
}
