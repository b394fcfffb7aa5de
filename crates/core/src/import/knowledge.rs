//! devflow's `decisions.md` and `pitfalls.md`: entries with a number, its own and those that people wrote; and its manifest,
//! which lists files that it made of its log.

use super::entry::{Entry, between};
use super::lines::{first_texts, time};
use super::{About, Imported};
use crate::detect::Kind;

pub(super) fn sniff(bytes: &[u8]) -> bool {
    first_texts(bytes).any(|line| heading(line).is_some())
}

/// `## ADR-001: title`, `## PF-001: title`.
fn heading(line: &str) -> Option<(Kind, &str, &str)> {
    let (id, title) = line.trim_end().strip_prefix("## ")?.split_once(':')?;
    let kind = match id.split_once('-')? {
        ("ADR", _) => Kind::Decision,
        ("PF", _) => Kind::Pitfall,
        _ => return None,
    };
    let digits = id.rsplit('-').next().is_some_and(|n| n.len() >= 3 && n.bytes().all(|b| b.is_ascii_digit()));
    digits.then(|| (kind, id, title.trim()))
}

pub(super) fn read(bytes: &[u8], about: &About<'_>) -> Imported {
    let mut out = Imported::default();
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().collect();
    let starts: Vec<usize> = (0..lines.len()).filter(|n| heading(lines[*n]).is_some()).collect();
    for (n, start) in starts.iter().enumerate() {
        let end = starts.get(n + 1).copied().unwrap_or(lines.len());
        let Some((kind, id, title)) = heading(lines[*start]) else { continue };
        take(&mut out, about, kind, id, title, &lines[start + 1..end]);
    }
    out
}

fn take(out: &mut Imported, about: &About<'_>, kind: Kind, id: &str, title: &str, lines: &[&str]) {
    let field = |name: &str| {
        lines.iter().find_map(|line| {
            let rest = line.trim_start().trim_start_matches("- ").strip_prefix("**")?.strip_prefix(name)?;
            rest.strip_prefix("**:").or_else(|| rest.strip_prefix(":**")).map(str::trim)
        })
    };
    let status = field("Status").unwrap_or_default().to_lowercase();
    if status.starts_with("deprecated") || status.starts_with("superseded") {
        return out.leave_out("deprecated in devflow");
    }
    let source = field("Source").unwrap_or_default();
    if source.starts_with("self-learning:obs_") {
        return out.leave_out("made of an entry of devflow's log, which is imported itself");
    }
    let details = match kind {
        Kind::Decision => field("Decision"),
        _ => field("Issue"),
    };
    let at = field("Date").and_then(time);
    let (statement, id) = (about.clean(title), about.clean(id));
    let details = about.clean(details.unwrap_or_default());
    let root = format!("{}:{id}", about.project);
    out.take(about, &Entry { root, id, kind, statement, details, times: between(1, at, at), sound: true });
}

pub(super) fn sniff_manifest(bytes: &[u8]) -> bool {
    let text = |needle: &[u8]| bytes.len() < 4 * 1024 * 1024 && bytes.windows(needle.len()).any(|w| w == needle);
    bytes.first() == Some(&b'{') && text(b"\"schemaVersion\"") && text(b"\"observationId\"")
}

pub(super) fn read_manifest(bytes: &[u8], _: &About<'_>) -> Imported {
    let mut out = Imported::default();
    let Ok(manifest) = serde_json::from_slice::<serde_json::Value>(bytes) else {
        out.problem(1, "is no JSON");
        return out;
    };
    let entries = manifest.get("entries").and_then(|e| e.as_array()).map_or(0, Vec::len);
    (0..entries).for_each(|_| out.leave_out("a file that devflow made; its log has what it says"));
    out
}
