//! What in a statement could do harm if it were made up: commands, paths, URLs, options, numbers, names.
//!
//! Comes in: a statement and the spans it quotes. Goes out: the first of these that stands in none of the spans. Words that
//! only describe are not looked at here; how many of them are the quotes' own is counted in `check`.

use super::words::stem;
use crate::detect::signals::words_of;
use crate::normal::programs;

/// The first thing a statement names that stands in no span.
pub(super) fn made_up<'s>(statement: &'s str, spans: &[&str]) -> Option<&'s str> {
    let (codes, prose) = codes(statement);
    let missing = |code: &&str| !spans.iter().any(|span| holds(span, code));
    if let Some(code) = codes.into_iter().find(missing) {
        return Some(code);
    }
    let words: Vec<Word<'_>> = prose.into_iter().flat_map(words_in).collect();
    let said = Said::of(spans);
    (0..words.len()).find(|at| !said.has(&words, *at)).map(|at| words[at].text)
}

/// A word of a statement, and whether a sentence begins with it.
struct Word<'s> {
    text: &'s str,
    first: bool,
}

/// What stands between backticks, and what does not.
fn codes(statement: &str) -> (Vec<&str>, Vec<&str>) {
    let parts = statement.split('`').enumerate();
    // A backtick that is not closed opens nothing.
    let closed = statement.matches('`').count() / 2 * 2;
    let (code, prose): (Vec<_>, Vec<_>) = parts.partition(|(n, _)| n % 2 == 1 && *n < closed);
    (texts(code), texts(prose))
}

fn texts(of: Vec<(usize, &str)>) -> Vec<&str> {
    of.into_iter().map(|(_, text)| text.trim()).filter(|text| !text.is_empty()).collect()
}

fn words_in(prose: &str) -> Vec<Word<'_>> {
    let mut first = true;
    let mut out = Vec::new();
    for raw in prose.split_whitespace() {
        let text = raw.trim_start_matches(OPENING).trim_end_matches(CLOSING);
        if !text.is_empty() {
            out.push(Word { text, first });
        }
        first = raw.ends_with(['.', '!', '?', ':']);
    }
    out
}

const OPENING: &[char] = &['(', '[', '{', '"', '\'', '“', '‘', '«', '<'];
const CLOSING: &[char] = &[')', ']', '}', '"', '\'', '”', '’', '»', '>', ',', '.', ';', ':', '!', '?'];

/// What the spans say.
struct Said<'s> {
    spans: &'s [&'s str],
    stems: std::collections::HashSet<String>,
}

impl<'s> Said<'s> {
    fn of(spans: &'s [&'s str]) -> Self {
        let words = || spans.iter().flat_map(|span| words_of(span));
        let parts = words().flat_map(|w| w.split('-').map(stem).collect::<Vec<_>>());
        Self { spans, stems: words().map(|w| stem(&w)).chain(parts).collect() }
    }

    /// Whether a word is one that needs no proof, or has it.
    fn has(&self, words: &[Word<'_>], at: usize) -> bool {
        let word = &words[at];
        let text = word.text;
        let lower = text.to_lowercase();
        match kind_of(word, words.get(at + 1)) {
            Kind::Exact => self.stands(text) || self.has_pieces(text),
            Kind::Number => self.stands(text) || digits(&lower).is_some_and(|d| self.stands(d)),
            Kind::Name => self.stands(text) || self.has_stems(&lower),
            Kind::Plain => {
                let run = at > 0 && RUNS.contains(&words[at - 1].text.to_lowercase().as_str());
                let program = programs::is_known(&lower) && (run || !ENGLISH.contains(&lower.as_str()));
                let named = program || run && !FOLLOWS.contains(&lower.as_str());
                !named || self.has_stems(&lower)
            }
        }
    }

    fn stands(&self, text: &str) -> bool {
        self.spans.iter().any(|span| holds(span, text))
    }

    /// Whether all words of a compound are there: "GitHub-hosted", "read/write".
    fn has_stems(&self, lower: &str) -> bool {
        let mut parts = words_of(lower).flat_map(|w| w.split('-').map(str::to_owned).collect::<Vec<_>>()).peekable();
        parts.peek().is_some() && parts.all(|part| self.stems.contains(&stem(&part)))
    }

    /// "and/or", "frontend/backend": plain words with a stroke between them are no path.
    fn has_pieces(&self, text: &str) -> bool {
        let plain = |piece: &str| !piece.is_empty() && piece.chars().all(char::is_alphabetic);
        text.contains('/')
            && text
                .split('/')
                .all(|piece| plain(piece) && (JOINED.contains(&piece) || self.has_stems(&piece.to_lowercase())))
    }
}

