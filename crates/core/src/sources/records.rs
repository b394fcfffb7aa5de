//! Bytes → records: one JSON object a line, and what can be saved where the writer was not healthy.
//!
//! Comes in: chunks of a transcript of any size. Goes out: each sound record once, with its place, and
//! a tally of what was skipped. Truncated, spliced (`}{`), NUL-padded, CRLF, pretty-printed or non-UTF-8
//! input is normal input. Deliberately absent: any knowledge of what a record means; that is asked of a [`Taker`].

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::{memchr, memmem};
use serde::Deserialize;

use super::Shape;
use super::json_repair::{
    Soundness, in_place, object_at, opens_pretty, repair, replace_lone_surrogates, soundness, trim,
};
use super::shrink::{Cut, Shrinker};

/// Lines longer than this are shortened while they stream by.
const SHRINK_AT: usize = 1024 * 1024;
/// A record that is still larger than this after shortening is skipped.
const RECORD_LIMIT: usize = super::shrink::LIMIT;
/// How many times the bytes of a broken line may be looked at before the rest of it is given up.
const RECOVERY_WORK: usize = 64;

/// How escapes begin, of which `\ud…` and `\uD…` may be half a character.
static ESCAPE: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new("\\u"));

/// Where a record stands in its transcript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordPlace {
    /// First byte.
    pub offset: u64,
    /// Length in the file.
    pub len: u64,
}

/// What a source says about bytes offered to it as a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordVerdict {
    /// A record of this format, used or knowingly passed over.
    Taken,
    /// Sound JSON, but no record of this format.
    Foreign,
    /// Not sound JSON.
    Broken,
}

/// A record as a format writes it; otherwise what to say about the bytes.
pub(super) fn parsed<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, RecordVerdict> {
    serde_json::from_slice(bytes).map_err(|e| if e.is_data() { RecordVerdict::Foreign } else { RecordVerdict::Broken })
}

/// Something that understands records.
pub(super) trait Taker {
    /// Offers the bytes of one record.
    fn take(&mut self, record: &[u8], place: RecordPlace) -> RecordVerdict;
}

/// Why something of a transcript was not read as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flaw {
    /// Bytes that are part of no sound record.
    Damaged,
    /// A sound record of another format.
    Foreign,
    /// A record larger than can be held.
    TooLarge,
    /// Bytes that are not UTF-8, or escapes that are no characters, were replaced.
    Repaired,
    /// The last line has no end yet.
    Unfinished,
}

impl Flaw {
    /// The words shown to people.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Damaged => "damaged records",
            Self::Foreign => "records of another format",
            Self::TooLarge => "records too large to hold",
            Self::Repaired => "records with broken characters (repaired)",
            Self::Unfinished => "unfinished last lines",
        }
    }
}

/// How often and how many bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of places.
    pub count: u64,
    /// Bytes at these places.
    pub bytes: u64,
}

/// What was skipped or repaired, by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    /// Tally per kind of flaw.
    pub flaws: BTreeMap<Flaw, Tally>,
}

impl Problems {
    /// Notes one place.
    pub(super) fn note(&mut self, flaw: Flaw, bytes: u64) {
        let tally = self.flaws.entry(flaw).or_default();
        tally.count += 1;
        tally.bytes += bytes;
    }

    /// Adds another transcript's problems to these.
    pub fn add(&mut self, other: &Self) {
        for (flaw, t) in &other.flaws {
            let tally = self.flaws.entry(*flaw).or_default();
            tally.count += t.count;
            tally.bytes += t.bytes;
        }
    }
}

/// Cuts a stream into records and offers them to a [`Taker`].
#[derive(Default)]
pub(super) struct Records {
    /// Start of a line whose end has not come yet.
    carry: Vec<u8>,
    /// In use instead of `carry` once a line is long.
    shrinker: Option<Shrinker>,
    /// Place in the file of the first byte of the current line.
    line_start: u64,
    /// Place in the file of the next byte.
    position: u64,
    shape: Shape,
    /// Lines of a record that was printed over several lines.
    pretty: Pretty,
    /// What could not be read.
    pub problems: Problems,
}

#[derive(Default)]
struct Pretty {
    bytes: Vec<u8>,
    cuts: Vec<Cut>,
    start: u64,
    /// Its length when it was last found open. It is looked at again only when twice as long, so that work stays
    /// linear.
    tried: usize,
}

