//! Texts as a person may see them: what would not be seen is spelled out.

use super::visible;

/// Whether a text holds what a reader would not see.
pub fn hides(text: &str) -> bool {
    !text.bytes().all(|b| b == b' ' || b.is_ascii_graphic()) && text.chars().any(is_hidden)
}

fn is_hidden(c: char) -> bool {
    let mut buffer = [0; 4];
    !c.is_ascii_graphic() && c != ' ' && c != '\n' && c != '\t' && visible(c.encode_utf8(&mut buffer)).is_empty()
}

/// A character as it may stand on a terminal; what cannot be seen by its number.
pub fn spelled_char(c: char) -> String {
    match c {
        '\n' => "⏎".to_owned(),
        '\t' => "  ".to_owned(),
        c if is_hidden(c) => format!("<U+{:04X}>", u32::from(c)),
        c => c.to_string(),
    }
}

/// A text as it may stand on a terminal, in one line.
pub fn spelled_out(text: &str) -> String {
    if text.bytes().all(|b| b == b' ' || b.is_ascii_graphic()) {
        return text.to_owned();
    }
    text.chars().map(spelled_char).collect()
}
