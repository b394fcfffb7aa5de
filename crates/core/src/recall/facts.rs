//! A failing call of any tool → the causes to look up, and what a fact says at this very call.
//!
//! Comes in: a call as a hook tells of it, what worked in the project, and a way to ask the disk. Goes out: keys, most
//! particular first, and words for this call. What the disk refutes is not said.

use crate::detect::{Tally, Trigger};
use crate::failure::{self, ANY, Failure, Family};
use crate::learn::Lesson;
use crate::learn::facts::{Place, folder, is_entered, is_for_failure, meant, runs_of, works_in};
use crate::moment::ToolUse;
use crate::redact::{redact, visible};
use crate::session::{COMMAND_LIMIT, Call, Excerpt, FAILURE_SIDE, Outcome};

/// A call that failed, as it is looked up.
pub struct Failed {
    /// What it was and what it printed.
    call: Call,
    /// The root of the checkout it ran in.
    root: String,
    /// Where it ran, from the root.
    folder: Option<String>,
    causes: Vec<Failure>,
}

/// What can be asked while a hint is made.
pub struct Around<'a> {
    /// Where something worked in the project.
    pub worked: &'a dyn Fn(&str) -> Vec<Place>,
    /// Whether a path from the root is there.
    pub exists: &'a dyn Fn(&str) -> bool,
    /// Whether a folder from the root is there, with something in it: versions of a project have no empty folders.
    pub has_folder: &'a dyn Fn(&str) -> bool,
}

/// How many folders above a missing path are looked up.
const ABOVE: usize = 3;

impl Failed {
    /// A call that ran in a folder of a checkout.
    pub fn new(used: &ToolUse, output: &str, folder: &str, root: &str) -> Self {
        let input = redact(&used.input[..used.input.floor_char_boundary(COMMAND_LIMIT)]).into_owned();
        let output = Excerpt::with_side(&visible(output), FAILURE_SIDE);
        let call = Call { outcome: Outcome::Failed(None), output, ..Call::new(&used.tool, used.kind, &input) };
        let folder = failure::from_root(folder, Some(root));
        let mut causes = failure::causes(&call, Some(root), folder.as_deref());
        let runs_in = |line| failure::runs_in(line, folder.clone()?, Some(root));
        let old = failure::old_findings(&causes, &call, call.command().and_then(runs_in).as_deref(), root);
        causes.splice(0..0, old);
        Self { call, root: root.to_owned(), folder, causes }
    }

    /// What to look up, most particular first.
    pub fn keys(&self) -> Vec<Trigger> {
        let key =
            |f: &Failure| Trigger { program: f.family.as_str().to_owned(), error: redact(&f.subject).into_owned() };
        let mut keys: Vec<Trigger> = self.causes.iter().map(key).collect();
        // A file in a folder of a folder that is not there.
        if let Some(at) = self.causes.iter().position(|f| f.subject.ends_with('/')) {
            let mut folder = self.causes[at].subject.trim_end_matches('/');
            let mut above = Vec::new();
            while let Some((parent, _)) = folder.rsplit_once('/').filter(|_| above.len() < ABOVE) {
                above.push(Trigger { program: keys[at].program.clone(), error: format!("{parent}/") });
                folder = parent;
            }
            keys.splice(at + 1..at + 1, above);
        }
        keys
    }

