//! A project that wants files: some were made of lessons, a person wrote between them, and more are to be made.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::battery::crash::{Harmed, replace};
use crate::battery::world::{Said, World, files, finish};

/// What a person wrote before uptake came.
pub const DECISIONS: &str = "# Ours\n\n## ADR-004: By hand\n\nBecause.\n";
pub const AGENTS: &str = "# Agents\n\n-  Two spaces after the dash, as we like it.\n";

/// A lesson: its kind and its words.
const LESSONS: &[(&str, &str)] = &[
    ("decision", "Use Postgres because SQLite locks under load"),
    ("decision", "Serve HTML from the server"),
    ("decision", "Keep dates in UTC because reports are compared"),
    ("pitfall", "The worker in src/queue.ts drops jobs; use the outbox"),
    ("workflow", "To release: bump the version, tag it, push the tag"),
    ("instruction", "Always run `tool check --all` before `tool push`"),
    ("instruction", "Always run `tool lint --all` before `tool merge`"),
    ("instruction", "Always run `maker seed` before `maker test`"),
    ("instruction", "Never commit generated files"),
    ("instruction", "Run `painter --dry` before `painter --apply`"),
    ("instruction", "Run `waiter --dry` before `waiter --serve`"),
];

/// Something that is done in the project.
pub struct Deed {
    /// What figures call it.
    pub name: &'static str,
    /// Its arguments.
    pub args: Vec<String>,
    /// What a person does to the project before.
    pub before: fn(&Path) -> Result<()>,
}

/// The project, and how it was.
pub struct Scene {
    /// Where it plays.
    pub world: World,
    ids: Vec<String>,
}

impl Scene {
    /// Builds it.
    pub fn new(binary: &Path) -> Result<Self> {
        let mut scene = Self { world: World::new(binary)?, ids: Vec::new() };
        let (world, top) = (&scene.world, scene.world.project());
        std::fs::create_dir_all(world.home().join(".claude"))?;
        world.write(&top.join(".uptake/knowledge/decisions.md"), DECISIONS.as_bytes())?;
        world.write(&top.join("AGENTS.md"), AGENTS.as_bytes())?;
        scene.must(&["trust", "--files"])?;
        let rows = LESSONS.iter().enumerate().map(|(n, (kind, text))| lesson(n, kind, text)).collect::<String>();
        scene.ids = scene.take_in(&rows)?;
        for (n, _) in
            LESSONS.iter().enumerate().filter(|(_, (_, text))| text.contains("Postgres") || text.contains("tool check"))
        {
            scene.must(&["review", "--accept", &scene.ids[n]])?;
        }
        scene.keep()?;
        Ok(scene)
    }

    /// Imports lessons; answers their ids in the order of their numbers.
    pub fn take_in(&self, rows: &str) -> Result<Vec<String>> {
        let file = self.world.path("lessons.jsonl");
        self.world.write(&file, rows.as_bytes())?;
        let key = self.must(&["project", "here"])?;
        self.must(&["import", "--project", key.trim(), &file.to_string_lossy()])?;
        let waiting = self.must(&["review", "--all", "--json"])?;
        let known: Vec<Value> = waiting.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        let id = |line: &str| -> Result<String> {
            let row: Value = serde_json::from_str(line)?;
            let found = known.iter().find(|k| k["text"] == row["text"]);
            Ok(found.and_then(|k| k["id"].as_str()).context("a lesson was not taken in")?.to_owned())
        };
        rows.lines().map(id).collect()
    }

    fn id(&self, words: &str) -> String {
        let at = LESSONS.iter().position(|(_, text)| text.contains(words)).unwrap_or_default();
        self.ids[at].clone()
    }

