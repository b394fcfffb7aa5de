//! Lesson → an entry among decisions or pitfalls.

use std::fmt::Write as _;

use super::knowledge::{Entry, EntryFile, one_line};
use super::skill::{code, cut};
use crate::learn::Lesson;
use crate::redact::clean;

/// Longest title.
const TITLE: usize = 90; // characters

/// Renders a lesson as the entry with a number. `date` is the day on which that is done.
pub fn entry(lesson: &Lesson, file: EntryFile, number: u32, date: &str) -> String {
    let statement = one_line(&clean(&lesson.payload.statement));
    let title = cut(statement.trim_end_matches(['.', ' ']), TITLE);
    let mut out = format!("## {}: {title}\n\n", file.id(number));
    for (name, value) in fields(lesson, file, &statement, date) {
        let _ = writeln!(out, "- **{name}**: {}", one_line(&clean(&value)));
    }
    let _ = writeln!(out, "- **Source**: self-learning:{}", lesson.id);
    out
}

fn fields(lesson: &Lesson, file: EntryFile, statement: &str, date: &str) -> Vec<(&'static str, String)> {
    let active = || ("Status", "Active".to_owned());
    match file {
        EntryFile::Decisions => {
            let (decision, reason) = with_reason(statement);
            vec![
                ("Date", date.to_owned()),
                active(),
                ("Context", reason.unwrap_or("Decided while working on this project.").to_owned()),
                ("Decision", decision.to_owned()),
                ("Consequences", "New work follows it; who has a reason not to says so first.".to_owned()),
            ]
        }
        EntryFile::Pitfalls => vec![
            ("Area", area(lesson)),
            ("Issue", statement.to_owned()),
            ("Impact", impact(lesson)),
            ("Resolution", resolution(lesson, statement)),
            active(),
        ],
    }
}

/// A decision, and the reason that is given for it.
fn with_reason(statement: &str) -> (&str, Option<&str>) {
    let lower = statement.to_ascii_lowercase();
    let found = [" because ", " since ", " so that ", " rationale: "].iter().find_map(|word| lower.find(word));
    match found {
        Some(at) => (statement[..at].trim_end_matches([',', ';', ' ']), Some(statement[at..].trim())),
        None => (statement, None),
    }
}

/// What a pitfall is about: a path that it names, else a program, else its project.
fn area(lesson: &Lesson) -> String {
    let words = lesson.payload.statement.split_whitespace().map(|w| w.trim_matches(['`', ',', '.', '(', ')', '"']));
    let path = words.into_iter().find(|w| w.contains('/') && !w.contains("://") && w.len() > 2);
    let program = || super::topic(lesson).or_else(|| lesson.payload.trigger.as_ref().map(|t| t.program.clone()));
    path.map(str::to_owned).or_else(program).unwrap_or_else(|| super::skill::project(lesson).to_owned())
}

fn impact(lesson: &Lesson) -> String {
    match lesson.evidence.spent.times.max(lesson.evidence.sessions as u64) {
        0 | 1 => "It cost a session time.".to_owned(),
        times => format!("It was met {times} times."),
    }
}

fn resolution(lesson: &Lesson, statement: &str) -> String {
    if let Some(last) = lesson.payload.commands.last() {
        return format!("Run {}", code(last));
    }
    let lower = statement.to_ascii_lowercase();
    let said = ["; use ", ". use ", "; run ", ". run "].iter().find_map(|word| lower.find(word));
    // Else the clause in which it says what to do instead.
    let clause = || lower.find("instead").map(|at| statement[..at].rfind([';', '.', ',']).map_or(0, |end| end));
    let from = said.or_else(clause).unwrap_or(0);
    statement[from..].trim_start_matches([';', '.', ',', ' ']).to_owned()
}

/// What tells pitfalls apart: area and issue of an entry, whole; two that begin alike may end in different advice. `None` if it
/// names no issue.
pub fn pitfall_of(entry: &Entry) -> Option<(String, String)> {
    told_apart(&entry.area, &entry.issue)
}

/// The same of the text of one that would be added.
pub fn pitfall_in(text: &str) -> Option<(String, String)> {
    let field = |name| super::knowledge::field(text, name).unwrap_or_default();
    told_apart(field("Area"), field("Issue"))
}

fn told_apart(area: &str, issue: &str) -> Option<(String, String)> {
    let letters =
        |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect() };
    Some((letters(area), letters(issue))).filter(|(_, issue)| !issue.is_empty())
}
