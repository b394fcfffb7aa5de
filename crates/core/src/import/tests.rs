//! Cases of every format, and damage of every kind.

use expect_test::{Expect, expect};

use super::*;
use crate::learn;

const DEVFLOW: &str = r#"{"id":"obs_wf0001","type":"workflow","pattern":"Squash merge, pull main, delete branch","confidence":0.95,"observations":3,"first_seen":"2026-11-01T10:00:00Z","last_seen":"2026-11-15T18:12:14Z","status":"ready","evidence":["squash it"],"details":"1. squash 2. pull 3. delete","quality_ok":true}
{"id":"obs_pr0001","type":"procedural","pattern":"When hooks fail, read .memory/debug.log first","confidence":0.25,"observations":1,"first_seen":"2026-11-15T18:12:14Z","last_seen":"2026-11-15T18:12:14Z","status":"observing","evidence":[],"details":"","quality_ok":false}
{"id":"obs_de0001","type":"decision","pattern":"Keep SQLite because one file is easy to back up","confidence":0.95,"observations":2,"first_seen":"2026-11-10T00:00:00Z","last_seen":"2026-11-12T00:00:00Z","status":"created","evidence":[],"details":"context: storage; decision: SQLite; rationale: one file","quality_ok":true}
{"id":"obs_pf0001","type":"pitfall","pattern":"The mock server drops headers","confidence":0.95,"observations":2,"first_seen":"2026-11-10T00:00:00Z","last_seen":"2026-11-12T00:00:00Z","status":"deprecated","evidence":[],"details":"","quality_ok":true}
"#;

const TOON: &str = r#"# Organization Patterns (TOON format)
# Last updated: 2026-01-29T23:11:00Z

patterns[6]{id,category,summary,confidence,seen_count,success_rate,flags,applies_to,context,repo}:
  P-001,pattern,"Always check token expiry before API calls",high,5,0.85,,implementation-subagent,auth|API,*
  P-002,mistake,"Check for None, before accessing ""optional"" keys",medium,3,0.30,[REVIEW],*,python|safety,shop
  P-003,convention,"Name branches after issues",low,0,,[UNTESTED],*,git
  P-004,insight,"The cache is per process",low,2,0.50,,*,a,b,shop
  P-005,pattern,"Only for another place",low,2,0.50,,*,a,other
  P-006,mistake,"Never helped",low,30,0.10,[PRUNE],*,a,*
"#;

const OUTCOMES: &str = "\
2026-02-01T10:00:00Z|20260201-100000|1|implementation-subagent|Always check token expiry before API calls|applied|src/auth/token.ts:10|0.5|default|reduce-failures|1|0.67
2026-02-01T11:00:00Z|20260201-100000|2|implementation-subagent|Always check token expiry before API calls|applied|src/auth/token.ts:10
2026-02-02T10:00:00Z|20260202-100000|1|implementation-subagent|Always check token expiry before API calls|applied|x:1
2026-02-03T10:00:00Z|20260203-100000|1|implementation-subagent|Always check token expiry before API calls|applied|x:1|0.5|default|reduce-failures|1|0.67|unverified|build_failed
2026-02-03T10:00:00Z|20260203-100000|1|implementation-subagent|Always check token expiry before API calls|applied|x:1|build_failed
2026-02-03T10:00:00Z|20260203-100000|1|a|The cache is per process|injected|
2026-02-03T10:00:00Z|20260203-100000|1|a|before accessing \"optional\" keys|applied|x:1
2026-02-03T10:00:00Z|20260203-100000|1|a|Pipe a | b through tee|applied|x:1
short|line
";

const BRAIN: &str = r#"{"candidates":[
 {"id":"sc_01234567_0","title":"Fixed pool","reason":"Non-obvious problem→solution pair with investigation","confidence":"high",
  "evidence":[{"type":"problem","summary":"npm test","content":"Error: …"},{"type":"success","summary":"Fixed pool","content":"…"}],
  "detectedAt":1763230000000,"sessionId":"0123456789abcdef"},
 {"id":"sc_01234567_1","title":"Turns out port is 8080","reason":"Non-obvious discovery","confidence":"medium","evidence":[],"detectedAt":1e300},
 {"id":"sc_01234567_2","title":7}
],"injectedAt":1763230999999}"#;

fn import(bytes: &[u8], name: &str, beside: Option<&[u8]>) -> Option<Imported> {
    let format = Format::of(bytes, name)?;
    let about = About { source: format.source, file: "f1", project: "shop", redactor: &Redactor::default(), beside };
    Some(format.read(bytes, &about))
}

