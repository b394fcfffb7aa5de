//! What went wrong: the outcome of a call, and of a failure its family and its subject.
//!
//! Comes in: a call with the client's words on it. Goes out: one `Outcome`; for a failure a [`Family`] (a missing path,
//! wrong usage, a finding of a check …) and a subject (which path, which option, which rule) that is the same the next
//! time, on another day and in another folder. What is not told by structure is [`Family::Unknown`]: nothing is guessed.

pub mod outcome;

mod cost;
mod family;
mod pieces;
mod says;
mod subject;
mod table;

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::normal::command::{core, program};
use crate::normal::error::{self, strip_ansi};
use crate::normal::programs::{self, Role};
use crate::normal::shell::{self, Script, Simple};
use crate::session::{Call, Excerpt, FAILURE_SIDE, Outcome, Session, ToolKind};

pub(crate) use cost::costs_by;
pub use cost::{Cost, costs};
pub use family::Family;
use pieces::Pieces;
use says::{Line, Says};
use table::{Of, Row, Weight, rows};

/// How much of a line is looked at.
const LINE_LIMIT: usize = 600;

/// A failure, as it can be met again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Failure {
    /// What kind of trouble it is.
    pub family: Family,
    /// What it is about; empty if that is not known.
    pub subject: String,
}

/// What went wrong in a call, if something did; `root` is the folder that paths are told from.
pub fn of(call: &Call, root: Option<&str>) -> Option<Failure> {
    went_wrong(call.outcome).then(|| of_parsed(call, &parsed(call), root))?
}

fn went_wrong(outcome: Outcome) -> bool {
    outcome.is_failure() || matches!(outcome, Outcome::TimedOut | Outcome::Denied | Outcome::Blocked)
}

fn parsed(call: &Call) -> Script<'_> {
    shell::parse(call.command().unwrap_or_default())
}

/// The same of a call whose line is parsed already.
fn of_parsed(call: &Call, script: &Script<'_>, root: Option<&str>) -> Option<Failure> {
    let about = About { call, script, root };
    match call.outcome {
        Outcome::Failed(_) | Outcome::Masked => {
            Some(about.best().or_else(|| about.by_code()).unwrap_or(Failure::UNKNOWN))
        }
        Outcome::TimedOut => Some(about.plain(Family::TimeOut)),
        Outcome::Denied | Outcome::Blocked => Some(about.plain(Family::Refused)),
        Outcome::Ok | Outcome::Interrupted | Outcome::Background | Outcome::Unknown => None,
    }
}

/// The cause of a failure, as it can be met again; `None` where nothing can be learned from it: a person said no, a test
/// failed while code was written, or nothing tells one failure from another.
pub fn cause(call: &Call, root: Option<&str>) -> Option<Failure> {
    went_wrong(call.outcome).then(|| cause_parsed(call, &parsed(call), root))?
}

/// The same of a call whose line is parsed already.
pub(crate) fn cause_parsed(call: &Call, script: &Script<'_>, root: Option<&str>) -> Option<Failure> {
    if call.outcome == Outcome::Denied {
        return None;
    }
    let found = of_parsed(call, script, root)?;
    if found.family == Family::MissingPath && is_posix_path(call) {
        return Some(Failure { family: Family::ShellDialect, subject: POSIX_PATH.to_owned() });
    }
    match found.family {
        Family::TestResult => None,
        // The line itself is all there is to know it by.
        Family::Unknown => {
            let line = error::signature(&call.output)?;
            let speaker = if call.command().is_some() { error::speaker(script, &line.line) } else { &call.tool };
            Some(Failure { family: Family::Unknown, subject: format!("{speaker}: {}", line.key) })
        }
        // What a file must be before it is changed is the same for all tools that change files.
        Family::ToolPrecondition if matches!(call.kind, ToolKind::Edit | ToolKind::Read) => {
            let condition = found.subject.strip_prefix(&call.tool).unwrap_or(&found.subject).trim();
            Some(Failure { family: found.family, subject: format!("file {condition}") })
        }
        _ => Some(found).filter(|f| !f.subject.is_empty()),
    }
}

/// What a program of Windows makes of a path of its shell.
const POSIX_PATH: &str = "posix path";

