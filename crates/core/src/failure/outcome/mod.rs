//! What became of a call: structure first, then anchored markers.
//!
//! Comes in: what the client said about the end of a call, its command and its output.
//! Goes out: one [`Outcome`]. A word in a file that was read means nothing here; 43 % of real shell
//! calls hide their exit code behind a pipe, so the client's flag alone means little, too.

mod answers;
mod chains;
mod markers;

use crate::normal::programs::{self, Role};
use crate::normal::{command, shell};
use crate::session::{Excerpt, Outcome, ToolKind};

/// How a call ended, as far as the client says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum End {
    /// It ran to its end.
    #[default]
    Normal,
    /// A person or a permission rule refused it.
    Denied,
    /// A hook refused it.
    Blocked,
    /// It was interrupted or cancelled.
    Interrupted,
    /// It took too long.
    TimedOut,
    /// It goes on in the background.
    Background,
}

/// The client's own words on a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The client's error flag.
    pub flag: Option<bool>,
    /// The exit code, where one is told.
    pub code: Option<i32>,
    /// How it ended.
    pub end: End,
}

/// Decides the outcome of a call.
pub(crate) fn decide(kind: ToolKind, line: &str, facts: Facts, output: &Excerpt) -> Outcome {
    match facts.end {
        End::Denied => return Outcome::Denied,
        End::Blocked => return Outcome::Blocked,
        End::Interrupted => return Outcome::Interrupted,
        End::TimedOut => return Outcome::TimedOut,
        End::Background => return Outcome::Background,
        End::Normal => {}
    }
    let failed = facts.code.map_or(facts.flag == Some(true), |code| code != 0);
    if kind != ToolKind::Shell {
        return if failed { Outcome::Failed(facts.code) } else { Outcome::Ok };
    }
    let script = shell::parse(line);
    if failed {
        let quiet = || !markers::opens_or_ends_with_error(&script, output);
        let answered = answers::is_answer(&script, facts.code, output, quiet)
            && !markers::an_earlier_part_failed(&script, output)
            && !chains::did_not_get_there(&script, output);
        return if answered { Outcome::Ok } else { Outcome::Failed(facts.code) };
    }
    markers::hidden_failure(&script, output)
}

/// Whether a command that its client takes for a success failed: its exit code was lost in a pipe or a chain.
pub fn is_hidden_failure(line: &str, output: &Excerpt) -> bool {
    markers::hidden_failure(&shell::parse(line), output) == Outcome::Masked
}

/// The scripts a line hands to other shells.
fn inner_scripts<'s>(script: &'s shell::Script<'_>) -> impl Iterator<Item = &'s str> {
    script.commands.iter().filter_map(|c| command::inner_script(c).or_else(|| in_wsl(c)))
}

/// The script in `wsl -- bash -c '…'`.
fn in_wsl<'s>(command: &'s shell::Simple<'_>) -> Option<&'s str> {
    let mut words = command.words.iter().filter(|_| command::program(command) == "wsl");
    words.find(|w| programs::is(&w.text, Role::Shell))?;
    words.find(|w| w.text.starts_with('-') && w.text.ends_with('c'))?;
    words.next().map(|w| &*w.text)
}

