//! Tokens broken over lines by a terminal, a mail program or a base64 encoder.
//!
//! Comes in: a text and a place in it. Goes out: a view in which the lines from there on are one, or the line break in
//! question. Whether they really were one token is decided in `shapes`.
//!
//! Joining every line with the next would glue words that were never one. So lines are joined
//! only where a token is being followed: from the place where it begins, as long as each next
//! line goes on with something that is not a plain word.

use super::super::bytes::skip_space;
use super::view::View;
use memchr::memrchr;
use std::ops::Range;

/// A token does not go on over more lines than this.
pub(in crate::redact) const MOST_LINES: usize = 64;
const WIDE: usize = 60; // columns; a shorter line was not wrapped by a machine

/// The token at `start`, joined over line breaks; nothing when it is on one line.
pub(in crate::redact) fn joined(text: &[u8], start: usize) -> Option<View> {
    joined_with(text, start, following)
}

/// The same, even if what follows is a word: for a token that lacks only a little.
pub(in crate::redact) fn joined_with_word(text: &[u8], start: usize) -> Option<View> {
    let first = head_end(text, start);
    (first - start >= MOST_OF_TOKEN).then(|| joined_with(text, start, next_piece)).flatten()
}

const MOST_OF_TOKEN: usize = 12; // bytes

fn joined_with(text: &[u8], start: usize, second: fn(&[u8], usize) -> Option<Range<usize>>) -> Option<View> {
    let first = start..head_end(text, start);
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
pub(in crate::redact) fn led(text: &[u8], anchor: usize, lead: usize) -> Option<(View, usize)> {
    let here = text[..anchor].iter().rev().take(lead).take_while(|b| is_token(**b)).count();
    let line = text[..anchor - here].trim_ascii_end();
    if line.len() == anchor - here || memrchr(b'\n', &text[line.len()..anchor - here]).is_none() {
        return None;
    }
    let tail = line.iter().rev().take(lead).take_while(|b| is_token(**b)).count();
    Some((joined(text, line.len() - tail)?, tail + here))
}

/// A line break inside what may be one token.
pub(in crate::redact) struct Seam {
    /// Where the part before the break begins.
    pub(in crate::redact) start: usize,
    /// How long it is.
    pub(in crate::redact) len: usize,
    /// Is the line so long that a machine must have broken it?
    pub(in crate::redact) wide: bool,
}

/// The break before `run`, if the run may continue a token from the end of the line before. Looks back no
/// further than `reach`.
pub(in crate::redact) fn seam(text: &[u8], run: &Range<usize>, reach: usize) -> Option<Seam> {
    let lead = text[..run.start].iter().rev().take(reach).take_while(|b| is_token(**b)).count();
    let start = run.start - lead;
    let indent = text[..start].iter().rev().take(reach).take_while(|b| matches!(b, b' ' | b'\t')).count();
    let line = text[..start - indent].strip_suffix(b"\n")?;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // Most such lines are lists of paths, not tokens.
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

/// The break behind `run`, if the next line may continue it.
pub(in crate::redact) fn seam_behind(text: &[u8], run: &Range<usize>) -> Option<Seam> {
    let broken = next_piece(text, run.end).is_some();
    // What the run leaves out, such as digits and a colon.
    let lead = || text[..run.start].iter().rev().take(LEAD).take_while(|b| is_token(**b)).count();
    broken.then(lead).map(|lead| Seam { start: run.start - lead, len: run.len() + lead, wide: false })
}

const LEAD: usize = 24; // bytes

/// A block of base64 over several lines, beginning with the run `first`.
pub(in crate::redact) fn block(text: &[u8], first: &Range<usize>) -> Option<(View, usize)> {
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

/// The token characters that go on behind the line break at `end`.
pub(in crate::redact) fn next_piece(text: &[u8], end: usize) -> Option<Range<usize>> {
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

/// Is the line up to `end` so long that a machine must have broken it there?
pub(in crate::redact) fn is_wide(text: &[u8], end: usize) -> bool {
    end >= WIDE && memrchr(b'\n', &text[end - WIDE..end]).is_none()
}

const LONGEST_PIECE: usize = 4_096; // bytes of one line
const LONGEST_HEAD: usize = 400; // bytes; no token needs more on its first line to be one

/// Where a token that goes through `start` ends on its line.
pub(in crate::redact) fn head_end(text: &[u8], start: usize) -> usize {
    token_end(text, start, LONGEST_HEAD)
}

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
}
