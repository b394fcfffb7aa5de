//! What a failure is about, in words that are the same the next time.
//!
//! Comes in: the part of the line that names it, and the call. Goes out: a path from the root of the project, a program with
//! its option, a tool with its condition. Numbers, ids, hashes, dates, scratch folders and homes of people do not stay.

use std::borrow::Cow;

use crate::normal::command::{core, program, subcommand, working};
use crate::normal::programs::{self, Role};
use crate::normal::shell::Simple;
use crate::project;

use super::About;
use super::says::Says;
use super::table::Subject;

/// Longest subject kept.
const LIMIT: usize = 120;

/// The subject of a failure that a row of the table knows.
pub(super) fn make(kind: Subject, says: &Says<'_>, speaker: &str, about: &About<'_>) -> String {
    let made = match kind {
        Subject::It => name(says.it),
        Subject::OfAndIt => joined(&name(says.of), &name(says.it)),
        Subject::Path => place(says.it, about.root),
        Subject::Input => place(&about.call.input, about.root),
        Subject::Fixed(words) => words.to_owned(),
        Subject::Rule(tool) => joined(tool, bare(says.it)),
        Subject::Tool(condition) => joined(&about.call.tool, condition),
        Subject::ToolIt => joined(&about.call.tool, &name(says.it)),
        Subject::Program => of_speaker(speaker, about),
        Subject::By(program) => of_speaker(program, about),
        Subject::ProgramAnd(words) => joined(&of_speaker(speaker, about), words),
        Subject::ProgramIt => {
            let (program, it) = (of_speaker(speaker, about), option(says.it));
            // The task that a runner does not know is part of what it is called by.
            if program.contains(" run ") && program.ends_with(&it) { program } else { joined(&program, &it) }
        }
        Subject::ProgramKind(ending) => joined(&of_speaker(speaker, about), &format!("{}{ending}", name(says.it))),
        Subject::Host => host(says.it).unwrap_or_else(|| of_speaker(speaker, about)),
    };
    made[..made.floor_char_boundary(LIMIT)].trim().to_owned()
}

/// The subject of a failure of which only the call is known.
pub(super) fn of_call(about: &About<'_>) -> String {
    if about.call.command().is_some() { of_speaker("", about) } else { about.call.tool.clone() }
}

fn joined(first: &str, second: &str) -> String {
    if second.is_empty() { first.to_owned() } else { format!("{first} {second}") }
}

/// The program that speaks, with its subcommand; the tool if the call has no command.
fn of_speaker(speaker: &str, about: &About<'_>) -> String {
    let all = &about.script.commands;
    let named = all.iter().filter(|_| !speaker.is_empty()).find(|c| program(c) == speaker);
    let command = named.or_else(|| working(about.script).first().copied()).or_else(|| all.first());
    command.map_or_else(|| about.call.tool.clone(), |c| goal(c))
}

/// `git push`, `npm run build`, `pytest`.
pub(super) fn goal(command: &Simple<'_>) -> String {
    let name = program(command);
    if let [_, flag, module, ..] = core(command)
        && flag.text == "-m"
        && name.starts_with("python")
    {
        return module.text.to_string();
    }
    let sub = subcommand(command);
    let plain =
        !sub.is_empty() && sub.len() <= 24 && sub.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_:".contains(&b));
    if !(plain && programs::is(name, Role::ManyGoals)) {
        return name.to_owned();
    }
    let script = core(command).iter().skip_while(|w| w.text != sub).nth(1).filter(|_| sub == "run");
    script.map_or_else(|| format!("{name} {sub}"), |s| format!("{name} {sub} {}", s.text))
}

/// An option without its value.
fn option(text: &str) -> String {
    let text = text.trim();
    if text.starts_with('-') { name(text.split(['=', ' ']).next().unwrap_or(text)) } else { name(text) }
}

/// A word without quotes and marks around it.
fn bare(text: &str) -> &str {
    text.trim().trim_matches(['\'', '"', '`', '‘', '’', '.', ',', ':', ';', '(', ')'])
}

/// A name without quotes around it and without what changes from time to time.
fn name(text: &str) -> String {
    without_ids(bare(text))
}

/// The host of an address, with its port where it is this machine's.
fn host(text: &str) -> Option<String> {
    let text = text.trim().trim_matches(['\'', '"', '`', '.', ',', ':', ';', '(', ')']);
    let address = text.split_once("://").map_or(text, |(_, rest)| rest);
    let host = address.split(['/', ' ', '?']).next().unwrap_or(address).rsplit('@').next().unwrap_or(address);
    let host = host.trim_matches([':', ',', ';', ')', '(', '[', ']']);
    (host.len() >= 3 && host.contains(['.', ':']) || host == "localhost").then(|| host.to_lowercase())
}

