//! A failed command and its fix → what the fix changes, and whether that could be done to another command.

use std::collections::BTreeSet;

use super::terms::{Failure, hash, words};

/// Longest command compared word by word.
const WORDS: usize = 64;
/// Two words this alike are one word and a typing slip.
const ALIKE: f32 = 0.6;
/// What a tool offers must be this close to what was typed.
const OFFERED: f32 = 0.7;
/// Bytes of a word too short to be compared.
const SHORT: usize = 3;

/// What a fix does to a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Change {
    /// Words with what stands in their place.
    pub replaced: Vec<(String, String)>,
    /// Words that go, among them those replaced.
    pub gone: Vec<String>,
    /// Plain words that come and were not in the command.
    pub added: Vec<String>,
    /// The same for all changes of this kind.
    pub kind: u64,
    /// The same for all that end in the same command.
    pub result: u64,
    /// It names a place in a file that the output told.
    pub takes_place: bool,
    /// It names a word that the output told.
    pub takes_word: bool,
    /// It picks one of the words the output offers for one that was mistyped.
    pub picks: bool,
    /// Nothing is different.
    pub nothing: bool,
}

/// Compares a failed command with its fix.
pub(super) fn change(failed: &Failure, fixed: &str) -> Change {
    let new = words(fixed);
    let old = &failed.words[..failed.words.len().min(WORDS)];
    let told: BTreeSet<String> = offered(&failed.output).map(str::to_lowercase).collect();
    let mut out = Change { nothing: true, ..Change::default() };
    let mut kind = BTreeSet::new();
    for (gone, come) in differences(old, &new[..new.len().min(WORDS)]) {
        out.nothing = false;
        let swaps = gone.len() == come.len();
        for (a, b) in gone.iter().zip(come).filter(|_| swaps) {
            let plain = !a.starts_with('-') && !b.starts_with('-');
            kind.extend(plain.then_some("<replaced>"));
            out.picks |= alike(a, b) >= ALIKE && names(&failed.output, b);
            out.replaced.push((a.clone(), b.clone()));
        }
        out.gone.extend(gone.iter().cloned());
        for word in come.iter().filter(|w| !old.contains(w)) {
            let plain = is_plain(word);
            if !swaps && (word == "&&" || (plain && !told.contains(word))) {
                kind.insert(word);
            }
            out.added.extend(plain.then(|| word.clone()));
            out.takes_place |= line_number(word).is_some_and(|n| failed.places.iter().any(|p| p == n));
            out.takes_word |= word.len() > 2 && names(&failed.output, word);
        }
    }
    out.result = hash(&new.iter().map(String::as_str).collect::<Vec<_>>());
    out.kind = hash(&kind.into_iter().collect::<Vec<_>>());
    out
}

impl Change {
    /// Whether it could be done to another failing command.
    pub(super) fn could_help(&self, own: &Failure, other: &Failure) -> bool {
        if self.nothing {
            return false;
        }
        // Without a line that says what went wrong, the offer is all there is to go by.
        if self.picks && other.line.is_none() && !offers(other) {
            return false;
        }
        let missing = |w: &&String| !other.words.contains(*w) && !names(&own.output, w);
        let looks: BTreeSet<char> = other.words.iter().map(|w| look(w)).collect();
        self.gone.iter().filter(missing).all(|w| looks.contains(&look(w)))
    }

    /// Share of the words it brings that an output names.
    pub(super) fn named_in(&self, output: &str) -> f32 {
        if self.added.is_empty() {
            return 0.0;
        }
        self.added.iter().filter(|w| names(output, w)).count() as f32 / self.added.len() as f32
    }
}

/// What a word looks like at first sight: option, long option, number, word, sign.
fn look(word: &str) -> char {
    if word.starts_with("--") {
        return '=';
    }
    match word.chars().next() {
        Some(c) if c.is_alphabetic() => 'a',
        Some(c) if c.is_numeric() => '0',
        other => other.unwrap_or(' '),
    }
}

fn is_plain(word: &str) -> bool {
    word.len() > 2
        && word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
}

