//! Tokens broken over lines by a terminal, a mail program or a base64 encoder.
//!
//! Joining every line with the next would glue words that were never one. So lines are joined
//! only where a token is being followed: from the place where it begins, as long as each next
//! line goes on with something that is not a plain word.

use super::context::skip_space;
use super::letters;
use super::value;
use super::view::View;
use memchr::memrchr;
use std::ops::Range;

const MOST_LINES: usize = 64;
const WIDE: usize = 60; // columns; a shorter line was not wrapped by a machine

/// The token at `start`, joined over line breaks; nothing when it is on one line.
pub(super) fn joined(text: &[u8], start: usize) -> Option<View> {
    joined_with(text, start, following)
}

/// The same, even if what follows is a word: for a token that lacks only a little.
pub(super) fn joined_with_word(text: &[u8], start: usize) -> Option<View> {
    let first = token_end(text, start, LONGEST_HEAD);
    (first - start >= MOST_OF_TOKEN).then(|| joined_with(text, start, next_piece)).flatten()
}

const MOST_OF_TOKEN: usize = 12; // bytes

fn joined_with(text: &[u8], start: usize, second: fn(&[u8], usize) -> Option<Range<usize>>) -> Option<View> {
    let first = start..token_end(text, start, LONGEST_HEAD);
    let mut next = second(text, first.end)?;
    let mut view = View::default();
    view.copy(&text[first.clone()], first.start);
    for _ in 0..MOST_LINES {
        view.copy(&text[next.clone()], next.start);
        match following(text, next.end) {
            // Only the last line of a wrapped token is short.
            Some(piece) if next.len() >= 4 => next = piece,
            _ => break,
        }
    }
    Some(view)
}

fn following(text: &[u8], end: usize) -> Option<Range<usize>> {
    next_piece(text, end).filter(|next| goes_on(&text[next.clone()]))
}

/// The token whose anchor stands at `anchor` but whose first `lead` bytes began on the line
/// before: its view, and the place of the anchor there.
pub(super) fn led(text: &[u8], anchor: usize, lead: usize) -> Option<(View, usize)> {
    let here = text[..anchor].iter().rev().take(lead).take_while(|b| is_token(**b)).count();
    let line = text[..anchor - here].trim_ascii_end();
    if line.len() == anchor - here || memrchr(b'\n', &text[line.len()..anchor - here]).is_none() {
        return None;
    }
    let tail = line.iter().rev().take(lead).take_while(|b| is_token(**b)).count();
    Some((joined(text, line.len() - tail)?, tail + here))
}

/// Where a secret ends that was found up to `end`, if its line was wrapped there.
pub(super) fn run_on(text: &[u8], mut end: usize) -> usize {
    for _ in 0..MOST_LINES {
        match next_piece(text, end) {
            Some(next) if is_wide(text, end) && value::random(&text[next.clone()]) => end = next.end,
            _ => break,
        }
    }
    end
}

/// Does a token that was found up to `end` go on behind a line break there?
pub(super) fn breaks_off(text: &[u8], end: usize) -> bool {
    next_piece(text, token_end(text, end, LONGEST_HEAD)).is_some_and(|next| {
        let piece = &text[next];
        let mixed = piece.iter().any(u8::is_ascii_digit) && piece.iter().any(u8::is_ascii_alphabetic);
        piece.len() >= 8 && (mixed || value::jumbled(piece) || letters::by_chance(piece))
    })
}

/// A line break inside what may be one token.
pub(super) struct Seam {
    /// Where the part before the break begins.
    pub start: usize,
    /// How long it is.
    pub len: usize,
    /// Whether the line is so long that a machine must have broken it.
    pub wide: bool,
}

/// The break before `run`, if the run goes on what stands at the end of the line before. Looks back
/// no further than `reach`.
pub(super) fn seam(text: &[u8], run: &Range<usize>, reach: usize) -> Option<Seam> {
    let lead = text[..run.start].iter().rev().take(reach).take_while(|b| is_token(**b)).count();
    let start = run.start - lead;
    let indent = text[..start].iter().rev().take(reach).take_while(|b| matches!(b, b' ' | b'\t')).count();
    let line = text[..start - indent].strip_suffix(b"\n")?;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // Lists of paths are the most common such lines, and no tokens.
    let here = &text[run.clone()];
    let digit = here.iter().any(u8::is_ascii_digit);
    let path = here.iter().filter(|b| **b == b'/').count() > 2;
    if !digit && path {
        return None;
    }
    let len = line.iter().rev().take(reach).take_while(|b| is_token(**b)).count();
    let wide = is_wide(text, line.len()) && digit && !path;
    (len > 0).then_some(Seam { start: line.len() - len, len, wide })
}