/// What the output alone says of a command whose exit code is not known: used where a client tells none,
/// and compared with the exit code where one does.
pub fn from_output(line: &str, output: &Excerpt) -> Outcome {
    let mut script = shell::parse(line);
    // Without an exit code every command's failure is hidden.
    script.commands.iter_mut().for_each(|c| c.followed = true);
    match markers::hidden_failure(&script, output) {
        Outcome::Masked => Outcome::Failed(None),
        Outcome::Ok if markers::opens_or_ends_with_error(&script, output) => Outcome::Failed(None),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell_outcome(command: &str, code: Option<i32>, output: &str) -> String {
        let facts = Facts { flag: code.map(|c| c != 0), code: code.filter(|c| *c != 0), end: End::Normal };
        decide(ToolKind::Shell, command, facts, &Excerpt::new(output)).to_string()
    }

    #[test]
    fn exit_codes_decide_first() {
        for (command, code, output, outcome) in [
            ("make", Some(2), "make: *** missing separator.  Stop.", "failed(2)"),
            ("ls", Some(0), "error: is a file name", "ok"),
            ("cat notes.md", Some(0), "error: something\nFAIL", "ok"),
        ] {
            assert_eq!(shell_outcome(command, code, output), outcome, "{command}");
        }
    }

    #[test]
    fn an_answer_is_no_failure() {
        for (command, code, output, outcome) in [
            ("grep -rn foo src", 1, "", "ok"),
            ("cd x && rg foo", 1, "", "ok"),
            ("grep foo nothere", 2, "grep: nothere: No such file or directory", "failed(2)"),
            ("diff a b", 1, "< 1\n> 2", "ok"),
            ("test -f x", 1, "", "ok"),
            ("[ -d x ]", 1, "", "ok"),
            ("which foo", 1, "foo not found", "ok"),
            ("command -v foo", 1, "", "ok"),
            ("ls a/*.md 2>/dev/null", 1, "(eval):1: no matches found: a/*.md", "ok"),
            ("ls missing", 2, "ls: cannot access 'missing': No such file or directory", "ok"),
            ("pwd; ls go.mod 2>&1", 2, "/x\nls: cannot access 'go.mod': No such file or directory", "ok"),
            ("ls missing && make", 2, "ls: cannot access 'missing': No such file or directory", "failed(2)"),
            ("cat missing", 1, "cat: missing: No such file or directory", "failed(1)"),
            ("ls src | grep -i cmd && grep -n x src/cmd.go | head", 1, "", "ok"),
            ("go build ./... 2>&1 | tail -3 && go vet ./... | grep -v unsafe && echo OK", 1, "", "ok"),
            ("for f in a b; do\n[ -f $f ] && echo $f\ndone", 1, "a", "ok"),
            ("command -v ruby; ruby --version", 127, "bash: line 1: ruby: command not found", "ok"),
            ("ruby --version", 127, "bash: line 1: ruby: command not found", "failed(127)"),
            ("git rev-parse @{u}", 128, "fatal: no upstream configured for branch 'x'", "ok"),
            ("git rev-parse x", 128, "fatal: not a git repository (or any of the parent directories): .git", "ok"),
            ("gofmt -d .", 1, "--- a\n+++ b", "ok"),
            (
                "go build ./... && gofmt -d x",
                1,
                "pattern ./...: directory prefix . does not contain main module",
                "failed(1)",
            ),
            ("cd src && grep -c x y", 1, "bash: line 1: cd: src: No such file or directory", "failed(1)"),
            ("git diff --quiet", 1, "", "ok"),
            ("pgrep -f server", 1, "", "ok"),
            ("npm test", 1, "1 failing", "failed(1)"),
            ("pytest -q && test -f out.txt", 1, "1 failed, 3 passed in 0.1s", "failed(1)"),
            ("npm run build && grep -c foo dist/a.js", 1, "error: script \"build\" exited with code 1", "failed(1)"),
        ] {
            assert_eq!(shell_outcome(command, Some(code), output), outcome, "{command}");
        }
    }

    #[test]
    fn a_pipe_does_not_hide_a_failing_run() {
        for (command, output, outcome) in [
            ("npm run lint 2>&1 | tail -5", "Found 1 error.\n\nerror: script \"lint\" exited with code 1", "masked"),
            ("bun test 2>&1 | tail -5", " 12 pass\n 3 fail\nRan 15 tests", "masked"),
            ("bun test 2>&1 | tail -5", "error: expected in a test\n 12 pass\n 0 fail\nRan 12 tests", "ok"),
            ("go test ./... 2>&1 | tail -3", "FAIL\nFAIL\texample.com/x\t0.6s\nFAIL", "masked"),
            ("cargo test 2>&1 | tail -20", "error: could not compile `x` (lib) due to 2 previous errors", "masked"),
            (
                "pytest -q | tail -3",
                "FAILED tests/test_a.py::test_b - assert 1 == 2\n1 failed, 3 passed in 0.12s",
                "masked",
            ),
            ("pytest -q | tail -3", "3 passed in 0.12s", "ok"),
            (
                "foo --bad x | head",
                "error: unexpected argument '--bad' found\n\nUsage: foo [OPTIONS]\n\nFor more information, try '--help'.",
                "masked",
            ),
            ("psql -c 'select 1' 2>&1 | head -5", "(eval):1: command not found: psql", "masked"),
            ("ls plugins 2>&1 || echo none", "ls: plugins: No such file or directory\nnone", "ok"),
            ("timeout 5 x; echo \"exit=$?\"", "exit=127", "masked"),
            ("grep -n foo a; echo \"exit: $?\"", "exit: 1", "ok"),
            ("test -f x; echo \"rc=$?\"", "rc=1", "ok"),
            ("node check.js; echo \"rc=$?\"", "status: 200\nrc=0", "ok"),
            ("bash -lc 'npm test 2>&1 | tail -5'", " 9 pass\n 3 fail", "masked"),
            ("docker exec c sh -c 'npm test | tail -5'", " 9 pass\n 3 fail", "masked"),
            ("x; echo \"exit=$?\"", "exit=0", "ok"),
            ("git log | head", "fix: error: FAIL", "ok"),
            ("cat log.txt | tail", "error: script \"lint\" exited with code 1", "ok"),
            ("git add a && git commit -m x", "lint...\nhusky - pre-commit script failed (code 1)", "masked"),
            ("git commit -m x 2>&1 | tail", " 3 fail\n[main 1a2b3c4] x\n 1 file changed", "ok"),
            ("cat > t_test.go <<'E'\nx\nE\ngo test ./... 2>&1 | tail", "--- FAIL: TestX\nFAIL", "unknown"),
            ("cat > t_test.go <<'E'\nx\nE\ngo test ./... 2>&1 | tail", "FAIL\tx [build failed]\nFAIL", "masked"),
            ("ls tools 2>&1 | head -2", "ls: cannot access 'tools': No such file or directory", "ok"),
            (
                "cd web && ls a 2>/dev/null; echo --; ls",
                "bash: line 1: cd: web: No such file or directory\n--\nsrc",
                "masked",
            ),
            ("cd web 2>/dev/null || true; ls", "src", "ok"),
            ("cp a b; ls b", "cp: cannot stat 'a': No such file or directory\nb", "masked"),
            ("wsl -- zsh -c 'cp a b\necho done'", "cp: cannot stat 'a': No such file or directory\ndone", "masked"),
            (
                "grep x a; echo \"== size ==\"; ls b | wc -l",
                "grep: a: No such file or directory\n== size ==\nls: cannot access 'b': No such file or directory",
                "masked",
            ),
            ("grep x a b; ls c", "grep: a: No such file or directory\nb:x\nc", "ok"),
            ("for t in a b; do make $t && echo \"OK $t\" || echo \"FAIL $t\"; done", "OK a\nFAIL b", "masked"),
            ("for t in a b; do make $t && echo \"OK $t\" || echo \"FAIL $t\"; done", "OK a\nOK b", "ok"),
            ("bash -n a.sh && echo fine\necho checked", "bash: a.sh: No such file or directory\nchecked", "masked"),
        ] {
            assert_eq!(shell_outcome(command, Some(0), output), outcome, "{command}\n{output}");
        }
    }

    #[test]
    fn the_clients_word_on_how_it_ended_comes_before_all() {
        let facts = Facts { flag: Some(true), code: None, end: End::Denied };
        assert_eq!(decide(ToolKind::Shell, "rm -rf x", facts, &Excerpt::default()), Outcome::Denied);
    }
}
