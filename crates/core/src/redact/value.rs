//! Is this value a secret, or does it only stand where one would?
//!
//! Transcripts are full of code and documentation about secrets: `password: string`,
//! `token=$TOKEN`, `<your-key-here>`, `os.environ["X"]`. Those must stay readable. Everything
//! here looks at one value; what its name says is decided elsewhere.

use super::letters;
use std::ops::Range;

/// A value as it stands in the text.
pub(super) struct Value {
    /// Its bytes, without quotes.
    pub span: Range<usize>,
    /// Whether it stood in quotes.
    pub quoted: bool,
}

const LONGEST: usize = 1_024; // bytes of a value that are looked at

/// Which characters end a value without quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// Code, queries, lists: any delimiter.
    AtDelimiter,
    /// A line of its own: a delimiter belongs to the value unless it closes it.
    AtSpace,
}

/// The value that begins at `at`.
pub(super) fn value_at(text: &[u8], at: usize, ends: Ends) -> Option<Value> {
    let at = match text.get(at..at + 2) {
        Some([b'b' | b'r' | b'f' | b'u' | b'B' | b'R' | b'F' | b'U' | b'@', b'"' | b'\'']) => at + 1,
        _ => at,
    };
    let rest = &text[at.min(text.len())..];
    let rest = &rest[..rest.len().min(LONGEST)];
    match rest.first()? {
        quote @ (b'"' | b'\'' | b'`') => {
            let triple = rest.starts_with(&[*quote; 3]);
            let open = if triple { 3 } else { 1 };
            let len = quoted_len(&rest[open..], *quote);
            Some(Value { span: at + open..at + open + len, quoted: true })
        }
        _ => {
            let len = bare_len(rest, ends);
            let bare = rest[..len].iter().rposition(|b| !closes(*b)).map_or(0, |last| last + 1);
            (bare > 0).then_some(Value { span: at..at + bare, quoted: false })
        }
    }
}

/// Where a value really ends that was looked at only up to `end`.
pub(super) fn past(text: &[u8], span: &Range<usize>) -> usize {
    let cut = span.len() + 1 >= LONGEST;
    let ends = |b: &&u8| !matches!(b, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | 0..=b' ');
    span.end + if cut { text[span.end..].iter().take_while(ends).count() } else { 0 }
}

fn quoted_len(rest: &[u8], quote: u8) -> usize {
    let mut escaped = false;
    let end = rest.iter().position(|&b| {
        let ends = b == b'\n' || b == b'\r' || (b == quote && !escaped);
        escaped = b == b'\\' && !escaped;
        ends
    });
    end.unwrap_or(rest.len())
}

fn bare_len(rest: &[u8], ends: Ends) -> usize {
    let end = (0..rest.len()).find(|&at| match rest[at] {
        b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | 0..=b' ' | 0x7f => true,
        b',' | b';' | b'&' | b'|' | b')' | b'}' | b']' => ends == Ends::AtDelimiter || closes_here(&rest[at + 1..]),
        _ => false,
    });
    end.unwrap_or(rest.len())
}

// After a delimiter that ends a value comes nothing, space, another one, or the next name.
fn closes_here(after: &[u8]) -> bool {
    match after.first() {
        None | Some(0..=b' ' | b',' | b';' | b'&' | b'|' | b')' | b'}' | b']' | b'"' | b'\'' | b'\\') => true,
        Some(_) => {
            let name = after.iter().take(40).take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
            name > 1 && matches!(after.get(name), Some(b'=' | b':'))
        }
    }
}

fn closes(byte: u8) -> bool {
    matches!(byte, b'.' | b',' | b';' | b':' | b')' | b'}' | b']' | b'?')
}

const TELLING: usize = 128; // bytes; what is no secret shows it early

/// Does `value` only stand where a secret would?
pub(super) fn placeholder(value: &[u8]) -> bool {
    let value = &value[..value.len().min(TELLING)];
    value.is_empty()
        || is_number(value)
        || masked(value)
        || refers(value)
        || WORDS.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
        || HINTS.iter().any(|hint| contains(value, hint.as_bytes()))
        || describes(value)
        || OPENINGS.iter().any(|opening| starts(value, opening.as_bytes()))
}

