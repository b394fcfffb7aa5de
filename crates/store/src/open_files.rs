//! Who has a file open for writing, where the system tells it.
//!
//! Goes out: a word on the moment of asking. Deliberately absent: processes of other users, which are not shown to us.

use std::path::Path;

/// Whether another process that we can see has a file open to write to it. Elsewhere than on Linux nobody knows.
#[cfg(target_os = "linux")]
pub(crate) fn is_written_to(file: &Path) -> bool {
    let own = std::process::id().to_string();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbered = processes.filter(|p| p.file_name().as_encoded_bytes().first().is_some_and(u8::is_ascii_digit));
    numbered.filter(|p| p.file_name() != own.as_str()).any(|process| {
        let open = std::fs::read_dir(process.path().join("fd")).into_iter().flatten().flatten();
        let same = |fd: &std::fs::DirEntry| std::fs::read_link(fd.path()).is_ok_and(|to| to == file);
        open.filter(same).any(|fd| may_write(&process.path().join("fdinfo").join(fd.file_name())))
    })
}

/// Whether what is open was opened to be written to: `flags: 0100001`, in octal. What cannot be read counts.
#[cfg(target_os = "linux")]
fn may_write(info: &Path) -> bool {
    let text = std::fs::read_to_string(info).unwrap_or_default();
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:")).map(str::trim);
    flags.and_then(|flags| u32::from_str_radix(flags, 8).ok()).is_none_or(|flags| flags & 3 != 0)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn is_written_to(_: &Path) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn who_writes_to_a_file_is_seen_and_who_reads_it_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().canonicalize().expect("there").join("a");
        std::fs::write(&file, "").expect("written");
        for (way, seen) in [(">>", true), ("<", false)] {
            let script = format!("exec 3{way}\"$0\"; echo; read x");
            let mut shell = Command::new("sh");
            let shell = shell.args(["-c", &script]).arg(&file).stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = shell.spawn().expect("started");
            let mut line = [0; 1];
            std::io::Read::read_exact(child.stdout.as_mut().expect("piped"), &mut line).expect("it is open");
            assert_eq!(is_written_to(&file), seen, "{way}");
            child.stdin.take().expect("piped").write_all(b"\n").expect("told");
            child.wait().expect("ended");
        }
        assert!(!is_written_to(&file));
    }
}
