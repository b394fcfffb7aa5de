//! A world that can be put back to how it was: something was learned, decided and told in it, and more is to be read.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::acts::Act;
use super::content::Content;
use super::sessions;
use super::strace::Harmed;
use crate::battery::world::{Said, World, files, finish};

/// Nothing was learned yet.
pub const NEW: &str = "new";
/// The first part was learned, lessons were approved and rejected, a hint was told.
pub const DECIDED: &str = "decided";
/// The same, and a lesson was forgotten.
pub const FORGOTTEN: &str = "forgotten";

/// As a harmed command left it, while another one is tried on it.
const HARMED: &str = "harmed";

/// Where skills are written.
const SKILLS: [&str; 3] = [".claude/skills", ".codex/skills", ".gemini/skills"];

/// Commands that only look, those first that open nothing for writing.
const LOOKS: &[&[&str]] = &[
    &["status", "--json"],
    &["list", "--json"],
    &["sessions", "--json"],
    &["import", "--dry-run", "--json"],
    &["review", "--json"],
];

/// The tool whose fix is approved.
const KNOWN: &str = "tool0x0";

/// The world with its states.
pub struct Stage {
    /// Where it plays.
    pub world: World,
    /// Lessons that commands can be about.
    pub ids: Ids,
}

/// Lessons by what was done with them, or can be done.
#[derive(Default)]
pub struct Ids {
    /// Undecided; becomes a skill.
    pub new_skill: String,
    /// Undecided; is told after an error.
    pub new_fix: String,
    /// Approved, with a skill.
    pub skill: String,
    /// What that lesson says.
    pub skill_text: String,
}

impl Stage {
    /// Builds it. Takes a few seconds.
    pub fn new(binary: &Path) -> Result<Self> {
        let mut stage = Self { world: World::new(binary)?, ids: Ids::default() };
        sessions::make_projects(&stage.world)?;
        stage.keep(NEW)?;
        sessions::write_first(&stage.world)?;
        stage.must(&["learn", "--json"])?;
        let forgotten = stage.decide()?;
        stage.keep(DECIDED)?;
        stage.must(&["forget", "--yes", &forgotten])?;
        stage.keep(FORGOTTEN)?;
        sessions::write_later(&stage.world)?;
        Ok(stage)
    }

    /// Approves, rejects, lets a hook answer before and after the next `learn`; answers what is to be forgotten.
    fn decide(&mut self) -> Result<String> {
        let rows = self.must(&["review", "--all", "--json"])?;
        let lessons: Vec<Value> = rows.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
        let one = |tool: &str, kind: &str| -> Result<Value> {
            let says = |l: &&Value| {
                l["kind"] == kind && l["ready"] == true && l["text"].as_str().is_some_and(|t| t.contains(tool))
            };
            lessons.iter().find(says).cloned().with_context(|| format!("nothing was learned: {kind} of {tool}"))
        };
        let id = |tool: &str, kind: &str| one(tool, kind).map(|l| l["id"].as_str().unwrap_or_default().to_owned());
        let (fix, skill) = (id(KNOWN, "recovery")?, one(KNOWN, "procedure")?);
        self.ids = Ids {
            new_skill: id("tool0x1", "procedure")?,
            new_fix: id("tool0x1", "recovery")?,
            skill: skill["id"].as_str().unwrap_or_default().to_owned(),
            skill_text: skill["text"].as_str().unwrap_or_default().to_owned(),
        };
        self.must(&["review", "--accept", &fix])?;
        self.must(&["review", "--reject", &id("tool1x0", "recovery")?])?;
        self.must(&["review", "--skill", "--accept", &self.ids.skill])?;
        ensure!(self.hook(&self.world.data(), "first")?, "the approved fix is not told");
        self.must(&["learn", "--json"])?;
        ensure!(self.hook(&self.world.data(), "second")?, "the approved fix is not told again");
        id("tool1x1", "recovery")
    }

    fn must(&self, args: &[&str]) -> Result<String> {
        let said = self.world.run(args, &[], b"")?;
        ensure!(said.ok, "`{}` fails: {}", args.join(" "), String::from_utf8_lossy(&said.err));
        Ok(String::from_utf8_lossy(&said.out).into_owned())
    }

