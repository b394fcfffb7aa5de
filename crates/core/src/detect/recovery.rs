//! `error-recovery`: a command fails, then a *related* one reaches the same goal.
//!
//! Related means: the same program with other arguments, another program with the same arguments, or the same
//! command after something was set up. Not every next success: an edit in between means the fix was in the code,
//! the same command passing by itself is a flake, and a probe was never meant to succeed.

use std::collections::HashSet;

use super::mistake::Mistake;
use super::steps::{Step, Steps};
use super::{Kind, Observation, Seen, Sure, Trigger, WayOut, way};
use crate::normal::command;
use crate::normal::error::{self, Signature};
use crate::normal::programs::{self, Role};
use crate::normal::reading::only_looks;
use crate::normal::shell;
use crate::normal::slug;
use crate::session::{Author, Body, Call, Session, ToolKind};

/// How many shell calls after the failure a fix is looked for: 95 of 107 real fixes came within three.
const REACH: usize = 4;

/// Finds failures and their fixes.
pub(super) fn recoveries(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let mut out: Vec<Observation> = Vec::new();
    let mut fixes: HashSet<&str> = HashSet::new();
    for (i, failed) in steps.all.iter().enumerate() {
        if !failed.failed() || failed.words.is_empty() || is_repeat(&steps.all, i) {
            continue;
        }
        let Some(fix) = find_fix(session, &steps.all, i) else { continue };
        if echoes(session, fix.step) || (fix.via.is_empty() && !fixes.insert(fix.step.id)) {
            continue;
        }
        out.push(observe(session, failed, &fix));
    }
    out
}

/// What got past the failure of a step, if that can be told.
pub(super) fn way_out(session: &Session, steps: &Steps<'_>, i: usize) -> WayOut {
    let all = &steps.all;
    let failed = &all[i];
    if let Some(fix) = find_fix(session, all, i).filter(|fix| !echoes(session, fix.step)) {
        return match fix.via.as_slice() {
            [] => WayOut::Instead { run: fix.step.shown(), change: way::change(failed, fix.step) },
            via => WayOut::After(via.iter().map(|s| s.shown()).collect()),
        };
    }
    let later = all.iter().skip(i + 1).take(REACH);
    let Some(passed) =
        later.take_while(|n| !stops_between(session, failed.at, n.at)).find(|n| n.ok() && same(failed, n))
    else {
        return WayOut::None;
    };
    let changed = session.events[failed.at + 1..passed.at].iter().filter_map(|e| e.shell()).any(|(c, _)| !looks(c));
    if edits_between(session, &all[i + 1..], failed.at, passed.at) {
        WayOut::Edited
    } else if changed {
        WayOut::None
    } else {
        WayOut::Again
    }
}

/// Whether a call changes nothing: it only looks, waits, or failed itself.
fn looks(call: &Call) -> bool {
    let script = shell::parse(&call.input);
    let waits = |c: &shell::Simple<'_>| command::program(c) == "sleep";
    call.outcome.is_failure() || command::working(&script).iter().all(|c| only_looks(c) || waits(c))
}

