//! The hook's own log: one line per trouble, never growing past its cap.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use uptake_core::redact::clean;

/// Size at which the log starts anew.
const LIMIT: u64 = 256 * 1024;
/// Longest line, in bytes.
const LINE: usize = 2_000;

/// Notes one line. Failing to do so is nobody's problem.
pub fn note(data: &Path, line: &str) {
    let path = data.join("hook.log");
    let size = match std::fs::metadata(&path) {
        // A pipe would have us wait for a reader.
        Ok(found) if !found.is_file() => return,
        Ok(found) => found.len(),
        Err(_) => 0,
    };
    let mut options = OpenOptions::new();
    options.create(true).append(size <= LIMIT).write(true).truncate(size > LIMIT);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    if let Ok(mut file) = options.open(path) {
        // Written at once: other hooks write, too.
        let _ = file.write_all(entry(line).as_bytes());
    }
}

fn entry(line: &str) -> String {
    let line = clean(line).replace('\n', " ");
    format!("{} {}\n", crate::world::now(), &line[..line.floor_char_boundary(LINE)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_stays_below_its_cap() {
        let data = tempfile::tempdir().expect("a folder");
        let size = || std::fs::metadata(data.path().join("hook.log")).expect("a log").len();
        let long = "é\n".repeat(100_000);
        for _ in 0..400 {
            note(data.path(), &long);
            assert!(size() <= LIMIT + LINE as u64 + 40, "{}", size());
        }
        let text = std::fs::read_to_string(data.path().join("hook.log")).expect("text");
        assert!(text.ends_with('\n') && text.lines().all(|l| l.len() <= LINE + 21), "whole lines");
    }

    #[test]
    fn nothing_is_made_where_nothing_is() {
        let data = tempfile::tempdir().expect("a folder");
        note(&data.path().join("gone"), "trouble");
        assert!(!data.path().join("gone").exists());
    }
}
