//! What statements are about: whether two of them say nearly the same, or are about one thing.
//!
//! Comes in: statements. Goes out: yes or no. Nothing is joined by that; it decides what is shown beside what.

use std::collections::{BTreeMap, BTreeSet};

use super::polarity::{is_same_way_round, is_subject};
use super::words::content_if;

/// Hundredths of their words that two statements share which nobody wants to see one below the other.
const NEARLY: usize = 50;
/// With fewer words than this they say too little to be compared; with just as many, one must say all that the other does.
const COMPARED: usize = 3;

/// Of a statement with so few words, two are a good part.
const SHORT: usize = 5;

/// What a statement is about, to be compared with others.
#[derive(Clone, Debug)]
pub struct Gist {
    statement: String,
    words: BTreeSet<String>,
}

impl Gist {
    /// Of a statement.
    pub fn of(statement: &str) -> Self {
        Self { statement: statement.to_owned(), words: subjects(statement) }
    }

    /// Whether both say nearly the same, the same way round: one of them is enough to be shown.
    pub fn is_nearly_same(&self, other: &Self) -> bool {
        let (few, all) = (self.few(other), self.words.len() + other.words.len());
        let shared = shared(&self.words, &other.words);
        // Or one of them says all that the other does, and more; or four words and half of what it says.
        let within = if few > COMPARED { 10 * shared >= 8 * few } else { shared == few };
        let nearly = few > COMPARED && 100 * shared >= NEARLY * (all - shared);
        let within = within || shared > COMPARED && 2 * shared >= few;
        few >= COMPARED && (nearly || within) && is_same_way_round(&self.statement, &other.statement)
    }

    /// Whether both are about one thing, though they may ask for different ones: a third of their words are the same, two only
    /// where one of them is short, and one of these is not among those that are on everybody's lips, or they are half of them.
    pub fn is_about_one_thing_with(&self, other: &Self, common: &Common) -> bool {
        let (few, shares) = (self.few(other), shared(&self.words, &other.words));
        let enough = few <= SHORT || shares > 2;
        let telling = || shared(&common.others(&self.words), &common.others(&other.words)) > 0;
        let telling = || shares > 2 && 2 * shares >= few || telling();
        enough && self.shares_one_in(3, other) && telling()
    }

    /// Whether both may be made of the same words of a person: a fourth of their words are the same.
    pub fn may_come_from_one_message_with(&self, other: &Self) -> bool {
        self.shares_one_in(4, other)
    }

    fn shares_one_in(&self, part: usize, other: &Self) -> bool {
        let shared = shared(&self.words, &other.words);
        shared >= 2 && part * shared >= self.few(other)
    }

    fn few(&self, other: &Self) -> usize {
        self.words.len().min(other.words.len())
    }
}

/// The words that many statements of a project have: that two share these says little.
#[derive(Clone, Debug, Default)]
pub struct Common(BTreeSet<String>);

/// A word is common that more than three statements have, and more than one in twelve.
const FEW: usize = 3;
const PART: usize = 12;

impl Common {
    /// Of all statements that are compared.
    pub fn among<'g>(all: impl ExactSizeIterator<Item = &'g Gist>) -> Self {
        let few = FEW.max(all.len() / PART);
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        all.flat_map(|gist| &gist.words).for_each(|word| *times.entry(word).or_default() += 1);
        Self(times.into_iter().filter(|(_, n)| *n > few).map(|(word, _)| word.to_owned()).collect())
    }

    fn others(&self, words: &BTreeSet<String>) -> BTreeSet<String> {
        words.difference(&self.0).cloned().collect()
    }
}

/// What a statement is about. How firmly it is put is for [`is_same_way_round`].
fn subjects(text: &str) -> BTreeSet<String> {
    content_if(&joined(text), is_subject)
}

/// A text in which "sub-agent" is "subagent".
fn joined(text: &str) -> String {
    let words = text.split_whitespace().map(|word| {
        let whole = |(front, rest): (&str, &str)| {
            PREFIXES.iter().any(|p| front.eq_ignore_ascii_case(p)).then(|| format!("{front}{rest}"))
        };
        word.split_once('-').and_then(whole).unwrap_or_else(|| word.to_owned())
    });
    words.collect::<Vec<String>>().join(" ")
}

/// Parts of a word that are written with and without a hyphen.
const PREFIXES: &[&str] = &["sub", "re", "pre", "non", "co"];

/// How many words of one text stand in another, too. "propose" and "proposal" are one: the shorter begins the longer.
fn shared(one: &BTreeSet<String>, other: &BTreeSet<String>) -> usize {
    let (few, many) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let begins = |a: &str, b: &str| a.len() >= ROOT && b.len() <= a.len() + ENDING && b.starts_with(a);
    let alike = |a: &String, b: &String| a == b || begins(a, b) || begins(b, a);
    few.iter().filter(|word| many.iter().any(|m| alike(word, m))).count()
}

/// The shortest beginning that tells a word, and the longest ending that does not make it another; in bytes.
const ROOT: usize = 5;
const ENDING: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_the_same_is_not_shown_twice_but_its_opposite_is() {
        for (one, other, nearly) in [
            ("Use table-driven tests for several cases", "Write table-driven tests where several cases", true),
            ("Do not wrap lines in markdown files", "Do not wrap lines in markdown files, changesets or commits", true),
            ("Wrap lines in markdown files", "Do not wrap lines in markdown files", false),
            ("Use pnpm", "Use pnpm", false),
            ("Run the linter before a commit", "Run the tests after a deployment to staging", false),
            ("Let's not ever wrap our notes files", "Never wrap lines in our notes files or in commits", true),
            (
                "Read the current lines before a patch, which keeps failing to find them",
                "Read the current lines of a file before a patch, which fails when it cannot find them",
                true,
            ),
            ("Delete old branches", "Delete old tags and caches", false),
            (
                "Have another model analyse issues and advisories, and review commits",
                "Plans, analyses and code are to be reviewed by another model in parallel, before the commits",
                true,
            ),
        ] {
            assert_eq!(Gist::of(one).is_nearly_same(&Gist::of(other)), nearly, "{one} | {other}");
        }
    }

    #[test]
    fn what_is_about_one_thing_shares_a_third_of_its_words() {
        for (one, other, about) in [
            ("Review every plan with another model", "Have another model review the commit before a release", true),
            ("Review every plan with another model", "Write tests before the code", false),
            ("Give a sub-agent the logs and ask for a proposal", "Let subagents propose how to go on", true),
            ("Use pnpm", "Use npm", false),
        ] {
            assert_eq!(
                Gist::of(one).is_about_one_thing_with(&Gist::of(other), &Common::default()),
                about,
                "{one} | {other}"
            );
        }
    }

    #[test]
    fn words_that_many_statements_have_make_no_two_of_them_about_one_thing() {
        let said = ["Commit a fix", "Commit and push a fix", "Sign what you commit", "Commit a fix for the parser"];
        let all: Vec<Gist> = said.iter().map(|s| Gist::of(s)).collect();
        assert!(all[0].is_about_one_thing_with(&all[1], &Common::among(all[..3].iter())));
        let five: Vec<Gist> = all.iter().cloned().chain([Gist::of("Fix it, then push the commit")]).collect();
        assert!(!all[0].is_about_one_thing_with(&all[3], &Common::among(five.iter())), "both words are common");
        assert!(all[1].is_about_one_thing_with(&five[4], &Common::among(five.iter())), "to push is not");
    }
}
