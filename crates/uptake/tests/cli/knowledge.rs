//! `uptake knowledge`, `uptake hud` and `uptake export`.

use crate::artifacts::{accept, accept_all, opted, read};
use crate::world::{World, text};

#[test]
fn an_entry_is_shown_whole_and_named_entries_are_counted() {
    let world = opted();
    accept_all(&world);
    let entry = world.run_in("shop", &["knowledge", "adr-001"]).ok().out;
    assert!(entry.starts_with("## ADR-001: Use Postgres") && !entry.contains("ADR-002"), "{entry}");
    assert!(world.run_in("shop", &["knowledge", "ADR-009"]).err.contains("there is no `ADR-009`"));
    let shop = world.path("shop").canonicalize().expect("there");
    let line = |role: &str, n: usize, text: &str| {
        format!(
            r#"{{"type":"{role}","uuid":"u{n}","sessionId":"s1","cwd":"{}","timestamp":"2026-11-16T10:00:0{n}.000Z","message":{{"role":"{role}","content":{text}}}}}"#,
            shop.display()
        )
    };
    let said = [
        line("user", 1, r#""go on""#),
        line("assistant", 2, r#"[{"type":"text","text":"This applies ADR-001. And ADR-001 again; ADR-777 is none."}]"#),
    ];
    world.write("home/.claude/projects/shop/s1.jsonl", &(said.join("\n") + "\n"));
    world.run(&["learn", "--json"]).ok();
    world.run(&["learn", "--json"]).ok();
    let rows = world.run_in("shop", &["knowledge", "--json"]).ok().objects();
    let times = |id: &str| rows.iter().find(|r| r["id"] == id).expect("listed")["sessions"].as_i64();
    assert_eq!((times("ADR-001"), times("ADR-002")), (Some(1), Some(0)), "{rows:?}");
}

#[test]
fn the_line_for_a_status_bar_names_what_is_new_once() {
    let world = opted();
    assert_eq!(World::new().run(&["hud"]).ok().out, "");
    accept_all(&world);
    let line = world.run_in("shop", &["hud"]).ok().out;
    assert_eq!(
        line,
        "Learning: 1 workflow, 2 decisions, 1 pitfall  ⚠ 1 needs review  new: ADR-001, ADR-002, PF-001, release-bump-version-tag-push\n"
    );
    assert_eq!(
        world.run_in("shop", &["hud"]).ok().out,
        "Learning: 1 workflow, 2 decisions, 1 pitfall  ⚠ 1 needs review\n"
    );
    world.write("shop/src/queue.ts", "");
    assert_eq!(world.run_in("shop", &["hud"]).ok().out, "Learning: 1 workflow, 2 decisions, 1 pitfall\n");
}

#[test]
fn an_export_is_read_by_another_uptake_in_both_forms() {
    let world = opted();
    accept_all(&world);
    let (lines, table) = (world.path("out.jsonl"), world.path("org-patterns.toon"));
    world.run(&["export", "--to", &lines.to_string_lossy()]).ok();
    world.run(&["export", "--format", "toon", "--to", &table.to_string_lossy()]).ok();
    world.run(&["export", "--to", &lines.to_string_lossy()]).ok();
    assert!(world.path("out.jsonl.bak").exists());
    for (file, count) in
        [(&lines, "decision 2, pitfall 1, workflow 1"), (&table, "instruction 2, pitfall 1, procedure 1")]
    {
        let run = World::new().run(&["import", "--project", "path:/x/shop", "--dry-run", &file.to_string_lossy()]).ok();
        assert!(run.out.contains(count), "{}", run.out);
    }
}

/// Two lessons that say the same pitfall, and one that begins like it and advises something else.
fn same_pitfalls() -> World {
    let world = opted();
    let lines = [
        ("c1", "The worker in src/queue.ts drops jobs; use the out-box instead"),
        ("c2", "The worker in src/queue.ts drops jobs; use the outbound table instead"),
    ];
    let lines = lines.map(|(id, text)| {
        format!(r#"{{"format":"uptake-lessons","id":"{id}","kind":"pitfall","text":"{text}","sessions":3}}"#) + "\n"
    });
    let file = world.write("more.jsonl", &lines.concat());
    let key = world.run_in("shop", &["project", "here"]).ok().out;
    world.run(&["import", "--project", key.trim(), &file.to_string_lossy()]).ok();
    world
}

/// The headings of the pitfalls that are written down.
fn pitfalls(world: &World) -> Vec<String> {
    let text = read(&world.path("shop/.uptake/knowledge/pitfalls.md"));
    text.lines().filter(|l| l.starts_with("## PF-")).map(str::to_owned).collect()
}

const OUTBOX: &str = "The worker in src/queue.ts drops jobs; use the outbox instead";
const SAME: &str = "The worker in src/queue.ts drops jobs; use the out-box instead";

#[test]
fn a_pitfall_that_an_entry_says_already_gets_none_and_one_with_another_fix_does() {
    let world = same_pitfalls();
    let first = accept(&world, OUTBOX);
    let rows = world.run_in("shop", &["review", "--all", "--json"]).ok().objects();
    let same =
        rows.iter().find(|r| text(r, "text").starts_with(SAME)).map(|r| text(r, "id").to_owned()).expect("there");
    let told = world.run_in("shop", &["review", "--accept", &same]).ok().out;
    assert!(told.contains("an entry says the same already"), "{told}");
    accept(&world, "The worker in src/queue.ts drops jobs; use the outbound");
    let written = pitfalls(&world);
    assert!(
        written.len() == 2
            && written[1].starts_with("## PF-002: The worker in src/queue.ts drops jobs; use the outbound")
    );
    // It is not tried again with every run, and not offered again.
    world.run(&["learn", "--json"]).ok();
    let done = world.run(&["reconcile", "--json"]).ok().objects().remove(0);
    assert_eq!((done["healed"].as_u64(), pitfalls(&world)), (Some(0), written));
    let rows = world.run(&["list", "--all", "--json"]).ok().objects();
    let status = |id: &str| rows.iter().find(|r| text(r, "id") == id).map(|r| text(r, "status").to_owned());
    assert_eq!([&first, &same].map(|id| status(id)), [Some("created".to_owned()), Some("approved".to_owned())]);
}

#[test]
fn a_pitfall_that_a_person_wrote_down_is_not_written_again() {
    let world = same_pitfalls();
    let theirs = "# Ours\n\n## PF-007: Queue\n\n- **Area**: `src/queue.ts`\n- **Issue**: The worker in src/queue.ts drops jobs. Use the outbox \
                  instead!\n";
    let path = world.write("shop/.uptake/knowledge/pitfalls.md", theirs);
    accept(&world, OUTBOX);
    accept(&world, SAME);
    assert_eq!(read(&path), theirs);
}

#[test]
fn many_yeses_at_once_write_a_pitfall_once() {
    let world = same_pitfalls();
    let rows = world.run_in("shop", &["review", "--all", "--json"]).ok().objects();
    let ids: Vec<&str> =
        rows.iter().filter(|r| text(r, "text").starts_with("The worker")).map(|r| text(r, "id")).collect();
    assert_eq!(ids.len(), 3);
    let accept: Vec<&str> = std::iter::once("review").chain(ids.iter().flat_map(|id| ["--accept", id])).collect();
    world.run_in("shop", &accept).ok();
    assert_eq!(pitfalls(&world).len(), 2);
}

#[test]
fn when_an_entry_goes_the_pitfall_that_it_spoke_for_gets_its_own() {
    for go in ["undo", "forget"] {
        let world = same_pitfalls();
        let first = accept(&world, OUTBOX);
        accept(&world, SAME);
        match go {
            // The later yes is not touched by taking the first one back.
            "undo" => world.run(&["undo", "1"]).ok(),
            _ => world.run(&["forget", &first, "--yes"]).ok(),
        };
        assert_eq!(pitfalls(&world), [format!("## PF-002: {SAME}")], "{go}");
    }
}

#[test]
fn a_pitfall_that_was_deleted_does_not_come_back_by_another_lesson() {
    let world = same_pitfalls();
    accept(&world, OUTBOX);
    accept(&world, SAME);
    let path = world.path("shop/.uptake/knowledge/pitfalls.md");
    let rest = read(&path).split("## PF-001").next().map(str::to_owned).unwrap_or_default();
    std::fs::write(&path, rest).expect("written");
    let done = world.run(&["reconcile", "--json"]).ok().objects().remove(0);
    assert_eq!((done["deletions"].as_u64(), pitfalls(&world).len()), (Some(2), 0));
    world.run(&["learn", "--json"]).ok();
    assert_eq!(pitfalls(&world).len(), 0);
}
