//! A folder becomes a link and a folder again, over and over, while uptake writes below it: nothing is written elsewhere.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::Result;

use super::scene::Scene;
use crate::battery::world::files;
use crate::battery::{Figure, Options};

/// Folders that are swapped, each in its turn.
const FOLDERS: &[&str] =
    &[".uptake", ".uptake/knowledge", ".claude", ".claude/skills", ".claude/commands", ".claude/commands/uptake"];
/// Deeds that write new files.
const DEEDS: usize = 6;

/// Runs it.
pub fn run(binary: &Path, options: &Options) -> Result<Vec<Figure>> {
    let scene = Scene::new(binary)?;
    let outside = scene.world.path("outside");
    std::fs::create_dir_all(&outside)?;
    let deeds = scene.deeds();
    let (mut swaps, mut runs, mut n) = (0, 0, 0);
    while swaps < options.swaps {
        let deed = &deeds[n % DEEDS];
        scene.restore(deed)?;
        let folder = scene.world.project().join(FOLDERS[n % FOLDERS.len()]);
        std::fs::create_dir_all(&folder)?;
        n += 1;
        let stop = AtomicBool::new(false);
        let count = AtomicUsize::new(0);
        std::thread::scope(|scope| -> Result<()> {
            scope.spawn(|| swap(&folder, &outside, &stop, &count));
            let ran = scene.run(&deed.args).and_then(|_| scene.run(&["reconcile"]));
            stop.store(true, Ordering::Relaxed);
            ran.map(drop)
        })?;
        swaps += count.into_inner();
        runs += 1;
    }
    let away = files(&outside);
    Ok(vec![
        Figure::new("times that a folder became a link while uptake wrote", swaps)
            .bar(format!("≥ {}", options.swaps), swaps >= options.swaps)
            .why(format!("{runs} runs")),
        Figure::none("files that were written elsewhere", away.len())
            .why(away.first().map(|p| p.display().to_string()).unwrap_or_default()),
    ])
}

fn swap(folder: &Path, outside: &Path, stop: &AtomicBool, count: &AtomicUsize) {
    let gone = PathBuf::from(format!("{}-gone", folder.display()));
    while !stop.load(Ordering::Relaxed) {
        let _ = std::fs::rename(folder, &gone);
        if link(outside, folder) {
            count.fetch_add(1, Ordering::Relaxed);
            std::thread::yield_now();
            let _ = std::fs::remove_file(folder);
        }
        if std::fs::rename(&gone, folder).is_err() {
            // uptake made the folder anew meanwhile.
            let _ = std::fs::remove_dir_all(&gone);
        }
    }
}

#[cfg(unix)]
fn link(to: &Path, at: &Path) -> bool {
    std::os::unix::fs::symlink(to, at).is_ok()
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> bool {
    false
}
