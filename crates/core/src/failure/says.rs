//! Does a line say what a template says? A few letters instead of a pattern library: a hook has no time to build patterns.
//!
//! A template is the text of a line from its start. `<it>` is what the line is about, `<of>` a second such part; `<>` is
//! any text, also none; `<w>` is a word, `<itw>` what it is about as one word; `<n>` a number; `<it:TS>` a code such as
//! `TS2345`, `<it:?>` one of any letters. `…` at the start: anywhere in the line. `$` at the end: nothing
//! follows. Upper and lower case are the same, and so are the kinds of quotes (`'`).

/// The named parts of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Says<'a> {
    pub it: &'a str,
    pub of: &'a str,
}

/// What stands before the words of a program.
const LABELS: &[&str] = &[
    "npm err! ",
    "npm error ",
    "error: ",
    "error ",
    "fatal: ",
    "err: ",
    "[error] ",
    "[err] ",
    "error[",
    "× ",
    "✖ ",
    "✗ ",
    "⚠ ",
    "- ",
    "> ",
    "! ",
    "warning: ",
    "remote: ",
    "e: ",
];

/// A line, as templates are tried on it.
pub(super) struct Line<'l> {
    whole: &'l str,
    /// The line, then what stands behind its labels (`error: `) and behind who speaks (`git: `), one after the other.
    forms: Vec<&'l str>,
}

impl<'l> Line<'l> {
    pub(super) fn new(whole: &'l str) -> Self {
        Self { whole, forms: std::iter::successors(Some(whole), |rest| without_label(rest)).collect() }
    }

    /// The parts a template finds in the line.
    pub(super) fn says(&self, template: &str) -> Option<Says<'l>> {
        if let Some(anywhere) = template.strip_prefix('…') {
            let mut places = places(anywhere, self.whole, 0).take_while(|at| *at < self.whole.len());
            return places.find_map(|at| fit(anywhere, &self.whole[at..], Says::default()));
        }
        let mut fitting = self.forms.iter().filter_map(|rest| fit(template, rest, Says::default()));
        // What is named first stands behind all labels.
        if template.starts_with("<it") { fitting.next_back() } else { fitting.next() }
    }
}

/// The parts a template finds in a line.
#[cfg(test)]
pub(super) fn matches<'l>(template: &str, line: &'l str) -> Option<Says<'l>> {
    Line::new(line).says(template)
}

/// A text in which pieces of templates can be looked for: small letters, one kind of quotes.
pub(super) fn folded(text: &str) -> String {
    text.chars().map(|c| if is_quote(c) { '\'' } else { c.to_ascii_lowercase() }).collect()
}

/// The same for one byte of a text that has no quotes but those of ASCII.
pub(super) fn folded_byte(byte: u8) -> u8 {
    if matches!(byte, b'"' | b'`') { b'\'' } else { byte.to_ascii_lowercase() }
}

/// The longest piece of a template that stands in every line it fits, as [`folded`] writes it.
pub(super) fn piece(template: &str) -> String {
    let mut longest = String::new();
    let mut rest = template.trim_start_matches('…').trim_end_matches('$');
    while !rest.is_empty() {
        let (text, after) = rest.split_once('<').unwrap_or((rest, ""));
        let (hole, after) = after.split_once('>').unwrap_or((after, ""));
        // A code begins with its letters.
        let letters = hole.strip_prefix("it:").filter(|letters| *letters != "?").unwrap_or_default();
        if text.len() + letters.len() > longest.len() {
            longest = [text, letters].concat();
        }
        rest = after;
    }
    folded(&longest)
}

/// Whether a template fits only lines with a digit: numbers and codes have one.
pub(super) fn needs_digit(template: &str) -> bool {
    template.contains("<n>") || template.contains("<it:")
}

/// The line behind `error: ` or `name: `.
fn without_label(line: &str) -> Option<&str> {
    let label = LABELS.iter().find(|l| starts_with(line, l));
    if let Some(label) = label {
        return Some(line[label.len()..].trim_start());
    }
    // A runner marks whose line it is: `[test:ci] `.
    if let Some((mark, rest)) = line.strip_prefix('[').and_then(|l| l.split_once("] "))
        && mark.len() <= 40
        && !mark.contains(' ')
    {
        return Some(rest);
    }
    let (name, rest) = line.split_once(": ")?;
    let is_name = !name.is_empty() && name.len() <= 60 && !name.contains([' ', '\'', '"', '`', '('])
        || name.starts_with("(eval)")
        || name.strip_prefix("line ").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    is_name.then_some(rest)
}

fn starts_with(line: &str, text: &str) -> bool {
    line.as_bytes().get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text.as_bytes()))
}

