//! The card: what holds on this machine and in this project, on few lines, best first.
//!
//! Comes in: approved lessons. Goes out: lines in sections. A person may keep the project's part in the repository; what holds
//! on a machine never gets there.

use std::fmt::Write as _;

use super::prompt::says_nothing;
use super::{hint, with_id};
use crate::detect::Kind;
use crate::failure::Family;
use crate::learn::Lesson;
use crate::learn::facts;
use crate::render::spared;

/// Most lines, headings among them.
pub const LINES: usize = 30;
/// So many of each section come before the best of the others.
const EACH: usize = 4;
/// Longest line.
const LINE: usize = 220; // characters
/// Longest line of one sentence at the start of a session: there is no file to look the rest up in.
const LONG_LINE: usize = 320; // characters

/// A section of the card, in the order in which they stand there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// What holds on this machine.
    Machine,
    /// Where things are.
    Layout,
    /// Commands that work.
    Commands,
    /// What not to do.
    DoNot,
    /// How things are done here.
    Conventions,
}

impl Section {
    /// The word in `--json` output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::Layout => "layout",
            Self::Commands => "commands",
            Self::DoNot => "do-not",
            Self::Conventions => "conventions",
        }
    }

    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Machine => "This machine",
            Self::Layout => "Layout",
            Self::Commands => "Commands that work",
            Self::DoNot => "Do not",
            Self::Conventions => "Conventions",
        }
    }

    /// Where a lesson stands.
    pub fn of(lesson: &Lesson) -> Self {
        if lesson.project().starts_with("machine:") {
            return Self::Machine;
        }
        let family = lesson.payload.trigger.as_ref().map_or(Family::Unknown, |t| Family::parse(&t.program));
        match lesson.kind {
            Kind::Fact if matches!(family, Family::MissingPath | Family::WrongFolder) => Self::Layout,
            Kind::Pitfall => Self::DoNot,
            _ if forbids(&lesson.payload.statement) => Self::DoNot,
            Kind::Fact | Kind::Recovery | Kind::Procedure | Kind::Workflow => Self::Commands,
            Kind::Correction | Kind::Decision | Kind::Instruction | Kind::Insight => Self::Conventions,
        }
    }
}

/// Whether a statement opens by forbidding something.
fn forbids(statement: &str) -> bool {
    let start: Vec<String> = statement.split_whitespace().take(2).map(str::to_lowercase).collect();
    let words: Vec<&str> = start.iter().map(String::as_str).collect();
    matches!(words.first().copied(), Some("never" | "don't" | "don’t" | "dont" | "avoid" | "no"))
        || words == ["do", "not"]
}

/// A line of the card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardLine {
    /// Where it stands.
    pub section: Section,
    /// What it says.
    pub text: String,
    /// The lesson.
    pub id: String,
}

/// The lines of a card: of each section the best, then the best of all, within the cap.
pub fn card_lines(lessons: &[Lesson]) -> Vec<CardLine> {
    let tells = |l: &&Lesson| if l.kind == Kind::Fact { facts::is_for_start(l) } else { !says_nothing(l) };
    let mut best: Vec<&Lesson> = lessons.iter().filter(tells).collect();
    best.sort_by(|a, b| {
        let (m, n) = (&a.evidence.worth, &b.evidence.worth);
        // What was accepted before it came up often enough waits.
        n.ready.cmp(&m.ready).then(n.rank.total_cmp(&m.rank)).then_with(|| a.id.cmp(&b.id))
    });
    let mut taken: Vec<CardLine> = Vec::new();
    for first_round in [true, false] {
        for lesson in &best {
            let section = Section::of(lesson);
            let inside = taken.iter().filter(|l| l.section == section).count();
            let enough = first_round && inside >= EACH;
            if enough || height(&taken, section) > LINES || taken.iter().any(|l| l.id == lesson.id) {
                continue;
            }
            let Some(text) = line(lesson) else { continue };
            if !taken.iter().any(|l| is_same(&l.text, &text)) {
                taken.push(CardLine { section, text, id: lesson.id.clone() });
            }
        }
    }
    taken.sort_by_key(|l| l.section);
    taken
}

/// How many lines a card would have with one more in a section.
fn height(taken: &[CardLine], more: Section) -> usize {
    let mut sections: Vec<Section> = taken.iter().map(|l| l.section).chain([more]).collect();
    sections.sort();
    sections.dedup();
    taken.len() + 1 + sections.len()
}

/// Whether one line says all of the other: it begins like it, word by word.
fn is_same(a: &str, b: &str) -> bool {
    const ENDS: [char; 3] = ['.', '…', ' '];
    let (a, b) = (a.trim_end_matches(ENDS), b.trim_end_matches(ENDS));
    let begins = |long: &str, short: &str| {
        long.strip_prefix(short).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    };
    begins(a, b) || begins(b, a)
}

