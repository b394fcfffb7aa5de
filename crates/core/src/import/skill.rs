//! A skill of another tool (`SKILL.md`, as kode, odek and others keep them): its description, and its commands in order.

use super::entry::{Entry, between};
use super::{About, Imported};
use crate::detect::Kind;

/// Most commands that are taken.
const COMMANDS: usize = 12;

pub(super) fn sniff(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(&bytes[..bytes.len().min(8 * 1024)]) else { return false };
    front(text).is_some_and(|(head, _)| value(head, "name").is_some() && value(head, "description").is_some())
}

fn front(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("---")?;
    rest.split_once("\n---")
}

fn value<'t>(head: &'t str, name: &str) -> Option<&'t str> {
    let value = head.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(':'))?;
    Some(value.trim().trim_matches(['"', '\''])).filter(|v| !v.is_empty())
}

pub(super) fn read(bytes: &[u8], about: &About<'_>) -> Imported {
    let mut out = Imported::default();
    let text = String::from_utf8_lossy(bytes);
    let Some((head, body)) = front(&text) else {
        out.problem(1, "has no head");
        return out;
    };
    if value(head, "  author") == Some("uptake") {
        out.leave_out("made by uptake");
        return out;
    }
    let (Some(name), Some(description)) = (value(head, "name"), value(head, "description")) else {
        out.problem(1, "has no name or no description");
        return out;
    };
    let commands = commands(body);
    let kind = if commands.len() > 1 { Kind::Procedure } else { Kind::Instruction };
    let details = match commands.len() {
        0 => String::new(),
        _ => about.clean(&format!("`{}`", commands.join("`, then `"))),
    };
    let (id, statement) = (about.clean(name), about.clean(description));
    out.take(
        about,
        &Entry { root: id.clone(), id, kind, statement, details, times: between(1, None, None), sound: false },
    );
    out
}

/// The numbered lines that hold nothing but code.
fn commands(body: &str) -> Vec<&str> {
    let lines = body.lines().filter_map(|line| {
        let (number, rest) = line.trim().split_once(". ")?;
        number.parse::<u32>().ok()?;
        rest.strip_prefix('`')?.strip_suffix('`').filter(|c| !c.is_empty() && !c.contains('`'))
    });
    lines.take(COMMANDS).collect()
}
