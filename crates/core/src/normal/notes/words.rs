//! Words that tell a rule from a description, and a lasting one from a note of the day.
//!
//! A rule speaks to its reader: it opens a clause with a verb, or with "never" and "always", or says what must be. The
//! same words in the middle of a sentence describe how something works.

use crate::normal::english::{could_be_done, whole_sentences as sentences, words_of};

/// Words in small letters, in order. What stands in code or in quotes is somebody else's: a mark stands for it.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    clauses(text).into_iter().flatten()
}

/// The words of each clause: parts of a text that stops, dashes, commas and joining words set apart.
pub(super) fn clauses(text: &str) -> Vec<Vec<String>> {
    let mut out = vec![Vec::new()];
    let mut quoted = false;
    for (n, part) in text.split('`').enumerate() {
        if n % 2 == 1 {
            out.last_mut().into_iter().for_each(|clause| clause.push("`".to_owned()));
            continue;
        }
        for raw in part.split_whitespace() {
            let opens = raw.starts_with(['"', '“']);
            quoted |= opens;
            if !quoted {
                add(&mut out, raw);
            }
            quoted &= !raw.trim_end_matches(['.', ',', ';', ':', ')']).ends_with(['"', '”']) || opens && raw.len() == 1;
        }
    }
    out.retain(|clause| !clause.is_empty());
    out
}

/// Adds what stands between two spaces to the last clause, and begins another where that ends one.
fn add(out: &mut Vec<Vec<String>>, raw: &str) {
    let words: Vec<String> = words_of(raw).collect();
    if words.is_empty() || raw.starts_with('(') {
        out.push(Vec::new());
    }
    let joins = words.len() == 1 && JOINING.contains(&words[0].as_str()) && !raw.ends_with(',');
    if joins {
        out.push(Vec::new());
    } else if let Some(clause) = out.last_mut() {
        clause.extend(words);
    }
    if raw.ends_with(['.', ',', ';', ':', '!', '?', ')']) {
        out.push(Vec::new());
    }
}

/// Words that join two clauses.
const JOINING: &[&str] = &["and", "but", "so"];

/// Whether one of these words occurs.
pub(super) fn has_any(text: &str, list: &[&str]) -> bool {
    words(text).any(|w| list.contains(&w.as_str()))
}

/// Whether it forbids or obliges.
pub(super) fn obliges(text: &str) -> bool {
    clauses(text).iter().any(|clause| {
        let pair = |a: &str, b: &str| clause.windows(2).any(|w| w[0] == a && w[1] == b);
        let (first, second) = (clause.first().map_or("", |w| w), clause.get(1).map_or("", |w| w));
        let opens = matches!(first, "never" | "always") && could_be_done(second);
        let must = clause.iter().position(|w| matches!(w.as_str(), "must" | "mustn't" | "should" | "shouldn't"));
        let told = must.is_some_and(|at| at == 0 || !ASKING.contains(&clause[at - 1].as_str()));
        let forbidden = clause.iter().any(|w| matches!(w.as_str(), "mandatory" | "forbidden" | "prohibited"));
        opens
            || told
            || forbidden
            || matches!(first, "avoid" | "prefer" | "don't")
            || pair("do", "not")
            || pair("not", "allowed")
    })
}

/// Whether its writer marked it as what must not be missed: `Important: …`.
pub(super) fn is_marked(text: &str) -> bool {
    let label = text.split_once(':').map(|(label, _)| label.trim().to_lowercase());
    label.is_some_and(|l| {
        matches!(l.as_str(), "important" | "critical" | "warning" | "caution" | "gotcha" | "mandatory")
    })
}

/// "what should happen" obliges nobody.
const ASKING: &[&str] = &["what", "which", "how", "why", "that", "who", "where", "whether"];

/// In how many sentences from the start a verb may ask.
const NEAR: usize = 2;

/// Whether it opens with what to do.
pub(super) fn asks(text: &str) -> bool {
    sentences(text).take(NEAR).any(|s| {
        let clauses = clauses(s);
        let Some(first) = clauses.first() else { return false };
        // `Testing: run …`, `When it fails, run …`, `Before a commit, run …`, `It exists - use it`
        let conditional = first.first().is_some_and(|w| OPENING.contains(&w.as_str()));
        let label = first.len() <= LABEL && s.contains([':', '—', '–', '-']);
        opens_with_a_verb(first) || (conditional || label) && clauses.iter().skip(1).any(|c| opens_with_a_verb(c))
    })
}

/// Longest label before what to do.
const LABEL: usize = 10; // words

fn opens_with_a_verb(clause: &[String]) -> bool {
    let (first, second) = (clause.first().map_or("", |w| w), clause.get(1).map_or("", |w| w));
    if first == "only" {
        return opens_with_a_verb(&clause[1..]);
    }
    !second.is_empty() && (VERBS.contains(&first) || NOUNS_TOO.contains(&first) && BEFORE_NOUNS.contains(&second))
}

const OPENING: &[&str] = &["when", "whenever", "before", "after", "if", "for", "to", "while", "on", "in", "once", "at"];

