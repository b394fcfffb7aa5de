//! Project rules that no compiler checks: which room may use which, who may print, ask the time or speak SQL.
//!
//! Comes in: the files git knows or would take. Goes out: one line per violation, `file:line: rule`.
//! Deliberately simple: it looks at lines, without strings and comments, and not at syntax trees.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

/// Files longer than this are split.
const LINES: usize = 500;

/// Longer files that stay whole, and why. Tests may be long anyway.
const LONG: &[(&str, &str)] =
    &[("lab/mock_llm.py", "a tool of the lab: stands in for the APIs of two vendors, and runs from one file")];

/// This file names what it forbids.
const SELF: &str = "xtask/src/tidy.rs";

/// Words that may occur in the code of some files only.
struct Only {
    words: &'static [&'static str],
    /// Where the rule holds.
    under: &'static [&'static str],
    /// Files and folders in which the words may occur all the same.
    but: &'static [&'static str],
    rule: &'static str,
}

const ONLY: &[Only] = &[
    Only {
        words: &["std::fs", "std::net", "std::env", "std::process", "SystemTime", "Instant::now", "std::io::std"],
        under: &["crates/core/src/"],
        but: &[],
        rule: "the core does no I/O and asks for nothing: bytes and values in, values out",
    },
    Only {
        words: &["rusqlite"],
        under: &["crates/", "xtask/"],
        // what another program's database looks like, and what is in ours, is part of a check
        but: &["crates/store/", "xtask/src/battery/plants/write_more.rs", "xtask/src/battery/crash/content.rs"],
        rule: "only crates/store speaks SQL",
    },
    Only {
        words: &["println!", "eprintln!", "print!", "eprint!", "anstream::"],
        under: &["crates/"],
        // build.rs speaks to cargo that way
        but: &["crates/uptake/src/ui.rs", "crates/uptake/src/ui/", "crates/uptake/build.rs"],
        rule: "only crates/uptake/src/ui.rs prints",
    },
    Only {
        words: &["Timestamp::now", "SystemTime::now", "Zoned::now"],
        under: &["crates/"],
        but: &["crates/uptake/src/world.rs", "crates/uptake/src/hook_log.rs"],
        rule: "the time is asked for in world.rs (and hook_log.rs) only; everything else is given it",
    },
    Only {
        words: &["uptake::", "uptake_store::"],
        under: &["crates/core/src/"],
        but: &[],
        rule: "dependencies point one way: uptake → store → core",
    },
    Only {
        words: &["uptake::"],
        under: &["crates/store/src/"],
        but: &[],
        rule: "dependencies point one way: uptake → store → core",
    },
];

/// Crates a manifest must not name.
const NO_DEPENDENCY: &[(&str, &[&str])] = &[
    ("crates/core/Cargo.toml", &["rusqlite", "clap", "anstream", "anyhow", "tempfile", "uptake", "uptake-store"]),
    ("crates/store/Cargo.toml", &["clap", "anstream", "uptake"]),
    ("crates/uptake/Cargo.toml", &["rusqlite"]),
];

/// Left-overs that never stay, tests included.
const LEFT_OVER: &[&str] = &["todo!", "unimplemented!", "dbg!", "#[ignore"];

/// Folders of the machines this was built on.
const BUILD_MACHINE: &[&str] = &[concat!("/", "work/"), concat!("/", "farm/")];

struct Violation {
    file: String,
    line: usize,
    rule: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.rule)
    }
}

/// Checks all rules and prints what breaks them.
pub fn run() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let found = violations(&root)?;
    for violation in &found {
        println!("{violation}");
    }
    ensure!(found.is_empty(), "{} rules are broken", found.len());
    println!("tidy");
    Ok(())
}

