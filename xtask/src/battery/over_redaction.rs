//! `over-redaction`: what is taken out of real sessions, and whether harmless things stay.
//!
//! Every tool result, command and message through [`Redactor::clean`]. Whether a mark is right is judged by reading:
//! `--verbose` shows a sample, `--judged FILE` turns judgements into a figure.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Context as _, Result};
use uptake::known_secrets::KnownSecrets;
use uptake_core::redact::Redactor;
use uptake_core::session::{Body, Session};
use uptake_core::sources::Read;

use super::{Figure, Options, Rng, real, say};

/// Marks shown with `--verbose`.
const SHOWN: usize = 200;
/// Harmless things that are drawn.
const HARMLESS: usize = 1_000;
/// Wrong marks allowed in a thousand tool results.
const BAR: f64 = 1.0;
const MARK: &str = "[redacted:";

/// Something that was taken out.
struct Mark {
    kind: String,
    /// Tells it from others, and is the same in every run.
    hash: String,
    context: String,
}

/// Runs the check.
pub fn run(options: &Options) -> Result<Vec<Figure>> {
    let found = real::transcripts(options)?;
    let sessions = real::sessions(&found, &KnownSecrets::from_env())?;
    let redactor = Redactor::default();
    let mut marks: [Vec<Mark>; 3] = Default::default();
    let mut texts = [0usize; 3];
    for read in &sessions {
        for (place, text) in texts_of(&read.session) {
            texts[place] += 1;
            marks[place].extend(marks_in(&redactor, &text));
        }
    }
    let mut figures: Vec<Figure> = ["tool results", "commands and paths", "messages"]
        .iter()
        .enumerate()
        .map(|(place, name)| {
            let rate = per_thousand(marks[place].len(), texts[place]);
            Figure::new(
                format!("marks in {} {name}", texts[place]),
                format!("{} ({rate:.2} per 1,000)", marks[place].len()),
            )
            .why(kinds(&marks[place]))
        })
        .collect();
    figures.push(per_megabyte(&sessions, &marks));
    if options.verbose {
        show(&marks, options.seed);
    }
    figures.push(judged(options, &marks[0], texts[0])?);
    figures.extend(harmless(&redactor, &sessions.iter().map(|r| &r.session).collect::<Vec<_>>(), options.seed));
    Ok(figures)
}

/// Marks in a megabyte of all texts, beside what was before names won over words and numbers.
fn per_megabyte(sessions: &[Read], marks: &[Vec<Mark>; 3]) -> Figure {
    let bytes: usize = sessions.iter().flat_map(|r| texts_of(&r.session)).map(|(_, text)| text.len()).sum();
    let count: usize = marks.iter().map(Vec::len).sum();
    let rate = count as f64 / (bytes as f64 / 1e6).max(f64::MIN_POSITIVE);
    Figure::new("marks in a megabyte of the corpus", format!("{rate:.2} ({count} in {:.1} MB)", bytes as f64 / 1e6))
        .baseline("to compare: the same row of the build before")
}

fn per_thousand(count: usize, of: usize) -> f64 {
    1_000.0 * count as f64 / of.max(1) as f64
}

/// All texts of a session: 0 results, 1 commands and paths, 2 messages.
fn texts_of(session: &Session) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    for event in &session.events {
        match &event.body {
            Body::Call(call) => {
                out.push((0, call.output.to_text()));
                out.push((1, call.input.clone()));
            }
            Body::Assistant { text } => out.push((2, text.to_text())),
            Body::User { spans, .. } => out.extend(spans.iter().map(|s| (2, s.text.to_text()))),
        }
    }
    out.retain(|(_, text)| !text.is_empty());
    out
}

fn marks_in(redactor: &Redactor, text: &str) -> Vec<Mark> {
    let clean = redactor.clean(text);
    let mut before: HashMap<&str, usize> = HashMap::new();
    for (at, _) in text.match_indices(MARK) {
        *before.entry(word_at(text, at)).or_default() += 1;
    }
    let mut out = Vec::new();
    for (at, _) in clean.match_indices(MARK) {
        let mark = word_at(&clean, at);
        // It stood there already.
        if let Some(left) = before.get_mut(mark).filter(|left| **left > 0) {
            *left -= 1;
            continue;
        }
        let kind = mark.trim_start_matches(MARK).trim_end_matches(']').to_owned();
        let lead = &clean[clean.floor_char_boundary(at.saturating_sub(40))..at];
        // What stands behind the same words in the text itself.
        let from = text.find(lead).unwrap_or(0);
        let context = &text[from..text.floor_char_boundary(from + lead.len() + 90)];
        out.push(Mark { hash: hash(&format!("{kind}\0{context}")), kind, context: context.to_owned() });
    }
    out
}

fn word_at(text: &str, at: usize) -> &str {
    let end = text[at..].find(']').map_or(text.len(), |end| at + end + 1);
    &text[at..end]
}

/// FNV-1a, as twelve digits.
fn hash(text: &str) -> String {
    let sum =
        text.bytes().fold(0xCBF2_9CE4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01B3));
    format!("{:012x}", sum & 0xFFFF_FFFF_FFFF)
}

fn kinds(marks: &[Mark]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    marks.iter().for_each(|m| *counts.entry(&m.kind).or_default() += 1);
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    counts.iter().map(|(kind, n)| format!("{kind} {n}")).collect::<Vec<_>>().join(", ")
}

