//! What `kills` and `full` share: a world in which something was learned and decided, commands that are harmed in it,
//! and what must hold afterwards.

mod acts;
mod content;
mod sessions;
mod stage;
mod strace;

pub use acts::{Act, acts};
pub use content::Content;
pub use stage::{Stage, replace};
pub use strace::{Call, Harmed, Point, calls, is_there};

use std::collections::BTreeMap;

use anyhow::Result;

use self::acts::Promise;
use super::world::Said;
use super::{Figure, say};

/// Problems of each sort that are told one by one.
const TOLD: usize = 3;

/// What can be wrong after a command was harmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// What was acknowledged before is missing.
    Lost,
    /// A decision was made by half.
    Half,
    /// A database fails its integrity check.
    Unsound,
    /// The hook has no answer.
    Silent,
    /// A command that only looks fails.
    Blind,
    /// The same command again fails.
    Again,
    /// The store is not what a run without harm leaves.
    Differs,
    /// Other files than after a run without harm, or other bytes in them.
    Files,
    /// Something half done is still there after the next `learn`.
    Leftover,
    /// What was forgotten can still be read.
    Trace,
    /// A panic.
    Panic,
    /// A failure that does not name the file and the next step.
    Unclear,
    /// An entry, a number or a skill is there twice.
    Twice,
    /// What a person wrote is gone or changed.
    Theirs,
}

/// A problem and how to see it again.
pub type Problem = (Sort, String);

/// An act with what is there before it and after it, if nothing goes wrong.
pub struct Plan {
    /// What is done.
    pub act: Act,
    /// What is there before.
    pub before: Content,
    /// What is there after it.
    pub after: Content,
}

impl Plan {
    /// Does it once without harm.
    pub fn new(stage: &Stage, act: Act) -> Result<Self> {
        stage.restore(act.from)?;
        let before = stage.content()?;
        let said = stage.run(&act)?;
        anyhow::ensure!(said.ok, "`{}` fails unharmed: {}", act.name, String::from_utf8_lossy(&said.err));
        let after = stage.content()?;
        anyhow::ensure!(before.rows != after.rows, "`{}` changes nothing", act.name);
        Ok(Self { act, before, after })
    }

    /// What must hold after it was harmed: at once, and after the same command again.
    pub fn verify(&self, stage: &Stage, how: &str) -> Result<Vec<Problem>> {
        let mut problems = Vec::new();
        let mut add = |sort: Sort, what: String| problems.push((sort, format!("{} {how}: {what}", self.act.name)));
        let now = stage.content()?;
        now.unsound.iter().for_each(|what| add(Sort::Unsound, what.clone()));
        if self.act.from != stage::NEW && !stage.hook_answers()? {
            add(Sort::Silent, "the hook does not tell the approved fix".to_owned());
        }
        stage.blind()?.into_iter().for_each(|words| add(Sort::Blind, words));
        let mut done = false;
        match self.act.promise {
            Promise::GoesOn => {
                let lost = self.before.acknowledged().find(|row| !now.has(row));
                lost.into_iter().for_each(|row| add(Sort::Lost, row.clone()));
            }
            Promise::Whole => {
                done = now.decided().eq(self.after.decided());
                if !done && !now.decided().eq(self.before.decided()) {
                    add(Sort::Half, now.first_difference(&self.before));
                }
            }
        }
        stage.left_over()?.into_iter().for_each(|what| add(Sort::Leftover, what));
        let again = stage.run(&self.act)?;
        let words = String::from_utf8_lossy(&again.err).into_owned();
        if !(again.ok || done && self.act.is_done_already(&words)) {
            add(Sort::Again, words.trim().to_owned());
        }
        let end = stage.content()?;
        end.unsound.iter().for_each(|what| add(Sort::Unsound, format!("in the end: {what}")));
        if end.rows != self.after.rows {
            add(Sort::Differs, end.first_difference(&self.after));
        }
        if end.files != self.after.files {
            add(Sort::Files, end.other_files(&self.after));
        }
        end.left_over().into_iter().for_each(|what| add(Sort::Leftover, format!("in the end: {what}")));
        if let Some(gone) = &self.act.forgets
            && stage.still_holds(gone)?
        {
            add(Sort::Trace, gone.clone());
        }
        Ok(problems)
    }

    /// What must hold of the words of a harmed command.
    pub fn verify_words(&self, said: &Said, how: &str) -> Vec<Problem> {
        verify_words(self.act.name, said, how)
    }
}

/// What must hold of the words of a harmed command: a failure names a file and the next step, and is no panic.
pub fn verify_words(name: &str, said: &Said, how: &str) -> Vec<Problem> {
    let words = String::from_utf8_lossy(&said.err);
    let problem = |sort: Sort| vec![(sort, format!("{name} {how}: {}", words.trim()))];
    if words.contains("panicked") || words.contains("backtrace") {
        return problem(Sort::Panic);
    }
    let clear = words.contains("error: ") && words.contains('/') && words.contains("hint: ");
    if !said.ok && !clear {
        return problem(Sort::Unclear);
    }
    Vec::new()
}

/// One figure per sort that matters to a check; tells the first problems of each.
pub fn figures(problems: &[Problem], sorts: &[(Sort, &str)]) -> Vec<Figure> {
    let mut by_sort: BTreeMap<Sort, Vec<&str>> = BTreeMap::new();
    for (sort, what) in problems {
        by_sort.entry(*sort).or_default().push(what);
    }
    for (sort, list) in &by_sort {
        list.iter().take(TOLD).for_each(|what| say(&format!("{sort:?}: {what}")));
    }
    let figure = |(sort, what): &(Sort, &str)| {
        let list = by_sort.get(sort).map(Vec::as_slice).unwrap_or_default();
        Figure::none(*what, list.len())
            .why(list.first().map(|w| w.chars().take(160).collect::<String>()).unwrap_or_default())
    };
    sorts.iter().map(figure).collect()
}
