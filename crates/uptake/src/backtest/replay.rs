//! Goes through sessions once more, in the order they began, and counts what hints would have done.

use std::collections::{BTreeMap, HashMap, HashSet};

use anyhow::Result;
use indicatif::ProgressBar;
use rayon::prelude::*;
use uptake_core::failure::{Failure, Family};
use uptake_core::measure::baseline::Memory;
use uptake_core::measure::rates::Share;
use uptake_core::measure::script::{Met, Scope, What};

use super::constant::CARD;
use super::figures::{Figures, Way};
use super::learner::{Learner, Shown};
use super::past::Past;
use crate::hook::rehearse::{Heard, Spot};

/// What was said at one moment, for whoever wants to look.
pub struct Asked {
    /// By which way.
    pub way: Way,
    /// At which moment: `start`, `prompt` or `failure`. All below but the hint is of a failure.
    pub moment: &'static str,
    /// The session.
    pub session: String,
    /// The client's id of the failing call.
    pub call: String,
    /// The project.
    pub project: String,
    /// The failing call.
    pub tried: String,
    /// Whether the cause came back, and its fix is known.
    pub judged: bool,
    /// The words at the failure; empty if nothing was said.
    pub hint: String,
    /// Words of the change that got past it; empty if that is not known.
    pub change: String,
    /// Whether the hint says that change.
    pub right: bool,
    /// Whether a line at the start of the session does.
    pub warned: bool,
}

/// A cause, as it is compared over sessions.
type Cause = (Family, String);

/// Goes through all sessions; figures by project.
pub fn replay(
    past: &[Past],
    shown: &Shown<'_>,
    bar: &ProgressBar,
    look: &(dyn Fn(Asked) + Sync),
) -> Result<BTreeMap<String, Figures>> {
    let everywhere = Everywhere::of(past);
    let mut persons: BTreeMap<&str, Vec<&Past>> = BTreeMap::new();
    for one in past {
        persons.entry(&one.person).or_default().push(one);
    }
    let mut out: BTreeMap<String, Figures> = BTreeMap::new();
    let mut donors = Vec::new();
    for sessions in persons.values() {
        let stage = Stage::of(sessions, &everywhere);
        let ways = [Way::All, Way::Shown, Way::Auto].into_par_iter();
        let gone: Vec<(Learner, BTreeMap<String, Figures>)> =
            ways.map(|way| stage.with_lessons(way, shown, bar, look)).collect::<Result<_>>()?;
        for (n, (learner, figures)) in gone.into_iter().enumerate() {
            merge(&mut out, &figures);
            if n == 0 {
                donors.push(learner);
            }
        }
        stage.count(&mut out);
        stage.with_memories(&mut out, look);
        stage.with_card(&mut out, look);
    }
    with_other_projects(&persons, &everywhere, donors, &mut out, bar, look)?;
    Ok(out)
}

fn merge(out: &mut BTreeMap<String, Figures>, figures: &BTreeMap<String, Figures>) {
    for (project, one) in figures {
        out.entry(project.clone()).or_default().add(one);
    }
}

/// In which projects causes occur.
struct Everywhere<'p>(HashMap<Cause, HashSet<&'p str>>);

impl<'p> Everywhere<'p> {
    fn of(past: &'p [Past]) -> Self {
        let mut map: HashMap<Cause, HashSet<&str>> = HashMap::new();
        for one in past {
            for met in failures(one) {
                if let Some(cause) = &met.cause {
                    map.entry(key(cause)).or_default().insert(&one.project);
                }
            }
        }
        Self(map)
    }

    fn scope(&self, cause: &Failure) -> Scope {
        Scope::of(cause, self.0.get(&key(cause)).is_some_and(|projects| projects.len() > 1))
    }
}

fn key(cause: &Failure) -> Cause {
    (cause.family, cause.subject.clone())
}

fn failures(past: &Past) -> impl Iterator<Item = &Met> {
    past.script.scenes.iter().filter_map(|s| if let What::Failed(met) = &s.what { Some(&**met) } else { None })
}

/// A failure that came back, and whose fix is known.
#[derive(Clone, Copy)]
struct Judged {
    scope: Scope,
}

