//! What stands where the prefilter stopped: hands each stop to the file that reads it.
//!
//! Comes in: the stops of one text, in order. Goes out: the secrets there. Remembers how far was read, so that nothing is
//! read twice and many stops in one place cost no more than one.

use super::bytes::clip;
use super::named::{accounts, commands, complaints, headers, kubernetes, notations, sql, tables, value};
use super::shapes::private_key;
use super::shapes::rules::RULES;
use super::shapes::token::{run_on, token};
use super::span::Span;
use super::stops::Stop;
use std::ops::Range;

const IDENTIFIED: usize = "identified".len();

/// Reads one text stop by stop.
pub(super) struct StopReader<'t, 's> {
    text: &'t [u8],
    spans: &'s mut Vec<Span>,
    // The last token: where it begins, where it ends, and where its first line ends.
    tokens_from: usize,
    tokens_to: usize,
    tokens_line: usize,
    // How far names, Kubernetes Secrets and tables were read.
    names_to: usize,
    secrets_to: usize,
    tables_to: usize,
    // The next end of a key block.
    next_end: usize,
    // Does the text hold rows of values? Asked when first needed.
    inserts: Option<bool>,
}

impl<'t, 's> StopReader<'t, 's> {
    pub(super) fn new(text: &'t [u8], spans: &'s mut Vec<Span>) -> Self {
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

    /// Reads what stands at one stop.
    pub(super) fn stop(&mut self, stop: Stop, at: Range<usize>) {
        match stop {
            Stop::Rule(index) => self.token(index, at.start),
            Stop::Word => self.word(at),
            Stop::Address => self.spans.extend(accounts::userinfo(self.text, at.end)),
            Stop::KeyBlock if at.start >= self.tokens_to => {
                if let Some(span) = private_key::block(self.text, at.start, &mut self.next_end) {
                    (self.tokens_from, self.tokens_to) = (span.place.start, span.place.end);
                    self.tokens_line = span.place.end;
                    self.spans.push(span);
                }
            }
            Stop::KeyBlock => {}
            Stop::KeyEnd if at.start >= self.tokens_to => {
                (self.tokens_to, self.tokens_line) = (at.end, at.end);
                self.spans.extend(private_key::tail(self.text, at.start));
            }
            Stop::KeyEnd => {}
            Stop::Flag => self.spans.extend(commands::argument(self.text, at.start + 1)),
            Stop::Literals => self.spans.extend(commands::literals(self.text, at.end)),
            Stop::Piped => self.spans.extend(commands::piped(self.text, at.start)),
            Stop::SecureString => self.spans.extend(commands::secure_string(self.text, at.end)),
            Stop::Mask => self.spans.extend(commands::masked(self.text, at.end)),
            Stop::Identified => self.spans.extend(sql::identified(self.text, at.start + IDENTIFIED)),
            Stop::Account => self.spans.extend(accounts::password_file(self.text, &at)),
        }
    }

    fn token(&mut self, index: usize, anchor: usize) {
        // Inside the first line of a token nothing else begins. Its further lines may belong to something else.
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
        let name = notations::name_around(self.text, &word);
        self.names_to = name.end;
        let said = &self.text[name.clone()];
        let ends = |with: &[u8]| said.len() >= with.len() && said[said.len() - with.len()..].eq_ignore_ascii_case(with);
        if ends(b"-stdin") || said == b"chpasswd" || ends(b"with-token") {
            self.spans.extend(commands::piped(self.text, name.start));
        } else if ends(b"secrets") && clip(self.text, name.end, 5) == b" set " {
            self.spans.extend(commands::literals(self.text, name.end + 5));
        } else if said == b"htpasswd" {
            self.spans.extend(commands::htpasswd(self.text, &name));
        } else if ends(b"auth") {
            self.spans.extend(accounts::pair(self.text, name.end));
        }
        if said == b"Secret" {
            self.spans.extend(kubernetes::values(self.text, &name, &mut self.secrets_to));
        } else if ends(b"bearer") {
            self.spans.extend(headers::bearer(self.text, &name));
        } else if !notations::introduces(self.text, &name) {
            return;
        } else if ends(b"authorization") {
            self.spans.extend(headers::authorization(self.text, &name));
        } else if ends(b"cookie") {
            let end = headers::cookies(self.text, &name, self.spans);
            self.names_to = self.names_to.max(end);
        }
        self.named(&name);
    }

    fn named(&mut self, name: &Range<usize>) {
        let Some(named) = notations::named(self.text, name) else { return };
        if let Some(mut span) = notations::introduced(&named) {
            span.place.end = run_on(self.text, value::past(self.text, &span.place));
            // A name inside the value says nothing more.
            self.names_to = self.names_to.max(span.place.end);
            self.spans.extend(notations::changed(&named, &span.place));
            self.spans.push(span);
        } else {
            self.spans.extend(complaints::refused(&named));
            self.spans.extend(tables::column(self.text, name, &mut self.tables_to));
            if *self.inserts.get_or_insert_with(|| sql::has_values(self.text)) {
                self.spans.extend(sql::inserted(self.text, name));
            }
        }
    }
}
