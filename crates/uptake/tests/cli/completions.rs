//! `uptake completions`.

use crate::world::World;

#[test]
fn completions_are_printed_for_each_shell() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(world.run(&["completions", shell]).ok().out.contains("purge"), "{shell}");
    }
    assert_eq!(world.run(&["completions", "cobol"]).code, 2);
}
