//! Findings of checks: a rule, else the checker.

use super::Of::Any;
use super::Subject::{Fixed, Rule};
use super::Weight::Verdict;
use super::{Row, row};
use crate::failure::family::Family::CheckFinding;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    // Findings of checks: a rule, else the checker.
    row(CheckFinding, Any, Verdict, &["<w>(<n>,<n>): error <it:TS>:", "<w>:<n>:<n> - error <it:TS>:", "error <it:TS>: ", "…): error <it:TS>:"], Rule("tsc"), &[
        ("bun --filter a build", "a build: src/x.tsx(81,9): error TS2322: Type 'y' is wrong", "tsc TS2322"),
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
    row(CheckFinding, Any, Verdict, &["<w>.go:<n>:<n>: ", "vet: <>", "…[build failed]", "…import cycle not allowed"], Fixed("go build"), &[
        ("go build ./x", "\timports example.com/x from y.go: import cycle not allowed", "go build"),
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
    row(CheckFinding, Any, Verdict, &["eslint(<itw>): ", "x eslint(<itw>): ", "typescript-eslint(<itw>): ", "x typescript-eslint(<itw>): ", "eslint-plugin-<w>(<itw>): ", "x eslint-plugin-<w>(<itw>): ", "oxc(<itw>): ", "x oxc(<itw>): "], Rule("oxlint"), &[
        ("oxlint", "  × eslint(sort-keys): Object keys should be sorted\n   ╭─[src/a.ts:3:5]", "oxlint sort-keys"),
        ("oxlint", "  x eslint(sort-keys): Object keys should be sorted\n   ,-[src/a.ts:3:5]", "oxlint sort-keys"),
        ("oxlint", "  × typescript-eslint(no-explicit-any): Unexpected any.", "oxlint no-explicit-any"),
        ("oxlint", "  x typescript-eslint(no-explicit-any): Unexpected any.", "oxlint no-explicit-any"),
        ("oxlint", "  ⚠ oxc(const-comparisons): Unexpected constant comparison", "oxlint const-comparisons"),
        ("oxlint", "  x oxc(const-comparisons): Unexpected constant comparison", "oxlint const-comparisons"),
        ("npm run lint", "  ! eslint-plugin-react-hooks(exhaustive-deps): React Hook useMemo misses y", "oxlint exhaustive-deps"),
        ("npm run lint", "  x eslint-plugin-import(no-named-as-default): Module y", "oxlint no-named-as-default"),
    ]),
    row(CheckFinding, Any, Verdict, &["Format issues found in above <n> file"], Fixed("oxfmt"), &[
        ("oxfmt --check", "src/a.ts (3ms)\n\nFormat issues found in above 3 files. Run without `--check` to fix.", "oxfmt"),
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
];
