//! Before a call: what is said of a kind of file, a place or a program, and commands that always failed here.
//!
//! Comes in: a lesson, or a call that is about to be made. Goes out: the marks that both have if one concerns the other, and the
//! words of a refusal. A lesson has marks only if it names the thing: an ending, a language, a path, a program.

use std::collections::BTreeSet;

use super::CALL_LIMIT;
use super::prompt::says_nothing;
use crate::detect::Kind;
use crate::learn::Lesson;
use crate::moment::ToolUse;
use crate::normal::command::{program, working};
use crate::normal::shell;
use crate::redact::clean;
use crate::session::{ENVELOPE, STOPPED, ToolKind};

/// Under which the marks of a lesson are kept, beside the programs whose errors are.
pub const BEFORE_CALL: &str = "(before a call)";
/// Under which commands are kept that always failed.
pub const GUARD: &str = "(guard)";
/// So many times a command must have failed, and never worked, to be stopped.
pub const FAILURES: u32 = 3;

/// Most marks of one lesson.
const MOST: usize = 12;

/// Languages that people name, and how files of them end.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("css", &["css", "scss", "less"]),
    ("dockerfile", &["dockerfile"]),
    ("golang", &["go"]),
    ("html", &["html", "htm"]),
    ("java", &["java"]),
    ("javascript", &["js", "jsx", "mjs", "cjs"]),
    ("json", &["json"]),
    ("kotlin", &["kt", "kts"]),
    ("makefile", &["makefile"]),
    ("markdown", &["md", "mdx"]),
    ("php", &["php"]),
    ("python", &["py", "pyi"]),
    ("ruby", &["rb"]),
    ("rust", &["rs"]),
    ("sql", &["sql"]),
    ("svelte", &["svelte"]),
    ("swift", &["swift"]),
    ("terraform", &["tf"]),
    ("toml", &["toml"]),
    ("typescript", &["ts", "tsx", "mts", "cts"]),
    ("vue", &["vue"]),
    ("yaml", &["yaml", "yml"]),
];

/// What a lesson is about that can be known before a call; nothing if it is told elsewhere.
pub fn marks_of(lesson: &Lesson) -> BTreeSet<String> {
    let told = matches!(lesson.kind, Kind::Instruction | Kind::Correction | Kind::Decision | Kind::Pitfall);
    let mut marks = BTreeSet::new();
    if !told || lesson.payload.trigger.is_some() || says_nothing(lesson) {
        return marks;
    }
    for word in lesson.payload.statement.split(|c: char| !c.is_alphanumeric() && !"-_./*".contains(c)) {
        marks.extend(named(word.trim_end_matches(['.', '-', '/'])));
    }
    for line in quoted(&lesson.payload.statement).chain(lesson.payload.commands.iter().map(String::as_str)) {
        marks.extend(programs(line).map(|program| format!("run:{program}")));
    }
    while marks.len() > MOST {
        marks.pop_last();
    }
    marks
}

/// The marks of a word: an ending (`*.rs`, `.rs`), a language, a path (`src/db`).
fn named(word: &str) -> Vec<String> {
    let ending = word.strip_prefix('*').unwrap_or(word).strip_prefix('.');
    if let Some(ending) = ending.filter(|e| is_ending(e)) {
        return vec![format!("ext:{}", ending.to_lowercase())];
    }
    let lower = word.to_lowercase();
    if let Some((_, endings)) = LANGUAGES.iter().find(|(name, _)| *name == lower) {
        return endings.iter().map(|e| format!("ext:{e}")).collect();
    }
    let path = word.trim_start_matches("./").trim_matches('*').trim_matches('/');
    let is_path = path.contains('/') && !path.contains("//") && !word.starts_with('/');
    if is_path { vec![format!("path:{path}")] } else { Vec::new() }
}

fn is_ending(text: &str) -> bool {
    (1..=10).contains(&text.len()) && text.chars().all(|c| c.is_ascii_alphanumeric())
}

/// What stands between code marks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The programs that a line runs.
fn programs(line: &str) -> impl Iterator<Item = String> {
    let script = shell::parse(line);
    let named = |name: &str| name.len() > 1 && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c));
    let found: BTreeSet<String> =
        working(&script).iter().map(|c| program(c).to_owned()).filter(|name| named(name)).collect();
    found.into_iter()
}

