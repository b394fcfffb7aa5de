//! What a statement gives up, and for what: "we moved from jest to vitest", "use X instead of Y", "don't use Y any more".

use std::fmt;

use crate::normal::english::sentences_of;
use crate::normal::{programs, statement};

/// Most words of a name.
pub(super) const LONGEST_NAME: usize = 3;

/// Something given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GivenUp {
    /// What.
    pub old: Name,
    /// For what, if it is said.
    pub chosen: Option<Vec<String>>,
    /// The words before it, if it stands behind a "not".
    pub before: Vec<String>,
    /// What follows and limits it: "for unit tests".
    pub tail: Vec<String>,
}

/// What is given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// It is named.
    Told(Vec<String>),
    /// Everything that does the same as this.
    OthersLike(String),
}

impl Name {
    /// How many of the next words are its name.
    pub(super) fn length_at(&self, words: &[String]) -> Option<usize> {
        match self {
            Self::Told(name) => words.starts_with(name).then_some(name.len()),
            Self::OthersLike(chosen) => {
                words.first().is_some_and(|w| w != chosen && programs::alike(w, chosen)).then_some(1)
            }
        }
    }

    /// Whether it is a program in our table.
    pub(super) fn is_program(&self) -> bool {
        match self {
            Self::Told(name) => name.len() == 1 && programs::has_alternatives(&name[0]),
            Self::OthersLike(_) => true,
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Told(name) => f.write_str(&name.join(" ")),
            Self::OthersLike(_) => f.write_str("what was used before"),
        }
    }
}

/// All that a statement gives up.
pub(super) fn given_up(text: &str) -> Vec<GivenUp> {
    let sentences = sentences(text);
    // "Don't use npm. Use pnpm." says it in two.
    let whole = if sentences.len() == 2 { Some(text) } else { None };
    let mut out: Vec<GivenUp> = Vec::new();
    for said in sentences.into_iter().chain(whole).filter(|s| !s.trim_end().ends_with('?')) {
        let mut words = statement::words(said);
        words.truncate(reason_at(&words));
        if words.iter().any(|w| OPEN.contains(&w.as_str())) {
            continue;
        }
        let found = by_change(&words).or_else(|| by_not(&words)).or_else(|| by_verdict(&words));
        out.extend(found.filter(|g| !out.contains(g)));
    }
    out
}

/// The sentences of a text.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let said = sentences_of(text).into_iter().map(|place| text[place].trim());
    said.filter(|s| s.chars().any(char::is_alphanumeric)).collect()
}

/// Where the words begin that only say why.
pub(super) fn reason_at(words: &[String]) -> usize {
    words.iter().position(|w| REASONS.contains(&w.as_str())).unwrap_or(words.len())
}

/// "use X not Y", "not use Y", "no more Y".
fn by_not(words: &[String]) -> Option<GivenUp> {
    if words.iter().filter(|w| *w == "not").count() > 1 {
        return None;
    }
    if words.len() > 2 && words[..2] == ["no", "more"] {
        return named(&words[2..], Vec::new(), None);
    }
    let not = words.iter().position(|w| w == "not")?;
    let rest = &words[not + 1..];
    if not == 0 {
        let used = rest.first().is_some_and(|w| w == "use");
        return used.then(|| named(&rest[1..], Vec::new(), None)).flatten();
    }
    let chosen = if words[0] == "use" { name(&words[1..not]) } else { None };
    let mut found = named(rest, words[..not].to_vec(), chosen)?;
    // Other verbs take the place of the same verb only.
    if words[0] != "use" {
        found.old = Name::Told(name(rest)?);
        found.chosen = words[..not].last().map(|w| vec![w.clone()]);
    }
    Some(found)
}

