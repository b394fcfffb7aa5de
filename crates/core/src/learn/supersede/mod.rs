//! Which older lessons a new one takes the place of: "use pnpm, not npm" retires "use npm to install packages".
//!
//! Comes in: a new lesson in the user's words and the lessons there are. Goes out: the ids of those it replaces, each with
//! the reason. Precision first: only where the old one recommends exactly what the new one gives up, or says the opposite of
//! the same subject, in the same project, and was not said again since.
//!
//! Deliberately absent: what contradicts without saying so. "Use pnpm" alone does not retire "use npm": there may be a
//! place for both. Nor is a prohibition lifted by a later "do it", which may have been meant for one occasion: "always do it" lifts it.

mod giving_up;
mod marks;
#[cfg(test)]
mod tests;

use self::giving_up::{GivenUp, given_up};
pub use self::marks::{MARKS, Wanted, marks};
use super::{Lesson, Provenance};
use crate::detect::Kind;
use crate::normal::english::{Class, English, words_of};
use crate::normal::statement;
use crate::session::Origin;

/// A lesson that is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Superseded {
    /// Its id.
    pub id: String,
    /// The words of the new one that say so, for a person.
    pub why: String,
}

/// The lessons a new one takes the place of, in the order they come in.
pub fn supersedes(new: &Lesson, existing: &[Lesson]) -> Vec<Superseded> {
    let Some(end) = Ending::of(new) else { return Vec::new() };
    let advice = existing.iter().filter_map(Advice::of);
    advice.filter_map(|old| Some(Superseded { why: end.why(&old)?, id: old.id })).collect()
}

/// Whether two statements speak of one thing and one forbids what the other wants.
pub fn opposite(one: &str, other: &str) -> bool {
    crate::detect::wording::opposite(one, other)
}

/// What a lesson tells to do, taken apart once, to be held against many others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The lesson's id.
    pub id: String,
    project: String,
    last: i64,
    words: Vec<String>,
}

impl Advice {
    /// Of a lesson; `None` if nothing can take its place. Words of other people and of a reader are not this person's to end.
    pub fn of(lesson: &Lesson) -> Option<Self> {
        let Provenance { trust, basis, .. } = lesson.origin;
        if trust == Origin::Imported || basis.is_some() && trust != Origin::User {
            return None;
        }
        let (last, words) = (lesson.evidence.last?, recommendation(lesson)?);
        Some(Self { id: lesson.id.clone(), project: lesson.project().to_owned(), last, words })
    }
}

/// A lesson that ends others: it gives something up, or forbids it.
pub struct Ending<'l> {
    new: &'l Lesson,
    changes: Vec<GivenUp>,
    /// What it forbids, or asks for always and everywhere.
    subject: Option<Subject>,
}

impl<'l> Ending<'l> {
    /// Of a lesson; `None` for most: they can take no place, and no other lesson need be looked at.
    pub fn of(new: &'l Lesson) -> Option<Self> {
        let told = matches!(new.kind, Kind::Instruction | Kind::Decision | Kind::Correction);
        if !told || new.origin.trust != Origin::User {
            return None;
        }
        let said = &new.payload.statement;
        let holds = || English::usual().within(Class::General, &words_of(said).collect::<Vec<_>>());
        let subject = Subject::of(&statement::words(said)).filter(|subject| subject.forbidden || holds());
        let changes = given_up(said);
        (subject.is_some() || !changes.is_empty()).then_some(Self { new, changes, subject })
    }

    /// Why it takes the place of an older one; `None` if it does not.
    pub fn why(&self, old: &Advice) -> Option<String> {
        let new = self.new;
        if old.project != new.project() || old.id == new.id || new.evidence.last <= Some(old.last) {
            return None;
        }
        let (subject, said) = (self.subject.as_ref(), &new.payload.statement);
        let opposite = subject.filter(|s| Subject::of(&old.words).is_some_and(|old| s.is_opposite(&old)));
        let plainly = opposite.map(|s| match s.forbidden {
            true => format!("later forbidden: “{said}”"),
            false => format!("the newer word is the opposite: “{said}”"),
        });
        plainly.or_else(|| self.changes.iter().find(|c| c.retires(&old.words)).map(GivenUp::why))
    }
}

/// What a statement is about, and whether it forbids it.
struct Subject {
    forbidden: bool,
    /// All words but the one that forbids: in any order, unless a word among them tells what comes before what.
    words: Vec<String>,
}