/// The marks of a call: of an edit its file and the folders above it, of a command its programs. `root` is the top of the
/// working tree.
pub fn marks_in(call: &ToolUse, root: &str) -> Vec<String> {
    match call.kind {
        ToolKind::Shell => programs(&call.input).map(|program| format!("run:{program}")).collect(),
        ToolKind::Edit => of_file(call.input.strip_prefix(root).unwrap_or(&call.input).trim_start_matches('/')),
        _ => Vec::new(),
    }
}

fn of_file(path: &str) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let ending = name.rsplit_once('.').map_or(name.as_str(), |(_, ending)| ending);
    let mut marks = vec![format!("ext:{ending}"), format!("path:{path}")];
    let above = path.match_indices('/').map(|(at, _)| format!("path:{}", &path[..at]));
    marks.extend(above);
    marks
}

/// Why a call is stopped: it failed each time, and what worked instead. `None` if nothing is known that did.
pub fn refusal(lesson: &Lesson) -> Option<String> {
    let (failed, worked) = guarded(lesson)?;
    let text = format!(
        "({ENVELOPE}{STOPPED} `{failed}` failed here every time it was tried. What worked: `{worked}` [{}]. If you need the first \
         one all the same, run it again: it is stopped only once.",
        &lesson.id[..lesson.id.floor_char_boundary(super::SHORT_ID)]
    );
    Some(clean(&text)).filter(|text| text.len() <= CALL_LIMIT)
}

/// The command of a lesson that failed, and the one that worked: it is stopped by exactly that line.
pub fn guarded(lesson: &Lesson) -> Option<(&str, &str)> {
    match &lesson.payload.commands[..] {
        [failed, .., worked] if lesson.kind == Kind::Recovery && failed != worked && !failed.contains('…') => {
            Some((failed, worked))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::by_hand;

    fn call(kind: ToolKind, input: &str) -> ToolUse {
        ToolUse { id: None, tool: String::new(), kind, input: input.to_owned() }
    }

    #[test]
    fn a_lesson_concerns_the_files_and_programs_that_it_names() {
        for (statement, kind, input, concerns) in [
            ("Rust files have no unwrap outside of tests", ToolKind::Edit, "/w/src/a.rs", true),
            ("Rust files have no unwrap outside of tests", ToolKind::Edit, "/w/src/a.py", false),
            ("Every `*.sql` file ends with a semicolon", ToolKind::Edit, "/w/db/up.SQL", true),
            ("Nothing in `src/gen/` is edited by hand", ToolKind::Edit, "/w/src/gen/api/x.ts", true),
            ("Nothing in `src/gen/` is edited by hand", ToolKind::Edit, "/w/src/general/x.ts", false),
            ("Use `pnpm install`, not `npm`", ToolKind::Shell, "cd web && npm install left-pad", true),
            ("Use `pnpm install`, not `npm`", ToolKind::Shell, "yarn install", false),
            ("Answer in English", ToolKind::Edit, "/w/src/a.rs", false),
            ("Use `pnpm install`, not `npm`", ToolKind::Read, "/w/package.json", false),
        ] {
            let marks = marks_of(&by_hand("p", statement, 1));
            let found = marks_in(&call(kind, input), "/w").iter().any(|mark| marks.contains(mark));
            assert_eq!(found, concerns, "{statement} / {input}: {marks:?}");
        }
    }

    #[test]
    fn a_refusal_names_what_worked_and_that_it_comes_once() {
        let mut fix = by_hand("p", "Instead of `make all` run `make every`", 1);
        assert_eq!(refusal(&fix), None, "nothing is known that failed");
        fix.kind = Kind::Recovery;
        fix.payload.commands = ["make all", "make every"].map(str::to_owned).to_vec();
        let said = refusal(&fix).expect("a refusal");
        assert!(said.contains("`make all` failed here") && said.contains("`make every`") && said.contains("only once"));
        fix.payload.commands[1] = "x".repeat(CALL_LIMIT);
        assert_eq!(refusal(&fix), None, "too long to be read");
    }
}