impl Pretty {
    pub(super) fn add(&mut self, line: Held<'_>) {
        let behind = self.bytes.len();
        self.cuts.extend(line.cuts.iter().map(|c| Cut { at: c.at + behind, ..*c }));
        self.bytes.extend_from_slice(line.bytes);
    }

    fn held(&self) -> Held<'_> {
        // The result must not depend on whether another line follows.
        let bytes = self.bytes.strip_suffix(b"\n").unwrap_or(&self.bytes);
        Held { bytes, start: self.start, cuts: &self.cuts }
    }
}

/// Bytes as they are held, and where they stand in the file.
#[derive(Clone, Copy)]
struct Held<'b> {
    bytes: &'b [u8],
    start: u64,
    cuts: &'b [Cut],
}

impl Held<'_> {
    /// Where a held byte stands in the file.
    fn at(&self, i: usize) -> u64 {
        self.start + i as u64 + self.cuts.iter().filter(|c| c.at <= i).map(|c| c.removed).sum::<u64>()
    }

    fn place_of(&self, range: &Range<usize>) -> RecordPlace {
        let offset = self.at(range.start);
        RecordPlace { offset, len: self.at(range.end) - offset }
    }

    fn place(&self) -> RecordPlace {
        self.place_of(&(0..self.bytes.len()))
    }

    /// Bytes in the file that are in none of the records taken. Padding around such bytes, and what separates records
    /// in a list, belongs to nobody and counts for nothing; a line end ends a run of them.
    fn left_out(&self, taken: &[Range<usize>]) -> u64 {
        let mut lost = 0;
        let mut from = 0;
        let end = self.bytes.len();
        for record in taken.iter().cloned().chain(std::iter::once(end..end)) {
            let mut line = from;
            while line < record.start {
                let stop = memchr(b'\n', &self.bytes[line..record.start]).map_or(record.start, |n| line + n);
                lost += self.run(line..stop);
                line = stop + 1;
            }
            from = record.end;
        }
        lost
    }

    fn run(&self, range: Range<usize>) -> u64 {
        let run = trim(&self.bytes[range.clone()]);
        if run.iter().all(|b| b.is_ascii_whitespace() || b",[]\0".contains(b)) {
            return 0;
        }
        let start = range.start + (run.as_ptr() as usize - self.bytes[range].as_ptr() as usize);
        self.place_of(&(start..start + run.len())).len
    }
}

impl Records {
    /// A reader that begins at a byte of the file, which must be the start of a line.
    pub(super) fn starting_at(offset: u64, shape: Shape) -> Self {
        Self { line_start: offset, position: offset, shape, ..Self::default() }
    }

    /// Byte after the last complete line: where the next reading begins.
    pub(super) fn resume_at(&self) -> u64 {
        if self.pretty.bytes.is_empty() { self.line_start } else { self.pretty.start }
    }

    /// Takes the next bytes of the file.
    pub(super) fn feed(&mut self, mut chunk: &[u8], taker: &mut impl Taker) {
        while let Some(end) = memchr(b'\n', chunk) {
            self.line_part(&chunk[..end], taker);
            self.position += 1;
            self.line_start = self.position;
            chunk = &chunk[end + 1..];
        }
        self.position += chunk.len() as u64;
        if let Some(shrinker) = &mut self.shrinker {
            shrinker.feed(chunk);
            return;
        }
        self.carry.extend_from_slice(chunk);
        self.shrink_if_long();
    }

    fn shrink_if_long(&mut self) {
        if self.carry.len() > SHRINK_AT {
            let mut shrinker = Shrinker::default();
            shrinker.feed(&self.carry);
            self.carry = Vec::new();
            self.shrinker = Some(shrinker);
        }
    }

