//! Skill files on disk: what is there already, and how a new one is written.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use uptake_core::detect::Kind;
use uptake_core::learn::{Holds, Lesson, sha256_hex};
use uptake_core::normal::notes;
use uptake_core::render::{self, Skill, existing_skill, file_name};
use uptake_store::atomic_file;

use crate::agents::{self, AGENTS, Agent};
use crate::spots::Spot;

/// Texts larger than this are no instructions.
const TEXT_LIMIT: u64 = 1024 * 1024;
/// Files of one folder that are read.
const MOST_NOTES: usize = 200;
/// Names under which a lesson's own skill is looked for.
const NAMES: usize = 9;

/// A file that an agent is told.
struct Text {
    /// The source of the agent.
    agent: &'static str,
    /// Its words, as they are compared.
    plain: String,
    /// As it is, and the keys of what it says: only what agents wrote down is compared by them.
    whole: String,
    keys: OnceCell<HashSet<String>>,
}

impl Text {
    fn new(agent: &'static str, whole: String) -> Self {
        Self { agent, plain: plain(&whole), whole, keys: OnceCell::new() }
    }

    /// Whether it makes a statement, whatever stands around it.
    fn states(&self, said: &Statement) -> bool {
        let keys = self.keys.get_or_init(|| notes::keys(&self.whole));
        self.plain.contains(&said.plain) || said.keys.iter().any(|key| keys.contains(key))
    }
}

/// What a lesson tells in words, as it is looked for in files.
struct Statement {
    plain: String,
    keys: HashSet<String>,
}

impl Statement {
    fn of(lesson: &Lesson) -> Self {
        let said = &lesson.payload.statement;
        let own = lesson.is_note().then(|| lesson.key.clone());
        Self {
            plain: plain(said),
            keys: notes::keys(said).into_iter().chain(own).filter(|key| !key.is_empty()).collect(),
        }
    }
}

/// What skills, CLAUDE.md and AGENTS.md in one place say: those of the user, or those of a project.
#[derive(Default)]
pub struct Said {
    names: HashSet<String>,
    texts: Vec<Text>,
    /// For names that many lessons have: the first number that may be free.
    numbers: HashMap<String, usize>,
}

impl Said {
    /// To this user's agents, wherever they run.
    pub fn to_user(home: &Path) -> Self {
        let mut said = Self::default();
        for agent in AGENTS {
            let folder = agent.folder(home);
            said.add_skills(agent, &folder.join(agent.skills));
            agent.instructions.iter().for_each(|name| said.add_text(agent, &folder.join(name)));
            agent.user_notes.iter().for_each(|name| said.add_notes(agent, &folder.join(name)));
        }
        said
    }

    /// In the folders of a project, and in what agents remember of them.
    pub fn in_folders(home: &Path, folders: &[PathBuf]) -> Self {
        let mut said = Self::default();
        for (agent, folder) in AGENTS.iter().flat_map(|agent| folders.iter().map(move |f| (agent, f))) {
            said.add_skills(agent, &folder.join(agent.project_skills));
            agent.instructions.iter().for_each(|name| said.add_text(agent, &folder.join(name)));
            agent.project_notes.iter().for_each(|name| said.add_notes(agent, &folder.join(name)));
            agent.memory(home, folder).iter().for_each(|memory| said.add_notes(agent, memory));
        }
        said
    }

    /// All Markdown files right in a folder.
    fn add_notes(&mut self, agent: &'static Agent, folder: &Path) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|e| e == "md"));
        paths.sort();
        paths.iter().take(MOST_NOTES).for_each(|path| self.add_text(agent, path));
    }

    fn add_skills(&mut self, agent: &'static Agent, folder: &Path) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let Some(text) = small_text(&entry.path().join("SKILL.md")) else { continue };
            self.names.insert(entry.file_name().to_string_lossy().into_owned());
            self.names.extend(existing_skill(&text).map(|(name, _)| name));
            self.texts.push(Text::new(agent.source, text));
        }
    }

    /// A file, and those that it takes in with lines like `@AGENTS.md`.
    fn add_text(&mut self, agent: &'static Agent, path: &Path) {
        let Some(text) = small_text(path) else { return };
        let folder = path.parent().unwrap_or(Path::new(""));
        let taken_in = text.lines().filter_map(|line| line.trim().strip_prefix('@')).take(MOST_NOTES);
        let more: Vec<String> = taken_in.filter_map(|name| small_text(&folder.join(name))).collect();
        self.texts.extend(std::iter::once(text).chain(more).map(|text| Text::new(agent.source, text)));
    }

    /// Remembers a skill that was just written.
    pub fn add(&mut self, skill: &Skill) {
        self.names.insert(skill.name.clone());
        self.texts.push(Text::new("", skill.text.clone()));
    }
}

/// What agents are told already in a project.
pub struct Told {
    /// Wherever they run; the same for all projects.
    pub user: Rc<RefCell<Said>>,
    /// In the project's folders.
    pub here: Said,
    /// The agents that are used on this machine.
    pub used: Vec<&'static Agent>,
}

