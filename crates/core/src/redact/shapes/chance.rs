//! Words and names on one side, characters drawn by chance on the other.
//!
//! Comes in: a word or a whole value. Goes out: on which side it is. Two signs tell: how capitals and digits are mixed
//! ([`wordy`], [`jumbled`]), and which letters follow each other ([`by_chance`]): generated text is made of pairs that names
//! hardly ever have.

/// Is `chunk` a word, a number, or a name with a number in it: `sha256`, `2024`, `camelCase`, `Uint8Array`?
///
/// Capitals tell names from generated letters: a name has one to begin a word, chance has half.
pub(super) fn wordy(chunk: &[u8]) -> bool {
    let digits = chunk.iter().filter(|b| b.is_ascii_digit()).count();
    let capitals = chunk.iter().filter(|b| b.is_ascii_uppercase()).count();
    let small = chunk.len() - digits - capitals;
    let name = capitals * 3 < chunk.len();
    let starts_number = |pair: &&[u8]| !pair[0].is_ascii_digit() && pair[1].is_ascii_digit();
    let numbers =
        chunk.windows(2).filter(starts_number).count() + usize::from(chunk.first().is_some_and(u8::is_ascii_digit));
    match numbers {
        0 => small == 0 || name || chunk.len() < 12,
        _ if digits == chunk.len() => true,
        1 => digits <= 5 && (name && chunk.len() < 40 || small == 0 && chunk.len() <= 12),
        2 => digits <= 4 && name && chunk.len() < 12,
        _ => false,
    }
}

/// Is `word` hardly a name that a person gave: mostly capitals but not only, digits first or in two places, a capital at
/// every other letter? Or is it what old vaults put behind `s.`?
pub(super) fn jumbled(word: &[u8]) -> bool {
    let capitals = word.iter().filter(|b| b.is_ascii_uppercase()).count();
    let small = word.iter().filter(|b| b.is_ascii_lowercase()).count();
    let starts_number = |pair: &&[u8]| !pair[0].is_ascii_digit() && pair[1].is_ascii_digit();
    let numbers = word.windows(2).filter(starts_number).count();
    let digit_first = word.first().is_some_and(u8::is_ascii_digit) && capitals + small > 3;
    let humps = word.windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).count();
    word.len() >= 6 && (capitals * 2 > word.len() && small > 0 || numbers > 1 || digit_first || humps * 4 > word.len())
        || word.len() == 24 && capitals > 3
}

/// Is `value` long, and do its characters follow each other as in drawn text? Over drawn values and the names of public
/// code, hardly any was taken for the other.
pub(super) fn by_chance(value: &[u8]) -> bool {
    let pairs = || value.windows(2).filter(|two| two.iter().all(u8::is_ascii_alphanumeric));
    let odd = pairs().filter(|two| is_odd(two[0], two[1])).count();
    value.len() >= 16 && odd >= 5 && odd * 3 >= pairs().count()
}

/// Letters of which hardly any follow each other in words: `wpjhgt`.
pub(super) fn unspeakable(word: &[u8]) -> bool {
    let vowel = word.iter().any(|b| b"aeiouyAEIOUY".contains(b));
    let rare = rare_pairs(word);
    word.iter().all(u8::is_ascii_alphabetic) && (rare >= 3 && rare * 2 >= word.len() || !vowel && word.len() >= 6)
}

/// Does a third of `word` consist of letters that hardly ever follow each other in names?
pub(super) fn unnatural(word: &[u8]) -> bool {
    let rare = rare_pairs(word);
    rare >= 3 && rare * 3 >= word.len()
}

/// How many pairs of letters in `word` hardly ever stand in words?
pub(super) fn rare_pairs(word: &[u8]) -> usize {
    let letters = |two: &&[u8]| two.iter().all(u8::is_ascii_alphabetic);
    word.windows(2).filter(letters).filter(|two| is_rare(two[0], two[1])).count()
}

// A new word, a number beginning or ending, or letters that do not follow each other in words.
fn is_odd(first: u8, second: u8) -> bool {
    match (first.is_ascii_digit(), second.is_ascii_digit()) {
        (false, false) => first.is_ascii_lowercase() && second.is_ascii_uppercase() || is_rare(first, second),
        (one, other) => one != other,
    }
}

fn is_rare(first: u8, second: u8) -> bool {
    let follow = FOLLOW.get(usize::from(first.to_ascii_lowercase().wrapping_sub(b'a')));
    !follow.is_some_and(|letters| letters.contains(&second.to_ascii_lowercase()))
}

// For each letter those that follow it in 97 of 100 cases, counted over the names and comments of public code.
#[rustfmt::skip]
const FOLLOW: [&[u8]; 26] = [
    b"bcdfgiklmnprstuvwxy", b"aeijlorsuy", b"acefhiklorstu", b"adeilorsuy", b"abcdefgilmnopqrstvwxy", b"aefgilorstu",
    b"aehilnorstu", b"aeiortu", b"abcdefgklmnoprstvxz", b"eo", b"aeis", b"adefilostuy", b"abeimopstu",
    b"acdefgiklnopstuvy", b"abcdefgiklmnoprstuvw", b"aehiloprstuy", b"u", b"acdefgiklmnorstuvy", b"acehiklmnopstuy",
    b"acdefhilmoprstuwy", b"abcdefgilmnprst", b"aeio", b"aehinors", b"aceipt", b"nopst", b"e",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_chance_are_told_apart() {
        for value in ["ztChBb5k_mNADkZoj.InYnhfXk", "awApiow6_neanccCG.OwqsGMPl", "aZrz2wsdpkrZmbosxeibvTxd"] {
            assert!(by_chance(value.as_bytes()), "{value}");
        }
        for value in [
            "settings.database.password",
            "HTTPServerConnection.defaultPassword",
            "self.is_zero_knowledge_proof",
            "window.localStorage.getItem",
            "translateTextContentNodes",
            "self.data.gcd_lcm",
        ] {
            assert!(!by_chance(value.as_bytes()), "{value}");
        }
    }
}