    /// Whether a hook tells the approved fix, from this data.
    fn hook(&self, data: &Path, session: &str) -> Result<bool> {
        let (command, error) = sessions::failure(KNOWN);
        let payload = json!({
            "session_id": session, "transcript_path": "/nowhere", "cwd": self.world.project(), "tool_use_id": "t1",
            "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": { "command": command },
            "error": format!("Exit code 2\n{error}"), "is_interrupt": false,
        });
        let mut hook = self.world.command(&[]);
        let said = finish(
            hook.args(["hook", "claude"]).env("UPTAKE_HOME", data).env("UPTAKE_HOLDOUT", "0"),
            payload.to_string().as_bytes(),
        )?;
        Ok(String::from_utf8_lossy(&said.out).contains("--output json"))
    }

    /// Whether a hook tells the approved fix, with the data as it lies there now.
    pub fn hook_answers(&self) -> Result<bool> {
        self.hook(&self.scratch()?, "after")
    }

    /// Commands that only look and fail, with the data as it lies there now.
    pub fn blind(&self) -> Result<Vec<String>> {
        let (scratch, shop) = (self.scratch()?, self.world.path("shop"));
        let mut out = Vec::new();
        for args in LOOKS {
            let mut command = self.world.command(&[]);
            let paths = args.contains(&"import").then_some(&shop);
            let said =
                finish(command.args(*args).args(paths).env("UPTAKE_HOME", &scratch).env("UPTAKE_HOLDOUT", "0"), b"")?;
            if !said.ok {
                out.push(format!("{}: {}", args.join(" "), String::from_utf8_lossy(&said.err).trim()));
            }
        }
        Ok(out)
    }

    /// What is still half done after the next `learn`; then everything is put back to how it lies there now. Looked at
    /// only where something is half done: most kills leave nothing.
    pub fn left_over(&self) -> Result<Vec<String>> {
        if self.content()?.left_over().is_empty() {
            return Ok(Vec::new());
        }
        self.keep(HARMED)?;
        let said = finish(self.world.command(&[]).args(["learn", "--json"]), b"")?;
        let mut left = self.content()?.left_over();
        if !said.ok {
            left.push(format!("`learn` fails: {}", String::from_utf8_lossy(&said.err).trim()));
        }
        self.restore(HARMED)?;
        Ok(left)
    }

    /// The act as a command that is harmed.
    pub fn harmed<'s>(&'s self, act: &'s Act) -> Harmed<'s> {
        Harmed { world: &self.world, folder: self.world.path(""), name: act.name, args: &act.args }
    }

    /// Runs an act to its end.
    pub fn run(&self, act: &Act) -> Result<Said> {
        finish(self.world.command(&[]).args(&act.args), b"")
    }

    /// What is there. Read from a copy, so that looking repairs nothing.
    pub fn content(&self) -> Result<Content> {
        let mut content = Content::read(&self.scratch()?);
        content.add_files(&self.world.data(), "data");
        SKILLS.iter().for_each(|s| content.add_files(&self.world.home().join(s), s));
        Ok(content)
    }

    /// Whether a text is in a file of the data or in a skill.
    pub fn still_holds(&self, text: &str) -> Result<bool> {
        let mut all = files(&self.world.data());
        SKILLS.iter().for_each(|s| all.extend(files(&self.world.home().join(s))));
        for path in all {
            if memchr::memmem::find(&std::fs::read(path)?, text.as_bytes()).is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn scratch(&self) -> Result<PathBuf> {
        let scratch = self.world.path("scratch");
        replace(&self.world.data(), &scratch)?;
        Ok(scratch)
    }

    fn kept(&self, state: &str, part: &str) -> PathBuf {
        self.world.path("kept").join(state).join(part)
    }

    /// Keeps the state: data and skills. Transcripts stay where they are; reading does not change them.
    fn keep(&self, state: &str) -> Result<()> {
        replace(&self.world.data(), &self.kept(state, "data"))?;
        SKILLS.iter().try_for_each(|s| replace(&self.world.home().join(s), &self.kept(state, s)))
    }

    /// Puts a state back.
    pub fn restore(&self, state: &str) -> Result<()> {
        replace(&self.kept(state, "data"), &self.world.data())?;
        SKILLS.iter().try_for_each(|s| replace(&self.kept(state, s), &self.world.home().join(s)))
    }
}

/// Makes one folder a copy of another; gone if that is gone.
pub fn replace(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        std::fs::remove_dir_all(to).with_context(|| format!("cannot remove `{}`", to.display()))?;
    }
    if from.exists() { copy(from, to) } else { Ok(()) }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), &target)
                .with_context(|| format!("cannot copy `{}`", entry.path().display()))?;
        }
    }
    Ok(())
}
