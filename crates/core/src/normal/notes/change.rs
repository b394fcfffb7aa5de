//! What calls changed in notes, in a compact form that is kept with the call.
//!
//! Comes in: the texts of an edit, a patch, a command line. Goes out: a small patch, and its [`Change`]s read back. Only
//! whole blocks are in it, those that came and those that went, and headings around them: a line of a paragraph says
//! nothing alone, and what only moved is no change.

use std::collections::HashMap;

use super::blocks::few_commands;
use super::markdown::{self, Line};
use super::place_of;
use crate::normal::command::program;
use crate::normal::shell;

/// What a call changed in one file of notes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The file.
    pub path: String,
    /// Whether the file was written whole.
    pub whole: bool,
    /// Whether it was written over a text that is known: then only what differs is here.
    pub over: bool,
    /// The sums of all that it says then, as far as they were kept apart: of a text that is too long to be kept.
    pub sums: String,
    /// What came.
    pub added: String,
    /// What went.
    pub removed: String,
}

const ADD: &str = "*** Add ";
const UPDATE: &str = "*** Update ";
const REWRITE: &str = "*** Rewrite ";
const SUMS: &str = "*** Sums ";
/// Of a longer call it is not known whether all of it was kept.
const SURELY_WHOLE: usize = 7 * 1024; // bytes

/// The patch of an edit; empty if the file holds no notes, or nothing changed. Without an older text the file is new.
pub(crate) fn of_edit(path: &str, old: Option<&str>, new: &str) -> String {
    if place_of(path).is_none() {
        return String::new();
    }
    let lines = diff(old.unwrap_or_default(), new);
    let head = if old.is_some() { UPDATE } else { ADD };
    if lines.is_empty() { lines } else { format!("{head}{path}\n{lines}") }
}

/// The patch of a file that is gone: it says nothing any more.
fn of_removal(path: &str) -> String {
    if place_of(path).is_some() { format!("{ADD}{path}\n") } else { String::new() }
}

/// The one file that a patch of ours writes whole.
pub(crate) fn written_whole(patch: &str) -> Option<&str> {
    let path = patch.strip_prefix(ADD)?.lines().next()?;
    (patch.matches("\n*** ").count() == 0).then_some(path)
}

/// The same patch with the sums of all that the file says: it is too long to be kept. Where not even they can be kept whole there
/// are none: half of them would say that the rest was taken out.
pub(crate) fn with_sums(patch: &str, path: &str) -> String {
    let added: String = Change::all(patch).into_iter().map(|c| c.added).collect();
    let head = format!("{ADD}{path}\n");
    let sums = format!("{head}{SUMS}{}\n", super::sums(&added).join(" "));
    if sums.len() > SURELY_WHOLE { patch.to_owned() } else { patch.replacen(&head, &sums, 1) }
}

/// The same patch where the client had read the file before: what is left out of it is taken out, what stays is not new. Of
/// a text that was read in part it is not known what is new.
pub(crate) fn written_over(patch: &str, path: &str, read: &str, in_part: bool) -> String {
    let added: String = Change::all(patch).into_iter().map(|c| c.added).collect();
    let lines = diff(&as_read(read), &added);
    if in_part {
        let gone: Vec<&str> = lines.lines().filter(|l| l.starts_with('-')).collect();
        return format!("{}\n{}\n", patch.trim_end_matches('\n'), gone.join("\n"));
    }
    if lines.is_empty() { lines } else { format!("{REWRITE}{path}\n{lines}") }
}

/// A file as clients show it to a model, without the numbers of its lines.
fn as_read(text: &str) -> String {
    let bare = |line: &str| {
        let line = line.trim_start();
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let behind = rest.strip_prefix(['→', '\t', '|', ':']).filter(|_| rest.len() < line.len())?;
        Some(behind.strip_prefix(' ').unwrap_or(behind).to_owned())
    };
    let numbered: Vec<String> = text.lines().filter_map(bare).collect();
    // What the client puts around the file has no numbers.
    if numbered.len() * 2 > text.lines().count() { numbered.join("\n") } else { text.to_owned() }
}

