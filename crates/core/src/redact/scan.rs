//! One pass over a text, and one over each layer of writing inside it.
//!
//! One prefilter looks for every literal that a rule or a context begins with; whatever it does
//! not stop at costs nothing more. Layers are bounded ([`DEEPEST`]), and so is the work at
//! each stop, so that the whole stays linear in the length of the text.

use super::block;
use super::command;
use super::context::{self, clip, name_around};
use super::decode;
use super::dump;
use super::header;
use super::known::Known;
use super::loose;
use super::rules::{RULES, token_len};
use super::runs;
use super::span::Span;
use super::sql;
use super::stops::{STOPS, Stop, Stops};
use super::table;
use super::value::{self, illustration};
use super::view::View;
use super::wrap::{self, Seam};
use std::ops::Range;

// How many layers are taken off: escapes count one, base64 and hexadecimal two. Enough for
// base64 in base64, for JSON in JSON in base64, and for colours in JSON in JSON.
const DEEPEST: usize = 4;

/// Every secret in `text`, in no particular order.
pub(super) fn scan(text: &[u8], known: Option<&Known>) -> Vec<Span> {
    let mut spans = Vec::new();
    Scan { stops: &STOPS, known }.layer(text, 0, &mut spans);
    spans
}

struct Scan<'s> {
    stops: &'s Stops,
    known: Option<&'s Known>,
}

impl Scan<'_> {
    fn layer(&self, text: &[u8], depth: usize, spans: &mut Vec<Span>) {
        self.stops(text, spans);
        if let Some(known) = self.known {
            spans.extend(known.find(text).into_iter().map(|place| Span::shape(place, "known")));
        }
        if depth < DEEPEST {
            if let Some(view) = decode::unprintable(text) {
                self.inside(&view, depth + 1, spans, |place| place);
            }
            for region in decode::escaped(text) {
                if let Some(view) = decode::unescape(text, region) {
                    self.inside(&view, depth + 1, spans, |place| place);
                }
            }
        }
        self.runs(text, depth, spans);
        loose::broken_twenty_four(text, spans);
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
        let mut reader = Reader::new(text, spans);
        self.stops.each(text, |stop, at| reader.stop(stop, at));
    }

    // A literal that is itself broken by a line break is in no line: look at both lines together.
    fn seam(&self, text: &[u8], seam: &Seam, spans: &mut Vec<Span>) {
        let view = wrap::joined(text, seam.start).or_else(|| wrap::joined_with_word(text, seam.start));
        let Some(view) = view else { return };
        let mut inner = Vec::new();
        runs::runs(&view.bytes).for_each(|run| loose::anchorless(&view.bytes, &run, &mut inner));
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
        for run in runs::runs(text) {
            // Words and paths: no token is without capitals and digits, and nothing encoded is.
            let said = &text[run.clone()];
            let capitals = said.iter().filter(|b| b.is_ascii_uppercase()).count();
            if capitals == 0 && !said.iter().any(u8::is_ascii_digit) {
                continue;
            }
            if capitals > 0 || said.starts_with(b"pat") {
                loose::tokens(text, &run, spans);
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
                for view in runs::texts(&block.bytes) {
                    self.inside(&view, depth + 2, spans, |place| block.origin(place));
                }
                done = end;
            }
            // By itself, too: the next line may only seem to go on.
            for view in runs::texts(&text[run.clone()]) {
                let outwards = |place: Range<usize>| place.start + run.start..place.end + run.start;
                self.inside(&view, depth + 2, spans, outwards);
            }
        }
    }
}

// How far before a break a token may have begun without its anchor being whole.
const BROKEN_REACH: usize = 90; // bytes
const LONGEST_ANCHOR: usize = 32; // bytes

/// The token of rule `index` whose anchor stands at `anchor`, on one line or over several.
pub(super) fn token(text: &[u8], index: usize, anchor: usize) -> Option<Range<usize>> {
    let place = whole(text, index, anchor).or_else(|| {
        let (view, anchor) = wrap::led(text, anchor, RULES[index].lead()?)?;
        let start = RULES[index].start(&view.bytes, anchor)?;
        Some(view.origin(start..start + token_len(index, &view.bytes[start..])?))
    })?;
    // A line that only seems to go on must not make an illustration of a token that is none.
    let said = &text[place.clone()];
    let first = said.split(|b| *b == b'\n').next().unwrap_or(said);
    (!(illustration(said) && illustration(first))).then_some(place)
}

fn whole(text: &[u8], index: usize, anchor: usize) -> Option<Range<usize>> {
    let start = RULES[index].start(text, anchor)?;
    let end = token_len(index, &text[start..]).map(|len| start + len);
    let end_in = |view: View| Some(view.origin(0..token_len(index, &view.bytes)?).end);
    let over_lines = || wrap::joined(text, start).and_then(end_in);
    let end = match end {
        // It may go on behind a line break, but only with what is no word.
        Some(end) if wrap::breaks_off(text, end) => over_lines().map_or(end, |further| further.max(end)),
        Some(end) => end,
        None => over_lines().or_else(|| wrap::joined_with_word(text, start).and_then(end_in))?,
    };
    Some(start..wrap::run_on(text, end))
}

