//! What README.md and docs/ show is what uptake does.
//!
//! Every block runs in a world of its own, in a home folder that is called `/home/dev` and holds `fixtures/` and `shop/`, a
//! project of other learning tools. A comment `<!-- first: COMMANDS -->` above a block is run before it.
//! - A block `console` has commands, `$ …`, and what they print. A line `…` stands for any lines, `…` in a line for any text.
//!   Where it shows answers to questions, the command runs on a terminal and they are typed.
//! - A block `sh` has commands that must succeed. What they print is not shown there, and not compared.
//!
//! Blocks of other kinds are not run.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::import::{DEVFLOW, TOON};
use crate::terminal::{QUESTION, Terminal};
use crate::world::{World, files, finish, fixtures};

/// Where the reader of the pages is.
const HOME: &str = "/home/dev";
/// Stands for what was left out.
const ANYTHING: char = '…';

struct Block {
    /// `page:line`.
    place: String,
    kind: Kind,
    first: Option<String>,
    lines: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Console,
    Sh,
}

/// A command of a block and what it is said to print.
struct Step {
    command: String,
    output: Vec<String>,
}

#[test]
fn every_block_of_every_page_says_what_happens() {
    let blocks: Vec<Block> = pages().iter().flat_map(|page| blocks(page)).collect();
    assert!(blocks.len() >= 8, "only {} blocks were found", blocks.len());
    let wrong: Vec<String> = blocks.iter().flat_map(run).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let docs = files(&root.join("docs")).into_iter().filter(|f| f.extension().is_some_and(|e| e == "md"));
    [root.join("README.md")].into_iter().chain(docs).collect()
}

fn blocks(page: &Path) -> Vec<Block> {
    let text = std::fs::read_to_string(page).expect("a page");
    let lines: Vec<&str> = text.lines().collect();
    let name = page.file_name().expect("a name").to_string_lossy();
    let starts = lines.iter().enumerate().filter_map(|(at, line)| Some((at, kind_of(line)?)));
    starts
        .map(|(at, kind)| Block {
            place: format!("{name}:{}", at + 1),
            kind,
            first: at.checked_sub(1).and_then(|above| first(lines[above])),
            lines: lines[at + 1..].iter().take_while(|l| **l != "```").map(|l| (*l).to_owned()).collect(),
        })
        .collect()
}

fn kind_of(line: &str) -> Option<Kind> {
    match line {
        "```console" => Some(Kind::Console),
        "```sh" => Some(Kind::Sh),
        _ => None,
    }
}

fn first(line: &str) -> Option<String> {
    Some(line.strip_prefix("<!-- first: ")?.strip_suffix(" -->")?.to_owned())
}

/// Answers what is not as the block says.
fn run(block: &Block) -> Vec<String> {
    let world = prepared();
    if let Some(first) = &block.first {
        let run = finish(&mut shell(&world, first), "");
        assert_eq!(run.code, 0, "{}: {first}: {}", block.place, run.err);
    }
    steps(block).iter().filter_map(|step| wrong(&world, block, step)).collect()
}

fn prepared() -> World {
    let world = World::new();
    world.write("home/shop/.memory/learning-log.jsonl", &format!("{DEVFLOW}{{\"id\":\"obs_x\",\"type\":\"wor"));
    world.write("home/shop/.learnings/org-patterns.toon", TOON);
    std::os::unix::fs::symlink(fixtures(), world.home().join("fixtures")).expect("a link");
    world
}

fn steps(block: &Block) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in &block.lines {
        let command = match block.kind {
            Kind::Console => line.strip_prefix("$ "),
            Kind::Sh => Some(&**line),
        };
        match (command, steps.last_mut()) {
            (Some(command), _) => steps.push(Step { command: command.to_owned(), output: Vec::new() }),
            (None, Some(step)) => step.output.push(line.clone()),
            (None, None) => panic!("{}: a block begins with a command", block.place),
        }
    }
    steps
}

