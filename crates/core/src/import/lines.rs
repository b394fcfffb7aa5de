//! Bytes → numbered lines and JSON entries, whatever the damage.

use serde_json::{Map, Value};

use super::Imported;

/// Longest entry: longer ones hold something else.
const ENTRY: usize = 256 * 1024; // bytes
/// How many lines are looked at to tell what a file is.
const LOOK: usize = 50;

/// A piece of a file, and the line it begins in.
pub(super) type Piece<'b> = (usize, &'b [u8]);

/// The lines of a file that hold anything, numbered from one.
pub(super) fn numbered(bytes: &[u8]) -> impl Iterator<Item = Piece<'_>> {
    let lines = (1..).zip(bytes.split(|b| *b == b'\n'));
    lines.map(|(n, l)| (n, l.trim_ascii_end())).filter(|(_, l)| !l.is_empty())
}

/// The first lines as text, to tell what a file is.
pub(super) fn first_texts(bytes: &[u8]) -> impl Iterator<Item = &str> {
    numbered(bytes).take(LOOK).filter(|(_, l)| l.len() <= ENTRY).filter_map(|(_, l)| std::str::from_utf8(l).ok())
}

/// A piece as text, or why it is none.
pub(super) fn text(piece: &[u8]) -> Result<&str, &'static str> {
    if piece.len() > ENTRY {
        return Err("is too long");
    }
    std::str::from_utf8(piece).map_err(|_| "is not UTF-8")
}

/// The lines as text; the others are listed.
pub(super) fn texts<'b>(bytes: &'b [u8], out: &mut Imported) -> Vec<(usize, &'b str)> {
    let mut good = Vec::new();
    for (line, piece) in numbered(bytes) {
        match text(piece) {
            Ok(text) => good.push((line, text)),
            Err(why) => out.problem(line, why),
        }
    }
    good
}

/// The entries of a log of JSON objects: one a line, or each spread over the lines between a bare `{` and a bare `}`.
/// The tool itself writes them so, and then cannot read them any more.
pub(super) fn entries(bytes: &[u8]) -> Vec<Piece<'_>> {
    let mut out: Vec<Piece<'_>> = Vec::new();
    // Line and byte at which an entry was begun that is spread over lines.
    let mut open: Option<(usize, usize)> = None;
    let mut at = 0;
    for (line, whole) in (1..).zip(bytes.split(|b| *b == b'\n')) {
        let (from, piece) = (at, whole.trim_ascii_end());
        at += whole.len() + 1;
        if let Some((first, start)) = open {
            if piece == b"}" {
                out.push((first, &bytes[start..=from]));
                open = None;
                continue;
            }
            if !piece.starts_with(b"{") {
                continue;
            }
            // The entry was never closed.
            out.push((first, b"{"));
            open = None;
        }
        match piece {
            b"" => {}
            b"{" => open = Some((line, from)),
            _ => out.push((line, piece)),
        }
    }
    out.extend(open.map(|(first, _)| (first, &b"{"[..])));
    out
}

/// A JSON object, or why it is none.
pub(super) fn object(piece: &[u8]) -> Result<Map<String, Value>, &'static str> {
    match serde_json::from_str(text(piece)?) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("is no JSON object"),
        Err(e) if e.is_eof() => Err("is cut short"),
        Err(_) => Err("is not JSON"),
    }
}

/// A field that holds text.
pub(super) fn field<'o>(object: &'o Map<String, Value>, name: &str) -> Option<&'o str> {
    object.get(name).and_then(Value::as_str).map(str::trim).filter(|t| !t.is_empty())
}

/// A time as text, in milliseconds since 1970.
pub(super) fn time(text: &str) -> Option<i64> {
    text.trim().parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_may_be_spread_over_lines_and_cut() {
        let log = b"{\"a\":1}\n{\n  \"b\": {\n  }\n}\r\n\n{\n \"c\": 1\n{\"d\":1}\n{\n \"e\"";
        let found: Vec<(usize, bool)> = entries(log).into_iter().map(|(n, p)| (n, object(p).is_ok())).collect();
        assert_eq!(found, [(1, true), (2, true), (7, false), (9, true), (10, false)]);
    }

    #[test]
    fn what_is_no_entry_says_why() {
        for (piece, why) in [
            (&b"{\"a\":"[..], "is cut short"),
            (b"{a}", "is not JSON"),
            (b"[1]", "is no JSON object"),
            (b"{\"n\":1e999}", "is not JSON"),
            (b"\xff\xfe", "is not UTF-8"),
        ] {
            assert_eq!(object(piece), Err(why));
        }
        assert_eq!(object(&vec![b' '; ENTRY + 1]), Err("is too long"));
        assert_eq!(object("[".repeat(10_000).as_bytes()), Err("is not JSON"));
    }
}