/// Which agents know what one of them wrote down.
pub struct Known {
    /// Those whose files say it now.
    pub to: Vec<&'static str>,
    /// Those that are used here and whose files do not.
    pub not_to: Vec<&'static str>,
}

impl std::fmt::Display for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.to[..], &self.not_to[..]) {
            ([], _) => f.write_str("No agent's file says it now"),
            (to, []) => write!(f, "Known to {}", to.join(", ")),
            (to, not_to) => write!(f, "Known to {}, not to {}", to.join(", "), not_to.join(", ")),
        }
    }
}

impl Told {
    /// What agents are told in this project, statement by statement, without skills of ours.
    pub fn statements(&self) -> Vec<(&'static str, String)> {
        let user = self.user.borrow();
        let texts = self.here.texts.iter().chain(&user.texts).filter(|text| !text.agent.is_empty());
        texts.flat_map(|text| notes::texts(&text.whole).into_iter().map(|said| (text.agent, said))).collect()
    }

    /// Which agents know it, for what an agent wrote down.
    pub fn known(&self, lesson: &Lesson) -> Option<Known> {
        if !lesson.is_note() {
            return None;
        }
        let (user, said) = (self.user.borrow(), Statement::of(lesson));
        let says = |text: &&Text| !is_own(lesson, &text.whole) && text.states(&said);
        let all: Vec<&str> = self.here.texts.iter().chain(&user.texts).filter(says).map(|t| t.agent).collect();
        let (mut to, not_to): (Vec<&str>, Vec<&str>) =
            self.used.iter().map(|a| a.source).partition(|agent| all.contains(agent));
        if to.is_empty() {
            to = AGENTS.iter().map(|a| a.source).filter(|agent| all.contains(agent)).collect();
        }
        Some(Known { to, not_to })
    }

    /// Where the agents will look for the skill of a lesson: in a project's checkout, or wherever they run. Who has what was
    /// written down needs no skill of it.
    pub fn spots(&self, home: &Path, top: Option<&Path>, lesson: &Lesson) -> Vec<Spot> {
        // What holds in every project lies in none.
        let top = top.filter(|_| lesson.holds() != Holds::User);
        let lacking = self.known(lesson).map(|known| known.not_to).unwrap_or_default();
        if lacking.is_empty() {
            spots(home, top, lesson)
        } else {
            spots_of(home, top, lacking.into_iter().map(agents::agent))
        }
    }

    /// Whether one of them says already what the lesson says: all its commands (of a fix the working one), or its words.
    /// What an agent wrote down must be known to all.
    pub fn says(&self, lesson: &Lesson) -> bool {
        if let Some(known) = self.known(lesson) {
            return !known.to.is_empty() && known.not_to.is_empty();
        }
        let wanted: Vec<String> = match lesson.kind {
            Kind::Recovery | Kind::Correction => lesson.payload.commands.last().into_iter().map(|c| plain(c)).collect(),
            Kind::Procedure => lesson.payload.commands.iter().map(|c| plain(c)).collect(),
            _ => lesson.payload.commands.iter().map(|c| plain(c)).collect(),
        };
        let said = if wanted.is_empty() { Some(Statement::of(lesson)) } else { None };
        let telling = wanted.iter().chain(said.iter().map(|s| &s.plain)).any(|w| w.len() >= 6);
        let runs = |text: &Text| wanted.iter().all(|w| text.plain.contains(w.as_str()));
        // Its own skill, written by a run that was cut short before the yes was kept, does not silence it.
        let says = |text: &Text| {
            said.as_ref().map_or_else(|| runs(text), |said| text.states(said)) && !is_own(lesson, &text.whole)
        };
        telling && (self.here.texts.iter().any(says) || self.user.borrow().texts.iter().any(says))
    }

    /// What is made of a lesson, under its name, or under the name with a number if that is taken. A file that is the
    /// lesson's own does not take the name.
    pub fn named(&self, lesson: &Lesson, spots: &[Spot], made: impl Fn(&str) -> Skill) -> Skill {
        let own =
            |m: &Skill| spots.iter().any(|s| s.holds(m)) && spots.iter().all(|s| s.holds(m) || s.is_free(&m.name));
        let free = |name: &str| self.is_free(name) && spots.iter().all(|s| s.is_free(name));
        let mut few = names(lesson).take(NAMES).map(|name| (free(&name), made(&name)));
        if let Some((_, found)) = few.find(|(is_free, made)| *is_free || own(made)) {
            return found;
        }
        made(&self.free_name(lesson))
    }

    fn is_free(&self, name: &str) -> bool {
        !self.here.names.contains(name) && !self.user.borrow().names.contains(name)
    }

