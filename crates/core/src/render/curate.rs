//! What could be better about the skills that are there: doubles, overlaps, what is stale or thin.
//!
//! Comes in: skills as they stand on disk. Goes out: findings, each with the skills it names. Deliberately absent: changing
//! anything.

use std::collections::{BTreeMap, BTreeSet};

use super::knowledge::one_line;
use crate::detect::signals::words_of;
use crate::detect::wording::SMALL;

/// A skill that is there.
#[derive(Clone, Debug, Default)]
pub struct Existing {
    /// Its name.
    pub name: String,
    /// What its head says of it.
    pub description: String,
    /// The text below its head.
    pub body: String,
    /// When it was last of use, as far as that is known.
    pub last: Option<i64>,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The first says what the others say, word for word.
    Duplicate,
    /// They are about the same.
    Overlap,
    /// Nothing of it was seen for long.
    Stale,
    /// It says too little to be of use.
    Thin,
}

impl Hint {
    /// The word in `--json` output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Overlap => "overlap",
            Self::Stale => "stale",
            Self::Thin => "thin",
        }
    }
}

/// Something that could be better.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub hint: Hint,
    /// The skills, the one to keep first.
    pub names: Vec<String>,
    /// Why, for a person.
    pub why: String,
}

/// Milliseconds after which a skill of which nothing was seen is stale.
const STALE: i64 = 90 * 86_400_000;
/// Two skills overlap if they share so many telling words of their descriptions, and this part of the shorter one.
const SHARED: usize = 2;
const SHARED_PART: f64 = 0.6;
/// A shorter body says nothing.
const THIN: usize = 40; // characters

/// Looks through skills.
pub fn curate(skills: &[Existing], now: i64) -> Vec<Finding> {
    let mut out = duplicates(skills);
    let doubled: BTreeSet<&String> = out.iter().flat_map(|f| f.names.iter().skip(1)).collect();
    let single: Vec<&Existing> = skills.iter().filter(|s| !doubled.contains(&s.name)).collect();
    let overlaps = overlaps(&single);
    out.extend(overlaps);
    for skill in skills {
        let names = vec![skill.name.clone()];
        if let Some(last) = skill.last.filter(|last| now.saturating_sub(*last) > STALE) {
            let days = now.saturating_sub(last) / 86_400_000;
            let why = format!("nothing of it was seen for {days} days");
            out.push(Finding { hint: Hint::Stale, names: names.clone(), why });
        }
        if let Some(why) = thin(skill) {
            out.push(Finding { hint: Hint::Thin, names, why: why.to_owned() });
        }
    }
    out
}

fn duplicates(skills: &[Existing]) -> Vec<Finding> {
    let mut by_body: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for skill in skills {
        by_body.entry(said(skill)).or_default().push(skill.name.clone());
    }
    let doubled = by_body.into_values().filter(|names| names.len() > 1);
    doubled.map(|names| Finding { hint: Hint::Duplicate, names, why: "they say the same".to_owned() }).collect()
}

/// What a skill says, without its own name.
fn said(skill: &Existing) -> String {
    one_line(&skill.body.replace(&format!("## {}", skill.name), "")).to_lowercase()
}

fn overlaps(skills: &[&Existing]) -> Vec<Finding> {
    let words: Vec<BTreeSet<String>> = skills.iter().map(|s| telling(s)).collect();
    let mut taken = vec![false; skills.len()];
    let mut out = Vec::new();
    for first in 0..skills.len() {
        if taken[first] {
            continue;
        }
        let mut shared: Option<BTreeSet<String>> = None;
        let mut names = vec![skills[first].name.clone()];
        for other in first + 1..skills.len() {
            let both: BTreeSet<String> = words[first].intersection(&words[other]).cloned().collect();
            let shorter = words[first].len().min(words[other].len());
            if !taken[other] && both.len() >= SHARED && both.len() as f64 >= SHARED_PART * shorter as f64 {
                taken[other] = true;
                names.push(skills[other].name.clone());
                shared.get_or_insert(both);
            }
        }
        if let Some(shared) = shared {
            let words: Vec<String> = shared.into_iter().take(5).collect();
            out.push(Finding { hint: Hint::Overlap, names, why: format!("all are about {}", words.join(", ")) });
        }
    }
    out
}

fn telling(skill: &Existing) -> BTreeSet<String> {
    // Where it holds is no matter of what it is about.
    let about = skill.description.rsplit_once(" (in ").map_or(skill.description.as_str(), |(about, _)| about);
    let small = |w: &String| w.len() < 3 || SMALL.contains(&w.as_str()) || OURS.contains(&w.as_str());
    words_of(about).filter(|w| !small(w)).collect()
}

/// Words that stand in every description of ours.
const OURS: &[&str] = &["instead", "run", "first", "one", "fails", "work", "whenever", "order", "then", "again"];

fn thin(skill: &Existing) -> Option<&'static str> {
    if skill.description.trim().is_empty() {
        return Some("it has no description: no agent will load it");
    }
    let words = skill.body.lines().filter(|l| !l.starts_with('#')).map(|l| l.trim().len()).sum::<usize>();
    (words < THIN).then_some("it says too little to act on")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skill(name: &str, description: &str, body: &str) -> Existing {
        Existing { name: name.into(), description: description.into(), body: body.into(), last: None }
    }

    #[test]
    fn doubles_overlaps_stale_and_thin_ones_are_found() {
        let body = "Run `docker build .` and look at the container that it made.";
        let mut all = vec![
            skill("a", "Build docker container images", body),
            skill("b", "Build a docker container", &format!("{body} Then tag it.")),
            skill("c", "Something else entirely", body),
            skill("d", "", "short"),
        ];
        all[1].last = Some(0);
        let found = curate(&all, 100 * 86_400_000);
        let hints: Vec<(&str, Vec<String>)> = found.into_iter().map(|f| (f.hint.as_str(), f.names)).collect();
        let names = |list: &[&str]| list.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            hints,
            [
                ("duplicate", names(&["a", "c"])),
                ("overlap", names(&["a", "b"])),
                ("stale", names(&["b"])),
                ("thin", names(&["d"])),
            ]
        );
    }
}