/// Whether a missing path is one of the shell that a program of Windows took for its own: `/tmp/a` in the command is
/// `D:\\tmp\\a` in the error.
fn is_posix_path(call: &Call) -> bool {
    let Some(command) = call.command().filter(|c| c.contains('/')) else { return false };
    let taken = |line: &str| {
        line.match_indices(":\\").any(|(at, _)| {
            let drive = at > 0 && line.as_bytes()[at - 1].is_ascii_alphabetic();
            let rest = &line[at + 1..];
            let path = &rest[..rest.find(['\'', '"', '`', ' ', ':', ',', ')']).unwrap_or(rest.len())];
            let path = path.replace("\\\\", "\\").replace('\\', "/");
            drive && path.len() > 4 && command.contains(&path) && !command.contains(&format!(":{path}"))
        })
    };
    call.output.lines().any(|line| taken(&line[..line.floor_char_boundary(LINE_LIMIT)]))
}

/// Stands for all failures of a family together.
pub const ANY: &str = "*";

/// Most files that a check may find fault with for its findings to be old: where there are more, something is broken.
pub(crate) const FEW_FILES: usize = 4;

/// How the subject of a finding begins in a file that was not changed.
pub(crate) const UNTOUCHED: &str = "untouched ";

/// Findings that may be older than the session: one for each file that a check finds fault with.
pub(crate) fn old_findings(causes: &[Failure], call: &Call, folder: Option<&str>, root: &str) -> Vec<Failure> {
    if call.kind != ToolKind::Shell || causes.first().is_none_or(|f| f.family != Family::CheckFinding) {
        return Vec::new();
    }
    let files = files_at_fault(&call.output, folder.map(str::to_owned), Some(root));
    let few = files.len() <= FEW_FILES;
    let finding = |file| Failure { family: Family::CheckFinding, subject: format!("{UNTOUCHED}{file}") };
    files.into_iter().filter(|_| few).map(finding).collect()
}

/// The files that a check finds fault with, from the root: `file:line:`, `file(line,` or `file:line:column` at the start of a
/// line. `folder` is where it ran, from the root.
pub(crate) fn files_at_fault(output: &Excerpt, folder: Option<String>, root: Option<&str>) -> BTreeSet<String> {
    output.lines().filter_map(|line| file_at_fault(strip_ansi(line).trim(), folder.as_deref(), root)).collect()
}

fn file_at_fault(line: &str, folder: Option<&str>, root: Option<&str>) -> Option<String> {
    // The drive of a path has a colon of its own.
    let from = if line.as_bytes().get(1) == Some(&b':') { 2 } else { 0 };
    let end = from + line.get(from..)?.find([':', '(', ' '])?;
    let (file, rest) = line.split_at(end);
    let numbered = rest.strip_prefix([':', '('])?.starts_with(|c: char| c.is_ascii_digit());
    let named = numbered && file.rsplit(['/', '\\']).next()?.contains('.') && !file.contains("://");
    let file = file.replace('\\', "/");
    let file = file.trim_start_matches("./");
    named.then(|| match from_root(file, root) {
        Some(told) => told,
        None => match folder {
            Some(folder) if folder != "." && !folder.is_empty() => format!("{folder}/{file}"),
            _ => file.to_owned(),
        },
    })
}

/// The cause of a failure, and what it has in common with others: the folder a path was looked for in (with a `/` at its
/// end), and [`ANY`]. `folder` is where the call ran, from the root; the most particular comes first. Where a shell is below the
/// root it cannot be told whether a path was meant to be seen from there: both are causes.
pub fn causes(call: &Call, root: Option<&str>, folder: Option<&str>) -> Vec<Failure> {
    let Some(first) = cause(call, root) else { return Vec::new() };
    let from_root = causes_from_root(&first, call, root, folder);
    causes_of(first, call, folder).into_iter().chain(from_root).collect()
}

/// The same, where the cause itself is known.
pub fn causes_of(first: Failure, call: &Call, folder: Option<&str>) -> Vec<Failure> {
    let of = |family: Family, subject: &str| Failure { family, subject: subject.to_owned() };
    match first.family {
        Family::MissingPath if is_seen_from(call, folder) && is_in_project(&first.subject) => {
            vec![of(Family::WrongFolder, ANY)]
        }
        Family::MissingPath if is_in_project(&first.subject) => {
            let parent =
                first.subject.rsplit_once('/').map(|(parent, _)| of(Family::MissingPath, &format!("{parent}/")));
            [Some(first), parent, Some(of(Family::MissingPath, ANY))].into_iter().flatten().collect()
        }
        Family::WrongFolder => vec![first, of(Family::WrongFolder, ANY)],
        _ => vec![first],
    }
}

