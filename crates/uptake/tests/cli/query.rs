//! `uptake query`.

use expect_test::expect;

use crate::world::learned;

#[test]
fn lessons_are_found_by_error_kind_language_and_words() {
    let world = learned();
    world.run(&["add", "Use tabs", "--project", "p"]).ok();
    let found = |args: &[&str]| world.run(args).ok().objects();
    let errors = found(&["query", "--errors", "unrecognized", "--json"]);
    assert!(!errors.is_empty() && errors.iter().all(|r| r["kind"] == "recovery" || r["kind"] == "pitfall"));
    assert_eq!(found(&["query", "--errors", "TypeError", "--json"]).len(), 0);
    assert_eq!(found(&["query", "tabs", "--json"]).len(), 1);
    assert!(found(&["query", "--patterns", "rust", "--json"]).iter().all(|r| r["kind"] != "recovery"));
    expect![[r#"
        exit code 0
        --- stdout ---
        0e3ddb0e6d  Instead of `python3 -m ledger report --format json` run `python3 -m ledger report --output json`
                    recovery · ready · 2 sessions · confidence 0.95 · ledger
    "#]]
    .assert_eq(&world.snapshot(&["query", "--errors", "unrecognized"]));
    expect![[r#"
        exit code 0
        --- stdout ---
        Nothing was learned about that.
    "#]]
    .assert_eq(&world.snapshot(&["query", "nothing-like-that"]));
    expect![[r#"
        exit code 1
        --- stderr ---
        error: say what to look for, for example: uptake query docker, or uptake query --errors TypeError
    "#]]
    .assert_eq(&world.snapshot(&["query"]));
    expect![[r#"
        exit code 1
        --- stderr ---
        error: the language `klingon` is not known; there are rust, python, javascript, go, java, c, ruby, php, csharp, swift, shell, sql
    "#]].assert_eq(&world.snapshot(&["query", "--patterns", "klingon"]));
}
