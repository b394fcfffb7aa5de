//! Lessons → one file that another uptake, or a person, can read: JSON lines, or a table in TOON's form.

use std::fmt::Write as _;

use serde_json::json;

use super::knowledge::one_line;
use crate::detect::Kind;
use crate::learn::Lesson;
use crate::redact::clean;

/// The field by which an export is known, and its value.
pub const EXPORT_MARK: (&str, &str) = ("format", "uptake-lessons");

/// Most rows of a table: agents read it whole.
const ROWS: usize = 50;

/// One lesson as a line of JSON, without where it was seen.
pub fn jsonl(lesson: &Lesson) -> String {
    let (payload, evidence) = (&lesson.payload, &lesson.evidence);
    let trigger = payload.trigger.as_ref().map(|t| json!({ "program": clean(&t.program), "error": clean(&t.error) }));
    let line = json!({
        "v": 1, EXPORT_MARK.0: EXPORT_MARK.1,
        "id": lesson.id, "kind": lesson.kind.as_str(), "text": clean(&payload.statement),
        "commands": payload.commands.iter().map(|c| clean(c)).collect::<Vec<_>>(), "trigger": trigger,
        "name": payload.name, "title": clean(&payload.title), "project": payload.scope,
        "confidence": evidence.worth.confidence, "sessions": evidence.sessions,
        "first": evidence.first, "last": evidence.last, "trust": lesson.origin.trust.as_str(),
    });
    line.to_string()
}

/// A lesson with what its uses say of it.
pub struct TableRow<'l> {
    /// The lesson.
    pub lesson: &'l Lesson,
    /// How often it was used.
    pub uses: u32,
    /// How often that ended well, from 0 to 1.
    pub rate: Option<f64>,
    /// What is to be looked at, as a word; empty for nothing.
    pub flag: &'l str,
}

/// What is to be looked at comes last.
fn tier(flag: &str) -> u8 {
    match flag {
        "" | "UNTESTED" => 0,
        "REVIEW" => 1,
        "STALE" => 2,
        _ => 3,
    }
}

/// The lessons as a table in TOON's form, those without a flag and the surest first. `day` is the day of the export.
pub fn toon(lessons: &[TableRow<'_>], day: &str) -> String {
    let mut all: Vec<&TableRow<'_>> = lessons.iter().collect();
    let sure = |l: &Lesson| l.evidence.worth.confidence;
    all.sort_by(|a, b| {
        let by_sure = sure(b.lesson).total_cmp(&sure(a.lesson));
        tier(a.flag).cmp(&tier(b.flag)).then(by_sure).then_with(|| a.lesson.id.cmp(&b.lesson.id))
    });
    all.truncate(ROWS);
    let mut out = format!("# Organization Patterns (TOON format)\n# Last updated: {day}\n\n");
    let columns = "id,category,summary,confidence,seen_count,success_rate,flags,applies_to,context,repo";
    let _ = writeln!(out, "patterns[{}]{{{columns}}}:", all.len());
    for row in all {
        let lesson = row.lesson;
        let repo = lesson.project().rsplit(['/', ':']).next().unwrap_or("*");
        let summary = format!("\"{}\"", one_line(&clean(&lesson.payload.statement)).replace('"', "\"\""));
        let seen = (lesson.evidence.sessions.max(1) as u64).max(u64::from(row.uses)).to_string();
        let rate = row.rate.map(|r| format!("{r:.2}")).unwrap_or_default();
        let flag = if row.flag.is_empty() { String::new() } else { format!("[{}]", row.flag) };
        let cells = [
            lesson.id.as_str(),
            category(lesson.kind),
            &summary,
            // What its uses say counts for more than what it was learned from.
            level(row.rate.unwrap_or(sure(lesson))),
            &seen,
            &rate,
            &flag,
            "*",
            lesson.kind.as_str(),
            &cell(repo),
        ];
        let _ = writeln!(out, "  {}", cells.join(","));
    }
    out
}

/// How sure, as a word.
fn level(confidence: f64) -> &'static str {
    match confidence {
        c if c >= 0.70 => "high",
        c if c >= 0.40 => "medium",
        _ => "low",
    }
}

fn category(kind: Kind) -> &'static str {
    match kind {
        Kind::Recovery | Kind::Fact | Kind::Pitfall => "mistake",
        Kind::Procedure | Kind::Workflow => "pattern",
        Kind::Correction | Kind::Decision | Kind::Instruction => "convention",
        Kind::Insight => "insight",
    }
}

fn cell(text: &str) -> String {
    let plain = !text.is_empty() && text == text.trim() && !text.contains([',', '"', '#', '\\', ':', '[', '{']);
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::by_hand;

    #[test]
    fn a_table_is_sorted_capped_and_quoted() {
        let lessons: Vec<Lesson> =
            (0..60).map(|n| by_hand("path:/x/shop", &format!("say \"{n}\", twice"), 1)).collect();
        let row = |n: usize, flag| TableRow { lesson: &lessons[n], uses: 0, rate: None, flag };
        let mut rows: Vec<TableRow<'_>> = (0..59).map(|n| row(n, "")).collect();
        rows.push(TableRow { uses: 7, rate: Some(0.333), flag: "REVIEW", ..row(59, "") });
        let text = toon(&rows, "2026-11-16");
        assert_eq!(text.lines().count(), 4 + ROWS);
        assert!(text.contains(",convention,\"say \"\"1\"\", twice\",high,1,,,*,instruction,shop\n"), "{text}");
        assert!(!text.contains("REVIEW"), "what is to be looked at comes last, and there is no room");
        let text = toon(&rows[55..], "2026-11-16");
        assert!(text.ends_with(",low,7,0.33,[REVIEW],*,instruction,shop\n"), "{text}");
    }
}