/// The break behind `run`, if what follows goes it on.
pub(super) fn seam_behind(text: &[u8], run: &Range<usize>) -> Option<Seam> {
    let broken = next_piece(text, run.end).is_some();
    // What the run leaves out, such as digits and a colon.
    let lead = || text[..run.start].iter().rev().take(LEAD).take_while(|b| is_token(**b)).count();
    broken.then(lead).map(|lead| Seam { start: run.start - lead, len: run.len() + lead, wide: false })
}

const LEAD: usize = 24; // bytes

/// A block of base64 over several lines, beginning with the run `first`.
pub(super) fn block(text: &[u8], first: &Range<usize>) -> Option<(View, usize)> {
    if first.len() < 40 {
        return None;
    }
    let mut view = View::default();
    view.copy(&text[first.clone()], first.start);
    let mut end = first.end;
    while let Some(next) = next_piece(text, end) {
        let len = text[next.clone()].iter().take_while(|b| is_coded(**b)).count();
        if len == 0 {
            break;
        }
        view.copy(&text[next.start..next.start + len], next.start);
        end = next.start + len;
        if len != first.len() {
            break;
        }
    }
    (end > first.end).then_some((view, end))
}

// The token characters that go on behind the line break at `end`.
fn next_piece(text: &[u8], end: usize) -> Option<Range<usize>> {
    let rest = &text[end..];
    let rest_start = match rest {
        [b'\n', ..] => end + 1,
        [b'\r', b'\n', ..] => end + 2,
        _ => return None,
    };
    let start = skip_space(text, rest_start);
    let end = token_end(text, start, LONGEST_PIECE);
    (end > start).then_some(start..end)
}

// Not a plain word: `Done` and `and` end a token, `P`, `hXfz` and `0x` do not.
fn goes_on(piece: &[u8]) -> bool {
    let word =
        piece.len() > 1 && piece.iter().all(u8::is_ascii_alphabetic) && piece[1..].iter().all(u8::is_ascii_lowercase);
    !word || piece.len() >= 16
}

fn is_wide(text: &[u8], end: usize) -> bool {
    end >= WIDE && memrchr(b'\n', &text[end - WIDE..end]).is_none()
}

const LONGEST_PIECE: usize = 4_096; // bytes of one line
const LONGEST_HEAD: usize = 400; // bytes; no token needs more on its first line to be one

fn token_end(text: &[u8], start: usize, most: usize) -> usize {
    start + text[start..].iter().take(most).take_while(|b| is_token(**b)).count()
}

fn is_token(byte: u8) -> bool {
    TOKEN[usize::from(byte)]
}

const TOKEN: [bool; 256] = {
    let mut class = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let sign = matches!(byte, b'_' | b'+' | b'/' | b'=' | b'.' | b'~' | b':' | b'-' | b'%' | b'$' | b'@');
        class[byte as usize] = byte.is_ascii_alphanumeric() || sign;
        byte += 1;
    }
    class
};

fn is_coded(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_followed_over_lines_but_not_into_words() {
        let text = b"abc1\n  def2\r\nghi3\nplain words";
        let Some(view) = joined(text, 0) else { panic!("not joined") };
        assert_eq!(view.bytes, b"abc1def2ghi3");
        assert_eq!(view.origin(2..6), 2..9);
        assert!(joined(b"abc1\nplain", 0).is_none());
    }

    #[test]
    fn only_wide_lines_run_on() {
        let wide = format!("{}\n9f86d081884c7d65 tail", "a".repeat(70));
        assert_eq!(run_on(wide.as_bytes(), 70), 70 + 1 + 16);
        assert_eq!(run_on(b"abc\n9f86d081884c7d65", 3), 3);
    }
}
