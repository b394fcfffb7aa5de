//! `uptake list`.

use expect_test::expect;

use crate::world::{World, learned, rows, text};

#[test]
fn what_was_learned_is_listed_best_first() {
    expect![[r#"
        exit code 0
        --- stdout ---
        0e3ddb0e6d  Instead of `python3 -m ledger report --format json` run `python3 -m ledger report --output json`
                    recovery · ready · 2 sessions · confidence 0.95 · ledger
        7021487bda  amounts in the book always have two decimals, never more.
                    instruction · ready · 1 session · confidence 0.95 · ledger
        7e6a08174a  Before `make test` run `make deps`
                    recovery · ready · 2 sessions · confidence 0.95 · ledger
        6db1f6ed23  Instead of `python3 -m unittest discover -s tests` run `make test`; the user said: “No, don't call unittest yourself. Use make test instead.”
                    correction · ready · 1 session · confidence 0.95 · ledger
        d75763098b  To do this again, run in order: `make deps`, then `make lint`, then `make test`, then `make dist VERSION=<value>`, then `sh tools/notes.sh`, then `git tag <value>`
                    procedure · ready · 2 sessions · confidence 0.95 · ledger
        eea229f414  Instead of `sh tools/seed.sh` run `cd tools && sh seed.sh`
                    recovery · ready · 1 session · confidence 0.95 · ledger
        fdf01cd7a7  Instead of `sh tools/check.sh --all` run `sh tools/check.sh --every`
                    recovery · ready · 1 session · confidence 0.95 · ledger
        1 more, not ready or given up: uptake list --all
    "#]].assert_eq(&learned().snapshot(&["list"]));
}

#[test]
fn every_lesson_is_listed_when_asked_and_no_more_than_asked_for() {
    let world = learned();
    let all = world.run(&["list", "--all"]).ok().out;
    assert!(rows(&world).iter().all(|row| all.contains(text(row, "text"))), "{all}");
    assert_eq!(world.run(&["list", "--limit", "2", "--json"]).ok().objects().len(), 2);
}

#[test]
fn with_nothing_learned_it_says_how_to_begin() {
    expect![[r#"
        exit code 0
        --- stdout ---
        Nothing was learned yet: uptake learn
    "#]]
    .assert_eq(&World::new().snapshot(&["list"]));
}
