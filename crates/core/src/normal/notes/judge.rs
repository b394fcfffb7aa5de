//! Blocks of notes → the statements among them that tell an agent what to do, each in its own words.
//!
//! Structure comes first: where it stands, how long it is, whether it can be understood alone, whether a file was written
//! whole or a line was added. Words only tell a rule from a description: a verb that asks, a word that forbids. If it is
//! not sure, it is left out.

use super::Place;
use super::blocks::{Block, LONGEST_LIST, Page, page};
use super::words::{asks, has_any, is_marked, obliges, of_the_day, points_back, warns};
use crate::normal::english::whole_sentences as sentences;

/// Longest statement; of a longer block the first whole sentences are taken.
const LONGEST: usize = 420; // characters
/// Of a block that is longer, this much is enough.
const ENOUGH: usize = 260; // characters
/// Fewer words say nothing that another agent could use.
const FEWEST: usize = 4; // words
/// An edit that adds more blocks than this describes something; of that only rules are taken.
const FEW_BLOCKS: usize = 8;
/// So many statements are taken of a memory.
const MOST_RULES: usize = 3;
/// So many of a long text: its writer chose what to write down.
const MOST_ADDED: usize = 8;

/// What somebody wrote down, in their words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statement {
    /// The words.
    pub(crate) text: String,
    /// The heading they stand under; empty if there is none.
    pub(crate) heading: String,
    /// The file that they sum up, if they are a line of an index.
    pub(crate) of: Option<String>,
}

/// How a statement tells what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Force {
    /// It says what goes wrong.
    Warns,
    /// It opens with what to do.
    Asks,
    /// It forbids or obliges.
    Obliges,
}

/// The statements in a text that was added to notes.
pub(crate) fn statements(text: &str, place: Place, whole: bool) -> Vec<Statement> {
    let page = page(text);
    if place == Place::Memory && page.about.is_some() {
        return of_memory(&page);
    }
    let large = whole && place != Place::Memory || page.blocks.len() > FEW_BLOCKS;
    if large && place == Place::Skill {
        return Vec::new();
    }
    let least = match place {
        _ if large => Force::Obliges,
        Place::Memory => Force::Warns,
        _ => Force::Asks,
    };
    // Memories have an index that sums them up; elsewhere a link points at what is to be read.
    let enough = |b: &&Block| match force(b) {
        Some(force) if b.of.is_some() => place == Place::Memory && force == Force::Obliges,
        // A table describes, unless it says what must be.
        Some(force) if b.row => force == Force::Obliges,
        force => force.is_some_and(|force| force >= least),
    };
    let told = page.blocks.iter().filter(enough).filter_map(statement);
    told.take(if large { MOST_ADDED } else { usize::MAX }).collect()
}

/// The statements in a text that was taken out of notes: all that may have been a lesson.
pub(crate) fn withdrawn(text: &str, place: Place) -> Vec<Statement> {
    let page = page(text);
    if place == Place::Memory && page.about.is_some() {
        return of_memory(&page);
    }
    page.blocks.iter().filter(|b| force(b).is_some()).filter_map(statement).collect()
}

/// All rules of a whole text, whatever kind of notes it is.
pub(super) fn rules(text: &str) -> Vec<Statement> {
    page(text).blocks.iter().filter(|b| force(b).is_some_and(|f| f >= Force::Asks)).filter_map(statement).collect()
}

