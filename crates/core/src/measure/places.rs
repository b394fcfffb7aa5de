//! Places that somebody named as proof (`src/a.rs:10`), held against a diff: all of them in one pass.
//!
//! Comes in: text with claims, and one unified diff without context. Goes out: which of the claims hold. A false one marks
//! only itself. Deliberately absent: running git.

use std::collections::HashMap;

/// A place holds if a line this near to it changed.
const NEAR: u32 = 5;
/// Places of one claim that are looked at.
const MOST: usize = 20;

/// A file and a line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// As it was written, `/` between folders.
    pub file: String,
    /// From 1.
    pub line: u32,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The places in a text, each once.
pub fn places(text: &str) -> Vec<Place> {
    let part = |c: char| c.is_alphanumeric() || "_/.\\-@+:".contains(c);
    let mut out: Vec<Place> = Vec::new();
    for word in text.split(|c: char| !part(c)) {
        let mut pieces = word.trim_start_matches(':').trim_end_matches([':', '.']).split(':');
        let (Some(file), Some(line)) = (pieces.next(), pieces.next()) else { continue };
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let named = file.contains(['.', '/']) && file.contains(|c: char| c.is_alphabetic());
        if let (true, Ok(line)) = (named && digits > 0, line[..digits].parse()) {
            let file = file.replace('\\', "/");
            let place = Place { file: file.strip_prefix("./").unwrap_or(&file).to_owned(), line };
            if !out.contains(&place) && out.len() < MOST {
                out.push(place);
            }
        }
    }
    out
}

/// Lines of files that changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    files: HashMap<String, Lines>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Lines {
    /// All, or nobody knows which.
    All,
    /// From and to.
    Some(Vec<(u32, u32)>),
}

impl Changed {
    /// Reads a diff as `git diff -U0` prints it.
    pub fn of_diff(diff: &str) -> Self {
        let mut out = Self::default();
        let mut file: Option<String> = None;
        // What is left of the hunk: such lines are anybody's text.
        let (mut old, mut new) = (0_u32, 0_u32);
        for line in diff.lines() {
            if old > 0 && line.starts_with('-') {
                old -= 1;
            } else if new > 0 && line.starts_with('+') {
                new -= 1;
            } else if let Some(hunk) = line.strip_prefix("@@ -") {
                let Some(((_, removed), (from, added))) = hunk_of(hunk) else { continue };
                (old, new) = (removed, added);
                if let Some(Lines::Some(lines)) = file.as_ref().and_then(|f| out.files.get_mut(f)) {
                    lines.push((from, from + added.saturating_sub(1)));
                }
            } else if let Some(name) = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- ")) {
                // A file that is gone has its name on the other side only.
                if let Some(name) = name_of(name) {
                    out.files.entry(name.clone()).or_insert_with(|| Lines::Some(Vec::new()));
                    file = Some(name);
                }
            }
        }
        out
    }

    /// A file of which all lines are new, or of which nobody knows which changed.
    pub fn whole(&mut self, file: &str) {
        self.files.insert(file.to_owned(), Lines::All);
    }

    /// The files.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Whether a place is in it.
    pub fn has(&self, place: &Place) -> bool {
        match self.files.get(&place.file) {
            None => false,
            Some(Lines::All) => true,
            Some(Lines::Some(lines)) => {
                lines.iter().any(|(from, to)| place.line + NEAR >= *from && place.line <= to.saturating_add(NEAR))
            }
        }
    }
}

/// `a,b c,d @@` → both sides, each as start and count.
fn hunk_of(text: &str) -> Option<((u32, u32), (u32, u32))> {
    let (old, rest) = text.split_once(" +")?;
    let new = rest.split(' ').next()?;
    let side = |text: &str| {
        let (from, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((from.parse().ok()?, count.parse().ok()?))
    };
    Some((side(old)?, side(new)?))
}

/// `b/src/a.rs`, also quoted; nothing of `/dev/null`.
fn name_of(text: &str) -> Option<String> {
    let text = text.trim_end_matches('\t');
    let text = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(text);
    text.strip_prefix("a/").or_else(|| text.strip_prefix("b/")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_words() {
        let found = |text: &str| places(text).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(found("see src/auth/token.ts:10, and (./lib/x.py:7-9)."), ["src/auth/token.ts:10", "lib/x.py:7"]);
        assert_eq!(found(r"C at win\a.rs:3:14 and a.rs:3 a.rs:3"), ["win/a.rs:3", "a.rs:3"]);
        assert_eq!(found("at 10:30 we ran http://x and std::fs::read"), [""; 0]);
    }

    const DIFF: &str = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -10,2 +20,3 @@ fn x\n-one\n---- a/no/file.rs\n+one\n+++ b/no/file.rs\n+three\n@@ -50 +61,0 @@\n-gone\n--- a/old.rs\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n";

    #[test]
    fn a_place_holds_near_a_changed_line_of_its_file() {
        let changed = Changed::of_diff(DIFF);
        for (file, line, holds) in [
            ("src/a.rs", 20, true),
            ("src/a.rs", 15, true),
            ("src/a.rs", 14, false),
            ("src/a.rs", 27, true),
            ("src/a.rs", 28, false),
            ("src/a.rs", 61, true),
            ("old.rs", 1, true),
            ("no/file.rs", 20, false),
            ("src/b.rs", 20, false),
        ] {
            assert_eq!(changed.has(&Place { file: file.into(), line }), holds, "{file}:{line}");
        }
        let mut files: Vec<&str> = changed.files().collect();
        files.sort_unstable();
        assert_eq!(files, ["old.rs", "src/a.rs"]);
    }
}