fn violations(root: &Path) -> Result<Vec<Violation>> {
    let files = files(root)?;
    let rooms = rooms(root)?;
    let mut out = Vec::new();
    for file in &files {
        // what is no text has no lines
        let Ok(text) = fs::read_to_string(root.join(file)) else { continue };
        check_file(file, &text, &rooms, &mut out);
    }
    check_migrations(root, &files, &mut out)?;
    for (file, _) in LONG.iter().filter(|(long, _)| !files.iter().any(|f| f == long)) {
        out.push(violation(SELF, 0, format!("`{file}` is in the list of long files and does not exist")));
    }
    Ok(out)
}

fn check_file(file: &str, text: &str, rooms: &[String], out: &mut Vec<Violation>) {
    left_behind(file, text, out);
    if file.ends_with(".rs") {
        let source = Source::new(file, text);
        check_words(&source, out);
        check_rooms(&source, rooms, out);
        check_unsafe(&source, out);
    }
    check_length(file, text, out);
    check_manifest(file, text, out);
}

fn violation(file: &str, line: usize, rule: impl Into<String>) -> Violation {
    Violation { file: file.to_owned(), line, rule: rule.into() }
}

/// What git tracks or would: ignored files are nobody's.
fn files(root: &Path) -> Result<Vec<String>> {
    let git = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .context("cannot run git")?;
    if !git.status.success() {
        bail!("cannot list files: {}", String::from_utf8_lossy(&git.stderr).trim());
    }
    let names = String::from_utf8_lossy(&git.stdout);
    let mut files: Vec<String> =
        names.split('\0').filter(|n| !n.is_empty() && root.join(n).is_file()).map(str::to_owned).collect();
    files.sort();
    files.dedup();
    Ok(files)
}

/// The rooms of the core in the order of its `lib.rs`.
fn rooms(root: &Path) -> Result<Vec<String>> {
    let path: PathBuf = root.join("crates/core/src/lib.rs");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let rooms: Vec<String> =
        text.lines().filter_map(|l| l.strip_prefix("pub mod ")?.strip_suffix(';')).map(str::to_owned).collect();
    ensure!(rooms.first().is_some_and(|r| r == "session"), "`session` is the first room of the core");
    Ok(rooms)
}

/// A source file as rules see it.
struct Source<'t> {
    file: &'t str,
    lines: Vec<Line<'t>>,
}

struct Line<'t> {
    number: usize,
    text: &'t str,
    /// Without comments and the insides of strings.
    code: String,
    /// Part of tests.
    test: bool,
}

impl<'t> Source<'t> {
    fn new(file: &'t str, text: &'t str) -> Self {
        let whole = is_test_file(file);
        let lines: Vec<&str> = text.lines().collect();
        let tests_from = lines.windows(2).position(|w| {
            w[0].trim() == "#[cfg(test)]"
                && w[1].contains("mod ")
                && w[1].trim_end().ends_with('{')
                && !w[1].starts_with(' ')
        });
        let lines = lines.iter().enumerate().map(|(i, text)| Line {
            number: i + 1,
            text,
            code: code_of(text),
            test: whole || tests_from.is_some_and(|from| i >= from),
        });
        Self { file, lines: lines.collect() }
    }
}

fn is_test_file(file: &str) -> bool {
    file.split('/').any(|part| part == "tests" || part == "tests.rs" || part == "benches" || part == "fuzz")
}

/// A line without its comment and the insides of its strings.
fn code_of(line: &str) -> String {
    let mut code = String::new();
    let mut chars = line.chars().peekable();
    let mut in_string = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' if in_string => {
                chars.next();
            }
            '\'' if !in_string && chars.peek() == Some(&'"') => {
                chars.next();
                code.push_str("'_");
            }
            '"' => {
                in_string = !in_string;
                code.push('"');
            }
            '/' if !in_string && chars.peek() == Some(&'/') => break,
            _ if in_string => {}
            _ => code.push(c),
        }
    }
    code
}