// `128u32`, `-1072879725i32`, `0xC000006A_u32`: a number that says its type.
fn is_number(value: &[u8]) -> bool {
    const TYPES: &[&str] =
        &["u8", "u16", "u32", "u64", "u128", "i8", "i16", "i32", "i64", "i128", "usize", "isize", "f32", "f64"];
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
    same || mask || contains(value, "\u{2026}".as_bytes()) || contains(value, "\u{2022}".as_bytes())
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
        || [&b"${"[..], b"{{", b"$(", b"%s", b"{}", b"#{", b"<<", b"[redacted:", b"()"]
            .iter()
            .any(|part| contains_exact(value, part))
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
    "1234567890", "abcdefgh",
];
const OPENINGS: &[&str] =
    &["your", "fake", "dummy", "sample", "todo", "fixme", "my-", "my_", "some-", "test-", "test_"];

// `e2e-test-secret-do-not-use`: words that say what would stand here.
fn describes(value: &[u8]) -> bool {
    const ABOUT: &[&str] = &["secret", "password", "token", "key", "test"];
    let words = || value.split(|b| matches!(b, b'-' | b'_' | b' '));
    words().count() > 2
        && words().all(|word| word.iter().all(u8::is_ascii_alphanumeric) && wordy(word))
        && words().any(|word| ABOUT.iter().any(|about| word.eq_ignore_ascii_case(about.as_bytes())))
        && !letters::by_chance(value)
}

/// Is a token of the right shape only an illustration of that shape?
pub(super) fn illustration(token: &[u8]) -> bool {
    const MARKS: &[&str] = &["example", "placeholder", "changeme", "redacted", "your-", "your_", "-here", "_here"];
    masked(token) || MARKS.iter().any(|mark| contains(token, mark.as_bytes()))
}

/// Could a person have chosen `value` as a password?
pub(super) fn chosen(value: &[u8], quoted: bool) -> bool {
    if value.len() < 6 || placeholder(value) || value.iter().any(|b| *b <= b' ') {
        return false;
    }
    let letters = value.iter().all(u8::is_ascii_alphabetic);
    // `"Password"`, `"passwordFactor"`: a label or a name, in quotes.
    let label = letters && value.iter().any(u8::is_ascii_uppercase) && wordy(value) && !mixed(value);
    if quoted {
        return !label && !expression(value) && !is_path(value);
    }
    let odd = || value.split(|b| !b.is_ascii_alphanumeric()).any(jumbled) || letters::by_chance(value);
    let telling = value.iter().any(|b| b.is_ascii_digit() || b"!@#$%^&*+=~".contains(b)) || mixed(value) || odd();
    telling && value.iter().any(u8::is_ascii_alphabetic) && !is_type(value) && !expression(value) && !is_path(value)
}

// `Uint8Array`, `FilePointer`: a capital, then words.
fn is_type(value: &[u8]) -> bool {
    let number_inside = value.iter().rposition(u8::is_ascii_digit).is_none_or(|at| at + 1 < value.len());
    value[0].is_ascii_uppercase() && value.iter().all(u8::is_ascii_alphanumeric) && number_inside && wordy(value)
}

