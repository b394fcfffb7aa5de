//! Values that only stand where a secret would: `$TOKEN`, `<your-key-here>`, `********`, `process.env.X`.
//!
//! Comes in: one value, or a token of the right shape. Goes out: is it a stand-in? The word lists name what no generated
//! value is by chance.

use super::chance::{by_chance, jumbled, rare_pairs, unspeakable, wordy};
use crate::redact::bytes::{contains, contains_exact, starts};

const TELLING: usize = 128; // bytes; what is no secret shows it early

/// Does `value` only stand where a secret would?
pub(in crate::redact) fn placeholder(value: &[u8]) -> bool {
    let value = &value[..value.len().min(TELLING)];
    value.is_empty()
        || is_number(value)
        || is_version(value)
        || is_colour(value)
        || masked(value)
        || refers(value)
        || is_stock(value)
        || value.strip_suffix(b"1").or_else(|| value.strip_suffix(b"2")).is_some_and(is_stock)
        || SEQUENCES.iter().any(|part| contains(value, part.as_bytes()))
        || (HINTS.iter().any(|hint| contains(value, hint.as_bytes()))
            || describes(value)
            || OPENINGS.iter().any(|opening| starts(value, opening.as_bytes())))
            && !ends_drawn(value)
}

/// `my-prod-9fQ2xKd07LmZ`, `example-d323d264a452`: words, and then what no person wrote.
pub(super) fn ends_drawn(value: &[u8]) -> bool {
    let last = value.rsplit(|b| !b.is_ascii_alphanumeric()).find(|chunk| !chunk.is_empty()).unwrap_or_default();
    last.len() < value.len() && is_drawn(last)
}

fn is_drawn(chunk: &[u8]) -> bool {
    let digits = chunk.iter().filter(|b| b.is_ascii_digit()).count();
    let capitals = chunk.iter().filter(|b| b.is_ascii_uppercase()).count();
    let humps = chunk.windows(2).filter(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase()).count();
    let rare = rare_pairs(chunk);
    if digits == chunk.len() {
        return digits >= 12;
    }
    let mixed = chunk.len() >= 12 && (humps + digits > 2 || capitals > 2 && rare > 0);
    let odd = !wordy(chunk) || jumbled(chunk) || by_chance(chunk) || unspeakable(chunk);
    let numbered = digits > 1 && chunk.len() >= 14;
    chunk.len() >= 8 && (odd || mixed || rare >= 2 && (numbered || rare * 6 >= chunk.len()))
}

