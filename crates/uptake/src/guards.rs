//! Commands that always failed: found out at `learn`, so that a hook need not count.
//!
//! Comes in: approved fixes, and how often their commands were run in sessions that are kept. Goes out: those commands that failed
//! often enough and never worked. Only where the user switched the guard on.

use std::collections::{BTreeMap, HashSet};

use anyhow::Result;
use uptake_core::learn::Lesson;
use uptake_core::recall::before_call::{FAILURES, guarded};
use uptake_store::Guard;

use crate::settings::Settings;
use crate::stores::Stores;

/// Finds out anew which commands are stopped.
pub fn renew(stores: &mut Stores, settings: &Settings) -> Result<()> {
    if !settings.guard {
        return Ok(());
    }
    let mut fixes: BTreeMap<String, Vec<Lesson>> = BTreeMap::new();
    for lesson in stores.lessons.approved_fixes(settings.mode)? {
        fixes.entry(lesson.project().to_owned()).or_default().push(lesson);
    }
    let mut guards = Vec::new();
    for (project, lessons) in &fixes {
        let commands: HashSet<&str> = lessons.iter().filter_map(guarded).map(|(failed, _)| failed).collect();
        if commands.is_empty() {
            continue;
        }
        let ran = stores.sessions.ran(project, &commands)?;
        for lesson in lessons {
            let Some((failed, _)) = guarded(lesson) else { continue };
            if ran.get(failed).is_some_and(|ran| ran.failed >= FAILURES && ran.worked == 0) {
                let (project, command, lesson) = (project.clone(), failed.to_owned(), lesson.id.clone());
                guards.push(Guard { project, command, lesson });
            }
        }
    }
    Ok(stores.lessons.set_guards(&guards)?)
}
