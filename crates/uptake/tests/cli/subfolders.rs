//! Sessions that were started below the root of their working tree: what they teach holds from the root, wherever it is told.

use serde_json::{Value, json};
use uptake_testkit::database::execute;

use crate::facts::{accept_all, ask, file, git, session};
use crate::world::World;

const GONE: &str = "File does not exist.";
const NO_RATES: &str = "Exit code 1\ncat: conf/exchange_rates.toml: No such file or directory";

/// Two sessions that were started in a folder, and looked for two files where they are not: with a tool, and in the shell.
fn sessions_in(world: &World, folder: &str) {
    for id in ["a", "bb"] {
        let at = |path: &str| file(world, folder, path);
        session(
            world,
            id,
            folder,
            &[
                ("Read", at("src/cart.rs"), GONE),
                ("Read", at("app/cart.rs"), ""),
                ("Bash", json!({ "command": "cat conf/exchange_rates.toml" }), NO_RATES),
                ("Read", at("etc/exchange_rates.toml"), ""),
            ],
        );
    }
}

fn world() -> World {
    let world = World::new();
    git(&world, "shop");
    world.write("shop/pkg/app/cart.rs", "fn cart() {}");
    world.write("shop/pkg/etc/exchange_rates.toml", "eur = 1");
    sessions_in(&world, "shop/pkg");
    world
}

fn failure(world: &World, session: &str, folder: &str, call: (&str, Value), error: &str) -> Value {
    json!({ "session_id": session, "cwd": world.path(folder), "hook_event_name": "PostToolUseFailure", "tool_name": call.0,
            "tool_input": call.1, "tool_use_id": "3", "error": error, "is_interrupt": false })
}

fn texts(world: &World) -> Vec<String> {
    let rows = world.run(&["list", "--all", "--json"]).ok().objects();
    rows.iter().filter_map(|r| r["text"].as_str().map(str::to_owned)).collect()
}

fn says(world: &World, text: &str) -> bool {
    texts(world).iter().any(|t| t == text)
}

const CART: &str = "`pkg/src/cart.rs` does not exist: it is `pkg/app/cart.rs`.";
const RATES: &str = "`pkg/conf/exchange_rates.toml` does not exist: it is `pkg/etc/exchange_rates.toml`.";

#[test]
fn a_path_is_told_from_the_root_and_so_it_is_said_where_that_is_elsewhere() {
    let world = world();
    world.run(&["learn"]).ok();
    assert!(says(&world, CART) && says(&world, RATES), "{:#?}", texts(&world));
    accept_all(&world);
    let from = format!("Paths are told from the root, `{}`, not from `pkg/`.", world.path("shop").display());
    let read = || ("Read", file(&world, "shop/pkg", "src/cart.rs"));
    let at_root = ask(&world, &failure(&world, "s1", "shop", read(), GONE)).expect("told at the root");
    assert!(at_root.contains(CART) && !at_root.contains("Paths are told"), "{at_root}");
    let below = ask(&world, &failure(&world, "s2", "shop/pkg", read(), GONE)).expect("told below");
    assert!(below.contains(CART) && below.contains(&from), "{below}");
    let cat = |path: &str| ("Bash", json!({ "command": format!("cat {path}") }));
    let said = |path: &str| format!("Exit code 1\ncat: {path}: No such file or directory");
    let path = "pkg/conf/exchange_rates.toml";
    let at_root = ask(&world, &failure(&world, "s1", "shop", cat(path), &said(path))).expect("told at the root");
    assert!(at_root.contains(RATES) && !at_root.contains("Paths are told"), "{at_root}");
    let path = "conf/exchange_rates.toml";
    let below = ask(&world, &failure(&world, "s2", "shop/pkg", cat(path), &said(path))).expect("told below");
    assert!(below.contains(RATES) && below.contains(&from), "{below}");
}

#[test]
fn the_card_says_what_its_paths_are_told_from() {
    let world = world();
    world.run(&["learn"]).ok();
    accept_all(&world);
    let start = |session: &str, folder: &str| json!({ "session_id": session, "cwd": world.path(folder), "hook_event_name": "SessionStart", "source": "startup" });
    let root = format!("; paths are told from the root, `{}`)", world.path("shop").display());
    let card = ask(&world, &start("s1", "shop/pkg")).expect("a card");
    assert!(card.contains(&root) && card.contains(CART), "{card}");
    let card = ask(&world, &start("s2", "shop")).expect("a card");
    assert!(!card.contains("paths are told") && card.contains(CART), "{card}");
}