/// Where a word stands by itself in code: `uptake::` is no part of `my_uptake::`.
fn has_word(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

fn check_words(source: &Source<'_>, out: &mut Vec<Violation>) {
    let within = |list: &[&str]| list.iter().any(|p| source.file.starts_with(p));
    for only in ONLY.iter().filter(|o| within(o.under) && !within(o.but)) {
        for line in source.lines.iter().filter(|l| !l.test) {
            if let Some(word) = only.words.iter().find(|w| has_word(&line.code, w)) {
                out.push(violation(source.file, line.number, format!("`{word}`: {}", only.rule)));
            }
        }
    }
}

/// A room of the core uses only those above it.
fn check_rooms(source: &Source<'_>, rooms: &[String], out: &mut Vec<Violation>) {
    let Some(inside) = source.file.strip_prefix("crates/core/src/") else { return };
    let own = inside.split(['/', '.']).next().unwrap_or_default();
    let Some(place) = rooms.iter().position(|r| r == own) else { return };
    for line in source.lines.iter().filter(|l| !l.test) {
        for used in used_rooms(&line.code) {
            if rooms[place + 1..].contains(&used) {
                let rule = format!("room `{own}` uses `{used}`, which stands below it in lib.rs");
                out.push(violation(source.file, line.number, rule));
            }
        }
    }
}

/// The rooms a line names: `crate::a::b`, `crate::{a, b::c}`.
fn used_rooms(code: &str) -> Vec<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut out = Vec::new();
    for (at, path) in code.match_indices("crate::") {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &code[at + path.len()..];
        match rest.strip_prefix('{') {
            Some(group) => out.extend(group.split([',', '}', '{']).map(|part| word(part.trim()))),
            None => out.push(word(rest)),
        }
    }
    out.retain(|name| !name.is_empty());
    out
}

fn check_unsafe(source: &Source<'_>, out: &mut Vec<Violation>) {
    let is_comment = |text: &str| text.trim_start().starts_with("//");
    for (i, line) in source.lines.iter().enumerate() {
        let code = line.code.replace("unsafe_code", "");
        let explained = line.text.contains("//") || (i > 0 && is_comment(source.lines[i - 1].text));
        if has_word(&code, "unsafe") && !explained {
            out.push(violation(source.file, line.number, "`unsafe` without a comment that says why it is sound"));
        }
    }
}

fn check_length(file: &str, text: &str, out: &mut Vec<Violation>) {
    if ![".rs", ".py", ".sh"].iter().any(|end| file.ends_with(end)) || is_test_file(file) {
        return;
    }
    let count = text.lines().count();
    let allowed = LONG.iter().any(|(long, _)| *long == file);
    if count > LINES && !allowed {
        out.push(violation(file, LINES, format!("{count} lines; files are split at {LINES}")));
    }
    if count <= LINES && allowed {
        out.push(violation(file, count, "no longer long; take it off the list of long files"));
    }
}

fn check_manifest(file: &str, text: &str, out: &mut Vec<Violation>) {
    for (_, banned) in NO_DEPENDENCY.iter().filter(|(manifest, _)| *manifest == file) {
        // What tests need is not what the crate needs.
        let mut counts = true;
        for (i, line) in text.lines().enumerate() {
            if line.starts_with('[') {
                counts = !line.starts_with("[dev-dependencies");
            }
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if counts && line.contains('=') && banned.contains(&name) {
                out.push(violation(file, i + 1, format!("must not depend on `{name}`")));
            }
        }
    }
}

fn left_behind(file: &str, text: &str, out: &mut Vec<Violation>) {
    if file == SELF {
        return;
    }
    for (i, line) in text.lines().enumerate() {
        if let Some(path) = BUILD_MACHINE.iter().find(|p| names_folder(line, p)) {
            out.push(violation(file, i + 1, format!("`{path}` is a folder of a build machine")));
        }
        if file.ends_with(".rs")
            && let Some(word) = LEFT_OVER.iter().find(|w| has_word(&code_of(line), w))
        {
            out.push(violation(file, i + 1, format!("`{word}` never stays")));
        }
    }
}