/// The same command fails again right away: the last failure counts.
fn is_repeat(all: &[Step<'_>], i: usize) -> bool {
    all.get(i + 1).is_some_and(|next| next.failed() && next.words == all[i].words)
}

struct Fix<'a, 's> {
    step: &'a Step<'s>,
    via: Vec<&'a Step<'s>>,
    sure: Sure,
    mistake: Mistake,
    signature: Option<Signature>,
    /// The failing tool named the fix itself, and will do so again.
    advised: bool,
}

fn find_fix<'a, 's>(session: &Session, all: &'a [Step<'s>], i: usize) -> Option<Fix<'a, 's>> {
    let failed = &all[i];
    let signature = failed.signature().cloned();
    let mistake = Mistake::of(failed, signature.as_ref());
    let mut via: Vec<&Step<'s>> = Vec::new();
    for (j, next) in all.iter().enumerate().skip(i + 1).take(REACH) {
        if stops_between(session, failed.at, next.at) {
            return None;
        }
        let edited = edits_between(session, &all[i + 1..j], failed.at, next.at);
        if next.ok() {
            if same(failed, next) {
                // fail X, ok Y, ok X: run Y first; without Y a flake, with an edit a fix in the code
                let setup: Vec<&Step<'s>> = via.iter().copied().filter(|s| sets_up(s) || mends(s)).collect();
                let told = !edited && !setup.is_empty();
                return told.then_some(Fix {
                    step: next,
                    via: setup,
                    sure: Sure::Medium,
                    mistake,
                    signature,
                    advised: false,
                });
            }
            if j == i + 1 && was_advised(failed, next) {
                return Some(Fix {
                    step: next,
                    via: Vec::new(),
                    sure: Sure::High,
                    mistake: Mistake::Command,
                    signature,
                    advised: true,
                });
            }
            if let Some(sure) = reaches_same_goal(failed, next, mistake, edited) {
                return Some(Fix { step: next, via: Vec::new(), sure, mistake, signature, advised: false });
            }
            via.push(next);
        } else if !next.failed() {
            via.push(next);
        }
    }
    None
}

/// A person spoke in between: what follows answers them, not the error.
fn stops_between(session: &Session, from: usize, to: usize) -> bool {
    session.events[from..to].iter().any(|e| matches!(&e.body, Body::User { author: Author::Human, .. }))
}

fn edits_between(session: &Session, steps: &[Step<'_>], from: usize, to: usize) -> bool {
    let tools = session.events[from..to]
        .iter()
        .filter_map(|e| e.call())
        .any(|c| c.kind == ToolKind::Edit && !c.outcome.is_failure());
    tools || steps.iter().any(Step::edits)
}

/// The same command, apart from filters and wrappers.
fn same(a: &Step<'_>, b: &Step<'_>) -> bool {
    a.words == b.words
}

/// Commands that repair what a check complains about: formatters, linters that fix.
fn mends(step: &Step<'_>) -> bool {
    let tells = |w: &String| {
        let task = w.rsplit(':').next().unwrap_or(w);
        matches!(w.as_str(), "--fix" | "--write" | "--apply" | "--autofix")
            || matches!(task, "fix" | "fmt" | "format" | "autofix")
            || task.ends_with("-fix")
    };
    let formats = programs::is(&step.program, Role::Formatter)
        || programs::is(&step.program, Role::FormatterWithW) && step.words.iter().any(|w| w == "-w");
    let only_tells = step.words.iter().any(|w| matches!(w.as_str(), "--check" | "--dry-run" | "--list-different"));
    !only_tells && (formats || step.words.iter().take(8).any(tells))
}

/// The failing tool said what to run, and it was run.
fn was_advised(failed: &Step<'_>, next: &Step<'_>) -> bool {
    if next.words.len() < 2 || next.line.len() > 200 || failed.program != next.program {
        return false;
    }
    let output = &failed.call.output;
    let wanted = next.words.join(" ");
    output.head().contains(&wanted) || output.is_cut() && output.tail().contains(&wanted)
}

/// Commands that change what the next one finds.
fn sets_up(step: &Step<'_>) -> bool {
    const SETTING: &[&str] = &[
        "install",
        "init",
        "add",
        "start",
        "up",
        "login",
        "build",
        "generate",
        "migrate",
        "sync",
        "update",
        "fetch",
        "pull",
        "create",
        "deps",
        "setup",
        "bootstrap",
        "restore",
        "configure",
        "link",
        "enable",
        "bundle",
        "codegen",
        "download",
        "ci",
        "prepare",
        "launch",
        "checkout",
        "unlock",
        "tidy",
        "download",
        "clean",
    ];
    !step.only_reads()
        && !step.edits()
        && (programs::is(&step.program, Role::SetsUp)
            || step.words.iter().skip(1).any(|w| SETTING.contains(&w.rsplit(':').next().unwrap_or(w))))
}

/// Whether a success reaches the goal that the failure missed, and how surely.
fn reaches_same_goal(failed: &Step<'_>, next: &Step<'_>, mistake: Mistake, edited: bool) -> Option<Sure> {
    // Reading the script that failed is finding out, not fixing.
    if next.only_reads() && !failed.only_reads() {
        return None;
    }
    let same_program = failed.program == next.program;
    // A check of a part, or one after a change: the code was wrong, not the command. Asked first: to compare words takes long.
    if mistake == Mistake::Work || mistake == Mistake::Unclear && !same_program {
        return None;
    }
    let likeness = likeness(&failed.words, &next.words);
    match mistake {
        Mistake::Work => None,
        _ if edited && mistake != Mistake::Command => None,
        Mistake::Command if edited && likeness < 0.75 => None,
        // Another task of the same runner is another goal, unless the task was what the error is about.
        Mistake::Command if same_program && other_task(failed, next) => None,
        Mistake::Command if same_program => (likeness >= 0.5 || same_subcommand(failed, next) && likeness >= 0.3)
            .then_some(if likeness >= 0.5 { Sure::High } else { Sure::Medium }),
        Mistake::Command if missing_program(failed) => takes_over(failed, next).then_some(Sure::High),
        Mistake::Command => (takes_over(failed, next) && likeness >= 0.4).then_some(Sure::Medium),
        Mistake::Unclear if same_program => (likeness >= 0.7).then_some(Sure::Medium),
        Mistake::Unclear => None,
    }
}

fn same_subcommand(a: &Step<'_>, b: &Step<'_>) -> bool {
    let head = |s: &Step<'_>| s.normal.split(' ').take(2).map(str::to_owned).collect::<Vec<_>>();
    head(a) == head(b) && head(a).len() == 2
}

/// `npm run test` and `npm run lint` are not the same goal.
fn other_task(failed: &Step<'_>, next: &Step<'_>) -> bool {
    let (old, new) = (command::task(failed.line), command::task(next.line));
    if old == new || !programs::is(&failed.program, Role::ManyGoals) {
        return false;
    }
    let Some(signature) = failed.signature() else { return true };
    let word = old.rsplit('-').next().unwrap_or(&old).to_lowercase();
    !signature.key.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|said| said == word)
}

