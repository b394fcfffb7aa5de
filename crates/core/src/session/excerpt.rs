//! A text of any length, of which both ends are kept.

use super::cut;

/// Bytes kept from the start of a long text, and again from its end.
pub(crate) const EXCERPT_SIDE: usize = 8 * 1024;

/// A text of any length, of which at most 8 KiB from each end are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    head: String,
    tail: String,
    len: u64,
    /// Ends at the missing middle that were cut before secrets were taken out: they may be half a secret.
    open: Open,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Open {
    head: bool,
    tail: bool,
}

impl Excerpt {
    /// Keeps all of a short text, both ends of a long one.
    pub fn new(text: &str) -> Self {
        Self::with_side(text, EXCERPT_SIDE)
    }

    /// The same with another limit, for what is stored.
    pub(crate) fn with_side(text: &str, side: usize) -> Self {
        let len = text.len() as u64;
        if text.len() <= 2 * side {
            return Self { head: text.to_owned(), len, ..Self::default() };
        }
        let head = start_of(text, side);
        let tail = end_of(text, side);
        Self { head: head.to_owned(), tail: tail.to_owned(), len, open: Open { head: true, tail: true } }
    }

    /// Adds a line and more at the end; what is missing in the middle stays missing.
    pub(crate) fn append(&mut self, more: &str) {
        if !self.is_cut() {
            *self = Self::new(&format!("{}\n{more}", self.head));
            return;
        }
        let whole = format!("{}\n{more}", self.tail);
        let tail = end_of(&whole, EXCERPT_SIDE);
        self.open.tail |= tail.len() < whole.len();
        self.tail = tail.to_owned();
        self.len += more.len() as u64 + 1;
    }

    /// The start of the text; all of it if it was short.
    pub fn head(&self) -> &str {
        &self.head
    }

    /// The end of the text; all of it if it was short.
    pub fn tail(&self) -> &str {
        if self.tail.is_empty() { &self.head } else { &self.tail }
    }

    /// The end as a store keeps it: empty if the start is all.
    pub fn stored_tail(&self) -> &str {
        &self.tail
    }

    /// Whether the middle was left out.
    pub fn is_cut(&self) -> bool {
        !self.tail.is_empty()
    }

    /// Length of the original text in bytes.
    pub fn full_len(&self) -> u64 {
        self.len
    }

    /// Whether there was no text at all.
    pub fn is_empty(&self) -> bool {
        self.head.is_empty()
    }

    /// Non-blank lines, of both ends if the middle is missing.
    pub(crate) fn lines(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.head.lines().chain(self.tail.lines()).filter(|l| !l.trim().is_empty())
    }

    /// Bytes held.
    pub(super) fn held(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    /// Keeps less.
    pub(super) fn cut(&mut self, side: usize) {
        if self.head.len() + self.tail.len() <= 2 * side {
            return;
        }
        let tail = end_of(self.tail(), side).to_owned();
        self.head.truncate(start_of(&self.head, side).len());
        self.head.shrink_to_fit();
        self.tail = tail;
    }

    /// Takes secrets out with `clean`, but only of the start, and keeps `limit` bytes of it: nothing stays that the cut broke
    /// in two.
    pub(super) fn keep_start(&mut self, limit: usize, clean: &impl Fn(&mut String)) {
        self.tail = String::new();
        let whole = cut::start(&self.head, limit).len();
        self.open.head |= whole < self.head.len();
        self.head.truncate(whole);
        self.change(clean);
        self.head.truncate(start_of(&self.head, limit).len());
        self.head.shrink_to_fit();
    }

    /// From what was stored.
    pub fn from_parts(head: String, tail: String, len: u64) -> Self {
        Self { head, tail, len, open: Open::default() }
    }

    /// One string, with a mark where the middle was left out.
    pub fn to_text(&self) -> String {
        if self.is_cut() { format!("{}\n[…]\n{}", self.head, self.tail) } else { self.head.clone() }
    }

    /// Passes every kept part through `f` (redaction), and drops what a cut before it may have broken.
    pub(super) fn change(&mut self, f: impl Fn(&mut String)) {
        f(&mut self.head);
        f(&mut self.tail);
        let open = std::mem::take(&mut self.open);
        if open.head {
            cut::mend_end(&mut self.head);
        }
        if open.tail {
            cut::mend_start(&mut self.tail);
        }
    }
}

/// At most `limit` bytes from the start, up to a line's end where one is near: half a line may be half a secret.
fn start_of(text: &str, limit: usize) -> &str {
    let cut = &text[..text.floor_char_boundary(limit.min(text.len()))];
    if cut.len() == text.len() {
        return cut;
    }
    cut.rfind('\n').filter(|at| at * 2 >= cut.len()).map_or(cut, |at| &cut[..at])
}

/// The same from the end.
fn end_of(text: &str, limit: usize) -> &str {
    let cut = &text[text.ceil_char_boundary(text.len().saturating_sub(limit))..];
    if cut.len() == text.len() {
        return cut;
    }
    cut.find('\n').filter(|at| at * 2 <= cut.len()).map_or(cut, |at| &cut[at + 1..])
}

impl From<&str> for Excerpt {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}