fn show(marks: &[Vec<Mark>; 3], seed: u64) {
    let mut all: Vec<&Mark> = marks.iter().flatten().collect();
    Rng::new(seed, "marks").shuffle(&mut all);
    for mark in all.iter().take(SHOWN) {
        say(&format!("mark {} {} {:?}", mark.hash, mark.kind, mark.context));
    }
}

/// Wrong marks in a thousand tool results, as far as they were judged.
fn judged(options: &Options, marks: &[Mark], results: usize) -> Result<Figure> {
    let what = "marks in tool results that were judged wrong";
    let Some(path) = &options.judged else {
        return Ok(Figure::new(what, "")
            .baseline(format!("bar ≤ {BAR} per 1,000"))
            .why("not judged: read the sample of --verbose, give --judged FILE"));
    };
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let verdicts: HashMap<&str, &str> = text.lines().filter_map(|l| l.trim().split_once(char::is_whitespace)).collect();
    let verdict = |m: &Mark| verdicts.get(m.hash.as_str()).map(|v| v.trim());
    let wrong = marks.iter().filter(|m| verdict(m) == Some("wrong")).count();
    let right = marks.iter().filter(|m| verdict(m) == Some("right")).count();
    // Those not judged are taken to be wrong as often as those that were.
    let share = wrong as f64 / (wrong + right).max(1) as f64;
    let rate = per_thousand(marks.len(), results) * share;
    Ok(Figure::new(what, format!("{wrong} of {} judged: {rate:.2} per 1,000", wrong + right))
        .bar(format!("≤ {BAR} per 1,000"), rate <= BAR && wrong + right > 0)
        .why(format!("{} not judged", marks.len() - wrong - right)))
}

/// Paths, commit ids and UUIDs of the corpus, alone, in a sentence and in a command.
fn harmless(redactor: &Redactor, sessions: &[&Session], seed: u64) -> Vec<Figure> {
    let mut rng = Rng::new(seed, "harmless");
    let mut out = Vec::new();
    for (name, words) in gather(sessions) {
        let mut words: Vec<String> = words.into_iter().collect();
        rng.shuffle(&mut words);
        words.truncate(HARMLESS);
        let mut changed: Vec<&str> = Vec::new();
        for word in &words {
            let texts = [word.clone(), format!("See {word} for the details."), format!("git show {word} | head")];
            if texts.iter().any(|t| redactor.clean(t) != *t) {
                changed.push(word);
            }
        }
        changed.iter().take(5).for_each(|w| say(&format!("over-redaction: changed: {w}")));
        let first = changed.first().map(|w| (*w).to_owned()).unwrap_or_default();
        out.push(
            Figure::none(
                format!("{} {name} of the corpus, alone and in a sentence: changed", words.len()),
                changed.len(),
            )
            .why(first),
        );
    }
    out
}

type Words = BTreeSet<String>;

fn gather(sessions: &[&Session]) -> [(&'static str, Words); 4] {
    let (mut shas, mut uuids, mut absolute, mut relative) = (Words::new(), Words::new(), Words::new(), Words::new());
    for session in sessions {
        uuids.extend([session.id.clone()].into_iter().filter(|id| is_uuid(id)));
        for event in &session.events {
            let Some(call) = event.call() else { continue };
            let (text, git) = (call.output.to_text(), call.command().is_some_and(|c| c.contains("git ")));
            for word in text.split(|c: char| c.is_whitespace() || "\"'`(){}<>,;=|\\".contains(c)) {
                let word = word.trim_end_matches([':', '.']);
                if git && is_sha(word) {
                    shas.insert(word.to_owned());
                } else if is_uuid(word) {
                    uuids.insert(word.to_owned());
                } else if is_path(word) {
                    if word.starts_with('/') {
                        absolute.insert(word.to_owned())
                    } else {
                        relative.insert(word.to_owned())
                    };
                }
            }
        }
    }
    [("commit ids", shas), ("UUIDs", uuids), ("absolute paths", absolute), ("relative paths", relative)]
}

fn is_sha(word: &str) -> bool {
    (7..=40).contains(&word.len())
        && word.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        && word.bytes().any(|b| b.is_ascii_digit())
}

fn is_uuid(word: &str) -> bool {
    let lengths: Vec<usize> = word.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && word.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

fn is_path(word: &str) -> bool {
    (8..=160).contains(&word.len())
        && word.matches('/').count() >= 2
        && !word.contains("//")
        && word.split('/').next_back().is_some_and(|last| last.contains('.') && !last.starts_with('.'))
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-/@+".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_stood_there_already_do_not_count() {
        let redactor = Redactor::default();
        let token = ["ghp", "_", &"a1B2".repeat(9)].concat();
        let marks = marks_in(&redactor, &format!("old [redacted:github-token] and new: x {token} y"));
        assert_eq!(marks.len(), 1);
        assert!(marks[0].context.contains(&token), "{}", marks[0].context);
    }

    #[test]
    fn harmless_words_are_known_by_their_shape() {
        assert!(is_sha("3f2a9bc") && is_sha(&"0a".repeat(20)) && !is_sha("feedbac") && !is_sha("12"));
        assert!(is_uuid("01a1e0ec-d42e-7650-86eb-d7d70d38dc0c") && !is_uuid("01a1e0ec-d42e"));
        assert!(is_path("/srv/app/main.rs") && is_path("src/a/b.ts") && !is_path("https://x.y/z.html"));
    }
}
