//! Learnings that an agent handed in: ClosedLoop's pending and classified files, and what `uptake submit` takes.
//!
//! What each is about is decided by rules, not by a model: the category if one is given, else the words.

use serde_json::{Map, Value};

use super::entry::{Entry, between};
use super::lines::{field, object, time};
use super::{About, Imported};
use crate::detect::Kind;
use crate::detect::signals::words_of;

/// Shorter ones say nothing.
const SHORTEST: usize = 20; // characters
/// Longer ones are no sentence.
const LONGEST: usize = 1_000;

/// The fields that hold what is to be remembered, and what each says of its kind.
const TEXTS: &[(&str, Option<Kind>)] =
    &[("pattern_to_remember", None), ("pattern", None), ("mistake", Some(Kind::Pitfall)), ("summary", None)];

pub(super) fn sniff(bytes: &[u8]) -> bool {
    let Ok(found) = object(bytes.trim_ascii()) else { return false };
    let has = |name: &str| found.contains_key(name);
    has("pattern_to_remember")
        || has("no_learnings")
        || has("learnings")
        || has("task") && (has("pattern") || has("mistake"))
}

pub(super) fn read(bytes: &[u8], about: &About<'_>) -> Imported {
    let mut out = Imported::default();
    match object(bytes.trim_ascii()) {
        Ok(found) => match found.get("learnings") {
            Some(Value::Array(list)) => {
                let at = field(&found, "captured_at").and_then(time);
                list.iter().filter_map(Value::as_object).for_each(|one| take(one, at, about, &mut out));
            }
            _ => take(&found, field(&found, "captured_at").and_then(time), about, &mut out),
        },
        Err(why) => out.problem(1, why),
    }
    out
}

fn take(one: &Map<String, Value>, at: Option<i64>, about: &About<'_>, out: &mut Imported) {
    if one.get("no_learnings").is_some_and(|v| v == &Value::Bool(true)) {
        return out.leave_out("of which the agent says that there is nothing to learn");
    }
    let rejected = one.get("validation").and_then(|v| v.get("status")).and_then(Value::as_str) == Some("rejected");
    if rejected {
        return out.leave_out("that ClosedLoop rejected");
    }
    let Some((text, kind)) = TEXTS.iter().find_map(|(name, kind)| Some((field(one, name)?, *kind))) else {
        return out.problem(1, "has no `pattern_to_remember`, `pattern` or `mistake`");
    };
    let statement = about.clean(text);
    match statement.chars().count() {
        n if n < SHORTEST => return out.leave_out("shorter than 20 characters"),
        n if n > LONGEST => return out.leave_out("longer than 1,000 characters"),
        _ => {}
    }
    let form = words_of(&statement).collect::<Vec<_>>().join(" ");
    let root = blake3::hash(form.as_bytes()).to_hex()[..10].to_owned();
    let details = field(one, "fix_applied").map(|d| about.clean(d)).unwrap_or_default();
    let kind = given(one).or(kind).unwrap_or_else(|| classified(&statement));
    let id = format!("learning-{root}");
    out.take(about, &Entry { id, root, kind, statement, details, times: between(1, at, at), sound: true });
}

/// The kind that stands there.
fn given(one: &Map<String, Value>) -> Option<Kind> {
    match field(one, "category")? {
        "mistake" => Some(Kind::Pitfall),
        "pattern" => Some(Kind::Procedure),
        "convention" => Some(Kind::Instruction),
        "insight" => Some(Kind::Insight),
        _ => None,
    }
}

/// Words by which a kind is known, in the order in which they count.
const SIGNS: &[(&[&str], Kind)] = &[
    (&["never", "avoid", "don't", "dont", "not", "fails", "failed", "breaks", "wrong", "crashes"], Kind::Pitfall),
    (&["always", "must", "should", "prefer", "only", "convention"], Kind::Instruction),
    (&["because", "turns", "means", "happens", "internally"], Kind::Insight),
];

/// By its words, whole ones; a way of working if none of them says more.
fn classified(statement: &str) -> Kind {
    let words: Vec<String> = words_of(statement).collect();
    let has = |signs: &[&str]| words.iter().any(|w| signs.contains(&w.as_str()));
    SIGNS.iter().find(|(signs, _)| has(signs)).map_or(Kind::Procedure, |(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::Redactor;

    fn check(json: &str, expected: &[(Kind, &str)], left_out: usize) {
        let redactor = Redactor::default();
        let about = About { source: "agent", file: "f", project: "p", redactor: &redactor, beside: None };
        assert!(sniff(json.as_bytes()), "{json}");
        let got = read(json.as_bytes(), &about);
        let told: Vec<(Kind, &str)> = got.items.iter().map(|o| (o.claim.kind, o.claim.title.as_str())).collect();
        assert_eq!((told, got.left_out.values().sum::<usize>()), (expected.to_vec(), left_out), "{json}");
    }

    #[test]
    fn learnings_are_classified_by_rules() {
        check(
            r#"{"what_happened":"x","pattern_to_remember":"Never call the billing API without a token","fix_applied":"added one"}"#,
            &[(Kind::Pitfall, "Never call the billing API without a token")],
            0,
        );
        check(
            r#"{"task":"t","pattern":"Always round totals with the helper","citations":[]}"#,
            &[(Kind::Instruction, "Always round totals with the helper")],
            0,
        );
        check(
            r#"{"task":"t","mistake":"Editing the generated client by hand"}"#,
            &[(Kind::Pitfall, "Editing the generated client by hand")],
            0,
        );
        check(r#"{"no_learnings":true,"reason":"nothing new"}"#, &[], 1);
        check(r#"{"pattern_to_remember":"too short"}"#, &[], 1);
        check(
            r#"{"schema_version":"1.0","learnings":[{"category":"convention","summary":"Name branches after the ticket"},
                {"category":"insight","summary":"The cache is warmed at the first call","validation":{"status":"rejected"}}]}"#,
            &[(Kind::Instruction, "Name branches after the ticket")],
            1,
        );
    }
}