/// A missing path that a shell was told from the folder it is in, and all it has in common with others, from the root; empty
/// if it is no such failure, or where it was looked for cannot be told.
pub fn causes_from_root(first: &Failure, call: &Call, root: Option<&str>, folder: Option<&str>) -> Vec<Failure> {
    let missing = first.family == Family::MissingPath && is_seen_from(call, folder) && is_in_project(&first.subject);
    let (Some(root), Some(folder), Some(line)) = (root, folder, call.command().filter(|_| missing)) else {
        return Vec::new();
    };
    let whole = format!("{}/{}", root.trim_end_matches('/'), first.subject);
    let told_whole = line.contains(&whole) || call.output.lines().any(|l| l.contains(&whole));
    let from = || looked_from(line, &first.subject, folder.to_owned(), root);
    let path =
        if told_whole { Some(first.subject.clone()) } else { from().and_then(|f| seen_from(&first.subject, &f)) };
    let path = path.filter(|p| p != ".");
    path.map_or_else(Vec::new, |subject| causes_of(Failure { family: first.family, subject }, call, None))
}

/// The folder from which a line looked for a path: behind the `cd`s before it, unless one of them was to enter that path.
fn looked_from(line: &str, path: &str, mut folder: String, root: &str) -> Option<String> {
    for command in shell::parse(line).commands.iter().take_while(|c| program(c) == "cd") {
        let to = core(command).get(1)?;
        if to.text.trim_start_matches("./").trim_end_matches('/') == path {
            break;
        }
        folder = entered(command, &folder, Some(root))?;
    }
    Some(folder)
}

/// Whether the paths of a call are seen from a folder that is not the root: then they may well be there.
fn is_seen_from(call: &Call, folder: Option<&str>) -> bool {
    call.kind == ToolKind::Shell && folder.is_some_and(|f| !f.is_empty() && f != ".")
}

/// Whether a path that is not there would be in the project.
pub(crate) fn is_in_project(path: &str) -> bool {
    !path.starts_with(['/', '~', '<', '$']) && !path.contains(['*', ' ']) && path.as_bytes().get(1) != Some(&b':')
}

/// A path from the root of its checkout; `None` if it lies elsewhere.
pub fn from_root(path: &str, root: Option<&str>) -> Option<String> {
    subject::from_root(path, root)
}

/// What a command is for, in few words: `go test`, `npm run build`.
pub(crate) fn goal(command: &Simple<'_>) -> String {
    subject::goal(command)
}

/// The folder a call ran in, from the root ([`Session::root_folder`]); `None` if the client does not tell.
pub fn folder(session: &Session, call: &Call) -> Option<String> {
    let folder = session.folder_of(call)?;
    Some(subject::from_root(folder, session.root_folder()).unwrap_or_else(|| folder.to_owned()))
}

/// The folder in which the first command of a line runs that is no `cd`, from the root, if the shell is in `folder`; `None`
/// if that cannot be told.
pub(crate) fn runs_in(line: &str, mut folder: String, root: Option<&str>) -> Option<String> {
    for command in &shell::parse(line).commands {
        if program(command) != "cd" {
            break;
        }
        folder = entered(command, &folder, root)?;
    }
    Some(folder)
}

/// The folder after a `cd`, from the root; `None` if it leaves the project or cannot be told.
pub(crate) fn entered(command: &Simple<'_>, folder: &str, root: Option<&str>) -> Option<String> {
    let to = core(command).get(1)?;
    if to.text.contains(['$', '~', '*', '`']) || to.text == "-" {
        return None;
    }
    if to.text.starts_with('/') || to.text.as_bytes().get(1) == Some(&b':') {
        return from_root(&to.text, root);
    }
    seen_from(&to.text, folder)
}

