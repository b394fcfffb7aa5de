//! Asks a reader what it makes of sessions, checks the answers and keeps what holds.
//!
//! Comes in: a plan, both stores, somebody to ask. Goes out: lessons in the store, and a [`Report`]. What is kept of an answer
//! and the note that its sessions were read are one write: a kill costs a second question at most. A question that is
//! answered later (by files in a folder) is remembered with all that is needed to check the answer.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, TryLockError};
use std::path::Path;

use anyhow::Result;
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use uptake_core::reader::answer::{self, Answer};
use uptake_core::reader::check::{Dropped, check};
use uptake_core::reader::digest::{Request, tokens};
use uptake_core::reader::lasting::{self, SecondReading};
use uptake_core::reader::reduce::{self, Reduction};
use uptake_core::reader::{Ask, Trouble, VERSION};

use super::plan::{DAY, Limits, Plan, plan, transcripts_of};
use super::second::{self, May};
use super::{same, take};
use crate::folding::{Tombstones, fold_changed};
use crate::ingest::leaves_alone;
use crate::settings::Settings;
use crate::stores::Stores;
use crate::world::World;

/// Asks once.
pub type AskFn<'a> = dyn FnMut(&Ask<'_>) -> Result<String, Trouble> + 'a;

/// What reading came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Sessions that were read.
    pub sessions: usize,
    /// Questions that were asked now, and those that wait for an answer.
    pub requests: usize,
    /// See above.
    pub waiting: usize,
    /// Tokens of these and of their answers, about.
    pub tokens: usize,
    /// Proposals that hold.
    pub proposals: usize,
    /// Those of them that go beyond their quotes.
    pub inferred: usize,
    /// Remarks on lessons that are there.
    pub remarks: usize,
    /// Statements that turned out to be another one in other words.
    pub merged: usize,
    /// What was dropped, and why.
    pub dropped: BTreeMap<Dropped, usize>,
    /// Answers that could not be read, also when asked once more.
    pub broken: usize,
    /// Questions that are left for another day.
    pub left: usize,
    /// Why it ended early.
    pub trouble: Option<Trouble>,
}

/// A question, as it is remembered until it is answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Question {
    /// What do these sessions teach?
    Read(Request),
    /// Which of these statements say the same, and which come first?
    Same(Reduction),
    /// Which of these messages hold for later work?
    Lasts(SecondReading),
}

/// The same, and whether it was asked before and not answered well.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Open {
    question: Question,
    again: bool,
}

/// What is sent before a question that was not answered well.
const AGAIN: &str =
    "Your last answer could not be read. Answer with one JSON object of the given schema and nothing else.\n\n";

impl Question {
    fn parts(&self) -> (&str, &str, &'static str) {
        match self {
            Self::Read(r) => (&r.id, &r.prompt, answer::SCHEMA),
            Self::Same(r) => (&r.id, &r.prompt, reduce::SCHEMA),
            Self::Lasts(r) => (&r.id, &r.prompt, lasting::SCHEMA),
        }
    }

    fn project(&self) -> &str {
        match self {
            Self::Read(r) => &r.project,
            Self::Same(r) => &r.project,
            Self::Lasts(r) => &r.project,
        }
    }
}

impl Open {
    fn id(&self) -> String {
        let (id, ..) = self.question.parts();
        if self.again { format!("{id}-again") } else { id.to_owned() }
    }

    fn prompt(&self) -> String {
        let (_, prompt, _) = self.question.parts();
        if self.again { format!("{AGAIN}{prompt}") } else { prompt.to_owned() }
    }
}

/// Held while a reader reads: another command lets it.
pub struct Turn {
    _lock: Option<File>,
}

impl Turn {
    /// Takes it; `None` if somebody else has it. Where locks do not work there is nothing to wait for.
    pub fn take(data: &Path) -> Option<Self> {
        let mut options = File::options();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.create(true).append(true).open(data.join("reader.lock"));
        let Ok(file) = file else { return Some(Self { _lock: None }) };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => None,
            _ => Some(Self { _lock: Some(file) }),
        }
    }
}

