//! Where a text is cut before its secrets are out: the cut must not leave half a secret, because no rule knows it.
//!
//! Comes in: a text of any length and a limit. Goes out: a piece that is a margin longer ([`start`], [`end`]), and, once
//! secrets are out of that piece, the piece without what the cut may have broken ([`mend_end`], [`mend_start`]): the margin,
//! and the whole word that the cut went through, however long.
//!
//! Every cap of the product is one of two kinds:
//!
//! | cap | where | when |
//! |---|---|---|
//! | both ends of a text, 8 KiB each | `Excerpt::new` | before: mended when the text is cleaned (`Excerpt::change`, `keep_start`) |
//! | a command, 8 KiB | `sources/build`, `call` and `command` | before: mended in `Event::clean` |
//! | what a call wrote into notes for agents, 8 KiB | `sources/build`, `wrote` | before: mended in `Call::clean_about` |
//! | texts that a hook put in, 2,000 bytes | `sources/build`, `injected` | before: mended in `Session::clean_about` |
//! | the middle of a huge line | `sources/shrink` | before: leaves more than the caps above keep, and no half word |
//! | compact events, sealed events | `Event::settle`, `Excerpt::cut` | after: the same function cleans first |
//! | quotes, titles, statements, signatures, names, skills, stories | `detect`, `learn`, `render`, `measure` | after: they only see settled sessions |
//! | hints | `recall` | after: made of lessons, and cleaned again |
//! | lines of lists, of `events` and of the hook's log | `uptake` | after: what is printed was cleaned before it is shortened |
//! | the key of a failure that the hook looks up | `recall`, `trigger` | before, but it is compared and never kept |
//!
//! A new cap on a text that was not cleaned yet belongs here. `tests/caps.rs` plants every kind of token across each of them.

/// How far a cleaner looks beyond what is kept.
pub(crate) const MARGIN: usize = 2 * 1024;

/// The first bytes of a text that is not cleaned yet: `limit`, and the margin.
pub(crate) fn start(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary((limit + MARGIN).min(text.len()))]
}

/// Takes the secrets out of what [`start`] gave with `clean`, then keeps at most `limit` bytes. A text that is within its
/// limit stays whole, so doing it twice changes nothing more.
pub(crate) fn finish(text: &mut String, limit: usize, clean: &impl Fn(&mut String)) {
    let over = text.len() > limit;
    // A character of several bytes may have made it a little shorter.
    let broken = text.len() + 4 > limit + MARGIN;
    clean(text);
    if broken {
        mend_end(text);
    }
    if over {
        text.truncate(text.floor_char_boundary(limit.min(text.len())));
    }
}

/// Drops from the end of a cleaned text what a cut there may have broken.
pub(super) fn mend_end(text: &mut String) {
    let word = text.bytes().rev().take_while(|b| in_word(*b)).count();
    let keep = text.len().saturating_sub(word.max(MARGIN));
    text.truncate(text.floor_char_boundary(keep));
}

/// Drops from the start of a cleaned text what a cut there may have broken.
pub(super) fn mend_start(text: &mut String) {
    let word = text.bytes().take_while(|b| in_word(*b)).count();
    let drop = text.ceil_char_boundary(word.max(MARGIN).min(text.len()));
    text.drain(..drop);
}

/// Can a secret go on over this byte? Spaces, quotes and brackets end it; a backslash may be part of how it is written.
pub(crate) fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-+/=.~:%$@\\".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "the-whole-secret";

    fn without(text: &mut String) {
        *text = text.replace(SECRET, "[out]");
    }

    #[test]
    fn no_offset_of_a_secret_across_a_limit_leaves_a_part_of_it() {
        for before in 0..=MARGIN + 200 {
            let whole = format!("{} {SECRET} {}", "x ".repeat(before / 2), "y".repeat(9_000));
            let mut text = start(&whole, 100).to_owned();
            finish(&mut text, 100, &without);
            assert!(text.len() <= 100 && !text.contains("the-"), "{before}: {text}");
            let once = text.clone();
            finish(&mut text, 100, &without);
            assert_eq!(text, once);
        }
    }

    #[test]
    fn a_word_longer_than_the_margin_is_dropped_whole() {
        let mut text = format!("run it with {}", "e".repeat(3 * MARGIN));
        mend_end(&mut text);
        assert_eq!(text, "run it with ");
        let mut text = format!("{} then run it {}", "e".repeat(3 * MARGIN), "and wait ".repeat(3));
        mend_start(&mut text);
        assert_eq!(text, " then run it and wait and wait and wait ");
    }

    #[test]
    fn a_text_within_its_limit_stays() {
        let mut text = "short".to_owned();
        finish(&mut text, 100, &without);
        assert_eq!(text, "short");
    }
}
