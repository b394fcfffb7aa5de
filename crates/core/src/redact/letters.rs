//! Which letters follow each other in words: generated text is made of pairs that names hardly ever have.

// For each letter those that follow it in 97 of 100 cases, counted over the names and comments of public code.
#[rustfmt::skip]
const FOLLOW: [&[u8]; 26] = [
    b"bcdfgiklmnprstuvwxy", b"aeijlorsuy", b"acefhiklorstu", b"adeilorsuy", b"abcdefgilmnopqrstvwxy", b"aefgilorstu",
    b"aehilnorstu", b"aeiortu", b"abcdefgklmnoprstvxz", b"eo", b"aeis", b"adefilostuy", b"abeimopstu",
    b"acdefgiklnopstuvy", b"abcdefgiklmnoprstuvw", b"aehiloprstuy", b"u", b"acdefgiklmnorstuvy", b"acehiklmnopstuy",
    b"acdefhilmoprstuwy", b"abcdefgilmnprst", b"aeio", b"aehinors", b"aceipt", b"nopst", b"e",
];

/// Is `value` long, and do its characters follow each other as in drawn text? Hardly any drawn
/// value and hardly any name of public code is taken for the other.
pub(super) fn by_chance(value: &[u8]) -> bool {
    let pairs = || value.windows(2).filter(|two| two.iter().all(u8::is_ascii_alphanumeric));
    let odd = pairs().filter(|two| is_odd(two[0], two[1])).count();
    value.len() >= 16 && odd >= 5 && odd * 3 >= pairs().count()
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
