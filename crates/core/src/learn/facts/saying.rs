//! What a fact says: what to do about a cause, and on what that rests.

use std::collections::{BTreeMap, BTreeSet};

use super::advice::{When, advice};
use super::findings::{old_finding, strict};
use super::{Cause, Place, Worked};
use crate::detect::{Met, Tally, WayOut};
use crate::failure::{self, ANY, Family, UNTOUCHED};
use crate::learn::capability::concerns;
use crate::normal::command::program;
use crate::normal::shell;
use crate::session::Origin;
use crate::sources::tool_names;

/// Longest sentence.
const LIMIT: usize = 260;
/// Longest command in a sentence.
const COMMAND: usize = 120;

/// What to do about a cause.
pub(super) struct Saying {
    /// The same for the same advice.
    pub key: String,
    /// The sentence.
    pub text: String,
    /// The commands in it.
    pub commands: Vec<String>,
    /// The lowest origin of its bytes.
    pub trust: Origin,
    /// The figures it rests on, in words.
    pub tally: Option<String>,
}

impl Saying {
    pub(super) fn new(key: &str, text: String, trust: Origin) -> Self {
        Self { key: key.to_owned(), text, commands: Vec::new(), trust, tally: None }
    }
}

/// What to do about a cause; `None` if nothing can be said, or what was said is no longer true.
pub(super) fn of(cause: &Cause<'_>, worked: &Worked<'_>) -> Option<Saying> {
    let met = cause.newest();
    let said = match (met.family, met.subject.as_str()) {
        (Family::MissingPath, ANY) => Some(guessed()),
        (Family::WrongFolder, ANY) => Some(elsewhere()),
        (Family::CheckFinding, tool) if tool.ends_with(" *") => strict(cause, tool.trim_end_matches(" *")),
        (Family::CheckFinding, subject) if subject.starts_with(UNTOUCHED) => old_finding(cause),
        (Family::MissingProgram, program) => behind(program, worked).or_else(|| with_way(cause)),
        (Family::MissingPath, folder) if folder.ends_with('/') => missing_folder(cause, folder, worked),
        (Family::MissingPath, path) => {
            known(cause).or_else(|| missing_path(cause, worked).filter(|_| failure::is_in_project(path)))
        }
        (Family::ToolUnavailable, skill) if is_there_after_all(cause, skill, worked) => None,
        _ => in_folder(cause, worked).or_else(|| with_way(cause)),
    };
    said.filter(|s| s.text.len() <= LIMIT && !s.text.contains("[redacted:"))
}

/// The same without anything of a project: what the table words, and what holds for all paths and folders. `worked` knows all
/// projects.
pub(super) fn of_machine(cause: &Cause<'_>, worked: &Worked<'_>) -> Option<Saying> {
    let met = cause.newest();
    match (met.family, met.subject.as_str()) {
        (Family::ToolUnavailable, skill) if is_there_after_all(cause, skill, worked) => None,
        (Family::MissingPath, ANY) => Some(guessed()),
        (Family::WrongFolder, ANY) => Some(elsewhere()),
        _ => known(cause),
    }
}

/// Whether a skill that was not found was used since, in whatever agent: then nobody is told that there is none. One that worked
/// only before it was missed first is gone.
fn is_there_after_all(cause: &Cause<'_>, skill: &str, worked: &Worked<'_>) -> bool {
    let first = cause.seen.iter().filter_map(|o| o.head.at).min();
    worked(&Tally::of_skill(skill)).iter().any(|p| p.ok > 0 && p.last >= first)
}

/// One line for people.
pub(super) fn title(met: &Met) -> String {
    let what = met.family.as_str().replace('_', " ");
    match met.subject.as_str() {
        "*" => format!("Met again and again: {what}"),
        subject => format!("Met again and again: {what}, {subject}"),
    }
}

fn guessed() -> Saying {
    let text = "Paths are often guessed wrong: search for the name of a file before opening it where it may not be.";
    Saying::new("search", text.to_owned(), Origin::User)
}

fn elsewhere() -> Saying {
    let text = "The shell keeps its folder from call to call: give absolute paths, or begin with `cd` to the root of the repository.";
    Saying::new("cd", text.to_owned(), Origin::User)
}

/// Says in a key that a fact is for the start of a session only.
pub(super) const BEFORE: &str = "known before";
/// Says in a key that a fact is for a failure only.
pub(super) const AFTER: &str = "known after";

