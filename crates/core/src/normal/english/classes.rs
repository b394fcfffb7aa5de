//! Word classes by name: what a few phrases have in common, as one table.
//!
//! A phrase that signs rest on stays if it helps in two repositories, or in one and its class in several, and goes if it hurts
//! as often: `cargo xtask eval FOLDER --ablate` prints what is lost without each of them, by repository. Closed classes (small
//! words, spellings, verbs of keeping) are whole.

use std::sync::LazyLock;

use super::phrases::WordPhrases;

/// What phrases have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Words a message may begin with that say nothing.
    Filler,
    /// An agent gives in.
    Concession,
    /// Opens a message that stops or turns the agent round.
    Halt,
    /// Holds a negation and refuses nothing.
    Harmless,
    /// Finds fault with how something was done.
    Judgement,
    /// Tells what does not work.
    Symptom,
    /// Opens an errand, an approval or a question.
    Errand,
    /// Says that something holds always and everywhere.
    General,
    /// Says that it holds for all of a kind.
    Quantity,
    /// Opens a clause that lays something down.
    Ruling,
    /// Says until when: it holds for this once.
    ForNow,
    /// Takes back what was said.
    TakenBack,
    /// Speaks of what only the conversation knows.
    Pointing,
    /// A verb of keeping.
    Keeping,
    /// Where lessons are kept.
    KeptIn,
    /// Asks to keep what was done.
    KeepThis,
    /// Gives a reason.
    Reason,
    /// Settles something.
    Stance,
    /// Warns.
    Warning,
    /// A thing to do that every project knows.
    Action,
}

/// The table: what each class holds. Words of a phrase are separated by single spaces.
#[rustfmt::skip]
const CLASSES: &[(Class, &[&str])] = &[
    (Class::Filler, &[
        "ok", "okay", "so", "well", "uh", "ah", "oh", "and", "now", "alright", "actually", "yeah", "also", "then", "right", "hmm", "hmmm",
        "hm", "um", "yes", "please", "but", "just", "hey",
    ]),
    (Class::Concession, &[
        "you're right", "you are right", "good point", "good call", "fair",
    ]),
    (Class::Halt, &[
        "wait", "stop", "i meant", "i thought", "i was talking", "are you sure",
    ]),
    (Class::Harmless, &[
        "no problem", "not sure", "don't see", "don't need", "don't worry", "don't forget", "don't think", "still not",
    ]),
    (Class::Judgement, &[
        "too", "weird", "confused", "not good enough", "instead", "should not", "shouldn't", "again", "necessary", "don't like",
        "don't want",
    ]),
    (Class::Symptom, &[
        "still seeing", "issue", "bug", "error", "errors", "failing", "fails", "does not seem", "don't see", "doesn't work",
    ]),
    (Class::Errand, &[
        "yes", "yeah", "ok", "okay", "go ahead", "continue", "commit", "push", "create", "implement", "can you", "please", "let's", "what",
        "how", "do", "run", "fix", "update", "i",
    ]),
    (Class::General, &[
        "never", "ever", "at all", "whenever", "always", "every", "standard", "from now on",
    ]),
    (Class::Quantity, &["any", "all"]),
    (Class::Ruling, &[
        "never", "always", "don't", "do not", "let's not", "avoid", "prefer", "whenever", "every", "all", "from now on",
    ]),
    (Class::ForNow, &[
        "for now", "this time", "today", "yet", "right now", "at this point", "this pr", "just a commit", "until", "unless", "i would", "i want", "can always",
    ]),
    (Class::TakenBack, &["never mind", "nevermind", "forget it", "forget that", "scratch that", "ignore that", "on second thought"]),
    (Class::Pointing, &["it", "that", "this", "these", "those", "them", "here", "there", "anything", "he", "she", "they"]),
    (Class::Keeping, &[
        "memorize", "remember", "log", "note", "record", "save", "document", "add", "extend", "update", "put", "write", "make", "create",
    ]),
    (Class::KeptIn, &["memory", "memories", "learnings", "learning", "lessons learned", "standard", "skill", "playbook", "runbook"]),
    (Class::KeepThis, &[
        "add a skill", "create skill about", "create a skill about", "create a skill for", "save as skill", "save as a skill",
        "make a skill", "make this a skill", "turn this into a skill", "note this down", "note that down", "noting this down",
        "log a learning", "log this as a learning", "remember this", "memorize", "memorise",
    ]),
    (Class::Reason, &[
        "because", "since", "so that", "that way", "as that", "as this", "otherwise", "which means", "to avoid", "to prevent", "in order to",
    ]),
    (Class::Stance, &[
        "i think", "i feel", "feel like", "makes sense", "make sense to", "we should", "let's", "i'd rather", "i would rather",
        "i would prefer", "i don't like", "would be better", "better to",
    ]),
    (Class::Warning, &[
        "won't work", "will not work", "doesn't work with", "don't forget", "do not forget", "watch out", "be aware", "beware", "careful",
        "will break", "would break", "breaks when", "breaks if", "will fail", "fails when", "fails if", "gotcha", "only works", "to prevent",
        "can't use", "cannot use", "otherwise it",
    ]),
    (Class::Action, &[
        "commit", "push", "pr", "merge", "test", "build", "deploy", "update", "create", "add", "fix", "run", "lint", "format", "rebase", "pull",
        "tag", "release", "open", "address", "review", "check", "verify", "write", "document", "generate", "bump", "publish", "install",
        "start", "restart", "squash", "checkout", "switch", "close", "comment", "respond", "ship", "implement", "refactor", "fetch", "clean",
        "resolve",
    ]),
];

