//! Base64 and hexadecimal: long runs of their characters, read where they decode to text.
//!
//! Comes in: a text. Goes out: its long runs ([`runs`]), and the views of what one run says ([`texts`]). Most of what looks like base64 in a transcript is file paths, so a run becomes a view only
//! where it says something readable.

use super::view::View;
use std::ops::Range;

/// Runs shorter than this are not worth decoding.
const SHORTEST_RUN: usize = 16; // characters

type Class = [u8; 256];

const NONE: u8 = 0xff;

// Both alphabets at once; a run never mixes them in a way that matters.
const SIXBIT: Class = {
    let mut class = [NONE; 256];
    let mut i = 0;
    while i < 26 {
        class[b'A' as usize + i] = i as u8;
        class[b'a' as usize + i] = 26 + i as u8;
        i += 1;
    }
    let mut i = 0;
    while i < 10 {
        class[b'0' as usize + i] = 52 + i as u8;
        i += 1;
    }
    class[b'+' as usize] = 62;
    class[b'-' as usize] = 62;
    class[b'/' as usize] = 63;
    class[b'_' as usize] = 63;
    class
};

const HEX: Class = {
    let mut class = [NONE; 256];
    let mut i = 0;
    while i < 10 {
        class[b'0' as usize + i] = i as u8;
        i += 1;
    }
    let mut i = 0;
    while i < 6 {
        class[b'a' as usize + i] = 10 + i as u8;
        class[b'A' as usize + i] = 10 + i as u8;
        i += 1;
    }
    class
};

/// Runs of base64 characters (paths and long names among them).
pub(in crate::redact) fn runs(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    long_runs(text, &SIXBIT, 0)
}

// A long run covers a whole group of eight bytes, wherever it begins. Most groups hold a space,
// a quote or a bracket, and are dismissed by one test of all eight bytes at once.
fn long_runs<'a>(text: &'a [u8], class: &'static Class, mut from: usize) -> impl Iterator<Item = Range<usize>> + 'a {
    let is = move |byte: &&u8| class[usize::from(**byte)] != NONE;
    let mut group = 0;
    std::iter::from_fn(move || {
        while let Some(eight) = text.get(group..).and_then(|rest| rest.first_chunk::<8>()) {
            let at = group;
            group += 8;
            // No early end: eight lookups cost less than one wrong guess.
            let misses = |sum: u8, byte: &u8| sum | class[usize::from(*byte)];
            if has_sign(u64::from_le_bytes(*eight)) | (eight.iter().fold(0, misses) == NONE) {
                continue;
            }
            let start = at - text[from..at].iter().rev().take_while(is).count();
            let end = at + text[at..].iter().take_while(is).count();
            (from, group) = (end, end.next_multiple_of(8));
            if end - start >= SHORTEST_RUN {
                return Some(start..end);
            }
        }
        None
    })
}

// Is any of eight bytes below `+`: white space, a quote, a bracket? Exact for the lowest such
// byte, which is all that is asked.
fn has_sign(eight: u64) -> bool {
    const ONES: u64 = u64::MAX / 255;
    eight.wrapping_sub(ONES * b'+' as u64) & !eight & (ONES << 7) != 0
}

/// What a run says if it is base64 or hexadecimal, wherever its groups may begin.
pub(in crate::redact) fn texts(run: &[u8]) -> Vec<View> {
    let mut views = Vec::new();
    // Text in base64 has capitals all over; paths and names have few. The cheaper question first.
    if run.iter().filter(|b| b.is_ascii_uppercase()).count() > 2 {
        for shift in 0..4 {
            base64_texts(run, shift, &mut views);
        }
    }
    // Letters and signs are all written with a digit first.
    if run.iter().filter(|b| b.is_ascii_digit()).count() < SHORTEST_RUN / 2 {
        return views;
    }
    for digits in long_runs(run, &HEX, 0) {
        for shift in 0..2 {
            hex_texts(run, digits.start + shift..digits.end, &mut views);
        }
    }
    views
}