/// A memory with a head is one lesson: what it opens with, else how its head sums it up, else how it is applied, else its rules.
fn of_memory(page: &Page) -> Vec<Statement> {
    let told = |b: &Block, least: Force| force(b).filter(|f| *f >= least).and_then(|_| statement(b));
    let opening = page.blocks.iter().find(|b| !b.item).and_then(|b| told(b, Force::Asks));
    if let Some(opening) = opening {
        return vec![opening];
    }
    let about = page.about.iter().map(|text| Block { text: text.clone(), item: true, ..Block::default() });
    // A person's word on how to work sums itself up; what was found out may only be named there.
    let least = if page.kind.as_deref() == Some("feedback") { None } else { Some(Force::Warns) };
    let summed_up = about.into_iter().find_map(|b| match least {
        Some(least) => told(&b, least),
        None => statement(&b),
    });
    // Of something that only is pointed at nothing is known yet.
    let pointer = page.kind.as_deref() == Some("reference");
    let applied = || page.blocks.iter().filter(|_| !pointer).filter_map(applied).find_map(|b| told(&b, Force::Asks));
    match summed_up.or_else(applied) {
        Some(one) => vec![one],
        None => {
            // Of what is under way only the rules outlast it.
            let passing = page.about.as_ref().is_some_and(|about| has_any(about, OF_ITS_TIME));
            let least = if passing { Force::Asks } else { Force::Warns };
            page.blocks.iter().filter(|b| b.item).filter_map(|b| told(b, least)).take(MOST_RULES).collect()
        }
    }
}

/// What stands behind `How to apply:`, as clients write their memories.
fn applied(block: &Block) -> Option<Block> {
    let (label, said) = block.text.split_once(':')?;
    let said = said.trim_start();
    let first = said.chars().next().filter(|_| label.eq_ignore_ascii_case("how to apply"))?;
    let text = format!("{}{}", first.to_uppercase(), &said[first.len_utf8()..]);
    Some(Block { text, item: true, ..block.clone() })
}

impl Page {
    /// All that a page says, rule or not.
    pub(super) fn statements(&self) -> Vec<Statement> {
        let about = self.about.iter().map(|text| Statement { text: shortened(text), ..Statement::default() });
        let blocks =
            self.blocks.iter().map(|b| Statement { text: b.shortened(), heading: b.heading.clone(), of: b.of.clone() });
        about.chain(blocks).collect()
    }
}

/// The words of a block, if they can stand alone.
fn statement(block: &Block) -> Option<Statement> {
    let text = block.shortened();
    let longest = if block.listed { LONGEST_LIST } else { LONGEST };
    let whole = text.chars().count() <= longest && text.split_whitespace().count() >= FEWEST;
    let ends = !text.ends_with([':', ',', '…']) && (block.item || text.ends_with(['.', '!', '?', ')', '`', '"', '”']));
    let alone = whole && ends && !points_back(&text);
    alone.then(|| Statement { text, heading: block.heading.clone(), of: block.of.clone() })
}

impl Block {
    /// Its first whole sentences, if it is long. A list needs all its items.
    fn shortened(&self) -> String {
        if self.listed { self.text.clone() } else { shortened(self.whole()) }
    }

    /// Without the rest of a sentence that began before an edit.
    fn whole(&self) -> &str {
        let Some(first) = sentences(&self.text).next().filter(|_| !self.item) else { return &self.text };
        let broken = first.starts_with(char::is_lowercase) || first.matches(')').count() > first.matches('(').count();
        if broken { self.text[first.len()..].trim_start() } else { &self.text }
    }
}

/// The first whole sentences of a long text.
fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let mut out = String::new();
    for sentence in sentences(text) {
        let longer = out.chars().count() + sentence.chars().count();
        if !out.is_empty() && longer > ENOUGH {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(sentence);
    }
    out
}

/// How a block tells what to do; `None` if it describes, explains, points elsewhere or is of one day.
fn force(block: &Block) -> Option<Force> {
    let text = block.shortened();
    if block.points || of_the_day(&text) || has_any(&block.heading, OF_ITS_TIME) {
        return None;
    }
    if obliges(&text) || is_marked(&text) {
        Some(Force::Obliges)
    } else if asks(&text) {
        Some(Force::Asks)
    } else {
        warns(&text).then_some(Force::Warns)
    }
}

/// Headings above what holds only for a while.
const OF_ITS_TIME: &[&str] =
    &["todo", "status", "changelog", "history", "roadmap", "progress", "flight", "landed", "state"];
