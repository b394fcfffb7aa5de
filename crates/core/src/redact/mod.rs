//! Secrets out of any text before it may be kept.
//!
//! Text comes in, text goes out; each secret is replaced by a marker, `[redacted:KIND]`. Three
//! things are looked for: tokens with a shape of their own (`rules`), values that a name or a
//! notation gives away (`context` and what it calls, `header`, `command`, `sql`, `block`, `table`),
//! and values known beforehand (`known`). All three also look under the writing (`decode`, `runs`,
//! `dump`, `wrap`): colour codes, string escapes, percent-encoding, base64, hexadecimal and wrapped
//! lines are taken off first, and what is found is cut out of the original bytes.
//!
//! Deliberately absent: entropy alone as a reason. Paths, commit hashes, digests and the ids of
//! tools are what a transcript is about; they stay unless a name says that they are secret. So a
//! password in the middle of a sentence, with nothing around to tell, is not found here.

mod block;
mod command;
mod context;
mod decode;
mod dotenv;
mod dump;
mod header;
mod known;
mod letters;
mod loose;
mod markup;
mod names;
mod rules;
mod runs;
mod scan;
mod shown;
mod span;
mod sql;
mod stops;
mod table;
mod told;
mod value;
mod view;
mod visible;
mod wrap;

#[cfg(test)]
mod tests;

pub use dotenv::dotenv_values;
pub use names::secret_name;
pub use rules::kinds;
pub use shown::{hides, spelled_char, spelled_out};
pub use visible::visible;

use known::Known;
use std::borrow::Cow;

/// Secrets out of any text before it may be kept.
#[derive(Default)]
pub struct Redactor {
    known: Option<Known>,
}

// A cut can bring together what stood apart. One more look is nearly always enough; what has not
// come to rest by then was written to resist.
const ROUNDS: usize = 8;
const UNREADABLE: &str = "[redacted:unreadable]";

impl Redactor {
    /// Finds secrets by their shape and by what stands around them.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also finds `values`, wherever and however they are written.
    ///
    /// Values shorter than eight bytes are ignored: they occur by chance. Of a value over several
    /// lines, such as a key, each long line is found on its own too. Only keyed hashes are kept.
    pub fn with_known<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        Self { known: Known::new(values) }
    }

    /// What may be kept or shown of a text: no invisible or control characters, and no secrets.
    pub fn clean(&self, text: &str) -> String {
        self.clean_cow(text).into_owned()
    }

    /// [`Redactor::clean`], borrowed when nothing changes.
    pub fn clean_cow<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Cow::Owned(seen) = visible(text) else { return self.redact(text) };
        // A letter after a bare ESC may belong to it or be the first of a secret: look at both.
        let seen = if visible::ambiguous(text) { visible(&self.redact(text)).into_owned() } else { seen };
        match self.redact(&seen) {
            Cow::Borrowed(_) => Cow::Owned(seen),
            Cow::Owned(clean) => Cow::Owned(clean),
        }
    }

    /// [`Redactor::clean`] where the text stands; most are clean and are not copied.
    pub fn clean_up(&self, text: &mut String) {
        if let Cow::Owned(clean) = self.clean_cow(text) {
            *text = clean;
        }
    }

    /// `text` without its secrets; borrowed when there are none.
    ///
    /// Redacting twice changes nothing more.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut clean = Cow::Borrowed(text);
        if self.known.is_none() && span::too_plain(text.as_bytes()) {
            return clean;
        }
        for _ in 0..ROUNDS {
            let mut spans = scan::scan(clean.as_bytes(), self.known.as_ref());
            spans.retain(|span| !span::in_marker(&clean, &span.place));
            if spans.is_empty() {
                return clean;
            }
            let next = span::cut(&clean, spans);
            if next == *clean {
                return clean;
            }
            clean = Cow::Owned(next);
        }
        Cow::Owned(UNREADABLE.into())
    }
}

const PLAIN: Redactor = Redactor { known: None };

/// `text` without its secrets, as far as their shape and surroundings tell.
pub fn redact(text: &str) -> Cow<'_, str> {
    PLAIN.redact(text)
}

/// [`Redactor::clean_up`] without known values.
pub fn clean_up(text: &mut String) {
    PLAIN.clean_up(text);
}

/// [`Redactor::clean`] without known values.
pub fn clean(text: &str) -> String {
    PLAIN.clean(text)
}
