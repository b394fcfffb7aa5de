//! Finds what is left of secrets in any bytes: twelve bytes of one are a leak, however they are written.
//!
//! Comes in: secrets with a number each, then bytes. Goes out: the numbers of those of which something was found.
//! Notations are taken off the bytes, rather than put on the secrets: base64 at all four places, hexadecimal at both,
//! percent signs, and the escapes of JSON up to three deep.

use std::collections::HashMap;

use super::encode::{each_base64, each_hex, unescaped, unpercent};
use super::kinds::Secret;

/// So many bytes of a secret are a leak; of a shorter one all.
pub const WINDOW: usize = 12;
/// Fewer drawn bytes say nothing: the rest is the same in every value of the kind.
const DRAWN: usize = 4;

/// Searches for many secrets at once.
#[derive(Default)]
pub struct Scanner {
    /// Windows by their length: secrets shorter than a window are windows themselves.
    by_length: Vec<Windows>,
}

struct Windows {
    length: usize,
    numbers: HashMap<u64, u32>,
    /// One bit per few hashes: most bytes are part of no window.
    sieve: Vec<u64>,
}

const SIEVE_BITS: usize = 22;

fn hash(window: &[u8]) -> u64 {
    // Two overlapping halves of up to eight bytes: windows have eight to twelve.
    let word = |bytes: &[u8]| {
        let mut eight = [0; 8];
        eight.copy_from_slice(&bytes[..8]);
        u64::from_le_bytes(eight)
    };
    let (a, b) = (word(window), word(&window[window.len() - 8..]));
    let mixed = (a ^ b.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ b
}

impl Windows {
    fn bit(hash: u64) -> (usize, u64) {
        let at = (hash >> (64 - SIEVE_BITS)) as usize;
        (at / 64, 1 << (at % 64))
    }

    fn add(&mut self, window: &[u8], number: u32) {
        let hash = hash(window);
        let (word, bit) = Self::bit(hash);
        self.sieve[word] |= bit;
        self.numbers.entry(hash).or_insert(number);
    }

    fn find(&self, bytes: &[u8], found: &mut impl FnMut(u32, usize)) {
        for (at, window) in bytes.windows(self.length).enumerate() {
            let hash = hash(window);
            let (word, bit) = Self::bit(hash);
            if self.sieve[word] & bit != 0
                && let Some(number) = self.numbers.get(&hash)
            {
                found(*number, at);
            }
        }
    }
}

impl Scanner {
    /// Searches for that secret, too. Secrets of fewer than eight bytes cannot be searched for.
    pub fn add(&mut self, secret: &Secret, number: u32) {
        let bytes = secret.text.as_bytes();
        let length = bytes.len().min(WINDOW);
        if length < 8 {
            return;
        }
        for (at, window) in bytes.windows(length).enumerate() {
            let drawn = secret.drawn[at..at + length].iter().filter(|d| **d).count();
            // A line of a block ends within it: the rest of the window is on the next line.
            if drawn >= DRAWN && !window.contains(&b'\n') {
                self.windows(length).add(window, number);
            }
        }
    }

    fn windows(&mut self, length: usize) -> &mut Windows {
        let at = self.by_length.iter().position(|w| w.length == length).unwrap_or_else(|| {
            let sieve = vec![0; (1 << SIEVE_BITS) / 64];
            self.by_length.push(Windows { length, numbers: HashMap::new(), sieve });
            self.by_length.len() - 1
        });
        &mut self.by_length[at]
    }

    /// Calls `found` with the number of every secret of which something stands in `bytes`, and what stands there.
    pub fn search(&self, bytes: &[u8], found: &mut impl FnMut(u32, &str)) {
        self.search_notations(bytes, found);
        let mut text = unescaped(bytes);
        for _ in 0..3 {
            let Some(inner) = text else { break };
            self.search_notations(&inner, found);
            text = unescaped(&inner);
        }
        if let Some(inner) = unpercent(bytes) {
            self.search_notations(&inner, found);
        }
    }

    fn search_notations(&self, bytes: &[u8], found: &mut impl FnMut(u32, &str)) {
        self.search_plain(bytes, "", found);
        each_base64(bytes, 12, |inner| self.search_plain(inner, "base64 of ", found));
        each_hex(bytes, 16, |inner| self.search_plain(inner, "hex of ", found));
    }

    fn search_plain(&self, bytes: &[u8], how: &str, found: &mut impl FnMut(u32, &str)) {
        for windows in &self.by_length {
            windows.find(bytes, &mut |number, at| {
                let around = &bytes[at.saturating_sub(24)..(at + windows.length + 24).min(bytes.len())];
                found(number, &format!("{how}{:?}", String::from_utf8_lossy(around)));
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::encode::{base64, hex, json, percent, unicode};
    use super::*;

    fn secret(text: &str) -> Secret {
        Secret { text: text.to_owned(), drawn: text.bytes().map(|b| !b.is_ascii_punctuation()).collect() }
    }

    fn finds(scanner: &Scanner, text: &str) -> Vec<u32> {
        let mut numbers = Vec::new();
        scanner.search(text.as_bytes(), &mut |n, _| numbers.push(n));
        numbers.dedup();
        numbers
    }

    #[test]
    fn twelve_bytes_are_found_in_every_notation() {
        let mut scanner = Scanner::default();
        scanner.add(&secret("q8Zk+0rT\"vW3mN5xB7cD9"), 4);
        scanner.add(&secret("hunter88x"), 5);
        let part = "Zk+0rT\"vW3mN"; // twelve bytes
        for text in [
            part.to_owned(),
            json(part),
            json(&json(part)),
            unicode(part.as_bytes()),
            hex(part.as_bytes()),
            hex(part.as_bytes()).to_uppercase(),
            format!("a{}", hex(part.as_bytes())),
            percent(part.as_bytes()),
            base64(format!("{part}xx").as_bytes()),
            base64(format!("x{part}xx").as_bytes()),
            base64(format!("xx{part}xx").as_bytes()),
        ] {
            assert_eq!(finds(&scanner, &format!("before {text} after")), [4], "{text}");
        }
        assert_eq!(finds(&scanner, "Zk+0rT\"vW3m"), [0; 0], "eleven bytes");
        assert_eq!(finds(&scanner, "is hunter88x."), [5]);
        assert_eq!(finds(&scanner, "is hunter88y."), [0; 0]);
    }
}
