//! Which of very many pieces of text stand in a text, in one pass. Made for a hook: it is ready in microseconds, where a
//! general automaton takes longer to build than a hook may take to answer.

use std::collections::HashMap;

/// Bytes by which a piece is looked up.
const START: usize = 4;
/// Bits by which most places of a text are passed over.
const BITS: usize = 1 << 16;

/// Pieces, by how they begin.
pub(super) struct Pieces {
    all: Vec<String>,
    by_start: HashMap<u32, Vec<usize>>,
    begins: Vec<u64>,
    /// Too short to be looked up.
    short: Vec<usize>,
}

impl Pieces {
    pub(super) fn new(all: Vec<String>) -> Self {
        let mut pieces = Self { by_start: HashMap::new(), begins: vec![0; BITS / 64], short: Vec::new(), all };
        for (n, piece) in pieces.all.iter().enumerate() {
            match start(piece.as_bytes()) {
                Some(start) => {
                    pieces.by_start.entry(start).or_default().push(n);
                    let bit = bit(start);
                    pieces.begins[bit / 64] |= 1 << (bit % 64);
                }
                None => pieces.short.push(n),
            }
        }
        pieces
    }

    /// The pieces that stand in a text, in their order.
    pub(super) fn in_text(&self, text: &str) -> Vec<usize> {
        let bytes = text.as_bytes();
        let mut found: Vec<usize> = self.short.iter().copied().filter(|n| text.contains(&self.all[*n])).collect();
        for at in 0..bytes.len().saturating_sub(START - 1) {
            let Some(start) = start(&bytes[at..]) else { break };
            let bit = bit(start);
            if self.begins[bit / 64] & (1 << (bit % 64)) == 0 {
                continue;
            }
            for n in self.by_start.get(&start).into_iter().flatten() {
                if bytes[at..].starts_with(self.all[*n].as_bytes()) {
                    found.push(*n);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn start(bytes: &[u8]) -> Option<u32> {
    let first: [u8; START] = bytes.get(..START)?.try_into().ok()?;
    Some(u32::from_le_bytes(first))
}

fn bit(start: u32) -> usize {
    (start.wrapping_mul(0x9E37_79B1) >> 16) as usize % BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pieces_that_are_there_are_found_and_no_others() {
        let all = ["not found", "no such file", "x:", "not fond", "notice", ""].map(str::to_owned).to_vec();
        let pieces = Pieces::new(all.clone());
        for text in ["", "x", "x: not found", "a notice: no such file", "not fon", "nnnot found"] {
            let wanted: Vec<usize> = (0..all.len()).filter(|n| text.contains(&all[*n])).collect();
            assert_eq!(pieces.in_text(text), wanted, "{text}");
        }
    }
}