fn missing_program(step: &Step<'_>) -> bool {
    let text = step.call.output.head();
    text.contains("command not found")
        || text.contains(": not found")
        || text.contains("not recognized")
        || text.contains("No module named")
}

/// Another program with the same arguments or target.
fn takes_over(failed: &Step<'_>, next: &Step<'_>) -> bool {
    let telling = |words: &[String]| {
        words.iter().skip(1).filter(|w| w.len() > 2 && !w.starts_with('-')).cloned().collect::<Vec<_>>()
    };
    // A test runner that is not there, and the project's own way to run the tests.
    let task = command::task(next.line);
    if missing_program(failed) && task.len() >= 4 && failed.program.contains(&task) {
        return true;
    }
    let (old, new) = (telling(&failed.words), telling(&next.words));
    let shared = old.iter().filter(|w| new.contains(w)).count();
    let kin = failed.program != next.program
        && !failed.program.is_empty()
        && (next.program.starts_with(&failed.program)
            || failed.program.starts_with(&next.program)
            || next.words.contains(&failed.program)
            || next.words.iter().any(|w| w.ends_with(&format!("/{}", failed.program))));
    (shared >= 1 && shared * 2 >= old.len())
        || (kin && (old.is_empty() || shared >= 1 || next.words.contains(&failed.program)))
}

/// Share of words that two commands have in common, in order: 0 none, 1 all.
fn likeness(a: &[String], b: &[String]) -> f64 {
    let (a, b) = (&a[..a.len().min(60)], &b[..b.len().min(60)]);
    let mut row = vec![0usize; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if same_word(x, y) { diagonal + 1 } else { above.max(row[j]) };
            diagonal = above;
        }
    }
    let total = a.len() + b.len();
    if total == 0 { 0.0 } else { 2.0 * row[b.len()] as f64 / total as f64 }
}

