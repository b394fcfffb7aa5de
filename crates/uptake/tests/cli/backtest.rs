//! `uptake backtest`.

use uptake_testkit::transcript::claude;

use crate::world::World;

/// The same mistake on each of five days, and what got past it.
const MISTAKE: &str = "u show me the report
    ! python3 -m ledger report --format json => ledger: error: unrecognized arguments: --format json
    $ python3 -m ledger --help => usage: ledger
    $ python3 -m ledger report --output json => {}";

/// With what a client's file is recognised by, wherever it lies.
fn known(text: &str) -> String {
    text.replace("\"isSidechain\":false", "\"isSidechain\":false,\"parentUuid\":null")
}

/// A folder with two projects: in one a mistake is made again and again, in the other something else.
fn history(world: &World) -> std::path::PathBuf {
    for day in 1..=5 {
        let session = |project: &str, script: &str| {
            let text = claude(&format!("{project}-{day}"), &format!("/home/dev/{project}"), script);
            let text = text.replace("2026-11-01T", &format!("2026-11-0{day}T"));
            world.write(&format!("history/{project}/{day}.jsonl"), &known(&text));
        };
        session("ledger", MISTAKE);
        session(
            "shop",
            "u build it\n! make all => make: *** No rule to make target 'deps'.  Stop.\n$ make deps => ok\n$ make all => ok",
        );
    }
    world.path("history")
}

#[test]
fn what_had_ended_before_is_what_is_known() {
    let world = World::new();
    let run = world.run_on(&["backtest", "--json"], &[&history(&world)]).ok();
    let all = &run.objects()[0];
    assert_eq!((&all["sessions"], &all["failures"]), (&10.into(), &10.into()), "{all}");
    // The first day of each project has no past; what make says names the step that is missing.
    assert_eq!((&all["recurring"], &all["judged"]), (&8.into(), &4.into()), "{all}");
    assert_eq!(all["projects"].as_array().map(Vec::len), Some(2));
    let prevented = all["prevented"].as_i64().expect("a number");
    assert!((3..=4).contains(&prevented), "{all}");
    assert_eq!(all["control"]["other_project"]["prevented"], 0, "{all}");
    assert_eq!(all["control"]["constant_card"]["prevented"], 0, "{all}");
    assert_eq!(all["baselines"]["exact"]["prevented"], 4, "{all}");
    assert!(all["precision"].as_f64().is_some_and(|p| p > 0.9), "{all}");
    for key in ["net_tokens", "ways", "control", "baselines"] {
        assert!(!all[key].is_null(), "{key}: {all}");
    }
    assert!(!world.data().exists(), "the user's store is not touched");
}

#[test]
fn people_see_bars_and_a_page() {
    let world = World::new();
    let history = history(&world);
    let page = world.path("page.html");
    let run = world.run_on(&["backtest", "--html", page.to_str().expect("a path")], &[&history]).ok();
    for text in ["Went through 10 past sessions of 2 projects", "all lessons accepted", "By project"] {
        assert!(run.out.contains(text), "{text}: {}", run.out);
    }
    let text = std::fs::read_to_string(page).expect("a page");
    assert!(text.starts_with("<!doctype html>") && text.contains("What lessons would have done"));
    assert!(!text.contains("<script") && !text.contains("http://") && !text.contains("https://"));
}

#[test]
fn where_nothing_came_back_nothing_is_said() {
    let world = World::new();
    world.write("one/a/1.jsonl", &known(&claude("s", "/home/dev/a", MISTAKE)));
    let run = world.run_on(&["backtest"], &[&world.path("one")]).ok();
    assert!(run.out.contains("not enough to say anything"), "{}", run.out);
    let run = world.run_on(&["backtest"], &[&world.path("nowhere")]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("no transcripts were found"), "{}", run.err);
}
