//! Which of the nearest items comes first, and whether to say it.
//!
//! The order may be generous, speaking may not: the program must be the same, what was printed and the line that says
//! what went wrong must agree, the fix must be possible, and items that fit as well must not want something else.

use std::sync::Arc;

use super::index::{Asks, Likeness};
use super::{Hit, KnownItem, PreparedQuery};

/// Another program's failure counts this much.
const OTHER_PROGRAM: f32 = 0.5;
/// More for a fix whose words the output names.
const NAMED: f32 = 0.5;
/// More for a fix that takes a place from the output, if there is one; else it counts half.
const PLACE: f32 = 0.08;
/// More for the same command, word for word.
const SAME_COMMAND: f32 = 0.17;
/// Under this two error lines have nothing in common: a fix that takes a word from its line has nothing to take.
const OTHER_LINE: f32 = 0.25;
const NOTHING_TO_TAKE: f32 = 0.6;
const NO_CHANGE: f32 = 0.9;

/// What the order is by.
pub(super) fn score(known: &KnownItem, asked: &PreparedQuery<'_>, likeness: &Likeness) -> f32 {
    let same_command = if known.command == asked.command { SAME_COMMAND } else { 0.0 };
    match asked.asks {
        Asks::Prompt => return likeness.all,
        Asks::Command => return likeness.all + same_command,
        Asks::Failure => {}
    }
    let change = &known.change;
    let mut score = likeness.all * (1.0 + NAMED * change.named_in(&asked.failure.output));
    if known.failure.program != asked.failure.program {
        score *= OTHER_PROGRAM;
    }
    if change.takes_place {
        score = if asked.failure.places.is_empty() { score * 0.5 } else { score + PLACE };
    }
    if change.takes_word && likeness.line.is_some_and(|l| l < OTHER_LINE) {
        score *= NOTHING_TO_TAKE;
    }
    if change.nothing {
        score *= NO_CHANGE;
    }
    score + same_command
}

/// Items this near the first may be said in its place.
const AS_GOOD: f32 = 0.95;
/// Items this near the first are compared: do they want the same fix?
const RIVAL: f32 = 0.92;
/// More than this share of them must.
const AGREED: f32 = 0.6;
/// Without an error to go by, nearly all must.
const NEARLY_ALL: f32 = 0.99;

/// The hit to speak of, if any; `hits` come best first.
pub(super) fn choose(known: &[Arc<KnownItem>], asked: &PreparedQuery<'_>, hits: &[Hit]) -> Option<Hit> {
    let first = hits.first()?.score;
    let near = |share: f32| hits.iter().take_while(move |h| h.score >= share * first);
    let fit = |h: &&Hit| fits(&known[h.at], asked, &h.likeness);
    let best = near(AS_GOOD).find(fit)?;
    // Before a command runs there is no error to go by: only one and the same fix will do.
    let (wants, share): (fn(&KnownItem) -> u64, f32) = match asked.asks {
        Asks::Failure => (|k| k.change.kind, AGREED),
        Asks::Command | Asks::Prompt => (|k| k.change.result, NEARLY_ALL),
    };
    let wants = |h: &Hit| wants(&known[h.at]);
    let rivals: Vec<&Hit> = near(RIVAL).filter(fit).collect();
    let agreed = rivals.iter().filter(|h| wants(h) == wants(best)).count() as f32;
    (agreed > share * rivals.len() as f32).then_some(*best)
}

/// A prompt must explain this share of a statement, with this many words.
const EXPLAINED: f32 = 0.6;
const WORDS: usize = 3;

fn fits(known: &KnownItem, asked: &PreparedQuery<'_>, likeness: &Likeness) -> bool {
    match asked.asks {
        Asks::Prompt => likeness.explained >= EXPLAINED && likeness.shared >= WORDS,
        Asks::Command => fits_command(known, asked, likeness),
        Asks::Failure => {
            known.failure.program == asked.failure.program
                && same_error(known, asked, likeness)
                && known.change.could_help(&known.failure, &asked.failure)
        }
    }
}

/// What was printed must agree this much.
const OUTPUT: f32 = 2.0 / 3.0;
/// Or this share of it must be there, if the line that says what went wrong is the same.
const HELD: f32 = 0.9;
/// More where only one of the two says what went wrong.
const OUTPUT_WITHOUT_LINE: f32 = 0.7;
/// The line that says what went wrong must agree this much.
const LINE: f32 = 0.6;

fn same_error(known: &KnownItem, asked: &PreparedQuery<'_>, likeness: &Likeness) -> bool {
    let (own, other) = (&known.failure, &asked.failure);
    // Of several lines that say something is wrong another may have been taken.
    let stands_in = |line: Option<u64>, lines: &[u64]| line.is_some_and(|l| lines.binary_search(&l).is_ok());
    let line = match likeness.line {
        Some(line) => line >= LINE || stands_in(own.line, &other.lines) || stands_in(other.line, &own.lines),
        None => own.line.is_none() && other.line.is_none() || likeness.output >= OUTPUT_WITHOUT_LINE,
    };
    // What else was printed around the very same line does not matter.
    let same_line = own.line.is_some() && own.line == other.line && likeness.held >= HELD;
    line && (likeness.output >= OUTPUT || same_line)
}

/// A command about to run must agree this much with one that failed.
const COMMAND: f32 = 0.75;

/// Nothing was printed yet: all that the fix takes away must be there, and nothing of what it brings.
fn fits_command(known: &KnownItem, asked: &PreparedQuery<'_>, likeness: &Likeness) -> bool {
    let change = &known.change;
    let has = |w: &String| asked.failure.words.contains(w);
    let failing = if change.gone.is_empty() {
        known.command == asked.command
    } else {
        change.gone.iter().all(has) && likeness.all >= COMMAND
    };
    !change.nothing && failing && known.failure.program == asked.failure.program && !change.added.iter().any(has)
}
