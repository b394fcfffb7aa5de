//! `uptake project`.

use expect_test::expect;

use crate::world::{World, learned, rows, text};

#[test]
fn two_projects_become_one_and_two_again() {
    let world = World::new();
    world.run(&["add", "Run make deps first", "--project", "git.example.com/dev/old"]).ok();
    world.run(&["add", "Use tabs", "--project", "git.example.com/dev/new"]).ok();
    let before = rows(&world);
    let merged = world.run(&["project", "merge", "old", "new", "--json"]).ok().objects()[0].clone();
    let after = rows(&world);
    assert_eq!(after.len(), 2);
    assert!(after.iter().all(|r| r["project"] == "git.example.com/dev/new" && r["status"] == "created"), "{after:?}");
    let list = world.run(&["project", "--json"]).ok().objects();
    assert_eq!((list.len(), &list[0]["also"][0]), (1, &"git.example.com/dev/old".into()));
    world.run(&["undo", &merged["change"].to_string()]).ok();
    assert_eq!(rows(&world), before);
    expect![[r#"
        exit code 1
        --- stderr ---
        error: there is no project `nowhere`; `uptake project list` lists them
    "#]]
    .assert_eq(&world.snapshot(&["project", "merge", "old", "nowhere"]));
    expect![[r#"
        exit code 0
        --- stdout ---
        ✓ git.example.com/dev/old is git.example.com/dev/new from now on
          Take it back with: uptake undo 5
    "#]]
    .assert_eq(&world.snapshot(&["project", "merge", "old", "new"]));
    expect![[r#"
        exit code 0
        --- stdout ---
        git.example.com/dev/new  0 sessions, 2 lessons (2 approved)
          also git.example.com/dev/old
    "#]]
    .assert_eq(&world.snapshot(&["project"]));
}

#[test]
fn sessions_of_a_merged_project_count_for_the_other() {
    let world = learned();
    let project = text(&rows(&world)[0], "project").to_owned();
    world.run(&["add", "Use tabs", "--project", "git.example.com/dev/whole"]).ok();
    let before = rows(&world);
    world.run(&["project", "merge", &project, "whole"]).ok();
    assert!(rows(&world).iter().all(|r| r["project"] != project.as_str()));
    // Read anew, they belong to the other at once.
    std::fs::remove_file(world.data().join("sessions.db")).expect("gone");
    world.run(&["learn", "--json"]).ok();
    assert!(rows(&world).iter().all(|r| r["project"] != project.as_str()));
    world.run(&["undo"]).ok();
    let mut ids: Vec<String> = rows(&world).iter().map(|r| text(r, "id").to_owned()).collect();
    let mut wanted: Vec<String> = before.iter().map(|r| text(r, "id").to_owned()).collect();
    ids.sort();
    wanted.sort();
    assert_eq!(ids, wanted);
}
