//! Bytes → records: one JSON object a line where the writer was healthy, and what can be saved where not.
//!
//! Comes in: chunks of a transcript of any size. Goes out: each sound record once, with its place, and
//! a tally of what was skipped. Truncated, spliced (`}{`), NUL-padded, CRLF, pretty-printed or non-UTF-8
//! input is normal input. Deliberately absent: any knowledge of what a record means; that is asked of a [`Taker`].

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use memchr::{memchr, memchr_iter, memmem};
use serde_json::value::RawValue;

use super::Shape;
use super::shrink::Shrinker;

/// Lines longer than this are shortened while they stream by.
const SHRINK_AT: usize = 1024 * 1024;
/// A record that is still larger than this after shortening is skipped.
const RECORD_LIMIT: usize = super::shrink::LIMIT;
/// How many times the bytes of a broken line may be looked at before the rest of it is given up.
const RECOVERY_WORK: usize = 64;

/// Escapes that may be half a character.
static ESCAPES: LazyLock<[memmem::Finder<'static>; 2]> = LazyLock::new(|| ["\\ud", "\\uD"].map(memmem::Finder::new));

/// Where a record stands in its transcript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// First byte.
    pub offset: u64,
    /// Length in the file.
    pub len: u64,
}

/// What a source says about bytes offered to it as a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A record of this format, used or knowingly passed over.
    Taken,
    /// Sound JSON, but no record of this format.
    Foreign,
    /// Not sound JSON.
    Broken,
}

