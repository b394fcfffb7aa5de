//! A long fix in a few words: what of the command was changed, if the error names it.
//!
//! Comes in: a fix whose two commands are too long to be read side by side, and what the failing command printed. Goes out: the
//! words that were replaced or left out. Other changes of the command are none of this error's business.

use crate::detect::Kind;
use crate::learn::Lesson;
use crate::redact::clean;

/// Most words of a command that are compared.
const WORDS: usize = 120;
/// Longest change, in bytes.
const LIMIT: usize = 80;
/// Shortest name that an error is searched for.
const NAME: usize = 4;

/// What was changed in the command, and the error names; `None` if that cannot be told.
pub fn changed(fix: &Lesson, output: &str) -> Option<String> {
    let [before, .., after] = fix.payload.commands.as_slice() else { return None };
    if fix.kind != Kind::Recovery {
        return None;
    }
    let (old, new) = (words(before), words(after));
    let named = |word: &&str| {
        let kept = |name: &str| new.iter().any(|w| names(w).any(|n| n == name));
        names(word).any(|name| name.len() >= NAME && !kept(name) && says(output, name))
    };
    let (out, into) = regions(&old, &new).into_iter().find(|(out, _)| out.iter().any(&named))?;
    let (out, into) = (shown(&out), shown(&into));
    let fits = !out.contains('…') && !into.contains('…') && out.len() <= LIMIT && into.len() <= LIMIT;
    fits.then(|| match into.as_str() {
        "" => format!("The same command worked without `{out}`."),
        _ => format!("The same command worked with `{into}` instead of `{out}`."),
    })
}

fn words(command: &str) -> Vec<&str> {
    command.split_whitespace().take(WORDS).collect()
}

/// Names inside of a word.
fn names(word: &str) -> impl Iterator<Item = &str> {
    word.split(|c: char| !c.is_alphanumeric() && !"-_.".contains(c)).filter(|name| !name.is_empty())
}

/// Whether a text has a name in it, as a word.
fn says(text: &str, name: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || "-_".contains(c);
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(inside) && !text[at + name.len()..].starts_with(inside))
}

fn shown(words: &[&str]) -> String {
    let text = clean(&words.join(" "));
    text.trim_end_matches([',', ';']).replace('`', "'")
}

/// What was taken out, and what came into its place, in order: the longest common subsequence stays.
fn regions<'w>(old: &[&'w str], new: &[&'w str]) -> Vec<(Vec<&'w str>, Vec<&'w str>)> {
    let mut longest = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for (n, a) in old.iter().enumerate().rev() {
        for (m, b) in new.iter().enumerate().rev() {
            longest[n][m] = if a == b { 1 + longest[n + 1][m + 1] } else { longest[n + 1][m].max(longest[n][m + 1]) };
        }
    }
    let (mut regions, mut n, mut m) = (Vec::new(), 0, 0);
    while n < old.len() || m < new.len() {
        let (mut out, mut into) = (Vec::new(), Vec::new());
        while (n < old.len() || m < new.len()) && !(n < old.len() && m < new.len() && old[n] == new[m]) {
            if m == new.len() || n < old.len() && longest[n + 1][m] >= longest[n][m + 1] {
                out.push(old[n]);
                n += 1;
            } else {
                into.push(new[m]);
                m += 1;
            }
        }
        if !out.is_empty() || !into.is_empty() {
            regions.push((out, into));
        }
        (n, m) = (n + 1, m + 1);
    }
    regions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::by_hand;

    fn told(before: &str, after: &str, output: &str) -> Option<String> {
        let mut fix = by_hand("p", "long", 1);
        fix.kind = Kind::Recovery;
        fix.payload.commands = vec![before.to_owned(), after.to_owned()];
        changed(&fix, output)
    }

    #[test]
    fn only_the_change_that_the_error_names_is_told() {
        let query = |owner: &str, fields: &str| {
            format!("forge query 'store(owner: \"{owner}\", name: \"shop\") {{ {fields} }}'")
        };
        let unknown = "forge: no store with the name 'shop-inc/shop'";
        assert_eq!(
            told(&query("shop-inc", "id last(10)"), &query("dev", "id last(20) line"), unknown).as_deref(),
            Some("The same command worked with `\"dev\"` instead of `\"shop-inc\"`.")
        );
        assert_eq!(
            told(&query("dev", "text(cut: 80) path"), &query("dev", "path line"), "Field 'text' has no argument 'cut'")
                .as_deref(),
            Some("The same command worked without `text(cut: 80)`.")
        );
        assert_eq!(told(&query("dev", "id last(10)"), &query("dev", "id last(20)"), unknown), None, "it is not named");
        assert_eq!(told("make", "make", "make: *** failed"), None);
        assert_eq!(told("", "", ""), None);
    }

    #[test]
    fn what_was_cut_or_is_long_is_not_told() {
        assert_eq!(told("tool --shape wide…", "tool --form wide", "unknown option --shape…"), None);
        let long = "x".repeat(200);
        assert_eq!(told(&format!("tool --shape={long}"), "tool", "unknown option --shape"), None);
    }
}