/// One person's sessions in the order they began, with what had ended before each.
struct Stage<'p> {
    sessions: Vec<&'p Past>,
    /// For each session those that ended since the one before it began.
    ended: Vec<Vec<&'p Past>>,
    /// For each session: which failures are judged, by the id of the call.
    judged: Vec<HashMap<&'p str, Judged>>,
    recurring: Vec<u32>,
}

impl<'p> Stage<'p> {
    fn of(sessions: &[&'p Past], everywhere: &Everywhere<'_>) -> Self {
        let sessions = sessions.to_vec();
        let mut stage = Self { ended: Vec::new(), judged: Vec::new(), recurring: Vec::new(), sessions };
        let mut running: Vec<&'p Past> = Vec::new();
        let mut known: HashMap<Cause, HashSet<&str>> = HashMap::new();
        for past in &stage.sessions {
            let (ended, still): (Vec<_>, Vec<_>) = running.into_iter().partition(|p| p.script.to <= past.script.from);
            for one in &ended {
                for cause in failures(one).filter_map(|met| met.cause.as_ref()) {
                    known.entry(key(cause)).or_default().insert(&one.script.root);
                }
            }
            running = still;
            running.push(past);
            let (mut judged, mut recurring, mut met_here) = (HashMap::new(), 0, HashSet::new());
            for met in failures(past) {
                let Some(cause) = &met.cause else { continue };
                let came_back = known.get(&key(cause)).is_some_and(|r| r.iter().any(|r| *r != past.script.root));
                if !came_back || !met_here.insert(key(cause)) {
                    continue;
                }
                recurring += 1;
                if met.fix.is_some() && !met.says_itself() {
                    judged.insert(met.id.as_str(), Judged { scope: everywhere.scope(cause) });
                }
            }
            stage.ended.push(ended);
            stage.judged.push(judged);
            stage.recurring.push(recurring);
        }
        stage
    }

    /// What does not depend on what is said.
    fn count(&self, out: &mut BTreeMap<String, Figures>) {
        for (n, past) in self.sessions.iter().enumerate() {
            let figures = out.entry(past.project.clone()).or_default();
            figures.sessions += 1;
            figures.failures += u32::try_from(failures(past).count()).unwrap_or(u32::MAX);
            figures.recurring += self.recurring[n];
            figures.judged += u32::try_from(self.judged[n].len()).unwrap_or(u32::MAX);
        }
    }

    /// With lessons of the past; answers the learner as it stands in the end.
    fn with_lessons(
        &self,
        way: Way,
        shown: &Shown<'_>,
        bar: &ProgressBar,
        look: &(dyn Fn(Asked) + Sync),
    ) -> Result<(Learner, BTreeMap<String, Figures>)> {
        let mut learner = Learner::new(way)?;
        let mut out = BTreeMap::new();
        let mut opened: HashMap<&str, Opened> = HashMap::new();
        for (n, past) in self.sessions.iter().enumerate() {
            if !self.ended[n].is_empty() {
                learner.learn(&self.ended[n], past.script.from, shown)?;
            }
            let opened = opened.entry(past.project.as_str()).or_default();
            self.one_session(n, way, &mut learner, &past.project, opened, &mut out, look)?;
            bar.inc(1);
        }
        // What is told to others is all that was ever learned.
        let rest: Vec<&Past> = self.running_at_the_end();
        learner.learn(&rest, self.sessions.last().map_or(0, |p| p.script.to), shown)?;
        Ok((learner, out))
    }

    fn running_at_the_end(&self) -> Vec<&'p Past> {
        let ended: HashSet<*const Past> = self.ended.iter().flatten().map(|p| std::ptr::from_ref(*p)).collect();
        self.sessions.iter().copied().filter(|p| !ended.contains(&std::ptr::from_ref(*p))).collect()
    }

