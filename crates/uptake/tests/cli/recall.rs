//! `uptake recall`: what would be told, and why.

use expect_test::expect;

use crate::world::World;

fn world() -> World {
    let world = World::new().with_history();
    world.write("work/.git/config", "[remote \"origin\"]\n\turl = git@git.example.com:dev/ledger.git\n");
    let lessons = world.run(&["learn", "--json"]).ok().objects();
    let fix = lessons.iter().find(|l| l["text"].as_str().is_some_and(|t| t.contains("--output json"))).expect("a fix");
    world.run(&["review", "--accept", fix["id"].as_str().expect("an id")]).ok();
    world.run_in("work", &["add", "Invoices are rounded to cents, never to euros"]).ok();
    world
}

#[test]
fn it_says_what_is_told_and_why_or_why_not() {
    let world = world();
    let mut all = String::new();
    for args in [
        &["recall", "How are invoices rounded?"][..],
        &["recall", "Write a poem"],
        &[
            "recall",
            "--command",
            "python3 -m ledger report --format json",
            "--error",
            "ledger: error: unrecognized arguments: --format json",
        ],
        &["recall", "--command", "python3 -m ledger report", "--error", ""],
        &["recall", "--start"],
        &["recall"],
    ] {
        all.push_str(&world.shown(&world.run_in("work", args)));
    }
    expect![[r#"
        exit code 0
        --- stdout ---
        Invoices are rounded to cents, never to euros [871aa]
          because both speak of invoices, rounded
        exit code 0
        --- stdout ---
        Nothing is told: no approved lesson of git.example.com/dev/ledger fits.
        exit code 0
        --- stdout ---
        Instead of `python3 -m ledger report --format json` run `python3 -m ledger report --output json` [0e3dd]
          because python3 said: ledger: error: unrecognized arguments: --format json
        exit code 0
        --- stdout ---
        Nothing is told: the output has no line that says what went wrong.
        Nothing is told: no approved lesson of git.example.com/dev/ledger fits.
        exit code 0
        --- stdout ---
        Invoices are rounded to cents, never to euros [871aa]
          because it is worth most of what holds here
        exit code 1
        --- stderr ---
        error: nothing to recall for; give a prompt, --command with --error, or --start
    "#]]
    .assert_eq(&all);
}

#[test]
fn what_stands_against_it_is_told() {
    let world = world();
    let ask = |world: &World| {
        world.run_in("work", &["recall", "How are invoices rounded?", "--json"]).ok().objects().remove(0)
    };
    assert_eq!(ask(&world)["told"].as_array().map(Vec::len), Some(1));
    assert_eq!(ask(&world)["against"].as_array().map(Vec::len), Some(0));
    world.run(&["config", "set", "exclude", world.path("work").to_str().expect("a path")]);
    assert_eq!(ask(&world)["against"].as_array().map(Vec::len), Some(1));
    world.run(&["disable"]).ok();
    assert_eq!(ask(&world)["told"].as_array().map(Vec::len), Some(0));
}
