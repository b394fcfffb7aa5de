//! Text as it reads once a layer of encoding is taken off, and the way back.
//!
//! Comes in: bytes as they are decoded, each with its origin. Goes out: for any span of them, the original bytes. A secret is
//! looked for in the decoded bytes, but it is cut out of the bytes that came in. So
//! every decoded byte remembers which original bytes it was made of.

use std::ops::Range;

/// Decoded bytes with their origin.
#[derive(Default)]
pub(in crate::redact) struct View {
    /// What the text says.
    pub(in crate::redact) bytes: Vec<u8>,
    pieces: Vec<Piece>,
}

// Decoded bytes from `at` on were made of original bytes from `from` on.
struct Piece {
    at: usize,
    from: usize,
    ratio: Ratio,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ratio {
    /// Each decoded byte was this many bytes.
    Each(usize),
    /// Each three decoded bytes were four characters of base64.
    SixBits,
}

impl View {
    /// Add bytes that stand for themselves.
    pub(super) fn copy(&mut self, bytes: &[u8], from: usize) {
        if !bytes.is_empty() {
            self.begin(from, Ratio::Each(1));
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// Add one byte that was written with `width` bytes.
    pub(super) fn put(&mut self, byte: u8, from: usize, width: usize) {
        self.begin(from, Ratio::Each(width));
        self.bytes.push(byte);
    }

    /// A view of base64: `bytes` decoded from the characters at `from`.
    pub(super) fn six_bits(bytes: Vec<u8>, from: usize) -> Self {
        let ratio = Ratio::SixBits;
        Self { bytes, pieces: vec![Piece { at: 0, from, ratio }] }
    }

    fn begin(&mut self, from: usize, ratio: Ratio) {
        let at = self.bytes.len();
        let runs_on = self.pieces.last().is_some_and(|last| last.ratio == ratio && last.first(at) == from);
        if !runs_on {
            self.pieces.push(Piece { at, from, ratio });
        }
    }

    /// The original bytes behind a span of decoded ones.
    pub(in crate::redact) fn origin(&self, span: Range<usize>) -> Range<usize> {
        let start = self.piece(span.start).map_or(0, |p| p.first(span.start));
        let last = span.end.saturating_sub(1).max(span.start);
        let end = self.piece(last).map_or(0, |p| p.past(last));
        start..end.max(start)
    }

    fn piece(&self, at: usize) -> Option<&Piece> {
        let after = self.pieces.partition_point(|piece| piece.at <= at);
        self.pieces.get(after.checked_sub(1)?)
    }
}

impl Piece {
    fn first(&self, at: usize) -> usize {
        let index = at - self.at;
        self.from
            + match self.ratio {
                Ratio::Each(width) => index * width,
                Ratio::SixBits => index * 8 / 6,
            }
    }

    fn past(&self, at: usize) -> usize {
        let index = at - self.at + 1;
        self.from
            + match self.ratio {
                Ratio::Each(width) => index * width,
                Ratio::SixBits => (index * 8).div_ceil(6),
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copied_and_written_out_bytes_find_their_way_back() {
        let mut view = View::default();
        view.copy(b"ab", 0);
        view.put(b'c', 2, 6);
        view.put(b'd', 8, 6);
        view.copy(b"ef", 14);
        assert_eq!(view.bytes, b"abcdef");
        assert_eq!(view.origin(1..3), 1..8);
        assert_eq!(view.origin(2..4), 2..14);
        assert_eq!(view.origin(3..6), 8..16);
    }

    #[test]
    fn what_was_dropped_between_pieces_is_not_part_of_either_end() {
        let mut view = View::default();
        view.copy(b"ab", 5);
        view.copy(b"cd", 20);
        assert_eq!(view.origin(0..2), 5..7);
        assert_eq!(view.origin(1..3), 6..21);
    }

    #[test]
    fn base64_spans_are_rounded_outwards() {
        let view = View::six_bits(vec![0; 6], 10);
        assert_eq!(view.origin(0..3), 10..14);
        assert_eq!(view.origin(1..2), 11..13);
        assert_eq!(view.origin(3..6), 14..18);
    }
}
