//! Well-known errors of shells, systems and tools, with what their manuals advise.
//!
//! A row only words what to do. That it is said at all is decided by recurrence: a failure that did not come up in several
//! sessions brings none of this up. At most [`MOST`] rows.

use crate::failure::Family::{self, *};

/// When words of a manual are of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// At the start of a session and after the failure.
    Always,
    /// At the start only: the error itself says the same.
    Before,
    /// After the failure only: without it they are about nothing.
    After,
}

/// A well-known error.
struct Advice {
    family: Family,
    /// The subject; `*` at its start or end stands for anything, and `{}` in the words for that part.
    subject: &'static str,
    /// What the line of the error must hold, in small letters; empty if the subject says it all.
    error: &'static str,
    says: &'static str,
    when: When,
}

/// The words of a manual for a failure, if it is well known, and when they are of use.
pub(super) fn advice(family: Family, subject: &str, error: &str) -> Option<(String, When)> {
    // To measure what recurrence does without these words.
    if cfg!(feature = "without-advice") {
        return None;
    }
    let error = error.to_lowercase();
    ROWS.iter().filter(|row| row.family == family && error.contains(row.error)).find_map(|row| {
        let it = part(row.subject, subject)?;
        Some((row.says.replace("{}", it), row.when))
    })
}

/// What stands for the `*` of a pattern.
fn part<'s>(pattern: &str, subject: &'s str) -> Option<&'s str> {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => subject.strip_suffix(end),
        (None, Some(start)) => subject.strip_prefix(start),
        (None, None) => (pattern == subject).then_some(subject),
    }
}

const fn row(family: Family, subject: &'static str, error: &'static str, says: &'static str) -> Advice {
    Advice { family, subject, error, says, when: When::Always }
}

impl Advice {
    const fn only(self, when: When) -> Self {
        Self { when, ..self }
    }
}