    /// Ends the file. A last line without an end is used if it is sound; otherwise it is left for the next reading,
    /// and what is sound in it is used now: ids are taken once.
    pub(super) fn finish(&mut self, taker: &mut impl Taker) {
        let rest = self.position - self.line_start;
        if rest > 0 {
            let line = match self.take_carry() {
                Ok(line) => line,
                Err(solid) => return self.problems.note(Flaw::TooLarge, solid),
            };
            let held = Held { bytes: &line.bytes, start: self.line_start, cuts: &line.cuts };
            let text = trim(held.bytes);
            let fits = held.bytes.len() <= RECORD_LIMIT;
            if text.is_empty() || (fits && self.offer(text, held.place(), taker) == RecordVerdict::Taken) {
                self.line_start = self.position;
            } else if !self.pretty.bytes.is_empty() {
                self.pretty.add(held);
                self.line_start = self.position;
            } else {
                self.unfinished(held, taker);
            }
        }
        if self.pretty.bytes.is_empty() {
            return;
        }
        let pretty = std::mem::take(&mut self.pretty);
        if self.offer(trim(&pretty.bytes), pretty.held().place(), taker) != RecordVerdict::Taken {
            // Left for the next reading: more lines may come.
            self.unfinished(pretty.held(), taker);
            self.line_start = pretty.start;
        }
    }

    /// What may still grow. An object that is merely open is a record being written; anything else is damage or a list.
    fn unfinished(&mut self, held: Held<'_>, taker: &mut impl Taker) {
        let text = trim(held.bytes);
        let document = self.shape == Shape::Document && memchr(b'\n', text).is_some();
        let being_written = !document && text.first() == Some(&b'{') && soundness(text) == Soundness::Open;
        let taken = if being_written { Vec::new() } else { salvage(held, self.shape, taker) };
        self.problems.note(Flaw::Unfinished, held.left_out(&taken));
    }

    /// Offers a record. Half a character is replaced first: sources look into a record bit by bit, and would lose
    /// the bit that holds it.
    fn offer(&mut self, text: &[u8], place: RecordPlace, taker: &mut impl Taker) -> RecordVerdict {
        let may_have_halves = ESCAPE.find_iter(text).any(|at| matches!(text.get(at + 2), Some(b'd' | b'D')));
        let Some(fixed) = may_have_halves.then(|| replace_lone_surrogates(text)).flatten() else {
            return taker.take(text, place);
        };
        let verdict = taker.take(&fixed, place);
        if verdict == RecordVerdict::Taken {
            self.problems.note(Flaw::Repaired, place.len);
        }
        verdict
    }

    /// The line so far, or its length if it was too large to be held.
    fn take_carry(&mut self) -> Result<Line, u64> {
        match self.shrinker.take() {
            Some(s) if s.overflowed => Err(s.solid),
            Some(mut s) => {
                s.close();
                Ok(Line { bytes: s.out, cuts: s.cuts })
            }
            None => Ok(Line { bytes: std::mem::take(&mut self.carry), cuts: Vec::new() }),
        }
    }

    /// The last part of a line; what came of it in earlier chunks is in `carry`.
    fn line_part(&mut self, end: &[u8], taker: &mut impl Taker) {
        self.position += end.len() as u64;
        let start = self.line_start;
        if self.carry.is_empty() && self.shrinker.is_none() && end.len() <= SHRINK_AT {
            return self.line(Held { bytes: end, start, cuts: &[] }, taker); // no copy: the usual case
        }
        if let Some(s) = &mut self.shrinker {
            s.feed(end);
        } else {
            self.carry.extend_from_slice(end);
            self.shrink_if_long();
        }
        let mut line = match self.take_carry() {
            Ok(line) => line,
            Err(solid) => return self.problems.note(Flaw::TooLarge, solid),
        };
        self.line(Held { bytes: &line.bytes, start, cuts: &line.cuts }, taker);
        if line.bytes.capacity() <= SHRINK_AT * 2 {
            line.bytes.clear();
            self.carry = line.bytes; // keep the buffer
        }
    }

    fn line(&mut self, held: Held<'_>, taker: &mut impl Taker) {
        let text = trim(held.bytes);
        // Inside a pretty-printed record only a line that is a whole record by itself ends it.
        if !self.pretty.bytes.is_empty() && held.bytes.len() <= RECORD_LIMIT {
            return self.pretty_line(text, held, taker);
        }
        if text.is_empty() {
            return;
        }
        if text.len() > RECORD_LIMIT {
            self.problems.note(Flaw::TooLarge, held.left_out(&[]));
            return;
        }
        if self.offer(text, held.place(), taker) == RecordVerdict::Taken {
            return;
        }
        // A source may call a line foreign before it sees that the line is not sound.
        match soundness(text) {
            Soundness::Whole => self.foreign(held, taker),
            Soundness::Open if opens_pretty(text) => {
                self.pretty = Pretty { start: held.start, ..Pretty::default() };
                self.pretty.add(held);
                self.pretty.bytes.push(b'\n');
            }
            _ => self.recover(held, taker),
        }
    }

