use super::*;
use crate::session::Excerpt;

fn check(output: &str, key: &str) {
    let found = signature(&Excerpt::new(output)).map(|s| s.key);
    assert_eq!(found.as_deref().unwrap_or("-"), key, "{output}");
}

#[test]
fn the_telling_line_is_found_and_generalised() {
    check("Exit code 127\n(eval):1: command not found: timeout", "sh: command not found: timeout");
    check("bash: line 3: gtimeout: command not found", "sh: command not found: gtimeout");
    check(
        "error: unexpected argument '-A' found\n\n  tip: to pass\n\nUsage: cat [OPTIONS]",
        "error: unexpected argument '-A' found",
    );
    check(
        "Traceback (most recent call last):\n  File \"/a/b.py\", line 3\nModuleNotFoundError: No module named 'yaml'",
        "ModuleNotFoundError: No module named 'yaml'",
    );
    check("cat: /home/u/x.txt: No such file or directory", "cat: <path>: No such file or directory");
    check(
        "fatal: not a git repository (or any of the parent directories): .git",
        "fatal: not a git repository (or any of the parent directories): .git",
    );
    check("file1\nfile2", "-");
    let body = "{\"errors\":[{\"type\":\"NOT_FOUND\"}]}";
    check(
        &format!("{body}forge: Field 'text' doesn't accept argument 'cut'"),
        "forge: Field 'text' doesn't accept argument 'cut'",
    );
    check("[lint] ERROR: no such task", "[lint] ERROR: no such task");
}

#[test]
fn the_error_inside_a_runner_or_a_hook_is_found() {
    check(
        "$ biome check\nsrc/a.ts:3:5 error: unused variable\nerror: script \"lint\" exited with code 1\nhusky - pre-commit script failed (code 1)",
        "<path> error: unused variable",
    );
    check(
        "npm ERR! code ELIFECYCLE\nnpm ERR! errno 1\nfatal: no upstream configured\nnpm ERR! app@1.0.0 test: `x`",
        "fatal: no upstream configured",
    );
    check(
        "cc: error: x.c: No such file or directory\nmake: *** [Makefile:3: all] Error 1",
        "cc: error: <file>: No such file or directory",
    );
    check("make: *** No rule to make target 'x'.  Stop.", "make: *** No rule to make target 'x'. Stop.");
    check("npm error Missing script: \"tset\"\nnpm error To see a list", "npm error Missing script: \"tset\"");
    check("error: script \"test\" exited with code 1", "error: script \"test\" exited with code <n>");
    check("\u{1b}[31merror\u{1b}[0m: unknown option '--x'", "error: unknown option '--x'");
}

#[test]
fn how_a_tool_is_used_does_not_say_what_went_wrong() {
    for output in ["error: usage:", "error: usage: ledger report FILE", "ledger: error: Usage: ledger x", "ERROR:"] {
        check(output, "-");
    }
    check(
        "ERROR: usage: pytest [options] [file_or_dir]\npytest: error: argument --maxfail: expected one argument",
        "pytest: error: argument --maxfail: expected one argument",
    );
    check("error:\n  cannot open the book", "cannot open the book");
    check("Error: Invalid usage: no such book", "Error: Invalid usage: no such book");
    check("error: usage of tabs is not allowed", "error: usage of tabs is not allowed");
    check("ledger: unknown option --all", "ledger: unknown option --all");
}

#[test]
fn the_same_mistake_has_the_same_key() {
    assert_eq!(mask("Error at /a/b/c.ts:12:5 after 3.2s"), mask("Error at /z/y.ts:9:1 after 18s"));
    assert_eq!(mask("commit 1a2b3c4d5e not found"), mask("commit deadbeef01 not found"));
}