/// A reading of what is new.
pub struct Run<'r> {
    stores: &'r mut Stores,
    world: &'r World,
    settings: &'r Settings,
    limits: &'r Limits,
    tombstones: Tombstones,
    open: Vec<Open>,
    today: Today,
    report: Report,
}

impl<'r> Run<'r> {
    /// Prepares it.
    pub fn new(stores: &'r mut Stores, world: &'r World, settings: &'r Settings, limits: &'r Limits) -> Result<Self> {
        let open = still_open(stores)?;
        let tombstones = Tombstones::of(&stores.lessons, &world.data)?;
        let today = Today::read(stores.lessons.noted(TODAY)?.as_deref(), world.now);
        let report = Report::default();
        Ok(Self { stores, world, settings, limits, tombstones, open, today, report })
    }

    /// What would be asked, beside what was asked already.
    pub fn plan(&self) -> Result<Plan> {
        let asked = transcripts_of(self.open.iter().filter_map(|open| match &open.question {
            Question::Read(request) => Some(request),
            Question::Same(_) | Question::Lasts(_) => None,
        }));
        plan(self.stores, self.world, self.settings, self.limits, &asked)
    }

    /// Whether questions wait for an answer.
    pub fn waits(&self) -> bool {
        !self.open.is_empty()
    }

    /// How many of these questions may be asked today.
    pub fn today(&self, plan: &Plan) -> usize {
        let mut today = self.today.clone();
        let cost = |r: &Request| tokens(&r.prompt) + tokens(answer::SCHEMA);
        let fits = |r: &&Request| today.may_ask(cost(r), self.limits) && today.add(cost(r));
        plan.requests.iter().take_while(fits).count()
    }

    /// Asks, and keeps what holds.
    pub fn run(mut self, plan: Plan, ask: &mut AskFn<'_>, bar: &ProgressBar) -> Result<Report> {
        self.stores.lessons.keep_read(&[], &plan.nothing)?;
        for open in std::mem::take(&mut self.open) {
            self.answer_to(open, ask, Counted::Before)?;
        }
        for request in plan.requests {
            bar.inc(1);
            let open = Open { question: Question::Read(request), again: false };
            self.answer_to(open, ask, Counted::Now)?;
        }
        self.fold()?;
        self.join(ask)?;
        Ok(self.report)
    }

    /// Asks which messages last, and then which of a project's statements say the same, wherever there are new ones. What cannot be
    /// asked today is asked another day.
    fn join(&mut self, ask: &mut AskFn<'_>) -> Result<()> {
        let mut due = self.unjoined()?;
        for project in due.clone() {
            if !self.read_again(&project, ask)? {
                continue;
            }
            let left = self.report.left;
            let note = format!("{JOINED} {project}");
            let question = same::question(self.stores, &project, self.world.now)?;
            let known = self.stores.lessons.noted(&note)?;
            if let Some(reduction) = question.filter(|q| known.as_ref() != Some(&q.id)) {
                let open = Open { question: Question::Same(reduction), again: false };
                self.answer_to(open, ask, Counted::Now)?;
                self.fold()?;
            }
            if self.report.left == left && self.report.trouble.is_none() {
                due.remove(&project);
                // What is left now was asked about just now.
                if let Some(rest) = same::question(self.stores, &project, self.world.now)? {
                    self.stores.lessons.renote(&note, &rest.id)?;
                }
            }
        }
        self.stores.lessons.renote(UNJOINED, &serde_json::to_string(&due)?)?;
        Ok(())
    }

    /// Has the messages of a project read a second time; whether that is done, as far as it can be. What they rest on belongs to the
    /// question which statements come first. While one question waits for its answer, no other is asked beside it.
    fn read_again(&mut self, project: &str, ask: &mut AskFn<'_>) -> Result<bool> {
        let note = format!("{UNREADABLE} {project}");
        let mut asked = None;
        loop {
            if self.waits_for_second(project)? {
                return Ok(false);
            }
            let Some(reading) = second::question(self.stores, project, &self.may())? else { return Ok(true) };
            if self.stores.lessons.noted(&note)?.as_ref() == Some(&reading.id) || asked.as_ref() == Some(&reading.id) {
                return Ok(true);
            }
            asked = Some(reading.id.clone());
            let left = self.report.left;
            self.answer_to(Open { question: Question::Lasts(reading), again: false }, ask, Counted::Now)?;
            if self.report.left > left || self.report.trouble.is_some() {
                return Ok(false);
            }
            self.fold()?;
        }
    }