// Groups of four characters that decode to text, with one group more on each side: a token may
// begin in the middle of a group whose other bytes are binary.
fn base64_texts(run: &[u8], shift: usize, views: &mut Vec<View>) {
    let groups = run.len().saturating_sub(shift) / 4;
    let text = |i: usize| {
        let at = shift + i * 4;
        let (one, two, three) = group(&run[at..at + 4]);
        readable(one) && readable(two) && readable(three)
    };
    for_each_stretch(groups, 3, text, |stretch| {
        let start = shift + stretch.start.saturating_sub(1) * 4;
        let end = (shift + (stretch.end + 1) * 4).min(run.len());
        let mut bytes = Vec::with_capacity((end - start) / 4 * 3 + 3);
        for chunk in run[start..end].chunks(4) {
            let mut padded = [b'A'; 4];
            padded[..chunk.len()].copy_from_slice(chunk);
            let (one, two, three) = group(&padded);
            bytes.extend(&[one, two, three][..chunk.len().saturating_sub(1)]);
        }
        views.push(View::six_bits(bytes, start));
    });
}

fn group(four: &[u8]) -> (u8, u8, u8) {
    let bits = four.iter().fold(0_u32, |bits, c| bits << 6 | u32::from(SIXBIT[*c as usize]));
    let [_, one, two, three] = bits.to_be_bytes();
    (one, two, three)
}

fn hex_texts(run: &[u8], digits: Range<usize>, views: &mut Vec<View>) {
    let pairs = digits.len() / 2;
    let byte = |i: usize| {
        let at = digits.start + i * 2;
        HEX[run[at] as usize] << 4 | HEX[run[at + 1] as usize]
    };
    for_each_stretch(
        pairs,
        SHORTEST_RUN / 2,
        |i| readable(byte(i)),
        |stretch| {
            let mut view = View::default();
            for i in stretch {
                view.put(byte(i), digits.start + i * 2, 2);
            }
            views.push(view);
        },
    );
}

// Stretches of at least `least` indices below `count` that hold, found by probing every
// `least`-th: random bytes are given up after a few probes.
fn for_each_stretch(count: usize, least: usize, holds: impl Fn(usize) -> bool, mut found: impl FnMut(Range<usize>)) {
    let mut from = 0;
    loop {
        let probe = from + least - 1;
        if probe >= count {
            return;
        }
        if !holds(probe) {
            from = probe + 1;
            continue;
        }
        let mut start = probe;
        while start > from && holds(start - 1) {
            start -= 1;
        }
        let mut end = probe + 1;
        while end < count && holds(end) {
            end += 1;
        }
        if end - start >= least {
            found(start..end);
        }
        from = end;
    }
}

fn readable(byte: u8) -> bool {
    matches!(byte, 0x20..=0x7e | b'\n' | b'\r' | b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_whole() {
        let long = "a".repeat(40);
        for (text, expect) in [
            (String::new(), None),
            ("a".repeat(15), None),
            ("a".repeat(16), Some(0..16)),
            (format!("{} {long} x", "b".repeat(15)), Some(16..56)),
            (format!("  {long}"), Some(2..42)),
        ] {
            assert_eq!(runs(text.as_bytes()).next(), expect, "{text}");
            assert!(runs(text.as_bytes()).count() <= 1, "{text}");
        }
    }

    #[test]
    fn a_run_is_read_at_every_alignment() {
        // "plain words inside" in base64, and in hexadecimal.
        for (prefix, run) in [("", "cGxhaW4gd29yZHMgaW5zaWRl"), ("", "706c61696e20776f72647320696e73696465")] {
            for junk in ["", "/", "zz", "zzz"] {
                let run = format!("{prefix}{junk}{run}");
                let found = texts(run.as_bytes())
                    .iter()
                    .any(|view| String::from_utf8_lossy(&view.bytes).contains("plain words inside"));
                assert!(found, "{run}");
            }
        }
    }

    #[test]
    fn a_path_is_not_text_in_disguise() {
        assert!(texts(b"/usr/local/share/applications/mimeinfo").len() <= 1);
    }
}
