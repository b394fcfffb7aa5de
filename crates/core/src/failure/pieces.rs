//! Which of very many pieces of text stand in a text, in one pass. Made for a hook: it is ready in microseconds, where a
//! general automaton takes longer to build than a hook may take to answer.

use super::says::{folded, folded_byte};

/// Bytes by which a piece is looked up.
const START: usize = 4;
/// Bits by which most places of a text are passed over.
const BITS: usize = 1 << 16;

/// Pieces, by how they begin. They are written as [`folded`] writes them.
pub(super) struct Pieces {
    all: Vec<String>,
    /// How a piece begins, and which it is; sorted.
    by_start: Vec<(u32, usize)>,
    begins: Vec<u64>,
    /// Too short to be looked up.
    short: Vec<usize>,
}

impl Pieces {
    pub(super) fn new(all: Vec<String>) -> Self {
        let mut pieces = Self { by_start: Vec::new(), begins: vec![0; BITS / 64], short: Vec::new(), all };
        for (n, piece) in pieces.all.iter().enumerate() {
            match piece.as_bytes().first_chunk::<START>() {
                Some(first) => {
                    let start = u32::from_le_bytes(*first);
                    pieces.by_start.push((start, n));
                    let bit = bit(start);
                    pieces.begins[bit / 64] |= 1 << (bit % 64);
                }
                None => pieces.short.push(n),
            }
        }
        pieces.by_start.sort_unstable();
        pieces
    }

    /// The pieces that stand in a text, in their order. Those that are too short to be looked up are always among them.
    pub(super) fn in_text(&self, text: &str) -> Vec<usize> {
        let bytes: Vec<u8> =
            if text.is_ascii() { text.bytes().map(folded_byte).collect() } else { folded(text).into_bytes() };
        let mut found = self.short.clone();
        for (at, first) in bytes.windows(START).filter_map(|w| w.first_chunk::<START>()).enumerate() {
            let start = u32::from_le_bytes(*first);
            let bit = bit(start);
            if self.begins[bit / 64] & (1 << (bit % 64)) != 0 {
                found.extend(self.that_begin(start).filter(|n| bytes[at..].starts_with(self.all[*n].as_bytes())));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn that_begin(&self, start: u32) -> impl Iterator<Item = usize> {
        let first = self.by_start.partition_point(|(other, _)| *other < start);
        self.by_start[first..].iter().take_while(move |(other, _)| *other == start).map(|(_, n)| *n)
    }
}

fn bit(start: u32) -> usize {
    (start.wrapping_mul(0x9E37_79B1) >> 16) as usize % BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pieces_that_are_there_are_found_and_no_others() {
        let all = ["not found", "no such file", "x:", "not fond", "notice"].map(str::to_owned).to_vec();
        let pieces = Pieces::new(all.clone());
        for text in [
            "",
            "x",
            "x: not found",
            "a notice: no such file",
            "not fon",
            "nnnot found",
            "NOT FOUND",
            "so ist’s: Not found",
        ] {
            let wanted: Vec<usize> =
                (0..all.len()).filter(|n| all[*n].len() < START || folded(text).contains(&all[*n])).collect();
            assert_eq!(pieces.in_text(text), wanted, "{text}");
        }
    }
}
