//! Secrets that only their name gives away: kinds of names × kinds of values × places where both stand.
//!
//! Comes in: a half and a seed. Goes out: texts, each with one secret in it. Names and places are split in two halves: rules
//! are written while looking at [`Half::Learn`] alone, and judged on [`Half::Judge`], which nobody looks at to find out why
//! something is missed.

mod judge;
mod learn;

use crate::Rng;

/// Which names and places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// May be looked at.
    Learn,
    /// Only counts.
    Judge,
}

/// A text with a secret in it.
pub struct Plant {
    /// What it is made of, for a list of leaks: place, name, kind of value.
    pub what: [&'static str; 3],
    /// The text.
    pub text: String,
    /// The part of the value that must go: without a prefix that is the same in many.
    pub secret: String,
}

impl Plant {
    /// Does the secret, or eight bytes of it in a row, stand in `clean`?
    pub fn leaks(&self, clean: &str) -> bool {
        let secret = self.secret.as_bytes();
        secret.windows(secret.len().min(8)).any(|part| memchr::memmem::find(clean.as_bytes(), part).is_some())
    }
}

type Place = (&'static str, fn(&str, &str) -> String);

/// All plants of a half: every place with every kind of value, each with several of the names.
pub fn plants(half: Half, seed: u64) -> Vec<Plant> {
    let mut rng = Rng::new(seed, "telling");
    let (places, names) = match half {
        Half::Learn => (learn::PLACES, learn::NAMES),
        Half::Judge => (judge::PLACES, judge::NAMES),
    };
    let mut out = Vec::new();
    for (p, (place, write)) in places.iter().enumerate() {
        for (v, value) in VALUES.iter().enumerate() {
            for n in 0..NAMES_EACH {
                let name = names[(p * 5 + v * 3 + n * 7) % names.len()];
                let (text, secret) = value.draw(&mut rng);
                out.push(Plant { what: [place, name, value.name], text: write(name, &text), secret });
            }
        }
    }
    out
}

const NAMES_EACH: usize = 4;

struct Value {
    name: &'static str,
    make: fn(&mut Rng) -> (String, String),
}

impl Value {
    fn draw(&self, rng: &mut Rng) -> (String, String) {
        (self.make)(rng)
    }
}

const LETTERS: &[u8] = b"abcdefghijkmnopqrstuvwxyz";
const MIXED: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
const HEX: &[u8] = b"0123456789abcdef";
const DIGITS: &[u8] = b"0123456789";

fn of(rng: &mut Rng, alphabet: &[u8], count: usize) -> String {
    String::from_utf8(rng.bytes_of(alphabet, count)).unwrap_or_default()
}

// Words that people put into passphrases.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "correct", "horse", "battery", "purple", "monkey", "dragon", "winter", "summer", "coffee", "garden", "silver", "thunder",
    "velvet", "marble", "falcon", "copper", "meadow", "rocket", "saffron", "walnut", "harbor", "lantern", "pepper", "orbit",
];

fn word(rng: &mut Rng) -> &'static str {
    WORDS[rng.below(WORDS.len())]
}

fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

fn whole(text: String) -> (String, String) {
    (text.clone(), text)
}

fn after(prefix: &str, tail: String) -> (String, String) {
    (format!("{prefix}{tail}"), tail)
}

#[rustfmt::skip]
const VALUES: &[Value] = &[
    Value { name: "mixed, long", make: |r| whole(of(r, MIXED, 32)) },
    Value { name: "mixed, short", make: |r| whole(format!("{}{}{}", of(r, b"abcdefghjkmnpqrstuvwxyz", 3), of(r, DIGITS, 2), of(r, b"ABCDEFGHJKLMNPQRSTUVWXYZ", 3))) },
    Value { name: "hexadecimal", make: |r| whole(format!("{}{}", of(r, b"123456789", 2), of(r, HEX, 30))) },
    Value { name: "words with dashes", make: |r| whole(format!("{}-{}-{}", word(r), word(r), word(r))) },
    Value { name: "words with dashes and a number", make: |r| whole(format!("{}-{}-{}", word(r), word(r), 10 + r.below(90))) },
    Value { name: "season and year", make: |r| whole(format!("{}{}!", capital(word(r)), 2018 + r.below(9))) },
    Value { name: "two words in one", make: |r| whole(format!("{}{}", word(r), word(r))) },
    Value { name: "two words, capitals", make: |r| whole(format!("{}{}", capital(word(r)), capital(word(r)))) },
    Value { name: "six characters", make: |r| whole(format!("{}{}", of(r, LETTERS, 4), of(r, DIGITS, 2))) },
    Value { name: "six letters", make: |r| whole(of(r, b"bcdfghjkmnpqrtvwxz", 6)) },
    Value { name: "number of six digits", make: |r| whole(format!("{}{}", 1 + r.below(9), of(r, DIGITS, 5))) },
    Value { name: "number of eight digits", make: |r| whole(format!("{}{}", 1 + r.below(9), of(r, DIGITS, 7))) },
    Value { name: "signs", make: |r| whole(format!("p@{}#{}!", of(r, LETTERS, 4), of(r, DIGITS, 3))) },
    Value { name: "a format mark inside", make: |r| { let (a, b) = (of(r, MIXED, 9), of(r, MIXED, 9)); (format!("{a}%s{b}"), b) } },
    Value { name: "base64 with padding", make: |r| whole(format!("{}7+Q==", of(r, MIXED, 19))) },
    Value { name: "my-prod-", make: |r| after("my-prod-", of(r, MIXED, 14)) },
    Value { name: "test-", make: |r| after("test-", of(r, MIXED, 16)) },
    Value { name: "changeme-", make: |r| after("changeme-", of(r, MIXED, 12)) },
    Value { name: "example-", make: |r| after("example-", of(r, HEX, 16)) },
    Value { name: "dummy_", make: |r| after("dummy_", of(r, MIXED, 14)) },
    Value { name: "your-", make: |r| after("your-app-", of(r, MIXED, 14)) },
    Value { name: "uuid", make: |r| whole(format!("{}-{}-4{}-a{}-{}", of(r, HEX, 8), of(r, HEX, 4), of(r, HEX, 3), of(r, HEX, 3), of(r, HEX, 12))) },
];