#[test]
fn sessions_at_the_root_and_below_it_add_up() {
    let world = World::new();
    git(&world, "shop");
    world.write("shop/pkg/app/cart.rs", "fn cart() {}");
    for (id, folder) in [("a", "shop"), ("bb", "shop/pkg")] {
        let at = |path: &str| file(&world, "shop", path);
        session(&world, id, folder, &[("Read", at("pkg/src/cart.rs"), GONE), ("Read", at("pkg/app/cart.rs"), "")]);
    }
    world.run(&["learn"]).ok();
    assert!(says(&world, CART), "{:#?}", texts(&world));
}

#[test]
fn a_worktree_is_a_root_of_its_own() {
    let world = World::new();
    git(&world, "shop");
    world.write("shop/.git/worktrees/fix/commondir", "../..");
    world.write("fix/.git", &format!("gitdir: {}", world.path("shop/.git/worktrees/fix").display()));
    world.write("fix/pkg/app/cart.rs", "fn cart() {}");
    world.write("shop/pkg/app/cart.rs", "fn cart() {}");
    sessions_in(&world, "fix/pkg");
    world.run(&["learn"]).ok();
    assert!(says(&world, CART), "{:#?}", texts(&world));
    accept_all(&world);
    let read = ("Read", file(&world, "shop", "pkg/src/cart.rs"));
    let told = ask(&world, &failure(&world, "s1", "shop", read, GONE)).expect("told in another tree");
    assert!(told.contains(CART), "{told}");
}

#[test]
fn a_folder_that_is_gone_was_in_the_repository_above_it() {
    let world = world();
    std::fs::remove_dir_all(world.path("shop/pkg")).expect("gone");
    world.run(&["learn"]).ok();
    assert!(says(&world, CART), "{:#?}", texts(&world));
}

#[test]
fn where_all_is_gone_paths_are_told_from_the_folder_of_the_session() {
    let world = world();
    std::fs::remove_dir_all(world.path("shop")).expect("gone");
    world.run(&["learn"]).ok();
    assert!(says(&world, "`src/cart.rs` does not exist: it is `app/cart.rs`."), "{:#?}", texts(&world));
    // An earlier session knows what the disk no longer tells.
    let world = self::world();
    world.run(&["learn"]).ok();
    std::fs::remove_dir_all(world.path("shop")).expect("gone");
    session(&world, "ccc", "shop/pkg", &[("Read", file(&world, "shop/pkg", "src/bill.rs"), GONE)]);
    world.run(&["learn"]).ok();
    assert!(texts(&world).iter().all(|t| !t.contains("`src/")), "{:#?}", texts(&world));
}

#[test]
fn sessions_of_an_older_release_are_told_from_the_root_too() {
    let world = world();
    world.run(&["learn"]).ok();
    let found = texts(&world);
    // As they were read when nobody asked for the root: their transcripts are gone.
    execute(&world.data().join("sessions.db"), "UPDATE sessions SET top = NULL, detectors = 'older'");
    std::fs::remove_dir_all(world.path("home/.claude/projects/shop-pkg")).expect("gone");
    world.run(&["learn"]).ok();
    assert_eq!(texts(&world), found);
}

#[test]
fn a_transcript_alone_is_told_from_the_root_on_disk() {
    let world = world();
    let transcript = world.path("home/.claude/projects/shop-pkg/a.jsonl");
    let failures = |world: &World| -> Vec<(String, String)> {
        let rows = world.run_on(&["events", "--json"], &[&transcript]).ok().objects();
        let words = |v: &Value| v.as_str().unwrap_or_default().to_owned();
        rows.iter().filter(|r| r["subject"].is_string()).map(|r| (words(&r["subject"]), words(&r["cwd"]))).collect()
    };
    let told = |subject: &str, folder: &str| (subject.to_owned(), folder.to_owned());
    assert_eq!(failures(&world), [told("pkg/src/cart.rs", "pkg"), told("conf/exchange_rates.toml", "pkg")]);
    std::fs::remove_dir_all(world.path("shop")).expect("gone");
    assert_eq!(failures(&world), [told("src/cart.rs", "."), told("conf/exchange_rates.toml", ".")]);
}