// A word that stands for any secret, or that says something about one.
fn is_stock(value: &[u8]) -> bool {
    WORDS.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

// `10.8.0`, `1.2.840.113549`: versions, addresses and the names of algorithms.
fn is_version(value: &[u8]) -> bool {
    value.contains(&b'.') && value.iter().all(|b| b.is_ascii_digit() || *b == b'.')
}

// `#f8f8f2`: parts of a text are called tokens, too, and have colours.
fn is_colour(value: &[u8]) -> bool {
    let digits = value.strip_prefix(b"#").unwrap_or_default();
    matches!(digits.len(), 3 | 6 | 8) && digits.iter().all(u8::is_ascii_hexdigit)
}

// `128u32`, `-1072879725i32`, `0xC000006A_u32`, `0x10UL`: a number that says its type.
fn is_number(value: &[u8]) -> bool {
    const TYPES: &[&str] = &[
        "u8", "u16", "u32", "u64", "u128", "i8", "i16", "i32", "i64", "i128", "usize", "isize", "f32", "f64", "UL",
        "ULL",
    ];
    let digits = value.strip_prefix(b"-").unwrap_or(value);
    let hex = digits.starts_with(b"0x");
    let digits = digits.strip_prefix(b"0x").unwrap_or(digits);
    let typed = TYPES.iter().find_map(|name| digits.strip_suffix(name.as_bytes()));
    typed.is_some_and(|digits| {
        digits.len() <= 20 && digits.iter().all(|b| b.is_ascii_digit() || *b == b'_' || hex && b.is_ascii_hexdigit())
    })
}

// `***`, `xxxx`, `....`: one character again and again, or a stretch of such a mask.
fn masked(value: &[u8]) -> bool {
    let same = value.windows(2).all(|pair| pair[0] == pair[1]);
    let mut stretch = 0;
    let mut before = 0;
    let mask = value.iter().any(|&b| {
        stretch = if b == before { stretch + 1 } else { 1 };
        before = b;
        match b {
            b'*' | b'.' => stretch == 3,
            b'x' | b'X' => stretch == 5,
            // The bullet and the ellipsis, of which only the last byte need be seen.
            _ => stretch == 8,
        }
    });
    let crossed_out = [&b"xxx"[..], b"XXX"].iter().any(|end| value.ends_with(end));
    same || mask || crossed_out || contains(value, "\u{2026}".as_bytes()) || contains(value, "\u{2022}".as_bytes())
}

// `$VAR`, `${VAR}`, `{{ var }}`, `<token>`, `process.env.X`, `env("X")`, `[redacted:x]`.
fn refers(value: &[u8]) -> bool {
    let variable = match value {
        [b'$' | b'%' | b'#' | b'{' | b'<' | b'[' | b'(' | b'!' | b'&' | b'*' | b'@', rest @ ..] => {
            rest.iter().all(|b| b.is_ascii_alphabetic() || b"_${}[]()<>%.:-/ |?*+\"'&!".contains(b))
        }
        _ => false,
    };
    variable
        || matches!(value, [b'{', b'{' | b'_' | b'a'..=b'z' | b'A'..=b'Z', ..] | [b'$', b'{' | b'(', ..] | [b'<', ..])
        || starts(value, b"&lt;")
        || value.starts_with(b"[redacted:")
        || (value.first() == Some(&b'$')
            && value[1..].iter().all(|b| b.is_ascii_alphanumeric() || b"_:{}".contains(b))
            && !value[1..].first().is_some_and(u8::is_ascii_digit))
        || ORIGINS.iter().any(|origin| starts(value, origin.as_bytes()))
        || [&b"${"[..], b"{{", b"$(", b"#{", b"<<", b"[redacted:", b"()"].iter().any(|part| contains_exact(value, part))
        || [&b"%s"[..], b"{}"].iter().any(|mark| is_format(value, mark))
}

// A format mark stands for a value, unless what stands around it was drawn, or it stands amid letters and digits.
fn is_format(value: &[u8], mark: &[u8]) -> bool {
    let Some(at) = memchr::memmem::find(value, mark) else { return false };
    let token = |b: &&u8| b.is_ascii_alphanumeric();
    let (before, after) = (&value[..at], &value[at + mark.len()..]);
    let amid = before.iter().rev().take_while(token).count() > 2 && after.iter().take_while(token).count() > 2;
    let digit = before.iter().chain(after).any(u8::is_ascii_digit);
    !(amid && digit || value.split(|b| !b.is_ascii_alphanumeric()).any(is_drawn))
}

#[rustfmt::skip]
const ORIGINS: &[&str] = &[
    "process.env", "os.environ", "os.getenv", "environ", "getenv", "env.", "env(", "env[", "ENV[", "env:",
    "System.getenv", "import.meta", "config.", "settings.", "self.", "this.", "std::env", "secrets.", "vars.",
    "github.", "inputs.", "steps.", "Deno.env", "var.", "data.", "local.", "module.", "ssm:", "vault:", "op://",
    "arn:", "file:", "/run/secrets", "&dyn", "&str", "&'", "keychain:", "props.", "options.", "opts.", "args.",
    "req.", "request.", "params.", "ctx.", "state.", "user.", "@/", "./", "../", "~/",
];

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "null", "none", "nil", "true", "false", "undefined", "string", "str", "int", "number", "bool", "boolean",
    "object", "any", "bytes", "optional", "required", "void", "secret", "password", "token", "passwd", "value",
    "text", "hidden", "masked", "default", "empty", "unknown", "disabled", "enabled", "pass", "user", "inherit",
    "include", "omit", "same-origin", "bearer", "basic", "invalid", "missing", "valid", "expired", "function",
    "const", "return", "await", "async", "import", "export", "mysecret", "mypassword", "secret123", "password123",
    "passw0rd", "postgres", "root", "admin", "guest", "test", "varchar", "password1", "credentials", "prompt",
    "strong", "weak", "wrong", "correct", "incorrect", "generated", "encrypted", "hashed", "plaintext", "plain",
    "confirm", "redacted", "removed", "omitted", "never", "always", "changed", "reset", "forgot", "stored", "stdin",
    "keychain", "vault", "environment", "base64", "base64url", "utf8", "utf-8", "utf16le", "hex", "ascii", "latin1",
    "binary", "bcrypt", "argon2", "argon2id", "scrypt", "sha256", "sha512", "options", "option", "argument",
    "arguments", "parameter", "parameters", "flag", "flags", "failed", "string1", "string2", "username",
];

// Parts no generated value has by chance: long, or held together by a separator.
#[rustfmt::skip]
const HINTS: &[&str] = &[
    "your-", "your_", "your ", "example", "placeholder", "changeme", "change-me", "change_me", "change-this",
    "replace", "insert-", "insert_", "redacted", "-here", "_here", "sanitized", "not-a-real", "not-real",
];
const SEQUENCES: &[&str] = &["1234567890", "abcdefgh", "abcd1234", "deadbeef", "cafebabe", "123456789"];
const OPENINGS: &[&str] = &[
    "your", "fake", "dummy", "sample", "todo", "fixme", "my-", "my_", "some-", "test-", "test_", "local-", "mock",
    "stub",
];

// `e2e-test-secret-do-not-use`: words that say what would stand here.
fn describes(value: &[u8]) -> bool {
    const ABOUT: &[&str] = &["secret", "password", "token", "key", "test"];
    let words = || value.split(|b| matches!(b, b'-' | b'_' | b' '));
    words().count() > 2
        && words().all(|word| word.iter().all(u8::is_ascii_alphanumeric) && wordy(word))
        && words().any(|word| ABOUT.iter().any(|about| word.eq_ignore_ascii_case(about.as_bytes())))
        && !by_chance(value)
}

/// Is a token of the right shape only an illustration of that shape?
pub(super) fn illustration(token: &[u8]) -> bool {
    const MARKS: &[&str] = &["example", "placeholder", "changeme", "redacted", "your-", "your_", "-here", "_here"];
    masked(token) || MARKS.iter().any(|mark| contains(token, mark.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders() {
        for value in [
            "",
            "$TOKEN",
            "${TOKEN}",
            "$env:TOKEN",
            "$(cat x)",
            "<token>",
            "<your token>",
            "***",
            "******",
            "xxxxxxxx",
            "your-token-here",
            "YOUR_API_KEY",
            "process.env.X",
            "os.environ[",
            "None",
            "null",
            "true",
            "string",
            "{{ token }}",
            "{token}",
            "%s",
            "[redacted:token]",
            "sk-....",
            "abc***def",
            "changeme",
            "%TOKEN%",
            "&str",
            "e2e-test-secret-do-not-use",
            "jwt_secret_for_ci",
            "!vault",
            "secrets.TOKEN",
            "%(password)s",
            "10.8.0",
            "#f8f8f2",
        ] {
            assert!(placeholder(value.as_bytes()), "{value}");
        }
    }
}
