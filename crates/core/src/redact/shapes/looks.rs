//! Does a value look like a secret: generated, chosen by a person, or at least meant literally?
//!
//! Comes in: one value. Goes out: yes or no. Transcripts are full of code and documentation about secrets:
//! `password: string`, `token=$TOKEN`, `<your-key-here>`, `os.environ["X"]`. Those must stay readable. What stands around the
//! value is not asked here; `named` does that, and then picks the question that fits.

use super::chance::{by_chance, jumbled, rare_pairs, unnatural, unspeakable, wordy};
use super::code::{expression, is_name, is_path, is_type};
use super::placeholder::{ends_drawn, placeholder};
use crate::redact::bytes::{contains, contains_exact, starts};

/// Could a person have chosen `value` as a password?
pub(in crate::redact) fn chosen(value: &[u8], quoted: bool) -> bool {
    if value.len() < 6 || placeholder(value) || value.iter().any(|b| *b <= b' ') {
        return false;
    }
    let letters = value.iter().all(u8::is_ascii_alphabetic);
    // `"Password"`, `"passwordFactor"`: a label or a name, in quotes.
    let label = letters && value.iter().any(u8::is_ascii_uppercase) && wordy(value) && !mixed(value);
    if quoted {
        return !label && !expression(value) && !is_path(value);
    }
    let odd = || value.split(|b| !b.is_ascii_alphanumeric()).any(jumbled) || by_chance(value);
    let telling = value.iter().any(|b| b.is_ascii_digit() || b"!@#$%^&*+=~".contains(b)) || mixed(value) || odd();
    telling && value.iter().any(u8::is_ascii_alphabetic) && !is_type(value) && !expression(value) && !is_path(value)
}

// Letters with a capital inside, but no word that names in code are made of.
fn mixed(value: &[u8]) -> bool {
    value.len() >= 10
        && value.iter().all(u8::is_ascii_alphabetic)
        && value[1..].iter().any(u8::is_ascii_uppercase)
        && value.iter().any(u8::is_ascii_lowercase)
        && !IN_NAMES
            .iter()
            .any(|word| if word.len() > 3 { contains(value, word.as_bytes()) } else { piece(value, word) })
}

/// Letters with capitals inside that are no name in code: `WalnutSilver`.
pub(in crate::redact) fn is_compound(value: &[u8]) -> bool {
    mixed(value)
}

// Is `word` one of the words that capitals mark in `name`?
fn piece(name: &[u8], word: &str) -> bool {
    let begins = |at: usize| at == 0 || name[at].is_ascii_uppercase();
    let ends = |at: usize| name.get(at).is_none_or(u8::is_ascii_uppercase);
    (0..name.len()).any(|at| begins(at) && starts(&name[at..], word.as_bytes()) && ends(at + word.len()))
}

#[rustfmt::skip]
const IN_NAMES: &[&str] = &[
    "pass", "word", "secret", "token", "key", "user", "field", "input", "form", "hash", "label", "text", "name", "value",
    "reset", "login", "auth", "type", "error", "require", "valid", "confirm", "cred", "string", "data", "code", "get",
    "new", "old", "encrypt", "config", "prop", "param", "opt", "arg", "req", "default", "plain", "client", "service",
    "this", "that", "current", "change", "update", "create", "delete", "provider", "manager", "handler", "factory",
    "email", "account", "admin", "test", "mock", "expected", "actual", "result", "event", "state", "store", "session",
    "request", "response", "header", "id",
];