/// "switch to X", "moved from Y to X", "replace Y with X", "drop Y in favour of X".
fn by_change(words: &[String]) -> Option<GivenUp> {
    let at = words.iter().take(4).position(|w| CHANGING.contains(&w.as_str()) || REPLACING.contains(&w.as_str()))?;
    // "don't switch", "before switching", "to switch": nothing was given up.
    if !words[..at].iter().all(|w| LEADING.contains(&w.as_str())) {
        return None;
    }
    let mut rest = &words[at + 1..];
    if REPLACING.contains(&words[at].as_str()) {
        let old = name(rest)?;
        let joint = &rest[old.len()..];
        let length =
            JOINTS.iter().find(|j| j.split(' ').eq(joint.iter().take(j.split(' ').count())))?.split(' ').count();
        let chosen = name(&joint[length..])?;
        let tail = joint[length + chosen.len()..].to_vec();
        return Some(GivenUp { old: Name::Told(old), chosen: Some(chosen), before: Vec::new(), tail: bare(tail) });
    }
    while rest.first().is_some_and(|w| matches!(w.as_str(), "over" | "away" | "all" | "everything")) {
        rest = &rest[1..];
    }
    match rest.first()?.as_str() {
        "from" | "off" => {
            let old = name(&rest[1..])?;
            let behind = &rest[1 + old.len()..];
            let chosen = if behind.first().is_some_and(|w| w == "to") { name(&behind[1..]) } else { None };
            let used = chosen.as_ref().map_or(0, |c| c.len() + 1);
            let tail = bare(behind[used..].to_vec());
            Some(GivenUp { old: Name::Told(old), chosen, before: Vec::new(), tail })
        }
        "to" => {
            // "change to black" may be about a colour.
            let goes = ["switch", "migrat", "mov"].iter().any(|verb| words[at].starts_with(verb));
            let chosen = name(&rest[1..]).filter(|n| goes && n.len() == 1)?;
            let tail = bare(rest[1 + chosen.len()..].to_vec());
            let known = programs::has_alternatives(&chosen[0]);
            let old = Name::OthersLike(chosen[0].clone());
            known.then_some(GivenUp { old, chosen: Some(chosen), before: Vec::new(), tail })
        }
        _ => None,
    }
}

/// "npm is deprecated", "yarn is forbidden".
fn by_verdict(words: &[String]) -> Option<GivenUp> {
    let verdict = words.iter().take(LONGEST_NAME + 1).position(|w| VERDICTS.contains(&w.as_str()))?;
    let old = name(words).filter(|n| n.len() == verdict)?;
    let tail = bare(words[verdict + 1..].to_vec());
    Some(GivenUp { old: Name::Told(old), chosen: None, before: Vec::new(), tail })
}

fn named(rest: &[String], before: Vec<String>, chosen: Option<Vec<String>>) -> Option<GivenUp> {
    let old = name(rest)?;
    let tail = bare(rest[old.len()..].to_vec());
    Some(GivenUp { old: Name::Told(old), chosen, before, tail })
}

/// The words of a name: up to one that cannot belong to it.
fn name(words: &[String]) -> Option<Vec<String>> {
    let length = words.iter().take_while(|w| !STOPS.contains(&w.as_str())).count();
    let pointing = words.first().is_some_and(|w| POINTING.contains(&w.as_str()));
    (1..=LONGEST_NAME).contains(&length).then(|| words[..length].to_vec()).filter(|_| !pointing)
}

/// A tail without words that limit nothing.
fn bare(mut tail: Vec<String>) -> Vec<String> {
    tail.retain(|w| {
        !matches!(w.as_str(), "any" | "more" | "longer" | "now" | "here" | "again" | "instead" | "at" | "all")
    });
    tail
}

/// What was switched, moved, migrated.
#[rustfmt::skip]
pub(super) const CHANGING: &[&str] = &[
    "switch", "switched", "switching", "move", "moved", "moving", "migrate", "migrated", "migrating", "change", "changed",
    "convert", "converted", "upgrade", "upgraded",
];
/// What may stand before that.
#[rustfmt::skip]
const LEADING: &[&str] = &[
    "i", "have", "has", "just", "already", "finally", "now", "completely", "fully", "everyone", "team", "project", "repo",
];
const REPLACING: &[&str] =
    &["replace", "replaced", "replacing", "swap", "swapped", "drop", "dropped", "ditch", "ditched"];
const JOINTS: &[&str] = &["with", "by", "for", "in favor of", "in favour of"];
const VERDICTS: &[&str] = &["deprecated", "forbidden", "banned"];
#[rustfmt::skip]
const REASONS: &[&str] = &["because", "since", "as", "so", "otherwise", "which", "due", "that", "it"];
/// A sentence with one of these leaves it open, or speaks of a case.
#[rustfmt::skip]
const OPEN: &[&str] = &[
    "if", "when", "whenever", "unless", "maybe", "perhaps", "might", "could", "may", "consider", "whether", "would", "optional",
    "not-always", "not-really", "except", "only", "until", "but",
];
/// Words that end a name.
#[rustfmt::skip]
const STOPS: &[&str] = &[
    "for", "in", "to", "on", "at", "with", "by", "and", "or", "not", "from", "before", "after", "any", "anymore", "more", "now",
    "here", "again", "instead", "as", "use", "run", "over", "while", "during", "directly", "within", "inside", "under", "of",
    "everywhere", "first", "deprecated", "forbidden", "banned", "without", "then", "longer", "anywhere",
];
/// Words whose meaning only the conversation knows.
#[rustfmt::skip]
const POINTING: &[&str] = &[
    "it", "this", "that", "these", "those", "them", "all", "one", "anything", "something", "everything", "my", "his", "its",
    "just", "such", "too", "same", "so", "yet", "what", "your", "another", "other", "others", "old", "new", "previous", "more",
];