/// What the table knows.
fn known(cause: &Cause<'_>) -> Option<Saying> {
    let met = cause.newest();
    let (text, when) = advice(met.family, &met.subject, &met.error)?;
    let key = match when {
        When::Always => "known",
        When::Before => BEFORE,
        When::After => AFTER,
    };
    Some(Saying::new(key, text, Origin::User))
}

/// A file that was looked for in several sessions where it is not.
fn missing_path(cause: &Cause<'_>, worked: &Worked<'_>) -> Option<Saying> {
    let met = cause.newest();
    let path = &met.subject;
    let places = worked(&Tally::of_file(path));
    // It is there now.
    if places.iter().any(|p| p.place == *path && p.last >= cause.last()) {
        return None;
    }
    let there = !worked(&Tally::of_folder(parent(path))).is_empty();
    let found = by_way(cause).or_else(|| meant(path, &places, there))?;
    let wrong_kind = !ending(&found).is_empty() && cause.met.iter().any(|m| is_entered(&m.tried, path));
    (found != *path && !wrong_kind).then(|| {
        let text = format!("`{path}` does not exist: it is `{found}`.");
        Saying::new(&format!("at {found}"), text, Origin::Tool)
    })
}

/// Whether a command line goes to a path: then a folder is wanted, and no file stands for it.
pub(crate) fn is_entered(line: &str, path: &str) -> bool {
    let goes = |c: &shell::Simple<'_>| matches!(program(c), "cd" | "pushd");
    let there = |w: &str| name(w.trim_end_matches('/')) == name(path);
    shell::parse(line).commands.iter().filter(|c| goes(c)).any(|c| c.words.iter().skip(1).any(|w| there(&w.text)))
}

/// Where the file was found right after, if it was always the same place.
fn by_way(cause: &Cause<'_>) -> Option<String> {
    let mut found: BTreeSet<&String> = BTreeSet::new();
    found.extend(cause.met.iter().filter_map(|m| match &m.way {
        WayOut::Path(path) if are_kin(ending(&m.subject), ending(path)) => Some(path),
        _ => None,
    }));
    let one = found.pop_first()?;
    found.is_empty().then(|| one.clone())
}

/// The place that a wrong path means: a file of the same name, or of a kin to its kind, that can be told from all others of
/// that name. A name that many files have (`index`, `mod`) says nothing without its folder.
/// `folder_is_there`: the folder it was looked for in exists. Then a file of that name elsewhere is another file, unless the
/// name says much, or it lies further down in that folder.
pub fn meant(path: &str, places: &[Place], folder_is_there: bool) -> Option<String> {
    let folders = |p: &str| p.split('/').rev().skip(1).map(str::to_owned).collect::<BTreeSet<_>>();
    let wanted = folders(path);
    let likeness = |p: &Place| {
        let there = folders(&p.place);
        let (common, more) = (there.intersection(&wanted).count(), there.difference(&wanted).count());
        (ending(path) == ending(&p.place), common, std::cmp::Reverse(more))
    };
    let mut others: Vec<&Place> = places.iter().filter(|p| p.ok > 0 && p.place != path).collect();
    let often = others.len() >= COMMON_NAME;
    let fits = |p: &Place| !folder_is_there || says_much(path) || lies_in(parent(&p.place), parent(path));
    others.retain(|p| are_kin(ending(path), ending(&p.place)) && (!often || likeness(p).1 > 0) && fits(p));
    others.sort_by_key(|p| std::cmp::Reverse(likeness(p)));
    match others.as_slice() {
        [] => None,
        [one] => Some(one.place.clone()),
        [best, next, ..] => (likeness(best) > likeness(next)).then(|| best.place.clone()),
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or(".", |(folder, _)| folder)
}

/// Whether a folder is another one, or lies in it.
fn lies_in(folder: &str, other: &str) -> bool {
    other == "." || folder == other || folder.starts_with(&format!("{other}/"))
}

/// Whether a name is made of several words: two files are hardly called so by chance.
fn says_much(path: &str) -> bool {
    let name = name(path);
    let stem = name.split_once('.').filter(|(stem, _)| !stem.is_empty()).map_or(name, |(stem, _)| stem);
    let words = stem.split(['_', '-', '.']).filter(|w| w.len() > 1 && !matches!(*w, "test" | "tests" | "spec" | "mod"));
    words.count() >= 2 || name.starts_with('.')
}

/// So many files of one name make it a name that says nothing by itself.
const COMMON_NAME: usize = 4;

fn ending(path: &str) -> &str {
    let name = name(path);
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, ending)| ending)
}