/// Fits the rest of a template to the rest of a line.
fn fit<'l>(template: &str, line: &'l str, says: Says<'l>) -> Option<Says<'l>> {
    let Some((words, hole)) = template.split_once('<') else {
        return match template.strip_suffix('$') {
            Some(words) => behind(words, line)?.trim_end_matches(['.', ' ', '!']).is_empty().then_some(says),
            None => behind(template, line).map(|_| says),
        };
    };
    let rest = behind(words, line)?;
    let (hole, after) = hole.split_once('>')?;
    fill(hole, after, rest, says)
}

/// What stands in a line behind these words, if it begins with them.
fn behind<'l>(words: &str, line: &'l str) -> Option<&'l str> {
    let mut at = 0;
    for want in words.bytes() {
        let have = *line.as_bytes().get(at)?;
        at += match want {
            b'\'' => line[at..].chars().next().filter(|c| is_quote(*c))?.len_utf8(),
            _ if have.eq_ignore_ascii_case(&want) => 1,
            _ => return None,
        };
    }
    Some(&line[at..])
}

/// Places of a line, from one on, at which a template may fit: where its first letter stands, if it begins with one.
fn places<'p>(template: &str, line: &'p str, from: usize) -> impl Iterator<Item = usize> + 'p {
    let first = template.bytes().next().filter(|b| b.is_ascii() && !b"<$'".contains(b));
    let next = move |from: usize| match first {
        Some(b) => {
            let rest = line.as_bytes().get(from..)?;
            memchr::memchr2(b.to_ascii_lowercase(), b.to_ascii_uppercase(), rest).map(|n| from + n)
        }
        None => (from..=line.len()).find(|at| line.is_char_boundary(*at)),
    };
    std::iter::successors(next(from), move |at| next(at + 1))
}

/// Tries every length of a hole, the shortest first.
fn fill<'l>(hole: &str, after: &str, line: &'l str, says: Says<'l>) -> Option<Says<'l>> {
    let least = if hole.is_empty() { 0 } else { line.chars().next()?.len_utf8() };
    let most = longest(hole, line);
    // Without anything behind it a hole takes all it can.
    let from = if after.is_empty() { most } else { least };
    let is_whole = |end: usize| !hole.contains(':') || line[..end].ends_with(|c: char| c.is_ascii_digit());
    let mut ends =
        places(after, line, from).take_while(|end| (least..=most).contains(end)).filter(|end| is_whole(*end));
    ends.find_map(|end| fit(after, &line[end..], named(hole, &line[..end], says)))
}

/// What is known so far, and what a hole holds.
fn named<'l>(hole: &str, part: &'l str, says: Says<'l>) -> Says<'l> {
    match hole {
        _ if hole.starts_with("it") => Says { it: part, ..says },
        _ if hole.starts_with("of") => Says { of: part, ..says },
        _ => says,
    }
}

/// How much of a line a hole may hold: words have no spaces, numbers only digits.
fn longest(hole: &str, line: &str) -> usize {
    match hole {
        "w" | "itw" | "ofw" => line.find(char::is_whitespace).unwrap_or(line.len()),
        "it:?" => code_len(line, "").min(8),
        _ if hole.starts_with("it:") => code_len(line, &hole[3..]),
        "n" => line.bytes().take_while(u8::is_ascii_digit).count(),
        _ => line.len(),
    }
}

/// The length of `TS2345`: these letters, then digits. Without letters given, any capital ones.
fn code_len(line: &str, letters: &str) -> usize {
    let given = line.bytes().zip(letters.bytes()).take_while(|(have, want)| have == want).count();
    let capitals = if letters.is_empty() { line.bytes().take_while(u8::is_ascii_uppercase).count() } else { given };
    let digits =
        if given == letters.len() { line.bytes().skip(capitals).take_while(u8::is_ascii_digit).count() } else { 0 };
    capitals + digits
}

fn is_quote(c: char) -> bool {
    matches!(c, '\'' | '"' | '`' | '‘' | '’' | '“' | '”' | '´')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates() {
        for (template, line, it) in [
            ("command not found: <it>$", "zsh:1: command not found: go", Some("go")),
            ("<it>: command not found", "bash: line 1: go: command not found", Some("go")),
            ("unknown option: '<it>'", "error: Unknown option: `--x`", Some("--x")),
            ("unexpected argument '<it>' found", "error: unexpected argument '--x' found", Some("--x")),
            ("…(os error <n>)", "cannot open: x (os error 2)", Some("")),
            ("…(os error <n>)", "cannot open: x (os error two)", None),
            ("<w>:<n>:<n>: <> (<itw>)$", "a.go:1:2: Error return value (errcheck)", Some("errcheck")),
            ("nothing", "something", None),
            ("ends here$", "ends here, not", None),
            ("a <it>", "a b c", Some("b c")),
        ] {
            assert_eq!(matches(template, line).map(|s| s.it), it, "{template} / {line}");
        }
    }
}