/// What the card says of a lesson: as many of its sentences as fit. Half a sentence is of no use: then it says nothing.
fn line(lesson: &Lesson) -> Option<String> {
    sentences(&spared(&hint(lesson)), LINE).map(str::to_owned)
}

/// As many sentences of a text as fit.
fn sentences(text: &str, most: usize) -> Option<&str> {
    let Some((fits, _)) = text.char_indices().nth(most) else { return Some(text) };
    let start = &text[..fits];
    let whole = |end: usize| start[..end].matches('`').count().is_multiple_of(2);
    start.rmatch_indices(". ").map(|(at, _)| at + 1).find(|end| whole(*end)).map(|end| &start[..end])
}

/// What the start of a session says of a lesson; nothing if half a sentence would have to do.
pub fn start_line(lesson: &Lesson) -> Option<String> {
    let text = hint(lesson);
    let line = sentences(&text, LINE).or_else(|| sentences(&text, LONG_LINE))?;
    // Where the end of what somebody said is left out.
    let open = line.matches('“').count() > line.matches('”').count();
    Some(if open { format!("{line}”") } else { line.to_owned() })
}

/// A card as text; each line with the short id under which it can be called wrong.
pub fn card_text(lines: &[CardLine]) -> String {
    let mut out = String::new();
    let mut open = None;
    for line in lines {
        if open != Some(line.section) {
            let _ = writeln!(out, "{}:", line.section.title());
            open = Some(line.section);
        }
        let _ = writeln!(out, "- {}", with_id(&line.text, &line.id));
    }
    out
}

/// The project's part of a card, as a file that may be committed.
pub fn card_file(lines: &[CardLine]) -> String {
    let mut out = String::from("<!-- Written by `uptake card --write`. -->\n# What agents should know here\n");
    let mut open = None;
    for line in lines.iter().filter(|l| l.section != Section::Machine) {
        if open != Some(line.section) {
            let _ = write!(out, "\n## {}\n\n", line.section.title());
            open = Some(line.section);
        }
        let _ = writeln!(out, "- {}", line.text);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::by_hand;

    fn many() -> Vec<Lesson> {
        let mut all: Vec<Lesson> = (0..80).map(|n| by_hand("p", &format!("Never touch file {n}"), 1)).collect();
        for (n, lesson) in all.iter_mut().enumerate() {
            lesson.evidence.worth.rank = 100.0 - n as f64;
        }
        let mut last = by_hand("p", "Use two spaces", 1);
        last.evidence.worth.rank = 0.5;
        let mut machine = by_hand("machine:1", "bash has no ll", 1);
        machine.evidence.worth.rank = 0.1;
        all.extend([last, machine]);
        all
    }

    #[test]
    fn a_line_at_the_start_ends_with_a_sentence_and_closes_its_quote() {
        let line = |text: &str| start_line(&by_hand("p", text, 1));
        assert_eq!(line("Use tabs").as_deref(), Some("Use tabs"));
        let long = format!("The user said: “{}. {}.”", "a".repeat(100), "b".repeat(200));
        assert_eq!(line(&long), Some(format!("The user said: “{}.”", "a".repeat(100))));
        let one = "word ".repeat(60);
        assert_eq!(line(&one).as_deref(), Some(one.trim_end()), "one sentence may be longer");
        assert_eq!(line(&"word ".repeat(70)), None, "half a sentence says nothing");
    }

    #[test]
    fn a_card_is_short_and_has_room_for_every_section() {
        let lines = card_lines(&many());
        let text = card_text(&lines);
        assert_eq!(text.lines().count(), LINES, "{text}");
        assert!(text.starts_with("This machine:\n- bash has no ll"), "{text}");
        assert!(text.contains("Do not:\n- Never touch file 0 [") && text.contains("Conventions:\n- Use two spaces"));
    }

    #[test]
    fn a_line_is_never_cut_off_in_the_middle_of_a_sentence() {
        let long = "word ".repeat(60);
        let one = |text: &str| line(&by_hand("p", text, 1));
        assert_eq!(one(&format!("Never push to main. Because {long}")).as_deref(), Some("Never push to main."));
        assert_eq!(one(&format!("Never run `a. b {long}`")), None);
        assert_eq!(one(&long), None);
    }

    #[test]
    fn what_holds_on_a_machine_is_never_in_the_file() {
        let file = card_file(&card_lines(&many()));
        assert!(!file.contains("bash has no ll") && file.contains("## Do not"), "{file}");
    }
}
