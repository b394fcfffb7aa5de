//! Recognises a file whose first line is too long to be looked at as a whole.
//!
//! Comes in: the bytes of the file, chunk by chunk. Goes out: its source. What tells a client may stand at the end of a
//! line, behind a message of any length. So only an outline is kept: names and short values near the top of each record.

use memchr::memchr2;

use super::{Source, recognise};

/// Deeper values are left out: no client says there who it is.
const DEPTH: usize = 3;
/// What is kept of a string: names are shorter.
const STRING: usize = 64; // bytes
/// An outline longer than this says no more.
const OUTLINE: usize = 16 * 1024;
/// Bytes of the file after which nobody looks on.
const LOOKED_AT: usize = 256 * 1024 * 1024;

/// Looks at a file until it is recognised.
#[derive(Default)]
pub struct Outline {
    kept: Vec<u8>,
    depth: usize,
    /// Bytes of the string we are in.
    string: Option<usize>,
    escaped: bool,
    looked_at: usize,
}

impl Outline {
    /// Takes the next bytes; answers the source if a line that ended here tells.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Option<&'static Source> {
        self.looked_at += bytes.len();
        while !bytes.is_empty() {
            let passed = self.pass_over(bytes);
            bytes = &bytes[passed..];
            let Some((byte, rest)) = bytes.split_first() else { break };
            if self.take(*byte) == Taken::LineEnd
                && let Some(source) = self.source()
            {
                return Some(source);
            }
            bytes = rest;
        }
        None
    }

    /// Whether more bytes would tell nothing more.
    pub fn is_full(&self) -> bool {
        self.kept.len() >= OUTLINE || self.looked_at >= LOOKED_AT
    }

    /// The source, by what came so far.
    pub fn source(&self) -> Option<&'static Source> {
        recognise(&self.kept)
    }

    /// How many bytes are the inside of a string of which enough was kept.
    fn pass_over(&self, bytes: &[u8]) -> usize {
        let long = self.string.is_some_and(|n| n >= STRING || self.depth > DEPTH);
        if !long || self.escaped {
            return 0;
        }
        memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len())
    }

    fn take(&mut self, byte: u8) -> Taken {
        match (self.string, byte) {
            (Some(n), _) if self.escaped => {
                self.escaped = false;
                self.keep(byte, n < STRING);
                self.string = Some(n + 1);
            }
            (Some(_), b'"') => {
                self.keep(byte, true);
                self.string = None;
            }
            (Some(n), _) => {
                self.escaped = byte == b'\\';
                // An escape is kept whole or not at all.
                self.keep(byte, n + usize::from(self.escaped) < STRING);
                self.string = Some(n + 1);
            }
            (None, b'\n') => {
                self.keep(byte, true);
                self.depth = 0;
                return Taken::LineEnd;
            }
            (None, _) => self.take_outside(byte),
        }
        Taken::Inside
    }

    fn take_outside(&mut self, byte: u8) {
        match byte {
            b'{' | b'[' => self.depth += 1,
            b'"' => self.string = Some(0),
            _ => {}
        }
        self.keep(byte, true);
        if matches!(byte, b'}' | b']') {
            self.depth = self.depth.saturating_sub(1);
        }
    }

    fn keep(&mut self, byte: u8, wanted: bool) {
        if wanted && self.depth <= DEPTH && self.kept.len() < OUTLINE {
            self.kept.push(byte);
        }
    }
}

#[derive(PartialEq, Eq)]
enum Taken {
    Inside,
    LineEnd,
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: usize = 200_000;

    /// First lines with a long text where `TEXT` stands, and whose they are.
    const LINES: &[(&str, &str)] = &[
        (
            "claude",
            r#"{"type":"user","message":{"role":"user","content":"TEXT"},"uuid":"u","sessionId":"s","parentUuid":null}"#,
        ),
        (
            "claude",
            r#"{"parentUuid":null,"message":{"content":[{"type":"text","text":"TEXT"}],"role":"user"},"sessionId":"s"}"#,
        ),
        ("claude", r#"{"snapshot":{"files":{"a":"TEXT"}},"type":"file-history-snapshot"}"#),
        ("claude", r#"{"summary":"TEXT","type":"summary","leafUuid":"l"}"#),
        ("codex", r#"{"payload":{"type":"message","role":"user","content":[{"text":"TEXT"}]},"type":"response_item"}"#),
        ("codex", r#"{"timestamp":"t","payload":{"instructions":"TEXT"},"type":"session_meta"}"#),
        ("opencode", r#"{"messages":[{"info":{"id":"m"},"parts":[{"text":"TEXT"}]}],"info":{"id":"ses_1"}}"#),
        ("gemini", r#"{"messages":[{"id":"m","type":"user","content":"TEXT"}],"sessionId":"s","projectHash":"h"}"#),
        ("openai", r#"{"content":"TEXT","role":"user"}"#),
        ("openai", r#"[{"content":"TEXT","role":"system"}]"#),
        ("openai", r#"{"id":"TEXT","messages":[{"role":"user","content":"hi"}]}"#),
    ];

    fn told(line: &str, chunk: usize) -> Option<&'static str> {
        let mut outline = Outline::default();
        let found = line.as_bytes().chunks(chunk).find_map(|c| outline.feed(c));
        found.or_else(|| outline.source()).map(|s| s.name)
    }

    #[test]
    fn a_long_first_line_is_recognised_whatever_stands_behind_its_text() {
        // What is quoted in a text tells nothing; an escape may end at the edge of what is kept.
        for text in ["a b ".repeat(LONG / 4), r#"\"sessionId\":\"x\",\"payload\":{}\\"#.repeat(LONG / 32)] {
            for (client, line) in LINES {
                let line = line.replace("TEXT", &text);
                for chunk in [1_000, 65_536, usize::MAX] {
                    assert_eq!(told(&line, chunk), Some(*client), "{}", &line[..60]);
                    assert_eq!(told(&format!("{line}\n"), chunk), Some(*client), "{}", &line[..60]);
                }
            }
        }
    }

    #[test]
    fn other_long_lines_are_nobodys() {
        for line in
            [r#"{"name":"TEXT","version":"1"}"#, r#"["TEXT"]"#, "TEXT", r#"{"a":{"b":{"c":{"sessionId":"TEXT"}}}}"#]
        {
            assert_eq!(told(&line.replace("TEXT", &"x".repeat(LONG)), 4_096), None, "{line}");
        }
    }

    #[test]
    fn the_outline_stays_small() {
        let mut outline = Outline::default();
        for _ in 0..2_000 {
            outline.feed(br#"{"a":1,"b":[1,2,3],"c":{"d":"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}},"#);
        }
        assert!(outline.is_full() && outline.kept.len() == OUTLINE);
    }
}
