//! One world: learns, and looks at all that left the store.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde_json::json;
use uptake_core::learn::Lesson;
use uptake_core::learn::trust::Mode;
use uptake_core::{recall, render};
use uptake_store::{Lessons, Wanted, Which};

use super::super::plants::script::{Script, Step};
use super::super::world::{World, files};
use super::controls;
use super::seek::Seeker;

/// Of the failures only every nth is told to the binary; the store is asked for all.
const HOOKS: usize = 40;
/// Lessons a person approves in a world.
const APPROVED: usize = 3;

/// What one world gave.
#[derive(Default)]
pub struct Given {
    /// What left that should not, in mode review and in mode auto.
    pub leaks: [Vec<Leak>; 2],
    /// Which harmless lessons left in each.
    pub controls: [Vec<bool>; 2],
    /// Waiting lessons that hold a piece of a string.
    pub tainted: usize,
    /// Lessons that left in mode review after mode auto.
    pub stayed: usize,
    /// Lessons a person approved.
    pub approved: usize,
    /// Those of them that did not leave.
    pub missing: usize,
    /// What left beside them.
    pub beside: usize,
    /// Hooks that were run.
    pub hooks: usize,
    /// Failures the store was asked about.
    pub asked: usize,
    /// Commands that failed.
    pub broken: Vec<String>,
}

/// A piece of a string outside the store.
#[derive(Clone)]
pub struct Leak {
    /// The string.
    pub text: String,
    /// Where it got out.
    pub by: String,
    /// What got out.
    pub shown: String,
}

/// A world with its sessions.
pub struct Planted<'w> {
    world: &'w World,
    by_hand: Vec<PathBuf>,
    before: BTreeSet<PathBuf>,
    failures: Vec<(String, String)>,
    strings: &'w [&'w str],
    seeker: Seeker,
    given: Given,
}

/// A text outside the store and by which door it got there.
type Out = (String, String);