/// Spellings in a hurry, as they are in the table.
pub(crate) const SPELLINGS: &[(&str, &str)] = &[
    ("dont", "don't"),
    ("thats", "that's"),
    ("im", "i'm"),
    ("isnt", "isn't"),
    ("doesnt", "doesn't"),
    ("cant", "can't"),
    ("wont", "won't"),
    ("didnt", "didn't"),
    ("shouldnt", "shouldn't"),
    ("lets", "let's"),
];

/// All classes, to be looked for in words.
pub struct English {
    sets: Vec<(Class, WordPhrases)>,
}

impl English {
    /// The usual classes.
    pub fn usual() -> &'static Self {
        static USUAL: LazyLock<English> = LazyLock::new(|| English::of(|_, _| true));
        &USUAL
    }

    /// Without some phrases: what they are good for can then be counted.
    pub fn of(keep: impl Fn(Class, &str) -> bool) -> Self {
        let set = |class, list: &[&'static str]| {
            (class, WordPhrases::of(list.iter().copied().filter(|phrase| keep(class, phrase))))
        };
        Self { sets: CLASSES.iter().map(|(class, list)| set(*class, list)).collect() }
    }

    /// Every phrase with its class.
    pub fn phrases() -> impl Iterator<Item = (Class, &'static str)> {
        CLASSES.iter().flat_map(|(class, list)| list.iter().map(|phrase| (*class, *phrase)))
    }

    /// The phrase of a class that the words begin with.
    pub(crate) fn opening(&self, class: Class, words: &[String]) -> Option<&'static str> {
        self.set(class)?.open(words)
    }

    /// Whether the words begin with a phrase of a class.
    pub(crate) fn opens(&self, class: Class, words: &[String]) -> bool {
        self.opening(class, words).is_some()
    }

    /// Whether a phrase of a class stands anywhere.
    pub(crate) fn within(&self, class: Class, words: &[String]) -> bool {
        self.set(class).is_some_and(|set| set.within(words))
    }

    fn set(&self, class: Class) -> Option<&WordPhrases> {
        // The table is in the order of the classes; a test says so.
        self.sets.get(class as usize).map(|(_, set)| set)
    }
}

/// Whether what follows "never" or "always" is something one could do: "always added" and "never runs" tell what happens.
pub(crate) fn tells_to(word: &str) -> bool {
    let happens = word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
    !happens && could_be_done(word)
}

/// The same, whoever does it.
pub(crate) fn could_be_done(word: &str) -> bool {
    !word.is_empty() && !word.ends_with("ed") && !LINKING.contains(&word)
}

/// What follows "never" where it forbids nothing that one could do.
#[rustfmt::skip]
const LINKING: &[&str] = &[
    "that", "only", "to", "again", "in", "on", "with", "the", "a", "an", "by", "mine", "before", "after", "been", "static", "what",
    "happens", "this", "it", "for", "from", "of", "as", "be", "true", "mind",
];

/// Whether a word negates.
pub(crate) fn negates(word: &str) -> bool {
    matches!(word, "no" | "nope" | "nah" | "not" | "never") || word.ends_with("n't")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_classes() {
        for (n, (class, list)) in CLASSES.iter().enumerate() {
            assert_eq!(*class as usize, n, "{class:?}");
            assert!(!list.is_empty());
        }
    }

    #[test]
    fn a_phrase_left_out_is_not_found() {
        let words = |text: &str| super::super::words_of(text).collect::<Vec<_>>();
        let without = English::of(|class, phrase| !(class == Class::Halt && phrase == "wait"));
        assert!(English::usual().opens(Class::Halt, &words("Wait, what")));
        assert!(!without.opens(Class::Halt, &words("Wait, what")) && without.opens(Class::Halt, &words("stop it")));
    }
}
