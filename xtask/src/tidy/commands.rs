//! The pages name every command there is, and no other.
//!
//! Comes in: `main.rs` with clap's list, ARCHITECTURE.md and README.md. Descriptions are not compared.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};

use super::{Violation, violation};

/// The file with clap's list of commands.
pub(super) const MAIN: &str = "crates/uptake/src/main.rs";
/// Where that list begins.
const LIST: &str = "enum Command {";
/// How the row of ARCHITECTURE.md begins that names all commands.
const ROW: &str = "| `commands/` |";
/// The section of README.md whose table names all commands.
const SECTION: &str = "## Commands";

pub(super) fn check(main: &str, architecture: &str, readme: &str, out: &mut Vec<Violation>) -> Result<()> {
    let commands = in_main(main);
    ensure!(!commands.is_empty(), "`{MAIN}` has no `{LIST}`");
    compare(&commands, &in_architecture(architecture), "ARCHITECTURE.md", out);
    compare(&commands, &in_readme(readme), "README.md", out);
    Ok(())
}

fn compare(commands: &BTreeSet<String>, named: &BTreeSet<String>, page: &str, out: &mut Vec<Violation>) {
    for missing in commands.difference(named) {
        out.push(violation(page, 0, format!("the command `{missing}` is missing in its list of commands")));
    }
    for unknown in named.difference(commands) {
        out.push(violation(page, 0, format!("its list of commands names `{unknown}`, which does not exist")));
    }
}

/// The variants, as clap calls them.
fn in_main(main: &str) -> BTreeSet<String> {
    let list = main.lines().skip_while(|l| !l.starts_with(LIST)).skip(1).take_while(|l| !l.starts_with('}'));
    list.filter_map(|l| l.strip_prefix("    ").filter(|l| l.starts_with(char::is_uppercase)))
        .map(|l| kebab(l.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()))
        .collect()
}

/// `TwoWords` → `two-words`.
fn kebab(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// The words in backticks of one row, without files.
fn in_architecture(page: &str) -> BTreeSet<String> {
    let row = page.lines().find_map(|l| l.strip_prefix(ROW)).unwrap_or_default();
    row.split('`').skip(1).step_by(2).filter(|w| !w.contains(['.', '/'])).map(str::to_owned).collect()
}

/// The first cells of one table: `` `uptake NAME …` ``.
fn in_readme(page: &str) -> BTreeSet<String> {
    let section = page.lines().skip_while(|l| *l != SECTION).skip(1).take_while(|l| !l.starts_with("## "));
    let cells = section.filter_map(|l| l.strip_prefix("| `uptake "));
    cells.filter_map(|c| c.split([' ', '`']).next()).map(str::to_owned).collect()
}