fn wrong(world: &World, block: &Block, step: &Step) -> Option<String> {
    let (text, succeeded) = output(world, step);
    let actual: Vec<&str> = text.trim_matches('\n').lines().map(str::trim_end).collect();
    let expected: Vec<&str> = step.output.iter().map(|l| l.trim_end()).collect();
    let says_error = expected.iter().any(|l| l.starts_with("error: "));
    let fits = block.kind == Kind::Sh || fits(trimmed(&expected), &actual);
    (!fits || succeeded == says_error)
        .then(|| format!("{}: {}\n--- it prints ---\n{}\n", block.place, step.command, actual.join("\n")))
}

/// What a command prints, and whether it succeeds.
fn output(world: &World, step: &Step) -> (String, bool) {
    let answers: Vec<&str> = step.output.iter().filter_map(|l| Some(l.split_once(QUESTION)?.1)).collect();
    let mut command = shell(world, &step.command);
    let (text, code) = if answers.is_empty() {
        let run = finish(&mut command, "");
        (run.out, Some(run.code))
    } else {
        // What the page leaves out is answered with a no.
        let answers = [answers, vec!["n"; 20]].concat();
        let ended = Terminal::of(&command, &[("NO_COLOR", "1")]).answer(&answers).end();
        (ended.screen, ended.code)
    };
    (text.replace(&*world.home().to_string_lossy(), HOME), code == Some(0))
}

/// A line for the shell, with both streams as one.
fn shell(world: &World, line: &str) -> Command {
    let binary = Path::new(env!("CARGO_BIN_EXE_uptake")).parent().expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([binary.to_owned()].into_iter().chain(std::env::split_paths(&path)));
    let mut command = Command::new("bash");
    command.args(["-c", &format!("exec 2>&1\n{line}")]).current_dir(world.home());
    command.env_clear().envs(world.environment()).env("PATH", path.expect("a path"));
    command
}

/// Without empty lines at the ends.
fn trimmed<'l, 't>(lines: &'l [&'t str]) -> &'l [&'t str] {
    let start = lines.iter().position(|l| !l.is_empty()).unwrap_or(lines.len());
    let end = lines.iter().rposition(|l| !l.is_empty()).map_or(start, |last| last + 1);
    &lines[start..end]
}

fn fits(expected: &[&str], actual: &[&str]) -> bool {
    match expected {
        [] => actual.is_empty(),
        [line, rest @ ..] if line.trim() == ANYTHING.to_string() => {
            (0..=actual.len()).any(|skipped| fits(rest, &actual[skipped..]))
        }
        [line, rest @ ..] => {
            actual.split_first().is_some_and(|(found, left)| line_fits(line, found) && fits(rest, left))
        }
    }
}

fn line_fits(expected: &str, actual: &str) -> bool {
    let Some((start, rest)) = expected.split_once(ANYTHING) else { return expected == actual };
    let Some(left) = actual.strip_prefix(start) else { return false };
    left.char_indices().map(|(at, _)| at).chain([left.len()]).any(|at| line_fits(rest, &left[at..]))
}

#[test]
fn dots_stand_for_what_was_left_out_and_for_nothing_else() {
    for (expected, actual, fit) in [
        ("a\nb", "a\nb", true),
        ("a", "a\nb", false),
        ("a\n…", "a\nb\nc", true),
        ("a\n…\nc", "a\nc", true),
        ("a\n…\nc", "a\nb", false),
        ("in … s.", "in 0.3 s.", true),
        ("in … s.", "in 0.3 s, and more", false),
        ("…/x …", "/home/x there", true),
        ("…/x", "/home/y", false),
    ] {
        let lines = |text: &'static str| text.lines().collect::<Vec<_>>();
        assert_eq!(fits(&lines(expected), &lines(actual)), fit, "{expected:?} and {actual:?}");
    }
}
