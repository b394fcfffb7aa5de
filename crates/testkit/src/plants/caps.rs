//! Secrets across every cap: whatever a text is cut to, no part of a secret that stood across the cut may be kept.
//!
//! Comes in: a secret, a cap, and how many bytes of the secret stand before it. Goes out: all that is kept of a session with
//! it: the session as a store gets it, what detectors saw, lessons, skills and hints.

use std::fmt::Write as _;

use uptake_core::redact::clean_up;
use uptake_core::render::skill;
use uptake_core::sources::{self, Reader};
use uptake_core::{detect, learn, recall};

use super::kinds::Secret;
use crate::transcript;

/// A place where a text is cut.
pub struct Cap {
    /// What is cut there.
    pub name: &'static str,
    /// Bytes of the text before the cut, or behind it.
    at: Side,
    /// The script of a session with that text in it.
    script: fn(&str) -> String,
    /// How the text is written in the transcript.
    written: Written,
}

#[derive(Clone, Copy)]
enum Side {
    FromStart(usize),
    FromEnd(usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    Plainly,
    /// So long that its middle is left out while it is read, and every character of it an escape.
    HugeAndEscaped,
}

const fn start(name: &'static str, at: usize, script: fn(&str) -> String) -> Cap {
    Cap { name, at: Side::FromStart(at), script, written: Written::Plainly }
}

const fn end(name: &'static str, at: usize, script: fn(&str) -> String) -> Cap {
    Cap { name, at: Side::FromEnd(at), script, written: Written::Plainly }
}

const fn huge(name: &'static str, at: Side) -> Cap {
    Cap { name, at, script: output_failed, written: Written::HugeAndEscaped }
}

/// Every cap that a text of a session meets, with the margins that are cut off behind them.
#[rustfmt::skip]
pub const CAPS: &[Cap] = &[
    start("command", 8_192, command), start("command and margin", 10_240, command),
    start("output, start", 8_192, output_failed), end("output, end", 8_192, output_failed),
    start("failed output, start", 2_048, output_failed), end("failed output, end", 2_048, output_failed),
    start("good output", 400, output_ok), start("good output and margin", 2_448, output_ok),
    start("message, start", 2_048, message), end("message, end", 2_048, message), start("long message", 8_192, message),
    start("answer, start", 600, answer), end("answer, end", 600, answer), start("long answer", 8_192, answer),
    start("text of a hook", 2_000, hook_text), start("text of a hook and margin", 4_048, hook_text),
    start("written down", 8_192, note), start("written down and margin", 10_240, note), start("statement written down", 260, note),
    start("quote", 120, message), start("name", 60, message), start("title", 80, message), start("short statement", 160, message),
    start("statement", 200, message), start("long statement", 400, message), start("error line", 300, error_line),
    start("command in a list", 100, short_command), start("command in a lesson", 200, short_command), start("command in a hint", 600, short_command),
    huge("huge line, start", Side::FromStart(13_653)), huge("huge line, end", Side::FromEnd(13_653)),
    huge("huge line, start as it was", Side::FromStart(4_096)), huge("huge line, end as it was", Side::FromEnd(4_096)),
];

fn command(text: &str) -> String {
    format!(
        "! deploy --note '{text}' => error: no such region\n$ deploy --region eu => done\nu no, always give the region"
    )
}

fn output_failed(text: &str) -> String {
    format!("! make release => error: {text}\n$ make release FAST=1 => done")
}

fn output_ok(text: &str) -> String {
    format!("$ cat notes.txt => {text}")
}

fn message(text: &str) -> String {
    format!("$ npm install => done\nu no, use pnpm instead of npm and remember {text}")
}

fn answer(text: &str) -> String {
    format!("u fix it\na I found that {text}\n$ make => done")
}

fn hook_text(text: &str) -> String {
    let ours = uptake_core::session::ENVELOPE;
    format!("u go on\nu <system-reminder>hook additional context: {ours}: {text}</system-reminder>")
}

fn note(text: &str) -> String {
    format!("u keep it\n+ CLAUDE.md => - Never deploy with {text}\\n- Always run `make deps` first.")
}

fn error_line(text: &str) -> String {
    format!("! make check => error: cannot open {text}\n$ make check NET=1 => done")
}

fn short_command(text: &str) -> String {
    format!("! deploy {text} => error: missing the flag --force\n$ deploy --force {text} => done")
}

impl Cap {
    /// What is kept of a session in which `secret` stands with `before` of its bytes before the cap.
    pub fn kept(&self, secret: &str, before: usize) -> String {
        kept(&self.transcript(secret, before))
    }