    /// Goes through one session with the lessons of a project.
    #[expect(clippy::too_many_arguments, reason = "one call for each way; a struct would only name them twice")]
    fn one_session(
        &self,
        n: usize,
        way: Way,
        learner: &mut Learner,
        lessons_of: &str,
        opened: &mut Opened,
        out: &mut BTreeMap<String, Figures>,
        look: &(dyn Fn(Asked) + Sync),
    ) -> Result<()> {
        let past = self.sessions[n];
        let mut tally = Tally::new(self, n, way, out, look);
        let (folder, root) = (past.script.folder.as_str(), past.script.top.as_str());
        learner.hook.go(&Spot { project: lessons_of, folder, root });
        let start = learner.hook.start()?;
        let text = start.map(|told| told.text).unwrap_or_default();
        tally.begins(&text);
        let mut heard = Heard::default();
        for scene in &past.script.scenes {
            let now = i64::from(scene.calls);
            match &scene.what {
                What::Opened(path) => opened.add(path),
                What::Prompt(text) => {
                    if let Some(told) = learner.hook.prompt(text, &mut heard, now)? {
                        tally.tells("prompt", &told.text, scene.later);
                    }
                }
                What::Failed(met) => {
                    learner.hook.go(&Spot { project: lessons_of, folder: &met.folder, root });
                    let exists = |path: &str| opened.has(path);
                    let told = learner.hook.failure(&met.call, &met.output, &exists, &mut heard, now)?;
                    tally.failed(met, told.map(|t| t.text).as_deref(), scene.later);
                }
            }
        }
        tally.ends();
        Ok(())
    }

    /// With simple memories of past failures in the same project.
    fn with_memories(&self, out: &mut BTreeMap<String, Figures>, look: &(dyn Fn(Asked) + Sync)) {
        let mut memories: HashMap<&str, Memory> = HashMap::new();
        for (n, past) in self.sessions.iter().enumerate() {
            for one in &self.ended[n] {
                let memory = memories.entry(&one.project).or_default();
                for (met, fix) in failures(one).filter_map(|met| Some((met, met.fix.as_ref()?))) {
                    memory.add(&met.call.input, &met.output, &fix.text);
                }
            }
            let memory = memories.entry(&past.project).or_default();
            for way in Way::EVERY {
                let Way::Memory(baseline) = way else { continue };
                let mut tally = Tally::new(self, n, way, out, look);
                for scene in &past.script.scenes {
                    if let What::Failed(met) = &scene.what {
                        tally.failed(met, memory.ask(baseline, &met.call.input, &met.output), scene.later);
                    }
                }
                tally.ends();
            }
        }
    }

    /// With the same card for everybody.
    fn with_card(&self, out: &mut BTreeMap<String, Figures>, look: &(dyn Fn(Asked) + Sync)) {
        for (n, past) in self.sessions.iter().enumerate() {
            let mut tally = Tally::new(self, n, Way::Constant, out, look);
            tally.begins(CARD);
            for scene in &past.script.scenes {
                if let What::Failed(met) = &scene.what {
                    tally.failed(met, None, scene.later);
                }
            }
            tally.ends();
        }
    }
}

/// With all that was ever learned in another project: nothing of it should fit.
fn with_other_projects(
    persons: &BTreeMap<&str, Vec<&Past>>,
    everywhere: &Everywhere<'_>,
    mut donors: Vec<Learner>,
    out: &mut BTreeMap<String, Figures>,
    bar: &ProgressBar,
    look: &(dyn Fn(Asked) + Sync),
) -> Result<()> {
    let mut rich: Vec<(usize, usize, String)> = Vec::new();
    for (n, sessions) in persons.values().enumerate() {
        donors[n].without_machine();
        let projects: HashSet<&str> = sessions.iter().map(|p| p.project.as_str()).collect();
        for project in projects {
            rich.push((donors[n].told_in(project)?, n, project.to_owned()));
        }
    }
    rich.sort_by(|a, b| b.cmp(a));
    for sessions in persons.values() {
        let stage = Stage::of(sessions, everywhere);
        let mut opened: HashMap<&str, Opened> = HashMap::new();
        for (n, past) in stage.sessions.iter().enumerate() {
            bar.inc(1);
            let Some((_, donor, project)) = rich.iter().find(|(_, _, project)| *project != past.project) else {
                continue;
            };
            let opened = opened.entry(past.project.as_str()).or_default();
            stage.one_session(n, Way::Other, &mut donors[*donor], project, opened, out, look)?;
        }
    }
    Ok(())
}

/// Paths that were there, as far as sessions opened them.
#[derive(Default)]
struct Opened(HashSet<String>);