    /// All that is done.
    pub fn deeds(&self) -> Vec<Deed> {
        let deed = |name, args: Vec<String>, before| Deed { name, args, before };
        let args = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        let accept = |which: &[&str]| {
            let ids = which.iter().flat_map(|words| ["--accept".to_owned(), self.id(words)]);
            std::iter::once("review".to_owned()).chain(ids).collect::<Vec<_>>()
        };
        let nothing: fn(&Path) -> Result<()> = |_| Ok(());
        vec![
            deed("a decision", accept(&["HTML"]), nothing),
            deed("a pitfall", accept(&["worker"]), nothing),
            deed("a command", accept(&["release"]), nothing),
            deed("a skill", accept(&["maker"]), nothing),
            deed("a lesson joins a skill", accept(&["tool lint"]), nothing),
            deed("five at once", accept(&["HTML", "UTC", "worker", "release", "maker"]), nothing),
            deed("undo", args(&["undo"]), nothing),
            deed("reconcile after an edit", args(&["reconcile"]), |top| {
                edit(top, ".uptake/knowledge/decisions.md", |t| t.replace("Use Postgres", "Use Postgres 17"))
            }),
            deed("reconcile after a deletion", args(&["reconcile"]), |top| {
                edit(top, ".uptake/knowledge/decisions.md", |_| DECISIONS.to_owned())
            }),
            deed("card --write", args(&["card", "--write"]), nothing),
            deed("offer --apply", args(&["offer", "--apply"]), nothing),
            // More files than are written one after the other.
            deed(
                "ten at once",
                accept(&["HTML", "UTC", "worker", "release", "tool lint", "maker", "generated", "painter", "waiter"]),
                nothing,
            ),
        ]
    }

    /// A deed as a command that is harmed.
    pub fn harmed<'s>(&'s self, deed: &'s Deed) -> Harmed<'s> {
        Harmed { world: &self.world, folder: self.world.project(), name: deed.name, args: &deed.args }
    }

    /// Runs uptake in the project.
    pub fn run(&self, args: &[impl AsRef<std::ffi::OsStr>]) -> Result<Said> {
        finish(self.world.command(&[]).args(args).current_dir(self.world.project()), b"")
    }

    /// The same, which must end well.
    pub fn must(&self, args: &[&str]) -> Result<String> {
        let said = self.run(args)?;
        ensure!(said.ok, "`{}` fails: {}", args.join(" "), String::from_utf8_lossy(&said.err));
        Ok(String::from_utf8_lossy(&said.out).into_owned())
    }

    fn parts(&self) -> [(PathBuf, PathBuf); 3] {
        let kept = self.world.path("kept");
        [(self.world.data(), "data"), (self.world.project(), "project"), (self.world.home(), "home")]
            .map(|(from, name)| (from, kept.join(name)))
    }

    fn keep(&self) -> Result<()> {
        self.parts().iter().try_for_each(|(from, to)| replace(from, to))
    }

    /// Puts everything back to how it was, and lets the person do what comes before a deed.
    pub fn restore(&self, deed: &Deed) -> Result<()> {
        self.parts().iter().try_for_each(|(from, to)| replace(to, from))?;
        (deed.before)(&self.world.project())
    }

    /// What is there now.
    pub fn found(&self) -> Result<Found> {
        let mut found = Found::default();
        for folder in [self.world.project(), self.world.home()] {
            for path in files(&folder).into_iter().filter(|p| !p.components().any(|c| c.as_os_str() == ".git")) {
                let text = std::fs::read_to_string(&path)?;
                found.files.insert(path, text);
            }
        }
        for line in self.must(&["review", "--all", "--json"])?.lines() {
            let row: Value = serde_json::from_str(line)?;
            found.words.insert(format!("{} {} {}", row["id"], row["verdict"], row["status"]));
        }
        Ok(found)
    }
}

fn edit(top: &Path, below: &str, change: impl Fn(&str) -> String) -> Result<()> {
    let path = top.join(below);
    Ok(std::fs::write(&path, change(&std::fs::read_to_string(&path)?))?)
}

/// A line of an export.
pub fn lesson(n: usize, kind: &str, text: &str) -> String {
    format!(
        "{}\n",
        json!({ "format": "uptake-lessons", "id": format!("a{n}"), "kind": kind, "text": text, "sessions": 4 })
    )
}