    fn waits_for_second(&self, project: &str) -> Result<bool> {
        let of = |open: &Open| matches!(&open.question, Question::Lasts(reading) if reading.project == project);
        let open = self.stores.sessions.open_requests()?;
        Ok(open.iter().filter_map(|(_, body)| serde_json::from_str(body).ok()).any(|open: Open| of(&open)))
    }

    fn may(&self) -> May<'r> {
        May { world: self.world, settings: self.settings, limits: self.limits }
    }

    /// Projects in which there may be new statements.
    fn unjoined(&self) -> Result<BTreeSet<String>> {
        let noted = self.stores.lessons.noted(UNJOINED)?;
        let due: BTreeSet<String> = noted.and_then(|list| serde_json::from_str(&list).ok()).unwrap_or_default();
        // What was merged since is due by its new name.
        let aliases = self.stores.lessons.aliases()?;
        Ok(due.into_iter().map(|project| aliases.get(&project).cloned().unwrap_or(project)).collect())
    }

    /// Noted before anything is kept: a kill must not leave statements apart that are one.
    fn note_unjoined(&mut self, project: &str) -> Result<()> {
        let mut due = self.unjoined()?;
        if due.insert(project.to_owned()) {
            self.stores.lessons.renote(UNJOINED, &serde_json::to_string(&due)?)?;
        }
        Ok(())
    }

    fn fold(&mut self) -> Result<()> {
        fold_changed(&mut self.stores.lessons, &self.tombstones, self.world, self.settings)
    }

    /// Asks one question, once more if the answer cannot be read, and takes what it says.
    fn answer_to(&mut self, open: Open, ask: &mut AskFn<'_>, counted: Counted) -> Result<()> {
        if self.is_left_alone(&open.question)? {
            return Ok(self.stores.sessions.drop_request(&open.id())?);
        }
        let (_, _, schema) = open.question.parts();
        let (id, prompt) = (open.id(), open.prompt());
        let cost = tokens(&prompt) + tokens(schema);
        if self.report.trouble.is_some() || counted == Counted::Now && !self.today.may_ask(cost, self.limits) {
            self.report.left += 1;
            return Ok(());
        }
        if counted == Counted::Now {
            self.today.add(cost);
            self.note_today()?;
            (self.report.requests, self.report.tokens) = (self.report.requests + 1, self.report.tokens + cost);
        }
        let said = ask(&Ask { id: &id, prompt: &prompt, schema });
        let taken = match said {
            Ok(text) => {
                self.today.add_tokens(tokens(&text));
                self.note_today()?;
                self.report.tokens += tokens(&text);
                self.take(&open.question, &text)?
            }
            Err(Trouble::TooLong) => false,
            Err(Trouble::NotReady(_)) => {
                self.report.waiting += 1;
                let body = serde_json::to_string(&open)?;
                return Ok(self.stores.sessions.keep_request(&id, &body, self.world.now)?);
            }
            Err(trouble) => {
                self.report.trouble = Some(trouble);
                return Ok(());
            }
        };
        self.stores.sessions.drop_request(&id)?;
        if taken {
            return Ok(());
        }
        if !open.again {
            return self.answer_to(Open { again: true, ..open }, ask, Counted::Now);
        }
        self.report.broken += 1;
        self.leave(&open.question)
    }

    /// Whether the user excluded what a question is about since it was asked.
    fn is_left_alone(&self, question: &Question) -> Result<bool> {
        let alone = |cwd: Option<&str>| {
            leaves_alone(question.project(), cwd, self.settings, &self.world.home, &self.stores.lessons)
        };
        let request = match question {
            Question::Read(request) => request,
            Question::Same(_) => return Ok(alone(None)),
            Question::Lasts(reading) => return second::is_left_alone(self.stores, reading, &self.may()),
        };
        for told in &request.sessions {
            let session = self.stores.sessions.session_of(&told.transcript)?;
            if alone(session.as_ref().and_then(|s| s.cwd.as_deref())) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes what an answer says; whether it could be read.
    fn take(&mut self, question: &Question, text: &str) -> Result<bool> {
        match question {
            Question::Read(request) => {
                let Ok(answer) = Answer::parse(text) else { return Ok(false) };
                let checked = check(&answer, request);
                for (why, n) in &checked.dropped {
                    *self.report.dropped.entry(*why).or_default() += n;
                }
                self.report.proposals += checked.proposals.len();
                self.report.inferred += checked.proposals.iter().filter(|p| !p.leaps.is_empty()).count();
                if !checked.proposals.is_empty() {
                    self.note_unjoined(&request.project)?;
                }
                let taken = take::keep(self.stores, &self.tombstones, request, &checked.proposals)?;
                self.report.remarks += taken.remarks;
                self.report.sessions += request.ends.len();
                Ok(true)
            }
            Question::Same(reduction) => {
                let Ok(reduced) = reduce::check(text, reduction) else { return Ok(false) };
                self.report.merged += same::apply(self.stores, reduction, &reduced)?;
                Ok(true)
            }
            Question::Lasts(reading) => {
                let Ok(lasting) = lasting::check(text, reading) else { return Ok(false) };
                let may = self.may();
                second::note(self.stores, reading, &lasting, &may)?;
                Ok(true)
            }
        }
    }

    /// Leaves a question whose answers cannot be read: it would not be answered better tomorrow.
    fn leave(&mut self, question: &Question) -> Result<()> {
        match question {
            Question::Read(request) => drop(self.stores.lessons.keep_read(&[], &take::read(request))?),
            Question::Lasts(r) => drop(self.stores.lessons.renote(&format!("{UNREADABLE} {}", r.project), &r.id)?),
            Question::Same(_) => {}
        }
        Ok(())
    }

    fn note_today(&mut self) -> Result<()> {
        self.stores.lessons.renote(TODAY, &self.today.written())?;
        Ok(())
    }
}

/// Questions that wait for their answers. What another release asked would be answered in another form: it is forgotten, and
/// its sessions, which nobody has read, are asked about anew.
fn still_open(stores: &mut Stores) -> Result<Vec<Open>> {
    let mut open = Vec::new();
    for (id, body) in stores.sessions.open_requests()? {
        match serde_json::from_str::<Open>(&body) {
            Ok(Open { question: Question::Read(request), .. }) if request.version != VERSION => {
                stores.sessions.drop_request(&id)?;
            }
            Ok(asked) => open.push(asked),
            Err(_) => {}
        }
    }
    Ok(open)
}

/// Whether a question counts for today's limits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    /// It did when it was asked first.
    Before,
    /// It does.
    Now,
}