impl Subject {
    /// Of canonical words; `None` if they are too few, or turned round more than once.
    fn of(words: &[String]) -> Option<Self> {
        let (not, mut rest): (Vec<&String>, Vec<String>) =
            (words.iter().filter(|w| *w == "not").collect(), words.iter().filter(|w| *w != "not").cloned().collect());
        // "use pnpm not npm" is about two things.
        let between = not.len() == 1 && words.first() != not.first().copied() && words.iter().any(|w| w == "use");
        if !rest.iter().any(|w| ORDERED.contains(&w.as_str())) {
            rest.sort_unstable();
        }
        (not.len() <= 1 && rest.len() > 1 && !between).then_some(Self { forbidden: not.len() == 1, words: rest })
    }

    fn is_opposite(&self, old: &Self) -> bool {
        self.forbidden != old.forbidden && self.words == old.words
    }
}

/// Words between two things that cannot change places.
const ORDERED: &[&str] = &["before", "after", "then", "first", "from", "to", "into", "with", "over", "for", "by", "as"];

/// What a lesson tells to do, as canonical words: one sentence of a person, or the command a correction ended in.
fn recommendation(old: &Lesson) -> Option<Vec<String>> {
    let sentences = giving_up::sentences(&old.payload.statement);
    let said = match old.kind {
        Kind::Correction if old.payload.commands.len() == 2 => {
            return Some(statement::words(&format!("run `{}`", old.payload.commands[1])));
        }
        // What follows the first sentence of a decision is its reason.
        Kind::Decision => sentences.first().copied()?,
        Kind::Instruction | Kind::Procedure if sentences.len() == 1 && old.payload.commands.is_empty() => sentences[0],
        _ => return None,
    };
    let mut words = statement::words(said);
    words.truncate(giving_up::reason_at(&words));
    Some(words)
}

impl GivenUp {
    fn why(&self) -> String {
        match &self.chosen {
            Some(chosen) => format!("“{}” was given up for “{}”", self.old, chosen.join(" ")),
            None => format!("“{}” is no longer to be used", self.old),
        }
    }

    /// Whether a statement recommends what is given up here.
    fn retires(&self, said: &[String]) -> bool {
        let unconditional = !said.iter().any(|w| CONDITIONS.contains(&w.as_str()));
        unconditional && (self.in_the_same_place(said) || self.by_name(said))
    }

    /// "format with black not yapf" and "format with yapf": the same words around another name.
    fn in_the_same_place(&self, said: &[String]) -> bool {
        self.same_places().any(|around| around.into_iter().eq(said))
    }

    fn by_name(&self, said: &[String]) -> bool {
        // "use pnpm for installs, not npm" and "push to dev, not main" speak of one place only.
        let chosen = self.chosen.as_ref().map_or(0, Vec::len);
        let general = self.before.is_empty() || self.before[0] == "use" && self.before.len() == chosen + 1;
        if !general {
            return false;
        }
        let end = said.iter().position(|w| w == "not").unwrap_or(said.len());
        let said = &said[..end];
        (0..said.len()).any(|at| match self.old.length_at(&said[at..]) {
            Some(length) => recommended(&said[..at], self.old.is_program()) && self.same_scope(&said[at + length..]),
            None => false,
        })
    }

    /// Whether what follows the name in the old statement is covered by the new one.
    fn same_scope(&self, rest: &[String]) -> bool {
        if !self.tail.is_empty() {
            return rest == self.tail;
        }
        let goes_on = |w: &String| WHAT_FOR.contains(&w.as_str());
        let as_program = |w: &String| w.starts_with('-') || SUBCOMMANDS.contains(&w.as_str());
        rest.first().is_none_or(|w| goes_on(w) || self.old.is_program() && as_program(w))
    }
}

/// Whether the words before a name make it a recommendation.
fn recommended(before: &[String], is_program: bool) -> bool {
    let Some(last) = before.last().map(String::as_str) else { return is_program };
    let first = before[0].as_str();
    if PLACES.contains(&first) {
        return false;
    }
    match last {
        "use" | "run" | "prefer" | "via" | "through" => true,
        "with" => !matches!(first, "use" | "prefer"),
        "to" => before.iter().any(|w| giving_up::CHANGING.contains(&w.as_str())),
        _ => false,
    }
}

/// What holds only sometimes is not retired by what holds always.
#[rustfmt::skip]
const CONDITIONS: &[&str] = &[
    "if", "unless", "when", "whenever", "only", "except", "while", "until", "legacy", "old", "not-always", "optional", "can",
];
/// A statement that begins so holds in a part of the project.
const PLACES: &[&str] = &["in", "for", "on", "at", "inside", "within", "under"];
/// Words behind a name that say what it is for, not where.
const WHAT_FOR: &[&str] = &["to", "for", "before", "after", "as", "everywhere", "first"];
/// What follows the name of a program on a command line.
#[rustfmt::skip]
const SUBCOMMANDS: &[&str] = &[
    "install", "i", "ci", "run", "test", "add", "build", "start", "exec", "publish", "audit", "init", "update", "remove", "sync",
    "up", "compose", "lint", "format", "check",
];
