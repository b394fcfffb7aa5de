//! The prefilter: every literal that a rule or a context begins with, found in one pass.
//!
//! The obvious tool is an Aho-Corasick automaton, and it was tried: each of its steps waits for
//! the one before, which caps it below what a transcript deserves. Here every position is judged
//! on its own by one mark, chosen by the three bytes that stand there, so that the processor can
//! work on many positions at once. Only where the mark is set are literals compared.

use super::shapes::rules::RULES;
use std::ops::Range;
use std::sync::LazyLock;

/// What to look at where a literal stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The anchor of the rule with this number.
    Rule(usize),
    /// A word that names of secrets are made of.
    Word,
    /// The two slashes of a web address.
    Address,
    /// The beginning of a key block.
    KeyBlock,
    /// The end of a key block.
    KeyEnd,
    /// A flag that may carry a password.
    Flag,
    /// A command whose arguments are all secret.
    Literals,
    /// A program that reads a password from a pipe.
    Piped,
    /// A command that takes a password in the clear and hides it.
    SecureString,
    /// A value that a build log was told to hide.
    Mask,
    /// The word before a password in the language of databases.
    Identified,
    /// Host, port, database and user before a password.
    Account,
}

// Names are read whole from any part of them, so the part is chosen for being rare: `ecret`
// avoids every `second` and `section`, `edential` every `create`.
const WORDS: &[&str] = &["pass", "pwd", "ecret", "token", "key", "edential", "auth", "okie", "bearer"];
const FLAGS: &[&str] =
    &[" -p", "'-p", "\"-p", " -P", " -u", " -U", " -a", " -w", " -N", " -b", " --body", " --user", " --proxy-user"];
const PHRASES: &[(&str, Stop)] = &[
    ("://", Stop::Address),
    ("-----BEGIN ", Stop::KeyBlock),
    ("-----END ", Stop::KeyEnd),
    ("from-literal", Stop::Literals),
    ("sudo -S", Stop::Piped),
    ("add-mask::", Stop::Mask),
    ("ConvertTo-SecureString", Stop::SecureString),
    ("identified by ", Stop::Identified),
    ("identified with ", Stop::Identified),
    (":5432:", Stop::Account),
    (":5433:", Stop::Account),
    (":6432:", Stop::Account),
    (":*:", Stop::Account),
];

/// Looks for every literal at once.
pub(super) struct Stops {
    // One bit per hashed triple, set where a literal may stand.
    bits: Box<[u8; BYTES]>,
    // Literals by the first two of their three telling bytes.
    buckets: Vec<Vec<Literal>>,
}

#[derive(Clone, Copy)]
struct Literal {
    bytes: &'static [u8],
    // Where its telling bytes stand: `sha256~` is rare because of `56~`, not because of `sha`.
    tells: usize,
    stop: Stop,
}

/// The one set of literals there is.
pub(super) static STOPS: LazyLock<Stops> = LazyLock::new(|| {
    let rules = RULES.iter().enumerate();
    let anchors = rules.flat_map(|(index, rule)| rule.anchors.iter().map(move |a| (*a, Stop::Rule(index))));
    Stops::new(
        anchors
            .chain(WORDS.iter().map(|word| (*word, Stop::Word)))
            .chain(FLAGS.iter().map(|flag| (*flag, Stop::Flag)))
            .chain(PHRASES.iter().copied()),
    )
});

