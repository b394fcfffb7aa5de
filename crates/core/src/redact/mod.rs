//! Secrets out of any text before it may be kept.
//!
//! Text comes in, text goes out; each secret is replaced by a marker, `[redacted:KIND]`.
//!
//! ```text
//! text ─► layers::hidden ─► scan ─► span::cut ─► text ─► searched again, until nothing more is found
//!                            │
//!                            ├─ stops ─► at_stop ─► shapes, named        where a telling literal stands
//!                            ├─ known_values                             values known beforehand
//!                            ├─ base64_hex::runs ─► shapes::anchorless   tokens without a literal
//!                            └─ layers ─► View ─► scan                   what lies under the writing, some layers deep
//! ```
//!
//! | part | what |
//! |---|---|
//! | `shapes` | what a secret looks like by itself: tokens, private keys, values that look generated or chosen |
//! | `named` | what stands around a secret: names, headers, commands, sentences, statements, tables |
//! | `layers` | writing that a secret may lie under: hidden characters, escapes, base64, hexadecimal, dumps, wrapped lines |
//! | `scan` | one pass over a text, and one over each view that a layer gives; bounds the depth |
//! | `stops` | the prefilter: every literal that a rule or a context begins with |
//! | `at_stop` | hands each stop to the file that reads it |
//! | `known_values` | values known beforehand, found by keyed hashes |
//! | `dotenv` | which values of a `.env` file should be known beforehand |
//! | `span` | places found, and the text without them |
//! | `bytes` | small questions about bytes |
//!
//! Each sub-room has a map of its own. They use each other in one direction: `layers` knows nothing of secrets, `shapes` uses `layers`, `named` uses
//! `shapes`, and `scan` and `at_stop` use all three. None of them knows what a lesson or a session is.
//!
//! Deliberately absent: entropy alone as a reason. Paths, commit hashes, digests and the ids of
//! tools are what a transcript is about; they stay unless a name says that they are secret. So a
//! password in the middle of a sentence, with nothing around to tell, is not found here.

mod at_stop;
mod bytes;
mod dotenv;
mod known_values;
mod layers;
mod named;
mod scan;
mod shapes;
mod span;
mod stops;

#[cfg(test)]
mod tests;

pub use dotenv::dotenv_values;
pub use layers::hidden::{hides, spelled_char, spelled_out, visible};
pub use named::names::secret_name;

use known_values::KnownValues;
use layers::terminal;
use std::borrow::Cow;

/// Takes secrets out of any text before it may be kept. The default one finds them by their shape and by what stands around
/// them.
#[derive(Default)]
pub struct Redactor {
    known: Option<KnownValues>,
}

// A cut can bring together what stood apart, so the text is searched again after each. One more search is nearly always
// enough. A text that still changes after that many rounds was written to resist.
const ROUNDS: usize = 8;
const UNREADABLE: &str = "[redacted:unreadable]";

impl Redactor {
    /// Also finds `values`, wherever and however they are written.
    ///
    /// Values shorter than eight bytes are ignored: they occur by chance. Of a value over several
    /// lines, such as a key, each long line is found on its own too. Only keyed hashes are kept.
    pub fn with_known<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        Self { known: KnownValues::new(values) }
    }

    /// What may be kept or shown of a text: no invisible or control characters, and no secrets.
    pub fn clean(&self, text: &str) -> String {
        self.clean_cow(text).into_owned()
    }

    // The same, borrowed when nothing changes.
    fn clean_cow<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Cow::Owned(seen) = visible(text) else { return self.redact(text) };
        // A letter behind a bare ESC may belong to it or be the first of a secret: look at the text with and without it.
        let seen = if terminal::is_ambiguous(text) { visible(&self.redact(text)).into_owned() } else { seen };
        match self.redact(&seen) {
            Cow::Borrowed(_) => Cow::Owned(seen),
            Cow::Owned(clean) => Cow::Owned(clean),
        }
    }

    /// [`Redactor::clean`] in place: most texts are clean and are not copied.
    pub fn clean_up(&self, text: &mut String) {
        if let Cow::Owned(clean) = self.clean_cow(text) {
            *text = clean;
        }
    }

    // `text` without its secrets; borrowed when there are none. Redacting twice changes nothing more.
    fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
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

/// `text` without its secrets, as far as their shape and surroundings tell; hidden characters stay.
pub(crate) fn redact(text: &str) -> Cow<'_, str> {
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