impl Opened {
    fn add(&mut self, path: &str) {
        let mut path = path.trim_end_matches('/');
        while self.0.insert(path.to_owned()) {
            let Some((folder, _)) = path.rsplit_once('/') else { break };
            path = folder;
        }
    }

    fn has(&self, path: &str) -> bool {
        let path = path.trim_start_matches("./").trim_end_matches('/');
        path.is_empty() || path == "." || self.0.contains(path)
    }
}

/// Counts what one way does in one session.
struct Tally<'t, 'p> {
    stage: &'t Stage<'p>,
    n: usize,
    way: Way,
    figures: &'t mut Figures,
    look: &'t (dyn Fn(Asked) + Sync),
    start: Vec<String>,
    prevented: Share,
    apart: Share,
}

/// Characters of a token, on average.
const TOKEN: usize = 4;

impl<'t, 'p> Tally<'t, 'p> {
    fn new(
        stage: &'t Stage<'p>,
        n: usize,
        way: Way,
        out: &'t mut BTreeMap<String, Figures>,
        look: &'t (dyn Fn(Asked) + Sync),
    ) -> Self {
        let figures = out.entry(stage.sessions[n].project.clone()).or_default();
        figures.ways.entry(way).or_default();
        Self { stage, n, way, figures, look, start: Vec::new(), prevented: Share::default(), apart: Share::default() }
    }

    fn begins(&mut self, text: &str) {
        self.start = text.lines().map(str::to_owned).collect();
        self.tells("start", text, self.stage.sessions[self.n].script.requests);
    }

    /// Something is said that is at no failure.
    fn tells(&mut self, moment: &'static str, text: &str, later: u32) {
        if text.is_empty() {
            return;
        }
        self.injects(text, later);
        let past = self.stage.sessions[self.n];
        (self.look)(Asked {
            way: self.way,
            moment,
            session: past.script.id.clone(),
            call: String::new(),
            project: past.project.clone(),
            tried: String::new(),
            judged: false,
            hint: text.to_owned(),
            change: String::new(),
            right: false,
            warned: false,
        });
    }

    fn injects(&mut self, text: &str, later: u32) {
        let tokens = text.len().div_ceil(TOKEN) as u64;
        let score = self.figures.ways.entry(self.way).or_default();
        score.injected += tokens;
        score.carried += tokens * u64::from(later);
    }

    /// A failure, and what is said at it.
    fn failed(&mut self, met: &Met, hint: Option<&str>, later: u32) {
        if let Some(hint) = hint {
            self.injects(hint, later);
        }
        let warned = self.start.iter().any(|line| met.is_warned_by(line));
        let judged = self.stage.judged[self.n].get(met.id.as_str()).copied();
        let score = self.figures.ways.entry(self.way).or_default();
        score.hints += u32::from(hint.is_some());
        let mut right = false;
        if let Some(fix) = &met.fix {
            right = hint.is_some_and(|hint| fix.change.is_in(hint));
            if hint.is_some() {
                score.right.count(right);
            }
            if right || warned {
                let own = if warned { met.tokens } else { 0 };
                let saved = u64::from(fix.tokens) + u64::from(own);
                score.saved += saved;
                score.saved_carried += saved * (1 + u64::from(later.saturating_sub(fix.calls)));
                score.calls += u64::from(fix.calls) + u64::from(warned);
            }
        }
        if let Some(Judged { scope }) = judged {
            score.prevented.count(right || warned);
            score.scopes.entry(scope).or_default().count(right || warned);
            self.prevented.count(right || warned);
            if scope != Scope::Tool {
                self.apart.count(right || warned);
            }
        }
        let past = self.stage.sessions[self.n];
        (self.look)(Asked {
            way: self.way,
            moment: "failure",
            session: past.script.id.clone(),
            call: met.id.clone(),
            project: past.project.clone(),
            tried: met.call.input.clone(),
            judged: judged.is_some(),
            hint: hint.unwrap_or_default().to_owned(),
            change: met.fix.as_ref().map(|f| f.change.words().collect::<Vec<_>>().join(" ")).unwrap_or_default(),
            right,
            warned,
        });
    }

    fn ends(self) {
        let score = self.figures.ways.entry(self.way).or_default();
        score.sessions.push(self.prevented);
        score.apart.push(self.apart);
    }
}
