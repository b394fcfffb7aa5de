//! A source file as the rules see it: its lines, without comments and the insides of strings.

pub(super) struct Source<'t> {
    pub file: &'t str,
    pub lines: Vec<Line<'t>>,
}

pub(super) struct Line<'t> {
    pub number: usize,
    pub text: &'t str,
    /// Without comments and the insides of strings.
    pub code: String,
    /// Part of tests.
    pub test: bool,
}

impl<'t> Source<'t> {
    pub fn new(file: &'t str, text: &'t str) -> Self {
        let whole = is_test_file(file);
        let lines: Vec<&str> = text.lines().collect();
        let tests_from = lines.windows(2).position(|w| {
            w[0].trim() == "#[cfg(test)]"
                && w[1].contains("mod ")
                && w[1].trim_end().ends_with('{')
                && !w[1].starts_with(' ')
        });
        let lines = lines.iter().enumerate().map(|(i, text)| Line {
            number: i + 1,
            text,
            code: code_of(text),
            test: whole || tests_from.is_some_and(|from| i >= from),
        });
        Self { file, lines: lines.collect() }
    }
}

pub(super) fn is_test_file(file: &str) -> bool {
    file.starts_with("crates/testkit/")
        || file.split('/').any(|part| part == "tests" || part == "tests.rs" || part == "benches" || part == "fuzz")
}

/// A line without its comment and the insides of its strings.
pub(super) fn code_of(line: &str) -> String {
    let mut code = String::new();
    let mut chars = line.chars().peekable();
    let mut in_string = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' if in_string => {
                chars.next();
            }
            '\'' if !in_string && chars.peek() == Some(&'"') => {
                chars.next();
                code.push_str("'_");
            }
            '"' => {
                in_string = !in_string;
                code.push('"');
            }
            '/' if !in_string && chars.peek() == Some(&'/') => break,
            _ if in_string => {}
            _ => code.push(c),
        }
    }
    code
}

/// Where a word stands by itself in code: `uptake::` is no part of `my_uptake::`.
pub(super) fn has_word(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}
