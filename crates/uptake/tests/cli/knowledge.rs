//! `uptake knowledge`, `uptake hud` and `uptake export`.

use crate::artifacts::{accept_all, opted};
use crate::world::World;

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
