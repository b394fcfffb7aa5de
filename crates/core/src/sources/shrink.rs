//! Keeps a record of any length small while it streams by: the middle of long strings is left out.
//!
//! A tool result may put 100 MB on one line. We keep 8 KiB from each end of a text anyway, so the rest
//! need never be in memory. Secrets are not out yet: each end is so long that later cuts, which know how to leave no half
//! secret (`session/cut.rs`), lie inside of it, and it ends between two words.
//! Why not a streaming JSON parser: this is a quarter of the code, and the
//! outcome is valid JSON, so the one reader that exists understands it.

use memchr::memchr2;

use crate::session::COMMAND_LIMIT;
use crate::session::cut::{MARGIN, in_word};

/// Raw bytes kept from each end of a long string: as many as later cuts look at, even where every character is an escape in
/// a string in a string.
const KEEP: usize = (COMMAND_LIMIT + MARGIN) * LONGEST_ESCAPE;
const LONGEST_ESCAPE: usize = 8; // bytes; `\\\\u0041` has seven
/// How long the inside of a string may grow before its middle is cut.
const CUT_AT: usize = 4 * KEEP;
/// A record that is still larger than this after shortening cannot be held.
pub(super) const LIMIT: usize = 48 * 1024 * 1024;
/// Stands where the middle was; valid inside a JSON string.
const MARK: &[u8] = b"\\n[...]\\n";

/// A place where bytes were left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// First byte behind it in what is held.
    pub at: usize,
    /// By how many bytes this shortened what is held.
    pub removed: u64,
}

/// Copies JSON bytes, leaving out the middle of long strings.
#[derive(Default)]
pub(super) struct Shrinker {
    /// The shortened record so far.
    pub out: Vec<u8>,
    /// What was left out, in order.
    pub cuts: Vec<Cut>,
    /// Bytes that came, without padding at either end.
    pub solid: u64,
    /// Padding since the last byte that is none.
    padding: u64,
    /// The record was too large even shortened; its bytes are gone.
    pub overflowed: bool,
    state: StringState,
}

#[derive(Clone, Copy, Default)]
enum StringState {
    #[default]
    Outside,
    /// Inside a string that starts at this place of `out` (after the quote).
    Inside { start: usize },
    /// After a backslash inside a string.
    Escape { start: usize },
}

impl Shrinker {
    /// Takes more bytes of the record.
    pub(super) fn feed(&mut self, mut bytes: &[u8]) {
        self.count(bytes);
        if self.out.len() > LIMIT {
            self.overflowed = true;
            (self.out, self.cuts) = (Vec::new(), Vec::new());
        }
        if self.overflowed {
            return;
        }
        while !bytes.is_empty() {
            bytes = match self.state {
                StringState::Outside => self.outside(bytes),
                StringState::Inside { start } => self.inside(bytes, start),
                StringState::Escape { start } => {
                    self.out.push(bytes[0]);
                    self.state = StringState::Inside { start };
                    &bytes[1..]
                }
            };
        }
    }

    fn count(&mut self, bytes: &[u8]) {
        let pads = |b: &u8| b.is_ascii_whitespace() || *b == 0;
        let Some(last) = bytes.iter().rposition(|b| !pads(b)) else {
            self.padding += bytes.len() as u64;
            return;
        };
        let from = if self.solid > 0 { 0 } else { bytes.iter().position(|b| !pads(b)).unwrap_or(0) };
        let before = if self.solid > 0 { self.padding } else { 0 };
        self.solid += before + (last + 1 - from) as u64;
        self.padding = (bytes.len() - last - 1) as u64;
    }

