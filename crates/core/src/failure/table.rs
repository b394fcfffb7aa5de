//! The table of families: what clients, shells and programs say when something went wrong, and what it is about.
//!
//! One row: a family, whose words they are, how much they weigh, the words (`says` explains templates), what the subject
//! is made of, and cases: input (`Tool § input` if it is not a shell), output, subject. A new kind of trouble is a new row here
//! and nothing else. Words are those of the tools' own messages, as they print them for everybody.

use super::family::Family::{
    self, CheckFinding, Conflict, MissingPath, MissingProgram, MissingStep, Network, ProgramError, Refused, Sandbox,
    ShellDialect, TestResult, TimeOut, ToolPrecondition, ToolUnavailable, WrongFolder, WrongUsage,
};
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

use Of::{Any, Shell, Tool};
use Subject::{Fixed, Host, It, OfAndIt, Path, Program, ProgramAnd, ProgramIt, Rule, ToolIt};
use Weight::{Firm, Least, Light, Plain, Sure, Verdict};

#[rustfmt::skip]
pub(super) const TABLE: &[Row] = &[
    // A tool of the agent wants something first.
    row(ToolPrecondition, Any, Sure, &["…has not been read yet", "…You must read the file", "…You must read file", "…must read the file before", "…must be read before"], Subject::Tool("not-read"), &[
        ("Edit § a.rs", "File has not been read yet. Read it first before writing to it.", "Edit not-read"),
        ("Write § a.rs", "You must read the file /x/a.rs before overwriting it.", "Write not-read"),
        ("write § a.rs", "You must read file /x/a.rs before overwriting it.", "write not-read"),
        ("Edit § a.rs", "Tools must read the file before changing it", "Edit not-read"),
        ("Edit § a.rs", "a.rs must be read before it is edited", "Edit not-read"),
    ]),
    row(ToolPrecondition, Any, Sure, &["…has been modified since", "…changed since it was last read", "…has been unexpectedly modified"], Subject::Tool("changed-since-read"), &[
        ("Edit § a.rs", "File has been modified since read, either by the user or by a linter. Read it again.", "Edit changed-since-read"),
        ("Edit § a.rs", "The file changed since it was last read.", "Edit changed-since-read"),
        ("Edit § a.rs", "File has been unexpectedly modified. Read it again.", "Edit changed-since-read"),
    ]),
    row(ToolPrecondition, Any, Sure, &["…String to replace not found", "…Failed to find expected lines", "…Failed to find context", "…oldString not found", "…old_string not found", "…could not find the string to replace", "…Could not find oldString", "…Could not find the exact text", "…0 occurrences found"], Subject::Tool("not-found"), &[
        ("Edit § a.rs", "String to replace not found in file.\nString: x", "Edit not-found"),
        ("apply_patch § a.rs", "apply_patch verification failed: Failed to find expected lines in a.rs:\n  x", "apply_patch not-found"),
        ("apply_patch § a.rs", "Failed to find context 'x' in a.rs", "apply_patch not-found"),
        ("edit § a.rs", "Error: oldString not found in content", "edit not-found"),
        ("edit § a.rs", "old_string not found in a.rs", "edit not-found"),
        ("Edit § a.rs", "Failed to edit, could not find the string to replace.", "Edit not-found"),
        ("edit § a.rs", "Could not find oldString in the file. It must match exactly.", "edit not-found"),
        ("edit § a.rs", "Could not find the exact text in a.rs.", "edit not-found"),
        ("replace § a.rs", "Failed to edit, 0 occurrences found for old_string", "replace not-found"),
    ]),
    row(ToolPrecondition, Any, Sure, &["Found <n> matches of the string", "…found multiple matches for oldString", "…but found <n> occurrences", "…Found multiple matches"], Subject::Tool("ambiguous"), &[
        ("Edit § a.rs", "Found 3 matches of the string to replace, but replace_all is false.", "Edit ambiguous"),
        ("edit § a.rs", "Error: Found multiple matches for oldString. Provide more surrounding lines.", "edit ambiguous"),
        ("replace § a.rs", "Failed to edit, expected 1 occurrence but found 2 occurrences", "replace ambiguous"),
    ]),
    row(ToolPrecondition, Any, Sure, &["No changes to make", "…oldString and newString must be different", "No changes to apply"], Subject::Tool("no-change"), &[
        ("Edit § a.rs", "No changes to make: old_string and new_string are exactly the same.", "Edit no-change"),
        ("edit § a.rs", "Error: oldString and newString must be different", "edit no-change"),
        ("replace § a.rs", "No changes to apply. The old_string and new_string are identical.", "replace no-change"),
    ]),
    row(ToolPrecondition, Any, Sure, &["…exceeds maximum allowed tokens", "…exceeds maximum allowed size", "…is too large to read", "…exceeds the maximum"], Subject::Tool("too-large"), &[
        ("Read § a.rs", "File content (31000 tokens) exceeds maximum allowed tokens (25000). Use offset and limit.", "Read too-large"),
        ("Read § a.rs", "File content (300KB) exceeds maximum allowed size (256KB).", "Read too-large"),
        ("Read § a.rs", "The file is too large to read at once", "Read too-large"),
        ("mcp__x__y § ", "Result exceeds the maximum length", "mcp__x__y too-large"),
    ]),
    row(ToolPrecondition, Tool, Sure, &["…file already exists", "…does not handle the modal state", "…pane is not displayed", "…Task not found", "…No task found with"], Subject::Tool("not-ready"), &[
        ("Write § a.rs", "Cannot create new file - file already exists.", "Write not-ready"),
        ("mcp__x__y § ", "Error: Tool \"y\" does not handle the modal state.", "mcp__x__y not-ready"),
        ("mcp__x__y § ", "the browser pane is not displayed", "mcp__x__y not-ready"),
        ("TaskUpdate § ", "Task not found", "TaskUpdate not-ready"),
        ("TaskOutput § ", "No task found with ID: b1", "TaskOutput not-ready"),
    ]),
    // A tool is not there.
    row(ToolUnavailable, Any, Sure, &["…No such tool available: <itw>", "…Unknown skill: <itw>", "…Agent type '<it>' not found", "…tool '<it>' not found", "…Tool '<it>' is not available", "…MCP server '<it>' is not connected", "…Skill <it> cannot be used", "…unsupported call: <itw>", "…Unknown tool: <itw>", "…model '<it>' not found"], It, &[
        ("Foo § ", "<tool_use_error>Error: No such tool available: Foo</tool_use_error>", "Foo</tool_use_error>"),
        ("Skill § ", "Unknown skill: tidy", "tidy"),
        ("Task § ", "Agent type 'planner' not found. Available agents: x", "planner"),
        ("x § ", "tool 'peek' not found", "peek"),
        ("x § ", "Tool 'peek' is not available", "peek"),
        ("mcp__a__b § ", "MCP server 'a' is not connected", "a"),
        ("Skill § ", "Skill tidy cannot be used with the Skill tool", "tidy"),
        ("x § ", "unsupported call: peek", "peek"),
        ("x § ", "Unknown tool: peek", "peek"),
        ("Task § ", "model 'big-one' not found", "big-one"),
    ]),
    row(ToolUnavailable, Tool, Firm, &["…posix_spawn", "MCP error -<n>: Connection closed", "…ripgrep <>failed", "…EAGAIN", "…Internal error", "…not initialized", "…is disabled", "…overloaded_error"], Subject::Tool(""), &[
        ("Grep § x", "ENOENT: no such file or directory, posix_spawn '/opt/rg'", "Grep"),
        ("mcp__a__b § ", "MCP error -32000: Connection closed", "mcp__a__b"),
        ("Grep § x", "ripgrep search failed", "Grep"),
        ("Grep § x", "spawn /opt/rg EAGAIN", "Grep"),
        ("mcp__a__b § ", "Internal error", "mcp__a__b"),
        ("LSP § x", "server not initialized", "LSP"),
        ("Task § x", "This kind of agent is disabled", "Task"),
        ("Task § x", "{\"type\":\"overloaded_error\"}", "Task"),
    ]),
    // A tool was called in the wrong way.
    row(WrongUsage, Any, Sure, &["…The required parameter '<it>' is missing", "…An unexpected parameter '<it>' was provided", "…The parameter '<it>' type is expected", "…missing field '<it>'", "…unknown field '<it>'", "…must have required property '<it>'", "…missing required parameter '<it>'"], ToolIt, &[
        ("Monitor § ", "<tool_use_error>InputValidationError: Monitor failed:\nThe required parameter `query` is missing", "Monitor query"),
        ("Grep § ", "An unexpected parameter `glob_` was provided", "Grep glob_"),
        ("Grep § ", "The parameter `head` type is expected as `number` but provided as `string`", "Grep head"),
        ("exec_command § ", "failed to parse function arguments: missing field `cmd`", "exec_command cmd"),
        ("exec_command § ", "failed to parse function arguments: unknown field `dir`", "exec_command dir"),
        ("x § ", "params must have required property 'path'", "x path"),
        ("x § ", "missing required parameter 'path'", "x path"),
    ]),
    row(WrongUsage, Any, Firm, &["…InputValidationError", "…called with invalid arguments", "…invalid arguments", "…MCP error -32602", "…Input validation error", "…failed to parse function arguments", "…Error parsing arguments", "…Argument Validation Error"], Subject::Tool("arguments"), &[
        ("Monitor § ", "<tool_use_error>InputValidationError: something", "Monitor arguments"),
        ("bash § ", "The bash tool was called with invalid arguments: [", "bash arguments"),
        ("bash § ", "Tool got invalid arguments", "bash arguments"),
        ("mcp__a__b § ", "MCP error -32602: Invalid params", "mcp__a__b arguments"),
        ("mcp__a__b § ", "Input validation error: voice", "mcp__a__b arguments"),
        ("shell § ", "failed to parse function arguments: EOF", "shell arguments"),
        ("shell § ", "Error parsing arguments", "shell arguments"),
        ("mcp__a__b § ", "Argument Validation Error", "mcp__a__b arguments"),
    ]),
    row(WrongUsage, Tool, Sure, &["EISDIR", "…illegal operation on a directory", "…Path is a directory"], Subject::Tool("directory"), &[
        ("Read § src", "EISDIR: illegal operation on a directory, read", "Read directory"),
        ("Read § src", "illegal operation on a directory", "Read directory"),
        ("Read § src", "Path is a directory, not a file: src", "Read directory"),
    ]),
    row(WrongUsage, Any, Firm, &["…regex parse error", "…look-around<>is not supported", "…invalid regular expression", "…Invalid regex"], ProgramAnd("pattern"), &[
        ("Grep § x", "regex parse error:\n  (?=x)", "Grep pattern"),
        ("rg '(?=x)' src", "error: look-around, including look-ahead, is not supported", "rg pattern"),
        ("grep -E '*a(' x", "grep: invalid regular expression", "grep pattern"),
        ("Grep § x", "Invalid regex: (", "Grep pattern"),
    ]),
    // The client, a rule, a hook or a server says no.
    row(Refused, Any, Sure, &["Permission to use <it> has been denied", "…doesn't want to proceed", "…blocked by hook", "…hook error", "…was rejected by the user", "…denied by<>policy", "Claude requested permissions"], Program, &[
        ("rm -rf x", "Permission to use Bash has been denied.", "rm"),
        ("rm -rf x", "The user doesn't want to proceed with this tool use.", "rm"),
        ("git push origin main", "PreToolUse: blocked by hook", "git push"),
        ("Write § a.yml", "PreToolUse:Write hook error: no", "Write"),
        ("rm x", "exec command was rejected by the user", "rm"),
        ("rm x", "denied by the policy", "rm"),
        ("Write § x", "Claude requested permissions to write to x, but you haven't granted it yet.", "Write"),
    ]),
    row(Refused, Shell, Sure, &["Blocked: <itw> <>followed by"], It, &[
        ("sleep 90; ls", "Blocked: sleep 90 followed by: ls", "sleep"),
    ]),
    row(Refused, Shell, Firm, &["…protected branch", "…[remote rejected]", "…pre-receive hook declined", "…push declined", "…GH006", "…GH013", "…refusing to allow"], Fixed("git push"), &[
        ("git push origin main", "remote: error: GH006: Protected branch update failed for refs/heads/main.", "git push"),
        ("git push", " ! [remote rejected] main -> main (hook declined)", "git push"),
        ("git push", "remote: pre-receive hook declined", "git push"),
        ("git push", "remote: push declined due to a rule", "git push"),
        ("git push", "remote: - GH013: Repository rule violations found", "git push"),
        ("git push", "refusing to allow an app to create or update a workflow", "git push"),
    ]),
    row(Refused, Any, Firm, &["…HTTP 401", "…HTTP 403", "…401 Unauthorized", "…403 Forbidden", "…status code 403", "…status code 401", "…Bad credentials", "…Authentication failed", "…Permission denied (publickey", "…could not read Username", "…Resource not accessible", "…access denied", "…AccessDenied", "…not authorized", "…Unauthorized", "Permission to <> denied to"], Program, &[
        ("gh api user", "gh: Requires authentication (HTTP 401)", "gh api"),
        ("gh api x", "gh: Must have admin rights (HTTP 403)", "gh api"),
        ("npm publish", "npm ERR! 401 Unauthorized - PUT x", "npm publish"),
        ("npm publish", "npm ERR! 403 Forbidden - PUT x", "npm publish"),
        ("WebFetch § https://x.example", "Request failed with status code 403", "WebFetch"),
        ("WebFetch § https://x.example", "Request failed with status code 401", "WebFetch"),
        ("gh api user", "Bad credentials", "gh api"),
        ("git push", "fatal: Authentication failed for 'https://x.example/y'", "git push"),
        ("git fetch", "git@x.example: Permission denied (publickey).", "git fetch"),
        ("git push", "fatal: could not read Username for 'https://x.example': terminal prompts disabled", "git push"),
        ("gh api x", "Resource not accessible by integration", "gh api"),
        ("aws s3 ls", "access denied", "aws"),
        ("aws s3 ls", "An error occurred (AccessDenied) when calling the ListBuckets operation", "aws"),
        ("kubectl get pods", "you are not authorized to list pods", "kubectl"),
        ("curl x", "{\"message\":\"Unauthorized\"}", "curl"),
        ("git push", "remote: Permission to a/b.git denied to c.", "git push"),
    ]),
    row(Refused, Shell, Firm, &["…is not mergeable", "…base branch policy prohibits", "…Auto merge is not allowed", "…Auto-merge is not", "…(mergePullRequest)", "…Pull request is in"], Program, &[
        ("gh pr merge 3", "Pull request #3 is not mergeable: the merge commit cannot be cleanly created.", "gh pr"),
        ("gh pr merge 3", "X the base branch policy prohibits the merge", "gh pr"),
        ("gh pr merge 3 --auto", "GraphQL: Auto merge is not allowed for this repository", "gh pr"),
        ("gh pr merge 3 --auto", "Auto-merge is not enabled", "gh pr"),
        ("gh pr merge 3", "GraphQL: All comments must be resolved. (mergePullRequest)", "gh pr"),
        ("gh pr merge 3", "GraphQL: Pull request is in clean status", "gh pr"),
    ]),
    row(Refused, Shell, Firm, &["…agent refused operation", "…failed to sign the data", "…gpg failed to sign", "…failed to write commit object"], Fixed("git commit signing"), &[
        ("git commit -m x", "Couldn't sign message (signer): agent refused operation?", "git commit signing"),
        ("git commit -m x", "error: gpg failed to sign the data", "git commit signing"),
        ("git commit -m x", "fatal: failed to write commit object", "git commit signing"),
    ]),
    // It took too long.
    row(TimeOut, Any, Sure, &["Command timed out after", "…exceeded the timeout", "Request timed out", "…terminated command after exceeding timeout", "…MCP error -32001"], Program, &[
        ("make all", "Command timed out after 2m 0s", "make all"),
        ("make all", "the command exceeded the timeout", "make all"),
        ("WebFetch § https://x.example", "Request timed out", "WebFetch"),
        ("make all", "shell tool terminated command after exceeding timeout 120000 ms", "make all"),
        ("mcp__a__b § ", "MCP error -32001: Request timed out", "mcp__a__b"),
    ]),
    row(TimeOut, Any, Light, &["…context deadline exceeded", "…timed out after", "…timeout of <n>ms exceeded", "…TimeoutError", "Timeout:", "…timed out waiting", "…Timeout waiting", "…Timeout <n>ms exceeded"], Program, &[
        ("kubectl get pods", "context deadline exceeded", "kubectl"),
        ("./wait.sh", "the job timed out after 30 s", "wait.sh"),
        ("WebFetch § https://x.example", "timeout of 60000ms exceeded", "WebFetch"),
        ("python3 x.py", "TimeoutError: [Errno 60] Operation timed out", "python3"),
        ("workers wait", "Timeout: no answer", "workers"),
        ("workers wait", "timed out waiting for the condition", "workers"),
        ("workers wait x", "Timeout waiting for: x", "workers"),
        ("mcp__a__click § ", "Timeout 5000ms exceeded.", "mcp__a__click"),
    ]),
    // The shell does not understand.
    row(ShellDialect, Shell, Sure, &["…no matches found: <it>$"], Fixed("glob without a match"), &[
        ("ls *.foo", "(eval):1: no matches found: *.foo", "glob without a match"),
    ]),
    row(ShellDialect, Shell, Sure, &["<it>: command not found$", "command not found: <it>$", "<it> not found$"], It, &[
        ("[ a == b ]", "bash: line 1: ==: command not found", "=="),
        ("=== x", "zsh:1: command not found: ===", "==="),
        ("echo ===", "(eval):1: == not found", "=="),
    ]).only(Only::NoWord),
    row(ShellDialect, Shell, Sure, &["…bad substitution", "…syntax error near unexpected token", "…unexpected EOF while looking for matching", "…parse error near", "…unmatched '", "…syntax error: unexpected", "…syntax error: unterminated", "…event not found", "…unterminated quoted string", "…syntax error in conditional", "…number expected", "…bad pattern:", "…condition expected", "…read-only variable", "…unknown file attribute", "…ambiguous redirect", "…binary operator expected", "…unary operator expected", "…bad math expression", "…not valid in this context"], Fixed("shell syntax"), &[
        ("echo ${x^^}", "sh: 1: Bad substitution", "shell syntax"),
        ("echo (", "bash: -c: line 1: syntax error near unexpected token `('", "shell syntax"),
        ("echo '", "bash: -c: line 1: unexpected EOF while looking for matching `''", "shell syntax"),
        ("echo (", "zsh: parse error near `('", "shell syntax"),
        ("echo '", "(eval):1: unmatched '", "shell syntax"),
        ("if", "sh: 1: Syntax error: unexpected end of file", "shell syntax"),
        ("if", "sh: 1: Syntax error: Unterminated quoted string", "shell syntax"),
        ("echo !x", "bash: !x: event not found", "shell syntax"),
        ("echo '", "unterminated quoted string", "shell syntax"),
        ("[[ a", "bash: syntax error in conditional expression", "shell syntax"),
        ("echo x", "(eval):1: number expected", "shell syntax"),
        ("ls [", "zsh: bad pattern: [", "shell syntax"),
        ("[[ a", "zsh: condition expected: a", "shell syntax"),
        ("status=1", "(eval):1: read-only variable: status", "shell syntax"),
        ("ls (x)", "(eval):1: unknown file attribute: x", "shell syntax"),
        ("cat < $x", "bash: $x: ambiguous redirect", "shell syntax"),
        ("[ a b c ]", "bash: [: a: binary operator expected", "shell syntax"),
        ("[ = b ]", "bash: [: =: unary operator expected", "shell syntax"),
        ("echo $((a b))", "zsh: bad math expression: operator expected at `b'", "shell syntax"),
        ("export a-b=1", "export: not valid in this context: a-b", "shell syntax"),
    ]),
    row(ShellDialect, Shell, Sure, &["(eval):<n>: permission denied:$", "…goto :error"], Fixed("shell syntax"), &[
        ("a && \\\nb", "(eval):1: permission denied: ", "shell syntax"),
        ("python -c 'a\nb'", "||  goto :error", "shell syntax"),
    ]),
    row(ShellDialect, Shell, Sure, &["ParserError", "…Missing file specification after redirection", "…is not a valid statement separator", "…operator is reserved for future use", "…Unexpected token '<>' in expression", "…The string is missing the terminator", "…Missing expression after", "…is not recognized as a name of a cmdlet, function, script file, or executable program: <it>", "…Missing closing '", "…A positional parameter cannot be found"], Fixed("PowerShell syntax"), &[
        ("a", "ParserError:", "PowerShell syntax"),
        ("cat <<EOF", "Missing file specification after redirection operator.", "PowerShell syntax"),
        ("a && b", "The token '&&' is not a valid statement separator in this version.", "PowerShell syntax"),
        ("a < b", "The '<' operator is reserved for future use.", "PowerShell syntax"),
        ("a }", "Unexpected token '}' in expression or statement.", "PowerShell syntax"),
        ("a '", "The string is missing the terminator: '.", "PowerShell syntax"),
        ("a,", "Missing expression after ','.", "PowerShell syntax"),
        ("a", "x is not recognized as a name of a cmdlet, function, script file, or executable program: x", "PowerShell syntax"),
        ("a {", "Missing closing '}' in statement block", "PowerShell syntax"),
        ("ls -la x", "Get-ChildItem: A positional parameter cannot be found that accepts argument 'x'.", "PowerShell syntax"),
    ]),
    row(ShellDialect, Shell, Firm, &["<ofw>: illegal option -- <it>$", "<ofw>: invalid option -- '<it>'", "<ofw>: unrecognized option '<it>'", "<ofw>: illegal option: <it>$", "<ofw>: unrecognized option: <it>$"], OfAndIt, &[
        ("wrap cat -A x", "cat: illegal option -- A\nusage: cat [-belnstuv] [file ...]", "cat A"),
        ("grep -P x y", "grep: invalid option -- 'P'", "grep P"),
        ("stat --format x y", "stat: unrecognized option '--format'", "stat --format"),
        ("date -d x", "date: illegal option: d", "date d"),
        ("stat --printf x", "stat: unrecognized option: printf", "stat printf"),
    ]).only(Only::OldTools),
    row(ShellDialect, Shell, Firm, &["sed: <n>: '<>': <>", "sed: -e expression", "sed: can't read s", "…illegal line count", "…illegal byte sequence", "…declare: -A: invalid option", "…illegal time format", "…bad flag in substitute"], Program, &[
        ("sed -i s/a/b/ x", "sed: 1: \"x\": invalid command code x", "sed"),
        ("sed s/a/b x", "sed: -e expression #1, char 5: unterminated `s' command", "sed"),
        ("sed -i '' s/a/b/ x", "sed: can't read s/a/b/: No such file or directory", "sed"),
        ("head -n -1 x", "head: illegal line count -- -1", "head"),
        ("tr a b", "tr: Illegal byte sequence", "tr"),
        ("declare -A x", "bash: line 0: declare: -A: invalid option", "declare"),
        ("date -d x", "date: illegal time format", "date"),
        ("sed s/a/b/z x", "sed: bad flag in substitute command: 'z'", "sed"),
    ]),
    row(ShellDialect, Shell, Sure, &["…mapfile: command not found", "…readarray: command not found"], Program, &[
        ("mapfile x", "bash: mapfile: command not found", "mapfile"),
        ("readarray x", "bash: readarray: command not found", "readarray"),
    ]),
    // Nothing to run.
    row(MissingProgram, Any, Sure, &["<it>: command not found$", "command not found: <it>$", "sh: <n>: <it>: not found$", "sh: <it>: not found$", "…The term '<it>' is not recognized", "'<it>' is not recognized as an internal", "…exec: '<it>': executable file not found", "env: '<it>': No such file or directory", "env: <itw>: No such file or directory", "…spawn <itw> ENOENT", "fish: Unknown command: <itw>$", "…'<it>' is not installed", "Failed to spawn: '<it>'", "…Executable doesn't exist at <it>", "…Command '<it>' not found$"], It, &[
        ("psql -c x", "bash: line 1: psql: command not found", "psql"),
        ("timeout 5 x", "zsh:1: command not found: timeout", "timeout"),
        ("npm test", "sh: 1: mocha: not found", "mocha"),
        ("npm test", "sh: jest: not found", "jest"),
        ("go build", "go: The term 'go' is not recognized as a name of a cmdlet.", "go"),
        ("jq . x", "'jq' is not recognized as an internal or external command,", "jq"),
        ("x", "exec: \"docker\": executable file not found in $PATH", "docker"),
        ("./x", "env: 'node': No such file or directory", "node"),
        ("./x", "env: node: No such file or directory", "node"),
        ("x", "Error: spawn rg ENOENT", "rg"),
        ("jq . x", "fish: Unknown command: jq", "jq"),
        ("cargo clippy", "error: 'cargo-clippy' is not installed for the toolchain", "cargo-clippy"),
        ("uv run mypy", "error: Failed to spawn: `mypy`", "mypy"),
        ("npx playwright test", "browserType.launch: Executable doesn't exist at chromium", "chromium"),
        ("pnpm exec mocha", " ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL  Command \"mocha\" not found", "mocha"),
    ]),
    row(MissingProgram, Any, Plain, &["ModuleNotFoundError: No module named '<it>'", "<w>: No module named <itw>$", "ImportError: No module named <itw>", "…Cannot find package '<it>'", "…Cannot find module '<it>'", "…could not determine executable to run", "…Could not resolve '<it>'", "…no such command: '<it>'", "…Failed to resolve import '<it>'", "cannot load such file -- <itw>"], It, &[
        ("python3 x.py", "ModuleNotFoundError: No module named 'yaml'", "yaml"),
        ("python3 -m build", "/usr/bin/python3: No module named build", "build"),
        ("python x.py", "ImportError: No module named yaml", "yaml"),
        ("node x.mjs", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'left-pad' imported from x.mjs", "left-pad"),
        ("node x.js", "Error: Cannot find module 'left-pad'", "left-pad"),
        ("npx foo", "npm ERR! could not determine executable to run", ""),
        ("bun x.ts", "error: Could not resolve: \"zod\"\nCould not resolve 'zod'", "zod"),
        ("cargo nextest run", "error: no such command: `nextest`", "nextest"),
        ("vite build", "Failed to resolve import \"zod\" from \"x.ts\"", "zod"),
        ("ruby x.rb", "cannot load such file -- rack (LoadError)", "rack"),
    ]).only(Only::Package),
    // The wrong folder.
    row(WrongFolder, Shell, Firm, &["…go.mod file not found", "…does not contain main module", "…no Go files in", "…could not find 'Cargo.toml'", "…Could not read package.json", "…No package.json <>found", "…not a git repository", "no configuration file provided: not found", "…cannot find main module", "…no makefile found", "…Couldn't find a package.json", "…ENOENT: no such file or directory, open '<>package.json'", "…is outside repository", "…does not appear to be a Python project", "…No pyproject.toml found", "…No manifest found", "…is not in std", "…could not locate Gemfile", "…No 'package.json'", "…ERR_PNPM_NO_PKG_MANIFEST", "…No Cargo.toml"], Program, &[
        ("go test ./...", "go: go.mod file not found in current directory or any parent directory; see 'go help modules'", "go test"),
        ("go test ./x", "pattern ./x: directory prefix x does not contain main module or its selected dependencies", "go test"),
        ("go build .", "no Go files in /x", "go build"),
        ("cargo test", "error: could not find `Cargo.toml` in `/x` or any parent directory", "cargo test"),
        ("npm test", "npm error Could not read package.json: Error: ENOENT", "npm test"),
        ("bun test", "error: No package.json was found for directory \"/x\"", "bun test"),
        ("git status", "fatal: not a git repository (or any of the parent directories): .git", "git status"),
        ("docker compose up", "no configuration file provided: not found", "docker compose"),
        ("go list", "go: cannot find main module, but found .git/config in /x", "go list"),
        ("make", "make: *** No targets specified and no makefile found.  Stop.", "make"),
        ("yarn build", "error Couldn't find a package.json file in \"/x\"", "yarn build"),
        ("npm ci", "npm ERR! enoent ENOENT: no such file or directory, open '/x/package.json'", "npm ci"),
        ("git add ../y", "fatal: ../y: '../y' is outside repository at '/x'", "git add"),
        ("uv sync", "/x does not appear to be a Python project", "uv sync"),
        ("uv run x", "error: No pyproject.toml found in current directory or any parent directory", "uv run x"),
        ("deno task x", "No manifest found", "deno task"),
        ("go build ./x", "package x/y is not in std", "go build"),
        ("bundle exec x", "could not locate Gemfile or .bundle/ directory", "bundle"),
        ("pnpm i", "No 'package.json' here", "pnpm i"),
        ("pnpm i", "ERR_PNPM_NO_PKG_MANIFEST  No package.json found in /x", "pnpm i"),
        ("cargo x", "No Cargo.toml", "cargo x"),
    ]),
    // Called in the wrong way.
    row(WrongUsage, Shell, Firm, &[
        "unexpected argument '<it>'", "unrecognized subcommand '<it>'", "unrecognized arguments: <itw>", "unrecognized option '<it>'", "unrecognized option: <itw>", "unrecognized flag <itw>",
        "unknown option '<it>'", "unknown option: <itw>", "unknown option -- <itw>", "unknown flag: <itw>", "unknown shorthand flag: '<it>'", "unknown command '<it>'", "unknown command: <itw>", "unknown subcommand '<it>'", "unknown subcommand: <itw>", "unknown arguments: <itw>", "unknown argument: <itw>", "unknown switch '<it>'",
        "invalid option -- '<it>'", "invalid option: <itw>", "illegal option -- <itw>", "No such option: <itw>", "No such command '<it>'", "invalid choice: '<it>'", "'<it>' is not a git command", "Unknown JSON field: '<it>'", "flag provided but not defined: <itw>", "flag needs an argument: <itw>", "…invalid value '<>' for '<it>'", "…argument <it>: expected", "…Missing script: '<it>'", "Script not found '<it>'", "…Missing required argument: <it>", "…the following arguments are required: <it>", "…required flag(s) '<it>' not set", "invalid argument: <itw>", "…A parameter cannot be found that matches parameter name '<it>'", "…Cannot validate argument on parameter '<it>'", "…unexpected option <itw>", "…option '<it>' requires an argument", "unsupported option <itw>", "…Unknown option: '<it>'", "…is an unrecognized flag: <it>", "…recipe '<it>'", "…Task '<it>' <>not found", "…unexpected flag '<it>'", "…the argument '<it>' cannot be used with",
    ], ProgramIt, &[
        ("ls-tool --bad", "error: unexpected argument '--bad' found", "ls-tool --bad"),
        ("cargo foo", "error: unrecognized subcommand 'foo'", "cargo foo foo"),
        ("x.py --bad", "x.py: error: unrecognized arguments: --bad", "x.py --bad"),
        ("x --bad", "x: unrecognized option '--bad'", "x --bad"),
        ("x --bad", "x: unrecognized option: --bad", "x --bad"),
        ("rg --include x", "rg: unrecognized flag --include", "rg --include"),
        ("x --bad", "error: unknown option '--bad'", "x --bad"),
        ("x --bad", "error: unknown option: --bad", "x --bad"),
        ("x -b", "x: unknown option -- b", "x b"),
        ("gh pr list --bad", "unknown flag: --bad", "gh pr --bad"),
        ("gh pr list -Z", "unknown shorthand flag: 'Z' in -Z", "gh pr Z"),
        ("x foo", "Error: unknown command \"foo\" for \"x\"", "x foo"),
        ("x foo", "Unknown command: foo", "x foo"),
        ("x foo", "unknown subcommand 'foo'", "x foo"),
        ("x foo", "unknown subcommand: foo", "x foo"),
        ("x a", "Unknown arguments: a", "x a"),
        ("x a", "Unknown argument: a", "x a"),
        ("git log -Q", "error: unknown switch `Q'", "git log Q"),
        ("x -Q", "x: invalid option -- 'Q'", "x Q"),
        ("x -Q", "x: invalid option: -Q", "x -Q"),
        ("x -Q", "x: illegal option -- Q", "x Q"),
        ("x --bad", "Error: No such option: --bad", "x --bad"),
        ("x foo", "Error: No such command 'foo'.", "x foo"),
        ("x foo", "x: error: argument cmd: invalid choice: 'foo' (choose from 'a')\ninvalid choice: 'foo'", "x foo"),
        ("git foo", "git: 'foo' is not a git command. See 'git --help'.", "git foo foo"),
        ("gh pr view --json x", "Unknown JSON field: \"x\"", "gh pr x"),
        ("x -Q", "flag provided but not defined: -Q", "x -Q"),
        ("x -o", "flag needs an argument: -o", "x -o"),
        ("x --n=a", "error: invalid value 'a' for '--n <N>': invalid digit", "x --n"),
        ("x --n", "x: error: argument --n: expected one argument", "x --n"),
        ("npm run foo", "npm error Missing script: \"foo\"", "npm run foo foo"),
        ("bun run foo", "error: Script not found \"foo\"", "bun run foo foo"),
        ("x", "Missing required argument: name", "x name"),
        ("x", "error: the following arguments are required: name", "x name"),
        ("gh pr create", "required flag(s) \"title\" not set", "gh pr title"),
        ("x a", "invalid argument: a", "x a"),
        ("x.ps1 -Foo", "A parameter cannot be found that matches parameter name 'Foo'.", "x.ps1 Foo"),
        ("x.ps1 -Foo b", "Cannot validate argument on parameter 'Foo'. The argument is empty.", "x.ps1 Foo"),
        ("x -b", "unexpected option -b", "x -b"),
        ("x -b", "x: option '--b' requires an argument", "x --b"),
        ("x --b", "unsupported option --b", "x --b"),
        ("x --b", "✗ Unknown option: '--b'", "x --b"),
        ("x --b", "that is an unrecognized flag: --b", "x --b"),
        ("just foo", "error: Justfile does not contain recipe `foo`", "just foo foo"),
        ("gradle foo", "Task 'foo' was not found in root project", "gradle foo foo"),
        ("x --b", "found unexpected flag '--b'", "x --b"),
        ("x --a --b", "error: the argument '--a' cannot be used with '--b'", "x --a"),
    ]),
    row(WrongUsage, Shell, Firm, &["accepts <n> arg", "accepts at most <n>", "accepts between", "requires at least <n>", "…too many arguments", "…missing operand", "…too few arguments", "…missing argument", "…missing required", "…unexpected extra argument", "…invalid number of arguments", "…exactly one argument", "…wrong number of arguments"], ProgramAnd("arguments"), &[
        ("gh pr diff a b", "accepts 1 arg(s), received 2", "gh pr arguments"),
        ("gh pr diff a b", "accepts at most 1 arg(s), received 2", "gh pr arguments"),
        ("x a", "accepts between 2 and 3 args", "x arguments"),
        ("x", "requires at least 1 arg(s), only received 0", "x arguments"),
        ("x a b", "x: too many arguments", "x arguments"),
        ("cp", "cp: missing operand", "cp arguments"),
        ("x", "error: too few arguments", "x arguments"),
        ("x", "error: missing argument", "x arguments"),
        ("x", "error: missing required parts", "x arguments"),
        ("x", "Got unexpected extra argument (a)", "x arguments"),
        ("x", "invalid number of arguments", "x arguments"),
        ("x", "expects exactly one argument", "x arguments"),
        ("x", "wrong number of arguments (given 1, expected 0)", "x arguments"),
    ]),
    row(WrongUsage, Any, Plain, &["…Unknown <ofw> '<it>'. "], OfAndIt, &[
        ("mcp__a__speak § ", "Error executing tool speak: Unknown voice 'rachel'. Available: adam", "voice rachel"),
    ]),
    row(WrongUsage, Shell, Firm, &["The following paths are ignored by one of your"], ProgramAnd("ignored path"), &[
        ("git add dist", "The following paths are ignored by one of your .gitignore files:\ndist", "git add ignored path"),
    ]),
    row(WrongUsage, Shell, Firm, &["…No rule to make target '<it>'"], ProgramIt, &[
        ("make foo", "make: *** No rule to make target 'foo'.  Stop.", "make foo foo"),
    ]),
    row(WrongUsage, Shell, Firm, &["…Field '<it>' doesn't exist on type", "…Field '<it>' doesn't accept argument", "…Argument '<it>' on Field", "…unknown revision or path", "…ambiguous argument '<it>'", "…bad revision '<it>'", "…Variable $<itw> of type", "…Could not resolve to a", "…HTTP 422", "…HTTP 404", "…HTTP 400", "…Parse error on '<it>'", "…Expected <> to be"], ProgramAnd(""), &[
        ("gh api graphql -f x", "gh: Field 'foo' doesn't exist on type 'Query'", "gh api"),
        ("gh api graphql -f x", "Field 'body' doesn't accept argument 'n'", "gh api"),
        ("gh api graphql -f x", "Argument 'first' on Field 'x' has an invalid value", "gh api"),
        ("git show x", "fatal: unknown revision or path not in the working tree.", "git show"),
        ("git show x", "fatal: ambiguous argument 'x': unknown revision", "git show"),
        ("git show x", "fatal: bad revision 'x'", "git show"),
        ("gh api graphql -f x", "Variable $id of type ID! was provided invalid value", "gh api"),
        ("gh api graphql -f x", "gh: Could not resolve to a Repository with the name 'a/b'.", "gh api"),
        ("gh api x", "gh: Validation Failed (HTTP 422)", "gh api"),
        ("gh api x", "gh: Not Found (HTTP 404)", "gh api"),
        ("gh api x", "gh: Bad Request (HTTP 400)", "gh api"),
        ("gh api graphql -f x", "Parse error on \"}\"", "gh api"),
        ("gh api graphql -f x", "Expected type to be an object", "gh api"),
    ]),
    // Something comes first.
    row(MissingStep, Shell, Firm, &["…not logged in", "…Please tell me who you are", "…Cannot connect to the Docker daemon", "…local changes to the following files would be overwritten", "…You have unstaged changes", "…would be overwritten by", "…no changes added to commit", "…nothing added to commit", "…is not possible because you have unmerged files", "…requires rustc <n>", "…lock file<>needs to be updated", "…lockfile is not up", "…frozen-lockfile", "…has no upstream branch", "…no origin remote", "…No configured push destination", "…There is no tracking information", "…run 'gh auth login'", "…Run 'npm install'", "…node_modules missing", "…No such remote", "…could not find '<>' remote", "…does not have a commit checked out", "…Please commit your changes or stash them", "…not been staged", "…is already used by worktree"], Program, &[
        ("gh pr list", "To get started, run 'gh auth login'", "gh pr"),
        ("gh pr list", "You are not logged in to any hosts", "gh pr"),
        ("git commit -m x", "*** Please tell me who you are.", "git commit"),
        ("docker ps", "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.", "docker ps"),
        ("git checkout x", "error: Your local changes to the following files would be overwritten by checkout:", "git checkout"),
        ("git rebase x", "error: cannot rebase: You have unstaged changes.", "git rebase"),
        ("git pull", "untracked working tree files would be overwritten by merge:", "git pull"),
        ("git commit -m x", "no changes added to commit (use \"git add\")", "git commit"),
        ("git commit -m x", "nothing added to commit but untracked files present", "git commit"),
        ("git commit -m x", "error: Committing is not possible because you have unmerged files.", "git commit"),
        ("cargo build", "error: package `x` requires rustc 1.90 or newer", "cargo build"),
        ("cargo build --locked", "error: the lock file /x needs to be updated but --locked was passed", "cargo build"),
        ("pnpm i", "ERR_PNPM_OUTDATED_LOCKFILE the lockfile is not up to date", "pnpm i"),
        ("pnpm i", "Cannot install with \"frozen-lockfile\"", "pnpm i"),
        ("git push", "fatal: The current branch x has no upstream branch.", "git push"),
        ("x search", "no origin remote", "x"),
        ("git push", "fatal: No configured push destination.", "git push"),
        ("git pull", "There is no tracking information for the current branch.", "git pull"),
        ("npm test", "Run 'npm install' to fix it", "npm test"),
        ("yarn test", "node_modules missing", "yarn test"),
        ("x", "please run x setup", "x"),
        ("git fetch a", "error: No such remote 'a'", "git fetch"),
        ("x search", "could not find 'origin' remote: remote not found", "x"),
        ("git add .", "error: 'x/' does not have a commit checked out", "git add"),
        ("git checkout x", "Please commit your changes or stash them before you switch branches.", "git checkout"),
        ("git x", "changes have not been staged", "git x"),
        ("git worktree add x", "fatal: 'x' is already used by worktree at '/x'", "git worktree"),
    ]),
    row(MissingStep, Shell, Light, &["…is out of date", "…have you run", "…Did you forget to", "…needs to be built", "…please run", "…you need to run", "…must be generated", "…have not been generated", "…not been initialized", "…is not initialized", "…run <> first", "…already exists", "…Database <>does not exist", "…is required but not installed", "…index.lock'"], Program, &[
        ("x", "the client is out of date", "x"),
        ("x", "no table: have you run the migrations?", "x"),
        ("x", "Did you forget to start the server?", "x"),
        ("x", "the package needs to be built", "x"),
        ("x", "please run x setup", "x"),
        ("x", "you need to run x setup", "x"),
        ("x", "types must be generated", "x"),
        ("x", "types have not been generated", "x"),
        ("x", "the repository has not been initialized", "x"),
        ("x", "x is not initialized", "x"),
        ("x", "run x init first", "x"),
        ("git checkout -b x", "fatal: a branch named 'x' already exists", "git checkout"),
        ("x", "Database \"x\" does not exist", "x"),
        ("x", "graphviz is required but not installed", "x"),
        ("git add x", "fatal: Unable to create '/x/.git/index.lock': File exists.", "git add"),
    ]),
    // Two changes do not go together.
    row(Conflict, Shell, Verdict, &["…(non-fast-forward)", "…(fetch first)"], Fixed("git push"), &[
        ("git push", " ! [rejected]        main -> main (non-fast-forward)", "git push"),
        ("git add . && git push", " ! [rejected]        main -> main (fetch first)", "git push"),
    ]),
    row(Conflict, Shell, Verdict, &["CONFLICT (", "…Merge conflict in", "…could not apply", "…Automatic merge failed", "…Resolve all conflicts", "…needs merge", "…patch does not apply", "…have diverged", "…Not possible to fast-forward", "…divergent branches"], Fixed("git merge"), &[
        ("git fetch && git merge x", "CONFLICT (content): Merge conflict in a.rs", "git merge"),
        ("git stash pop", "Auto-merging a.rs\nMerge conflict in a.rs", "git merge"),
        ("git rebase x", "error: could not apply 1a2b3c4... x", "git merge"),
        ("git merge x", "Automatic merge failed; fix conflicts and then commit the result.", "git merge"),
        ("git rebase x", "Resolve all conflicts manually", "git merge"),
        ("git commit", "a.rs: needs merge", "git merge"),
        ("git apply x", "error: a.rs: patch does not apply", "git merge"),
        ("git pull", "Your branch and 'origin/x' have diverged,", "git merge"),
        ("git pull --ff-only", "fatal: Not possible to fast-forward, aborting.", "git merge"),
        ("git pull", "hint: You have divergent branches and need to specify how to reconcile them.", "git merge"),
    ]),
    // The sandbox, the rights of files.
    row(Sandbox, Any, Plain, &["…Operation not permitted", "…Read-only file system", "…EACCES", "…EPERM", "…PermissionError", "<it>: Permission denied", "…permission denied", "…Access to the path <> is denied", "…sandbox", "…Access is denied"], Program, &[
        ("git add x", "fatal: Unable to create '/x/.git/index.lock': Operation not permitted", "git add"),
        ("touch /x", "touch: cannot touch '/x': Read-only file system", "touch"),
        ("npm i", "npm ERR! Error: EACCES: denied, mkdir '/usr/lib'", "npm i"),
        ("npm i", "npm ERR! EPERM", "npm i"),
        ("python3 x.py", "PermissionError: [Errno 13] Permission denied: 'x'", "python3"),
        ("./x.sh", "bash: ./x.sh: Permission denied", "x.sh"),
        ("x", "open /x: permission denied", "x"),
        ("Remove-Item x", "Access to the path 'C:\\x' is denied.", "Remove-Item"),
        ("x", "not allowed in the sandbox", "x"),
        ("del x", "Access is denied.", "del"),
    ]),
    // Hosts.
    row(Network, Any, Plain, &["…Could not resolve host: <itw>", "…getaddrinfo ENOTFOUND <itw>", "…getaddrinfo EAI_AGAIN <itw>", "…Failed to connect to <itw>", "…connect ECONNREFUSED <itw>", "…dial tcp <it>: ", "…lookup <itw>: no such host", "…unable to access '<it>'", "…Error connecting to <itw>", "…connection to server at '<it>'", "…Failed to fetch: '<it>'", "…connect ETIMEDOUT <itw>", "…request to <itw> failed", "…connect to host <itw>", "…error connecting to <itw>"], Host, &[
        ("curl https://x.example", "curl: (6) Could not resolve host: x.example", "x.example"),
        ("npm i", "npm ERR! request failed, reason: getaddrinfo ENOTFOUND registry.example", "registry.example"),
        ("npm i", "npm ERR! getaddrinfo EAI_AGAIN registry.example", "registry.example"),
        ("curl localhost:3000", "curl: (7) Failed to connect to localhost port 3000 after 0 ms", "localhost"),
        ("node x.js", "Error: connect ECONNREFUSED 127.0.0.1:5432", "127.0.0.1:5432"),
        ("x", "Get \"https://x.example\": dial tcp 10.0.0.1:443: connect: no route to host", "10.0.0.1:443"),
        ("go get x", "lookup proxy.example: no such host", "proxy.example"),
        ("git fetch", "fatal: unable to access 'https://git.example/a.git/': SSL", "git.example"),
        ("gh pr list", "error connecting to api.example.com", "api.example.com"),
        ("psql x", "psql: error: connection to server at \"db.example\" (10.0.0.1), port 5432 failed", "db.example"),
        ("uv sync", "error: Failed to fetch: `https://pypi.example/x`", "pypi.example"),
        ("node x.js", "Error: connect ETIMEDOUT 10.0.0.1:443", "10.0.0.1:443"),
        ("npm i", "npm ERR! request to https://registry.example/x failed, reason: y", "registry.example"),
        ("git push", "ssh: connect to host git.example port 22: Connection timed out", "git.example"),
    ]),
    row(Network, Any, Light, &["…Connection refused", "…ECONNREFUSED", "…ECONNRESET", "…ETIMEDOUT", "…ENOTFOUND", "…Connection reset by peer", "…network is unreachable", "…no such host", "…503 Service", "…502 Bad Gateway", "…504 Gateway", "…HTTP 50<n>", "…status code 50<n>", "…TLS handshake", "…Unable to connect", "…Could not resolve host", "…ConnectionRefused", "…Couldn't connect to server", "…curl: (<n>)", "…Network is unreachable", "…ERR_CONNECTION", "…socket hang up", "…net::ERR_"], Program, &[
        ("x", "Connection refused", "x"),
        ("x", "ECONNREFUSED", "x"),
        ("x", "read ECONNRESET", "x"),
        ("x", "ETIMEDOUT", "x"),
        ("x", "ENOTFOUND", "x"),
        ("x", "Connection reset by peer", "x"),
        ("x", "network is unreachable", "x"),
        ("x", "no such host", "x"),
        ("x", "503 Service Unavailable", "x"),
        ("x", "502 Bad Gateway", "x"),
        ("x", "504 Gateway Timeout", "x"),
        ("gh api x", "gh: HTTP 502", "gh api"),
        ("WebFetch § https://x.example", "Request failed with status code 500", "WebFetch"),
        ("x", "TLS handshake error", "x"),
        ("bun x", "Unable to connect. Is the computer able to access the url?", "bun x"),
        ("x", "Could not resolve host", "x"),
        ("bun x", "ConnectionRefused downloading package", "bun x"),
        ("curl x", "Couldn't connect to server", "curl"),
        ("curl x", "curl: (28) too slow", "curl"),
        ("x", "Network is unreachable", "x"),
        ("x", "page.goto: ERR_CONNECTION_REFUSED", "x"),
        ("x", "socket hang up", "x"),
        ("x", "net::ERR_ABORTED", "x"),
    ]),
    row(WrongFolder, Shell, Verdict, &["stat <>: directory not found", "pattern <>: lstat <>: no such file or directory", "…matched no packages", "…does not contain package", "…could not open directory '<>'"], Program, &[
        ("go test ./x", "# ./x\nstat /y/x: directory not found\nFAIL\t./x [setup failed]", "go test"),
        ("go test ./x/...", "pattern ./x/...: lstat ./x/: no such file or directory", "go test"),
        ("go build ./...", "go: warning: \"./...\" matched no packages", "go build"),
        ("go build ./x", "main module (y) does not contain package y/x", "go build"),
        ("git add src/a.go", "warning: could not open directory 'src/src/': No such file or directory", "git add"),
    ]),
    row(MissingStep, Shell, Verdict, &["…no required module provides package", "…missing go.sum entry"], Program, &[
        ("go build", "x.go:3:2: no required module provides package example.com/x; to add it:", "go build"),
        ("go build", "x.go:3:2: missing go.sum entry for module", "go build"),
    ]),
    // Findings of checks: a rule, else the checker.
    row(CheckFinding, Any, Verdict, &["<w>(<n>,<n>): error <it:TS>:", "<w>:<n>:<n> - error <it:TS>:", "error <it:TS>: "], Rule("tsc"), &[
        ("npx tsc", "src/a.ts(3,5): error TS2345: Argument of type x", "tsc TS2345"),
        ("npx tsc", "src/a.ts:3:5 - error TS2304: Cannot find name 'x'.", "tsc TS2304"),
        ("npx tsc", "error TS18003: No inputs were found in config file", "tsc TS18003"),
    ]),
    row(CheckFinding, Any, Verdict, &["error[<itw>]: "], Rule("rustc"), &[
        ("cargo build", "error[E0308]: mismatched types", "rustc E0308"),
    ]),
    row(CheckFinding, Any, Verdict, &["…#[deny(clippy::<itw>)]", "…'-D clippy::<itw>'", "…index.html#<itw>$"], Rule("clippy"), &[
        ("cargo clippy", "error: this is odd\n = note: `#[deny(clippy::needless_return)]` on by default", "clippy needless_return"),
        ("cargo clippy", "error: this is odd\n = note: `-D clippy::needless-return` implied by `-D warnings`", "clippy needless-return"),
        ("cargo clippy", "error: this is odd\n = help: for further information visit https://x.example/master/index.html#needless_return", "clippy needless_return"),
    ]),
    row(CheckFinding, Any, Verdict, &["<w>.go:<n>:<n>: <> (<itw>)$"], Rule("golangci-lint"), &[
        ("golangci-lint run", "a.go:3:5: Error return value of `x` is not checked (errcheck)", "golangci-lint errcheck"),
    ]),
    row(CheckFinding, Any, Verdict, &["<w>.go:<n>:<n>: ", "vet: <>", "…[build failed]"], Fixed("go build"), &[
        ("go build ./...", "# example.com/x\n./a.go:3:5: undefined: y", "go build"),
        ("go vet ./...", "vet: ./a.go:3:5: undefined: y", "go build"),
        ("go test ./...", "FAIL\texample.com/x [build failed]", "go build"),
    ]),
    row(CheckFinding, Any, Verdict, &["<w>:<n>:<n> lint/<itw> ", "<w>:<n>:<n> lint/<itw>$", "<w> lint/<itw> ━"], Rule("biome"), &[
        ("biome check", "src/a.tsx:33:4 lint/a11y/useSemanticElements ━━━━━", "biome a11y/useSemanticElements"),
        ("biome check", "src/a.tsx:33:4 lint/a11y/useSemanticElements", "biome a11y/useSemanticElements"),
        ("biome check", "src/a.tsx lint/style/noNonNull ━━━━━", "biome style/noNonNull"),
    ]),
    row(CheckFinding, Any, Verdict, &["<w> format ━", "…File content differs from formatting output", "…The file contains diagnostics", "…Formatter would have printed"], Fixed("biome format"), &[
        ("biome check", "src/a.tsx format ━━━━━", "biome format"),
        ("biome check", "× File content differs from formatting output", "biome format"),
        ("biome check", "× The file contains diagnostics that needs to be addressed.", "biome format"),
        ("biome check", "× Formatter would have printed the following content:", "biome format"),
    ]),
    row(CheckFinding, Any, Verdict, &["<w>.py:<n>:<n>: <it:?> ", "<w>.pyi:<n>:<n>: <it:?> ", "<it:?> [*] ", "<it:E> ", "<it:F> ", "<it:W> ", "<it:I> "], Rule("ruff"), &[
        ("ruff check", "src/a.py:3:5: F401 [*] `os` imported but unused", "ruff F401"),
        ("ruff check", "src/a.pyi:3:5: E501 Line too long", "ruff E501"),
        ("ruff check", "F401 [*] `os` imported but unused\n --> src/a.py:3:5", "ruff F401"),
        ("ruff check", "E501 Line too long (99 > 88)\n --> a.py:3:5", "ruff E501"),
        ("ruff check", "F841 Local variable `x` is assigned to but never used", "ruff F841"),
        ("ruff check", "W291 Trailing whitespace", "ruff W291"),
        ("ruff check", "I001 Import block is un-sorted", "ruff I001"),
    ]),
    row(CheckFinding, Any, Verdict, &["Would reformat: <>", "<n> file would be reformatted", "<n> files would be reformatted", "would reformat <w>"], Fixed("ruff format"), &[
        ("ruff format --check", "Would reformat: src/a.py\n1 file would be reformatted", "ruff format"),
        ("ruff format --check", "2 files would be reformatted", "ruff format"),
        ("black --check .", "would reformat src/a.py", "ruff format"),
    ]),
    row(CheckFinding, Any, Verdict, &["<w>.py:<n>: error: <> [<itw>]$", "<w>.py:<n>:<n>: error: <> [<itw>]$"], Rule("mypy"), &[
        ("mypy src", "src/a.py:3: error: Incompatible return value type  [return-value]", "mypy return-value"),
        ("mypy src", "src/a.py:3:1: error: Incompatible return value type  [return-value]", "mypy return-value"),
    ]),
    row(CheckFinding, Any, Verdict, &["<w>:<n>:<n> - error: <> (<itw>)$"], Rule("pyright"), &[
        ("pyright", "/x/a.py:3:5 - error: \"y\" is not defined (reportUndefinedVariable)", "pyright reportUndefinedVariable"),
    ]),
    row(CheckFinding, Any, Verdict, &["<n>:<n>  error  <>  <itw>$"], Rule("eslint"), &[
        ("eslint .", "/x/a.js\n  3:5  error  'y' is not defined  no-undef", "eslint no-undef"),
    ]),
    row(CheckFinding, Any, Verdict, &["<w>:<n> <it:MD>/", "<w>:<n>:<n> <it:MD>/", "<w>:<n> error <it:MD>/", "<w>:<n>:<n> error <it:MD>/"], Rule("markdownlint"), &[
        ("markdownlint .", "a.md:3 MD040/fenced-code-language Fenced code blocks should have a language", "markdownlint MD040"),
        ("markdownlint .", "a.md:3:1 MD040/fenced-code-language Fenced code blocks should have a language", "markdownlint MD040"),
        ("markdownlint .", "a.md:3 error MD040/fenced-code-language Fenced code blocks", "markdownlint MD040"),
        ("markdownlint .", "a.md:3:1 error MD049/emphasis-style Emphasis style", "markdownlint MD049"),
    ]),
    row(CheckFinding, Any, Verdict, &["…<it:SC> (error): ", "…<it:SC> (warning): ", "…[<it:SC>]"], Rule("shellcheck"), &[
        ("shellcheck x.sh", "SC2086 (error): Double quote", "shellcheck SC2086"),
        ("shellcheck x.sh", "SC2086 (warning): Double quote", "shellcheck SC2086"),
        ("shellcheck x.sh", "x.sh:3:5: note: Double quote [SC2086]", "shellcheck SC2086"),
    ]),
    row(CheckFinding, Any, Verdict, &["<w>: C: <itw>: ", "<w>:<n>:<n>: C: [Correctable] <itw>: ", "<w>:<n>:<n>: C: <itw>: "], Rule("rubocop"), &[
        ("rubocop", "a.rb:3:5: C: Style/StringLiterals: Prefer single quotes", "rubocop Style/StringLiterals"),
        ("rubocop", "a.rb:3:5: C: [Correctable] Style/StringLiterals: Prefer single quotes", "rubocop Style/StringLiterals"),
        ("rubocop", "a.rb: C: Style/StringLiterals: Prefer single quotes", "rubocop Style/StringLiterals"),
    ]),
    row(CheckFinding, Any, Verdict, &["<w>(<n>,<n>): error <it:CS>: ", "<w>: error <it:CS>: "], Rule("csc"), &[
        ("dotnet build", "/x/A.cs(3,5): error CS0103: The name 'y' does not exist", "csc CS0103"),
        ("dotnet build", "CSC: error CS5001: Program does not contain a static 'Main' method", "csc CS5001"),
    ]),
    row(CheckFinding, Any, Verdict, &["<w>: error: <> [-Werror=<itw>]", "<w>: error: <> [-W<itw>]"], Rule("cc"), &[
        ("make", "a.c:3:5: error: unused variable 'y' [-Werror=unused-variable]", "cc unused-variable"),
        ("make", "a.c:3:5: error: unused variable 'y' [-Wunused-variable]", "cc unused-variable"),
    ]),
    row(CheckFinding, Any, Verdict, &["…Code style issues", "[warn] <w>"], Fixed("prettier"), &[
        ("prettier --check .", "[warn] Code style issues found in 2 files. Run Prettier with --write to fix.", "prettier"),
        ("prettier --check .", "[warn] src/a.ts", "prettier"),
    ]),
    row(CheckFinding, Any, Verdict, &["Diff in <w>", "…rustfmt"], Fixed("rustfmt"), &[
        ("cargo fmt --check", "Diff in /x/a.rs:3:", "rustfmt"),
        ("cargo fmt --check", "`cargo fmt` failed: rustfmt", "rustfmt"),
    ]),
    // Tests ran, and some failed.
    row(TestResult, Any, Verdict, &["--- FAIL: ", "FAIL\t<w>\t<w>", "FAIL: Test"], Fixed("go test"), &[
        ("go test ./...", "--- FAIL: TestX (0.00s)", "go test"),
        ("go test ./...", "FAIL\texample.com/x\t0.3s", "go test"),
        ("go test ./...", "FAIL: TestX", "go test"),
    ]),
    row(TestResult, Any, Verdict, &["FAILED <w>::", "<>== <n> failed", "<>== <n> error", "E       assert ", "…short test summary info"], Fixed("pytest"), &[
        ("pytest -q", "FAILED tests/test_a.py::test_b - assert 1 == 2", "pytest"),
        ("pytest -q", "===== 1 failed, 3 passed in 0.1s =====", "pytest"),
        ("pytest -q", "===== 1 error in 0.1s =====", "pytest"),
        ("pytest -q", "E       assert 1 == 2", "pytest"),
        ("pytest -q", "=== short test summary info ===", "pytest"),
    ]),
    row(TestResult, Any, Verdict, &["test result: FAILED", "…test failed, to rerun pass", "test <w> ... FAILED", "FAIL [ "], Fixed("cargo test"), &[
        ("cargo test", "test result: FAILED. 1 passed; 1 failed", "cargo test"),
        ("cargo test", "error: test failed, to rerun pass `--lib`", "cargo test"),
        ("cargo test", "test a::b ... FAILED", "cargo test"),
        ("cargo nextest run", "        FAIL [   0.010s] x a::b", "cargo test"),
    ]),
    row(TestResult, Any, Verdict, &["Test Files  <n> failed", "Tests  <n> failed", "FAIL  <w> > ", "…AssertionError: expected", "⎯⎯"], Fixed("vitest"), &[
        ("vitest run", " Test Files  1 failed | 3 passed (4)", "vitest"),
        ("vitest run", "      Tests  1 failed | 3 passed (4)", "vitest"),
        ("vitest run", " FAIL  src/a.test.ts > does x", "vitest"),
        ("vitest run", "AssertionError: expected 1 to be 2", "vitest"),
        ("vitest run", "⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯", "vitest"),
    ]),
    row(TestResult, Any, Verdict, &["Tests:  <>failed", "Test Suites: <n> failed", "FAIL <w>.test.<w>", "FAIL <w>.spec.<w>"], Fixed("jest"), &[
        ("jest", "Tests:       1 failed, 3 passed, 4 total", "jest"),
        ("jest", "Test Suites: 1 failed, 1 total", "jest"),
        ("jest", "FAIL src/a.test.ts", "jest"),
        ("jest", "FAIL src/a.spec.ts", "jest"),
    ]),
    row(TestResult, Any, Verdict, &["(fail) ", "<n> fail$"], Fixed("bun test"), &[
        ("bun test", "(fail) does x [1.00ms]", "bun test"),
        ("bun test", " 3 pass\n 1 fail", "bun test"),
    ]),
    row(TestResult, Any, Verdict, &["<n> failing$", "<n>) <w> "], Fixed("mocha"), &[
        ("mocha", "  3 passing\n  1 failing", "mocha"),
        ("mocha", "  1) does x", "mocha"),
    ]),
    row(TestResult, Any, Verdict, &["<n> failed$", "<n> flaky$", "[chromium] › ", "✘ "], Fixed("playwright"), &[
        ("playwright test", "  1 failed\n    a.spec.ts", "playwright"),
        ("playwright test", "  1 flaky", "playwright"),
        ("playwright test", "[chromium] › a.spec.ts:3:1 › does x", "playwright"),
        ("playwright test", "  ✘  1 a.spec.ts", "playwright"),
    ]),
    row(TestResult, Any, Verdict, &["# fail <n>", "not ok <n>", "ℹ fail <n>", "FAILED (failures=", "FAILED (errors=", "…examples, <n> failure", "FAILURES!", "Failed!  - Failed:", "Tests run: <>, Failures: <n>", "…tests failed", "…test failed", "…checks failed", "…check failed", "FAIL: ", "Failed tests:", "FAIL$"], Program, &[
        ("node --test", "# fail 1", "node"),
        ("node --test", "not ok 1 - does x", "node"),
        ("node --test", "ℹ fail 1", "node"),
        ("python3 -m unittest", "FAILED (failures=1)", "unittest"),
        ("python3 -m unittest", "FAILED (errors=1)", "unittest"),
        ("rspec", "3 examples, 1 failure", "rspec"),
        ("phpunit", "FAILURES!", "phpunit"),
        ("dotnet test", "Failed!  - Failed:     1, Passed:     3", "dotnet"),
        ("mvn test", "Tests run: 4, Failures: 1, Errors: 0", "mvn test"),
        ("x", "2 tests failed", "x"),
        ("x", "1 test failed", "x"),
        ("x", "2 checks failed", "x"),
        ("x", "1 check failed", "x"),
        ("x", "FAIL: the sum is off", "x"),
        ("x", "Failed tests: 3", "x"),
        ("x", "FAIL", "x"),
    ]),
    // A check that names no rule.
    row(CheckFinding, Shell, Verdict, &["…error: could not compile", "…aborting due to", "…ERROR in ", "Found <n> error", "✖ <n> problem", "<n> errors generated", "<n> error generated", "…BUILD FAILURE", "…Build failed", "…BUILD FAILED", "…Execution failed for task", "…script failed (code", "…pre-commit hook failed", "<w>:<n>:<n>: error: ", "<w>:<n>:<n>: fatal error: ", "<w>:<n>: error: ", "…Type error:", "…Failed to compile", "…trailing whitespace.", "<>: FAIL (", "…Transform failed with", "…[FAILED]"], Program, &[
        ("cargo build", "error: could not compile `x` (lib) due to 1 previous error", "cargo build"),
        ("rustc x.rs", "error: aborting due to 1 previous error", "rustc"),
        ("webpack", "ERROR in ./src/a.js", "webpack"),
        ("npm run check", "Found 1 error.", "npm run check"),
        ("npm run lint", "✖ 3 problems (3 errors, 0 warnings)", "npm run lint"),
        ("make", "2 errors generated.", "make"),
        ("make", "1 error generated.", "make"),
        ("mvn package", "[INFO] BUILD FAILURE", "mvn package"),
        ("npm run build", "Build failed in 3s", "npm run build"),
        ("xcodebuild", "** BUILD FAILED **", "xcodebuild"),
        ("gradle build", "Execution failed for task ':x'.", "gradle build"),
        ("git commit -m x", "husky - pre-commit script failed (code 1)", "git commit"),
        ("git commit -m x", "pre-commit hook failed", "git commit"),
        ("cc a.c", "a.c:3:5: error: expected ';'", "cc"),
        ("cc a.c", "a.c:3:5: fatal error: x.h: not there", "cc"),
        ("javac A.java", "A.java:3: error: cannot find symbol", "javac"),
        ("next build", "Type error: Property 'x' is wrong", "next"),
        ("next build", "Failed to compile.", "next"),
        ("git diff --check", "a.md:3: trailing whitespace.", "git diff"),
        ("x audit", "rule-9: FAIL (2 files)", "x"),
        ("vite build", "Transform failed with 1 error:", "vite"),
        ("git commit -m x", "[FAILED] tidy --fix [FAILED]", "git commit"),
    ]),
    // A path is not there.
    row(MissingPath, Shell, Firm, &["cd: no such file or directory: <it>$", "cd: <it>: No such file or directory", "cd: can't cd to <it>$", "…cannot access '<it>': No such file", "…cannot stat '<it>': No such file", "…can't open file '<it>'", "…can't open '<it>'", "no such file or directory: <it>$"], Path, &[
        ("cd src", "(eval):cd:1: no such file or directory: src\ncd: no such file or directory: src", "src"),
        ("cd src", "bash: line 1: cd: src: No such file or directory", "src"),
        ("cd src", "sh: 1: cd: can't cd to src", "src"),
        ("ls x/y", "ls: cannot access 'x/y': No such file or directory", "x/y"),
        ("cp x y", "cp: cannot stat 'x': No such file or directory", "x"),
        ("python3 x.py", "python3: can't open file '/home/dev/ledger/x.py': [Errno 2] No such file or directory", "x.py"),
        ("sh x.sh", "sh: 0: can't open 'x.sh'", "x.sh"),
        ("./x", "zsh: no such file or directory: ./x", "x"),
    ]),
    row(MissingPath, Any, Plain, &["…ENOENT: no such file or directory, <w> '<it>'", "FileNotFoundError: <>: '<it>'", "…Cannot find path '<it>' because", "…Path does not exist: <it>$", "…Directory does not exist: <it>$", "…pathspec '<it>' did not match", "…could not open '<it>'", "…open <itw>: no such file or directory", "…stat <itw>: no such file or directory", "…path '<it>' does not exist", "…path '<it>' exists on disk, but not in", "…repository '<it>' not found", "…couldn't find remote ref <itw>", "…couldn't read '<it>'", "…could not read '<it>'", "…No such file or directory: '<it>'", "…Could not find file '<it>'", "…No test files found, <>filter: <it>$", "…The system cannot find the path specified<it>$", "…No such container: <itw>", "…does not exist: <itw>$", "…Cannot find module '<it>'", "…Script not found: <itw>$", "…invalid reference: <itw>$", "…fatal: invalid object name '<it>'", "<it>: No such file or directory"], Path, &[
        ("cat x/y", "cat: x/y: No such file or directory", "x/y"),
        ("node x.js", "Error: ENOENT: no such file or directory, open '/home/dev/ledger/a.json'", "a.json"),
        ("python3 x.py", "FileNotFoundError: [Errno 2] No such file or directory: 'a.json'", "a.json"),
        ("Get-Content x", "Get-Content: Cannot find path 'C:\\x\\a.txt' because it does not exist.", "C:/x/a.txt"),
        ("Grep § x", "Path does not exist: /home/dev/ledger/src/b", "src/b"),
        ("Glob § x", "Directory does not exist: src/b", "src/b"),
        ("git add x", "fatal: pathspec 'x' did not match any files", "x"),
        ("x", "could not open 'a.json'", "a.json"),
        ("x", "open a.json: no such file or directory", "a.json"),
        ("x", "stat a.json: no such file or directory", "a.json"),
        ("git show x:y", "fatal: path 'y' does not exist in 'x'", "y"),
        ("git show x:y", "fatal: path 'y' exists on disk, but not in 'x'", "y"),
        ("git clone x", "fatal: repository 'https://git.example/a.git/' not found", "https:/git.example/a.git"),
        ("git fetch origin x", "fatal: couldn't find remote ref x", "x"),
        ("x", "couldn't read `a.rs`", "a.rs"),
        ("x", "could not read `a.rs`", "a.rs"),
        ("x", "No such file or directory: 'a.json'", "a.json"),
        ("x", "Could not find file 'a.json'", "a.json"),
        ("vitest run a", "No test files found, exiting with code 1 filter: a", "a"),
        ("x", "The system cannot find the path specified: a", "a"),
        ("docker logs x", "Error: No such container: x", "x"),
        ("x", "it does not exist: a/b", "a/b"),
        ("node x.js", "Error: Cannot find module '/home/dev/ledger/x.js'", "x.js"),
        ("x", "Script not found: a.ts", "a.ts"),
        ("git switch x", "fatal: invalid reference: x", "x"),
        ("git show x", "fatal: invalid object name 'x'", "x"),
    ]),
    row(MissingPath, Tool, Sure, &["…Failed to read file to update <itw>: No such", "…File not found: <it>$"], Path, &[
        ("apply_patch § x", "apply_patch verification failed: Failed to read file to update /home/dev/ledger/a.rs: No such file or directory (os error 2)", "a.rs"),
        ("read § x", "Error: File not found: /home/dev/ledger/a.rs", "a.rs"),
    ]),
    row(MissingPath, Tool, Firm, &["File does not exist", "…File not found", "…no such file", "…status code 404"], Subject::Input, &[
        ("Read § /home/dev/ledger/src/b.rs", "File does not exist. Note: your current working directory is /x.", "src/b.rs"),
        ("Read § /home/dev/ledger/src/b.rs", "File not found", "src/b.rs"),
        ("Read § /home/dev/ledger/src/b.rs", "no such file", "src/b.rs"),
        ("WebFetch § https://x.example/a", "Request failed with status code 404", "https:/x.example/a"),
    ]),
    // A program ended with an error of its own.
    row(ProgramError, Any, Light, &["<itw>Error: ", "<itw>Exception: ", "…<itw>Error: "], Subject::ProgramKind("Error"), &[
        ("python3 x.py", "Traceback (most recent call last):\nKeyError: 'a'", "python3 KeyError"),
        ("java x", "java.io.IOException: broken", "java java.io.IOError"),
        ("node x.js", "Uncaught TypeError: x is not a function", "node TypeError"),
    ]),
    row(ProgramError, Shell, Light, &["panic: ", "…panicked at", "…Segmentation fault", "…core dumped", "Error: in prepare, ", "jq: error", "ERROR:  ", "…SQLITE_", "…SIGABRT", "…Unhandled", "…Uncaught", "…SIGSEGV", "…killed", "…Aborted", "…out of memory"], Program, &[
        ("go run .", "panic: runtime error", "go run ."),
        ("cargo run", "thread 'main' panicked at src/main.rs:3:5:", "cargo run"),
        ("./x", "Segmentation fault", "x"),
        ("./x", "Aborted (core dumped)", "x"),
        ("sqlite3 x.db y", "Error: in prepare, no such column: name", "sqlite3"),
        ("jq . x", "jq: error (at x:1): Cannot iterate over null", "jq"),
        ("psql -c x", "ERROR:  relation \"x\" is odd", "psql"),
        ("x", "SQLITE_BUSY", "x"),
        ("x", "got SIGABRT", "x"),
        ("x", "Unhandled rejection", "x"),
        ("x", "Uncaught thing", "x"),
        ("x", "got SIGSEGV", "x"),
        ("x", "was killed", "x"),
        ("x", "Aborted", "x"),
        ("x", "out of memory", "x"),
    ]),
    row(ProgramError, Shell, Least, &["error: ", "fatal: ", "Exception: ", "✗ ", "❌ ", "failed: ", "error[", "ERROR "], Program, &[
        ("x close main", "Error: No active window", "x"),
        ("git x", "fatal: something else", "git x"),
        ("x.ps1", "Exception: C:\\x.ps1:133", "x.ps1"),
        ("x audit", "  ✗ a rule", "x"),
        ("x audit", "❌ a rule", "x"),
        ("x", "failed: it", "x"),
        ("x", "error[thing] is odd", "x"),
        ("x", "ERROR it", "x"),
    ]),
];
