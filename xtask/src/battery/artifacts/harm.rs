//! Kills and full disks at every write of a deed, and kills at random times.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::scene::{Deed, Found, Scene};
use crate::battery::crash::{self, Point, Problem, Sort, calls, verify_words};
use crate::battery::{Figure, Options, Rng, say, two_at_a_time};

/// Calls at which a process may leave something half done.
const CALLS: &str = "write,pwrite64,writev,pwritev,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,\
                     unlinkat,ftruncate,fallocate,mkdir,mkdirat";
/// Calls that need space.
const SPACE: &str = "write,pwrite64,writev,pwritev,fsync,fdatasync,rename,renameat,renameat2,link,linkat,ftruncate,\
                     fallocate,mkdir,mkdirat,openat";
/// Two at a time, each in a world of its own.
const WORKERS: usize = 2;

const SORTS: &[(Sort, &str)] = &[
    (Sort::Twice, "entries, numbers or skills that are there twice, or numbers given again"),
    (Sort::Theirs, "texts of a person that are not as they were"),
    (Sort::Again, "next runs that fail"),
    (Sort::Differs, "next runs that leave other files or words than a run without harm"),
    (Sort::Leftover, "parts of files that stay"),
    (Sort::Panic, "panics"),
    (Sort::Unclear, "failures that do not name the file and the next step"),
];

#[derive(Default)]
struct Given {
    killed: BTreeMap<&'static str, usize>,
    /// Calls that were to be killed at.
    counted: usize,
    full: usize,
    full_failed: usize,
    at_random: usize,
    problems: Vec<Problem>,
}

/// Runs it.
pub fn run(binary: &Path, options: &Options) -> Result<Vec<Figure>> {
    let workers: Vec<usize> = (0..WORKERS).collect();
    let mut all = Given::default();
    for one in two_at_a_time(&workers, |worker| work(binary, options, *worker))? {
        one.killed.into_iter().for_each(|(name, n)| *all.killed.entry(name).or_default() += n);
        all.counted += one.counted;
        all.full += one.full;
        all.full_failed += one.full_failed;
        all.at_random += one.at_random;
        all.problems.extend(one.problems);
    }
    let killed: usize = all.killed.values().sum();
    let by_deed: Vec<String> = all.killed.iter().map(|(name, n)| format!("{name} {n}")).collect();
    let mut out = vec![
        Figure::new("kills, one before every call that writes", killed)
            .bar(all.counted.to_string(), killed == all.counted && killed > 0)
            .why(by_deed.join("; ")),
        Figure::new("kills at a random time", all.at_random).bar("≥ 2,000", all.at_random >= 2_000),
        Figure::new("calls that failed for want of space", all.full)
            .bar("> 0", all.full > 0)
            .why(format!("{} commands failed", all.full_failed)),
    ];
    out.extend(crash::figures(&all.problems, SORTS));
    Ok(out)
}

/// A deed, and what is there before and after it.
struct Plan {
    deed: Deed,
    before: Found,
    after: Found,
    took: Duration,
}

fn work(binary: &Path, options: &Options, worker: usize) -> Result<Given> {
    let scene = Scene::new(binary)?;
    let mut plans = Vec::new();
    for deed in scene.deeds() {
        scene.restore(&deed)?;
        let before = scene.found()?;
        let start = Instant::now();
        let said = scene.run(&deed.args)?;
        let took = start.elapsed();
        ensure!(said.ok, "`{}` fails unharmed: {}", deed.name, String::from_utf8_lossy(&said.err));
        scene.must(&["reconcile"])?;
        let after = scene.found()?;
        ensure!(after.twice().is_empty(), "`{}` writes twice: {:?}", deed.name, after.twice());
        plans.push(Plan { deed, before, after, took });
    }
    let mut given = Given::default();
    // The last one writes in several threads, of which strace counts each by itself.
    for plan in plans.split_last().map(|(_, plans)| plans).unwrap_or_default() {
        at_calls(&scene, plan, worker, options, &mut given)?;
        without_space(&scene, plan, worker, options, &mut given)?;
    }
    at_random(&scene, &plans, worker, options, &mut given)?;
    Ok(given)
}

