//! A damaged store: says so, keeps a copy, and goes on with what can be had.
//!
//! Comes in: a command. Goes out: what the command gives, after the store was mended if that was necessary. What is made of
//! sessions is made again at once, so that the command sees the store as it was.

use anyhow::{Context as _, Result};
use uptake_store::salvage::{Saved, look_at_all_again, salvage};
use uptake_store::{StoreError, trouble_with_journal};

use crate::folding::{Tombstones, fold_changed};
use crate::project::Cache;
use crate::redetect;
use crate::stores::Stores;
use crate::ui::{Ui, YELLOW, styled};
use crate::world::World;

/// Both databases and the journal may be damaged.
const TIMES: usize = 3;

/// Runs a command; if a file of the store turns out to be damaged, mends it and runs the command again.
pub fn mending<T>(run: impl Fn() -> Result<T>) -> Result<T> {
    let result = again(&run, |e| mend(&World::from_env()?, e));
    if let Some(e) = trouble_with_journal() {
        Ui::note(styled(YELLOW, &format!("what you decided counts, but has no second copy yet: {e}")));
        Ui::note(format!("hint: {}", e.hint()));
    }
    result
}

fn again<T>(run: impl Fn() -> Result<T>, mend: impl Fn(&StoreError) -> Result<()>) -> Result<T> {
    let mut found = None;
    for _ in 0..TIMES {
        let error = match found.take().map_or_else(&run, Err) {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        let Some(e @ (StoreError::Damaged { .. } | StoreError::CutShort { .. })) = error.downcast_ref() else {
            return Err(error);
        };
        // What is mended is written to, and that may find more.
        found = mend(e).err();
    }
    found.map_or_else(&run, Err)
}

/// Mends what is damaged, and says what became of it.
pub fn mend(world: &World, error: &StoreError) -> Result<()> {
    Ui::note(styled(YELLOW, &error.to_string()));
    let StoreError::Damaged { path, .. } = error else {
        Ui::note("  it is sound; what is kept of sessions is looked at again");
        look_at_all_again(&world.data)?;
        return make_again(world);
    };
    let saved = salvage(&world.data, path, world.now).with_context(|| format!("cannot mend `{}`", path.display()))?;
    say(&saved);
    if !saved.rebuilt && !saved.renewed {
        // The next `learn` does it, should this fail.
        let _ = make_again(world);
    }
    Ok(())
}

/// Looks again at what is kept of sessions, and folds what was seen.
fn make_again(world: &World) -> Result<()> {
    let settings = world.settings()?;
    let mut stores = Stores::open(&world.data)?;
    let tombstones = Tombstones::of(&stores.lessons, &world.data)?;
    let mut cache = Cache::knowing(&world.data, &world.home, &stores.lessons)?;
    redetect::detect_again(&mut stores, &mut cache, &tombstones, world, &settings)?;
    fold_changed(&mut stores.lessons, &tombstones, world, &settings)
}

fn say(saved: &Saved) {
    for copy in &saved.copies {
        Ui::note(format!("  it was kept as `{}`", copy.display()));
    }
    if saved.rebuilt {
        Ui::note("  what was read from transcripts is read again");
        return;
    }
    if saved.renewed {
        Ui::note("  it was written anew from the database, which is sound");
        return;
    }
    if *saved == Saved::default() {
        Ui::note("  another command mended it meanwhile");
        return;
    }
    Ui::note(format!("  saved from it: {}", list(&saved.rows)));
    Ui::note(format!("  brought back from the journal: {}", list(&saved.restored)));
    Ui::note("  suggestions are made again from the sessions that were read");
    for lost in &saved.lost {
        Ui::note(styled(YELLOW, &format!("  lost: {lost}")));
    }
}

/// What rows of tables are to a person, one and several; of the other tables nobody need know.
const WORDS: [(&str, &str, &str); 12] = [
    ("lessons", "lesson", "lessons"),
    ("verdicts", "decision", "decisions"),
    ("ledger", "change", "changes"),
    ("artifacts", "skill file", "skill files"),
    ("deletions", "deleted skill", "deleted skills"),
    ("trials", "hint shown", "hints shown"),
    ("tombstones", "forgotten lesson", "forgotten lessons"),
    ("trusted", "trusted folder", "trusted folders"),
    ("aliases", "other name of a project", "other names of projects"),
    ("folders", "folder of a project", "folders of projects"),
    ("cleared", "row cleared away", "rows cleared away"),
    ("observations", "observation", "observations"),
];

fn list(rows: &[(String, usize)]) -> String {
    let count = |(table, one, several): &(&str, &str, &str)| {
        let n = rows.iter().find(|(name, _)| name == table)?.1;
        Some(format!("{n} {}", if n == 1 { one } else { several }))
    };
    let words: Vec<String> = WORDS.iter().filter_map(count).collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn damage_that_is_found_while_mending_is_mended_too() {
        let damaged = || StoreError::Damaged { path: PathBuf::from("lessons.db"), why: "malformed".to_owned() };
        let cut_short = || StoreError::CutShort { path: PathBuf::from("lessons.db") };
        let mended = RefCell::new(Vec::new());
        let sound = || mended.borrow().len() == 2;
        let run = || if sound() { Ok(7) } else { Err(cut_short().into()) };
        let mend = |e: &StoreError| {
            mended.borrow_mut().push(matches!(e, StoreError::Damaged { .. }));
            if mended.borrow().len() == 1 { Err(damaged().into()) } else { Ok(()) }
        };
        assert!(matches!(again(run, mend), Ok(7)));
        assert_eq!(*mended.borrow(), [false, true]);
    }
}