/// The same word, or the same file seen from another folder.
fn same_word(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    // Both ways end in the same byte, but for modules.
    if a.as_bytes().last() != b.as_bytes().last() && !a.ends_with(".py") && !b.ends_with(".py") {
        return false;
    }
    let file = |w: &str| memchr::memrchr(b'/', w.as_bytes()).map_or(0, |at| at + 1);
    // `ledger/report.py` and the module `ledger.report` are one thing.
    let module = |w: &str, m: &str| {
        w.strip_suffix(".py").is_some_and(|w| {
            w.len() == m.len() && w.bytes().zip(m.bytes()).all(|(x, y)| x == y || x == b'/' && y == b'.')
        })
    };
    let (in_a, in_b) = (&a[file(a)..], &b[file(b)..]);
    module(a, b) || module(b, a) || (in_a.len() > 3 && in_a == in_b && a.contains('/') != b.contains('/'))
}

/// The fix was in a hint of ours: it proves nothing.
fn echoes(session: &Session, step: &Step<'_>) -> bool {
    if session.injected.is_empty() {
        return false;
    }
    let shown = step.shown();
    session.injected.iter().any(|t| t.contains(crate::session::ENVELOPE) && t.contains(&shown))
}

fn observe(session: &Session, failed: &Step<'_>, fix: &Fix<'_, '_>) -> Observation {
    let mut events = vec![failed.id.to_owned()];
    events.extend(fix.via.iter().map(|s| s.id.to_owned()));
    events.push(fix.step.id.to_owned());
    let mut o = Observation::new("error-recovery", Kind::Recovery, session, events, fix.step.at);
    let (before, after) = (failed.shown(), fix.step.shown());
    let topic = fix
        .signature
        .as_ref()
        .map_or_else(|| failed.program.clone(), |s| error::speaker(&failed.script, &s.line).to_owned());
    o.claim.name = slug(&format!("error-{topic}"));
    o.claim.title = format!("Recover from {topic} errors");
    o.claim.commands = vec![before.clone()];
    if fix.via.is_empty() {
        o.claim.text = format!("Instead of `{before}` run `{after}`");
        o.claim.commands.push(after);
    } else {
        let first: Vec<String> = fix.via.iter().map(|s| s.shown()).collect();
        let list = first.iter().map(|c| format!("`{c}`")).collect::<Vec<_>>().join(", then ");
        o.claim.text = if fix.via.iter().all(|s| mends(s)) {
            format!("When `{before}` fails, run {list}")
        } else {
            format!("Before `{before}` run {list}")
        };
        o.claim.commands.extend(first);
        o.claim.commands.push(after);
    }
    o.seen = Seen::Fix(super::Fix {
        failed: Some(failed.id.to_owned()),
        fixed: Some(fix.step.id.to_owned()),
        via: fix.via.iter().map(|s| s.id.to_owned()).collect(),
        message: None,
        error: fix.signature.as_ref().map(|s| s.line.clone()),
        trigger: fix
            .signature
            .as_ref()
            .map(|s| Trigger { program: error::speaker(&failed.script, &s.line).to_owned(), error: s.key.clone() }),
    });
    o.claim.key = key(failed, fix);
    o.claim.sure = if fix.mistake == Mistake::Command { fix.sure } else { Sure::Medium };
    o.claim.telling = !fix.advised && says_something(failed, fix);
    o.claim.suggest = o.claim.telling && (fix.sure == Sure::High || !fix.via.is_empty());
    o
}

/// The same mistake with the same way out.
fn key(failed: &Step<'_>, fix: &Fix<'_, '_>) -> String {
    // A check that is mended by a command fails in many ways; what mends it is the same.
    let mended = !fix.via.is_empty() && fix.via.iter().all(|s| mends(s));
    let signature = fix.signature.as_ref().filter(|_| !mended);
    let error = signature.map_or(failed.normal.as_str(), |s| s.key.as_str());
    let way = if fix.via.is_empty() {
        way::change(failed, fix.step)
    } else {
        fix.via.iter().map(|s| way::step(s)).collect::<Vec<_>>().join(" ; ")
    };
    let program = fix.signature.as_ref().map_or(failed.program.as_str(), |s| error::speaker(&failed.script, &s.line));
    format!("{program} | {error} | {way}")
}

