//! Tests that failed, and checks that name no rule.

use super::Of::{Any, Shell};
use super::Subject::{Fixed, Program};
use super::Weight::Verdict;
use super::{Row, row};
use crate::failure::family::Family::{CheckFinding, TestResult};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
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
    row(CheckFinding, Shell, Verdict, &["…error: could not compile", "…aborting due to", "…ERROR in ", "Found <n> error", "✖ <n> problem", "<n> errors generated", "<n> error generated", "…BUILD FAILURE", "…Build failed", "…BUILD FAILED", "…Execution failed for task", "…script failed (code", "…pre-commit hook failed", "<w>:<n>:<n>: error: ", "<w>:<n>:<n>: fatal error: ", "<w>:<n>: error: ", "…Type error:", "…Failed to compile", "…trailing whitespace.", "<>: FAIL (", "…Transform failed with", "…[FAILED]", "✖ <n> errors"], Program, &[
        ("vale a.md", "✖ 3 errors, 5 warnings and 0 suggestions in 1 file.", "vale"),
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
];
