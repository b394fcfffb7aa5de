//! One pass over a text, and one over each layer of writing inside it.
//!
//! Comes in: a text. Goes out: every secret in it, with its place. One prefilter (`stops`) looks for every literal that a
//! rule or a context begins with; what it does not stop at costs nothing more. The number of layers is bounded
//! ([`DEEPEST`]), and so is the work at each stop: the whole stays linear in the length of the text.

use super::at_stop::StopReader;
use super::known_values::KnownValues;
use super::layers::view::View;
use super::layers::wrap::{self, Seam};
use super::layers::{base64_hex, dump, escapes, quoted_printable};
use super::shapes::anchorless;
use super::shapes::rules::RULES;
use super::shapes::token::token;
use super::span::Span;
use super::stops::{STOPS, Stop, Stops};
use std::ops::Range;

// How many layers are taken off: escapes count one, base64 and hexadecimal two. Enough for
// base64 in base64, for JSON in JSON in base64, and for colours in JSON in JSON.
const DEEPEST: usize = 4;

/// Every secret in `text`, in no particular order.
pub(super) fn scan(text: &[u8], known: Option<&KnownValues>) -> Vec<Span> {
    let mut spans = Vec::new();
    Scan { stops: &STOPS, known }.layer(text, 0, &mut spans);
    spans
}

struct Scan<'s> {
    stops: &'s Stops,
    known: Option<&'s KnownValues>,
}

impl Scan<'_> {
    fn layer(&self, text: &[u8], depth: usize, spans: &mut Vec<Span>) {
        self.stops(text, spans);
        if let Some(known) = self.known {
            spans.extend(known.find(text).into_iter().map(|place| Span::shape(place, "known")));
        }
        if depth < DEEPEST {
            if let Some(view) = quoted_printable::decoded(text) {
                self.inside(&view, depth + 1, spans, |place| place);
            }
            for region in escapes::escaped_lines(text) {
                if let Some(view) = escapes::unescape(text, region) {
                    self.inside(&view, depth + 1, spans, |place| place);
                }
            }
        }
        self.runs(text, depth, spans);
        anchorless::broken_old_vault(text, spans);
        if depth + 2 <= DEEPEST {
            for dump in dump::dumps(text) {
                let line = |end: usize| memchr::memchr(b'\n', &text[end..]).map_or(text.len(), |len| end + len);
                let outwards = |place: Range<usize>| if dump.doubled { place.start..line(place.end) } else { place };
                self.inside(&dump.view, depth + 2, spans, outwards);
            }
        }
    }

    fn inside(
        &self,
        view: &View,
        depth: usize,
        spans: &mut Vec<Span>,
        outwards: impl Fn(Range<usize>) -> Range<usize>,
    ) {
        let mut inner = Vec::new();
        self.layer(&view.bytes, depth, &mut inner);
        spans.extend(inner.into_iter().map(|span| {
            let place = outwards(view.origin(span.place.clone()));
            span.at(place)
        }));
    }

    fn stops(&self, text: &[u8], spans: &mut Vec<Span>) {
        let mut reader = StopReader::new(text, spans);
        self.stops.each(text, |stop, at| reader.stop(stop, at));
    }

    // A literal that a line break has broken stands on neither line: look at both lines together.
    fn seam(&self, text: &[u8], seam: &Seam, spans: &mut Vec<Span>) {
        let view = wrap::joined(text, seam.start).or_else(|| wrap::joined_with_word(text, seam.start));
        let Some(view) = view else { return };
        let mut inner = Vec::new();
        base64_hex::runs(&view.bytes).for_each(|run| anchorless::in_table(&view.bytes, &run, &mut inner));
        if seam.wide || self.crosses(&view.bytes, seam.len) {
            let near = view.bytes.len().min(seam.len + 2 * BROKEN_REACH);
            self.stops.each(&view.bytes[..near], |stop, at| {
                let Stop::Rule(index) = stop else { return };
                let place = token(&view.bytes, index, at.start);
                inner.extend(place.map(|place| Span::shape(place, RULES[index].kind)));
            });
        }
        spans.extend(inner.into_iter().map(|span| {
            let place = view.origin(span.place.clone());
            span.at(place)
        }));
    }

    // Does a literal begin before `seam` and end behind it?
    fn crosses(&self, text: &[u8], seam: usize) -> bool {
        let from = seam.saturating_sub(LONGEST_ANCHOR);
        let window = &text[from..text.len().min(seam + LONGEST_ANCHOR)];
        let mut crosses = false;
        self.stops.each(window, |stop, at| {
            crosses |= matches!(stop, Stop::Rule(_)) && at.start + from < seam && seam < at.end + from;
        });
        crosses
    }

    fn runs(&self, text: &[u8], depth: usize, spans: &mut Vec<Span>) {
        let mut done = 0;
        for run in base64_hex::runs(text) {
            // Words and paths have neither capitals nor digits. Every token has some, and so has everything encoded.
            let said = &text[run.clone()];
            let capitals = said.iter().filter(|b| b.is_ascii_uppercase()).count();
            if capitals == 0 && !said.iter().any(u8::is_ascii_digit) {
                continue;
            }
            if capitals > 0 || said.starts_with(b"pat") {
                anchorless::tokens(text, &run, spans);
            }
            for seam in [wrap::seam(text, &run, BROKEN_REACH), wrap::seam_behind(text, &run)].into_iter().flatten() {
                self.seam(text, &seam, spans);
            }
            if depth + 2 > DEEPEST {
                continue;
            }
            // A line of a block is not the start of another.
            let block = if run.start < done { None } else { wrap::block(text, &run) };
            if let Some((block, end)) = block {
                for view in base64_hex::texts(&block.bytes) {
                    self.inside(&view, depth + 2, spans, |place| block.origin(place));
                }
                done = end;
            }
            // By itself, too: the next line may only seem to belong to it.
            for view in base64_hex::texts(&text[run.clone()]) {
                let outwards = |place: Range<usize>| place.start + run.start..place.end + run.start;
                self.inside(&view, depth + 2, spans, outwards);
            }
        }
    }
}

// How far before a break a token may have begun without its anchor being whole.
const BROKEN_REACH: usize = 90; // bytes
const LONGEST_ANCHOR: usize = 32; // bytes