/// A path that is told from a folder, from the root; `None` if it leaves the project.
fn seen_from(path: &str, folder: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|p| !p.is_empty() && *p != ".").collect();
    for part in path.split('/').filter(|p| !p.is_empty() && *p != ".") {
        if part == ".." {
            parts.pop()?;
        } else {
            parts.push(part);
        }
    }
    Some(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
}

/// Whether an output says that a command could not begin its work, whatever it is about.
fn in_trouble(output: &Excerpt) -> bool {
    let says = |line: &str| {
        let firm = candidates(line).filter(|t| t.row.of != Of::Tool && t.row.weight >= Weight::Firm);
        firm.map(|t| t.says).any(|says| Line::new(line).says(says).is_some())
    };
    output.lines().filter(|l| l.len() <= LINE_LIMIT).any(|line| says(strip_ansi(line).trim()))
}

impl Failure {
    const UNKNOWN: Self = Self { family: Family::Unknown, subject: String::new() };
}

/// A template of a row.
struct Template {
    row: &'static Row,
    says: &'static str,
}

/// All templates in the order of the table, and the pieces by which they are looked for.
static TEMPLATES: LazyLock<(Vec<Template>, Pieces)> = LazyLock::new(|| {
    let all = rows().flat_map(|row| row.says.iter().map(move |says| Template { row, says }));
    let all: Vec<Template> = all.collect();
    let pieces = Pieces::new(all.iter().map(|t| says::piece(t.says)).collect());
    (all, pieces)
});

/// The templates of which a piece stands in a line, in the order of the table: few do, and only they can fit.
fn candidates(line: &str) -> impl Iterator<Item = &'static Template> {
    let (all, pieces) = &*TEMPLATES;
    let has_digit = line.bytes().any(|b| b.is_ascii_digit());
    pieces.in_text(line).into_iter().map(|n| &all[n]).filter(move |t| has_digit || !says::needs_digit(t.says))
}

/// A call that failed, with what subjects are made of.
struct About<'a> {
    call: &'a Call,
    script: &'a Script<'a>,
    root: Option<&'a str>,
}

/// A row whose words were found.
struct Found<'a> {
    row: &'static Row,
    says: Says<'a>,
    line: &'a str,
}