    fn pretty_line(&mut self, text: &[u8], held: Held<'_>, taker: &mut impl Taker) {
        let document = self.shape == Shape::Document;
        let at_margin = held.bytes.first() == Some(&b'{') && text.len() > 2;
        if at_margin && object_at(text).is_ok() {
            self.give_up_pretty(taker);
            return self.line(held, taker);
        }
        self.pretty.add(held);
        self.pretty.bytes.push(b'\n');
        // A broken line that was taken for the start of a pretty record must not eat the file; a document is gathered
        // whole, because its records span many lines.
        if self.pretty.bytes.len() > RECORD_LIMIT || (at_margin && !document) {
            return self.give_up_pretty(taker);
        }
        let closes = matches!(held.bytes.first(), Some(b'}' | b']'));
        if closes && self.pretty.bytes.len() >= self.pretty.tried * 2 {
            match soundness(trim(&self.pretty.bytes)) {
                Soundness::Broken if document => self.pretty.tried = self.pretty.bytes.len(),
                Soundness::Open => self.pretty.tried = self.pretty.bytes.len(),
                Soundness::Whole | Soundness::Broken => self.give_up_pretty(taker),
            }
        }
    }

    /// Ends the gathering of lines: they are a record, or what can be saved of one.
    fn give_up_pretty(&mut self, taker: &mut impl Taker) {
        let pretty = std::mem::take(&mut self.pretty);
        let held = pretty.held();
        let text = trim(held.bytes);
        if self.offer(text, held.place(), taker) == RecordVerdict::Taken {
            return;
        }
        match soundness(text) {
            Soundness::Whole => self.foreign(held, taker),
            _ => self.recover(held, taker),
        }
    }

    /// A sound object that is no record; in a document it may hold records.
    fn foreign(&mut self, held: Held<'_>, taker: &mut impl Taker) {
        let taken = if self.shape == Shape::Document { salvage(held, self.shape, taker) } else { Vec::new() };
        self.problems.note(Flaw::Foreign, held.left_out(&taken));
    }

    /// Saves what is sound in a line that is not one record.
    fn recover(&mut self, held: Held<'_>, taker: &mut impl Taker) {
        let repaired = repair(trim(held.bytes));
        if let Cow::Owned(text) = &repaired
            && taker.take(text, held.place()) == RecordVerdict::Taken
        {
            self.problems.note(Flaw::Repaired, held.place().len);
            return;
        }
        let lost = held.left_out(&salvage(held, self.shape, taker));
        if lost > 0 {
            self.problems.note(Flaw::Damaged, lost);
        }
    }
}

/// A line that was gathered from several chunks.
struct Line {
    bytes: Vec<u8>,
    cuts: Vec<Cut>,
}

/// Offers every sound object of a broken line; answers which of them are records.
fn salvage(held: Held<'_>, shape: Shape, taker: &mut impl Taker) -> Vec<Range<usize>> {
    let line = &*in_place(held.bytes);
    let mut work = line.len().saturating_mul(RECOVERY_WORK);
    let mut taken = Vec::new();
    let mut at = 0;
    while let Some(brace) = memchr(b'{', &line[at..]) {
        at += brace;
        let (looked_at, step) = match object_at(&line[at..]) {
            Ok(object) => {
                let range = at..at + object.len();
                // As a whole line would be repaired: the same record must have the same id however it is found.
                if taker.take(&repair(&held.bytes[range.clone()]), held.place_of(&range)) == RecordVerdict::Taken {
                    taken.push(range);
                    (0, object.len())
                } else if shape == Shape::Document {
                    (object.len(), 1) // it may hold records
                } else {
                    (0, object.len())
                }
            }
            Err(looked_at) => (looked_at + 1, 1),
        };
        work = work.saturating_sub(looked_at);
        if work == 0 {
            break;
        }
        at += step;
    }
    taken
}

#[cfg(test)]
mod tests;
