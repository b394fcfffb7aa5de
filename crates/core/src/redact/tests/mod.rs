//! The room as a whole: every kind in every notation, and everything that must stay.

pub(super) mod formats;
mod hostile;
mod leaks;
mod sample;
mod stays;
mod ways;

use super::{Redactor, redact};
/// Does any part of `secret` of 12 characters (or all of a shorter one) survive in `text`? What
/// is the same in every secret of the kind, a prefix or a host name, does not count.
fn leaks(text: &str, secret: &str) -> bool {
    let public = |window: &[u8]| window.iter().all(|b| b.is_ascii_lowercase() || b"._/$".contains(b));
    let len = secret.len().min(12);
    let mut windows = secret.as_bytes().windows(len).filter(|window| !public(window));
    windows.any(|window| memchr::memmem::find(text.as_bytes(), window).is_some())
}

fn check(text: &str, expect: &str) {
    let clean = redact(text);
    assert_eq!(clean, expect, "{text:?}");
    assert_eq!(redact(&clean), clean, "twice: {text:?}");
}
