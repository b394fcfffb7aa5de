//! What is shown of a lesson: its row in the list, and everything a person should know before a yes.
//!
//! Nothing here is coloured or cut to a width; `draw` does that. What a reader would not see is spelled out.

use std::collections::HashMap;

use uptake_core::detect::{READER, Trigger};
use uptake_core::learn::{Lesson, capability};
use uptake_core::redact::{hides, spelled_out};
use uptake_core::session::Origin;

use super::action::Choice;
use crate::ui;

/// A lesson in the inbox, and what was said of it.
#[derive(Clone, Debug)]
pub struct Item {
    /// The lesson.
    pub lesson: Lesson,
    /// The name of its project.
    pub project: String,
    /// What a person said, here or before.
    pub said: Option<Choice>,
    /// Which agents know it, if one of them wrote it down.
    pub known: Option<String>,
}

impl Item {
    /// The id with the sum of the bytes shown: a yes to it is a yes to these bytes.
    pub fn id(&self) -> String {
        format!("{}-{}", self.lesson.id, self.lesson.sha256())
    }

    /// The word for what it is.
    pub fn kind(&self) -> &'static str {
        ui::kind(&self.lesson)
    }

    /// Whether every word of a filter (in lower case) occurs in it.
    pub fn matches(&self, words: &[&str]) -> bool {
        let l = &self.lesson;
        let kinds = format!("{} {}", l.kind.as_str(), self.kind());
        let text =
            format!("{} {kinds} {} {} {}", l.id, l.payload.name, l.project(), l.payload.statement).to_lowercase();
        words.iter().all(|w| text.contains(w))
    }
}

/// Where a lesson would be used after a yes, and the exact text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Use {
    /// Told to the agent after an error.
    Hint(String),
    /// Told to the agent at the start of a session.
    Start(String),
    /// Saved in these places.
    File {
        /// What it is there: `the skill`.
        what: &'static str,
        /// The files.
        places: Vec<String>,
        /// The text of each.
        text: String,
    },
}

/// What only the desk knows of a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// Where it would be used.
    pub used: Use,
    /// Ids of approved lessons for the same error.
    pub approved: Vec<String>,
    /// What a reader says of it and of others beside it.
    pub remarks: Vec<String>,
}

/// Which lessons share a name or an error.
#[derive(Default)]
pub struct Twins {
    names: HashMap<String, Vec<usize>>,
    errors: HashMap<Trigger, Vec<usize>>,
}

impl Twins {
    /// Of all lessons of an inbox.
    pub fn of(items: &[Item]) -> Self {
        let mut twins = Self::default();
        twins.add(0, items);
        twins
    }

    /// Takes in more lessons; the first of them has this place.
    pub fn add(&mut self, first: usize, items: &[Item]) {
        for (n, item) in (first..).zip(items) {
            self.names.entry(item.lesson.payload.name.clone()).or_default().push(n);
            if let Some(trigger) = &item.lesson.payload.trigger {
                self.errors.entry(trigger.clone()).or_default().push(n);
            }
        }
    }

    fn same_error(&self, lesson: &Lesson) -> &[usize] {
        lesson.payload.trigger.as_ref().and_then(|t| self.errors.get(t)).map_or(&[], Vec::as_slice)
    }

    fn same_name(&self, lesson: &Lesson) -> &[usize] {
        self.names.get(&lesson.payload.name).map_or(&[], Vec::as_slice)
    }
}

/// How a line of the details should look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    Plain,
    /// What matters most.
    Strong,
    /// Bytes that would be used, or that were seen.
    Quoted,
    /// A side remark.
    Dim,
    /// Look twice.
    Warning,
}

/// A line of the details, before it is wrapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// How it looks.
    pub tone: Tone,
    /// What it says.
    pub text: String,
}

fn part(tone: Tone, text: impl AsRef<str>) -> Part {
    Part { tone, text: spelled_out(text.as_ref()) }
}

/// All there is to know of the selected lesson.
pub fn details(items: &[Item], at: usize, twins: &Twins, preview: Result<&Preview, &str>) -> Vec<Part> {
    let Some(item) = items.get(at) else { return Vec::new() };
    let lesson = &item.lesson;
    let mut out: Vec<Part> = lesson.payload.statement.lines().map(|l| part(Tone::Strong, l)).collect();
    if let Some(known) = &item.known {
        out.push(part(Tone::Plain, format!("{}. {known}.", lesson.payload.title)));
    }
    // A reader's words stand beside those they were made of, so that a leap is seen.
    if lesson.origin.detector == READER {
        out.extend(lesson.evidence.sightings.iter().take(QUOTES).map(|s| part(Tone::Quoted, format!("“{}”", s.quote))));
    }
    out.extend(warnings(lesson));
    out.extend(preview.iter().flat_map(|p| &p.remarks).map(|remark| part(Tone::Warning, format!("! {remark}"))));
    match preview {
        Ok(preview) => out.extend(usage(lesson, &preview.used)),
        Err(why) => out.push(part(Tone::Warning, format!("! Cannot show how it would be used: {why}"))),
    }
    out.extend(duplicates(items, at, twins, preview.map_or(&[], |p| &p.approved)));
    out.extend(evidence(item));
    out
}

/// Quotes that are shown right below a reader's statement; all of them stand below.
const QUOTES: usize = 3;