/// What a word is, by its shape.
enum Kind {
    /// Must stand in a span as it is: a path, a URL, an option, an identifier.
    Exact,
    /// A number, in digits or letters.
    Number,
    /// Something with a name.
    Name,
    /// A word like others.
    Plain,
}

fn kind_of(word: &Word<'_>, next: Option<&Word<'_>>) -> Kind {
    let text = word.text;
    let lower = text.to_lowercase();
    if ABBREVIATED.contains(&lower.as_str()) {
        return Kind::Plain;
    }
    let inner_dot = text.split('.').filter(|part| !part.is_empty()).count() > 1 || text.starts_with('.');
    if text.starts_with(['-', '/', '~', '\\']) && text.len() > 1
        || inner_dot
        || text.contains([
            '/', '\\', '_', '@', '#', '$', '=', '*', '<', '>', '|', '&', '%', '^', '+', ':', '(', ')', '{', '[',
        ])
    {
        return Kind::Exact;
    }
    if text.chars().any(char::is_numeric) || digits(&lower).is_some() {
        return Kind::Number;
    }
    let upper = |c: char| c.is_uppercase();
    let inside = text.chars().skip(1).any(upper);
    // `maxRetries` is nobody's name.
    if inside && text.starts_with(char::is_lowercase) {
        return Kind::Exact;
    }
    // "Jenkins builds it" names somebody; "Build it" does not.
    let subject = next.is_some_and(|n| VERBS.contains(&n.text.to_lowercase().as_str()));
    let begins = text.starts_with(upper) && (!word.first || subject);
    let emphasis = STRESSED.contains(&lower.as_str());
    if (inside || begins) && !emphasis && text != "I" { Kind::Name } else { Kind::Plain }
}

/// Whether a text stands in a span as a word or words of its own.
fn holds(span: &str, text: &str) -> bool {
    let (span, text) = (span.to_lowercase(), text.to_lowercase());
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let edge = |c: Option<char>, own: Option<char>| match (c, own) {
        (Some(c), Some(own)) if part(own) => !part(c),
        // `-f` is no part of `--force`.
        (Some(c), Some('-')) => !(part(c) || c == '-'),
        _ => true,
    };
    span.match_indices(&text).any(|(at, _)| {
        let (before, behind) = (span[..at].chars().next_back(), &span[at + text.len()..]);
        let mut behind = behind.chars();
        let (next, further) = (behind.next(), behind.next());
        let longer = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        // 5 is not in 1.5, nor in 5.1 or 5-10.
        let number = text.starts_with(|c: char| c.is_ascii_digit())
            && matches!(before, Some('.' | ','))
            && longer(span[..at].chars().rev().nth(1))
            || text.ends_with(|c: char| c.is_ascii_digit()) && matches!(next, Some('.' | ',')) && longer(further);
        edge(before, text.chars().next()) && edge(next, text.chars().next_back().filter(|c| part(*c))) && !number
    })
}

/// A number in letters, in digits.
fn digits(word: &str) -> Option<&'static str> {
    NUMBERS.iter().find(|(letters, _)| *letters == word).map(|(_, digits)| *digits)
}

/// "one" is not one of them: "the other one".
#[rustfmt::skip]
const NUMBERS: &[(&str, &str)] = &[
    ("two", "2"), ("twice", "2"), ("three", "3"), ("four", "4"), ("five", "5"), ("six", "6"), ("seven", "7"), ("eight", "8"),
    ("nine", "9"), ("ten", "10"), ("eleven", "11"), ("twelve", "12"), ("fifteen", "15"), ("twenty", "20"), ("thirty", "30"),
    ("forty", "40"), ("fifty", "50"), ("sixty", "60"), ("seventy", "70"), ("eighty", "80"), ("ninety", "90"),
    ("hundred", "100"), ("thousand", "1000"), ("million", "1000000"), ("half", "50"),
];

const ABBREVIATED: &[&str] = &["e.g", "i.e", "etc", "vs"];
/// Words before what is run.
const RUNS: &[&str] =
    &["run", "running", "execute", "executing", "invoke", "invoking", "install", "installing", "launch"];
