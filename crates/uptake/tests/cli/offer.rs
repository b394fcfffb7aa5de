//! `uptake offer`.

use crate::artifacts::{opted, read};

#[test]
fn rules_are_offered_as_a_diff_and_added_without_touching_anything_else() {
    let world = opted();
    let own = "# Shop\r\n\r\n* Use `pnpm`, not npm\r\n\r\n@AGENTS.md";
    let path = world.write("shop/CLAUDE.md", own);
    world.write("shop/AGENTS.md", "- Never push to main\n");
    for rule in ["Use pnpm, not npm", "Never push to main", "Write tests first"] {
        world.run_in("shop", &["add", rule]).ok();
    }
    let shown = world.run_in("shop", &["offer", "--file", "CLAUDE.md"]).ok().out;
    assert!(shown.contains("+++ b/CLAUDE.md\n") && shown.contains("+- Write tests first\n"), "{shown}");
    assert!(!shown.contains("+- Never push") && !shown.contains("+- Use pnpm"), "said already: {shown}");
    assert_eq!(read(&path), own, "only shown");
    world.run_in("shop", &["offer", "--apply"]).ok();
    let after = read(&path);
    assert!(after.starts_with(own) && after.ends_with("- Write tests first"), "{after:?}");
    assert_eq!(after.matches('\n').count(), after.matches("\r\n").count());
    let agents = read(&world.path("shop/AGENTS.md"));
    assert!(agents.contains("- Use pnpm, not npm\n") && agents.starts_with("- Never push to main\n"), "{agents}");
    assert_eq!(world.run_in("shop", &["offer", "--json"]).ok().out, "");
}