/// Something that understands records.
pub trait Taker {
    /// Offers the bytes of one record.
    fn take(&mut self, record: &[u8], place: Place) -> Verdict;
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
    pub fn note(&mut self, flaw: Flaw, bytes: u64) {
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
pub struct Records {
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
    start: u64,
    /// How long it was when it was last found open: looked at again only when twice as long, so that work stays linear.
    tried: usize,
}

impl Records {
    /// A reader that begins at a byte of the file, which must be the start of a line.
    pub fn starting_at(offset: u64, shape: Shape) -> Self {
        Self { line_start: offset, position: offset, shape, ..Self::default() }
    }

    /// Byte after the last complete line: where the next reading begins.
    pub fn resume_at(&self) -> u64 {
        if self.pretty.bytes.is_empty() { self.line_start } else { self.pretty.start }
    }

    /// Takes the next bytes of the file.
    pub fn feed(&mut self, mut chunk: &[u8], taker: &mut impl Taker) {
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
        if self.carry.len() > SHRINK_AT {
            let mut shrinker = Shrinker::default();
            shrinker.feed(&self.carry);
            self.carry = Vec::new();
            self.shrinker = Some(shrinker);
        }
    }

    /// Ends the file. A last line without an end is used if it is sound; otherwise it is left for the next reading,
    /// and what is sound in it is used now: ids are taken once.
    pub fn finish(&mut self, taker: &mut impl Taker) {
        let rest = self.position - self.line_start;
        if rest > 0 {
            let place = Place { offset: self.line_start, len: rest };
            let Some(line) = self.take_carry() else {
                return self.problems.note(Flaw::TooLarge, rest);
            };
            let text = trim(&line);
            if text.is_empty() || (line.len() <= RECORD_LIMIT && self.offer(text, place, taker) == Verdict::Taken) {
                self.line_start = self.position;
            } else if !self.pretty.bytes.is_empty() {
                self.pretty.bytes.extend_from_slice(&line);
                self.line_start = self.position;
            } else {
                self.unfinished(text, place, taker);
            }
        }
        if self.pretty.bytes.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.pretty.bytes);
        let place = Place { offset: self.pretty.start, len: self.position - self.pretty.start };
        if self.offer(trim(&bytes), place, taker) != Verdict::Taken {
            // Left for the next reading: more lines may come.
            self.unfinished(&bytes, place, taker);
            self.line_start = self.pretty.start;
        }
    }

    /// What may still grow. An object that is merely open is a record being written; anything else is damage or a list.
    fn unfinished(&mut self, text: &[u8], place: Place, taker: &mut impl Taker) {
        let document = self.shape == Shape::Document && memchr(b'\n', text).is_some();
        let being_written = !document && text.first() == Some(&b'{') && soundness(text) == Soundness::Open;
        let lost = if being_written { place.len } else { salvage(&repair(text), place, taker).min(place.len) };
        self.problems.note(Flaw::Unfinished, lost);
    }

    /// Offers a record. Half a character is replaced first: sources look into a record bit by bit, and would lose
    /// the bit that holds it.
    fn offer(&mut self, text: &[u8], place: Place, taker: &mut impl Taker) -> Verdict {
        let may_have_halves = ESCAPES.iter().any(|e| e.find(text).is_some());
        let Some(fixed) = may_have_halves.then(|| replace_lone_surrogates(text)).flatten() else {
            return taker.take(text, place);
        };
        let verdict = taker.take(&fixed, place);
        if verdict == Verdict::Taken {
            self.problems.note(Flaw::Repaired, place.len);
        }
        verdict
    }

    /// The line so far; `None` if it was too large to be held.
    fn take_carry(&mut self) -> Option<Vec<u8>> {
        match self.shrinker.take() {
            Some(s) if s.overflowed => None,
            Some(s) => Some(s.out),
            None => Some(std::mem::take(&mut self.carry)),
        }
    }

    /// The last part of a line; what came of it in earlier chunks is in `carry`.
    fn line_part(&mut self, end: &[u8], taker: &mut impl Taker) {
        self.position += end.len() as u64;
        let place = Place { offset: self.line_start, len: self.position - self.line_start };
        if self.carry.is_empty() && self.shrinker.is_none() {
            return self.line(end, place, taker); // no copy: the usual case
        }
        if let Some(s) = &mut self.shrinker {
            s.feed(end);
        } else {
            self.carry.extend_from_slice(end);
        }
        let Some(mut line) = self.take_carry() else {
            return self.problems.note(Flaw::TooLarge, place.len);
        };
        self.line(&line, place, taker);
        if line.capacity() <= SHRINK_AT * 2 {
            line.clear();
            self.carry = line; // keep the buffer
        }
    }

    fn line(&mut self, line: &[u8], place: Place, taker: &mut impl Taker) {
        let text = trim(line);
        // Inside a pretty-printed record only a line that is a whole record by itself ends it.
        if !self.pretty.bytes.is_empty() && line.len() <= RECORD_LIMIT {
            return self.pretty_line(text, line, place, taker);
        }
        if text.is_empty() {
            return;
        }
        if text.len() > RECORD_LIMIT {
            self.problems.note(Flaw::TooLarge, place.len);
            return;
        }
        if self.offer(text, place, taker) == Verdict::Taken {
            return;
        }
        // A source may call a line foreign before it sees that the line is not sound.
        match soundness(text) {
            Soundness::Whole => self.problems.note(Flaw::Foreign, place.len),
            Soundness::Open if opens_pretty(text) => {
                self.pretty = Pretty { bytes: line.to_vec(), start: place.offset, tried: 0 };
                self.pretty.bytes.push(b'\n');
            }
            _ => self.recover(text, place, taker),
        }
    }

    fn pretty_line(&mut self, text: &[u8], line: &[u8], place: Place, taker: &mut impl Taker) {
        let at_margin = line.first() == Some(&b'{') && text.len() > 2;
        if at_margin && object_at(text).is_ok() {
            self.give_up_pretty(taker);
            return self.line(line, place, taker);
        }
        self.pretty.bytes.extend_from_slice(line);
        self.pretty.bytes.push(b'\n');
        // A broken line that was taken for the start of a pretty record must not eat the file.
        if self.pretty.bytes.len() > RECORD_LIMIT || at_margin {
            return self.give_up_pretty(taker);
        }
        let closes = matches!(line.first(), Some(b'}' | b']'));
        if closes && self.pretty.bytes.len() >= self.pretty.tried * 2 {
            match soundness(trim(&self.pretty.bytes)) {
                Soundness::Open => self.pretty.tried = self.pretty.bytes.len(),
                Soundness::Whole | Soundness::Broken => self.give_up_pretty(taker),
            }
        }
    }

    /// Takes the lines gathered so far for what they are: a record, or what can be saved of it.
    fn give_up_pretty(&mut self, taker: &mut impl Taker) {
        let pretty = std::mem::take(&mut self.pretty);
        let place = Place { offset: pretty.start, len: pretty.bytes.len() as u64 };
        let text = trim(&pretty.bytes);
        if self.offer(text, place, taker) == Verdict::Taken {
            return;
        }
        match soundness(text) {
            Soundness::Whole => self.problems.note(Flaw::Foreign, place.len),
            _ => self.recover(&pretty.bytes, place, taker),
        }
    }

    /// Saves what is sound in a line that is not one record.
    fn recover(&mut self, line: &[u8], place: Place, taker: &mut impl Taker) {
        let repaired = repair(line);
        if let Cow::Owned(text) = &repaired
            && taker.take(text, place) == Verdict::Taken
        {
            self.problems.note(Flaw::Repaired, place.len);
            return;
        }
        // A replaced byte is longer than it was.
        let lost = salvage(&repaired, place, taker).min(place.len);
        if lost > 0 {
            self.problems.note(Flaw::Damaged, lost);
        }
    }
}

/// Offers every sound object of a broken line that is a record; answers how many bytes belong to none.
fn salvage(line: &[u8], place: Place, taker: &mut impl Taker) -> u64 {
    let mut work = line.len().saturating_mul(RECOVERY_WORK);
    let mut lost = 0;
    let mut at = 0;
    while let Some(brace) = memchr(b'{', &line[at..]) {
        lost += between(&line[at..at + brace]);
        at += brace;
        match object_at(&line[at..]) {
            Ok(object) => {
                let here = Place { offset: place.offset + at as u64, len: object.len() as u64 };
                if taker.take(object, here) != Verdict::Taken {
                    lost += object.len();
                }
                at += object.len();
            }
            Err(looked_at) => {
                work = work.saturating_sub(looked_at + 1);
                if work == 0 {
                    break;
                }
                lost += 1;
                at += 1;
            }
        }
    }
    (lost + between(&line[at..])) as u64
}

/// Bytes between records that are more than what separates them in a list or pads a file.
fn between(bytes: &[u8]) -> usize {
    let plain = bytes.iter().all(|b| b.is_ascii_whitespace() || b",[]\0".contains(b));
    if plain { 0 } else { bytes.len() }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Soundness {
    /// One value and nothing else.
    Whole,
    /// The start of a value.
    Open,
    /// Neither.
    Broken,
}

fn soundness(bytes: &[u8]) -> Soundness {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<&RawValue>();
    match values.next() {
        Some(Ok(raw)) if bytes.trim_ascii().len() == raw.get().len() => Soundness::Whole,
        Some(Err(e)) if e.is_eof() => Soundness::Open,
        _ => Soundness::Broken,
    }
}

/// The whole object at the start of `bytes`, or how far it was sound.
fn object_at(bytes: &[u8]) -> Result<&[u8], usize> {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<&RawValue>();
    match values.next() {
        Some(Ok(raw)) => Ok(raw.get().as_bytes()),
        Some(Err(e)) if e.is_eof() => Err(bytes.len()),
        Some(Err(e)) => Err(lines_before(bytes, e.line()) + e.column()),
        None => Err(0),
    }
}

/// Bytes before a line, which is counted from one.
fn lines_before(bytes: &[u8], line: usize) -> usize {
    line.checked_sub(2).and_then(|n| memchr_iter(b'\n', bytes).nth(n)).map_or(0, |end| end + 1)
}

/// White space, NUL padding and byte-order marks off both ends.
pub(super) fn trim(mut line: &[u8]) -> &[u8] {
    loop {
        let before = line.len();
        line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        while let [first, rest @ ..] = line
            && (first.is_ascii_whitespace() || *first == 0)
        {
            line = rest;
        }
        while let [rest @ .., last] = line
            && (last.is_ascii_whitespace() || *last == 0)
        {
            line = rest;
        }
        if line.len() == before {
            return line;
        }
    }
}

/// Does a line that is not sound by itself look like the first line of a record printed over several lines?
fn opens_pretty(text: &[u8]) -> bool {
    matches!(text, b"{" | b"[")
        || (text.len() < 4096 && matches!(text[0], b'{' | b'[') && matches!(text[text.len() - 1], b'{' | b'[' | b','))
}

/// Replaces what is no UTF-8 and escapes that are half a character, so that the rest of the record can be read.
fn repair(line: &[u8]) -> Cow<'_, [u8]> {
    let text = String::from_utf8_lossy(line);
    let lone = replace_lone_surrogates(text.as_bytes());
    match (text, lone) {
        (_, Some(fixed)) => Cow::Owned(fixed),
        (Cow::Owned(fixed), None) => Cow::Owned(fixed.into_bytes()),
        (Cow::Borrowed(_), None) => Cow::Borrowed(line),
    }
}

fn replace_lone_surrogates(bytes: &[u8]) -> Option<Vec<u8>> {
    let unit = |at: usize| -> Option<u16> {
        let hex = bytes.get(at + 2..at + 6)?;
        (bytes.get(at..at + 2)? == b"\\u").then_some(())?;
        u16::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()
    };
    let mut out: Option<Vec<u8>> = None;
    let mut i = 0;
    while let Some(step) = memchr(b'\\', &bytes[i..]) {
        i += step;
        match unit(i) {
            Some(0xD800..=0xDBFF) if matches!(unit(i + 6), Some(0xDC00..=0xDFFF)) => i += 12,
            Some(0xD800..=0xDFFF) => {
                let fixed = out.get_or_insert_with(|| bytes.to_vec());
                fixed[i + 2..i + 6].copy_from_slice(b"FFFD");
                i += 6;
            }
            _ => i += 2,
        }
        if i >= bytes.len() {
            break;
        }
    }
    out
}

#[cfg(test)]
#[path = "records_tests.rs"]
mod tests;
