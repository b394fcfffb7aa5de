//! `uptake project`.

use std::path::Path;
use std::process::Command;

use expect_test::expect;
use serde_json::Value;
use uptake_testkit::transcript;

use crate::world::{World, learned, rows, sql, text};

#[test]
fn two_projects_become_one_and_two_again() {
    let world = World::new();
    world.run(&["add", "--skill", "Run make deps first", "--project", "git.example.com/dev/old"]).ok();
    world.run(&["add", "--skill", "Use tabs", "--project", "git.example.com/dev/new"]).ok();
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
        new  git.example.com/dev/new  0 sessions, 2 lessons (2 approved)
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

/// A session of Claude Code in a folder, in which a tool fails and is mended. Its record names a branch if one is given.
fn session(world: &World, id: &str, folder: &str, tool: &str, branch: &str) {
    let script = format!(
        "u please report\n! {tool} report --format json => error: unexpected argument '--format' found
         $ {tool} report --output json => done"
    );
    let named = format!("\"gitBranch\":\"{branch}\",\"isSidechain\"");
    let text = transcript::claude(id, folder, &script).replace("\"isSidechain\"", &named);
    world.write(&format!("home/.claude/projects/p/{id}.jsonl"), &text);
}

fn learn(world: &World) -> String {
    world.tick();
    world.run(&["learn"]).ok().out
}

/// Name, key and sessions of each project.
fn projects(world: &World) -> Vec<(String, String, u64)> {
    let row =
        |r: &Value| (text(r, "name").to_owned(), text(r, "project").to_owned(), r["sessions"].as_u64().unwrap_or(0));
    world.run(&["project", "--json"]).ok().objects().iter().map(row).collect()
}

fn project(name: &str, key: &str, sessions: u64) -> (String, String, u64) {
    (name.to_owned(), key.to_owned(), sessions)
}

fn git(folder: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    let who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "init.defaultBranch=main"];
    let status = command.args(who).args(args).current_dir(folder).output().expect("git runs").status;
    assert!(status.success(), "git {args:?}");
}

#[test]
fn worktrees_and_subfolders_of_a_checkout_that_is_gone_are_one_project_in_any_order() {
    let folders = [
        ("a", "/w1/shop/.worktrees/1", "fix"),
        ("b", "/w1/shop/web", "main"),
        ("c", "/w1/shop", "main"),
        ("d", "/w1/shop/.claude/worktrees/agent-a4", "agent-a4"),
        ("e", "/home/ann/.codex/worktrees/1f2e/shop", "try"),
    ];
    for (n, (id, folder, branch)) in folders.into_iter().enumerate() {
        let world = World::new();
        let mut order = folders.to_vec();
        order.rotate_left(n);
        session(&world, id, folder, "tool", branch);
        learn(&world);
        for (id, folder, branch) in order {
            session(&world, id, folder, "tool", branch);
        }
        learn(&world);
        assert_eq!(projects(&world), [project("shop", "path:/w1/shop", 5)], "{folder} first");
        assert_eq!(rows(&world).iter().filter(|r| r["kind"] == "recovery").count(), 1, "one lesson of all of them");
    }
}

#[test]
fn the_first_time_nothing_is_told_of_projects_becoming_one() {
    let world = World::new();
    session(&world, "a", "/w1/shop/web", "tool", "main");
    session(&world, "b", "/w1/shop", "tool", "main");
    let out = learn(&world);
    assert!(!out.contains("part of"), "{out}");
    assert!(world.run(&["undo", "--list", "--json"]).ok().out.is_empty());
}

#[test]
fn a_folder_stays_in_its_project_when_it_is_gone() {
    let world = World::new();
    let shop = world.path("shop");
    std::fs::create_dir_all(shop.join("web")).expect("a folder");
    git(&shop, &["init", "-q"]);
    git(&shop, &["commit", "-q", "--allow-empty", "-m", "first"]);
    git(&shop, &["worktree", "add", "-q", "../beside"]);
    for (id, folder) in [("a", "shop/web"), ("b", "beside")] {
        session(&world, id, &world.path(folder).to_string_lossy(), "tool", "main");
    }
    learn(&world);
    let before = projects(&world);
    assert_eq!((before.len(), before[0].0.as_str(), before[0].2), (1, "shop", 2), "{before:?}");
    assert!(before[0].1.starts_with("root:"));
    for folder in ["shop", "beside"] {
        std::fs::remove_dir_all(world.path(folder)).expect("gone");
    }
    for (id, folder) in [("c", "shop/web/src"), ("d", "beside/web"), ("e", "shop")] {
        session(&world, id, &world.path(folder).to_string_lossy(), "tool", "main");
    }
    std::fs::remove_file(world.data().join("sessions.db")).expect("gone");
    learn(&world);
    assert_eq!(projects(&world), [project("shop", &before[0].1, 5)]);
}

