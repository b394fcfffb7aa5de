//! A message of role "user" → who sent it, and who wrote which part of it.
//!
//! Only what a person typed may be trusted as theirs: tags that clients put in, fenced code, quoted lines and
//! pasted logs rank as tool text. A message that is nothing but such tags was sent by no person.

use super::build::span;
use crate::session::{Author, ENVELOPE, Origin, STOPPED, Span};

/// The first file that a patch in the `*** Begin Patch` form changes.
pub(super) fn patched_file(patch: &str) -> &str {
    let line = patch.lines().find_map(|l| {
        ["*** Update File: ", "*** Add File: ", "*** Delete File: "].iter().find_map(|p| l.strip_prefix(p))
    });
    line.unwrap_or_default().trim()
}

/// Tags whose insides the client or the editor wrote.
const MACHINE_TAGS: &[&str] = &[
    "system-reminder",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "bash-stdout",
    "bash-stderr",
    "task-notification",
    "hook_context",
    "session_context",
    "state_snapshot",
    "hook_prompt",
    "environment_context",
    "user_instructions",
    "INSTRUCTIONS",
    "post-tool-use-hook",
    "user-prompt-submit-hook",
    "persisted-output",
    "example",
];

const LONGEST_TAG: usize = 32;

/// Whether a prompt has more than one line.
pub(super) fn is_long(text: &str) -> bool {
    text.trim().contains('\n')
}

/// Who sent a message, and its spans with their origin.
pub(super) fn sent(text: &str) -> (Author, Vec<Span>) {
    let mut out = Vec::new();
    let mut own = String::new();
    let mut rest = text;
    while let Some((inside, after)) = wrapped_start(rest) {
        out.push(span(Origin::Tool, inside));
        rest = after;
    }
    while let Some((before, inside, after)) = next_tagged(rest) {
        own.push_str(before);
        out.push(span(Origin::Tool, inside));
        rest = after;
    }
    own.push_str(rest);
    let author = if own.trim().is_empty() && !out.is_empty() { Author::Machine } else { Author::Human };
    let mut typed = String::new();
    let mut pasted = String::new();
    for block in blocks(&own) {
        match block {
            Block::Typed(text) => typed.push_str(text),
            Block::Pasted(text) => pasted.push_str(text),
        }
    }
    if !typed.trim().is_empty() {
        out.insert(0, span(Origin::User, typed.trim()));
    }
    if !pasted.trim().is_empty() {
        out.push(span(Origin::Tool, pasted.trim()));
    }
    (author, out)
}

/// What stands inside and behind a tag at the start of the text, if only a program would write it: its name has several
/// words, and it is closed. Clients and the programs around them put such blocks before what was typed.
fn wrapped_start(text: &str) -> Option<(&str, &str)> {
    let (head, rest) = text.trim_start().strip_prefix('<')?.split_once('>')?;
    let name = head.split(' ').next().unwrap_or_default();
    let made = name.len() <= LONGEST_TAG
        && name.contains(['-', '_'])
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_'));
    if !made { None } else { rest.split_once(&format!("</{name}>")) }
}

/// Text before, inside and after the first machine tag.
fn next_tagged(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(open) = text[from..].find('<').map(|i| from + i) {
        // Tag names are short: looking further would read a text of `<` again and again.
        let window = &text[open + 1..text.ceil_char_boundary((open + 1 + LONGEST_TAG).min(text.len()))];
        let name_end = window.find(['>', ' ', '\n']).map_or(open + 1, |i| open + 1 + i);
        let name = &text[open + 1..name_end];
        if MACHINE_TAGS.contains(&name) {
            let close = format!("</{name}>");
            let start = text[name_end..].find('>').map_or(text.len(), |i| name_end + i + 1);
            let end = text[start..].find(&close).map_or(text.len(), |i| start + i);
            let after = (end + close.len()).min(text.len());
            return Some((&text[..open], &text[start..end], &text[after..]));
        }
        from = open + 1;
    }
    None
}

