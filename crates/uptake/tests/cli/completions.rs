//! `uptake completions`.

use expect_test::expect;

use crate::world::World;

#[test]
fn completions_are_printed_for_each_shell() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(world.run(&["completions", shell]).ok().out.contains("purge"), "{shell}");
    }
    assert_eq!(world.run(&["completions", "cobol"]).code, 2);
}

#[test]
fn they_begin_as_the_shell_wants_it() {
    let out = World::new().run(&["completions", "zsh"]).ok().out;
    expect![[r#"
        #compdef uptake

        autoload -U is-at-least

        _uptake() {
            typeset -A opt_args
            typeset -a _arguments_options
            local ret=1

            if is-at-least 5.2; then
                _arguments_options=(-s -S -C)
            else
    "#]]
    .assert_eq(&out.lines().take(12).map(|l| format!("{l}\n")).collect::<String>());
}
