//! Which commands only look: they change nothing, and what they print was written by others.

use super::command::{core, program};
use super::programs::{self, Role};
use super::shell::Simple;

/// Second words that make a looking subcommand act.
const ACTING: &[&str] = &[
    "create", "edit", "merge", "close", "comment", "review", "rerun", "delete", "ready", "checkout", "reopen", "watch",
    "cancel", "add", "remove", "set-url", "prune", "upload",
];

/// Whether a command only looks.
pub(crate) fn only_looks(simple: &Simple<'_>) -> bool {
    if programs::is(program(simple), Role::Reader) {
        return true;
    }
    let words: Vec<&str> = core(simple).iter().map(|w| &*w.text).collect();
    if words.iter().any(|w| matches!(*w, "--help" | "--version" | "-h" | "-V")) {
        return true;
    }
    // A project's own wrapper in front of a reader (`wrap git diff`) reads, too.
    (0..2).any(|at| subcommand_looks(&words, at))
}

fn subcommand_looks(words: &[&str], at: usize) -> bool {
    let Some(name) = words.get(at) else { return false };
    let [first, second] = plain_words(&words[at + 1..]);
    let looks = first.is_some_and(|s| programs::subcommand_is(name, s, Role::Reader))
        || programs::is(name, Role::ReaderUnlessInPlace) && !words.iter().any(|w| w.starts_with("-i"));
    let acts = second.is_some_and(|w| ACTING.contains(&w))
        || (*name == "gh" && words.iter().any(|w| matches!(*w, "-X" | "--method" | "-f" | "-F")));
    looks && !acts
}

/// The first two arguments that are neither options nor the value of an option before the subcommand.
fn plain_words<'w>(words: &[&'w str]) -> [Option<&'w str>; 2] {
    let mut first = None;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if first.is_none()
            && matches!(*word, "-C" | "-c" | "-R" | "--repo" | "-n" | "--namespace" | "--git-dir" | "--work-tree")
        {
            rest.next();
        } else if !word.starts_with('-') {
            if first.is_some() {
                return [first, Some(word)];
            }
            first = Some(*word);
        }
    }
    [first, None]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal::shell::parse;

    #[test]
    fn looking_and_acting() {
        for (line, looks) in [
            ("git diff", true),
            ("git -C x log -1", true),
            ("wrap git status", true),
            ("git commit -m x", false),
            ("git remote add o u", false),
            ("gh pr view 1", true),
            ("gh pr create", false),
            ("sed -n 1p f", true),
            ("sed -i s/a/b/ f", false),
            ("make --help", true),
            ("npm test", false),
        ] {
            assert_eq!(only_looks(&parse(line).commands[0]), looks, "{line}");
        }
    }
}
