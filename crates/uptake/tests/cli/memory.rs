//! `uptake memory`.

use crate::artifacts::opted;

#[test]
fn contradictions_stale_lines_and_what_only_one_agent_knows_have_file_and_line() {
    let world = opted();
    world.write(
        "shop/CLAUDE.md",
        "# Shop\n\n- Always run the linter before you commit\n- Never edit src/gone.ts by hand\n",
    );
    world.write(
        "shop/AGENTS.md",
        "# Shop\n\n- Never run the linter before you commit\n- Keep every function short and flat\n",
    );
    let rows = world.run_in("shop", &["memory", "--json"]).ok().objects();
    let of = |what: &str| rows.iter().filter(|r| r["what"] == what).collect::<Vec<_>>();
    let against = of("contradiction");
    assert_eq!(against.len(), 1, "{rows:?}");
    assert_eq!((against[0]["a"]["line"].as_i64(), against[0]["b"]["line"].as_i64()), (Some(3), Some(3)));
    assert_eq!(of("stale")[0]["missing"], "src/gone.ts");
    assert!(of("unshared").iter().any(|r| r["a"]["line"] == 4 && r["known_to"][0] == "codex"), "{rows:?}");
    world.write("shop/Makefile", "test:\n\ttrue\n");
    world.write(
        "shop/CLAUDE.md",
        "- Always indent the code with 2 spaces\n- Never edit src/gone.ts by hand\n- Run `make lint` before a commit\n\
         - Keep every function short and flat\n",
    );
    world.write("shop/AGENTS.md", "- Always indent the code with 4 spaces\n- Keep every function short and flat\n");
    let rows = world.run_in("shop", &["memory", "--json"]).ok().objects();
    let of = |what: &str| rows.iter().filter(|r| r["what"] == what).collect::<Vec<_>>();
    assert_eq!(of("contradiction")[0]["why"], "the same with another number", "{rows:?}");
    assert!(of("stale").iter().any(|r| r["missing"] == "make lint" && r["a"]["line"] == 3), "{rows:?}");
    let again = |r: &&serde_json::Value| r["also"][0]["line"].is_i64();
    assert_eq!(rows.iter().filter(again).count(), 1, "one is said in two places: {rows:?}");
    let shown = world.run_in("shop", &["memory"]).ok().out;
    assert!(shown.contains("Said in several places"), "{shown}");
    assert!(shown.contains("CLAUDE.md:2  Never edit src/gone.ts by hand"), "{shown}");
}