fn show(imported: &Imported) -> String {
    let mut out = String::new();
    let mut last = "";
    for o in &imported.items {
        if o.head.events[0] != last {
            let sound = if o.claim.telling { "" } else { " (doubtful)" };
            out +=
                &format!("{} {} {}: {}{sound}\n", o.head.events[0], o.claim.kind.as_str(), o.claim.name, o.claim.text);
        }
        last = &o.head.events[0];
        out += &format!("  {} {:?}\n", o.head.root, o.head.at);
    }
    for (why, n) in &imported.left_out {
        out += &format!("{n} {why}\n");
    }
    for p in &imported.problems {
        out += &format!("line {} {}\n", p.line, p.why);
    }
    out
}

fn check(text: &str, beside: Option<&str>, expect: &Expect) {
    let imported = import(text.as_bytes(), "any", beside.map(str::as_bytes)).expect("a known format");
    expect.assert_eq(&show(&imported));
    for o in &imported.items {
        assert_eq!((o.claim.trust, o.claim.suggest), (crate::session::Origin::Imported, false));
    }
}

#[test]
fn devflow_counts_and_times_are_kept() {
    check(
        DEVFLOW,
        None,
        &expect![[r#"
        f1:obs_wf0001 workflow squash-merge-pull-main-delete: Squash merge, pull main, delete branch: 1. squash 2. pull 3. delete
          import:obs_wf0001:1 Some(1793527200000)
          import:obs_wf0001:2 Some(1794766334000)
          import:obs_wf0001:3 Some(1794766334000)
        f1:obs_pr0001 procedure hooks-fail-read-memory-debug: When hooks fail, read .memory/debug.log first (doubtful)
          import:obs_pr0001:1 Some(1794766334000)
        f1:obs_de0001 decision keep-sqlite-because-one-file: Keep SQLite because one file is easy to back up: context: storage; decision: SQLite; rationale: one file
          import:obs_de0001:1 Some(1794268800000)
          import:obs_de0001:2 Some(1794441600000)
        1 deprecated in devflow
    "#]],
    );
}

#[test]
fn a_pattern_table_is_read_with_its_quotes_and_its_faults() {
    check(
        TOON,
        None,
        &expect![[r#"
        f1:P-001 procedure check-token-expiry-before-api: Always check token expiry before API calls
          import:5ff3582f4d:1 Some(1769728260000)
          import:5ff3582f4d:2 Some(1769728260000)
          import:5ff3582f4d:3 Some(1769728260000)
          import:5ff3582f4d:4 Some(1769728260000)
          import:5ff3582f4d:5 Some(1769728260000)
        f1:P-002 pitfall check-none-before-accessing-optional: Check for None, before accessing "optional" keys (doubtful)
          import:76d420be70:1 Some(1769728260000)
          import:76d420be70:2 Some(1769728260000)
          import:76d420be70:3 Some(1769728260000)
        f1:P-003 instruction name-branches-after-issues: Name branches after issues
          import:ee35c1ba87:1 Some(1769728260000)
        f1:P-004 insight cache-per-process: The cache is per process
          import:49d832ecba:1 Some(1769728260000)
          import:49d832ecba:2 Some(1769728260000)
        1 about another repository
        1 marked [PRUNE] in ClosedLoop
    "#]],
    );
}

#[test]
fn an_outcome_counts_once_per_run_and_only_if_it_held() {
    check(
        OUTCOMES,
        Some(TOON),
        &expect![[r#"
            f1:outcome-76d420be70 pitfall check-none-before-accessing-optional: Check for None, before accessing "optional" keys
              import:76d420be70:1 Some(1770112800000)
            f1:outcome-5ff3582f4d procedure check-token-expiry-before-api: Always check token expiry before API calls
              import:5ff3582f4d:1 Some(1769943600000)
              import:5ff3582f4d:2 Some(1770026400000)
            f1:outcome-3c394e8eb4 procedure pipe-through-tee: Pipe a | b through tee
              import:3c394e8eb4:1 Some(1770112800000)
            1 naming a place that was not found
            1 of a pattern that was shown, not applied
            1 of a run whose build failed
            line 9 is no outcome
        "#]],
    );
}

#[test]
fn candidates_are_read_one_by_one() {
    check(
        BRAIN,
        None,
        &expect![[r#"
        f1:sc_01234567_0 recovery fixed-pool: Fixed pool: problem: npm test; success: Fixed pool
          import:sc_01234567_0:1 Some(1763230000000)
        f1:sc_01234567_1 insight turns-out-port-8080: Turns out port is 8080 (doubtful)
          import:sc_01234567_1:1 None
        line 6 has no `title`
    "#]],
    );
}

#[test]
fn a_cut_document_gives_what_stands_before_the_cut() {
    let cut = BRAIN.find("sc_01234567_2").expect("there");
    let imported = import(&BRAIN.as_bytes()[..cut], "any", None).expect("known");
    assert_eq!(imported.items.len(), 2);
    assert_eq!(imported.problems, [Problem { line: 6, why: "is cut short" }]);
}

#[test]
fn a_log_that_devflow_itself_spread_over_lines_is_read() {
    let spread: String = DEVFLOW
        .lines()
        .map(|l| serde_json::from_str::<serde_json::Value>(l).expect("JSON"))
        .map(|v| serde_json::to_string_pretty(&v).expect("JSON") + "\n")
        .collect();
    let (one, other) = (import(DEVFLOW.as_bytes(), "x", None), import(spread.as_bytes(), "x", None));
    assert_eq!(one, other);
}

#[test]
fn damage_is_listed_and_the_rest_is_taken() {
    let log = format!(
        "{DEVFLOW}{}",
        r#"not json
{"id":"obs_1","type":"workflow","pattern":"cut
{"id":"bad_id","type":"workflow","pattern":"x y"}
{"id":"obs_2","type":"other","pattern":"x y"}
{"id":"obs_3","type":"workflow"}
{"id":"obs_4","type":"workflow","pattern":"x y","observations":"many"}
{"id":"obs_5","type":"workflow","pattern":"to the"}
{"id":"obs_wf0001","type":"workflow","pattern":"x y"}
{"id":"obs_6","type":"workflow","pattern":"run the linter","observations":1e300,"first_seen":"yesterday"}"#
    );
    let imported = import(log.as_bytes(), "x", None).expect("known");
    let roots = |id: &str| imported.items.iter().filter(|o| o.head.events[0].ends_with(id)).count();
    assert_eq!((roots("obs_wf0001"), roots("obs_6"), imported.items.len()), (3, 20, 3 + 1 + 2 + 20));
    let lines: Vec<usize> = imported.problems.iter().map(|p| p.line).collect();
    assert_eq!(lines, [5, 6, 7, 8, 9, 10]);
    assert_eq!(imported.left_out.values().sum::<usize>(), 3);
}

#[test]
fn imported_things_meet_what_sessions_say_and_their_files_count_once() {
    let toon = import(TOON.as_bytes(), "x", None).expect("known").items;
    let log = import(OUTCOMES.as_bytes(), "x", Some(TOON.as_bytes())).expect("known").items;
    let lessons = learn::fold("p", &[toon, log].concat());
    let token = lessons.iter().find(|l| l.key.contains("token")).expect("there");
    assert_eq!((token.evidence.sessions, token.evidence.worth.ready), (5, false));
    let mut said = crate::detect::tests::session("u Always name branches after issues");
    said.root = "s".into();
    let seen = crate::detect::detect(&said);
    let mut all = import(TOON.as_bytes(), "x", None).expect("known").items;
    assert!(
        seen.iter().any(|o| all.iter().any(|i| i.claim.key == o.claim.key && i.claim.kind == o.claim.kind)),
        "{seen:#?}"
    );
    all.extend(seen);
    let lessons = learn::fold("p", &all);
    let rule = lessons.iter().find(|l| l.key.contains("branches")).expect("there");
    assert_eq!(rule.evidence.sessions, 2);
}

#[test]
fn secrets_do_not_get_in() {
    let token = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    for (text, name) in [(DEVFLOW, "a"), (TOON, "b"), (OUTCOMES, "c"), (BRAIN, "d")] {
        let planted = text
            .replace("pull main", &token)
            .replace("token expiry", &token)
            .replace("Fixed pool", &format!("Fixed {token}"))
            .replace("obs_pr0001", &format!("obs_{token}"))
            .replace("P-003", &token);
        let imported = import(planted.as_bytes(), name, Some(planted.as_bytes())).expect("known");
        let shown = format!("{:?}", imported.items);
        assert!(shown.contains("[redacted:") && !shown.contains(&token[4..]), "{shown}");
    }
}

#[test]
fn other_files_are_none_of_these() {
    for text in [
        "",
        "\u{89}PNG\r\n",
        "hello | there\n",
        "{\"type\":\"user\",\"uuid\":\"u1\",\"message\":{}}\n",
        "[1,2]",
        "a,b,c\n1,2,3\n",
        "items[1]{a}:\n  1\n",
    ] {
        assert!(import(text.as_bytes(), "notes.txt", None).is_none(), "{text}");
    }
    // An empty file of that name is a log in which nothing stands yet.
    let empty = import(b"", "learning-log.jsonl", None).expect("by its name");
    assert_eq!(empty, Imported::default());
    let junk = import(b"\x89PNG\xff\n\n junk", "learning-log.jsonl", None).expect("by its name");
    assert_eq!(junk.problems.iter().map(|p| p.line).collect::<Vec<_>>(), [1, 3]);
}

/// A small generator of random numbers; the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides.max(1)
    }
}

#[test]
fn mutations_neither_panic_nor_grow() {
    const SPICE: &[&[u8]] = &[
        b"{",
        b"}",
        b"[",
        b"]",
        b"\"",
        b"\\",
        b",",
        b"|",
        b"\n",
        b"\r\n",
        b"\0",
        b"\xff",
        b"\xef\xbb\xbf",
        b"1e999",
        b"-1",
        b"99999999999999999999999",
        b"null",
        b"{\n",
        b"\n}\n",
        b"patterns[9999999999999]{",
        b"}:",
        b"applied|",
        "→".as_bytes(),
        b"\\ud800",
    ];
    let mut dice = Dice(7);
    for text in [DEVFLOW, TOON, OUTCOMES, BRAIN] {
        for _ in 0..400 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=dice.roll(6) {
                let (from, to) = (dice.roll(bytes.len()), dice.roll(bytes.len()));
                let (from, to) = (from.min(to), from.max(to));
                match dice.roll(5) {
                    0 => drop(bytes.drain(from..to.min(from + 40))),
                    1 => bytes.truncate(to),
                    2 => bytes[from..to].reverse(),
                    3 => bytes.extend_from_within(from..to),
                    _ => drop(bytes.splice(from..from, SPICE[dice.roll(SPICE.len())].iter().copied())),
                }
                if bytes.is_empty() {
                    break;
                }
            }
            for name in ["x", "learning-log.jsonl", "org-patterns.toon", "outcomes.log", "mind-skills-pending.json"] {
                if let Some(imported) = import(&bytes, name, Some(&bytes)) {
                    assert!(imported.items.len() <= 20 * (bytes.len() / 8 + 1));
                    assert!(
                        imported.items.iter().all(|o| o.claim.text.chars().count() <= 400 && !o.claim.key.is_empty())
                    );
                }
            }
        }
    }
}

#[test]
fn huge_and_nested_input_is_turned_away_quickly() {
    let n = 200_000;
    for text in [
        "{\"a\":\n".repeat(n),
        "{\n".repeat(n),
        "{".repeat(n),
        format!("{{\"candidates\":{}", "[".repeat(n)),
        format!("{{\"candidates\":[{}]}}", "1,".repeat(n)),
        format!("{{\"candidates\":[{{\"id\":\"a\",\"title\":{}", "[".repeat(n)),
        format!("patterns[1]{{{}}}:\n{}", "a,".repeat(n), "\",".repeat(n)),
        format!("patterns[1]{{a}}:\n{}", "x,\n".repeat(n)),
        "|".repeat(n),
        "2026-02-01T10:00:00Z|r|1|a|p q|applied|\n".repeat(n / 10),
        DEVFLOW.replace("pull main", &"many words ".repeat(n)),
    ] {
        for name in ["learning-log.jsonl", "org-patterns.toon", "outcomes.log", "mind-skills-pending.json"] {
            let imported = import(text.as_bytes(), name, Some(text.as_bytes())).expect("by its name");
            assert!(imported.items.len() <= 20 && imported.problems.len() <= LISTED);
        }
    }
    let many: String = (0..6_000)
        .map(|n| format!("{{\"id\":\"obs_{n}\",\"type\":\"pitfall\",\"pattern\":\"thing {n}\"}}\n"))
        .collect();
    let imported = import(many.as_bytes(), "x", None).expect("known");
    assert_eq!((imported.items.len(), imported.left_out.values().sum::<usize>()), (ENTRIES, 1_000));
}
