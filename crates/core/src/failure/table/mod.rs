//! The table of families: what clients, shells and programs say when something went wrong, and what it is about.
//!
//! One row: a family, whose words they are, how much they weigh, the words (`says` explains templates), what the subject
//! is made of, and cases: input (`Tool § input` if it is not a shell), output, subject. A new kind of trouble is a new row in one
//! of these files and nothing else. Words are those of the tools' own messages, as they print them for everybody.

mod checks;
mod paths;
mod refusals;
mod runs;
mod shells;
mod surroundings;
mod tools;
mod usage;

use super::family::Family;
use super::says::Says;

/// Whose words a row knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// Anybody's.
    Any,
    /// A shell's, or those of a program that runs in one.
    Shell,
    /// Those of another tool of the agent.
    Tool,
}

/// How much words weigh against others in the same output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// Only that there is an error.
    Least,
    /// They may stand in any output: they count if nothing else does.
    Light,
    /// A program speaks of its own trouble.
    Plain,
    /// A program says how it was called wrongly, or what it lacks: it did not begin to work.
    Firm,
    /// What a runner says in the end.
    Verdict,
    /// The client or the shell itself speaks: nothing ran.
    Sure,
}

/// What the subject is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// The named part.
    It,
    /// Both named parts, the second first.
    OfAndIt,
    /// The named part is a path.
    Path,
    /// The call's own input is the path.
    Input,
    /// The named part is an address; without one it is the program.
    Host,
    /// Always these words.
    Fixed(&'static str),
    /// A rule of this checker.
    Rule(&'static str),
    /// The client's tool, and what it wants.
    Tool(&'static str),
    /// The client's tool, and the named part.
    ToolIt,
    /// The program that speaks.
    Program,
    /// The same of this program, which is known by its words: in a chain it need not be the first.
    By(&'static str),
    /// The program that speaks, and these words.
    ProgramAnd(&'static str),
    /// The program that speaks, and the named part.
    ProgramIt,
    /// The program that speaks, and the named part with this ending: the kind of an error.
    ProgramKind(&'static str),
}

/// Input, output, subject.
type Case = (&'static str, &'static str, &'static str);

/// One row.
pub(super) struct Row {
    pub family: Family,
    pub of: Of,
    pub weight: Weight,
    pub says: &'static [&'static str],
    pub subject: Subject,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test runs them"))]
    pub cases: &'static [Case],
    only: Only,
}

/// When else a row holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Only {
    Always,
    /// The named part is no word: `==`, `(`.
    NoWord,
    /// A tool speaks that every system has in its own flavour.
    OldTools,
    /// The named part is a package, not a path.
    Package,
}

const fn row(
    family: Family,
    of: Of,
    weight: Weight,
    says: &'static [&'static str],
    subject: Subject,
    cases: &'static [Case],
) -> Row {
    Row { family, of, weight, says, subject, cases, only: Only::Always }
}

impl Row {
    const fn only(self, only: Only) -> Self {
        Self { only, ..self }
    }

    /// Whether what was found is what the row means.
    pub fn fits(&self, says: &Says<'_>) -> bool {
        match self.only {
            Only::Always => true,
            Only::NoWord => !says.it.chars().any(char::is_alphanumeric),
            Only::OldTools => OLD_TOOLS.contains(&says.of),
            Only::Package => !says.it.contains(['\\', ':']) && !says.it.starts_with(['.', '/']),
        }
    }
}

/// Tools that differ between systems: GNU, BSD, BusyBox.
const OLD_TOOLS: &[&str] = &[
    "awk", "base64", "cat", "cp", "cut", "date", "df", "du", "find", "grep", "head", "ln", "ls", "mktemp", "mv", "ps",
    "readlink", "realpath", "sed", "sort", "stat", "tail", "tar", "touch", "tr", "uniq", "wc", "xargs",
];

/// All rows. Of equal weight the first counts: who knows more comes before who knows less.
const ROWS: &[&[Row]] = &[
    tools::ROWS,
    refusals::ROWS,
    shells::ROWS,
    usage::ROWS,
    surroundings::ROWS,
    checks::ROWS,
    runs::ROWS,
    paths::ROWS,
];

/// Every row, in order.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().copied().flatten()
}