#[test]
fn a_remote_that_comes_later_or_is_renamed_keeps_the_project_and_what_was_decided() {
    let world = World::new();
    let shop = world.path("shop");
    std::fs::create_dir_all(&shop).expect("a folder");
    git(&shop, &["init", "-q"]);
    git(&shop, &["commit", "-q", "--allow-empty", "-m", "first"]);
    let folder = shop.to_string_lossy().into_owned();
    session(&world, "a", &folder, "tool", "main");
    session(&world, "b", &folder, "tool", "main");
    learn(&world);
    let id = text(rows(&world).iter().find(|r| r["kind"] == "recovery").expect("a fix"), "id").to_owned();
    world.run(&["review", "--skill", "--accept", &id]).ok();
    let mut keys = Vec::new();
    for (n, remote) in ["git@example.com:ann/shop.git", "https://example.com/acme/Shop"].iter().enumerate() {
        git(&shop, &["remote", if n == 0 { "add" } else { "set-url" }, "origin", remote]);
        session(&world, &format!("c{n}"), &folder, "tool", "main");
        learn(&world);
        let all = projects(&world);
        assert_eq!((all.len(), all[0].2), (1, 3 + n as u64), "{all:?}");
        keys.push(all[0].1.clone());
        let approved: Vec<Value> = rows(&world).into_iter().filter(|r| r["status"] == "created").collect();
        assert_eq!(approved.len(), 1, "{approved:?}");
        assert_eq!(text(&approved[0], "project"), keys[n]);
    }
    assert_eq!(keys, ["example.com/ann/shop", "example.com/acme/Shop"]);
}

#[test]
fn projects_named_like_worktrees_are_joined_by_the_next_learn_told_in_one_line_and_taken_back_for_good() {
    let world = World::new();
    session(&world, "c", "/w1/shop", "tool", "main");
    learn(&world);
    // As an older release left it.
    let key = |n: usize| format!("path:/w1/shop/.worktrees/{n}");
    for n in 1..=2 {
        world.run(&["add", "--skill", &format!("Use {n} spaces"), "--project", &key(n)]).ok();
    }
    let before = rows(&world);
    assert!(learn(&world).contains("nothing new"), "the rules are the same");
    assert_eq!(rows(&world), before);
    sql(&world, "DELETE FROM notes WHERE name = 'projects'");
    let out = learn(&world);
    let told: Vec<&str> = out.lines().filter(|l| l.contains("part of")).collect();
    assert_eq!(
        told,
        [
            ".worktrees/1, .worktrees/2 are part of shop (why: uptake project show shop; take one back: uptake undo --list)"
        ]
    );
    let joined = rows(&world);
    let created: Vec<&Value> = joined.iter().filter(|r| r["status"] == "created").collect();
    assert_eq!(created.len(), 2, "{joined:?}");
    assert!(joined.iter().all(|r| r["project"] == "path:/w1/shop"), "{joined:?}");
    for change in ["4", "3"] {
        world.run(&["undo", change]).ok();
    }
    assert_eq!(rows(&world), before);
    // What was taken back is not done again, whatever comes.
    session(&world, "d", "/w1/shop/.worktrees/2/src", "tool", "x");
    let out = learn(&world);
    assert!(!out.contains("part of"), "{out}");
    assert!(projects(&world).contains(&project(".worktrees/2", &key(2), 1)), "{:?}", projects(&world));
}

/// A project of two folders: a lesson of each, and one of both; the last two are approved, the first is rejected.
fn two_folders() -> (World, Vec<Value>) {
    let world = World::new();
    for (id, folder, tool) in [
        ("a", "/w1/shop", "tool"),
        ("b", "/w1/shop", "tool"),
        ("c", "/w1/shop/web", "webtool"),
        ("d", "/w1/shop/web/src", "webtool"),
        ("e", "/w1/shop", "both"),
        ("f", "/w1/shop/web", "both"),
        ("g", "/w1/shop/web", "never"),
        ("h", "/w1/shop/web", "never"),
    ] {
        session(&world, id, folder, tool, "main");
    }
    learn(&world);
    assert_eq!(projects(&world), [project("shop", "path:/w1/shop", 8)]);
    for (tool, word) in [("tool", "--accept"), ("webtool", "--accept"), ("both", "--accept"), ("never", "--reject")] {
        let id = text(&fix(&world, tool, "path:/w1/shop").expect("a fix"), "id").to_owned();
        world.run(&["review", word, &id]).ok();
    }
    world.run(&["add", "Use tabs", "--project", "path:/w1/shop"]).ok();
    let before = rows(&world);
    (world, before)
}