/// Whether the ending of a path that was asked for is taken for another one.
fn are_kin(a: &str, b: &str) -> bool {
    const KIN: &[&[&str]] = &[
        &["yml", "yaml"],
        &["ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts"],
        &["md", "mdx"],
        &["c", "cc", "cpp", "cxx", "h", "hpp"],
        &["json", "jsonc", "json5"],
        &["sh", "bash", "zsh"],
        &["toml", "json", "yaml", "yml"],
    ];
    // A folder may be meant by a file, not the other way round.
    a == b || a.is_empty() || KIN.iter().any(|kin| kin.contains(&a) && kin.contains(&b))
}

/// A folder that is not there, in which files were looked for in several sessions.
fn missing_folder(cause: &Cause<'_>, folder: &str, worked: &Worked<'_>) -> Option<Saying> {
    let folder = folder.trim_end_matches('/');
    // Something was opened in it once.
    if !worked(&Tally::of_folder(folder)).is_empty() {
        return None;
    }
    let mut homes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let files: BTreeSet<&str> = cause.met.iter().map(|m| m.tried.as_str()).filter(|t| t.starts_with(folder)).collect();
    for file in files {
        let Some(found) = meant(file, &worked(&Tally::of_file(file)), false) else { continue };
        let (home, name) = found.rsplit_once('/').unwrap_or((".", &found));
        homes.entry(home.to_owned()).or_default().insert(name.to_owned());
    }
    let (home, names) = homes.iter().max_by_key(|(_, names)| names.len())?;
    let names: Vec<String> = names.iter().take(3).map(|n| format!("`{n}`")).collect();
    let text = format!("There is no folder `{folder}`: {} is in `{home}`.", names.join(", "));
    Some(Saying::new(&format!("in {home}"), text, Origin::Tool))
}