    /// That session, as a client writes it.
    pub fn transcript(&self, secret: &str, before: usize) -> String {
        let secret = secret.replace('\n', "\\n");
        let after = secret.len().saturating_sub(before);
        let far = if self.written == Written::Plainly { 12_000 } else { 400_000 };
        let text = match self.at {
            Side::FromStart(at) if at < 1_000 => around(at.saturating_sub(before), &secret, 900),
            Side::FromStart(at) => around(at.saturating_sub(before), &secret, far),
            Side::FromEnd(at) => around(far, &secret, at.saturating_sub(after)),
        };
        let text = transcript::claude("cap", "/srv/app", &(self.script)(&text));
        if self.written == Written::Plainly { text } else { escaped(&text) }
    }
}

// Words without a line break: a line's end is an easy place to cut.
fn around(before: usize, secret: &str, after: usize) -> String {
    const WORDS: &str = "then it went on and on as such files do ";
    let fill = |len: usize| WORDS.chars().cycle().take(len).collect::<String>();
    let lead = before.saturating_sub(1);
    format!("{} {secret} {}", fill(lead), fill(after.saturating_sub(1)))
}

// Every letter of the long string as an escape.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(6 * json.len());
    for (n, part) in json.split("error: ").enumerate() {
        if n == 0 {
            out.push_str(part);
            continue;
        }
        let end = part.find("\",").or_else(|| part.find('"')).unwrap_or(part.len());
        out.push_str("error: ");
        let mut letters = part[..end].chars();
        while let Some(c) = letters.next() {
            match c {
                '\\' => out.extend([c].into_iter().chain(letters.next())),
                c => {
                    let _ = write!(out, "\\u{:04x}", u32::from(c));
                }
            }
        }
        out.push_str(&part[end..]);
    }
    out
}

/// All that is kept of a transcript of Claude Code.
pub fn kept(transcript: &str) -> String {
    let source = sources::source("claude").expect("a source");
    let mut reader = Reader::new(source, "cap");
    transcript.as_bytes().chunks(64 * 1024).for_each(|chunk| reader.feed(chunk));
    let mut session = reader.finish().session;
    let mut shown = session.clone();
    shown.redact(clean_up);
    session.settle_from(0, clean_up);
    let seen = detect::detect(&session);
    let lessons = learn::of_one_session("p", &detect::best_per_detector(&seen));
    let mut out = format!("{shown:?}\n{session:?}\n{seen:?}\n{lessons:?}\n");
    for lesson in &lessons {
        let _ = write!(out, "{:?}\n{}\n", skill(lesson, "a-skill").text, recall::hint(lesson));
    }
    out
}

/// So many drawn bytes of a secret in a row are a leak.
const WINDOW: usize = 8;

/// A part of the secret that stands in `kept`.
pub fn left_of<'s>(secret: &'s Secret, kept: &str) -> Option<&'s str> {
    let drawn = |at: usize| secret.drawn[at..at + WINDOW].iter().all(|d| *d);
    (0..=secret.text.len().saturating_sub(WINDOW))
        .filter(|at| drawn(*at))
        .map(|at| &secret.text[at..at + WINDOW])
        .find(|part| memchr::memmem::find(kept.as_bytes(), part.as_bytes()).is_some())
}
