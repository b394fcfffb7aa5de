//! Text → its words as they count: without quotes and punctuation around them, flags and paths whole.

/// A word of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// Without what stands around it.
    pub text: String,
    /// It stood in backticks: never a word of politeness.
    pub code: bool,
    /// A comma or a full stop stands behind it.
    pub pause: bool,
}

/// The words of a text in their order.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    // A sign that forbids is a word.
    let text = text.replace(['’', '‘'], "'").replace(['❌', '🚫', '⛔'], " not ");
    let parts: Vec<&str> = text.split('`').collect();
    let mut out: Vec<Token> = Vec::new();
    for (n, part) in parts.iter().enumerate() {
        // An unpaired last backtick quotes nothing.
        let code = n % 2 == 1 && n + 1 < parts.len();
        // What stands right behind a backtick ends a sentence.
        let rest = if n > 0 && !code { part.trim_start_matches(['.', ',', ';', ':', '!', '?', ')']) } else { part };
        if let Some(last) = out.last_mut() {
            last.pause |= rest.len() < part.len();
        }
        for word in rest.split_whitespace() {
            if code { in_code(word, &mut out) } else { in_prose(word, &mut out) }
        }
    }
    out
}

fn in_code(word: &str, out: &mut Vec<Token>) {
    let bare = word.trim_matches(['\'', '"']).trim_end_matches([',', ':']);
    let (bare, ends) = bare.strip_suffix(';').map_or((bare, false), |b| (b, true));
    let bare = bare.strip_suffix("()").unwrap_or(bare);
    for text in [bare, if ends { ";" } else { "" }] {
        if !text.is_empty() {
            out.push(Token { text: folded(text), code: true, pause: false });
        }
    }
}

fn in_prose(word: &str, out: &mut Vec<Token>) {
    let pause = word.ends_with([',', ';', ':', '!', '?', '.', '—', '–', '-', '…']);
    // At the beginning a `*` marks a list item.
    let bare = if word == "*" && !out.is_empty() { word } else { bare(word) };
    if bare.is_empty() {
        if let Some(last) = out.last_mut() {
            last.pause |= pause;
        }
    } else {
        out.push(Token { text: folded(bare), code: false, pause });
    }
}

/// A word without what is written around words.
fn bare(word: &str) -> &str {
    // What a shell understands stands for itself.
    let unstopped = word.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    let sign = |c: char| "&|<>=+!".contains(c) || ('←'..='⇿').contains(&c);
    if unstopped.contains(sign) && unstopped.chars().all(|c| sign(c) || c == '-') {
        return unstopped;
    }
    if matches!(word, "--" | "." | "..") {
        return word;
    }
    let opens = |c: char| !(c.is_alphanumeric() || "-./~$@#+<_!*\\%=".contains(c));
    let closes = |c: char| !(c.is_alphanumeric() || "/*+#%$_=>\\".contains(c));
    let start = word.trim_start_matches(opens);
    let end = start.trim_end_matches(|c: char| closes(c) && c != '.');
    // `./...` is a path.
    let end = if end.ends_with("/...") { end } else { end.trim_end_matches(closes) };
    let unmarked = end.trim_matches('*');
    let glob = end.contains(['/', '.']) && !end.starts_with("**");
    let bare = if glob { end } else { unmarked };
    // Marks alone are no word; of those before a word only some belong to it.
    if !bare.chars().any(char::is_alphanumeric) && !bare.ends_with("/...") && !matches!(bare, "/" | "./" | "../" | "~")
    {
        return "";
    }
    bare.trim_start_matches("...")
}

/// Without case, except where case tells: `-D`, paths, assignments.
fn folded(text: &str) -> String {
    if text.starts_with('-') || text.contains(['/', '\\', '=', '$']) { text.to_owned() } else { text.to_lowercase() }
}