    /// The first name with a number that is free. The search goes on where the last one for this name ended.
    fn free_name(&self, lesson: &Lesson) -> String {
        let tried = self.user.borrow().numbers.get(&lesson.payload.name).copied().unwrap_or(NAMES);
        let found = (tried..).zip(names(lesson).skip(tried)).find(|(_, name)| self.is_free(name));
        let (number, name) = found.unwrap_or_else(|| (tried, lesson.payload.name.clone()));
        self.user.borrow_mut().numbers.insert(lesson.payload.name.clone(), number);
        name
    }
}

/// Whether a text is the lesson's own skill or command.
fn is_own(lesson: &Lesson, whole: &str) -> bool {
    lessons_in(whole).any(|id| id == lesson.id)
}

/// The lessons that a skill or a command of ours says it is made of.
pub fn lessons_in(whole: &str) -> impl Iterator<Item = &str> {
    let marks = whole.lines().filter_map(|l| l.split_once("lesson: \"")).filter_map(|(_, ids)| ids.split('"').next());
    marks.flat_map(|ids| ids.split(' '))
}

fn small_text(path: &Path) -> Option<String> {
    std::fs::metadata(path).ok().filter(|m| m.is_file() && m.len() <= TEXT_LIMIT)?;
    std::fs::read(path).ok().map(|b| String::from_utf8_lossy(&b).into_owned())
}

/// Lower case, white space and code marks folded: how texts are compared.
fn plain(text: &str) -> String {
    text.to_lowercase().replace(['`', '*', '\\'], "").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Where the agents of a lesson will look for its skill.
fn spots(home: &Path, top: Option<&Path>, lesson: &Lesson) -> Vec<Spot> {
    // Any agent may lack what another wrote down.
    let seen_in: &[String] = if lesson.is_note() { &[] } else { &lesson.evidence.sources };
    spots_of(home, top, agents_of(home, seen_in).into_iter())
}

fn spots_of(home: &Path, top: Option<&Path>, agents: impl Iterator<Item = &'static Agent>) -> Vec<Spot> {
    let spot = |a: &'static Agent| top.map_or_else(|| Spot::of_user(home, a), |top| Spot::of_project(top, a));
    let mut out: Vec<Spot> = agents.map(spot).collect();
    out.sort();
    out.dedup();
    out
}

/// The agents in whose sessions a lesson was seen. What a person wrote was seen in none: it is for every agent that is on
/// this machine.
fn agents_of(home: &Path, sources: &[String]) -> Vec<&'static Agent> {
    if !sources.is_empty() {
        return sources.iter().map(|s| agents::agent(s)).collect();
    }
    let here: Vec<&Agent> = AGENTS.iter().filter(|a| a.folder(home).is_dir()).collect();
    if here.is_empty() { vec![&AGENTS[0]] } else { here }
}

/// The agents that are used on this machine.
pub fn used(home: &Path) -> Vec<&'static Agent> {
    AGENTS.iter().filter(|a| a.is_used(home)).collect()
}

/// The name of a lesson, and the same with a number.
fn names(lesson: &Lesson) -> impl Iterator<Item = String> {
    let name = file_name(&lesson.payload.name);
    let start = name[..name.floor_char_boundary(60)].trim_end_matches('-').to_owned();
    std::iter::once(name).chain((2_usize..).map(move |n| format!("{start}-{n}")))
}

/// Files that were written for a lesson and are as they were written, also by a run that was cut short before it could
/// say so.
pub fn written(home: &Path, lesson: &Lesson) -> Vec<PathBuf> {
    let skills: Vec<Skill> = names(lesson).take(NAMES).map(|name| render::skill(lesson, &name)).collect();
    let spots = spots(home, None, lesson);
    spots.iter().flat_map(|spot| skills.iter().filter(|s| spot.holds(s)).map(|s| spot.path(&s.name))).collect()
}

/// Removes what killed runs left in the folders of skills: parts of skills that nobody writes any more. A folder that held
/// nothing else goes with it.
pub fn sweep(home: &Path) {
    let folders = AGENTS.iter().flat_map(|agent| std::fs::read_dir(agent.folder(home).join(agent.skills)));
    for skill in folders.flatten().flatten().map(|entry| entry.path()) {
        if !atomic_file::sweep(&skill.join("SKILL.md")).is_empty() {
            let _ = std::fs::remove_dir(skill);
        }
    }
}

/// Removes a skill file, what a killed run left beside it, and its folder if that is empty then. Whether a file is gone.
pub fn remove(path: &Path) -> bool {
    let gone = std::fs::remove_file(path).is_ok();
    atomic_file::sweep(path);
    let _ = path.parent().map(std::fs::remove_dir);
    gone
}

/// Whether a file has these bytes, by their sum.
pub fn is_as_written(path: &Path, sha256: &str) -> bool {
    std::fs::read(path).is_ok_and(|bytes| sha256_hex(&bytes) == sha256)
}

/// Removes a skill file that still is as it was written, and its folder if that is empty then. Whether it is gone.
pub fn take_back(path: &Path, sha256: &str) -> bool {
    if path.symlink_metadata().is_err() {
        remove(path);
        return true;
    }
    is_as_written(path, sha256) && remove(path)
}