/// A path as it can be met again: from the root of the project, with `/`, without scratch folders and homes.
pub(super) fn place(text: &str, root: Option<&str>) -> String {
    let said = text.rsplit(": ").next().unwrap_or(text);
    let path = said.trim().trim_matches(['\'', '"', '`', '‘', '’', ',', ':', ';', '(', ')']).trim_end_matches('.');
    let told = from_root(path, root).unwrap_or_else(|| outside(&path.replace('\\', "/").replace("//", "/")));
    let told = told.trim_start_matches("./").trim_end_matches('/');
    told.split('/').map(without_ids).collect::<Vec<_>>().join("/")
}

/// A path from the root of its checkout or worktree, `.` for the root itself; `None` if it lies elsewhere. However a client
/// or a shell spells both.
pub(super) fn from_root(path: &str, root: Option<&str>) -> Option<String> {
    let (one, root) = (project::in_one_spelling(path), project::in_one_spelling(root?));
    let rest = project::below(&one, &root).filter(|_| !root.is_empty())?.trim_start_matches('/');
    let slashed = if path.contains('\\') { Cow::Owned(path.replace('\\', "/")) } else { Cow::Borrowed(path) };
    // On a drive the one spelling has small letters only.
    let as_written = slashed.trim_end_matches('/');
    let as_written =
        as_written.get(as_written.len().saturating_sub(rest.len())..).filter(|w| w.eq_ignore_ascii_case(rest));
    let told = as_written.unwrap_or(rest);
    let told = project::in_worktree(told).unwrap_or(told);
    Some(if told.is_empty() { ".".to_owned() } else { told.to_owned() })
}

/// A path that is not in the project: without scratch folders, `~` for somebody's home.
fn outside(path: &str) -> String {
    const SCRATCH: &[&str] = &["/tmp/", "/private/tmp/", "/var/folders/", "/AppData/Local/Temp/", "/scratchpad/"];
    if let Some(at) = SCRATCH.iter().filter_map(|s| path.find(s).map(|at| at + s.len())).max() {
        return format!("<scratch>/{}", path[at..].rsplit('/').next().unwrap_or_default());
    }
    for homes in ["/Users/", "/home/"] {
        if let Some((before, rest)) = path.split_once(homes)
            && before.len() <= 6
            && let Some((_, inner)) = rest.split_once('/')
        {
            return format!("~/{inner}");
        }
    }
    path.strip_prefix("/root/").map_or_else(|| path.to_owned(), |inner| format!("~/{inner}"))
}

/// A piece of text without dates, ids and long numbers.
fn without_ids(part: &str) -> String {
    if is_id(part) {
        return "<id>".to_owned();
    }
    let mut out = String::with_capacity(part.len());
    let mut rest = part;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '-' || c == '.' || c == ':')).unwrap_or(rest.len());
        let run = rest[..end].trim_end_matches(['-', '.', ':']);
        out.push_str(number(run));
        rest = &rest[run.len()..];
    }
    out.push_str(rest);
    out
}

/// `2026-01-31` → `<date>`, `4711` → `<n>`; short numbers stay: they are part of a name (`v2`, `F401`).
fn number(run: &str) -> &str {
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    let dashes = run.bytes().filter(|b| *b == b'-').count();
    match digits {
        8.. if dashes >= 2 => "<date>",
        5.. => "<n>",
        _ => run,
    }
}

/// A uuid or a hash.
fn is_id(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part);
    let hex = stem.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    stem.len() >= 7 && hex && stem.bytes().any(|b| b.is_ascii_digit()) && stem.bytes().any(|b| b.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_the_same_the_next_time() {
        for (text, root, told) in [
            ("'/home/dev/ledger/src/a.rs'", Some("/home/dev/ledger"), "src/a.rs"),
            ("./src/a.rs", None, "src/a.rs"),
            ("cat: notes/todo.md", None, "notes/todo.md"),
            ("/home/dev/other/a.rs", Some("/home/dev/ledger"), "~/other/a.rs"),
            ("/Users/x/Projects/y/z.md", None, "~/Projects/y/z.md"),
            ("/tmp/run-7/out.json", None, "<scratch>/out.json"),
            ("C:\\Code\\App\\src\\a.ts", Some("c:/code/app"), "src/a.ts"),
            ("/home/dev/ledger", Some("/home/dev/ledger/"), "."),
            ("/d/Code/App/src/a.ts", Some("D:\\Code\\App"), "src/a.ts"),
            ("/home/dev/ledger/.claude/worktrees/agent-1/src/a.rs", Some("/home/dev/ledger"), "src/a.rs"),
            ("logs/2026-01-31/run.log", None, "logs/<date>/run.log"),
            ("out/1f0c9e77-1234-4b11-9a6b-0a0a0a0a0a0a/x", None, "out/<id>/x"),
            ("src/v2/page1.md", None, "src/v2/page1.md"),
        ] {
            assert_eq!(place(text, root), told, "{text}");
        }
    }

    #[test]
    fn hosts() {
        for (text, told) in [
            ("https://user@api.example.com/v1?x=1", Some("api.example.com")),
            ("localhost:3000", Some("localhost:3000")),
            ("nothing here", None),
        ] {
            assert_eq!(host(text).as_deref(), told, "{text}");
        }
    }
}