fn best(places: &[Place]) -> Vec<&Place> {
    let mut all: Vec<&Place> = places.iter().collect();
    all.sort_by_key(|p| (std::cmp::Reverse((p.sessions, p.ok)), &p.place));
    all
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// How a command fares that never worked where it failed, but does elsewhere.
fn in_folder(cause: &Cause<'_>, worked: &Worked<'_>) -> Option<Saying> {
    let met = cause.newest();
    let places =
        matches!(met.family, Family::WrongFolder | Family::MissingStep | Family::WrongUsage | Family::MissingPath);
    // The subject of a wrong folder is the program that speaks; of others it is what was tried first.
    let goal = if met.family == Family::WrongFolder { Some(met.subject.clone()) } else { goal(met) };
    let goal = goal.filter(|_| places)?;
    let all = runs_of(&goal, worked);
    let of = |folder: &str| all.iter().find(|p| p.place == folder);
    let failing: BTreeSet<&str> = cause.met.iter().map(|m| m.folder.as_str()).filter(|f| !f.is_empty()).collect();
    if failing.is_empty() {
        return None;
    }
    // What runs in many folders is not tied to one: then it was asked for something that is elsewhere.
    if all.iter().filter(|p| p.ok > 0).count() >= MANY_FOLDERS {
        return None;
    }
    let ok: u32 = failing.iter().filter_map(|f| of(f)).map(|p| p.ok).sum();
    // It does run there: then what it was asked for is seen from elsewhere, and that is said at the call.
    if ok > 0 {
        return None;
    }
    let works = best(&all).into_iter().find(|p| is_home(p, ok) && !failing.contains(p.place.as_str()))?;
    let (here, there) = (failing.iter().map(|f| folder(f)).collect::<Vec<_>>().join(", "), folder(&works.place));
    let failed: u32 = failing.iter().filter_map(|f| of(f)).map(|p| p.failed).sum();
    let text = format!("`{goal}` does not work {here}: run it {there}.");
    let tally = format!("{here} {ok} of {}, {there} {} of {}", ok + failed, works.ok, works.ok + works.failed);
    Some(Saying { tally: Some(tally), ..Saying::new(&format!("in {}", works.place), text, Origin::Tool) })
}

/// In so many folders a program runs anywhere.
const MANY_FOLDERS: usize = 4;

/// Where a program ran with its subcommand; else with any.
pub fn runs_of(goal: &str, worked: &Worked<'_>) -> Vec<Place> {
    let all = worked(&Tally::of_program(goal));
    match goal.split_once(' ') {
        Some((program, _)) if all.iter().all(|p| p.ok == 0) => worked(&Tally::of_program(program)),
        _ => all,
    }
}

/// The folder in which a program works, where it does not work here.
pub fn works_in(here: &str, runs: &[Place]) -> Option<String> {
    let here_ok = runs.iter().find(|p| p.place == here).map_or(0, |p| p.ok);
    let works = |p: &&Place| is_home(p, here_ok) && p.place != here;
    best(runs).into_iter().find(works).map(|p| p.place.clone())
}

/// Whether a program is at home in a place: it works there, and far more often than where it failed. Where a shell was is not
/// always told: a few runs elsewhere prove nothing.
fn is_home(place: &Place, ok_elsewhere: u32) -> bool {
    const FAR_MORE: u32 = 5;
    place.ok >= 2 && place.ok >= 4 * place.failed && place.ok >= FAR_MORE * ok_elsewhere
}

pub(crate) fn folder(path: &str) -> String {
    if path == "." { "at the root".to_owned() } else { format!("in `{path}/`") }
}

fn goal(met: &Met) -> Option<String> {
    let script = shell::parse(&met.tried);
    let commands = crate::normal::command::working(&script);
    commands.first().map(|c| failure::goal(c)).filter(|g| !g.is_empty())
}

/// A program that is not there by itself, and works behind another one.
fn behind(program: &str, worked: &Worked<'_>) -> Option<Saying> {
    let all = worked(&Tally::of_prefix(program));
    let prefix = &best(&all).into_iter().find(|p| p.ok >= 2 && p.ok >= 4 * p.failed)?.place;
    // By itself it works, too.
    if worked(&Tally::of_program(program)).iter().any(|p| p.ok > p.failed) {
        return None;
    }
    let command = format!("{prefix} {program}");
    let text = format!("`{program}` is not on the PATH here: run it as `{command}`.");
    let plain = concerns(&text, std::iter::once(command.as_str())).is_empty();
    plain.then(|| Saying {
        commands: vec![command.clone()],
        ..Saying::new(&format!("behind {prefix}"), text, Origin::Assistant)
    })
}

/// What got past it, in several sessions or by the book.
fn with_way(cause: &Cause<'_>) -> Option<Saying> {
    let known = known(cause);
    let learned = learned(cause);
    match (known, learned) {
        // A command with a file of that day says nothing beside what is well known.
        (Some(mut known), Some((learned, 2..)))
            if known.text.len() + learned.text.len() < LIMIT && !learned.commands.iter().any(|c| c.contains('/')) =>
        {
            known.text = format!("{} {}", known.text, learned.text);
            known.key = format!("{}, {}", known.key, learned.key);
            Some(Saying { commands: learned.commands, trust: learned.trust, ..known })
        }
        (Some(known), _) => Some(known),
        // One error with one way out is told by the fix itself (`error-recovery`).
        (None, Some((learned, count))) => {
            ((count >= 2 || is_plain_change(cause)) && says_more(cause, &learned)).then_some(learned)
        }
        (None, None) => None,
    }
}

/// Whether a way out is more than one fix of one error: it holds for several errors, or for every use of a word.
fn says_more(cause: &Cause<'_>, learned: &Saying) -> bool {
    let errors: BTreeSet<&str> = cause.met.iter().map(|m| m.error.as_str()).collect();
    errors.len() >= 2 || left_out(&learned.key).is_some() || goal(cause.newest()).is_none()
}

/// Whether what was met once is a plain matter of how a command is written: a short command that worked in its place.
fn is_plain_change(cause: &Cause<'_>) -> bool {
    const SHORT: usize = 100;
    let met = cause.newest();
    let command =
        matches!(met.family, Family::WrongUsage | Family::ShellDialect | Family::MissingProgram | Family::MissingStep);
    let short = |way: &WayOut| match way {
        WayOut::Instead { run, .. } => run.len() <= SHORT && !run.contains([';', '|', '\n']),
        WayOut::After(via) => via.iter().all(|c| c.len() <= SHORT && !c.contains([';', '|', '\n'])),
        _ => false,
    };
    command && goal(met).is_some() && cause.met.iter().any(|m| short(&m.way))
}

/// What most often got past it, and in how many sessions.
fn learned(cause: &Cause<'_>) -> Option<(Saying, usize)> {
    let mut ways: BTreeMap<String, (usize, &Met)> = BTreeMap::new();
    for met in &cause.met {
        let key = match &met.way {
            WayOut::None | WayOut::Edited | WayOut::Path(_) => continue,
            WayOut::Again => "again".to_owned(),
            WayOut::Instead { change, .. } => change.clone(),
            WayOut::After(via) => format!("after {}", via.join(" ; ")),
        };
        let (count, shortest) = ways.entry(key).or_insert((0, met));
        *count += 1;
        if length(met) < length(shortest) {
            *shortest = met;
        }
    }
    let (key, (count, met)) =
        ways.into_iter().max_by_key(|(key, (count, _))| (*count, std::cmp::Reverse(key.len())))?;
    let saying = sentence(&key, met, count)?;
    let plain = concerns(&saying.text, saying.commands.iter().map(String::as_str)).is_empty();
    plain.then_some((saying, count))
}

fn length(met: &Met) -> usize {
    match &met.way {
        WayOut::Instead { run, .. } => run.len() + met.tried.len(),
        WayOut::After(via) => via.iter().map(String::len).sum(),
        _ => 0,
    }
}

fn sentence(key: &str, met: &Met, count: usize) -> Option<Saying> {
    let fits = |command: &str| command.len() <= COMMAND && !command.contains('…');
    match &met.way {
        WayOut::Again if count >= 2 && met.family != Family::CheckFinding && !only_looks(met) => {
            let text = format!("{} fails now and then: run it again unchanged.", tried(met));
            Some(Saying::new(key, text, Origin::Assistant))
        }
        WayOut::Instead { run, .. } if tool_names::is_of_server(run) => {
            let text = format!("Where `{}` fails so, `{run}` worked: use it instead.", met.tool);
            Some(Saying::new(key, text, Origin::Assistant))
        }
        WayOut::Instead { run, .. } if fits(run) => {
            let run = without_numbers(run);
            let text = match left_out(key) {
                Some(gone) => format!("{} fails here: run it without `{gone}`, as in `{run}`.", what_fails(met)),
                None if fits(&met.tried) && goal(met).is_some() => {
                    format!("Instead of `{}` run `{run}`.", without_numbers(&met.tried))
                }
                None => format!("Run `{run}`."),
            };
            Some(Saying { commands: vec![run], ..Saying::new(key, text, Origin::Assistant) })
        }
        WayOut::After(via) if via.iter().all(|c| fits(c)) && via.len() <= 2 => {
            let first: Vec<String> = via.iter().map(|c| format!("`{c}`")).collect();
            let text = format!("When {} fails, run {}, then again.", tried(met), first.join(" and "));
            Some(Saying { commands: via.clone(), ..Saying::new(key, text, Origin::Assistant) })
        }
        _ => None,
    }
}

/// What a command line fails at: the words that went, if nothing came in their place.
fn left_out(change: &str) -> Option<String> {
    let gone = change.strip_suffix(" >").or_else(|| change.strip_suffix(" > "))?;
    let words: Vec<&str> = gone.split(' ').filter(|w| *w != "<value>").collect();
    (!words.is_empty() && words.len() <= 3).then(|| words.join(" "))
}

/// What was tried, if it is short, else the subject.
fn what_fails(met: &Met) -> String {
    const SHORT: usize = 60;
    if met.tried.len() <= SHORT { format!("`{}`", without_numbers(&met.tried)) } else { format!("`{}`", met.subject) }
}

/// Whether what was tried only looks at things.
fn only_looks(met: &Met) -> bool {
    let script = shell::parse(&met.tried);
    crate::normal::command::working(&script).iter().all(|c| crate::normal::reading::only_looks(c))
}

/// A command without the numbers of one day: `gh pr diff 88` → `gh pr diff N`.
fn without_numbers(command: &str) -> String {
    let word = |w: &str| {
        let number = w.trim_start_matches('#');
        let one = number.len() >= 2 && number.bytes().all(|b| b.is_ascii_digit());
        if one { w.replace(number, "N") } else { w.to_owned() }
    };
    command.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn tried(met: &Met) -> String {
    if shell::parse(&met.tried).commands.is_empty() || met.tried.is_empty() {
        format!("`{}`", met.tool)
    } else {
        format!("`{}`", met.tried)
    }
}
