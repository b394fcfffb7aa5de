//! A token of the table, from its anchor to its end: on one line, or over several where it was wrapped.
//!
//! Comes in: a text, a rule and the place of its anchor. Goes out: the place of the token. Following it over a line break is
//! `layers::wrap`; whether the next line belongs to it is decided here.

use super::chance::{by_chance, jumbled};
use super::looks;
use super::placeholder::illustration;
use super::rules::{RULES, token_len};
use crate::redact::layers::view::View;
use crate::redact::layers::wrap;
use std::ops::Range;

/// The token of rule `index` whose anchor stands at `anchor`, on one line or over several.
pub(in crate::redact) fn token(text: &[u8], index: usize, anchor: usize) -> Option<Range<usize>> {
    let place = whole(text, index, anchor).or_else(|| {
        let (view, anchor) = wrap::led(text, anchor, RULES[index].lead()?)?;
        let start = RULES[index].start(&view.bytes, anchor)?;
        Some(view.origin(start..start + token_len(index, &view.bytes[start..])?))
    })?;
    // The next line may only seem to belong to the token. If it is what says `example`, the first line is still secret.
    let said = &text[place.clone()];
    let first = said.split(|b| *b == b'\n').next().unwrap_or(said);
    (!(illustration(said) && illustration(first))).then_some(place)
}

fn whole(text: &[u8], index: usize, anchor: usize) -> Option<Range<usize>> {
    let start = RULES[index].start(text, anchor)?;
    let end = token_len(index, &text[start..]).map(|len| start + len);
    let end_in = |view: View| Some(view.origin(0..token_len(index, &view.bytes)?).end);
    let over_lines = || wrap::joined(text, start).and_then(end_in);
    let end = match end {
        // It may go on behind a line break, but not with a plain word.
        Some(end) if breaks_off(text, end) => over_lines().map_or(end, |further| further.max(end)),
        Some(end) => end,
        None => over_lines().or_else(|| wrap::joined_with_word(text, start).and_then(end_in))?,
    };
    Some(start..run_on(text, end))
}

/// Where a secret that was found up to `end` really ends: its line may have been wrapped there.
pub(in crate::redact) fn run_on(text: &[u8], mut end: usize) -> usize {
    for _ in 0..wrap::MOST_LINES {
        match wrap::next_piece(text, end) {
            Some(next) if wrap::is_wide(text, end) && looks::random(&text[next.clone()]) => end = next.end,
            _ => break,
        }
    }
    end
}

// Does a token that was found up to `end` go on behind a line break there?
fn breaks_off(text: &[u8], end: usize) -> bool {
    wrap::next_piece(text, wrap::head_end(text, end)).is_some_and(|next| {
        let piece = &text[next];
        let mixed = piece.iter().any(u8::is_ascii_digit) && piece.iter().any(u8::is_ascii_alphabetic);
        piece.len() >= 8 && (mixed || jumbled(piece) || by_chance(piece))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_wide_lines_run_on() {
        let wide = format!("{}\n9f86d081884c7d65 tail", "a".repeat(70));
        assert_eq!(run_on(wide.as_bytes(), 70), 70 + 1 + 16);
        assert_eq!(run_on(b"abc\n9f86d081884c7d65", 3), 3);
    }
}
