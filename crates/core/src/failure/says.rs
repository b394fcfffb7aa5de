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
    "- ",
    "> ",
    "! ",
    "warning: ",
    "remote: ",
    "e: ",
];

/// The parts a template finds in a line; the line may begin with labels (`error: `) or with who speaks (`git: `).
pub(super) fn matches<'l>(template: &str, line: &'l str) -> Option<Says<'l>> {
    if let Some(anywhere) = template.strip_prefix('…') {
        return starts(line).find_map(|at| fit(anywhere, &line[at..], Says::default()));
    }
    let fits = |rest| fit(template, rest, Says::default());
    let mut forms = std::iter::successors(Some(line), |rest| without_label(rest));
    // What is named first stands behind all labels.
    if template.starts_with("<it") { forms.filter_map(fits).last() } else { forms.find_map(fits) }
}

/// A text in which pieces of templates can be looked for: small letters, one kind of quotes.
pub(super) fn folded(text: &str) -> String {
    text.chars().map(|c| if is_quote(c) { '\'' } else { c.to_ascii_lowercase() }).collect()
}

/// The longest piece of a template that stands in every line it fits, as [`folded`] writes it.
pub(super) fn piece(template: &str) -> String {
    let template = template.trim_start_matches('…').trim_end_matches('$');
    let mut longest = "";
    let mut rest = template;
    while !rest.is_empty() {
        let (text, after) = rest.split_once('<').unwrap_or((rest, ""));
        if text.len() > longest.len() {
            longest = text;
        }
        rest = after.split_once('>').map_or("", |(_, after)| after);
    }
    folded(longest)
}

/// Places where words may begin.
fn starts(line: &str) -> impl Iterator<Item = usize> {
    line.char_indices().map(|(at, _)| at)
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
    let Some(next) = template.chars().next() else { return Some(says) };
    match next {
        '$' if template.len() == 1 => line.trim_end_matches(['.', ' ', '!']).is_empty().then_some(says),
        '<' => {
            let (hole, after) = template[1..].split_once('>')?;
            fill(hole, after, line, says)
        }
        _ => {
            let have = line.chars().next()?;
            let same = have.eq_ignore_ascii_case(&next) || next == '\'' && is_quote(have);
            same.then(|| fit(&template[next.len_utf8()..], &line[have.len_utf8()..], says))?
        }
    }
}

/// Tries every length of a hole, the shortest first.
fn fill<'l>(hole: &str, after: &str, line: &'l str, says: Says<'l>) -> Option<Says<'l>> {
    let ends = line.char_indices().map(|(at, _)| at).chain([line.len()]);
    for end in ends.skip(usize::from(!hole.is_empty())) {
        let (part, rest) = line.split_at(end);
        if !may_hold(hole, part) {
            return None;
        }
        // Without anything behind it a hole takes all it can.
        if after.is_empty() && end < line.len() && may_hold(hole, &line[..next_end(line, end)]) {
            continue;
        }
        if hole.contains(':') && !part.ends_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let filled = match hole {
            _ if hole.starts_with("it") => Says { it: part, ..says },
            _ if hole.starts_with("of") => Says { of: part, ..says },
            _ => says,
        };
        if let Some(done) = fit(after, rest, filled) {
            return Some(done);
        }
    }
    None
}

fn next_end(line: &str, at: usize) -> usize {
    line[at..].chars().next().map_or(at, |c| at + c.len_utf8())
}

/// Whether a hole may hold this text: words have no spaces, numbers only digits.
fn may_hold(hole: &str, part: &str) -> bool {
    match hole {
        "w" | "itw" | "ofw" => !part.contains(char::is_whitespace),
        "it:?" => part.len() <= 8 && is_code(part, ""),
        _ if hole.starts_with("it:") => is_code(part, &hole[3..]),
        "n" => part.bytes().all(|b| b.is_ascii_digit()),
        _ => true,
    }
}

/// `TS2345`: these letters, then digits. Without letters given, any capital ones. Half a code will do: it may grow.
fn is_code(part: &str, letters: &str) -> bool {
    let digits = part.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let prefix = &part[..part.len() - digits.len()];
    let right =
        if letters.is_empty() { true } else { letters.starts_with(prefix) && (digits.is_empty() || prefix == letters) };
    right && digits.bytes().all(|b| b.is_ascii_digit())
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
