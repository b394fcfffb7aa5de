//! Markdown, as far as notes need it: what a line is, and its words without marks.

/// What a line of Markdown is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line<'l> {
    /// Nothing.
    Blank,
    /// A heading, without its marks.
    Heading(&'l str),
    /// A list item, without its marker.
    Item(&'l str),
    /// A row of a table.
    Row(&'l str),
    /// Begins or ends code.
    Fence,
    /// A tag, a comment, a line that only divides.
    Mark,
    /// Words.
    Words(&'l str),
}

/// What a line is, by its first characters.
pub(super) fn line(text: &str) -> Line<'_> {
    let plain = text.trim();
    let plain = plain.strip_prefix('>').map_or(plain, str::trim_start);
    if plain.is_empty() {
        return Line::Blank;
    }
    if plain.starts_with("```") || plain.starts_with("~~~") {
        return Line::Fence;
    }
    let marks = plain.bytes().take_while(|b| *b == b'#').count();
    if (1..=6).contains(&marks) && plain[marks..].starts_with(' ') {
        return Line::Heading(plain[marks..].trim());
    }
    if plain.starts_with('|') {
        return Line::Row(plain);
    }
    if plain.starts_with('<') || plain.len() >= 3 && plain.bytes().all(|b| b"-*_= ".contains(&b)) {
        return Line::Mark;
    }
    item(plain).map_or(Line::Words(plain), Line::Item)
}

/// What stands behind the marker of a list item.
fn item(plain: &str) -> Option<&str> {
    let digits = plain.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => plain.strip_prefix(['-', '*', '+', '•'])?,
        1..=3 => plain[digits..].strip_prefix(['.', ')'])?,
        _ => return None,
    };
    rest.starts_with(' ').then(|| rest.trim())
}

/// The cells of a row; `None` for the line below the head of a table.
pub(super) fn cells(row: &str) -> Option<Vec<&str>> {
    if row.bytes().all(|b| b"|-: ".contains(&b)) {
        return None;
    }
    Some(row.trim_matches('|').split('|').map(str::trim).filter(|c| !c.is_empty()).collect())
}

/// Words on one line without emphasis and without the targets of links. Code keeps its marks.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut code = false;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        code ^= c == '`';
        if !code {
            if matches!(c, '*' | '_' | '~') && rest[1..].starts_with(c) {
                rest = &rest[2..];
                continue;
            }
            if let Some((words, behind)) = link(rest) {
                out.push_str(&plain(words));
                rest = behind;
                continue;
            }
            if is_lone_star(c, rest, &out) {
                rest = &rest[1..];
                continue;
            }
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `*` or `_` at the edge of a word is emphasis; `a * b` and `*.md` are not.
fn is_lone_star(c: char, rest: &str, before: &str) -> bool {
    if !matches!(c, '*' | '_') {
        return false;
    }
    let opens = rest[1..].starts_with(char::is_alphabetic) && (before.is_empty() || before.ends_with([' ', '(', '"']));
    let closes = before.ends_with(|p: char| p.is_alphanumeric() || ".,:;!?)`\"".contains(p))
        && !rest[1..].starts_with(|n: char| n.is_alphanumeric() || n == '/');
    opens || closes
}

/// `[words](target)` or `[[words]]` → the words, and what follows.
fn link(text: &str) -> Option<(&str, &str)> {
    if let Some((words, behind)) = text.strip_prefix("[[").and_then(|t| t.split_once("]]")) {
        return Some((words, behind));
    }
    let (words, behind) = text.strip_prefix('[')?.split_once("](")?;
    let (_, behind) = behind.split_once(')')?;
    (!words.contains(['[', '\n'])).then_some((words, behind))
}
