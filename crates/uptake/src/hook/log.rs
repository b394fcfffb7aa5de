//! The hook's own log: one line per trouble, never growing past its cap.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use uptake_core::redact::clean;

/// Size at which the log starts anew.
const LIMIT: u64 = 256 * 1024;

/// Notes one line. Failing to do so is nobody's problem.
pub fn note(data: &Path, line: &str) {
    if !data.is_dir() {
        return;
    }
    let path = data.join("hook.log");
    let full = std::fs::metadata(&path).is_ok_and(|m| m.len() > LIMIT);
    let mut options = OpenOptions::new();
    options.create(true).append(!full).write(true).truncate(full);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    if let Ok(mut file) = options.open(path) {
        let _ = writeln!(file, "{} {}", crate::world::now(), clean(line).replace('\n', " "));
    }
}