enum Block<'a> {
    Typed(&'a str),
    Pasted(&'a str),
}

/// Lines that a machine wrote come in runs; a lone odd line may be typed.
const PASTED_RUN: usize = 6;

fn blocks(text: &str) -> Vec<Block<'_>> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut out = Vec::new();
    let mut i = 0;
    while i < lines.len() {
        if lines[i].trim_start().starts_with("```") {
            let close = lines[i + 1..]
                .iter()
                .position(|l| l.trim_start().starts_with("```"))
                .map_or(lines.len() - 1, |n| i + 1 + n);
            out.extend(lines[i..=close].iter().map(|l| Block::Pasted(l)));
            i = close + 1;
            continue;
        }
        let run = lines[i..].iter().take_while(|l| looks_pasted(l)).count();
        if run >= PASTED_RUN {
            out.extend(lines[i..i + run].iter().map(|l| Block::Pasted(l)));
            i += run;
            continue;
        }
        if lines[i].trim_start().starts_with("> ") {
            out.push(Block::Pasted(lines[i]));
        } else {
            out.push(Block::Typed(lines[i]));
        }
        i += 1;
    }
    out
}

/// Indented, bracketed, tabular or log-like lines; blank lines belong to the run they stand in.
fn looks_pasted(line: &str) -> bool {
    let text = line.trim_end();
    if text.is_empty() {
        return true;
    }
    let symbols = text.bytes().filter(|b| b"{}[]()<>|=:;/\\_\"'$#@*&".contains(b)).count();
    text.starts_with([' ', '\t', '│', '|', '+', '└', '├'])
        || text.starts_with("at ")
        || symbols * 5 > text.len()
        || text.as_bytes().first().is_some_and(u8::is_ascii_digit)
}

/// Whether a client repeats the reason for which we stopped a call. What it puts before it is short.
pub(super) fn is_our_refusal(output: &str) -> bool {
    const FRAME: usize = 64; // bytes
    let ours = output.find(ENVELOPE).filter(|at| *at <= FRAME).map(|at| &output[at + ENVELOPE.len()..]);
    ours.is_some_and(|rest| rest.starts_with(STOPPED))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(String, String)> {
        sent(text).1.iter().map(|s| (s.origin.as_str().to_owned(), s.text.to_text())).collect()
    }

    #[test]
    fn typed_text_is_the_users() {
        assert_eq!(shown("no, use pnpm instead"), [("user".to_owned(), "no, use pnpm instead".to_owned())]);
    }

    #[test]
    fn what_clients_and_clipboards_put_in_is_not() {
        let text =
            "please fix this\n```\nerror: x\n```\n> quoted\nthanks <system-reminder>do as I say</system-reminder>";
        let spans = shown(text);
        assert_eq!(spans[0], ("user".to_owned(), "please fix this\nthanks".to_owned()));
        assert!(spans[1..].iter().all(|s| s.0 == "tool"));
        let log = format!("why?\n{}", "  at foo (/a/b.js:1:2)\n".repeat(8));
        assert_eq!(shown(&log)[0].1, "why?");
    }

    #[test]
    fn a_message_of_nothing_but_client_tags_was_sent_by_no_person() {
        for (text, author) in [
            ("<system-reminder>stay on the branch</system-reminder>", Author::Machine),
            ("<build-event id=\"7\">the build is red</build-event>\n", Author::Machine),
            ("<host_context>rules</host_context>\n<user_action>clicked</user_action>", Author::Machine),
            ("<host_context>rules</host_context>\nplease fix the build", Author::Human),
            ("<build-event> shows up twice", Author::Human),
            ("<div>why is this box empty?</div>", Author::Human),
            ("```\nerror: x\n```", Author::Human),
            ("please fix the build", Author::Human),
        ] {
            assert_eq!(sent(text).0, author, "{text}");
        }
        let spans = shown("<host_context>rules</host_context>\nplease fix the build");
        assert_eq!(spans[0], ("user".to_owned(), "please fix the build".to_owned()));
        assert_eq!(spans[1], ("tool".to_owned(), "rules".to_owned()));
    }

    #[test]
    fn an_open_tag_never_ends_the_reading() {
        assert_eq!(shown("<system-reminder>x")[0].0, "tool");
        assert_eq!(shown("a < b and c <d")[0].1, "a < b and c <d");
    }
}
