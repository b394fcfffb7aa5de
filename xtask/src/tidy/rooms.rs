//! Which room may use which: one of the core only those above it in `lib.rs`, and nothing uses `commands`.

use anyhow::{Result, ensure};

use super::source::{Source, has_word};
use super::{Violation, violation};

/// The rooms of the core in the order of its `lib.rs`.
pub(super) fn in_order(lib: &str) -> Result<Vec<String>> {
    let rooms: Vec<String> =
        lib.lines().filter_map(|l| l.strip_prefix("pub mod ")?.strip_suffix(';')).map(str::to_owned).collect();
    ensure!(rooms.first().is_some_and(|r| r == "session"), "`session` is the first room of the core");
    Ok(rooms)
}

pub(super) fn check(source: &Source<'_>, rooms: &[String], out: &mut Vec<Violation>) {
    let Some(inside) = source.file.strip_prefix("crates/core/src/") else { return };
    let own = inside.split(['/', '.']).next().unwrap_or_default();
    let Some(place) = rooms.iter().position(|r| r == own) else { return };
    for line in source.lines.iter().filter(|l| !l.test) {
        for used in used_rooms(&line.code) {
            if rooms[place + 1..].contains(&used) {
                let rule = format!("room `{own}` uses `{used}`, which stands below it in lib.rs");
                out.push(violation(source.file, line.number, rule));
            }
        }
    }
}

/// Commands only ask and print. What two of them need has a room of its own, which they use.
pub(super) fn check_commands(source: &Source<'_>, out: &mut Vec<Violation>) {
    let Some(inside) = source.file.strip_prefix("crates/uptake/src/") else { return };
    if inside == "main.rs" || inside.starts_with("commands/") {
        return;
    }
    for line in source.lines.iter().filter(|l| !l.test) {
        if has_word(&line.code, "commands::") || used_rooms(&line.code).iter().any(|room| room == "commands") {
            out.push(violation(source.file, line.number, "only main.rs and commands/ itself use `commands`"));
        }
    }
}

/// The rooms a line names: `crate::a::b`, `crate::{a, b::c}`.
fn used_rooms(code: &str) -> Vec<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut out = Vec::new();
    for (at, path) in code.match_indices("crate::") {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &code[at + path.len()..];
        match rest.strip_prefix('{') {
            Some(group) => out.extend(group.split([',', '}', '{']).map(|part| word(part.trim()))),
            None => out.push(word(rest)),
        }
    }
    out.retain(|name| !name.is_empty());
    out
}