/// The note on what was asked today.
const TODAY: &str = "reader today";

/// The note on projects with statements that may say the same.
const UNJOINED: &str = "reader unjoined";
/// Before the name of a project: which of its statements were asked about last.
const JOINED: &str = "reader joined";
/// Before the name of a project: which question about its messages nobody could answer.
const UNREADABLE: &str = "reader unreadable";

/// What was asked on a day.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Today {
    day: i64,
    requests: usize,
    tokens: usize,
}

impl Today {
    fn read(noted: Option<&str>, now: i64) -> Self {
        let day = now.div_euclid(DAY);
        let numbers: Vec<i64> = noted.unwrap_or_default().split(' ').filter_map(|n| n.parse().ok()).collect();
        let count = |n: i64| usize::try_from(n).unwrap_or(0);
        match numbers[..] {
            [noted, requests, tokens] if noted == day => Self { day, requests: count(requests), tokens: count(tokens) },
            _ => Self { day, requests: 0, tokens: 0 },
        }
    }

    fn written(&self) -> String {
        format!("{} {} {}", self.day, self.requests, self.tokens)
    }

    fn may_ask(&self, cost: usize, limits: &Limits) -> bool {
        let most = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
        self.requests < most(limits.requests_a_day) && self.tokens + cost <= most(limits.tokens_a_day)
    }

    fn add(&mut self, cost: usize) -> bool {
        self.requests += 1;
        self.add_tokens(cost);
        true
    }

    fn add_tokens(&mut self, tokens: usize) {
        self.tokens = self.tokens.saturating_add(tokens);
    }
}

#[cfg(test)]
mod tests;
