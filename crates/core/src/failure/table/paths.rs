//! Paths that are not there, and programs that ended with an error of their own.

use super::Of::{Any, Shell, Tool};
use super::Subject::{Path, Program};
use super::Weight::{Firm, Least, Light, Plain, Sure};
use super::{Row, Subject, row};
use crate::failure::family::Family::{MissingPath, ProgramError};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
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
    row(MissingPath, Any, Plain, &["…ENOENT: no such file or directory, <w> '<it>'", "FileNotFoundError: <>: '<it>'", "…Cannot find path '<it>' because", "…can't read <it>: No such file", "…cannot access '<it>': No such file", "…Path does not exist: <it> Note: your current", "…Path does not exist: <it>$", "…Directory does not exist: <it>$", "…pathspec '<it>' did not match", "…could not open '<it>'", "…open <itw>: no such file or directory", "…stat <itw>: no such file or directory", "…path '<it>' does not exist", "…path '<it>' exists on disk, but not in", "…repository '<it>' not found", "…couldn't find remote ref <itw>", "…couldn't read '<it>'", "…could not read '<it>'", "…No such file or directory: '<it>'", "…Could not find file '<it>'", "…No test files found, <>filter: <it>$", "…The system cannot find the path specified<it>$", "…No such container: <itw>", "…does not exist: <itw>$", "…Cannot find module '<it>'", "…Script not found: <itw>$", "…invalid reference: <itw>$", "…fatal: invalid object name '<it>'", "<it>: No such file or directory", "…'<it>' is not in this registry"], Path, &[
        ("npm view x@9", "npm error 404  'x@9' is not in this registry.", "x@9"),
        ("cat x/y", "cat: x/y: No such file or directory", "x/y"),
        ("node x.js", "Error: ENOENT: no such file or directory, open '/home/dev/ledger/a.json'", "a.json"),
        ("python3 x.py", "FileNotFoundError: [Errno 2] No such file or directory: 'a.json'", "a.json"),
        ("Get-Content x", "Get-Content: Cannot find path 'C:\\x\\a.txt' because it does not exist.", "C:/x/a.txt"),
        ("sed -n 1p src/b", "sed: can't read src/b: No such file or directory", "src/b"),
        ("ls src/b && make", "ls: cannot access 'src/b': No such file or directory", "src/b"),
        ("Grep § x", "Path does not exist: /home/dev/ledger/src/b", "src/b"),
        ("Grep § x", "Path does not exist: /home/dev/ledger/src/b. Note: your current working directory is /home/dev.", "src/b"),
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
    row(ProgramError, Shell, Least, &["error: ", "fatal: ", "Exception: ", "✗ ", "❌ ", "failed: ", "error[", "ERROR ", "npm error ", "ERR_PNPM_", "level=error", "mise ERROR ", "can't ", "cannot ", "could not "], Program, &[
        ("npm run build", "npm error enoent This is related to npm not being able to find a file.", "npm run build"),
        ("pnpm add x", "ERR_PNPM_UNEXPECTED_STORE  Unexpected store location", "pnpm add"),
        ("golangci-lint run", "level=error msg=\"Running error: y\"", "golangci-lint"),
        ("mise run x", "mise ERROR broken", "mise run x"),
        ("tmux ls", "can't find session: x", "tmux"),
        ("go build", "go: cannot write multiple packages", "go build"),
        ("x", "could not do it", "x"),
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
