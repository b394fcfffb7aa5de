//! Notations, both ways: written when secrets are planted, read when what came out is searched.

const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// As base64, padded.
pub fn base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |bits, i| bits << 8 | u32::from(*chunk.get(i).unwrap_or(&0)));
        for i in 0..4 {
            let six = (bits >> (18 - 6 * i) & 63) as usize;
            out.push(if i <= chunk.len() { char::from(BASE64[six]) } else { '=' });
        }
    }
    out
}

/// As lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    escaped(bytes, |b| format!("{b:02x}"))
}

/// Every byte that is neither letter nor digit as `%XX`.
pub fn percent(bytes: &[u8]) -> String {
    escaped(bytes, |b| if b.is_ascii_alphanumeric() { char::from(b).to_string() } else { format!("%{b:02X}") })
}

/// Every byte as `\u00XX`.
pub fn unicode(bytes: &[u8]) -> String {
    escaped(bytes, |b| format!("\\u{b:04x}"))
}

fn escaped(bytes: &[u8], write: impl Fn(u8) -> String) -> String {
    bytes.iter().map(|b| write(*b)).collect()
}

/// The inside of a JSON string.
pub fn json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// Six bits of a base64 letter, of either alphabet.
fn six(byte: u8) -> Option<u32> {
    let at = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(at))
}

/// Every long run of base64 letters, read at each of the four places where it may begin.
pub fn each_base64(text: &[u8], least: usize, mut found: impl FnMut(&[u8])) {
    let mut out = Vec::new();
    for run in runs(text, least, |b| six(b).is_some()) {
        for start in 0..4 {
            out.clear();
            for four in run[start..].chunks_exact(4) {
                let bits = four.iter().fold(0, |bits, b| bits << 6 | six(*b).unwrap_or(0));
                out.extend_from_slice(&bits.to_be_bytes()[1..]);
            }
            found(&out);
        }
    }
}

/// Every long run of hexadecimal digits, read at both places where it may begin.
pub fn each_hex(text: &[u8], least: usize, mut found: impl FnMut(&[u8])) {
    let digit = |b: u8| char::from(b).to_digit(16).unwrap_or(0) as u8;
    for run in runs(text, least, |b| b.is_ascii_hexdigit()) {
        for start in 0..2 {
            let bytes: Vec<u8> = run[start..].chunks_exact(2).map(|d| digit(d[0]) << 4 | digit(d[1])).collect();
            found(&bytes);
        }
    }
}

fn runs(text: &[u8], least: usize, belongs: impl Fn(u8) -> bool) -> impl Iterator<Item = &[u8]> {
    text.split(move |b| !belongs(*b)).filter(move |run| run.len() >= least)
}

/// With `%XX` read; `None` if there is none.
pub fn unpercent(text: &[u8]) -> Option<Vec<u8>> {
    rewritten(text, b'%', |rest| Some((hex_number(rest.get(1..3)?)? as u8, 3)))
}

/// With the escapes of JSON strings read once; `None` if there are none.
pub fn unescaped(text: &[u8]) -> Option<Vec<u8>> {
    rewritten(text, b'\\', |rest| match rest.get(1)? {
        b'u' => Some((hex_number(rest.get(2..6)?)?.try_into().unwrap_or(b'?'), 6)),
        b'x' => Some((hex_number(rest.get(2..4)?)? as u8, 4)),
        b'n' => Some((b'\n', 2)),
        b'r' => Some((b'\r', 2)),
        b't' => Some((b'\t', 2)),
        b'b' => Some((8, 2)),
        b'f' => Some((12, 2)),
        other @ (b'"' | b'\\' | b'/') => Some((*other, 2)),
        _ => None,
    })
}

fn hex_number(digits: &[u8]) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn rewritten(text: &[u8], mark: u8, read: impl Fn(&[u8]) -> Option<(u8, usize)>) -> Option<Vec<u8>> {
    let mut out: Option<Vec<u8>> = None;
    let mut done = 0;
    let mut at = 0;
    while let Some(step) = memchr::memchr(mark, &text[at..]) {
        at += step;
        let Some((byte, len)) = read(&text[at..]) else {
            at += 1;
            continue;
        };
        let out = out.get_or_insert_with(Vec::new);
        out.extend_from_slice(&text[done..at]);
        out.push(byte);
        at += len;
        done = at;
    }
    out.map(|mut out| {
        out.extend_from_slice(&text[done..]);
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let text = b"one \"two\" three/four+five";
        let mut found = false;
        for shift in 0..3 {
            let padded = [&b"xyz"[..shift], text].concat();
            each_base64(base64(&padded).as_bytes(), 8, |b| found |= memchr::memmem::find(b, &text[..20]).is_some());
            assert!(std::mem::take(&mut found), "shift {shift}");
        }
        each_hex(format!("f{}", hex(text)).as_bytes(), 8, |b| found |= b.ends_with(text));
        assert!(found);
        assert_eq!(unpercent(percent(text).as_bytes()).unwrap(), text);
        assert_eq!(unescaped(unicode(text).as_bytes()).unwrap(), text);
        assert_eq!(unescaped(json("one \"two\"").as_bytes()).unwrap(), b"one \"two\"");
        assert_eq!(unescaped(b"plain"), None);
    }
}