fn fix(world: &World, tool: &str, project: &str) -> Option<Value> {
    let begins = |r: &Value| r["commands"][0].as_str().is_some_and(|c| c.starts_with(&format!("{tool} ")));
    rows(world).into_iter().find(|r| r["kind"] == "recovery" && r["project"] == project && begins(r))
}

fn status(world: &World, tool: &str, project: &str) -> Option<String> {
    fix(world, tool, project).map(|r| text(&r, "status").to_owned())
}

#[test]
fn a_folder_is_split_off_with_what_was_decided_and_comes_back() {
    let (world, before) = two_folders();
    let split = world.run(&["project", "split", "shop", "/w1/shop/web", "--json"]).ok().objects()[0].clone();
    assert_eq!((text(&split, "project"), split["sessions"].as_u64()), ("path:/w1/shop/web", Some(5)));
    assert_eq!(projects(&world), [project("shop", "path:/w1/shop", 3), project("web", "path:/w1/shop/web", 5)]);
    let [shop, web] = ["path:/w1/shop", "path:/w1/shop/web"];
    let stands = |tool: &str| [shop, web].map(|p| status(&world, tool, p));
    let (created, rejected) = (Some("approved".to_owned()), Some("rejected".to_owned()));
    assert_eq!(stands("tool"), [created.clone(), None], "seen only in what stays");
    assert_eq!(stands("webtool"), [None, created.clone()], "seen only in the part");
    assert_eq!(stands("both"), [created.clone(), created], "seen in both");
    assert_eq!(stands("never"), [None, rejected], "rejected stays rejected");
    assert!(rows(&world).iter().any(|r| r["text"] == "Use tabs" && r["project"] == shop), "what nobody saw stays");
    // Also what comes later, and what is read anew.
    session(&world, "i", "/w1/shop/web/lib", "webtool", "main");
    std::fs::remove_file(world.data().join("sessions.db")).expect("gone");
    assert!(!learn(&world).contains("part of"));
    assert_eq!(projects(&world)[1], project("web", web, 6));
    std::fs::remove_file(world.home().join(".claude/projects/p/i.jsonl")).expect("gone");
    world.run(&["undo", &split["change"].to_string()]).ok();
    learn(&world);
    assert_eq!(projects(&world), [project("shop", shop, 9)]);
    let ids = |rows: &[Value]| {
        let mut all: Vec<(String, String)> =
            rows.iter().map(|r| (text(r, "id").to_owned(), text(r, "status").to_owned())).collect();
        all.sort();
        all
    };
    assert_eq!(ids(&rows(&world)), ids(&before));
}

#[test]
fn a_remote_is_split_off_a_project_it_was_merged_into() {
    let world = learned();
    let key = "git.example.com/dev/ledger";
    world.run(&["add", "Use tabs", "--project", "git.example.com/dev/whole"]).ok();
    session(&world, "own", "/w1/whole", "tool", "main");
    learn(&world);
    world.run(&["project", "merge", key, "git.example.com/dev/whole"]).ok();
    world.run(&["project", "merge", "path:/w1/whole", "git.example.com/dev/whole"]).ok();
    let all = projects(&world);
    assert_eq!(all, [project("whole", "git.example.com/dev/whole", 9)]);
    let split =
        world.run(&["project", "split", "whole", "git@git.example.com:dev/ledger.git", "--json"]).ok().objects();
    assert_eq!(text(&split[0], "project"), key);
    learn(&world);
    let after = projects(&world);
    assert_eq!(after, [project("ledger", key, 8), project("whole", "git.example.com/dev/whole", 1)]);
    world.run(&["undo", &split[0]["change"].to_string()]).ok();
    assert_eq!(projects(&world), all);
}