/// Whether a path begins with that folder; `/home/me/work/` does not.
fn names_folder(line: &str, folder: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || "_.-~}*".contains(c);
    line.match_indices(folder).any(|(at, _)| !line[..at].ends_with(inside))
}

/// Every migration is part of the list that is run.
fn check_migrations(root: &Path, files: &[String], out: &mut Vec<Violation>) -> Result<()> {
    let list = root.join("crates/store/src/open.rs");
    let list = fs::read_to_string(&list).with_context(|| format!("cannot read `{}`", list.display()))?;
    let migrations = files.iter().filter_map(|f| Some((f, f.strip_prefix("crates/store/src/migrations/")?)));
    for (file, name) in migrations {
        if !list.contains(&format!("include_str!(\"migrations/{name}\")")) {
            out.push(violation(file, 1, "this migration is not listed in open.rs"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_keeps_its_rules() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let found: Vec<String> = violations(&root).unwrap().iter().map(ToString::to_string).collect();
        assert!(found.is_empty(), "\n{}\n", found.join("\n"));
    }

    fn broken(file: &str, text: &str) -> Vec<String> {
        let rooms: Vec<String> = ["session", "normal", "detect"].map(str::to_owned).to_vec();
        let mut out = Vec::new();
        check_file(file, text, &rooms, &mut out);
        out.iter().map(|v| format!("{}:{}", v.file, v.line)).collect()
    }

    #[test]
    fn what_is_forbidden_is_found() {
        let work = ["/wo", "rk/x"].concat();
        for (file, text) in [
            ("crates/core/src/session.rs", "use crate::normal::shell;"),
            ("crates/core/src/normal/shell.rs", "use crate::{session::Session, detect};"),
            ("crates/core/src/normal/shell.rs", "let x = crate::detect::detect(s);"),
            ("crates/core/src/normal.rs", "use std::fs;"),
            ("crates/core/src/normal.rs", "use uptake_store::open;"),
            ("crates/uptake/src/hook.rs", "use rusqlite::Connection;"),
            ("crates/uptake/src/hook.rs", "println!(\"x\");"),
            ("crates/uptake/src/hook.rs", "let now = jiff::Timestamp::now();"),
            ("crates/uptake/src/hook.rs", "unsafe { x() }"),
            ("crates/uptake/tests/cli.rs", "#[ignore]"),
            ("crates/uptake/src/hook.rs", "todo!()"),
            ("crates/core/Cargo.toml", "rusqlite.workspace = true"),
            ("crates/store/Cargo.toml", "uptake = { path = \"../uptake\" }"),
            ("README.md", work.as_str()),
        ] {
            assert_eq!(broken(file, text), [format!("{file}:1")], "{text}");
        }
        assert_eq!(broken("crates/uptake/src/a.rs", &"x\n".repeat(501)), ["crates/uptake/src/a.rs:500"]);
    }

    #[test]
    fn what_is_allowed_is_not() {
        for (file, text) in [
            ("crates/core/src/detect/a.rs", "use crate::session::Session;\nuse crate::detect::b;"),
            ("crates/core/src/session.rs", "let s = \"std::env\"; // println!"),
            ("crates/core/src/session.rs", "#[cfg(test)]\nmod tests {\n    use crate::detect;\n    use std::fs;\n}"),
            ("crates/store/src/open.rs", "use rusqlite::Connection;"),
            ("crates/store/Cargo.toml", "uptake-core.workspace = true"),
            ("crates/core/Cargo.toml", "[dev-dependencies]\ntempfile.workspace = true"),
            ("crates/uptake/src/a.rs", "// SAFETY: the pointer is ours\nunsafe { x() }"),
            ("docs/a.md", "/home/me/work/x"),
        ] {
            assert_eq!(broken(file, text), [""; 0], "{text}");
        }
    }
}