/// Files and words at one time.
#[derive(Default)]
pub struct Found {
    files: BTreeMap<PathBuf, String>,
    words: BTreeSet<String>,
}

impl Found {
    /// Files with their texts, numbers left out: one that was promised to a killed run is never given again.
    fn plain(&self) -> (BTreeMap<&PathBuf, String>, &BTreeSet<String>) {
        let plain = |text: &str| {
            let mut out = String::new();
            for line in text.lines() {
                let number = line.split_whitespace().find(|w| entry_number(w).is_some());
                out.push_str(&number.map_or_else(|| line.to_owned(), |n| line.replace(n, "N")));
                out.push('\n');
            }
            out
        };
        (self.files.iter().map(|(path, text)| (path, plain(text))).collect(), &self.words)
    }

    /// Whether the same was done.
    pub fn is_like(&self, other: &Self) -> bool {
        self.plain() == other.plain()
    }

    /// What differs, in words.
    pub fn difference(&self, other: &Self) -> String {
        let ((files, words), (files2, words2)) = (self.plain(), other.plain());
        let names = files.keys().chain(files2.keys()).filter(|p| files.get(*p) != files2.get(*p));
        let names: BTreeSet<String> = names.map(|p| p.display().to_string()).collect();
        let words: Vec<&String> = words.symmetric_difference(words2).collect();
        format!("{names:?} {words:?}")
    }

    /// Entries: the number and the lesson of each.
    pub fn entries(&self) -> Vec<(String, String)> {
        let mut out = Vec::new();
        for text in self
            .files
            .iter()
            .filter(|(p, _)| p.ends_with("knowledge/decisions.md") || p.ends_with("knowledge/pitfalls.md"))
            .map(|(_, t)| t)
        {
            let mut number = String::new();
            for line in text.lines() {
                if let Some(heading) = line.strip_prefix("## ").and_then(|h| h.split(':').next()) {
                    number = heading.to_owned();
                    out.push((number.clone(), String::new()));
                }
                if let Some((_, id)) = line.split_once("self-learning:") {
                    out.pop();
                    out.push((number.clone(), id.trim().to_owned()));
                }
            }
        }
        out
    }

    /// What is there twice: numbers, lessons with two entries, lessons with two skills in one place.
    pub fn twice(&self) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let mut out = Vec::new();
        for (number, lesson) in self.entries() {
            if !seen.insert(number.clone()) || !lesson.is_empty() && !seen.insert(lesson.clone()) {
                out.push(format!("{number} of {lesson}"));
            }
        }
        for (path, text) in self.files.iter().filter(|(p, _)| p.ends_with("SKILL.md")) {
            let place = path.ancestors().nth(2).unwrap_or(path).display();
            let ids = text.lines().find_map(|l| l.trim().strip_prefix("lesson: ")).unwrap_or_default();
            let ids = ids.trim_matches('"').split(' ').filter(|id| !id.is_empty());
            out.extend(ids.map(|id| format!("{place} {id}")).filter(|one| !seen.insert(one.clone())));
        }
        out
    }

    /// What a person wrote and is not there any more.
    pub fn lost_words(&self) -> Vec<String> {
        let begins = |name: &str, with: &str| {
            let text = self.files.iter().find(|(p, _)| p.ends_with(name)).map_or("", |(_, t)| t.as_str());
            (!text.starts_with(with))
                .then(|| format!("{name} begins with {:?}", text.chars().take(60).collect::<String>()))
        };
        [begins("knowledge/decisions.md", DECISIONS), begins("AGENTS.md", AGENTS)].into_iter().flatten().collect()
    }

    /// Parts of files.
    pub fn left_over(&self) -> Vec<String> {
        let parts = self.files.keys().map(|p| p.display().to_string()).filter(|p| p.contains(".part-"));
        parts.collect()
    }
}

fn entry_number(word: &str) -> Option<u32> {
    let word = word.trim_end_matches(':');
    word.strip_prefix("ADR-").or_else(|| word.strip_prefix("PF-"))?.parse().ok()
}
