//! What agents write into files that tell agents how to work.

use expect_test::expect;
use uptake_testkit::transcript::claude;

use crate::world::{World, skills};

const RULE: &str = "Never push to `main` directly.";

/// A project with a session in which Claude Code wrote a rule into CLAUDE.md; Codex is used here, too.
fn noted(script: &str) -> World {
    let world = World::new();
    let project = world.path("shop");
    std::fs::create_dir_all(&project).expect("a project");
    std::fs::create_dir_all(world.home().join(".codex")).expect("a home of Codex");
    session(&world, "s1", script);
    world
}

fn session(world: &World, id: &str, script: &str) {
    let project = world.path("shop");
    let text = claude(id, &project.to_string_lossy(), script);
    world.write(&format!("home/.claude/projects/-shop/{id}.jsonl"), &text);
}

/// An id depends on the folder of the test.
fn without_ids(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.split("; id ").next().unwrap_or(line))).collect()
}

fn learned(world: &World) -> String {
    world.run(&["learn"]).ok().out
}

const KEPT: &str =
    "u we never push to main, remember this\n+ CLAUDE.md => ## Git\\n\\n- Never push to `main` directly.";

#[test]
fn what_one_agent_wrote_down_is_offered_to_the_other() {
    let world = noted(KEPT);
    world.write("shop/CLAUDE.md", &format!("# Shop\n\n## Git\n\n* {RULE}\n"));
    expect![[r#"
        exit code 0
        --- stdout ---
        1 transcript, 1 new or grown (939 bytes) in 1 project, read in … s.

        📒 Written down by an agent, and not known to all: 1 statement

        📝 Written down: never-push-main-directly
           Written into CLAUDE.md, under “Git”
           Detected by: written-down
           Text: Never push to `main` directly.
           Known to claude, not to codex
           Seen in 1 session (claude) of shop, last on 2026-11-01

        Nothing was saved: nobody to ask. Save all of these: the same command with --yes; one of them: uptake review --accept ID
    "#]].assert_eq(&without_ids(&world.snapshot(&["learn"])));
    let rows = world.run(&["learn", "--json"]).ok().objects();
    assert_eq!(rows[0]["known_to"], serde_json::json!(["claude"]));
    assert_eq!(rows[0]["not_known_to"], serde_json::json!(["codex"]));
    assert_eq!((&rows[0]["trust"], &rows[0]["kind"]), (&"assistant".into(), &"instruction".into()));
    // Only who lacks it gets a skill.
    world.run(&["learn", "--skill", "--yes"]).ok();
    let written = skills(&world);
    assert_eq!(written.len(), 1, "{written:?}");
    assert!(written[0].starts_with(world.home().join(".codex/skills")), "{written:?}");
}

#[test]
fn what_every_agent_knows_is_not_offered() {
    let world = noted(KEPT);
    world.write("shop/AGENTS.md", &format!("- {RULE}\n"));
    assert!(learned(&world).contains("Known to codex, not to claude"));
    world.write("shop/CLAUDE.md", "# Shop\n\n@AGENTS.md\n");
    assert!(learned(&world).contains("Nothing new that is worth keeping"));
    std::fs::remove_file(world.path("shop/AGENTS.md")).expect("gone");
    assert!(learned(&world).contains("No agent's file says it now"));
    // What it remembers by itself it knows.
    let memory: String =
        world.path("shop").to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    world.write(&format!("home/.claude/projects/{memory}/memory/git.md"), &format!("{RULE}\n"));
    assert!(learned(&world).contains("Known to claude, not to codex"));
}

#[test]
fn what_is_taken_out_again_is_withdrawn() {
    let world = noted(KEPT);
    assert!(learned(&world).contains(RULE));
    let later = "- CLAUDE.md => - Never push to `main` directly.";
    session(&world, "s2", &format!("u x\n{}", "$ make => ok\n".repeat(20)));
    session(&world, "s3", &format!("u tidy up the notes\n$ ls => CLAUDE.md\n$ cat CLAUDE.md => x\n{later}"));
    assert!(!learned(&world).contains(RULE));
    let rows = world.run(&["list", "--all", "--json"]).ok().objects();
    let row = rows.iter().find(|r| r["text"] == RULE).expect("still there to be asked about");
    assert_eq!(row["status"], "observing");
    let why = world.run(&["why", row["id"].as_str().expect("an id")]).ok().out;
    assert!(why.contains("It is withdrawn: the words were taken out of the file again."), "{why}");
}

#[test]
fn what_was_approved_stays_when_the_file_says_it_no_longer() {
    let world = noted(KEPT);
    world.run(&["learn", "--skill", "--yes"]).ok();
    session(&world, "s3", "u tidy up the notes\n- CLAUDE.md => - Never push to `main` directly.");
    learned(&world);
    let rows = world.run(&["list", "--all", "--json"]).ok().objects();
    let row = rows.iter().find(|r| r["text"] == RULE).expect("still there");
    let why = world.run(&["why", row["id"].as_str().expect("an id")]).ok().out;
    assert!(why.contains("it is used, although the words were taken out of the file again"), "{why}");
    assert!(!skills(&world).is_empty());
}

#[test]
fn at_a_start_a_note_is_told_to_the_agents_that_do_not_read_it() {
    let world = noted(KEPT);
    world.run(&["learn", "--yes"]).ok();
    let start = serde_json::json!({ "session_id": "n", "cwd": world.path("shop"), "hook_event_name": "SessionStart", "source": "startup" });
    let told = |agent: &str| world.run_with(&["hook", agent], &start.to_string()).ok().out.contains(RULE);
    assert_eq!((told("claude"), told("codex")), (false, true));
    session(&world, "s3", "u tidy up the notes\n- CLAUDE.md => - Never push to `main` directly.");
    learned(&world);
    assert!(told("claude"), "its own file says it no longer");
}

#[test]
fn a_forgotten_note_leaves_nothing_and_does_not_come_back() {
    let world = noted(KEPT);
    let rows = world.run(&["learn", "--json"]).ok().objects();
    let id = rows[0]["id"].as_str().expect("an id");
    world.run(&["forget", id, "--yes"]).ok();
    let held = |name: &str| {
        let bytes = std::fs::read(world.data().join(name)).expect("a store");
        String::from_utf8_lossy(&bytes).contains("directly")
    };
    assert!(!held("sessions.db") && !held("lessons.db"));
    assert!(!learned(&world).contains(RULE));
}

#[test]
fn the_list_and_the_review_tell_notes_apart() {
    let world = noted(KEPT);
    learned(&world);
    let listed = world.run(&["list"]).ok().out;
    assert!(listed.contains("written · ready · 1 session"), "{listed}");
    let review = world.run(&["review"]).ok().out;
    assert!(review.contains("Written into CLAUDE.md, under “Git”. No agent's file says it now."), "{review}");
}

/// A session after the first one that writes CLAUDE.md whole and leaves the rule out.
const REWRITTEN: &str = "u tidy up the notes\n$ ls => CLAUDE.md\n< CLAUDE.md => 1\t## Git\\n2\t\\n3\t- Never push to `main` directly.\\n4\t- Always run `make`.\n> CLAUDE.md => ## Git\\n\\n- Always run `make`.";

#[test]
fn what_a_file_written_whole_leaves_out_is_withdrawn() {
    let world = noted(KEPT);
    assert!(learned(&world).contains(RULE));
    session(&world, "s2", REWRITTEN);
    let out = learned(&world);
    assert!(!out.contains(RULE) && !out.contains("Always run"), "what stays is not new: {out}");
    let rows = world.run(&["list", "--all", "--json"]).ok().objects();
    let row = rows.iter().find(|r| r["text"] == RULE).expect("still there to be asked about");
    assert_eq!(row["status"], "observing");
}

#[test]
fn an_approved_rule_that_a_file_leaves_out_is_named_in_the_review() {
    let world = noted(KEPT);
    world.run(&["learn", "--yes"]).ok();
    assert!(!world.run(&["review"]).ok().out.contains("Taken out"));
    session(&world, "s2", REWRITTEN);
    learned(&world);
    let review = world.run(&["review"]).ok().out;
    let said = format!("Taken out of its file again, and still used because you approved it: “{RULE}”");
    assert!(review.contains(&said), "{review}");
    let rows = world.run(&["list", "--all", "--json"]).ok().objects();
    assert!(rows.iter().any(|r| r["text"] == RULE && r["status"] == "approved"), "{rows:?}");
}

#[test]
fn what_is_written_into_a_home_is_of_the_user() {
    let world = noted("u remember this\n+ /home/ada/.claude/CLAUDE.md => ## Git\\n\\n- Never push to `main` directly.");
    let out = learned(&world);
    assert!(out.contains("Written into ~/.claude/CLAUDE.md, for all your projects, under “Git”"), "{out}");
    let rows = world.run(&["learn", "--json"]).ok().objects();
    assert_eq!(rows[0]["scope"], "user");
    world.run(&["learn", "--yes"]).ok();
    let written = skills(&world);
    assert!(!written.is_empty() && written.iter().all(|path| path.starts_with(world.home())), "{written:?}");
}

#[test]
fn what_a_later_session_writes_anew_without_having_read_it_withdraws_what_it_leaves_out() {
    let (other, later) = ("## Git\\n\\n- Always run `make`.", "$ ls => x\n".repeat(4));
    for rewrite in [
        format!("> CLAUDE.md => {other}"),
        "$ printf '## Git\\n\\n- Always run make.\\n' > CLAUDE.md => ok".to_owned(),
        // Longer than what is kept of a call.
        format!("> CLAUDE.md => {other}{}", "\\n\\nThe shop has many pages and all of them have a header.".repeat(400)),
        format!("> CLAUDE.md => {other}{}", pages(500)),
    ] {
        let script = format!("u write the notes anew\n{later}{rewrite}");
        let step_by_step = noted(KEPT);
        assert!(learned(&step_by_step).contains(RULE));
        session(&step_by_step, "s2", &script);
        let at_once = noted(KEPT);
        session(&at_once, "s2", &script);
        for world in [step_by_step, at_once] {
            assert!(!learned(&world).contains(RULE), "{rewrite:.60}");
            let rows = world.run(&["list", "--all", "--json"]).ok().objects();
            let row = rows.iter().find(|r| r["text"] == RULE).expect("still there to be asked about");
            assert_eq!(row["status"], "observing", "{rewrite:.60}");
            let why = world.run(&["why", row["id"].as_str().expect("an id")]).ok().out;
            assert!(why.contains("It is withdrawn"), "{why}");
        }
    }
}

/// So many sentences, none of them twice.
fn pages(count: usize) -> String {
    (0..count).map(|n| format!("\\n\\nThe page number {n} has a header.")).collect()
}

#[test]
fn a_long_file_that_still_says_a_rule_withdraws_nothing() {
    let rules =
        [RULE, "Always run `make deps` first.", "Never commit the folder `dist`.", "Always sign commits with `-S`."];
    let list = rules.map(|rule| format!("- {rule}")).join("\\n");
    for count in [300, 700, 5_000] {
        let world = noted(&format!("u remember this\n+ CLAUDE.md => ## Git\\n\\n{list}"));
        let page = format!("## Git\\n\\n{list}{}", pages(count));
        session(&world, "s2", &format!("u write the notes anew\n{}> CLAUDE.md => {page}", "$ ls => x\n".repeat(4)));
        learned(&world);
        let rows = world.run(&["list", "--all", "--json"]).ok().objects();
        for rule in rules {
            let row = rows.iter().find(|r| r["text"] == rule).unwrap_or_else(|| panic!("{rule}: {rows:?}"));
            assert_eq!(row["status"], "ready", "{rule} in {count} sentences");
        }
    }
}

#[test]
fn a_rule_that_is_written_anew_stands_and_comes_back_with_the_session_that_left_it_out() {
    let world = noted(KEPT);
    session(
        &world,
        "s2",
        &format!("u x\n{}> CLAUDE.md => # Git\\n\\n* never push to main directly", "$ ls => x\n".repeat(4)),
    );
    assert!(learned(&world).contains(RULE), "it is there, in other marks");
    session(&world, "s3", &format!("u x\n{}> CLAUDE.md => # Git\\n\\nSee the wiki.", "$ ls => x\n".repeat(9)));
    assert!(!learned(&world).contains(RULE));
    // What the last session wrote is another text now: what was made with it follows.
    session(&world, "s3", &format!("u x\n{}> CLAUDE.md => # Git\\n\\n- {RULE}", "$ ls => x\n".repeat(20)));
    assert!(learned(&world).contains(RULE));
}

/// What files say now, in other words than the user's, and where.
const SAID_NOW: &[(&str, &str)] = &[
    ("shop/CLAUDE.md", "# Shop\n\n* **Don't** push to `main` directly\n"),
    ("shop/AGENTS.md", "1. Never push to main directly!\n"),
    ("shop/.claude/rules/git.md", "Please never push to `main` directly.\n"),
    ("home/.claude/CLAUDE.md", "- do not push to main directly\n"),
    ("home/.codex/AGENTS.md", "Never push to main directly\n"),
    ("home/.codex/memories/git.md", "- Never push to main directly.\n"),
];

#[test]
fn what_a_file_says_now_is_never_suggested() {
    let all = |world: &World| world.run(&["learn", "--all"]).ok().out;
    let said = "u Never push to main directly.\na ok";
    assert!(all(&noted(said)).contains("Never push to main directly"));
    for (file, text) in SAID_NOW {
        let world = noted(said);
        world.write(file, text);
        let out = all(&world);
        assert!(out.contains("Nothing new that is worth keeping"), "{file}: {out}");
        assert!(!world.run(&["review"]).ok().out.contains("push to main"), "{file}");
        assert!(world.run(&["learn", "--all", "--json"]).ok().objects().is_empty(), "{file}");
        // It says something else tomorrow.
        world.write(file, "# Shop\n");
        assert!(all(&world).contains("Never push to main directly"), "{file}");
    }
}
