//! What ClosedLoop's own tests say of its table of patterns holds here, and a table of ours comes back as it went out.
#![allow(clippy::expect_used, reason = "tests say what they expect")]

use uptake_core::import::{About, Format, Imported};
use uptake_core::learn::{Lesson, by_hand};
use uptake_core::redact::Redactor;
use uptake_core::render::{TableRow, toon};

const TEN: &str =
    "patterns[1]{id,category,summary,confidence,seen_count,success_rate,flags,applies_to,context,repo}:\n";
const NINE: &str = "patterns[1]{id,category,summary,confidence,seen_count,success_rate,flags,applies_to,context}:\n";

fn import(text: &str, project: &str) -> Imported {
    let format = Format::of(text.as_bytes(), "org-patterns.toon").expect("a known format");
    let redactor = Redactor::default();
    let about = About { source: format.source, file: "f", project, redactor: &redactor, beside: None };
    format.read(text.as_bytes(), &about)
}

/// The statements that come out of a table, each once.
fn statements(text: &str, project: &str) -> Vec<String> {
    let mut all: Vec<String> = import(text, project).items.into_iter().map(|o| o.claim.text).collect();
    all.dedup();
    all
}

#[test]
fn an_empty_table_gives_nothing() {
    for text in ["", "\n\n", "# Organization Patterns (TOON format)\n", TEN, &TEN.replace("[1]", "[0]")] {
        let found = import(text, "shop");
        assert_eq!((found.items.len(), found.left_out.len()), (0, 0), "{text:?}");
    }
}

#[test]
fn rows_of_nine_and_of_ten_fields_are_read() {
    let ten = "  P-001,pattern,\"Check token expiry before API calls\",high,5,0.85,,*,auth,shop\n";
    let nine = "  P-002,mistake,\"Check for None before a key is used\",low,3,0.60,[REVIEW],*,python|safety\n";
    let other = ten.replace(",shop\n", ",forum\n");
    let (first, second) = ("Check token expiry before API calls", "Check for None before a key is used");
    assert_eq!(statements(&format!("{TEN}{ten}"), "shop"), [first]);
    assert_eq!(statements(&format!("{TEN}{other}"), "shop"), [""; 0], "about another repository");
    // A row without a repository holds everywhere, whatever the header says.
    for project in ["shop", "forum"] {
        assert_eq!(statements(&format!("{NINE}{nine}"), project), [second]);
        assert_eq!(statements(&format!("{TEN}{nine}"), project), [second]);
    }
    assert_eq!(statements(&format!("{TEN}{ten}{nine}"), "shop"), [first, second]);
    assert_eq!(statements(&format!("{TEN}{nine}{ten}"), "shop"), [second, first]);
}

#[test]
fn commas_and_quotes_of_a_summary_stay() {
    let row = |summary: &str| format!("{TEN}  P-001,convention,\"{summary}\",high,5,0.85,,*,auth,*\n");
    assert_eq!(statements(&row("Use \"\"strict\"\" mode"), "shop"), ["Use \"strict\" mode"]);
    assert_eq!(statements(&row("Run tests, then lint, then push"), "shop"), ["Run tests, then lint, then push"]);
    assert_eq!(
        statements(&row("Say \"\"no\"\", always: [a] {b}"), "shop"),
        ["Say \"no\", always: [a] {b}"],
        "what looks like a header is none"
    );
}

#[test]
fn what_goes_out_as_a_table_comes_back_the_same() {
    let texts = [
        "Use \"strict\" mode",
        "Run unit tests first, then push",
        "Quote \"a, b\", and c",
        "Write `a[0]{x}:` as it is # no comment",
        "A path ends with C:\\",
        "Ends with a quote \"",
        "Schöne Grüße, 世界",
    ];
    let lessons: Vec<Lesson> = texts.iter().map(|text| by_hand("git.example.com/dev/shop", text, 1)).collect();
    let row = |lesson| TableRow { lesson, uses: 3, rate: Some(0.67), flag: "" };
    let rows: Vec<TableRow<'_>> = lessons.iter().map(row).collect();
    let table = toon(&rows, "2026-11-16");
    assert!(table.starts_with("# Organization Patterns (TOON format)\n# Last updated: 2026-11-16\n\npatterns[7]{id,"));
    assert!(table.lines().skip(4).all(|row| row.starts_with("  ") && row.contains(",medium,3,0.67,,")), "{table}");
    let mut back = statements(&table, "shop");
    let mut went: Vec<&str> = texts.to_vec();
    back.sort();
    went.sort_unstable();
    assert_eq!(back, went, "{table}");
    assert_eq!(import(&table, "shop").problems, []);
    assert_eq!(statements(&table, "forum"), [""; 0], "it is about its own repository");
    // One row fewer: the count is that of the rows.
    assert!(toon(&rows[1..], "2026-11-17").contains("\npatterns[6]{id,"));
}