#[test]
fn a_project_says_why_its_folders_are_one() {
    let (world, _) = two_folders();
    session(&world, "j", "/w1/shop/.worktrees/1", "tool", "x");
    learn(&world);
    expect![[r#"
        exit code 0
        --- stdout ---
        shop  path:/w1/shop  9 sessions, 5 lessons (4 approved)
          /w1/shop  3 sessions: a checkout
          /w1/shop/.worktrees/1  1 session: a worktree of /w1/shop
          /w1/shop/web  4 sessions: in /w1/shop
          /w1/shop/web/src  1 session: in /w1/shop
    "#]]
    .assert_eq(&world.snapshot(&["project", "show", "shop"]));
    expect![[r#"
        exit code 1
        --- stderr ---
        error: no session of `path:/w1/shop` ran in `/w1/blog`; `uptake project show` tells its folders and remotes
    "#]]
    .assert_eq(&world.snapshot(&["project", "split", "shop", "/w1/blog"]));
    expect![[r#"
        exit code 1
        --- stderr ---
        error: `/w1/shop` is what `path:/w1/shop` is known by; split off its other folders instead
    "#]]
    .assert_eq(&world.snapshot(&["project", "split", "shop", "/w1/shop"]));
    expect![[r#"
        exit code 1
        --- stderr ---
        error: there is no project `nowhere`; `uptake project list` lists them
    "#]]
    .assert_eq(&world.snapshot(&["project", "split", "nowhere", "/w1/shop"]));
    expect![[r#"
        exit code 0
        --- stdout ---
        ✓ path:/w1/shop/web is a project of its own from now on, with 5 sessions of path:/w1/shop
          Take it back with: uptake undo 6
    "#]]
    .assert_eq(&world.snapshot(&["project", "split", "shop", "/w1/shop/web"]));
    expect![[r#"
        exit code 0
        --- stdout ---
             6  2026-11-16 12:00  split          web was split off shop
             5  2026-11-16 12:00  added          beaa62d94c  Use tabs
             4  2026-11-16 12:00  rejected       e6c3934eec  Instead of `never report --format json` run `never report --output json`
             3  2026-11-16 12:00  approved       f63b2c57ec  Instead of `both report --format json` run `both report --output json`
             2  2026-11-16 12:00  approved       8988da158d  Instead of `webtool report --format json` run `webtool report --output json`
             1  2026-11-16 12:00  approved       524e1f75e4  Instead of `tool report --format json` run `tool report --output json`
    "#]].assert_eq(&world.snapshot(&["undo", "--list"]));
}

#[test]
fn two_projects_of_one_name_are_told_apart() {
    let world = World::new();
    for (id, folder) in [("a", "/w1/acme/shop"), ("b", "/w1/rival/shop"), ("c", "/w1/blog")] {
        session(&world, id, folder, "tool", "main");
    }
    learn(&world);
    let names: Vec<String> = projects(&world).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(names, ["acme/shop", "blog", "rival/shop"]);
    expect![[r#"
        exit code 0
        --- stdout ---
        acme/shop  path:/w1/acme/shop  1 session, 1 lesson (0 approved)
          /w1/acme/shop  1 session: a checkout
          perhaps the same, by its name: uptake project merge path:/w1/rival/shop path:/w1/acme/shop
    "#]]
    .assert_eq(&world.snapshot(&["project", "show", "acme/shop"]));
    let err = world.run(&["project", "show", "shop"]).err;
    assert!(err.contains("2 projects are called `shop`"), "{err}");
    assert_eq!(world.run(&["sessions", "--project", "acme/shop", "--json"]).ok().objects().len(), 1);
}

#[test]
fn in_a_folder_that_was_split_off_its_own_project_counts_and_the_other_one_beside_it() {
    let world = World::new();
    let shop = world.path("shop");
    std::fs::create_dir_all(shop.join("web/src")).expect("a folder");
    git(&shop, &["init", "-q"]);
    git(&shop, &["remote", "add", "origin", "git@example.com:acme/shop.git"]);
    for (id, folder) in [("a", "shop"), ("b", "shop/web")] {
        session(&world, id, &world.path(folder).to_string_lossy(), "tool", "main");
    }
    learn(&world);
    let here = |folder: &str| world.with_names(world.run_in(folder, &["project", "here"]).ok().out.trim());
    assert_eq!(here("shop/web/src"), "example.com/acme/shop");
    world.run_in("shop", &["project", "split", "shop", "web"]).ok();
    assert_eq!([here("shop/web/src"), here("shop")], ["path:$WORLD/shop/web", "example.com/acme/shop"]);
    world.run_in("shop/web", &["add", "Use tabs"]).ok();
    assert_eq!(world.with_names(text(&rows(&world)[0], "project")), "path:$WORLD/shop/web");
    world.run(&["project", "merge", "web", "example.com/acme/shop"]).ok();
    assert_eq!(here("shop/web/src"), "example.com/acme/shop", "one again, and what is below it too");
}
