//! Whether two happenings belong together: the file an output names, the words two texts share.

use memchr::memmem;

use super::texts::parts;
use crate::session::{Call, Excerpt, ToolKind};

/// The file a call changed, if it did.
pub(super) fn edited(call: &Call) -> Option<&str> {
    (call.kind == ToolKind::Edit && !call.outcome.is_failure() && !call.input.is_empty()).then_some(call.input.as_str())
}

/// The name of a file without its folder.
pub(super) fn base(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Whether a text names a file: by its name as a word, and where it also gives a folder, by the same one.
pub(super) fn names(text: &str, path: &str) -> bool {
    let name = base(path);
    if name.len() < 4 {
        return false;
    }
    let folder = path[..path.len() - name.len()].trim_end_matches(['/', '\\']);
    memmem::find_iter(text.as_bytes(), name.as_bytes()).any(|at| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let goes_on = after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'))
            || after.strip_prefix('.').is_some_and(|r| r.starts_with(|c: char| c.is_alphanumeric()));
        let told = before.strip_suffix(['/', '\\']);
        let same_folder = told.is_none_or(|t| folder.is_empty() || base(t).ends_with(base(folder)));
        let begins = told.is_some() || !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
        begins && !goes_on && same_folder
    })
}

/// The same for both ends of an output; a test that is named after the file names it, too.
pub(super) fn concerns(output: &Excerpt, path: &str) -> bool {
    if parts(output).any(|p| names(p, path)) {
        return true;
    }
    let name = base(path);
    let Some((stem, end)) = name.rsplit_once('.').filter(|(s, _)| s.len() >= 5) else { return false };
    let tests = [
        format!("{stem}.test.{end}"),
        format!("{stem}.spec.{end}"),
        format!("{stem}_test.{end}"),
        format!("test_{stem}.{end}"),
    ];
    tests.iter().any(|test| parts(output).any(|p| names(p, test)))
}

/// Words that say something: longer than four letters, and not found everywhere.
fn telling(text: &str) -> Vec<String> {
    const COMMON: &[&str] = &[
        "about", "after", "again", "against", "because", "before", "being", "broken", "cannot", "change", "changed",
        "changes", "check", "class", "could", "doesn", "error", "errors", "every", "failed", "failing", "fails",
        "files", "first", "fixed", "found", "function", "going", "issue", "issues", "needs", "other", "passes",
        "please", "problem", "right", "should", "since", "still", "tests", "their", "there", "these", "thing", "think",
        "those", "through", "under", "using", "value", "which", "while", "without", "working", "works", "would",
        "wrong",
    ];
    let mut words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|w| w.len() > 4)
        .map(str::to_lowercase)
        .filter(|w| !COMMON.contains(&w.as_str()))
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// How many telling words two texts share.
pub(super) fn shared(a: &str, b: &str) -> usize {
    let (a, b) = (telling(a), telling(b));
    a.iter().filter(|w| b.binary_search(w).is_ok()).count()
}

/// Whether an error line is specific: a code, a named exception, a symbol.
pub(super) fn specific(line: &str) -> bool {
    if line.contains("exited with code") || line.contains("could not compile") {
        return false;
    }
    let named = |w: &str| ["Error", "Exception"].iter().any(|e| w.len() > e.len() + 2 && w.ends_with(e));
    let coded = |w: &str| {
        let letters = w.bytes().take_while(u8::is_ascii_uppercase).count();
        let digits = w.len() > letters && w[letters..].bytes().all(|b| b.is_ascii_digit());
        ((1..=6).contains(&letters) && digits && w.len() >= letters + 3)
            || (w.len() >= 5 && w.starts_with('E') && letters == w.len() && w != "ERROR")
            || w.starts_with("ERR_")
    };
    let plain = |w: &str| {
        let (end, rest) = (['\'', '`', '"'], w.trim_end_matches([',', '.', ':', ';', ')']));
        let inner = rest.strip_prefix(end).and_then(|r| r.strip_suffix(end)).unwrap_or_default();
        inner.len() >= 3 && inner.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-@/:".contains(&b))
    };
    line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| named(w) || coded(w))
        || line.split_whitespace().any(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_as_a_word() {
        for (text, path, expected) in [
            ("src/a/lib.rs:3: error", "/home/u/src/a/lib.rs", true),
            ("src/b/lib.rs:3: error", "/home/u/src/a/lib.rs", false),
            ("lib.rs:3: error", "/home/u/src/a/lib.rs", true),
            ("mylib.rs:3: error", "lib.rs", false),
            ("see README.md.bak", "README.md", false),
            ("(README.md)", "README.md", true),
            ("nothing", "README.md", false),
            ("ä/lib.rs", "ä/lib.rs", true),
        ] {
            assert_eq!(names(text, path), expected, "{text} {path}");
        }
        assert!(concerns(&Excerpt::new("FAIL src/parser.test.ts > reads"), "src/parser.ts"));
    }

    #[test]
    fn a_specific_error_has_a_code_a_name_or_a_symbol() {
        for (line, expected) in [
            ("error[E0308]: mismatched types", true),
            ("a.ts(1,2): error TS2345: wrong", true),
            ("ModuleNotFoundError: No module named x", true),
            ("ENOENT: not there", true),
            ("cannot find value `total` in this scope", true),
            ("Error: something went wrong", false),
            ("ERROR: build failed", false),
            ("1 failing", false),
            ("error: script \"lint\" exited with code 1", false),
        ] {
            assert_eq!(specific(line), expected, "{line}");
        }
    }
}
