use super::*;

#[test]
fn the_project_keeps_its_rules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let found: Vec<String> = violations(&root).unwrap().iter().map(ToString::to_string).collect();
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

fn broken(file: &str, text: &str) -> Vec<String> {
    let rooms: Vec<String> = ["session", "normal", "detect"].map(str::to_owned).to_vec();
    let mut out = Vec::new();
    check_file(file, text, &rooms, &mut out);
    out.iter().map(|v| format!("{}:{}", v.file, v.line)).collect()
}

#[test]
fn what_is_forbidden_is_found() {
    let work = ["/wo", "rk/x"].concat();
    for (file, text) in [
        ("crates/core/src/session.rs", "use crate::normal::shell;"),
        ("crates/core/src/normal/shell.rs", "use crate::{session::Session, detect};"),
        ("crates/core/src/normal/shell.rs", "let x = crate::detect::detect(s);"),
        ("crates/core/src/normal.rs", "use uptake_store::open;"),
        ("crates/uptake/src/approve/mod.rs", "use crate::commands::review::tell_replaced;"),
        ("crates/uptake/src/inbox/mod.rs", "use crate::{commands, ui};"),
        ("crates/uptake/src/skills.rs", "super::commands::learn::run(&args)"),
        ("crates/uptake/src/hook.rs", "println!(\"x\");"),
        ("crates/uptake/src/hook.rs", "unsafe { x() }"),
        ("crates/uptake/src/a.rs", "#[path = \"b.rs\"]"),
        ("crates/uptake/tests/cli.rs", "#[ignore]"),
        ("crates/uptake/src/hook.rs", "todo!()"),
        ("crates/core/Cargo.toml", "rusqlite.workspace = true"),
        ("crates/store/Cargo.toml", "uptake = { path = \"../uptake\" }"),
        ("README.md", work.as_str()),
    ] {
        assert_eq!(broken(file, text), [format!("{file}:1")], "{text}");
    }
    assert_eq!(broken("crates/uptake/src/a.rs", &"x\n".repeat(501)), ["crates/uptake/src/a.rs:500"]);
}

#[test]
fn what_is_allowed_is_not() {
    for (file, text) in [
        ("crates/core/src/detect/a.rs", "use crate::session::Session;\nuse crate::detect::b;"),
        ("crates/core/src/session.rs", "let s = \"println!\"; // println!"),
        ("crates/core/src/session.rs", "#[cfg(test)]\nmod tests {\n    use crate::detect;\n}"),
        ("crates/uptake/src/main.rs", "use uptake::{commands, hook};\ncommands::learn::run(args)"),
        ("crates/uptake/src/commands/add.rs", "use crate::commands::review::tell_replaced;"),
        ("crates/uptake/src/lib.rs", "pub mod commands;\nlesson.commands.iter()"),
        ("crates/store/Cargo.toml", "uptake-core.workspace = true"),
        ("crates/core/Cargo.toml", "[dev-dependencies]\ntempfile.workspace = true"),
        ("crates/uptake/src/a.rs", "// SAFETY: the pointer is ours\nunsafe { x() }"),
        ("docs/a.md", "/home/me/work/x"),
    ] {
        assert_eq!(broken(file, text), [""; 0], "{text}");
    }
}

#[test]
fn a_new_a_banned_and_a_foreign_crate_in_the_lock_are_found() {
    let package = |name: &str, source: &str| format!("[[package]]\nname = \"{name}\"\nsource = \"{source}\"\n");
    let ours = |count: usize| "[[package]]\nname = \"ours\"\n".repeat(count);
    let registry = "registry+https://github.com/rust-lang/crates.io-index";
    let deny = "[bans]\ndeny = [{ name = \"tokio\", reason = \"no runtime\" }]\n";
    let found = |lock: String| {
        let mut out = Vec::new();
        dependencies::check_lock(&lock, deny, &mut out).unwrap();
        out.iter().map(|v| v.rule.clone()).collect::<Vec<_>>()
    };
    let count = dependencies::LOCK_COUNT;
    assert_eq!(found(ours(count)), [""; 0]);
    assert!(found(ours(count + 1))[0].contains("LOCK_COUNT"));
    assert_eq!(
        found(package("tokio", registry) + &ours(count - 1)),
        ["`tokio` is banned by deny.toml: no runtime".to_owned()]
    );
    let git = found(package("serde", "git+https://example.com/serde") + &ours(count - 1));
    assert_eq!(git, ["`serde` does not come from crates.io".to_owned()]);
}

#[test]
fn a_command_that_a_page_does_not_name_is_found_and_one_that_does_not_exist() {
    let main = "enum Command {\n    Learn(Args),\n    /// Two\n    TwoWords {\n        shell: Shell,\n    },\n}\n";
    let found = |architecture: &str, readme: &str| {
        let mut out = Vec::new();
        commands::check(main, architecture, readme, &mut out).unwrap();
        out.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let architecture = "| `commands/` | one file each: `learn`, `two-words` in `main.rs` |\n";
    let readme =
        "## Commands\n\n| `uptake learn` | x |\n| `uptake two-words SHELL` | y |\n\n## More\n| `uptake no` |\n";
    assert_eq!(found(architecture, readme), [""; 0]);
    assert_eq!(
        found("| `commands/` | `learn`, `unlearn` |", readme),
        [
            "ARCHITECTURE.md:0: the command `two-words` is missing in its list of commands",
            "ARCHITECTURE.md:0: its list of commands names `unlearn`, which does not exist",
        ]
    );
    assert_eq!(found(architecture, "## Commands\n").len(), 2);
}
