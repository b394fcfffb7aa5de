//! What a rule names and is not there any more: files, and commands that a project's own files define.
//!
//! Only what can be known is told: a script of `package.json`, a target of a Makefile, a recipe of a justfile, where those files
//! are at the top of the project.

use std::path::Path;

use uptake_core::normal::notes::paths_in;

/// Larger files are not read.
const LIMIT: u64 = 1024 * 1024;

/// Files and commands that a line of instructions names and that are not there.
pub fn gone(line: &str, top: &Path) -> Vec<String> {
    let files = paths_in(line).into_iter().filter(|p| !top.join(p).exists()).map(str::to_owned);
    let commands = line.split('`').skip(1).step_by(2).filter(|code| is_gone(code, top)).map(str::to_owned);
    files.chain(commands).collect()
}

/// Whether a command runs something by a name that the project does not define.
fn is_gone(code: &str, top: &Path) -> bool {
    let words: Vec<&str> = code.split_whitespace().collect();
    match words.as_slice() {
        ["npm" | "pnpm" | "yarn" | "bun", "run", name, ..] => {
            !name.starts_with('-') && has_script(top, name) == Some(false)
        }
        ["make", names @ ..] => {
            let targets = names.iter().filter(|n| !n.starts_with('-') && !n.contains('='));
            !names.iter().any(|n| n.starts_with("-C") || n.starts_with("-f"))
                && targets.into_iter().any(|n| has_target(top, n) == Some(false))
        }
        ["just", name, ..] => !name.starts_with('-') && has_recipe(top, name) == Some(false),
        _ => false,
    }
}

fn small(path: &Path) -> Option<String> {
    std::fs::metadata(path).ok().filter(|m| m.is_file() && m.len() <= LIMIT)?;
    std::fs::read_to_string(path).ok()
}

/// Whether `package.json` has a script; `None` if nobody knows.
fn has_script(top: &Path, name: &str) -> Option<bool> {
    let package: serde_json::Value = serde_json::from_str(&small(&top.join("package.json"))?).ok()?;
    Some(package["scripts"].as_object().is_some_and(|scripts| scripts.contains_key(name)))
}

/// Whether a Makefile has a target; `None` if nobody knows: it may take in others, or make up targets.
fn has_target(top: &Path, name: &str) -> Option<bool> {
    let text = ["GNUmakefile", "makefile", "Makefile"].iter().find_map(|file| small(&top.join(file)))?;
    if text.lines().any(|l| l.contains("include ") || l.contains('%') || l.contains("$(eval")) {
        return None;
    }
    let targets = |line: &str| line.split_once(':').map_or(String::new(), |(names, _)| names.to_owned());
    Some(
        text.lines()
            .filter(|l| !l.starts_with([' ', '\t', '#']))
            .any(|l| targets(l).split_whitespace().any(|t| t == name)),
    )
}

/// Whether a justfile has a recipe; `None` if nobody knows.
fn has_recipe(top: &Path, name: &str) -> Option<bool> {
    let text = ["justfile", "Justfile", ".justfile"].iter().find_map(|file| small(&top.join(file)))?;
    if text.lines().any(|l| l.starts_with("import ") || l.starts_with("mod ")) {
        return None;
    }
    let first = |line: &str| line.trim_start_matches('@').split([' ', ':']).next().unwrap_or_default().to_owned();
    let aliases = |line: &str| line.strip_prefix("alias ").map(first);
    Some(text.lines().any(|l| first(l) == name || aliases(l).is_some_and(|a| a == name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_known_to_be_gone_is_told_and_nothing_else() {
        let top = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(top.path().join(name), text).expect("written");
        let gone = |line: &str| gone(line, top.path());
        assert!(gone("Run `make deps` and `npm run lint`").is_empty(), "nothing is known");
        write("Makefile", "build test: x\n\techo deps:\n");
        write("package.json", r#"{"scripts":{"lint":"x"}}"#);
        write("justfile", "alias b := build\n@build arg:\n  echo\n");
        assert_eq!(gone("Run `make deps` after `make test` and `make -C sub all`"), ["make deps"]);
        assert_eq!(gone("`npm run lint`, then `pnpm run types`"), ["pnpm run types"]);
        assert_eq!(gone("`just b` or `just build x`, not `just ship`; make sure of it"), ["just ship"]);
        assert_eq!(gone("See src/old/app.ts"), ["src/old/app.ts"]);
        write("Makefile", "include other.mk\n");
        assert!(gone("Run `make deps`").is_empty(), "another file may define it");
    }
}