/// Words or a number that a person may have chosen, where a literal stands: `correct-horse-battery`, `swordfish`, `481516`.
/// Not what only speaks of secrets, and not the words that settings are made of.
pub(in crate::redact) fn worded(value: &[u8]) -> bool {
    let number = value.iter().all(u8::is_ascii_digit);
    let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    value.len() >= 6
        && value.iter().all(part)
        && (number || value[0].is_ascii_alphanumeric())
        && value.last().is_some_and(u8::is_ascii_alphanumeric)
        && !placeholder(value)
        && !is_name(value)
        && !is_path(value)
        && !expression(value)
        && !IN_SETTINGS.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

/// The same where code is likely: tests and settings are full of names such as `new-token-2` and `local-proxy`. So three long
/// words, one very long one, letters that no word has, or a number.
pub(in crate::redact) fn uncommon(value: &[u8]) -> bool {
    let words = || value.split(|b| !b.is_ascii_alphanumeric());
    let long = |word: &[u8]| word.len() >= 4 && word.iter().all(u8::is_ascii_lowercase) && !is_in_names(word);
    let number = value.iter().all(u8::is_ascii_digit);
    let one = words().count() == 1;
    let lower = value.iter().all(u8::is_ascii_lowercase);
    // `purple-lantern-87`
    let digits = |word: &[u8]| word.iter().all(u8::is_ascii_digit);
    let numbered =
        || words().all(|word| long(word) || digits(word)) && words().filter(|word| digits(word)).count() == 1;
    let is_long_word =
        || is_uncommon(value) || value.len() >= 11 && !DESCRIBING.iter().any(|end| value.ends_with(end.as_bytes()));
    worded(value)
        && (number
            || words().count() >= 3 && words().all(long)
            || words().count() >= 3 && numbered()
            || one && lower && (value.len() >= 10 && is_long_word() && !is_in_names(value) || unspeakable(value))
            || one && mixed(value)
            || one && value.len() <= 8 && by_hand(value)
            || is_grouped(value))
}

const DESCRIBING: &[&str] =
    &["tion", "sion", "ment", "ness", "able", "ible", "ated", "ized", "ised", "ting", "ally", "ical", "izer"];

// Four letters and two digits, in any order: too short for a name with a number. Among capitals they must stand inside, as
// in no constant but the name of an algorithm.
fn by_hand(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let inside = || value.last().is_some_and(u8::is_ascii_alphabetic) && value[0].is_ascii_alphabetic();
    let constant = value.iter().all(|b| !b.is_ascii_lowercase());
    digits >= 2 && value.len() - digits >= 3 && (!constant || value.len() == 8 && inside() && !is_technical(value))
}

// `TFAR-VGUE-SAAB-HHND`: capitals and digits in groups of one length, as licence keys are written.
fn is_grouped(value: &[u8]) -> bool {
    let group = |part: &[u8]| part.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    let groups = || value.split(|b| *b == b'-');
    let len = groups().next().map_or(0, <[u8]>::len);
    len >= 4 && groups().count() >= 3 && groups().all(|part| part.len() == len && group(part))
}

/// Does `value` have something that neither a sentence nor a setting has: a number, capitals or signs among its letters? Not
/// the names of algorithms, as in "base64-encoded", and not words with dashes and numbers, as in `local-proxy-2`.
pub(in crate::redact) fn coined(value: &[u8]) -> bool {
    let telling = |b: &u8| b.is_ascii_digit() || b"!@#$^*~%".contains(b);
    let short = || value.iter().all(u8::is_ascii_alphanumeric) && value.len() == 8 && by_hand(value);
    value.len() >= 8
        && (value.iter().any(telling) && (random(value) || chosen(value, false) || short()) || is_grouped(value))
        && !is_kebab(value)
        && (is_grouped(value) || !is_technical(value))
}

/// [`coined`], or a number, three words and more, letters that no word has: what a sentence says only where a value is due.
pub(in crate::redact) fn pronounced(value: &[u8]) -> bool {
    let words = value.split(|b| matches!(b, b'-' | b'_' | b'.')).count() > 2;
    let digit = value.iter().any(u8::is_ascii_digit) && !is_technical(value);
    let drawn = ends_drawn(value) && !placeholder(value) && !is_kebab(value);
    coined(value) || drawn || (digit || words || unspeakable(value)) && uncommon(value)
}

/// Words and numbers joined by dashes, such as `new-token-2`.
pub(in crate::redact) fn is_kebab(value: &[u8]) -> bool {
    let word = |chunk: &[u8]| {
        let letters = chunk.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let small = chunk.iter().take(letters).skip(1).all(u8::is_ascii_lowercase);
        let number = chunk[letters..].iter().all(u8::is_ascii_digit);
        small && number && !unnatural(&chunk[..letters]) && rare_pairs(chunk) * 6 <= chunk.len().max(6)
    };
    value.contains(&b'-') && value.split(|b| matches!(b, b'-' | b'_' | b'.')).all(word)
}

// Is a part of `value` the name of an algorithm or format with a number: `sha256`, `OAuth2`, `x509`?
fn is_technical(value: &[u8]) -> bool {
    let numbered = |chunk: &[u8], stem: &str| {
        let rest = chunk.get(stem.len()..).filter(|_| starts(chunk, stem.as_bytes())).unwrap_or_default();
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let spelled = stem.len() > 2 || digits == 3 || chunk.iter().all(|b| !b.is_ascii_uppercase());
        digits > 0 && spelled && rest[digits..].iter().all(|b| b.is_ascii_lowercase() && stem.len() > 2)
    };
    value.split(|b| !b.is_ascii_alphanumeric()).any(|chunk| TECHNICAL.iter().any(|stem| numbered(chunk, stem)))
}

#[rustfmt::skip]
const TECHNICAL: &[&str] = &[
    "sha", "aes", "rsa", "hmac", "hmacsha", "base", "utf", "oauth", "http", "x", "ed", "md", "ipv", "argon", "pbkdf", "p", "hs", "rs", "es",
    "ps", "ec", "s", "v", "web", "int", "uint", "float", "crc", "tls", "blake", "secp", "pkcs", "python", "node", "win", "amd", "arm", "k",
];

fn is_in_names(word: &[u8]) -> bool {
    IN_NAMES.iter().chain(IN_SETTINGS).any(|name| name.len() > 3 && contains(word, name.as_bytes()))
}

/// Is `word` none that says how something is?
pub(in crate::redact) fn is_uncommon(word: &[u8]) -> bool {
    #[rustfmt::skip]
    const ENDINGS: &[&str] = &[
        "ed", "ing", "ent", "ant", "ble", "al", "ory", "ary", "ive", "ful", "less", "ous", "ic", "ect", "ly", "ion", "ness",
        "ate", "ity", "er", "ere", "thing", "one", "side", "text", "word", "name", "put", "out", "ten", "own", "wise",
    ];
    !ENDINGS.iter().any(|ending| word.ends_with(ending.as_bytes()))
}

// What else stands under such a name.
#[rustfmt::skip]
const IN_SETTINGS: &[&str] = &[
    "string", "boolean", "integer", "symbol", "unknown", "public", "private", "static", "global", "inline", "manual", "automatic",
    "github", "gitlab", "google", "azure", "openai", "anthropic", "stripe", "twilio", "slack", "docker", "cookie", "cookies", "header", "headers",
    "session", "sessions", "request", "response", "client", "server", "service", "backend", "frontend", "database", "access",
    "refresh", "identity", "normal", "simple", "single", "double", "current", "latest", "stable", "active", "inactive", "revoked",
    "pending", "provided", "present", "absent", "allowed", "denied", "granted", "needed", "optional", "rotated", "available",
    "configured", "supported", "unsupported", "literal", "variable", "constant", "keyword", "identifier", "number", "comment",
    "punctuation", "operator", "whitespace", "newline", "external", "internal", "managed", "unmanaged", "sensitive", "nullable",
    "readonly", "writable", "deprecated", "experimental", "personal", "shared", "project", "organization", "workspace", "account",
];

/// Could `value` be meant literally, where only a literal makes sense?
pub(in crate::redact) fn literal(value: &[u8]) -> bool {
    value.len() >= 6 && !placeholder(value) && !expression(value) && !is_path(value)
}

/// Does `value` look generated?
pub(in crate::redact) fn random(value: &[u8]) -> bool {
    if value.len() < 8 || !value.iter().all(u8::is_ascii_graphic) || placeholder(value) {
        return false;
    }
    if contains_exact(value, b"://") || is_name(value) || IDS.iter().any(|id| value.starts_with(id.as_bytes())) {
        return false;
    }
    let odd = value.split(|b| !b.is_ascii_alphanumeric()).filter(|chunk| !wordy(chunk));
    let (most, all) = odd.fold((0, 0), |(most, all), chunk| (chunk.len().max(most), chunk.len() + all));
    (most >= 8 || all >= 10) && !expression(value)
}

// Names that tools give to calls and messages: long, random, and not secret.
#[rustfmt::skip]
const IDS: &[&str] = &[
    "toolu_", "call_", "msg_", "srvtoolu_", "chatcmpl-", "resp_", "req_", "run_", "thread_", "sha256-", "sha384-",
    "sha512-", "sha256:", "sha1-", "session_", "0x",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_passwords_are_not_placeholders() {
        for value in [
            "rk_test_swe5oYLBwbrlXffeqNsGlyHf",
            "hunter22",
            "Tr0ub4dor&3",
            "$ecret!99x",
            "p@ssw0rd!",
            "a1b2c3d4",
            "$2b$10$abcDEF",
        ] {
            assert!(chosen(value.as_bytes(), false), "{value}");
        }
    }

    #[test]
    fn code_is_not_a_password() {
        for value in [
            "string",
            "user.password",
            "getPassword(1)",
            "new_password",
            "tokens[0]",
            "Option<String>",
            "hash_password(pw1)",
            "z.string().min(8)",
            "/run/secrets/db1",
            "SecretStr",
            "Password",
        ] {
            assert!(!chosen(value.as_bytes(), false), "{value}");
        }
    }

    #[test]
    fn generated_values_look_random() {
        for value in
            ["9f86d081884c7d659a2feaa0", "Zk3x9Qw1Lp0v", "a8f5f167-f44f-4964-e6c9-98dd1a2b3c4d", "qXvRtYpLmZkWsBnDqHc"]
        {
            assert!(random(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn words_and_versions_do_not() {
        for value in [
            "claude-opus-4-5-20251101",
            "2024-01-01",
            "1718000000000",
            "some-kebab-name",
            "camelCaseNameOfThing",
            "sha256",
            "python3.11",
            "v1.2.3-rc.1",
            "src/redact/mod.rs",
            "https://host/a1b2c3d4e5",
            "toolu_01A2b3C4d5E6f7",
        ] {
            assert!(!random(value.as_bytes()), "{value}");
        }
    }
}