const BITS: u32 = 17; // 16 KiB: half of a first-level cache, and nearly empty
const BYTES: usize = 1 << (BITS - 3);
// A bit is picked by a lookup: a shift by a variable costs more.
const BIT: [u8; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
const BUCKETS: usize = 1 << 10;

impl Stops {
    fn new(literals: impl Iterator<Item = (&'static str, Stop)>) -> Self {
        let mut stops = Self { bits: Box::new([0; BYTES]), buckets: vec![Vec::new(); BUCKETS] };
        for (literal, stop) in literals {
            let bytes = literal.as_bytes();
            let tells = telling(bytes);
            let &[one, two, ..] = &bytes[tells..] else { continue };
            stops.buckets[bucket(one, two)].push(Literal { bytes, tells, stop });
            match bytes.get(tells + 2) {
                Some(&three) => stops.set([one, two, three, 0]),
                // So short a literal is always followed by more of its token.
                None => (0..=u8::MAX).filter(|b| in_token(*b)).for_each(|three| stops.set([one, two, three, 0])),
            }
        }
        stops
    }

    fn set(&mut self, three: [u8; 4]) {
        let gram = gram(mixed(u64::from(u32::from_le_bytes(three))));
        self.bits[gram / 8] |= BIT[gram % 8];
    }

    /// Calls `found` for every literal in `text`, whatever its case, nearly in order.
    pub(super) fn each(&self, text: &[u8], mut found: impl FnMut(Stop, Range<usize>)) {
        let mut at = 0;
        // Six positions need eight bytes; together they cost one branch.
        while let Some(eight) = text.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
            let eight = mixed(u64::from_le_bytes(*eight));
            let some = (0..6).fold(0, |some, i| some | self.mark(eight >> (8 * i)));
            if some != 0 {
                self.compare(text, at, &mut found);
            }
            at += 6;
        }
        // The rest is shorter than eight bytes, but a literal may still fit.
        self.compare(text, at, &mut found);
        self.compare(text, at + 6, &mut found);
    }

    // Whether a literal may stand where the lowest three of these mixed bytes do.
    #[inline(always)]
    fn mark(&self, mixed: u64) -> u8 {
        let gram = gram(mixed);
        self.bits[gram / 8] & BIT[gram % 8]
    }

    // Compares literals at the six positions from `from` on.
    #[inline(never)]
    fn compare(&self, text: &[u8], from: usize, found: &mut impl FnMut(Stop, Range<usize>)) {
        for at in from..text.len().min(from + 6) {
            let &[one, two, three] = match text[at..] {
                [one, two, three, ..] => &[one, two, three],
                [one, two] => &[one, two, 0],
                _ => return,
            };
            if self.mark(mixed(u64::from(u32::from_le_bytes([one, two, three, 0])))) == 0 {
                continue;
            }
            for literal in &self.buckets[bucket(one, two)] {
                let Some(start) = at.checked_sub(literal.tells) else { continue };
                let place = start..start + literal.bytes.len();
                if text.get(place.clone()).is_some_and(|here| here.eq_ignore_ascii_case(literal.bytes)) {
                    found(literal.stop, place);
                }
            }
        }
    }
}

// The three bytes that are rarest in ordinary text.
fn telling(literal: &[u8]) -> usize {
    let rarity = |byte: &u8| match byte.to_ascii_lowercase() {
        b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' | b' ' => 0,
        b'j' | b'q' | b'x' | b'z' | b'~' | b'$' => 3,
        byte if byte == b'_' || byte.is_ascii_alphabetic() && !matches!(byte, b'k' | b'v') => 1,
        _ => 2,
    };
    let rule = |three: &[u8]| three.iter().all(|byte| *byte == b'-');
    let windows = literal.windows(3).enumerate().filter(|(_, three)| !rule(three));
    // The first of the rarest: `max_by_key` would give the last.
    let best = windows.rev().max_by_key(|(_, three)| three.iter().map(rarity).sum::<u32>());
    best.map_or(0, |(at, _)| at)
}

// Case folds by setting one bit of each byte; what else that brings together is told apart by
// comparing.
const FOLD: u64 = 0x2020_2020_2020_2020;

// Eight bytes, the first the lowest, folded and mixed so that from each byte on, the lowest `BITS` bits are decided by
// it and the two behind it: all positions at once, where a multiplication would be needed for each.
#[inline(always)]
fn mixed(bytes: u64) -> u64 {
    let folded = bytes | FOLD;
    folded ^ folded >> 3 ^ folded >> 6
}

#[inline(always)]
fn gram(mixed: u64) -> usize {
    mixed as usize & ((1 << BITS) - 1)
}

fn in_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'~' | b'.' | b'\n' | b'\r')
}

fn bucket(one: u8, two: u8) -> usize {
    usize::from(one & 31) << 5 | usize::from(two & 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_literal_is_found_wherever_it_stands_and_however_it_is_cased() {
        for (index, rule) in RULES.iter().enumerate() {
            for anchor in rule.anchors {
                for text in [
                    format!("{anchor}0"),
                    format!("é {}0 .", anchor.to_lowercase()),
                    format!("xx{}0", anchor.to_uppercase()),
                ] {
                    let mut seen = false;
                    STOPS.each(text.as_bytes(), |stop, _| seen |= stop == Stop::Rule(index));
                    assert!(seen, "{text}");
                }
            }
        }
    }

    #[test]
    fn overlapping_literals_are_all_found() {
        let mut stops = Vec::new();
        STOPS.each(b"a secret_token://", |stop, at| stops.push((stop, at)));
        let words: Vec<_> = stops.iter().filter(|(stop, _)| *stop == Stop::Word).map(|(_, at)| at.clone()).collect();
        assert_eq!(words, [3..8, 9..14]);
        assert!(stops.contains(&(Stop::Address, 14..17)));
    }
}