const IDENTIFIED: usize = "identified".len();

// What has been read so far, so that nothing is read twice.
struct Reader<'t, 's> {
    text: &'t [u8],
    spans: &'s mut Vec<Span>,
    tokens_from: usize,
    tokens_to: usize,
    tokens_line: usize,
    names_to: usize,
    secrets_to: usize,
    tables_to: usize,
    next_end: usize,
    inserts: Option<bool>,
}

impl<'t, 's> Reader<'t, 's> {
    fn new(text: &'t [u8], spans: &'s mut Vec<Span>) -> Self {
        Self {
            text,
            spans,
            tokens_from: 0,
            tokens_to: 0,
            tokens_line: 0,
            names_to: 0,
            secrets_to: 0,
            tables_to: 0,
            next_end: 0,
            inserts: None,
        }
    }

    fn stop(&mut self, stop: Stop, at: Range<usize>) {
        match stop {
            Stop::Rule(index) => self.token(index, at.start),
            Stop::Word => self.word(at),
            Stop::Address => self.spans.extend(header::userinfo(self.text, at.end)),
            Stop::KeyBlock if at.start >= self.tokens_to => {
                if let Some(span) = block::private_key(self.text, at.start, &mut self.next_end) {
                    (self.tokens_from, self.tokens_to) = (span.place.start, span.place.end);
                    self.tokens_line = span.place.end;
                    self.spans.push(span);
                }
            }
            Stop::KeyBlock => {}
            Stop::KeyEnd if at.start >= self.tokens_to => {
                (self.tokens_to, self.tokens_line) = (at.end, at.end);
                self.spans.extend(block::private_key_tail(self.text, at.start));
            }
            Stop::KeyEnd => {}
            Stop::Flag => self.spans.extend(command::argument(self.text, at.start + 1)),
            Stop::Literals => self.spans.extend(command::literals(self.text, at.end)),
            Stop::Piped => self.spans.extend(command::piped(self.text, at.start)),
            Stop::Mask => self.spans.extend(header::masked(self.text, at.end)),
            Stop::Identified => self.spans.extend(sql::identified(self.text, at.start + IDENTIFIED)),
            Stop::Account => self.spans.extend(header::account(self.text, &at)),
        }
    }

    fn token(&mut self, index: usize, anchor: usize) {
        // On its next lines a token may only seem to go on: what begins there is looked at.
        if self.tokens_from <= anchor && anchor < self.tokens_to.min(self.tokens_line) {
            return;
        }
        if let Some(place) = token(self.text, index, anchor) {
            (self.tokens_from, self.tokens_to) = (place.start, place.end);
            let said = &self.text[place.clone()];
            self.tokens_line = memchr::memchr(b'\n', said).map_or(place.end, |line| place.start + line);
            self.spans.push(Span::shape(place, RULES[index].kind));
        }
    }

    fn word(&mut self, word: Range<usize>) {
        if word.start < self.names_to {
            return;
        }
        let name = name_around(self.text, &word);
        self.names_to = name.end;
        let said = &self.text[name.clone()];
        let ends = |with: &[u8]| said.len() >= with.len() && said[said.len() - with.len()..].eq_ignore_ascii_case(with);
        if ends(b"-stdin") || said == b"chpasswd" || ends(b"with-token") {
            self.spans.extend(command::piped(self.text, name.start));
        } else if ends(b"secrets") && clip(self.text, name.end, 5) == b" set " {
            self.spans.extend(command::literals(self.text, name.end + 5));
        } else if said == b"htpasswd" {
            self.spans.extend(command::htpasswd(self.text, &name));
        } else if ends(b"auth") {
            self.spans.extend(header::pair(self.text, name.end));
        }
        if said == b"Secret" {
            self.spans.extend(block::kubernetes(self.text, &name, &mut self.secrets_to));
        } else if ends(b"bearer") {
            self.spans.extend(header::bearer(self.text, &name));
        } else if !context::introduces(self.text, &name) {
            return;
        } else if ends(b"authorization") {
            self.spans.extend(header::authorization(self.text, &name));
        } else if ends(b"cookie") {
            let end = header::cookies(self.text, &name, self.spans);
            self.names_to = self.names_to.max(end);
        }
        self.named(&name);
    }

    fn named(&mut self, name: &Range<usize>) {
        if let Some(mut span) = context::named(self.text, name) {
            span.place.end = wrap::run_on(self.text, value::past(self.text, &span.place));
            // A name inside the value says nothing more.
            self.names_to = self.names_to.max(span.place.end);
            self.spans.push(span);
        } else {
            self.spans.extend(table::column(self.text, name, &mut self.tables_to));
            if *self.inserts.get_or_insert_with(|| sql::has_values(self.text)) {
                self.spans.extend(sql::inserted(self.text, name));
            }
        }
    }
}
