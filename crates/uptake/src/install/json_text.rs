//! Changes a JSON file as text: what is put in leaves every other byte as it is, and can be taken out again.
//!
//! Comes in: a file as people write it, comments and last commas included. Goes out: where its values stand, and texts with
//! entries put in or cut out. Deliberately absent: writing a file anew from its values, which would lose what people like.

use std::ops::Range;

/// A value in a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    /// From its first byte to the one behind its last.
    pub at: Range<usize>,
    pub is: Is,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Is {
    /// With the place where each key begins.
    Object(Vec<(String, usize, Node)>),
    Array(Vec<Node>),
    Text(String),
    Other,
}

impl Node {
    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let Is::Object(members) = &self.is else { return None };
        members.iter().find(|(name, ..)| name == key).map(|(.., value)| value)
    }

    pub(super) fn items(&self) -> &[Self] {
        if let Is::Array(items) = &self.is { items } else { &[] }
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Is::Text(text) = &self.is { Some(text) } else { None }
    }

    /// From where to where its entries stand, keys included.
    fn entries(&self) -> Vec<Range<usize>> {
        match &self.is {
            Is::Object(members) => members.iter().map(|(_, start, value)| *start..value.at.end).collect(),
            Is::Array(items) => items.iter().map(|item| item.at.clone()).collect(),
            Is::Text(_) | Is::Other => Vec::new(),
        }
    }
}

/// Deeper files are not settings.
const DEEPEST: usize = 64;

/// The value of a text; `Err` is the line at which it cannot be understood.
pub(super) fn parse(text: &str) -> Result<Node, usize> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let line = |at: usize| text[..text.floor_char_boundary(at)].matches('\n').count() + 1;
    let parsed = parser.value().filter(|_| {
        parser.skip();
        parser.at == text.len()
    });
    parsed.ok_or(line(parser.at))
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Passes over spaces and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let spaces = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
            let comment = match &rest[spaces..] {
                rest if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                rest if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
                _ => 0,
            };
            self.at += spaces + comment;
            if comment == 0 {
                return;
            }
        }
    }

    fn takes(&mut self, c: char) -> bool {
        self.skip();
        let found = self.rest().starts_with(c);
        self.at += if found { c.len_utf8() } else { 0 };
        found
    }

    fn value(&mut self) -> Option<Node> {
        self.skip();
        let start = self.at;
        let is = match self.rest().chars().next()? {
            '{' => self.object()?,
            '[' => self.array()?,
            '"' => Is::Text(self.string()?),
            _ => self.word()?,
        };
        Some(Node { at: start..self.at, is })
    }

    fn inside<T>(&mut self, close: char, mut entry: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.at += 1;
        self.depth += 1;
        let mut entries = Vec::new();
        while self.depth <= DEEPEST {
            if self.takes(close) {
                self.depth -= 1;
                return Some(entries);
            }
            entries.push(entry(self)?);
            if !self.takes(',') && !self.rest().starts_with(close) {
                return None;
            }
        }
        None
    }

    fn object(&mut self) -> Option<Is> {
        let member = |p: &mut Self| {
            p.skip();
            let start = p.at;
            let key = p.rest().starts_with('"').then(|| p.string()).flatten()?;
            p.takes(':').then(|| p.value()).flatten().map(|value| (key, start, value))
        };
        self.inside('}', member).map(Is::Object)
    }

    fn array(&mut self) -> Option<Is> {
        self.inside(']', Self::value).map(Is::Array)
    }

    fn string(&mut self) -> Option<String> {
        let mut escaped = false;
        let end = self.rest().bytes().enumerate().skip(1).find_map(|(at, byte)| match byte {
            _ if escaped => {
                escaped = false;
                None
            }
            b'\\' => {
                escaped = true;
                None
            }
            b'"' => Some(at + 1),
            _ => None,
        })?;
        let text = serde_json::from_str(&self.rest()[..end]).ok()?;
        self.at += end;
        Some(text)
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Option<Is> {
        let len =
            self.rest().find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c)).unwrap_or(self.rest().len());
        serde_json::from_str::<serde_json::Value>(&self.rest()[..len]).ok()?;
        self.at += len;
        Some(Is::Other)
    }
}