    fn outside<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let Some(quote) = memchr::memchr(b'"', bytes) else {
            self.out.extend_from_slice(bytes);
            return &[];
        };
        self.out.extend_from_slice(&bytes[..=quote]);
        self.state = StringState::Inside { start: self.out.len() };
        &bytes[quote + 1..]
    }

    fn inside<'b>(&mut self, bytes: &'b [u8], start: usize) -> &'b [u8] {
        // Never copy more than one cut's worth at a time, so that memory stays flat.
        let window = &bytes[..bytes.len().min(CUT_AT)];
        let Some(at) = memchr2(b'"', b'\\', window) else {
            self.out.extend_from_slice(window);
            self.cut_if_long(start);
            return &bytes[window.len()..];
        };
        self.out.extend_from_slice(&window[..=at]);
        if window[at] == b'"' {
            self.settle(start, self.out.len() - 1);
            self.state = StringState::Outside;
        } else {
            self.state = StringState::Escape { start };
        }
        &bytes[at + 1..]
    }

    fn cut_if_long(&mut self, start: usize) {
        if self.out.len() - start > CUT_AT {
            self.cut(start, self.out.len(), Tail::GoesOn);
        }
    }

    /// Ends a string. What is kept does not depend on the chunks it came in.
    fn settle(&mut self, start: usize, end: usize) {
        if end - start > CUT_AT || self.was_cut(start) {
            self.cut(start, end, Tail::Ends);
        }
    }

    /// Ends the record; a string in it may be open.
    pub(super) fn close(&mut self) {
        if let StringState::Inside { start } | StringState::Escape { start } = self.state {
            self.settle(start, self.out.len());
        }
    }

    fn was_cut(&self, start: usize) -> bool {
        self.cuts.last().is_some_and(|cut| cut.at > start)
    }

    /// Leaves of the string from `start` to `end` its first and last bytes and a mark between.
    fn cut(&mut self, start: usize, end: usize, tail: Tail) {
        let text = &self.out[start..end];
        // An earlier mark is removed with the middle.
        let (head, middle) = match self.cuts.last().filter(|cut| cut.at > start) {
            Some(cut) => (cut.at - start - MARK.len(), cut.at - start),
            None => {
                let head = word_start(text, boundary(text, 0, KEEP));
                (head, head)
            }
        };
        let last = boundary(text, middle, middle.max(text.len().saturating_sub(KEEP)));
        let tail = if tail == Tail::Ends { word_end(text, last) } else { last };
        let earlier = self.cuts.pop_if(|cut| cut.at > start).map_or(0, |cut| cut.removed);
        let removed = (earlier + (tail - head) as u64).saturating_sub(MARK.len() as u64);
        self.cuts.push(Cut { at: start + head + MARK.len(), removed });
        let rest = self.out.split_off(start + tail);
        self.out.truncate(start + head);
        self.out.extend_from_slice(MARK);
        self.out.extend_from_slice(&rest);
    }
}

/// Is this all of a string?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tail {
    GoesOn,
    Ends,
}

/// Where the word begins that a cut at `at` would break; `at` itself if nothing there looks like one.
fn word_start(text: &[u8], at: usize) -> usize {
    let len = text[..at].iter().rev().take(KEEP / 2).take_while(|b| in_word(**b)).count();
    if len < KEEP / 2 { at - len } else { at }
}

/// Where the word ends that a cut at `at` would break; an escape ends it.
fn word_end(text: &[u8], at: usize) -> usize {
    let len = text[at..].iter().take(KEEP / 2).take_while(|b| in_word(**b) && **b != b'\\').count();
    if len < KEEP / 2 { at + len } else { at }
}

/// First place at or after `at` that splits neither an escape nor a character, walking from a known such place.
fn boundary(text: &[u8], from: usize, at: usize) -> usize {
    let mut i = from;
    while i < text.len() && (i < at || (0x80..0xC0).contains(&text[i])) {
        i += match text[i] {
            b'\\' if text.get(i + 1) == Some(&b'u') => 6,
            b'\\' => 2,
            _ => 1,
        };
    }
    i.min(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shrink(json: &str, chunk: usize) -> String {
        let mut s = Shrinker::default();
        for part in json.as_bytes().chunks(chunk) {
            s.feed(part);
        }
        String::from_utf8(s.out).expect("still text")
    }

    #[test]
    fn short_records_pass_unchanged() {
        let json = r#"{"a":"b\"c\\","n":[1,2,{"x":"é\u00e9"}]}"#;
        for chunk in [1, 2, 7, 100] {
            assert_eq!(shrink(json, chunk), json);
        }
    }

    #[test]
    fn a_long_string_keeps_its_ends_and_stays_valid() {
        let inner = "0123456789é\\n\\u00e9\\\"".repeat(60_000);
        let json = format!(r#"{{"first":"A{inner}Z","second":"{inner}","last":true}}"#);
        for chunk in [4096, 65_536, 10_000_000] {
            let small = shrink(&json, chunk);
            assert!(small.len() < 4 * CUT_AT, "{}", small.len());
            let value: serde_json::Value = serde_json::from_str(&small).expect("valid JSON");
            let first = value["first"].as_str().expect("text");
            assert!(first.starts_with("A0123456789é\né\"") && first.ends_with("é\"Z"));
            assert_eq!(value["last"], true);
        }
    }
}