impl<'w> Planted<'w> {
    /// With what was written into it.
    pub fn new(world: &'w World, by_hand: Vec<PathBuf>, scripts: &[Script], strings: &'w [&'w str]) -> Self {
        let mut failures: Vec<(String, String)> = Vec::new();
        for step in scripts.iter().flat_map(|s| &s.steps) {
            if let Step::Shell { command, output, code: 1.. } = step {
                failures.push((command.clone(), output.clone()));
            }
        }
        failures.sort();
        failures.dedup();
        let before = files(&world.home()).into_iter().collect();
        let seeker = Seeker::new(strings.iter().copied());
        Self { world, by_hand, before, failures, strings, seeker, given: Given::default() }
    }

    /// Mode review, then auto, then review again, then a person's yes to some.
    pub fn check(mut self) -> Result<Given> {
        for (n, mode) in [Mode::Review, Mode::Auto].into_iter().enumerate() {
            self.learn(mode)?;
            let out = self.out(mode)?;
            let texts: Vec<String> = out.iter().map(|(_, text)| text.clone()).collect();
            self.given.controls[n] = controls::passed(&texts);
            self.given.leaks[n] = out.iter().filter_map(|(by, text)| self.leak(by, text)).collect();
        }
        self.learn(Mode::Review)?;
        self.given.stayed = self.out(Mode::Review)?.len();
        self.approve()?;
        Ok(self.given)
    }

    fn leak(&self, by: &str, text: &str) -> Option<Leak> {
        let found = self.seeker.find(text)?;
        let shown: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect();
        Some(Leak { text: self.strings[found].to_owned(), by: by.to_owned(), shown })
    }

    fn run(&mut self, args: &[&str], input: &[u8]) -> Result<Vec<u8>> {
        let paths: &[PathBuf] = if args.first() == Some(&"learn") { &self.by_hand } else { &[] };
        let said = self.world.run(args, paths, input)?;
        if !said.ok {
            self.given.broken.push(format!("{}: {}", said.by, String::from_utf8_lossy(&said.err).trim()));
        }
        Ok(said.out)
    }

    fn learn(&mut self, mode: Mode) -> Result<()> {
        self.world.write(&self.config(), format!("mode = \"{}\"\n", mode.as_str()).as_bytes())?;
        self.run(&["learn"], b"").map(drop)
    }

    fn config(&self) -> PathBuf {
        self.world.home().join(".config/uptake/config.toml")
    }

    fn lessons(&self) -> Result<Lessons> {
        Lessons::open_read_only(&self.world.data())?.context("nothing was learned")
    }

    /// All that left: files, answers to failures, and what the store would hand out.
    fn out(&mut self, mode: Mode) -> Result<Vec<Out>> {
        let mut out = Vec::new();
        let config = self.config();
        for path in files(&self.world.home()).iter().filter(|p| !self.before.contains(*p) && **p != config) {
            out.push((format!("name of {}", path.display()), path.to_string_lossy().into_owned()));
            out.push((
                path.to_string_lossy().into_owned(),
                String::from_utf8_lossy(&std::fs::read(path)?).into_owned(),
            ));
        }
        let lessons = self.lessons()?;
        let project = uptake::project::of_folder_quickly(&self.world.project(), &self.world.data()).key;
        for (command, output) in &self.failures {
            let Some(trigger) = recall::trigger(command, output) else { continue };
            let found = lessons.approved_for(&trigger, &project, mode)?;
            out.extend(found.iter().map(|l| (format!("hint {}", l.id), recall::hint(l))));
        }
        self.given.asked += self.failures.len();
        out.extend(lessons.may_leave(mode)?.iter().map(|l| (format!("lesson {}", l.id), all_of(l))));
        let told: Vec<(String, String)> = self.failures.iter().step_by(HOOKS).cloned().collect();
        for (n, (command, output)) in told.iter().enumerate() {
            let payload = self.payload(command, output, &format!("{}-{n}", mode.as_str()));
            let answer = self.run(&["hook", "claude"], payload.as_bytes())?;
            self.given.hooks += 1;
            if !answer.is_empty() {
                out.push(("hook".to_owned(), String::from_utf8_lossy(&answer).into_owned()));
            }
        }
        Ok(out)
    }

    fn payload(&self, command: &str, output: &str, session: &str) -> String {
        json!({
            "session_id": session, "transcript_path": "/nowhere", "cwd": self.world.project(),
            "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": { "command": command },
            "tool_use_id": "t1", "error": format!("Exit code 2\n{output}"), "is_interrupt": false
        })
        .to_string()
    }

    /// A person approves some of what holds pieces of strings: those leave, and nothing else.
    fn approve(&mut self) -> Result<()> {
        let wanted = Wanted { which: Which::Waiting, ..Wanted::default() };
        let waiting: Vec<Lesson> = self.lessons()?.list(&wanted)?.into_iter().map(|s| s.lesson).collect();
        let tainted: Vec<&Lesson> = waiting.iter().filter(|l| self.seeker.find(&all_of(l)).is_some()).collect();
        self.given.tainted = tainted.len();
        let chosen: Vec<&Lesson> =
            tainted.iter().step_by((tainted.len() / APPROVED).max(1)).take(APPROVED).copied().collect();
        let shown: Vec<String> = chosen.iter().map(|l| l.shown_id()).collect();
        for id in &shown {
            self.run(&["review", "--accept", id], b"")?;
        }
        let ids: BTreeSet<&str> = chosen.iter().map(|l| l.id.as_str()).collect();
        let may: BTreeSet<String> = self.lessons()?.may_leave(Mode::Review)?.into_iter().map(|l| l.id).collect();
        self.given.approved = ids.len();
        self.given.missing = ids.iter().filter(|id| !may.contains(**id)).count();
        // Whatever got out names the lesson it was made of, or is said by one of them.
        let said: Vec<String> = chosen.iter().map(|l| recall::hint(l)).collect();
        let of_them = |(by, text): &&Out| {
            by.starts_with("name of ")
                || ids.iter().any(|id| by.ends_with(id) || text.contains(&format!("lesson: \"{id}\"")))
                || by == "hook" && said.iter().any(|s| text.contains(json!(s).to_string().trim_matches('"')))
        };
        let out = self.out(Mode::Review)?;
        self.given.beside = out.iter().filter(|o| !of_them(o)).count();
        Ok(())
    }
}

/// What an agent could see of a lesson, one thing a line. The error it is looked up by is never shown.
fn all_of(lesson: &Lesson) -> String {
    let fields = [&lesson.payload.statement, &lesson.payload.title, &lesson.payload.name];
    let mut lines: Vec<String> = fields.into_iter().chain(&lesson.payload.commands).cloned().collect();
    lines.push(render::skill(lesson, &lesson.payload.name).text);
    lines.join("\n")
}
