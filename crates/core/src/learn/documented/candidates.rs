//! Candidates for an agent to write up: what pairs, what does not, what is kept.

use super::seen;
use crate::detect::tests::session;
use crate::detect::{Observation, Sure, detect};
use crate::learn::fold;
use crate::learn::staging::{MOST, staged};

const FIX: &str = "! cargo test => error[E0308]: mismatched types\\n --> src/pool.rs:3:5
    e src/pool.rs
    $ cargo test";

fn titles(observations: &[Observation]) -> Vec<(String, Sure)> {
    staged(&fold("p", observations)).iter().map(|l| (l.payload.title.clone(), l.evidence.sure)).collect()
}

fn of(script: &str) -> Vec<(String, Sure)> {
    titles(&seen("s", 0, script))
}

#[test]
fn the_documented_runs_hold() {
    // Error, fix, success: one candidate, not a second one of the fix and the next success.
    assert_eq!(of(FIX), [("Fix: error[E0308]: mismatched types".to_owned(), Sure::High)]);
    // Two observations are too few.
    assert_eq!(of("! cargo test => error[E0308]: mismatched types\n$ cargo test"), []);
    // Five looks at one file, with a problem and a fix.
    let long = "! make test => FAIL src/a.ts: wrong total\\nTypeError: total\n$ cat src/a.ts\n$ grep -n total src/a.ts
        e src/a.ts\n$ sed -n 1,20p src/a.ts\ne src/a.ts\n$ make test";
    assert!(of(long).iter().any(|(title, _)| title.contains("a.ts")), "{:?}", of(long));
    // Something that was not obvious.
    let found = of("u go\na It turns out that `PORT` is 8080 in development and nothing else.");
    assert_eq!(found.len(), 1);
    assert!(found[0].0.contains("8080"), "{found:?}");
    // Twelve problems and one solution: theirs gives five; ours gives what was solved.
    let many: String =
        (1..=12).map(|n| format!("u exporting ledger {n} with foreign currencies gives an error\n")).collect();
    let one = format!("{many}e src/x.rs\na Fixed: exporting a ledger with foreign currencies works");
    assert_eq!(of(&one).len(), 1);
}

#[test]
fn chance_and_substrings_pair_nothing() {
    for script in [
        "! docker ps => Error: cannot connect to the docker daemon\ne README.md\na Fixed a typo in the README.\n$ git status",
        "u show the terrorist movie list of list.md\n$ cat list.md\na Read the prefix table\ne list.md\n$ ls",
        "u is there an errorless way?\na The prefixed names are fine.\ne a.md\n$ ls",
    ] {
        assert_eq!(of(script), [], "{script}");
    }
}

#[test]
fn order_counts_and_not_the_clock() {
    let mut all =
        [FIX, "u the report in report.py crashes on an empty book\ne src/report.py\na Fixed: an empty book works."]
            .map(session);
    for s in &mut all {
        s.events.iter_mut().for_each(|e| e.at = Some(7));
        assert_eq!(titles(&detect(s)).len(), 1);
        s.events.reverse();
        assert_eq!(titles(&detect(s)), [], "the fix before the error");
    }
}

#[test]
fn a_fix_is_found_however_much_follows() {
    let looks = "$ cat README.md\n".repeat(200);
    assert_eq!(of(&format!("{looks}{FIX}\n{looks}")), of(FIX));
}

#[test]
fn what_was_not_shown_is_not_lost() {
    let other = FIX.replace("E0308]: mismatched types", "E0425]: cannot find value `sum`");
    let all: Vec<Observation> =
        [seen("a", 0, FIX), seen("b", 1_000, "$ ls\n$ make"), seen("c", 2_000, &other)].concat();
    assert_eq!(titles(&all).len(), 2);
    assert_eq!(titles(&all), titles(&all), "being asked changes nothing");
    // Twelve sessions, twelve errors: the ten newest, whichever is read first.
    let mut many: Vec<Observation> = (0..12)
        .flat_map(|n| {
            let error = FIX.replace(
                "E0308]: mismatched types",
                &format!("E0425]: cannot find value `sum_{}`", (b'a' + n) as char),
            );
            seen(&format!("s{n}"), i64::from(n) * 1_000, &error)
        })
        .collect();
    let there = titles(&many);
    assert_eq!(there.len(), MOST);
    assert!(there[0].0.contains("sum_l") && there.iter().all(|(t, _)| !t.contains("sum_a") && !t.contains("sum_b")));
    many.reverse();
    assert_eq!(titles(&many), there);
}