    /// What a fact says at this call; `None` if it has nothing to say to it. With it, what was meant: the same thing is not
    /// said twice.
    pub fn words(&self, fact: &Lesson, around: &Around<'_>) -> Option<(String, String)> {
        let trigger = fact.payload.trigger.as_ref()?;
        let family = Family::parse(&trigger.program);
        if !is_for_failure(fact) {
            return None;
        }
        match (family, trigger.error.as_str()) {
            (Family::MissingPath, ANY) => self.known_path(around).map(|told| self.with_root(told)),
            (Family::WrongFolder, ANY) => self.seen_from(fact, around),
            (Family::MissingPath, folder) if folder.ends_with('/') => {
                self.in_other_folder(fact, folder, around).map(|told| self.with_root(told))
            }
            (Family::MissingPath, _) => {
                let hint = (super::hint(fact), String::new());
                let Some(path) = found_at(fact) else { return Some(hint) };
                let told = self.can_be(path, &trigger.error, around) && !self.is_said(path);
                told.then(|| self.with_root(hint))
            }
            // It is there already: something else is wrong.
            (Family::WrongFolder, _) if told_folder(fact) == self.folder.as_deref() => None,
            _ => Some((super::hint(fact), String::new())),
        }
    }

    /// Words that name paths, with what those are told from where the agent is elsewhere.
    fn with_root(&self, (text, about): (String, String)) -> (String, String) {
        match &self.folder {
            Some(folder) if folder != "." => {
                (format!("{text} Paths are told from the root, `{}`, not from `{folder}/`.", self.root), about)
            }
            _ => (text, about),
        }
    }

    /// The path that is missing.
    fn missing(&self) -> Option<&str> {
        let first = self.causes.iter().find(|f| f.family == Family::MissingPath)?;
        Some(&first.subject)
    }

    /// A file that is looked for in a folder that is not there, and is in the one that the fact names.
    fn in_other_folder(&self, fact: &Lesson, folder: &str, around: &Around<'_>) -> Option<(String, String)> {
        let folder = folder.trim_end_matches('/');
        let home = fact.key.split_once(" → in ").map(|(_, home)| home)?;
        let name = self.missing()?.rsplit('/').next()?;
        let found = if home == "." { name.to_owned() } else { format!("{home}/{name}") };
        let told = !(around.has_folder)(folder) && (around.exists)(&found);
        told.then(|| (format!("There is no folder `{folder}`: the file is `{found}`."), found))
    }

    /// Whether the error names a file itself: some clients guess what was meant.
    fn is_said(&self, path: &str) -> bool {
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let asked = self.missing().map(name);
        let found = name(path);
        asked.is_some_and(|asked| asked != found) && self.call.output.lines().any(|line| line.contains(&found))
    }

    /// A file of that name that earlier sessions opened.
    fn known_path(&self, around: &Around<'_>) -> Option<(String, String)> {
        let path = self.missing()?;
        if self.is_elsewhere(path) && (around.exists)(path) {
            let root = &self.root;
            let text = format!(
                "`{path}` is there, seen from the root; the shell is in another folder. Begin with `cd {root} &&`."
            );
            return Some((text, path.to_owned()));
        }
        let found = self.known(path, around).filter(|found| !self.is_said(found))?;
        Some((format!("`{path}` does not exist; earlier sessions opened `{found}`."), path.to_owned()))
    }

    /// Whether a path was told to a shell from the folder it is in: not every client says which that is.
    fn is_elsewhere(&self, path: &str) -> bool {
        let words = |line: &str| line.split([' ', '\'', '"', '=', ';']).any(|w| w.trim_start_matches("./") == path);
        self.call.command().is_some_and(words)
    }

    /// A program that does not work in the folder of the shell.
    fn runs_elsewhere(&self, fact: &Lesson, around: &Around<'_>) -> Option<(String, String)> {
        let here = self.folder.as_deref()?;
        let failure = self.causes.first().filter(|f| f.family == Family::WrongFolder && f.subject != ANY)?;
        let goal = &failure.subject;
        match works_in(here, &runs_of(goal, around.worked)).filter(|place| (around.exists)(place)) {
            Some(place) => {
                let (here, there) = (folder(here), folder(&place));
                let path = if place == "." { self.root.clone() } else { format!("{}/{place}", self.root) };
                Some((format!("The shell is {here}; `{goal}` works {there}: `cd {path}` first."), goal.clone()))
            }
            None if here != "." => Some((format!("{} It is {} now.", super::hint(fact), folder(here)), goal.clone())),
            None => None,
        }
    }

