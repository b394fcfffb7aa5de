//! `uptake forget`.

use std::path::Path;

use expect_test::expect;

use crate::world::{World, a_fix, learned, rows, text};

/// How often a text stands in any file below a folder.
fn occurrences(folder: &Path, wanted: &str) -> usize {
    let mut found = 0;
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found += occurrences(&path, wanted);
        } else if let Ok(bytes) = std::fs::read(&path) {
            found += bytes.windows(wanted.len()).filter(|w| *w == wanted.as_bytes()).count();
        }
    }
    found
}

#[test]
fn what_is_forgotten_leaves_no_byte_and_does_not_come_back() {
    let world = learned();
    let fix = a_fix(&world);
    let (id, statement) = (text(&fix, "id").to_owned(), text(&fix, "text").to_owned());
    let command = fix["commands"][0].as_str().expect("a command").to_owned();
    world.run(&["review", "--accept", &id]).ok();
    assert!(occurrences(&world.data(), &statement) > 0 && occurrences(&world.data(), &command) > 0);
    let refused = world.run(&["forget", &id]);
    assert_eq!(refused.code, 1, "nobody to ask");
    world.run(&["forget", &id, "--yes"]).ok();
    for wanted in [&statement, &command] {
        assert_eq!(occurrences(&world.data(), wanted), 0, "{wanted}");
    }
    world.run(&["learn", "--json"]).ok();
    assert!(rows(&world).iter().all(|r| r["id"] != id.as_str()));
    // Even if every transcript is read anew.
    std::fs::remove_file(world.data().join("sessions.db")).expect("gone");
    world.run(&["learn", "--json"]).ok();
    assert!(rows(&world).iter().all(|r| r["id"] != id.as_str()));
    assert_eq!(occurrences(&world.data(), &statement), 0);
}

#[test]
fn a_text_of_a_person_that_may_hold_it_stays_and_is_named() {
    let world = learned();
    let copy = world.write("data/late/x/file", "what they typed anew\n");
    let about = serde_json::json!({ "root": world.path("shop"), "below": "notes.md", "length": 3, "sum": "another" });
    world.write("data/late/x/about.json", &about.to_string());
    let out = world.run(&["forget", "0e3d", "--yes"]).ok().out;
    assert!(out.contains(&copy.display().to_string()) && copy.exists(), "{out}");
}

#[test]
fn it_is_asked_for_and_says_what_is_gone() {
    let world = learned();
    expect![[r#"
        exit code 1
        --- stderr ---
        error: forgetting cannot be undone; say so with --yes
    "#]]
    .assert_eq(&world.snapshot(&["forget", "0e3d"]));
    expect![[r#"
        exit code 0
        --- stdout ---
        Forgotten, with 2 observations, the texts of 4 events and 0 files. It will not come back.
    "#]]
    .assert_eq(&world.snapshot(&["forget", "0e3d", "--yes"]));
    expect![[r#"
        exit code 1
        --- stderr ---
        error: no lesson has the id `0e3d`; `uptake review --all` lists them
    "#]]
    .assert_eq(&World::new().snapshot(&["forget", "0e3d", "--yes"]));
}
