//! What the fuzz targets hold their inputs to.
//!
//! Seeds are made from `fixtures/` when `cargo xtask battery --only fuzz` runs; nothing is kept here. The kinds and
//! notations of planted secrets are those of the battery, so that both search for the same.

use uptake_core::sources::{Flaw, Read, Reader, Shape, Source, read_all, source};

/// Bytes at the start of an input that say how the rest is fed: three sizes of chunks and a place to stop.
const CONTROLS: usize = 4;

/// Reads the rest of the input whole, in chunks, and in two readings; all must say the same.
pub fn transcript(name: &str, data: &[u8]) {
    let Some((controls, bytes)) = data.split_at_checked(CONTROLS) else { return };
    let source = source(name).expect("a source");
    let whole = read_all(source, "fuzz", bytes);
    tallies_fit(&whole, bytes);
    in_chunks_is_whole(source, bytes, &controls[..3], &whole);
    if grows(source, bytes) {
        resumed_is_whole(source, bytes, controls[3], &whole);
    }
}

/// Whether such a file grows line by line. Documents are written anew and databases read whole: nothing resumes them.
fn grows(source: &Source, bytes: &[u8]) -> bool {
    let first = bytes.split(|b| *b == b'\n').next().unwrap_or_default();
    let is_record = || serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(first).is_ok();
    source.shape == Shape::Lines || (source.name == "gemini" && is_record())
}

fn tallies_fit(read: &Read, bytes: &[u8]) {
    let skipped: u64 =
        read.problems.flaws.iter().filter(|(flaw, _)| **flaw != Flaw::Repaired).map(|(_, tally)| tally.bytes).sum();
    assert!(skipped <= bytes.len() as u64, "{:?} of {} bytes", read.problems, bytes.len());
    assert!(read.resume_at <= bytes.len() as u64, "resume at {} of {}", read.resume_at, bytes.len());
}

fn in_chunks_is_whole(source: &Source, bytes: &[u8], sizes: &[u8], whole: &Read) {
    let mut reader = Reader::new(source, "fuzz");
    let mut rest = bytes;
    for size in sizes.iter().cycle() {
        let (chunk, after) = rest.split_at(rest.len().min(1 + usize::from(*size)));
        reader.feed(chunk);
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    let chunked = reader.finish();
    assert_eq!(chunked.session, whole.session, "in chunks");
    assert_eq!(chunked.problems, whole.problems, "in chunks");
    assert_eq!(chunked.resume_at, whole.resume_at, "in chunks");
}

/// Stops after one of the lines, and goes on from where the first reading says, as `learn` does.
fn resumed_is_whole(source: &Source, bytes: &[u8], which: u8, whole: &Read) {
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', bytes).map(|end| end + 1).collect();
    let Some(cut) = ends.get(usize::from(which) % ends.len().max(1)) else { return };
    let first = read_all(source, "fuzz", &bytes[..*cut]);
    let from = usize::try_from(first.resume_at).expect("small");
    assert!(from <= *cut, "resume at {from} after {cut} bytes");
    // The name of the file stands in for an id that comes later; a client writes it first, or calls the file by it.
    let headless = first.session.id == "fuzz";
    // A file of which nothing was read is begun anew.
    let mut reader = match from {
        0 => Reader::new(source, "fuzz"),
        _ => Reader::resume(source, "fuzz", first.session, first.resume_at),
    };
    reader.feed(&bytes[from..]);
    let second = reader.finish();
    let (mut again, mut once) = (second.session, whole.session.clone());
    // Of a damaged record over several lines more or less is read again, and it stands where that began; nothing else.
    let sound = whole.problems.flaws.is_empty();
    if !sound {
        for event in again.events.iter_mut().chain(&mut once.events) {
            (event.offset, event.len) = (0, 0);
        }
    }
    assert_eq!(again.events, once.events, "cut at {cut}, resumed at {from}");
    if !headless {
        assert_eq!(again, once, "cut at {cut}, resumed at {from}");
    }
    // Where one of the lines looks like the start of a document, too.
    if source.shape == Shape::Lines && sound {
        assert_eq!(second.resume_at, whole.resume_at, "cut at {cut}, resumed at {from}");
    }
}