    /// Whether a place can be what a path means: it is there, and a folder where the shell should go.
    fn can_be(&self, place: &str, path: &str, around: &Around<'_>) -> bool {
        let entered = self.call.command().is_some_and(|line| is_entered(line, path));
        if entered { (around.has_folder)(place) } else { (around.exists)(place) }
    }

    /// The place that a path means and that is there.
    fn known(&self, path: &str, around: &Around<'_>) -> Option<String> {
        let mut places = (around.worked)(&Tally::of_file(path));
        places.retain(|p| self.can_be(&p.place, path, around));
        let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        meant(path, &places, (around.has_folder)(folder))
    }

    /// A path that is not there as seen from the shell's folder.
    fn seen_from(&self, fact: &Lesson, around: &Around<'_>) -> Option<(String, String)> {
        let from = self.folder.as_deref().filter(|f| *f != ".");
        let asked = failure::cause(&self.call, Some(&self.root)).filter(|f| f.family == Family::MissingPath);
        let (Some(folder), Some(Failure { subject: path, .. })) = (from, asked) else {
            return self.runs_elsewhere(fact, around);
        };
        let root = &self.root;
        if folder == path || folder.ends_with(&format!("/{path}")) {
            return Some((
                format!(
                    "The shell keeps its folder and is in `{folder}/` already: tell paths from there, or use absolute ones."
                ),
                path,
            ));
        }
        if (around.exists)(&path) {
            return Some((
                format!(
                    "The shell keeps its folder and is in `{folder}/`: `{path}` is told from the root. Begin with `cd {root} &&`."
                ),
                path,
            ));
        }
        let mut above = folder;
        while let Some((parent, _)) = above.rsplit_once('/') {
            if (around.exists)(&format!("{parent}/{path}")) {
                return Some((
                    format!(
                        "The shell keeps its folder and is in `{folder}/`: `{path}` is in `{parent}/`. Begin with `cd {root}/{parent} &&`."
                    ),
                    path,
                ));
            }
            above = parent;
        }
        let found = self.known(&path, around)?;
        Some((
            format!(
                "`{path}` does not exist as seen from `{folder}/`; earlier sessions opened `{found}` (from the root)."
            ),
            path,
        ))
    }
}

/// Whether the disk speaks against what a fact says of a path: what is missing is there, or is not where the fact says.
pub fn is_refuted(fact: &Lesson, exists: &dyn Fn(&str) -> bool) -> bool {
    let Some(trigger) = fact.payload.trigger.as_ref().filter(|t| Family::parse(&t.program) == Family::MissingPath)
    else {
        return false;
    };
    let gone = |place: &str| !exists(place);
    exists(&trigger.error) || found_at(fact).or_else(|| told_folder(fact)).is_some_and(gone)
}

/// Where a fact says that a program works.
fn told_folder(fact: &Lesson) -> Option<&str> {
    fact.key.split_once(" → in ").map(|(_, folder)| folder)
}

/// Where a fact says that a file is.
fn found_at(fact: &Lesson) -> Option<&str> {
    fact.key.split_once(" → at ").map(|(_, path)| path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::by_hand;

    #[test]
    fn a_path_that_the_disk_refutes_is_known() {
        let mut fact = by_hand("p", "`src/cart.rs` does not exist: it is `app/cart.rs`.", 1);
        fact.key = "missing_path src/cart.rs → at app/cart.rs".to_owned();
        fact.payload.trigger = Some(Trigger { program: "missing_path".to_owned(), error: "src/cart.rs".to_owned() });
        assert!(!is_refuted(&fact, &|path| path == "app/cart.rs"));
        assert!(is_refuted(&fact, &|_| false), "it is not where it was");
        assert!(is_refuted(&fact, &|_| true), "it is there after all");
        fact.payload.trigger = None;
        assert!(!is_refuted(&fact, &|_| false), "it is about no path");
    }
}