/// Something to be put in.
#[derive(Clone, Debug)]
pub(super) enum Json {
    Object(Vec<(&'static str, Json)>),
    Array(Vec<Json>),
    Text(String),
    Number(u64),
    /// On one line, whatever the file looks like.
    OneLine(Box<Json>),
}

impl Json {
    /// As it is written behind an indentation; on one line if there is none.
    fn write(&self, lines: Option<&Lines>, out: &mut String) {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match self {
            Self::Text(text) => out.push_str(&quoted(text)),
            Self::Number(number) => out.push_str(&number.to_string()),
            Self::OneLine(inside) => inside.write(None, out),
            Self::Object(members) => {
                let write = |(key, value): &(&str, Self), inner: Option<&Lines>, out: &mut String| {
                    out.push_str(&format!("{}: ", quoted(key)));
                    value.write(inner, out);
                };
                entries("{}", members, lines, out, write);
            }
            Self::Array(items) => entries("[]", items, lines, out, Self::write),
        }
    }
}

fn entries<T>(
    brackets: &str,
    all: &[T],
    lines: Option<&Lines>,
    out: &mut String,
    write: impl Fn(&T, Option<&Lines>, &mut String),
) {
    let inner = lines.map(Lines::inner);
    out.push_str(&brackets[..1]);
    for (n, entry) in all.iter().enumerate() {
        out.push_str(if n > 0 && inner.is_none() {
            ", "
        } else if n > 0 {
            ","
        } else {
            ""
        });
        inner.iter().for_each(|lines| out.push_str(&lines.begin()));
        write(entry, inner.as_ref(), out);
    }
    lines.iter().filter(|_| !all.is_empty()).for_each(|lines| out.push_str(&lines.begin()));
    out.push_str(&brackets[1..]);
}

/// How lines are begun in a file.
#[derive(Clone, Debug)]
struct Lines {
    end: &'static str,
    unit: String,
    indent: String,
}

impl Lines {
    fn inner(&self) -> Self {
        Self { indent: format!("{}{}", self.indent, self.unit), ..self.clone() }
    }

    fn begin(&self) -> String {
        format!("{}{}", self.end, self.indent)
    }
}

/// A text that was put into another one.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Inserted {
    /// Where, in the text as it was then.
    pub at: usize,
    /// What.
    pub text: String,
}

/// Puts an entry behind the last one of an object or array. `entry` is a key with its value, or a value alone.
pub(super) fn put_in(text: &mut String, container: &Node, key: Option<&'static str>, value: &Json) -> Inserted {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let (open, all) = (container.at.start + 1, container.entries());
    let own = line_indent(text, container.at.start);
    let unit = unit_of(text);
    let (at, before, lines, after) = match (all.first(), all.last()) {
        (Some(first), Some(last)) => {
            let begins = text[open..first.start].contains('\n');
            let lines = begins.then(|| Lines { end, unit, indent: line_indent(text, first.start) });
            // A comma may stand behind the last entry already, maybe behind a comment.
            let comma = comma_behind(text, last.end);
            (comma.unwrap_or(last.end), if comma.is_some() { "" } else { "," }, lines, String::new())
        }
        _ => {
            let inside = &text[open..container.at.end - 1];
            let lines = Lines { end, indent: format!("{own}{unit}"), unit };
            (open, "", Some(lines), if inside.contains('\n') { String::new() } else { format!("{end}{own}") })
        }
    };
    let mut put = before.to_owned();
    put.push_str(&lines.as_ref().map_or_else(|| " ".to_owned(), Lines::begin));
    if let Some(key) = key {
        put.push_str(&format!("\"{key}\": "));
    }
    value.write(lines.as_ref(), &mut put);
    put.push_str(&after);
    text.insert_str(at, &put);
    Inserted { at, text: put }
}

/// A whole new file.
pub(super) fn whole(value: &Json) -> String {
    let mut out = String::new();
    value.write(Some(&Lines { end: "\n", unit: "  ".to_owned(), indent: String::new() }), &mut out);
    out.push('\n');
    out
}

/// The place behind a comma that follows, with nothing but spaces and comments before it.
fn comma_behind(text: &str, at: usize) -> Option<usize> {
    let mut parser = Parser { text, at, depth: 0 };
    parser.takes(',').then_some(parser.at)
}

/// The spaces that the line of a place begins with.
fn line_indent(text: &str, at: usize) -> String {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    text[line..at].chars().take_while(|c| *c == ' ' || *c == '\t').collect()
}

/// What one level of the file is indented by.
fn unit_of(text: &str) -> String {
    let indents = text.lines().skip(1).map(|l| line_indent(l, l.len() - l.trim_start().len()));
    indents.filter(|indent| !indent.is_empty()).min_by_key(String::len).unwrap_or_else(|| "  ".to_owned())
}

/// Takes out what was put in, last first; `None` if it does not stand there any more.
pub(super) fn take_out(text: &str, inserted: &[Inserted]) -> Option<String> {
    let mut text = text.to_owned();
    for Inserted { at, text: put } in inserted.iter().rev() {
        let range = *at..at + put.len();
        if text.get(range.clone()) != Some(put.as_str()) {
            return None;
        }
        text.replace_range(range, "");
    }
    Some(text)
}

/// Cuts an entry out of an object or array, with its comma.
pub(super) fn cut(text: &mut String, container: &Node, entry: usize) {
    let all = container.entries();
    let Some(own) = all.get(entry) else { return };
    let range = match (entry.checked_sub(1).map(|n| &all[n]), all.get(entry + 1)) {
        (Some(before), _) => before.end..own.end,
        (None, Some(next)) => own.start..next.start,
        (None, None) => {
            let (open, close) = (container.at.start + 1, container.at.end - 1);
            let alone = text[open..own.start].trim().is_empty()
                && text[own.end..close].trim_matches([',', ' ', '\r', '\n', '\t']).is_empty();
            if alone { open..close } else { own.clone() }
        }
    };
    text.replace_range(range, "");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Json {
        Json::Array(vec![Json::Object(vec![("a", Json::Text("x".into())), ("n", Json::Number(3))])])
    }

    /// Whatever the file looks like: all bytes stay, it can be read, and the way back leads to the same bytes.
    #[test]
    fn an_entry_goes_in_and_out_of_any_file() {
        for text in [
            "{}",
            "{ }\n",
            "{\n}\n",
            "{\"b\":1}",
            "{\n  \"b\": 1\n}\n",
            "{\r\n\t\"b\": [1,\t2]\r\n}",
            "// mine\n{\n    \"b\": 1, // one\n    /* two */\n}\n",
            "{\n  \"b\": {\"c\": \"}\\\"\"} // why\n}",
            "\u{feff}{\"ä\": \"ö\"}",
        ] {
            let mut changed = text.to_owned();
            let root = parse(text).unwrap_or_else(|line| panic!("{text}: line {line}"));
            let inserted = put_in(&mut changed, &root, Some("hooks"), &entry());
            let again = parse(&changed).unwrap_or_else(|line| panic!("{changed}: line {line}"));
            assert_eq!(again.get("hooks").map(|hooks| hooks.items().len()), Some(1), "{changed}");
            assert_eq!(take_out(&changed, std::slice::from_ref(&inserted)).as_deref(), Some(text));
            let Is::Object(members) = &again.is else { panic!("no object") };
            let at = members.iter().position(|(key, ..)| key == "hooks").expect("it is there");
            cut(&mut changed, &again, at);
            assert!(parse(&changed).is_ok_and(|root| root.get("hooks").is_none()), "{changed}");
        }
    }

    #[test]
    fn what_goes_in_looks_like_what_is_there() {
        let mut text = "{\n    \"b\": 1\n}\n".to_owned();
        let root = parse(&text).expect("an object");
        put_in(&mut text, &root, Some("hooks"), &entry());
        assert_eq!(
            text,
            "{\n    \"b\": 1,\n    \"hooks\": [\n        {\n            \"a\": \"x\",\n            \"n\": 3\n        }\n    ]\n}\n"
        );
        let mut text = "{\"b\":1}".to_owned();
        let root = parse(&text).expect("an object");
        put_in(&mut text, &root, Some("hooks"), &entry());
        assert_eq!(text, "{\"b\":1, \"hooks\": [{\"a\": \"x\", \"n\": 3}]}");
    }

    #[test]
    fn what_is_no_json_is_told_by_its_line() {
        for (text, line) in
            [("", 1), ("{\n\"a\": }", 2), ("{} x", 1), ("{\"a\" 1}", 1), ("[1 2]", 1), ("{\"a\": \"", 1)]
        {
            assert_eq!(parse(text).err(), Some(line), "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
