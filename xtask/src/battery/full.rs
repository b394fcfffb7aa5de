//! `full`: the disk is full at every single write. The command says so, nothing is torn, and with space again the same
//! command ends as if nothing had happened.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use super::crash::{self, Call, Plan, Point, Problem, Sort, Stage, acts, calls};
use super::world::binary;
use super::{Figure, Options, say, two_at_a_time};

/// Calls that need space.
const CALLS: &str = "write,pwrite64,writev,pwritev,ftruncate,fallocate,fsync,fdatasync,openat,mkdir,rename,renameat,renameat2,link,linkat";
/// Those that only ever write to files: once one failed, all later ones fail, too.
const FOR_FILES: &[&str] = &[
    "pwrite64",
    "pwritev",
    "ftruncate",
    "fallocate",
    "fsync",
    "fdatasync",
    "mkdir",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
];
/// Two at a time, each in a world of its own.
const WORKERS: usize = 2;

const SORTS: &[(Sort, &str)] = &[
    (Sort::Panic, "panics"),
    (Sort::Unclear, "failures that do not name the file and the next step"),
    (Sort::Lost, "faults after which something acknowledged is missing"),
    (Sort::Half, "decisions made by half"),
    (Sort::Silent, "faults after which the hook does not answer"),
    (Sort::Blind, "commands that only look and fail right after it"),
    (Sort::Unsound, "databases that are not sound"),
    (Sort::Again, "next runs that fail"),
    (Sort::Differs, "next runs whose rows are not those of a run with space"),
    (Sort::Files, "next runs that leave other files"),
    (Sort::Leftover, "next runs that leave parts of files, or skills nobody said yes to"),
    (Sort::Trace, "forgotten texts that can still be read"),
];

/// How many there were.
#[derive(Default)]
struct Faults {
    wanted: usize,
    came: usize,
    /// Commands that failed because of them; the others could do without what failed.
    failed: usize,
}

impl Faults {
    fn add(&mut self, other: &Self) {
        self.wanted += other.wanted;
        self.came += other.came;
        self.failed += other.failed;
    }

    fn figure(&self, what: &str, more: &str) -> Figure {
        Figure::new(what, self.came)
            .bar(self.wanted.to_string(), self.came == self.wanted && self.wanted > 0)
            .why(format!("{} commands failed{more}", self.failed))
    }
}

#[derive(Default)]
struct Given {
    once: Faults,
    from: Faults,
    by_act: BTreeMap<&'static str, usize>,
    problems: Vec<Problem>,
}

/// Runs the check.
pub fn run(options: &Options) -> Result<Vec<Figure>> {
    crash::is_there()?;
    let binary = binary(options)?;
    let workers: Vec<usize> = (0..WORKERS).collect();
    let mut all = Given::default();
    for one in two_at_a_time(&workers, |worker| work(&binary, options, *worker))? {
        all.once.add(&one.once);
        all.from.add(&one.from);
        one.by_act.into_iter().for_each(|(name, n)| *all.by_act.entry(name).or_default() += n);
        all.problems.extend(one.problems);
    }
    let by_act: Vec<String> = all.by_act.iter().map(|(name, n)| format!("{name} {n}")).collect();
    let mut out = vec![
        all.once.figure("calls that write to files, each failed once", &format!("; {}", by_act.join("; "))),
        all.from.figure("calls from which on all that write to files failed", ""),
    ];
    out.extend(crash::figures(&all.problems, SORTS));
    Ok(out)
}

fn work(binary: &Path, options: &Options, worker: usize) -> Result<Given> {
    let stage = Stage::new(binary)?;
    let folder = stage.world.path("");
    let mut given = Given::default();
    for act in acts(&stage) {
        let plan = Plan::new(&stage, act)?;
        stage.restore(plan.act.from)?;
        let calls = calls(&stage.harmed(&plan.act), CALLS)?;
        let counts = |c: &Call| c.writes && Path::new(&c.path).starts_with(&folder);
        let points: Vec<usize> = (0..calls.len()).filter(|at| counts(&calls[*at])).collect();
        for at in points.iter().skip(worker).step_by(WORKERS * options.every.max(1)) {
            given.once.add(&fault(&stage, &plan, &Point::full_once(&calls, *at), &mut given.problems)?);
            given.from.add(&fault(&stage, &plan, &Point::full_from(&calls, *at, FOR_FILES), &mut given.problems)?);
            *given.by_act.entry(plan.act.name).or_default() += 1;
        }
        say(&format!("full: {}: {} calls that write to files", plan.act.name, points.len()));
    }
    Ok(given)
}

/// One run with the fault, and what must hold then.
fn fault(stage: &Stage, plan: &Plan, point: &Point, problems: &mut Vec<Problem>) -> Result<Faults> {
    stage.restore(plan.act.from)?;
    let (said, came) = point.run(&stage.harmed(&plan.act), CALLS)?;
    problems.extend(plan.verify_words(&said, &point.how));
    problems.extend(plan.verify(stage, &point.how)?);
    Ok(Faults { wanted: 1, came: usize::from(came), failed: usize::from(!said.ok) })
}