/// The patch of all notes in a patch of the form `*** Begin Patch`.
pub(crate) fn of_patch(patch: &str) -> String {
    let mut out = String::new();
    let (mut path, mut is_new, mut old, mut new) = ("", false, String::new(), String::new());
    let files =
        [("*** Update File: ", false), ("*** Add File: ", true), ("*** Delete File: ", false), ("*** End", false)];
    for line in patch.lines() {
        if let Some((rest, add)) = files.iter().find_map(|(mark, add)| Some((line.strip_prefix(mark)?, *add))) {
            out.push_str(&of_edit(path, (!is_new).then_some(&old), &new));
            (path, is_new, old, new) = (rest.trim(), add, String::new(), String::new());
            if line.starts_with("*** Delete") {
                out.push_str(&of_removal(path));
            }
            continue;
        }
        if place_of(path).is_none() {
            continue;
        }
        let (mark, text) = line.split_at(line.floor_char_boundary(1.min(line.len())));
        let texts: &mut [&mut String] = match mark {
            "+" => &mut [&mut new],
            "-" => &mut [&mut old],
            // Between two places of a file nothing is known.
            "@" => &mut [&mut old, &mut new],
            _ => &mut [&mut old, &mut new],
        };
        let text = if mark == "@" { "" } else { text };
        texts.iter_mut().for_each(|t| **t = format!("{t}{text}\n"));
    }
    out.push_str(&of_edit(path, (!is_new).then_some(&old), &new));
    out
}

/// The patch of a command line that writes or removes notes: `cat >> CLAUDE.md <<EOF`, `echo "- …" >> AGENTS.md`, `rm GEMINI.md`.
pub(crate) fn of_shell(line: &str) -> String {
    if !line.contains(".md") {
        return String::new();
    }
    if line.contains("*** Begin Patch") {
        return of_patch(line);
    }
    if !line.contains('>') && !line.contains("tee") && !line.contains("rm ") {
        return String::new();
    }
    let mut out = String::new();
    let commands = shell::parse(line).commands;
    // A link that takes the place of a file says what the other file says.
    let linked = |path: &str| commands.iter().any(|c| program(c) == "ln" && c.words.iter().any(|w| w.text == path));
    for command in &commands {
        removed(command).filter(|path| !linked(path)).for_each(|path| out.push_str(&of_removal(path)));
        let Some((path, appends)) = written_file(command) else { continue };
        let Some(text) = fed(line, command).or_else(|| echoed(command)) else { continue };
        out.push_str(&of_edit(&path, appends.then_some(""), &text));
    }
    out
}

/// The files that `rm` and `git rm` take away.
fn removed<'c>(command: &'c shell::Simple<'_>) -> impl Iterator<Item = &'c str> {
    let words: Vec<&str> = command.words.iter().filter(|w| !w.expands).map(|w| &*w.text).collect();
    let skipped = match words.as_slice() {
        ["rm", ..] => 1,
        ["git", "rm", ..] if !words.contains(&"--cached") => 2,
        _ => words.len(),
    };
    words.into_iter().skip(skipped).filter(|w| !w.starts_with('-'))
}

/// The file that a command writes, and whether it only adds to it.
fn written_file(command: &shell::Simple<'_>) -> Option<(String, bool)> {
    let redirect = command.redirects.iter().find(|r| matches!(r.op, ">" | ">>" | "1>" | "1>>"));
    if let Some(redirect) = redirect {
        return Some((redirect.target.to_string(), redirect.op.ends_with(">>")));
    }
    let mut words = command.words.iter().map(|w| &*w.text);
    if words.next() != Some("tee") {
        return None;
    }
    let appends = command.words.iter().any(|w| w.text == "-a");
    words.find(|w| !w.starts_with('-')).map(|file| (file.to_owned(), appends))
}

/// The here-document that a command is fed.
fn fed(line: &str, command: &shell::Simple<'_>) -> Option<String> {
    let end = command.redirects.iter().find(|r| matches!(r.op, "<<" | "<<-"))?.target.to_string();
    let rest = line.get(command.start..)?;
    let body = &rest[rest.find("<<")?..];
    let (_, body) = body.split_once('\n')?;
    let lines: Vec<&str> = body.lines().take_while(|l| l.trim() != end).collect();
    Some(lines.join("\n"))
}

/// What `echo` and `printf` write.
fn echoed(command: &shell::Simple<'_>) -> Option<String> {
    let words: Vec<&str> = command.words.iter().map(|w| &*w.text).collect();
    let (program, rest) = words.split_first()?;
    let said = rest.iter().skip_while(|w| w.starts_with('-') && !w.contains(' '));
    matches!(*program, "echo" | "printf").then(|| said.copied().collect::<Vec<_>>().join(" ").replace("\\n", "\n"))
}