fn warnings(lesson: &Lesson) -> Vec<Part> {
    let mut out = Vec::new();
    out.extend(ui::inferred(&lesson.origin).map(|inferred| part(Tone::Warning, format!("! {inferred}"))));
    let concerns = capability::concerns(&lesson.payload.statement, lesson.payload.commands.iter().map(String::as_str));
    if !concerns.is_empty() {
        let words: Vec<&str> = concerns.iter().map(|c| c.as_str()).collect();
        out.push(part(Tone::Warning, format!("! Look twice: it {}", words.join(", "))));
    }
    if std::iter::once(&lesson.payload.statement).chain(&lesson.payload.commands).any(|t| hides(t)) {
        out.push(part(Tone::Warning, "! It holds characters that cannot be seen, shown as <U+…>"));
    }
    if lesson.origin.trust <= Origin::Tool {
        out.push(part(Tone::Warning, format!("! Words by: {}", by(lesson.origin.trust))));
    } else {
        let read = lesson.origin.detector == READER && lesson.origin.trust == Origin::Assistant;
        let by = if read { "the reader" } else { by(lesson.origin.trust) };
        out.push(part(Tone::Plain, format!("Words by: {by}")));
    }
    out
}

fn by(trust: Origin) -> &'static str {
    match trust {
        Origin::User => "you",
        Origin::Assistant => "the agent",
        Origin::Tool => "a tool, a file or the web",
        Origin::Imported => "another program's notes",
    }
}

fn usage(lesson: &Lesson, used: &Use) -> Vec<Part> {
    let mut out = Vec::new();
    let (text, when) = match used {
        Use::Hint(text) => {
            let (program, error) = lesson.payload.trigger.as_ref().map_or(("", ""), |t| (&t.program, &t.error));
            out.push(part(Tone::Plain, format!("When `{program}` fails with: {error}")));
            (text, "each time it is told")
        }
        Use::Start(text) => {
            out.push(part(Tone::Plain, "When a session starts in this project,"));
            (text, "in every session")
        }
        Use::File { what, places, text } => {
            out.extend(places.iter().map(|p| part(Tone::Plain, format!("Saved as {what} {p}"))));
            (text, "when the agent loads it")
        }
    };
    let head = if matches!(used, Use::Hint(_) | Use::Start(_)) { "the agent is told:" } else { "which says:" };
    out.push(part(Tone::Plain, head));
    out.extend(text.lines().map(|l| part(Tone::Quoted, l)));
    out.push(part(Tone::Dim, format!("About {}, {when}", ui::count(text.len().div_ceil(4) as u64, "token"))));
    out
}

/// How many duplicates are named; the rest is counted.
const NAMED: usize = 3;

fn duplicates(items: &[Item], at: usize, twins: &Twins, approved: &[String]) -> Vec<Part> {
    let lesson = &items[at].lesson;
    let errors = twins.same_error(lesson);
    let mut same_error: Vec<String> =
        approved.iter().filter(|id| **id != lesson.id).map(|id| format!("{id} (approved)")).collect();
    let elsewhere = same_error.len();
    let others = |list: &[usize], skip: &[usize]| -> Vec<String> {
        // Many may share a name: only as many are looked at as are shown.
        let new = list.iter().filter(|n| **n != at && skip.binary_search(n).is_err());
        new.take(NAMED).map(|n| named(&items[*n])).collect()
    };
    same_error.extend(others(errors, &[]));
    let names = twins.same_name(lesson);
    let mut out = Vec::new();
    let total = elsewhere + errors.len().saturating_sub(1);
    out.extend(listed("Same error", &same_error, total));
    let same_name = others(names, errors);
    let total = names.iter().filter(|n| **n != at && errors.binary_search(n).is_err()).count();
    out.extend(listed("Same name", &same_name, total));
    out
}

fn named(item: &Item) -> String {
    match item.said {
        Some(said) => format!("{} ({})", item.lesson.id, said.as_str()),
        None => format!("{} (waits)", item.lesson.id),
    }
}

fn listed(what: &str, some: &[String], total: usize) -> Option<Part> {
    let shown = some.len().min(NAMED);
    let more = if total > shown { format!(" and {} more", total - shown) } else { String::new() };
    (shown > 0).then(|| part(Tone::Warning, format!("! {what}: {}{more}", some[..shown].join(", "))))
}

fn evidence(item: &Item) -> Vec<Part> {
    let lesson = &item.lesson;
    let project = &item.project;
    let seen = format!(
        "Seen in {} on {} ({}) of {project}",
        ui::count(lesson.evidence.sessions as u64, "session"),
        ui::count(lesson.evidence.days as u64, "day"),
        lesson.evidence.sources.join(", "),
    );
    let mut out = vec![part(Tone::Plain, seen)];
    for e in &lesson.evidence.sightings {
        let day = e.at.and_then(|at| jiff::Timestamp::from_millisecond(at).ok()).map(|t| t.strftime("%Y-%m-%d, "));
        let day = day.map(|d| d.to_string()).unwrap_or_default();
        out.push(part(Tone::Dim, format!("{day}{} session {}:", e.source, e.session)));
        out.push(part(Tone::Quoted, &e.quote));
    }
    out
}

#[cfg(test)]
pub(super) mod tests;
