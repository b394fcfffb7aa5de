//! The phrases that detectors look for in texts as they stand.

use std::sync::LazyLock;

use super::phrases::TextPhrases;

/// Says that something was not as it seemed.
pub(crate) static NON_OBVIOUS: LazyLock<TextPhrases> = LazyLock::new(|| {
    TextPhrases::new(&[
        "turns out",
        "turned out",
        "root cause",
        "root Cause",
        "the trick",
        "not obvious",
        "non-obvious",
        "surprisingly",
        "counterintuitive",
        "counterintuitively",
        "counter-intuitively",
        "key insight",
        "the culprit",
        "the gotcha",
        "the real issue",
        "the real problem",
        "the real cause",
        "the real reason",
        "the real culprit",
        "the real bug",
        "the actual issue",
        "the actual cause",
        "the actual problem",
        "the actual bug",
    ])
});

/// A person says that something is wrong.
pub(crate) static PROBLEM: LazyLock<TextPhrases> = LazyLock::new(|| {
    TextPhrases::new(&[
        "fails",
        "failing",
        "failed",
        "broken",
        "breaks",
        "crash",
        "crashes",
        "crashed",
        "crashing",
        "an error",
        "the error",
        "this error",
        "error when",
        "errors out",
        "getting errors",
        "throws",
        "an exception",
        "a bug",
        "the bug",
        "this bug",
        "doesn't work",
        "doesn’t work",
        "does not work",
        "don't work",
        "not working",
        "isn't working",
        "stopped working",
        "is wrong",
        "regression",
        "hangs",
        "incorrect",
    ])
});

/// The assistant names what is wrong.
pub(crate) static CAUSE: LazyLock<TextPhrases> = LazyLock::new(|| {
    TextPhrases::new(&[
        "root cause",
        "the issue is",
        "the issue was",
        "the problem is",
        "the problem was",
        "the bug is",
        "the bug was",
        "the real issue",
        "the real problem",
        "the real cause",
        "the real bug",
        "the actual issue",
        "the actual problem",
        "the actual bug",
        "fails because",
        "failed because",
        "failing because",
        "broke because",
        "breaks because",
        "turns out",
        "the culprit",
    ])
});

/// The assistant says that it is done.
pub(crate) static CLAIM: LazyLock<TextPhrases> = LazyLock::new(|| {
    TextPhrases::new(&[
        "fixed",
        "resolved",
        "solved",
        "works now",
        "now works",
        "working now",
        "now passes",
        "now pass",
        "pass now",
        "tests pass",
        "checks pass",
        "all pass",
        "all passing",
        "test passes",
        "build passes",
        "passes now",
        "the fix",
    ])
});
