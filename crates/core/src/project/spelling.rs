//! One spelling for a path, however a client, a shell or a system writes it.
//!
//! Comes in: a path as a transcript has it. Goes out: forward slashes, a drive as `c:/`, nothing doubled, no slash at the
//! end. Deliberately absent: the disk. Links are not followed, and a path that is gone is spelled like one that is there.

use std::borrow::Cow;

/// Ways to write a folder that is also known without them, in one place.
const SAME: &[(&str, &str)] =
    &[("/private/tmp", "/tmp"), ("/private/var", "/var"), ("/private/etc", "/etc"), ("/System/Volumes/Data", "")];

/// How WSL's folders are called on Windows; the name of the system follows.
const WSL: &[&str] = &["//wsl$/", "//wsl.localhost/"];

/// How a drive is called where there are none; its letter follows.
const MOUNTS: &[&str] = &["/mnt/", "/cygdrive/"];

/// What a top folder of one letter is: a drive, as Git-Bash writes it, or a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OneLetter {
    /// `/c/code` is `C:\code`.
    Drive,
    /// `/c/code` is just that.
    Folder,
}

/// The one spelling of a path. Windows does not tell small letters from capitals, so on a drive all are small.
pub fn one_spelling(path: &str) -> String {
    spelled(path, OneLetter::Drive)
}

/// The same without a copy of what is spelled like that already: most paths are.
pub fn in_one_spelling(path: &str) -> Cow<'_, str> {
    if is_surely_spelled(path) { Cow::Borrowed(path) } else { Cow::Owned(one_spelling(path)) }
}

/// Whether a look at each byte is enough to say that a path has its one spelling: it is whole, it has no empty parts and
/// no dots as parts, and its top folder is none of those that are written in several ways.
fn is_surely_spelled(path: &str) -> bool {
    const SEVERAL_WAYS: &[&str] = &["/mnt/", "/cygdrive/", "/private/", "/System/"];
    let bytes = path.as_bytes();
    let odd = |(at, byte): (usize, &u8)| match byte {
        b'\\' => true,
        b'/' => match bytes.get(at + 1) {
            None | Some(b'/') => true,
            Some(b'.') => matches!(bytes.get(at + 2), None | Some(b'/' | b'.')),
            _ => false,
        },
        _ => false,
    };
    let one_letter = matches!(bytes, [b'/', _] | [b'/', _, b'/', ..]);
    bytes.first() == Some(&b'/')
        && !one_letter
        && !SEVERAL_WAYS.iter().any(|top| path.starts_with(top))
        && !bytes.iter().enumerate().any(odd)
        && !path.ends_with(char::is_whitespace)
}

/// The same, where it is known what a top folder of one letter is.
pub fn spelled(path: &str, one_letter: OneLetter) -> String {
    let slashed = without_prefix(&path.trim().replace('\\', "/"));
    if let Some((letter, rest)) = drive(&slashed, one_letter) {
        return format!("{}:/{}", letter.to_ascii_lowercase(), joined(rest).to_lowercase());
    }
    let (share, rest) = match slashed.strip_prefix("//") {
        Some(share) if !share.starts_with('/') => (true, share.to_lowercase()),
        _ => (false, slashed),
    };
    let start = match (share, rest.starts_with('/')) {
        (true, _) => "//",
        (false, true) => "/",
        (false, false) => "",
    };
    let whole = format!("{start}{}", joined(&rest));
    SAME.iter().find_map(|(long, short)| below(&whole, long).map(|rest| format!("{short}{rest}"))).unwrap_or(whole)
}

/// The one letter of a path that Git-Bash would write for a drive: `/c/code`.
pub fn top_letter(path: &str) -> Option<char> {
    let mut chars = path.strip_prefix('/')?.chars();
    let letter = chars.next().filter(char::is_ascii_alphabetic)?;
    matches!(chars.next(), None | Some('/')).then_some(letter)
}

/// Without what says that a path is long, on a share, or in WSL.
fn without_prefix(path: &str) -> String {
    let path = path.strip_prefix("//?/").or_else(|| path.strip_prefix("//./")).unwrap_or(path);
    if let Some(share) = strip_ignoring_case(path, "UNC/") {
        return format!("//{share}");
    }
    match WSL.iter().find_map(|wsl| strip_ignoring_case(path, wsl)) {
        Some(inside) => format!("/{}", inside.split_once('/').map_or("", |(_, rest)| rest)),
        None => path.to_owned(),
    }
}

fn strip_ignoring_case<'p>(path: &'p str, prefix: &str) -> Option<&'p str> {
    let (start, rest) = path.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

fn drive(path: &str, one_letter: OneLetter) -> Option<(char, &str)> {
    if let [letter, b':', ..] = path.as_bytes()
        && letter.is_ascii_alphabetic()
    {
        return Some((char::from(*letter), &path[2..]));
    }
    let mounted = MOUNTS.iter().find_map(|mount| path.strip_prefix(mount)).map(|rest| format!("/{rest}"));
    let at_top = (one_letter == OneLetter::Drive).then_some(path).filter(|p| p.len() > 2);
    let letter = mounted.as_deref().or(at_top).and_then(top_letter)?;
    let skipped = if mounted.is_some() { path.match_indices('/').nth(1)?.0 + 2 } else { 2 };
    Some((letter, &path[skipped..]))
}

/// The parts of a path in one line, without empty ones and dots.
fn joined(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// What of a path stands behind a folder: empty if it is that folder, `None` if it is not in it.
pub fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(folder.trim_end_matches('/'))?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// A folder and those it is in, nearest first. Needs the one spelling.
pub fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |path| {
        let (up, last) = path.rsplit_once('/')?;
        (!last.is_empty() && !up.trim_matches('/').is_empty()).then_some(up)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_copied_has_its_one_spelling() {
        for path in [
            "/home/dev/ledger/src/a.rs",
            "/home/dev/ledger/",
            "/home//dev",
            "/home/./dev",
            "/home/dev/..",
            "/home/dev/.git",
            "/c/code",
            "/c",
            "/",
            "",
            "/mnt/c/code",
            "/private/tmp/x",
            "/System/Volumes/Data/x",
            "/tmp/x ",
            "/tmp/a\\b",
            "//host/share",
            "src/a.rs",
            "C:\\Code",
            "/Users/dev/..x/y",
        ] {
            assert_eq!(in_one_spelling(path), one_spelling(path), "{path}");
        }
        assert!(matches!(in_one_spelling("/home/dev/.git/x"), Cow::Borrowed(_)));
    }
}