/// A check that could not even start, and started after something was installed or made.
fn missing_set_up(failed: &Step<'_>, fix: &Fix<'_, '_>) -> bool {
    const ABSENT: &[&str] = &[
        "no module named",
        "cannot find module",
        "cannot find package",
        "not installed",
        "no such file",
        "connection refused",
        "could not connect",
        "cannot connect",
        "is missing",
        "not found",
    ];
    let line = fix.signature.as_ref().map(|s| s.line.to_lowercase()).unwrap_or_default();
    let short = failed.call.output.full_len() < 1_500 || ABSENT.iter().any(|a| line.contains(a));
    let tidies = fix.via.iter().any(|s| programs::is(&s.program, Role::Housekeeper));
    !fix.via.is_empty() && short && !tidies && fix.via.len() <= 2
}

/// Too long to be met again, or a program that lies in a temporary folder.
fn is_own_script(step: &Step<'_>) -> bool {
    let temporary = step
        .words
        .first()
        .is_some_and(|w| w.starts_with("/tmp/") || w.starts_with("/private/tmp/") || w.starts_with("/var/folders/"));
    temporary || step.words.len() > 40 || step.line.len() > 400 || step.script.commands.len() > 4
}

/// A look at what is there, or an attempt with a fallback: neither teaches anything.
fn is_probe(step: &Step<'_>) -> bool {
    step.script.commands.iter().any(|c| c.fallback || programs::is(command::program(c), Role::ProgramFinder))
}

/// Whether the command was wrong in a way that says something about the tool or the project: an option, a subcommand, a
/// program, a set-up. A mistyped path or value teaches nothing.
fn says_something(failed: &Step<'_>, fix: &Fix<'_, '_>) -> bool {
    let mended = !fix.via.is_empty() && fix.via.iter().all(|s| mends(s));
    let set_up = !fix.via.is_empty() && (mended || fix.mistake != Mistake::Work);
    if fix.mistake != Mistake::Command && !set_up && !missing_set_up(failed, fix) {
        return false;
    }
    // Pulling before pushing is everyone's knowledge.
    if failed.program == "git" && fix.via.iter().any(|s| s.program == "git") {
        return false;
    }
    // An error of a filter behind a pipe is not about the command that is shown.
    let speaker = fix.signature.as_ref().map_or(failed.program.as_str(), |s| error::speaker(&failed.script, &s.line));
    if !command::working(&failed.script).iter().any(|c| command::program(c) == speaker) {
        return false;
    }
    let line = fix.signature.as_ref().map(|s| s.line.to_lowercase()).unwrap_or_default();
    if is_own_script(failed) || is_own_script(fix.step) || is_probe(fix.step) || fix.via.iter().any(|s| is_probe(s)) {
        return false;
    }
    if !fix.via.is_empty() {
        return true;
    }
    let looks = failed.only_reads() && fix.step.only_reads();
    let missing_path = line.contains("no such file")
        || line.contains("cannot access")
        || line.contains("does not exist")
        || line.contains("did not match any file")
        || line.contains("no matches found");
    let gone: Vec<&String> = failed.words.iter().filter(|w| !fix.step.words.contains(w)).collect();
    let come: Vec<&String> = fix.step.words.iter().filter(|w| !failed.words.contains(w)).collect();
    let option = gone.iter().chain(&come).any(|w| w.starts_with('-'));
    let moved = shell::parse(fix.step.line).commands.iter().any(|c| command::program(c) == "cd")
        && !failed.line.trim_start().starts_with("cd ");
    if missing_path {
        return !looks && (moved || failed.program != fix.step.program);
    }
    !looks
        && (option
            || moved
            || failed.program != fix.step.program
            || come.iter().chain(&gone).all(|w| way::kind_of_word(w) != "<value>"))
}