/// Verbs that tell an agent what to do.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "use", "run", "keep", "check", "read", "write", "add", "put", "set", "call", "pass", "ask", "create", "make", "verify", "install",
    "follow", "include", "exclude", "ensure", "remove", "delete", "treat", "leave", "skip", "stop", "wait", "consult", "search", "find",
    "append", "apply", "redirect", "unset", "extract", "explain", "respect", "preserve", "regenerate", "rebuild", "restart", "squash",
    "rebase", "merge", "bump", "wrap", "register", "restrict", "validate", "dispatch", "assume", "reuse", "refer", "drive", "allocate",
    "replace", "rename", "move", "clone", "fetch", "parse", "send", "tell", "avoid", "prefer", "commit", "push", "open", "close",
    "build", "escalate", "recommend", "update", "return", "handle", "export", "import", "sync", "trace", "benchmark", "declare",
];

/// Verbs that are nouns as well, unless one of [`BEFORE_NOUNS`] follows.
#[rustfmt::skip]
const NOUNS_TOO: &[&str] = &[
    "test", "file", "note", "record", "report", "log", "name", "list", "mark", "start", "default", "point", "place", "store", "comment",
    "document", "source", "work", "change", "format", "tag", "match", "mirror", "gate", "lock", "pin", "flag", "limit", "print", "show",
    "try", "fix", "load", "look", "review", "lint", "quote", "escape", "prefix", "track", "land", "edit", "copy", "switch", "pull", "turn",
];

#[rustfmt::skip]
const BEFORE_NOUNS: &[&str] = &[
    "the", "a", "an", "all", "every", "each", "any", "to", "`", "only", "it", "with", "both", "your", "new", "no", "them", "in", "at", "on",
];

/// Whether it says how something works that is not as one would think.
pub(super) fn warns(text: &str) -> bool {
    has_any(text, SURPRISING)
}

#[rustfmt::skip]
const SURPRISING: &[&str] = &[
    "fails", "fail", "hangs", "breaks", "crashes", "silently", "doesn't", "won't", "can't", "cannot", "ignores", "ignored", "swallows",
    "deadlocks", "corrupts", "only", "not", "never", "always",
];

/// Whether it speaks of what only the text around it knows.
pub(super) fn points_back(text: &str) -> bool {
    let all: Vec<String> = sentences(text).take(1).flat_map(words).take(SUBJECT).collect();
    let here = |at: usize| all.get(at + 1).is_some_and(|next| PROJECT.contains(&next.as_str()));
    let pointing = |at: usize| matches!(all[at].as_str(), "this" | "these" | "those") && !here(at);
    let first = words_of(text).next().is_some_and(|w| POINTING.contains(&w.as_str()) && !here(0));
    // "Run after every change" does not say what.
    let nothing =
        all.len() > 1 && VERBS.contains(&all[0].as_str()) && matches!(all[1].as_str(), "after" | "before" | "when");
    first || nothing || (0..all.len()).any(pointing) || label_explains(text)
}

/// Words from the start within which it must be said what it is about.
const SUBJECT: usize = 9;

#[rustfmt::skip]
const POINTING: &[&str] = &[
    "this", "that", "these", "those", "it", "its", "they", "their", "such", "both", "also", "then", "here", "there", "otherwise",
    "additionally", "however", "but", "and", "or", "so", "same", "because", "which", "see", "he", "she", "therefore", "hence", "what",
];

/// "This project" can be understood anywhere in it.
#[rustfmt::skip]
const PROJECT: &[&str] = &[
    "project", "repo", "repository", "codebase", "application", "app", "package", "crate", "library", "workspace", "monorepo",
    "machine", "shop", "team",
];

/// "Why: …", "Example: …" explain what stands above.
fn label_explains(text: &str) -> bool {
    let label = text.split_once(':').map(|(label, _)| label.to_lowercase()).unwrap_or_default();
    label.chars().count() <= 30 && label.split(' ').any(|w| EXPLAINING.contains(&w))
}

#[rustfmt::skip]
const EXPLAINING: &[&str] = &[
    "why", "example", "examples", "evidence", "scar", "reference", "references", "related", "source", "background", "context", "see",
    "corollary", "rationale", "reason", "scope", "apply", "note",
];

/// Whether it tells of a day: a date, a ticket, a commit, a step that is done, what somebody did.
pub(super) fn of_the_day(text: &str) -> bool {
    let ticket = |w: &str| w.strip_prefix('#').is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()));
    text.split([' ', '(', ')', ',', ';', ':', '.', '`', '/'])
        .any(|w| is_date(w) || ticket(w) || is_commit(w) || OF_A_DAY.contains(&w.to_lowercase().as_str()))
        || ["[ ]", "[x]", "[X]"].iter().any(|mark| text.starts_with(mark))
        || text.contains(['✅', '☑', '✓'])
        // `I/O` is nobody.
        || text.split_whitespace().any(|w| matches!(w, "I" | "I'm" | "I’m" | "I've" | "I’ve" | "my" | "My"))
}

fn is_date(word: &str) -> bool {
    let word = word.as_bytes();
    word.len() >= 10 && word[4] == b'-' && word[7] == b'-' && word[..4].iter().all(u8::is_ascii_digit)
}

/// Seven or more hexadecimal digits, letters and figures among them.
fn is_commit(word: &str) -> bool {
    let hex = (7..=40).contains(&word.len()) && word.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    hex && word.bytes().any(|b| b.is_ascii_digit()) && word.bytes().any(|b| b.is_ascii_alphabetic())
}

#[rustfmt::skip]
const OF_A_DAY: &[&str] = &["todo", "wip", "shipped", "landed", "fixed", "today", "yesterday", "tomorrow", "tonight", "currently"];
