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

/// The surest lessons as a table in TOON's form, with what is to be looked at marked. `day` is the day of the export.
pub fn toon(lessons: &[(&Lesson, &str)], day: &str) -> String {
    let mut all: Vec<&(&Lesson, &str)> = lessons.iter().collect();
    let sure = |l: &Lesson| l.evidence.worth.confidence;
    all.sort_by(|(a, af), (b, bf)| sure(b).total_cmp(&sure(a)).then_with(|| af.cmp(bf)).then_with(|| a.id.cmp(&b.id)));
    all.truncate(ROWS);
    let mut out = format!("# Last updated: {day}\n");
    let _ = writeln!(out, "patterns[{}]{{id,category,summary,confidence,seen_count,flags,repo}}:", all.len());
    for (lesson, flags) in all {
        let repo = lesson.project().rsplit(['/', ':']).next().unwrap_or("*");
        let summary = one_line(&clean(&lesson.payload.statement));
        let sure = format!("{:.2}", sure(lesson));
        let seen = lesson.evidence.sessions.max(1).to_string();
        let cells = [&lesson.id, category(lesson.kind), &summary, &sure, &seen, flags, repo].map(cell);
        let _ = writeln!(out, "  {}", cells.join(","));
    }
    out
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
        let rows: Vec<(&Lesson, &str)> = lessons.iter().map(|l| (l, "")).collect();
        let text = toon(&rows, "2026-11-16");
        assert_eq!(text.lines().count(), 2 + ROWS);
        assert!(text.contains(",convention,\"say \"\"1\"\", twice\",0.95,1,\"\",shop\n"), "{text}");
    }
}
