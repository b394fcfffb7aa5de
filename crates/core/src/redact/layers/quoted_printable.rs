//! Quoted-printable, the writing of mail: `=3D` for a sign, `=` at the end of a line that goes on.
//!
//! Comes in: a text. Goes out: a view of what it says, or nothing when no part of it is written so. A lone `=` proves
//! nothing; `=3D`, or `=` at the end of a long line, does.

use super::escapes::hex;
use super::view::View;
use memchr::memchr;
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// What all of `text` says; nothing when it is not quoted-printable.
pub(in crate::redact) fn decoded(text: &[u8]) -> Option<View> {
    memchr(b'=', text)?;
    let wrapped = |at: usize| memchr(b'\n', &text[at.saturating_sub(SHORT_LINE)..at]).is_none();
    let breaks = || BROKEN_LINE.find_iter(text).any(|at| at >= SHORT_LINE && wrapped(at));
    if SIGN.find(text).is_none() && !breaks() {
        return None;
    }
    let mut view = View::default();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = memchr(b'=', &text[at..]) {
        at += found;
        let (width, says) = match &text[at + 1..] {
            [b'\n', ..] => (2, None),
            [b'\r', b'\n', ..] => (3, None),
            [b'3', b'D' | b'd', ..] => (3, Some(b'=')),
            [high @ b'2'..=b'7', low @ (b'0'..=b'9' | b'A'..=b'F'), ..] => {
                (3, Some(hex(*high).unwrap_or(0) << 4 | hex(*low).unwrap_or(0)))
            }
            _ => {
                at += 1;
                continue;
            }
        };
        view.copy(&text[copied..at], copied);
        if let Some(byte) = says {
            view.put(byte, at, width);
        }
        at += width;
        copied = at;
    }
    view.copy(&text[copied..], copied);
    Some(view)
}

static SIGN: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"=3D"));
static BROKEN_LINE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"=\n"));
const SHORT_LINE: usize = 40; // columns; mail is wrapped later than that