// Letters with a capital inside, and none of the words that names in code are made of.
fn mixed(value: &[u8]) -> bool {
    value.len() >= 10
        && value.iter().all(u8::is_ascii_alphabetic)
        && value[1..].iter().any(u8::is_ascii_uppercase)
        && value.iter().any(u8::is_ascii_lowercase)
        && !IN_NAMES
            .iter()
            .any(|word| if word.len() > 3 { contains(value, word.as_bytes()) } else { piece(value, word) })
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

/// Is `value` the name of a setting: words joined by `_`, `-` or `.`, one of them about secrets?
pub(super) fn is_name(value: &[u8]) -> bool {
    const ABOUT: &[&str] = &["pass", "secret", "token", "key", "cred", "auth"];
    let part = |b: &u8| b.is_ascii_alphabetic() || matches!(b, b'_' | b'-' | b'.' | b'/');
    value.iter().all(part) && ABOUT.iter().any(|word| contains(value, word.as_bytes()))
}

/// Is `word` a word, but none that says how something is?
pub(super) fn is_uncommon_word(word: &[u8]) -> bool {
    #[rustfmt::skip]
    const ENDINGS: &[&str] = &[
        "ed", "ing", "ent", "ant", "ble", "al", "ory", "ary", "ive", "ful", "less", "ous", "ic", "ect", "ly", "ion", "ness",
        "ate", "ity", "er", "ere", "thing", "one", "side", "text", "word", "name", "put", "out", "ten", "own", "wise",
    ];
    word.len() >= 8
        && word.iter().all(u8::is_ascii_lowercase)
        && !placeholder(word)
        && !ENDINGS.iter().any(|ending| word.ends_with(ending.as_bytes()))
}

/// Is `word` one that only sentences have?
pub(super) fn is_function_word(word: &[u8]) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "the", "your", "you", "and", "for", "not", "must", "enter", "please", "with", "that", "this", "has", "have",
        "was", "will", "should", "can", "are", "invalid", "required", "password", "from", "use", "set", "new", "least",
    ];
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// Could `value` be meant literally, where only a literal makes sense?
pub(super) fn literal(value: &[u8]) -> bool {
    value.len() >= 6 && !placeholder(value) && !expression(value) && !is_path(value)
}

/// Does `value` look generated?
pub(super) fn random(value: &[u8]) -> bool {
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

// A word, a number, or a name with a number in it: `sha256`, `2024`, `camelCase`, `Uint8Array`.
// Capitals tell names from generated letters: a name has one to begin a word, chance has half.
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

// `user.password`, `get_token(x)`, `tokens[0]`, `Token::new`, `a->b`, `x => y`.
fn expression(value: &[u8]) -> bool {
    let name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'$';
    let value = value.strip_prefix(b"::").unwrap_or(value);
    let head = value.iter().take_while(|b| name(b)).count();
    let chain = value.iter().take_while(|b| name(b) || b".?!:->".contains(b)).count();
    let called = head > 0
        && (matches!(value.get(chain), Some(b'(' | b'['))
            || matches!(value.get(head..head + 2), Some(b"::" | b"->" | b"=>" | b"?." | b"!."))
            || value.get(head) == Some(&b'=') && value.iter().all(|b| b.is_ascii_lowercase() || *b == b'=')
            || value.get(head) == Some(&b'.') && dotted(value));
    called || PATTERNS.iter().any(|part| contains_exact(value, part))
}

// Code, and the signs of regular expressions.
const PATTERNS: &[&[u8]] =
    &[b"();", b"=>", b"\\w", b"\\d", b"\\s", b"\\S", b"[^", b"(?", b".*", b"[a-z", b"[A-Z", b"[0-9"];

// Names joined by dots: at least one is a plain word, none looks generated.
fn dotted(value: &[u8]) -> bool {
    let end = value.iter().position(|b| matches!(b, b'(' | b'[' | b'?' | b'!')).unwrap_or(value.len());
    value[..end].split(|b| *b == b'.').all(|part| {
        part.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
            && part.split(|b| *b == b'_').all(|word| word.iter().all(u8::is_ascii_alphanumeric) && wordy(word))
    }) && !value[..end].split(|b| !b.is_ascii_alphanumeric()).any(jumbled)
        && !letters::by_chance(&value[..end])
}

/// Mostly capitals but not only, digits first or in two places, a capital at every other letter: hardly a name that a
/// person gave. And what old vaults put behind `s.`.
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

/// Is `value` a path or a web address?
pub(super) fn is_path(value: &[u8]) -> bool {
    let slashes = value.iter().filter(|b| **b == b'/').count();
    let rooted = matches!(value, [b'/', ..] | [b'~', b'/', ..] | [b'.', b'/', ..] | [_, b':', b'\\' | b'/', ..]);
    contains_exact(value, b"://")
        || slashes > 0 && (rooted || slashes > 1) && value.split(|b| !b.is_ascii_alphanumeric()).all(wordy)
}

fn starts(text: &[u8], with: &[u8]) -> bool {
    text.get(..with.len()).is_some_and(|head| head.eq_ignore_ascii_case(with))
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.len() >= part.len() && text.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part))
}

fn contains_exact(text: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(text, part).is_some()
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
        ] {
            assert!(placeholder(value.as_bytes()), "{value}");
        }
    }

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