#[rustfmt::skip]
const ROWS: &[Advice] = &[
    // The agent's own tools.
    row(ToolPrecondition, "* not-read", "", "Open a file with Read before Edit or Write, a few lines suffice; what `cat`, `sed` or Grep showed does not count."),
    row(ToolPrecondition, "* changed-since-read", "", "Formatters, hooks, stashes and other sessions change files: after they ran, Read a file again before Edit.").only(When::Before),
    row(ToolPrecondition, "* not-found", "", "Read the lines right before you change them and copy the old text exactly: tabs and spaces at the start of lines count. One short line that stands there once is enough."),
    row(ToolPrecondition, "* ambiguous", "", "For Edit take lines around the text into old_string until it stands there once, such as the function's; replace_all only if all shall change.").only(When::Before),
    row(ToolPrecondition, "* no-change", "", "The change may be there already: Grep for it before another Edit.").only(When::After),
    row(ToolPrecondition, "* too-large", "", "Large files: Grep for the place first, then Read with offset and limit; where single lines are huge, cut them in the shell (`jq`, `cut -c`, `head -c`).").only(When::Before),
    row(ToolPrecondition, "* not-ready", "snapshot", "Take a new snapshot first and use the names it gives: those of an older one are gone.").only(When::After),
    row(WrongUsage, "* directory", "", "Read opens files only: list a folder with `ls` or Glob, then Read a file in it."),
    row(WrongUsage, "*pattern", "look-a", "ripgrep has no look-around and no back references: rewrite the pattern without them, or run `rg -P` in the shell."),
    row(WrongUsage, "*pattern", "regex parse", "The pattern is a regular expression: escape `{`, `(` and `[` with a backslash, or search for the plain text (`rg -F`)."),
    row(WrongUsage, "*arguments", "parsed as json", "Every value of a call needs its name: `\"offset\": 10, \"limit\": 20`, never two numbers behind one name.").only(When::After),
    row(ToolUnavailable, "*", "posix_spawn", "The client was upgraded while it ran and cannot start its search tools: use `grep -rn` and `find` in the shell until it is restarted.").only(When::After),
    row(ToolUnavailable, "*", "unknown skill", "There is no skill `{}` here: do its steps directly in the shell."),
    row(TimeOut, "mcp_*", "intercepts pointer events", "Something covers the element: click the visible label or wrapper instead of the input.").only(When::After),
    // Shells.
    row(ShellDialect, "=*", "", "The shell is zsh: a word that begins with `=` is taken for a program. Quote it: `echo '==='`."),
    row(ShellDialect, "glob without a match", "", "The shell is zsh: a pattern without a match stops the whole command. Quote patterns that are for the program (`'*.txt'`), and list the folder first."),
    row(ShellDialect, "posix path", "", "Programs of Windows do not know `/tmp` and `/c/` of this shell: give them `C:/…`, a relative path, or `$(cygpath -w FILE)`."),
    row(ShellDialect, "shell syntax", "goto :error", "The program is a batch file on this machine: an argument of several lines breaks. Write a script file, or pipe the code in (`- <<'EOF'`)."),
    row(ShellDialect, "shell syntax", "permission denied", "A backslash at the end of a line did not continue it: write the command on one line, or make separate calls."),
    row(ShellDialect, "shell syntax", "read-only variable", "zsh keeps names such as `status` for itself: use another name."),
    row(ShellDialect, "PowerShell syntax", "", "The shell is PowerShell: no `&&`, no heredocs, `;` between commands, `$env:NAME` for variables."),
    // Tools that differ from system to system.
    row(ShellDialect, "cat A", "", "This `cat` has no `-A`: `cat -vet` or `od -c` shows tabs and line ends."),
    row(ShellDialect, "grep P", "", "This `grep` has no `-P`: use `grep -E`, `rg` or `perl -ne`."),
    row(ShellDialect, "sed", "invalid command code", "This is BSD `sed`: `-i` needs an argument (`-i ''`); for more than that use `perl -pi -e`."),
    row(ShellDialect, "sed", "can't read", "This is GNU `sed`: `-i` without a separate `''`."),
    row(ShellDialect, "date*", "", "This is BSD `date`: `date -v-1d` and `date -r SECONDS`, not `-d`."),
    row(ShellDialect, "stat*", "", "This is BSD `stat`: `stat -f FORMAT`, not `-c` or `--format`."),
    row(ShellDialect, "head", "", "This `head` takes no negative count: `sed '$d'` drops the last line."),
    row(MissingProgram, "timeout", "", "There is no `timeout` here: leave it out and set a limit on the call itself, or use `perl -e 'alarm N; exec @ARGV'`."),
    // git and its hosts.
    row(MissingStep, "git*", "index.lock", "Another git process holds the lock for a moment: wait a few seconds and run the same command again; do not remove the lock.").only(When::After),
    row(MissingPath, ".git/index.lock", "", "The lock is gone by itself: run the git command again, without `rm` (or with `rm -f`).").only(When::After),
    row(MissingStep, "git*", "would be overwritten", "Files were changed meanwhile, perhaps by a formatter or `--fix`: `git checkout --` those you did not change yourself, or commit, then repeat; do not drop a stash.").only(When::After),
    row(Conflict, "git push", "", "The remote branch has moved: `git pull --rebase`, then push again.").only(When::After),
    row(Refused, "git push", "protected", "The branch is protected: push another branch and open a pull request; merge when its checks have passed."),
    row(Refused, "gh pr*", "auto merge", "Auto-merge is switched off: leave out `--auto`, wait for the checks (`gh pr checks --watch`), then merge."),
    row(WrongUsage, "gh repository", "", "The owner or the name of the repository was guessed: `gh repo view --json nameWithOwner` tells both.").only(When::After),
    row(WrongUsage, "git add ignored path", "", "The path is ignored on purpose: leave it local and do not force it in.").only(When::After),
    row(WrongUsage, "git diff", "ambiguous argument", "Paths are told from the shell's folder: run it at the root, with `--` before the paths.").only(When::After),
    // Checks.
    row(CheckFinding, "golangci-lint errcheck", "", "Handle or return every error; to discard it with `_` fails, too, where blanks are checked. Where it is meant: `//nolint:errcheck // reason`."),
    row(ProgramError, "python3 json.decoder.JSONDecodeError", "", "Look at the start of the data first (`head -c 300`): it may be empty, cut, or not JSON.").only(When::After),
];

/// Most rows: what is learned here must not become a list of everything.
#[cfg(test)]
const MOST: usize = 40;

#[cfg(all(test, not(feature = "without-advice")))]
mod tests {
    use super::*;

    #[test]
    fn there_are_few_rows_and_each_is_short() {
        assert!(ROWS.len() <= MOST);
        for row in ROWS {
            assert!(row.says.len() <= 180 && row.says.ends_with('.'), "{}", row.says);
            assert!(row.error.chars().all(|c| !c.is_uppercase()), "{}", row.error);
        }
    }

    #[test]
    fn a_row_needs_family_subject_and_words() {
        assert!(advice(ToolPrecondition, "Edit not-read", "File has not been read yet.").is_some());
        assert_eq!(advice(WrongUsage, "Edit not-read", "File has not been read yet."), None);
        assert_eq!(advice(MissingStep, "git commit", "nothing added to commit"), None);
        let (said, _) = advice(ToolUnavailable, "commit", "Unknown skill: commit").expect("known");
        assert!(said.contains("`commit`"), "{said}");
    }
}
