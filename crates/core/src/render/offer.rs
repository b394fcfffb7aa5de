//! Rules → lines for an instruction file (`CLAUDE.md`, `AGENTS.md`, `GEMINI.md`), as a change that the user may apply.
//!
//! The file is the user's: lines are only added, at the end or under our own heading, with the line ends it has.

use super::knowledge::one_line;
use crate::redact::clean;

/// The heading under which lines are offered.
const HEADING: &str = "## Learned while working here";

/// A change of an instruction file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The whole text after it.
    pub text: String,
    /// Where lines are added: behind so many lines of the file.
    pub after: usize,
    /// The lines that are added.
    pub added: Vec<String>,
}

/// A text with statements added, each as an item of a list; `None` if there is nothing to add.
pub fn offered(text: Option<&str>, statements: &[&str]) -> Option<Offer> {
    if statements.is_empty() {
        return None;
    }
    let text = text.unwrap_or_default();
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let items = statements.iter().map(|s| format!("- {}", one_line(&clean(s))));
    let lines: Vec<&str> = text.lines().collect();
    let (after, mut added) = match lines.iter().position(|l| l.trim_end() == HEADING) {
        Some(heading) => (end_of_list(&lines, heading), Vec::new()),
        None => (lines.len(), heading_lines(&lines)),
    };
    added.extend(items);
    let (before, behind) = split_at_line(text, after);
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { end };
    // A file without an end of its last line keeps its way.
    let last = if behind.is_empty() && !text.is_empty() && !text.ends_with('\n') { "" } else { end };
    let text = format!("{before}{gap}{}{last}{behind}", added.join(end));
    Some(Offer { text, after, added })
}

fn heading_lines(lines: &[&str]) -> Vec<String> {
    let gap = lines.last().is_some_and(|l| !l.trim().is_empty());
    let mut out: Vec<String> = gap.then(String::new).into_iter().collect();
    out.extend([HEADING.to_owned(), String::new()]);
    out
}

/// Behind the last item of the list under a heading.
fn end_of_list(lines: &[&str], heading: usize) -> usize {
    let section = lines[heading + 1..].iter().take_while(|l| !l.starts_with('#'));
    let last = (1..).zip(section).filter(|(_, l)| !l.trim().is_empty()).map(|(n, _)| n).last().unwrap_or(0);
    heading + 1 + last
}

fn split_at_line(text: &str, line: usize) -> (&str, &str) {
    let at: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    text.split_at(at)
}

/// Lines of the file that are shown around a change.
const AROUND: usize = 3;

/// A change in the words of `diff -u`.
pub fn diff(name: &str, text: Option<&str>, offer: &Offer) -> String {
    let lines: Vec<&str> = text.unwrap_or_default().lines().collect();
    let from = offer.after.saturating_sub(AROUND);
    let to = (offer.after + AROUND).min(lines.len());
    let (old, new) = (to - from, to - from + offer.added.len());
    let start = |count: usize| if count == 0 { from } else { from + 1 };
    let before = if text.is_some() { format!("a/{name}") } else { "/dev/null".to_owned() };
    let mut out = format!("--- {before}\n+++ b/{name}\n@@ -{},{old} +{},{new} @@\n", start(old), start(new));
    let line = |mark: char, text: &str| format!("{mark}{}\n", text.trim_end_matches('\r'));
    out.extend(lines[from..offer.after].iter().map(|l| line(' ', l)));
    out.extend(offer.added.iter().map(|l| line('+', l)));
    out.extend(lines[offer.after..to].iter().map(|l| line(' ', l)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_added_and_nothing_else_is_touched() {
        for own in ["", "# A\n", "# A\n\ntext", "# A\r\n\r\n* x\r\n", "x\n\n\n", "\u{feff}# B\n"] {
            let offer = offered(Some(own), &["Use pnpm"]).expect("one");
            assert!(offer.text.starts_with(own), "{:?}", offer.text);
            assert_eq!(own.contains('\r'), offer.text.contains('\r'));
            assert_eq!(own.ends_with('\n') || own.is_empty(), offer.text.ends_with('\n'), "{:?}", offer.text);
            let again = offered(Some(&offer.text), &["Run make deps"]).expect("one more");
            assert_eq!(again.added, ["- Run make deps"], "{:?}", again.text);
            assert_eq!(again.text.matches(HEADING).count(), 1);
        }
        assert_eq!(offered(Some("x"), &[]), None);
    }

    #[test]
    fn lines_go_under_our_heading_also_in_the_middle() {
        let own = "# A\n\n## Learned while working here\n\n- one\n\n## More\n\ntext\n";
        let offer = offered(Some(own), &["two"]).expect("one");
        assert_eq!(offer.text, own.replace("- one\n", "- one\n- two\n"));
        assert_eq!(
            diff("CLAUDE.md", Some(own), &offer),
            "--- a/CLAUDE.md\n+++ b/CLAUDE.md\n@@ -3,6 +3,7 @@\n ## Learned while working here\n \n - one\n+- two\n \n ## More\n \n"
        );
    }
}
