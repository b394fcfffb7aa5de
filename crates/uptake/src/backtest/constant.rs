//! A card that says the same to everybody: what a start text without any learning would score.

/// Advice that holds anywhere, one line each.
pub(super) const CARD: &str = "\
Read a file before you edit or write it, and copy the text to be replaced exactly.
Look for a file by its name before you open a path that you guess.
The shell keeps its folder between calls: use absolute paths, or cd to the root first.
Quote globs and special characters; tools of macOS lack options that GNU tools have.
Run the project's formatter and linter before you commit.
If a program is missing, try python3, npx, uv run or the project's own task runner.
Install dependencies before you build or test.";