/// Blocks of two texts that are not in both, and the headings of the newer one.
fn diff(old: &str, new: &str) -> String {
    let (was, is) = (chunks(old), chunks(new));
    let mut left: HashMap<String, usize> = HashMap::new();
    was.iter().for_each(|c| *left.entry(words(c)).or_default() += 1);
    let mut take = |chunk: &str| left.get_mut(&words(chunk)).filter(|n| **n > 0).map(|n| *n -= 1).is_some();
    let (mut out, mut heading, mut changed) = (String::new(), None, false);
    for chunk in is.iter().filter(|c| !is_code(c)) {
        let is_heading = matches!(markdown::line(chunk), Line::Heading(_));
        if take(chunk) {
            heading = if is_heading { Some(*chunk) } else { heading };
            continue;
        }
        if let Some(above) = heading.take().filter(|_| !is_heading) {
            put(&mut out, ' ', above);
        }
        changed |= !is_heading;
        put(&mut out, '+', chunk);
    }
    for chunk in was.iter().filter(|c| !matches!(markdown::line(c), Line::Heading(_)) && !is_code(c)) {
        if take(chunk) {
            changed = true;
            put(&mut out, '-', chunk);
        }
    }
    if changed { out } else { String::new() }
}

/// Code states nothing, and is most of some files; a command or two may belong to the line above.
fn is_code(chunk: &str) -> bool {
    let inside = || chunk.lines().filter(|l| markdown::line(l) != Line::Fence);
    markdown::line(chunk) == Line::Fence && few_commands(inside()).is_none()
}

fn put(out: &mut String, mark: char, chunk: &str) {
    for line in chunk.lines() {
        out.push(mark);
        out.push_str(line.trim_end());
        out.push('\n');
    }
    // A blank line ends the block when it is read back.
    if !matches!(markdown::line(chunk), Line::Item(_) | Line::Row(_)) {
        out.push(mark);
        out.push('\n');
    }
}

fn words(chunk: &str) -> String {
    chunk.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text in pieces that belong together: headings, items, paragraphs, tables, code.
fn chunks(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut start, mut at, mut fenced, mut table) = (0, 0, false, false);
    let mut end = |from: &mut usize, to: usize| {
        let chunk = &text[*from..to];
        if !chunk.trim().is_empty() {
            out.push(chunk.trim_end());
        }
        *from = to;
    };
    for raw in text.split_inclusive('\n') {
        let line = markdown::line(raw);
        let is_row = matches!(line, Line::Row(_));
        if line == Line::Fence {
            fenced = !fenced;
            if fenced {
                end(&mut start, at);
            }
        } else if !fenced && (matches!(line, Line::Blank | Line::Heading(_) | Line::Item(_)) || is_row != table) {
            end(&mut start, at);
        }
        at += raw.len();
        table = is_row && !fenced;
        if !fenced && matches!(line, Line::Heading(_) | Line::Fence) {
            end(&mut start, at);
        }
    }
    end(&mut start, text.len());
    out
}

impl Change {
    /// Reads what was kept of a call.
    pub fn all(kept: &str) -> Vec<Self> {
        let mut out: Vec<Self> = Vec::new();
        for line in kept.lines() {
            let file = [ADD, UPDATE, REWRITE].iter().find_map(|mark| Some((line.strip_prefix(mark)?, *mark)));
            if let Some((path, mark)) = file {
                let (whole, over) = (mark != UPDATE, mark == REWRITE);
                out.push(Self { path: path.to_owned(), whole, over, ..Self::default() });
                continue;
            }
            let Some(change) = out.last_mut() else { continue };
            if let Some(sums) = line.strip_prefix(SUMS) {
                change.sums = sums.to_owned();
                continue;
            }
            let (text, rest) = match line.split_at(line.floor_char_boundary(1.min(line.len()))) {
                ("-", rest) => (&mut change.removed, rest),
                (_, rest) => (&mut change.added, rest),
            };
            text.push_str(rest);
            text.push('\n');
        }
        out
    }

    /// The sums of all that the file says now, if it was written whole and that is known: of the call so many bytes were kept.
    pub(crate) fn says(&self, kept: usize) -> Option<Vec<String>> {
        match self.sums.as_str() {
            "" => (self.whole && !self.over && kept < SURELY_WHOLE).then(|| super::sums(&self.added)),
            sums => Some(sums.split(' ').map(str::to_owned).collect()),
        }
    }
}