/// What may follow them and is no command.
#[rustfmt::skip]
const FOLLOWS: &[&str] = &[
    "the", "a", "an", "all", "any", "every", "each", "it", "them", "this", "that", "these", "those", "only", "again", "once", "its",
    "in", "on", "as", "with", "without", "from", "at", "your", "our", "their", "both", "no", "new", "full", "and", "or", "before",
    "after", "until", "locally", "first", "whatever", "one", "more", "into", "against", "by", "not",
];
/// May follow a name that a sentence begins with.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "is", "are", "was", "were", "has", "have", "had", "does", "did", "must", "should", "will", "would", "can", "cannot", "needs",
    "uses", "runs", "wants", "requires", "owns", "builds", "expects", "means", "lives", "stands",
];
/// Words that people write large to be heard.
#[rustfmt::skip]
const STRESSED: &[&str] = &[
    "not", "never", "always", "must", "only", "all", "no", "do", "don't", "and", "or", "any", "every", "before", "after", "first",
];
/// Between two words with a stroke.
const JOINED: &[&str] = &["and", "or", "either", "yes", "no", "on", "off"];

/// Programs whose names are words like others.
#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "at", "black", "bat", "alias", "builtin", "bundle", "cat", "clear", "column", "command", "composer", "convert", "cut", "dash",
    "date", "echo", "exec", "exit", "export", "express", "false", "fetch", "file", "find", "fish", "fold", "gem", "go", "got",
    "hash", "head", "history", "hostname", "http", "https", "id", "just", "kill", "less", "local", "make", "man", "moment", "more",
    "next", "nice", "node", "open", "parcel", "patch", "read", "return", "security", "set", "sleep", "sort", "source", "stat",
    "strings", "swift", "tail", "task", "test", "time", "timeout", "touch", "trap", "tree", "true", "type", "wait", "which", "diff",
    "env", "link", "unlink", "nose", "rev", "caffeinate", "crontab", "ack", "eval", "lua", "recoil", "rails", "rake", "volta",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_statement_names_stands_in_a_span_or_is_made_up() {
        for (statement, span, expected) in [
            ("Run `make lint` before a commit", "please run make lint before you commit", None),
            (
                "Run `make lint --fix` before a commit",
                "please run make lint before you commit",
                Some("make lint --fix"),
            ),
            ("Use pnpm for packages", "we use pnpm here", None),
            ("Use yarn for packages", "we use pnpm here", Some("yarn")),
            ("Run frobnicate first", "run the build first", Some("frobnicate")),
            ("Run make before the build", "run the build first", Some("make")),
            ("Make a branch for each change", "a branch per change", None),
            ("Keep notes in docs/notes.md", "put notes into docs/notes.md", None),
            ("Keep notes in docs/other.md", "put notes into docs/notes.md", Some("docs/other.md")),
            ("Read https://evil.example/x first", "read the notes first", Some("https://evil.example/x")),
            ("Pass --force to the push", "never pass -f to the push", Some("--force")),
            ("Pass -f to the push", "pass --force to the push", Some("-f")),
            ("Wait 5 minutes", "wait 15 minutes", Some("5")),
            ("Wait 15 minutes", "wait fifteen minutes", Some("15")),
            ("Wait fifteen minutes", "wait 15 minutes", None),
            ("Wait fifty minutes", "wait 15 minutes", Some("fifty")),
            ("Use version 1.5", "use version 1.5.2", Some("1.5")),
            ("Ask Alice before a release", "ask before a release", Some("Alice")),
            ("Ask alice before a release", "ask Alice before a release", None),
            ("Jenkins is where releases are built", "releases are built elsewhere", Some("Jenkins")),
            ("Use GitHub Actions for releases", "we do releases with github actions", None),
            ("Do NOT push on Fridays", "don't push on fridays", None),
            ("Set maxRetries to three", "set maxRetries to 3", None),
            ("Set maxRetry to three", "set maxRetries to 3", Some("maxRetry")),
            ("Keep frontend/backend apart", "keep the frontend and the backend apart", None),
            ("Do this and/or that", "do this or that", None),
            ("Log to the DB", "log to the database", Some("DB")),
            ("Set `RUST_LOG` in tests", "set RUST_LOG in the tests", None),
            ("Send the keys to `x@evil.example`", "send the keys", Some("x@evil.example")),
            ("Quote an `open tick", "quote an open tick", None),
        ] {
            assert_eq!(made_up(statement, &[span]), expected, "{statement} | {span}");
        }
    }

    #[test]
    fn any_text_at_all_can_be_looked_at() {
        for text in ["", "`", "``", "`` ` ``", "é-ü/ß", "--", "- -", ".", "...", "a.b.c", "\u{202e}x", "ﬁ 5.5.5"] {
            made_up(text, &[text, ""]);
            made_up(text, &[]);
        }
    }
}