impl About<'_> {
    /// The heaviest words in the output; of equal ones the first.
    fn best(&self) -> Option<Failure> {
        let output = Excerpt::with_side(&self.call.output.to_text(), FAILURE_SIDE);
        let mut best: Option<(Weight, Failure)> = None;
        for raw in output.lines() {
            let line = strip_ansi(&raw[..raw.floor_char_boundary(LINE_LIMIT)]);
            let Some(found) = self.row_of(line.trim(), best.as_ref().map(|(weight, _)| *weight)) else { continue };
            best = Some((found.row.weight, self.failure(&found)));
        }
        best.map(|(_, failure)| failure)
    }

    /// The row that a line belongs to: the heaviest, of equal ones the first in the table. What weighs no more than what is
    /// known is not looked for.
    fn row_of<'l>(&self, line: &'l str, known: Option<Weight>) -> Option<Found<'l>> {
        let telling = |t: &&Template| self.concerns(t.row.of) && Some(t.row.weight) > known;
        let mut tried: Vec<&Template> = candidates(line).filter(telling).collect();
        if tried.is_empty() {
            return None;
        }
        tried.sort_by_key(|t| Reverse(t.row.weight));
        let read = Line::new(line);
        let found = |t: &&Template| Some((t.row, read.says(t.says).filter(|s| t.row.fits(s))?));
        tried.iter().find_map(found).map(|(row, says)| Found { row, says, line })
    }

    /// What the exit code alone says: few programs have codes that are known everywhere.
    fn by_code(&self) -> Option<Failure> {
        let code = self.call.outcome.code()?;
        let last = self.script.commands.last()?;
        let limited = || last.words.first().is_some_and(|w| programs::is(&w.text, Role::TimeLimit));
        match (program(last), code) {
            ("curl", 5 | 6 | 7 | 28 | 35 | 52 | 56) => Some(self.plain(Family::Network)),
            (_, 124) if limited() => Some(self.plain(Family::TimeOut)),
            _ => None,
        }
    }

    fn concerns(&self, of: Of) -> bool {
        match of {
            Of::Any => true,
            Of::Shell => self.call.kind == ToolKind::Shell,
            Of::Tool => self.call.kind != ToolKind::Shell,
        }
    }

    fn failure(&self, found: &Found<'_>) -> Failure {
        let speaker = error::speaker(self.script, found.line);
        let subject = subject::make(found.row.subject, &found.says, speaker, self);
        Failure { family: found.row.family, subject }
    }

    /// A failure whose family the client tells.
    fn plain(&self, family: Family) -> Failure {
        Failure { family, subject: subject::of_call(self) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(tool: &str, input: &str, output: &str) -> Call {
        let kind = match tool {
            "Bash" => ToolKind::Shell,
            "Edit" | "Write" => ToolKind::Edit,
            "Read" | "Grep" => ToolKind::Read,
            _ => ToolKind::Other,
        };
        let (outcome, output) = (Outcome::Failed(Some(1)), Excerpt::new(output));
        Call { outcome, output, ..Call::new(tool, kind, input) }
    }

    #[test]
    fn every_row_has_cases_and_they_hold() {
        let mut wrong = Vec::new();
        for row in rows() {
            assert!(!row.cases.is_empty(), "{:?} {:?} has no case", row.family, row.says);
            for (input, output, subject) in row.cases {
                let (tool, input) = input.split_once(" § ").unwrap_or(("Bash", input));
                let found = of(&failed(tool, input, output), Some("/home/dev/ledger"));
                let wanted = Failure { family: row.family, subject: (*subject).to_owned() };
                if found.as_ref() != Some(&wanted) {
                    wrong.push(format!("{tool} {input}\n  {output}\n  found {found:?}\n  wanted {wanted:?}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    }

    #[test]
    fn every_template_is_met_by_a_case_of_its_row() {
        for row in rows() {
            for template in row.says {
                let met = row.cases.iter().any(|(_, output, _)| {
                    output.lines().any(|line| says::matches(template, strip_ansi(line).trim()).is_some())
                });
                assert!(met, "{:?}: no case says {template:?}", row.family);
            }
        }
    }

    #[test]
    fn a_path_seen_from_a_folder_below_the_root_is_also_told_from_the_root() {
        let (root, folder) = (Some("/home/dev/shop"), Some("pkg"));
        let told = |command: &str, path: &str, folder| -> Vec<String> {
            let output = format!("cat: {path}: No such file or directory");
            let all = causes(&failed("Bash", command, &output), root, folder);
            all.into_iter().map(|f| format!("{} {}", f.family.as_str(), f.subject)).collect()
        };
        let both = |path: &str, parent: &str| {
            let paths = [path, parent].map(|p| format!("missing_path {p}"));
            ["wrong_folder *".to_owned()]
                .into_iter()
                .chain(paths)
                .chain(["missing_path *".to_owned()])
                .collect::<Vec<_>>()
        };
        assert_eq!(told("cat src/a.rs", "src/a.rs", folder), both("pkg/src/a.rs", "pkg/src/"));
        assert_eq!(told("cd src && cat a.rs", "a.rs", folder), both("pkg/src/a.rs", "pkg/src/"));
        assert_eq!(told("cat ../lib/a.rs", "../lib/a.rs", folder), both("lib/a.rs", "lib/"));
        let whole = "/home/dev/shop/lib/a.rs";
        assert_eq!(told(&format!("cat {whole}"), whole, folder), both("lib/a.rs", "lib/"));
        // The folder that could not be entered.
        assert_eq!(told("cd src/a && cat b.rs", "src/a", folder), both("pkg/src/a", "pkg/src/"));
        // Out of the project, or nobody knows where.
        assert_eq!(told("cat ../../a.rs", "../../a.rs", folder), ["wrong_folder *"]);
        assert_eq!(told("cd $X && cat a.rs", "a.rs", folder), ["wrong_folder *"]);
        let at_root = ["missing_path src/a.rs", "missing_path src/", "missing_path *"];
        assert_eq!(told("cat src/a.rs", "src/a.rs", Some(".")), at_root);
    }

    #[test]
    fn what_is_not_told_is_unknown() {
        for output in ["", "Exit code 1", "done", "1 2 3"] {
            assert_eq!(of(&failed("Bash", "./run.sh", output), None), Some(Failure::UNKNOWN), "{output}");
        }
    }
}
