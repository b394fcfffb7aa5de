//! Files of other learning tools → observations; one file per format, each pure and tolerant.
//!
//! Comes in: the bytes of one file. Goes out: what the file says was seen, what was left out and why, and the lines that
//! could not be read. Deliberately absent: finding files, and any decision. Imported words wait for a person like all
//! others, and are trusted least.

mod brain;
mod closedloop;
mod devflow;
mod entry;
mod knowledge;
mod learning;
mod lines;
mod own;
mod skill;
mod toon;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::detect::Observation;
use crate::redact::Redactor;

/// How many entries of one file are taken; the tools themselves keep 100 at most.
const ENTRIES: usize = 5_000;
/// How many damaged lines are listed; the others are counted.
const LISTED: usize = 1_000;

/// A file of another tool.
pub struct Format {
    /// The tool, as the source of what is imported.
    pub source: &'static str,
    /// The file, for people.
    pub title: &'static str,
    /// Where it lies, seen from the project; the last part is the file's name.
    pub places: &'static [&'static str],
    /// A file of the same tool that says more about this one.
    pub beside: Option<&'static str>,
    sniff: fn(&[u8]) -> bool,
    read: fn(&[u8], &About<'_>) -> Imported,
}

/// All formats, in the order in which an unknown file is offered to them.
pub const FORMATS: &[Format] = &[
    Format {
        source: "devflow",
        title: "devflow's learning log",
        places: &[".memory/learning-log.jsonl"],
        beside: None,
        sniff: devflow::sniff,
        read: devflow::read,
    },
    Format {
        source: "closedloop",
        title: "ClosedLoop's patterns",
        places: &[".learnings/org-patterns.toon", ".closedloop-ai/learnings/org-patterns.toon"],
        beside: None,
        sniff: closedloop::sniff_patterns,
        read: closedloop::patterns,
    },
    Format {
        source: "closedloop",
        title: "ClosedLoop's outcomes",
        places: &[".learnings/outcomes.log", ".closedloop-ai/learnings/outcomes.log"],
        beside: Some("org-patterns.toon"),
        sniff: closedloop::sniff_outcomes,
        read: closedloop::outcomes,
    },
    Format {
        source: "agent",
        title: "learnings that an agent handed in",
        places: &[],
        beside: None,
        sniff: learning::sniff,
        read: learning::read,
    },
    Format {
        source: "opencode-brain",
        title: "opencode-brain's candidates",
        places: &[".claude/mind-skills-pending.json"],
        beside: None,
        sniff: brain::sniff,
        read: brain::read,
    },
    Format {
        source: "uptake",
        title: "uptake's export",
        places: &["uptake-lessons.jsonl"],
        beside: None,
        sniff: own::sniff,
        read: own::read,
    },
    Format {
        source: "devflow",
        title: "devflow's decisions and pitfalls",
        places: &[".memory/knowledge/decisions.md", ".memory/knowledge/pitfalls.md"],
        beside: None,
        sniff: knowledge::sniff,
        read: knowledge::read,
    },
    Format {
        source: "devflow",
        title: "devflow's manifest",
        places: &[".memory/.learning-manifest.json"],
        beside: None,
        sniff: knowledge::sniff_manifest,
        read: knowledge::read_manifest,
    },
    Format {
        source: "skill",
        title: "a skill",
        places: &["SKILL.md"],
        beside: None,
        sniff: skill::sniff,
        read: skill::read,
    },
];

impl Format {
    /// The format of a file: by what is in it, else by its name, so that damage is reported as damage.
    pub fn of(bytes: &[u8], name: &str) -> Option<&'static Self> {
        let named = |f: &&Self| f.places.iter().any(|p| p.rsplit('/').next() == Some(name));
        FORMATS.iter().find(|f| (f.sniff)(bytes)).or_else(|| FORMATS.iter().find(named))
    }

    /// Reads a file. Secrets are taken out before anything else is done with a text.
    pub fn read(&self, bytes: &[u8], about: &About<'_>) -> Imported {
        (self.read)(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes), about)
    }
}

/// What a reader must know that is not in the file.
pub struct About<'a> {
    /// The tool.
    pub source: &'a str,
    /// An id of the file: the same each time it is imported.
    pub file: &'a str,
    /// The short name of the project it is imported for.
    pub project: &'a str,
    /// What takes secrets out.
    pub redactor: &'a Redactor,
    /// The bytes of the file beside it.
    pub beside: Option<&'a [u8]>,
}

/// What a file gave.
#[derive(Debug, Default, PartialEq)]
pub struct Imported {
    /// One per sighting.
    pub items: Vec<Observation>,
    /// Entries in good order that are not taken: why, and how many.
    pub left_out: BTreeMap<&'static str, usize>,
    /// What is damaged.
    pub problems: Vec<Problem>,
    /// Damaged lines beyond those listed.
    pub more_problems: usize,
    ids: BTreeSet<String>,
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its number, from one.
    pub line: usize,
    /// What is wrong. Never words of the file: those may hold secrets.
    pub why: &'static str,
}

impl Imported {
    fn problem(&mut self, line: usize, why: &'static str) {
        if self.problems.len() < LISTED {
            self.problems.push(Problem { line, why });
        } else {
            self.more_problems += 1;
        }
    }

    fn leave_out(&mut self, why: &'static str) {
        *self.left_out.entry(why).or_default() += 1;
    }
}
