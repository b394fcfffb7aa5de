//! The payload on standard input, read until it is whole.
//!
//! Comes in: a stream. Goes out: the bytes of one JSON object, or what there was instead. Not waited for: the end of the
//! stream. Some clients keep it open, and some give it to processes that live longer than they do.

use std::io::{ErrorKind, Read};

use anyhow::{Result, ensure};
use uptake_core::sources::JsonEnd;

/// Larger payloads are not worth the time.
const LIMIT: usize = 4 * 1024 * 1024;
/// Read at once; most payloads are smaller.
const PIECE: usize = 16 * 1024;

/// Reads one payload.
pub(super) fn read(mut input: impl Read) -> Result<Vec<u8>> {
    let (mut bytes, mut end, mut piece) = (Vec::new(), JsonEnd::default(), [0; PIECE]);
    loop {
        let count = match input.read(&mut piece) {
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            other => other?,
        };
        bytes.extend_from_slice(&piece[..count]);
        if let Some(found) = end.find(&bytes) {
            bytes.truncate(found.end);
            bytes.drain(..found.start);
            return Ok(bytes);
        }
        if count == 0 {
            return Ok(bytes);
        }
        ensure!(bytes.len() < LIMIT, "the payload is larger than {} MB", LIMIT / 1024 / 1024);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its bytes a few at a time, and fails the test if it is asked for more.
    struct Open<'b>(&'b [u8], usize);

    impl Read for Open<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            assert!(!self.0.is_empty(), "read on, although the payload is whole");
            let count = self.1.min(self.0.len());
            let (now, later) = self.0.split_at(count);
            buffer[..count].copy_from_slice(now);
            self.0 = later;
            Ok(count)
        }
    }

    #[test]
    fn nothing_is_read_behind_a_whole_payload() {
        for (sent, payload) in
            [("{\"a\":1}", "{\"a\":1}"), ("\u{feff}\n{\"a\":\"}\"}", "{\"a\":\"}\"}"), ("nonsense", "nonsense")]
        {
            for size in [1, 2, 7, 100] {
                let read = read(Open(sent.as_bytes(), size)).expect("read");
                assert!(payload.as_bytes().starts_with(&read) && !read.is_empty(), "{sent} by {size}");
                assert!(payload == "nonsense" || read == payload.as_bytes(), "{sent} by {size}");
            }
        }
    }

    #[test]
    fn a_payload_that_ends_early_is_what_there_was() {
        assert_eq!(read(&b""[..]).expect("read"), b"");
        assert_eq!(read(&b"{\"a\":"[..]).expect("read"), b"{\"a\":");
    }

    #[test]
    fn a_payload_without_end_is_given_up_at_the_limit() {
        let error = read(std::io::repeat(b'{')).expect_err("too much");
        assert_eq!(error.to_string(), "the payload is larger than 4 MB");
        let error = read(std::io::repeat(b' ')).expect_err("too much");
        assert_eq!(error.to_string(), "the payload is larger than 4 MB");
    }
}