fn at_calls(scene: &Scene, plan: &Plan, worker: usize, options: &Options, given: &mut Given) -> Result<()> {
    scene.restore(&plan.deed)?;
    let calls = calls(&scene.harmed(&plan.deed), CALLS)?;
    for at in (worker..calls.len()).step_by(WORKERS * options.every.max(1)) {
        let point = Point::kill(&calls, at);
        scene.restore(&plan.deed)?;
        let (said, _) = point.run(&scene.harmed(&plan.deed), CALLS)?;
        given.counted += 1;
        *given.killed.entry(plan.deed.name).or_default() += usize::from(said.killed);
        given.problems.extend(plan.verify(scene, &point.how)?);
    }
    say(&format!("artifacts: {}: {} calls that write", plan.deed.name, calls.len()));
    Ok(())
}

fn without_space(scene: &Scene, plan: &Plan, worker: usize, options: &Options, given: &mut Given) -> Result<()> {
    scene.restore(&plan.deed)?;
    let folder = scene.world.path("");
    let calls = calls(&scene.harmed(&plan.deed), SPACE)?;
    let writes = |at: &usize| calls[*at].writes && Path::new(&calls[*at].path).starts_with(&folder);
    let points: Vec<usize> = (0..calls.len()).filter(writes).collect();
    for at in points.into_iter().skip(worker).step_by(WORKERS * options.every.max(1)) {
        let point = Point::full_once(&calls, at);
        scene.restore(&plan.deed)?;
        let (said, came) = point.run(&scene.harmed(&plan.deed), SPACE)?;
        given.full += usize::from(came);
        given.full_failed += usize::from(!said.ok);
        given.problems.extend(verify_words(plan.deed.name, &said, &point.how));
        given.problems.extend(plan.verify(scene, &point.how)?);
    }
    Ok(())
}

fn at_random(scene: &Scene, plans: &[Plan], worker: usize, options: &Options, given: &mut Given) -> Result<()> {
    let mut rng = Rng::new(options.seed, &format!("artifacts {worker}"));
    let wanted = options.kills / WORKERS + usize::from(worker < options.kills % WORKERS);
    // A run may end before its time has come: that is no kill.
    for _ in 0..wanted * 4 {
        if given.at_random == wanted {
            break;
        }
        let plan = rng.pick(plans);
        let after = plan.took.mul_f64(rng.below(1_000_000) as f64 / 1e6);
        scene.restore(&plan.deed)?;
        let mut command = scene.world.command(&[]);
        command.args(&plan.deed.args).current_dir(scene.world.project());
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        std::thread::sleep(after);
        child.kill()?;
        if child.wait()?.code().is_some() {
            continue;
        }
        given.at_random += 1;
        given.problems.extend(plan.verify(scene, &format!("killed after {after:?}"))?);
        if given.at_random.is_multiple_of(250) {
            say(&format!("artifacts: {} of {wanted} random kills", given.at_random));
        }
    }
    Ok(())
}

impl Plan {
    /// What must hold after it was harmed: at once, after the next look, and after the same command again.
    fn verify(&self, scene: &Scene, how: &str) -> Result<Vec<Problem>> {
        let mut problems = Vec::new();
        let mut add = |sort: Sort, what: String| problems.push((sort, format!("{} {how}: {what}", self.deed.name)));
        let mut numbers: BTreeMap<String, String> = BTreeMap::new();
        let mut look = |found: &Found, add: &mut dyn FnMut(Sort, String)| {
            found.twice().into_iter().for_each(|what| add(Sort::Twice, what));
            found.lost_words().into_iter().for_each(|what| add(Sort::Theirs, what));
            for (number, lesson) in found.entries() {
                let first = numbers.entry(number.clone()).or_insert_with(|| lesson.clone());
                if *first != lesson {
                    add(Sort::Twice, format!("{number} of {first} was given to {lesson}"));
                }
            }
        };
        look(&self.before, &mut add);
        look(&scene.found()?, &mut add);
        let healed = scene.run(&["reconcile"])?;
        if !healed.ok {
            add(Sort::Again, String::from_utf8_lossy(&healed.err).trim().to_owned());
        }
        let mut found = scene.found()?;
        look(&found, &mut add);
        found.left_over().into_iter().for_each(|what| add(Sort::Leftover, what));
        if !found.is_like(&self.after) {
            let again = scene.run(&self.deed.args)?;
            if !again.ok {
                add(Sort::Again, String::from_utf8_lossy(&again.err).trim().to_owned());
            }
            scene.must(&["reconcile"])?;
            found = scene.found()?;
            look(&found, &mut add);
        }
        if !found.is_like(&self.after) {
            add(Sort::Differs, found.difference(&self.after));
        }
        found.left_over().into_iter().for_each(|what| add(Sort::Leftover, format!("in the end: {what}")));
        Ok(problems)
    }
}
