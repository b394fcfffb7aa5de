//! Session start: whether somebody touched what was made of the lessons of this project.
//!
//! Comes in: the project. Goes out: a run of `reconcile` in the background, if one is due. Only times of files are looked at, of a
//! few files, and nothing is written: what became of them is found out by the run.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use uptake_store::Lessons;

use crate::background;
use crate::settings::Settings;

/// Most files that are looked at.
const MOST: usize = 200;
/// How far above a file that is gone its folder is looked for.
const UP: usize = 4;

/// Has the files looked at in the background, if one was touched since they were last.
pub(super) fn look(data: &Path, lessons: &Lessons, project: &str, settings: &Settings) {
    let Ok(files) = lessons.files_of_project(project, MOST) else { return };
    let last = changed(&background::reconciled(data));
    let touched = |file: &PathBuf| last.is_none_or(|last| touched_at(file).is_some_and(|at| at > last));
    if files.iter().map(PathBuf::from).any(|file| touched(&file)) {
        // Should it not start, the next session tries again.
        let _ = background::start_reconcile(data, settings);
    }
}

/// When a file was changed; if it is gone, when something was last done in its folder.
fn touched_at(file: &Path) -> Option<SystemTime> {
    file.ancestors().take(UP).find_map(changed)
}

fn changed(path: &Path) -> Option<SystemTime> {
    path.symlink_metadata().and_then(|m| m.modified()).ok()
}