/// The number in `+12` and `+12:3`.
fn line_number(word: &str) -> Option<&str> {
    let number = word.trim_start_matches('+').split(':').next()?;
    (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some(number)
}

/// Whether an output offers something close to a word of the command; of very short words nobody can tell.
fn offers(query: &Failure) -> bool {
    let typed = || query.words.iter().skip(1).filter(|w| w.len() > 1 && w.starts_with(char::is_alphanumeric));
    typed().any(|w| w.len() <= SHORT)
        || offered(&query.output).any(|o| typed().any(|w| w != o && alike(w, o) >= OFFERED))
}

fn offered(output: &str) -> impl Iterator<Item = &str> {
    output
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_'))
        .filter(|w| w.starts_with(|c: char| c.is_alphabetic()))
}

/// Whether a text has a word.
pub(super) fn names(text: &str, word: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    !word.is_empty()
        && text
            .match_indices(word)
            .any(|(at, _)| !text[..at].ends_with(inside) && !text[at + word.len()..].starts_with(inside))
}

/// How much of two words is the same in the same order, from 0 to 1.
fn alike(a: &str, b: &str) -> f32 {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(WORDS).collect(), b.chars().take(WORDS).collect());
    let table = common(&a, &b);
    2.0 * f32::from(table[0]) / (a.len() + b.len()).max(1) as f32
}

/// Lengths of the longest common sequences of all ends of two lists, row by row.
fn common<T: PartialEq>(a: &[T], b: &[T]) -> Vec<u16> {
    let width = b.len() + 1;
    let mut table = vec![0; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            table[i * width + j] = if a[i] == b[j] {
                table[(i + 1) * width + j + 1] + 1
            } else {
                table[(i + 1) * width + j].max(table[i * width + j + 1])
            };
        }
    }
    table
}

/// Runs of words that go, each with the run that comes in its place.
fn differences<'w>(old: &'w [String], new: &'w [String]) -> Vec<(&'w [String], &'w [String])> {
    let (table, width) = (common(old, new), new.len() + 1);
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        let (from_i, from_j) = (i, j);
        while i < old.len() || j < new.len() {
            if i < old.len() && j < new.len() && old[i] == new[j] {
                break;
            }
            let skip_old = i < old.len() && (j == new.len() || table[(i + 1) * width + j] >= table[i * width + j + 1]);
            if skip_old { i += 1 } else { j += 1 }
        }
        if (i, j) != (from_i, from_j) {
            out.push((&old[from_i..i], &new[from_j..j]));
        }
        while i < old.len() && j < new.len() && old[i] == new[j] {
            i += 1;
            j += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::terms::failure;
    use super::*;

    #[test]
    fn what_a_fix_changes() {
        let typo = change(&failure("git brnch -a", "Did you mean branch?"), "git branch -a");
        assert_eq!(typo.replaced, [("brnch".to_owned(), "branch".to_owned())]);
        assert!(typo.picks && typo.takes_word && !typo.nothing);
        let before = change(&failure("tool run", "not logged in"), "tool login && tool run");
        assert!(before.gone.is_empty() && before.added == ["login"]);
        let edit = change(&failure("cc a.c", "a.c:3:1: error: x"), "edit a.c +3:1 && cc a.c");
        assert!(edit.takes_place);
        assert!(change(&failure("a b", ""), "a 'b'").nothing);
    }

    #[test]
    fn two_slips_are_the_same_kind_of_change() {
        let one = change(&failure("t puhs a", "bad"), "t push a");
        let two = change(&failure("t pulll", "bad"), "t pull");
        let other = change(&failure("t pull", "bad"), "t login && t pull");
        assert_eq!(one.kind, two.kind);
        assert_ne!(one.kind, other.kind);
    }

    #[test]
    fn a_pick_needs_an_offer() {
        let usage = "usage: t <command>\n  install, upgrade, test";
        let own = failure("t isntall x", usage);
        let pick = change(&own, "t install x");
        assert!(pick.could_help(&own, &failure("t urgrade", usage)));
        assert!(!pick.could_help(&own, &failure("t develop", usage)));
    }
}
