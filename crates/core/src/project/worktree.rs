//! What the name of a folder says: is it a worktree, and of which checkout?
//!
//! Comes in: a path in its one spelling. Goes out: the checkout's folder, or only its name. Deliberately absent: whether any
//! of it exists.

use super::spelling::below;

/// A worktree's checkout, as far as its path tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Checkout {
    /// It is in this folder.
    In(String),
    /// It is in the first of these folders if that is a checkout; else only its name is known.
    Named {
        /// Where it would be if worktrees lie near it, likeliest first.
        likely: Vec<String>,
        /// What it is called.
        name: String,
        /// A folder to stand for it if it is nowhere.
        stands_for: String,
    },
}

/// Folders in a checkout that hold its worktrees, by their path. `*` is any name.
const IN_CHECKOUT: &[&[&str]] = &[
    &[".git"],
    &[".bare"],
    &[".worktrees"],
    &[".worktree"],
    &[".git-worktrees"],
    &[".claude-worktrees"],
    &[".wt"],
    &[".trees"],
    &[".conductor"],
    &[".*", "worktrees"],
    &[".*", "worktree"],
];

/// Folders anywhere that hold worktrees of several repositories.
const COLLECTIONS: &[&[&str]] = &[&["conductor", "workspaces"], &["worktrees"], &["wt"]];

/// Ends of names of folders that hold the worktrees of the checkout beside.
const BESIDE: &[&str] = &[".worktrees", "__worktrees", "-worktrees", "_worktrees"];

/// The part of a path that lies in a worktree of its checkout: `.claude/worktrees/x/src` → `src`.
pub fn in_worktree(path: &str) -> Option<&str> {
    // All such folders are hidden ones.
    if !path.starts_with('.') {
        return None;
    }
    let parts: Vec<&str> = path.split('/').collect();
    let marker = IN_CHECKOUT.iter().filter(|m| !matches!(m[0], ".git" | ".bare")).find(|m| begins(&parts, m))?;
    let inside = parts.get(marker.len() + 1..)?;
    let skipped: usize = parts[..parts.len() - inside.len()].iter().map(|p| p.len() + 1).sum();
    Some(path.get(skipped..).unwrap_or_default())
}

/// Which checkout a folder is a worktree of, or in a worktree of.
pub(super) fn checkout(folder: &str, is_home: impl Fn(&str) -> bool) -> Option<Checkout> {
    let parts: Vec<&str> = folder.split('/').collect();
    (1..parts.len()).find_map(|at| {
        let above = parts[..at].join("/");
        let (here, from) = (&parts[at..], parts[at]);
        if let Some(name) =
            BESIDE.iter().find_map(|end| from.strip_suffix(end)).filter(|n| !n.trim_matches('.').is_empty())
            && !from.starts_with('.')
        {
            return Some(Checkout::In(format!("{above}/{name}")));
        }
        if let Some(marker) = IN_CHECKOUT.iter().find(|marker| begins(here, marker)) {
            if !is_home(&above) && !above.trim_matches('/').is_empty() {
                return Some(Checkout::In(above));
            }
            return in_collection(&above, here, marker.len());
        }
        let marker = COLLECTIONS.iter().find(|marker| begins(here, marker))?;
        in_collection(&above, here, marker.len())
    })
}

fn begins(parts: &[&str], marker: &[&str]) -> bool {
    let fits =
        |(part, wanted): (&&str, &&str)| part == wanted || (*wanted == ".*" && part.len() > 1 && part.starts_with('.'));
    parts.len() >= marker.len() && parts.iter().zip(marker).all(fits)
}

/// A worktree in a folder that holds those of several repositories: `<repository>/<name>`, or `<id>/<repository>`.
fn in_collection(above: &str, parts: &[&str], marker: usize) -> Option<Checkout> {
    let (marker, inside) = parts.split_at(marker);
    let ids_first = marker.first() == Some(&".codex") || above.ends_with("/vibe-kanban");
    let name = match *inside {
        [] => return None,
        // The only name there may be the worktree's own: it lies in a checkout, or nothing is known.
        [_] if marker == ["worktrees"] || marker == ["wt"] => "",
        [name] => name,
        [first, second, ..] if ids_first || is_id(first) => second,
        [first, ..] => first,
    };
    let stands_for = format!("{above}/{}/{name}", marker.join("/"));
    let mut likely = Vec::new();
    if !name.is_empty() {
        likely.push(format!("{above}/{name}"));
    }
    likely.push(above.to_owned());
    Some(Checkout::Named { likely, name: name.to_owned(), stands_for })
}

/// Whether a name is a number, a hash or another id, and tells a person nothing.
pub(super) fn is_id(name: &str) -> bool {
    const HASH: usize = 7; // as git shortens them
    let plain: String = name.chars().filter(|c| *c != '-' && *c != '_').collect();
    let digits = plain.chars().filter(char::is_ascii_digit).count();
    let hex = plain.len() >= HASH && plain.chars().all(|c| c.is_ascii_hexdigit());
    !plain.is_empty() && (digits == plain.len() || (hex && digits > 0))
}

/// Whether a folder is some user's home.
pub(super) fn is_a_home(folder: &str) -> bool {
    let one_below = |parent: &str| below(folder, parent).is_some_and(|rest| rest.matches('/').count() == 1);
    let on_drive = || {
        folder.split_once(":/").is_some_and(|(_, rest)| rest.strip_prefix("users/").is_some_and(|u| !u.contains('/')))
    };
    folder == "/root" || one_below("/home") || one_below("/Users") || on_drive()
}
