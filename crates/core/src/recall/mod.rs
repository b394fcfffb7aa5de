//! Moment + lessons → hints: what to look up for a failing call, and the words an agent is given.
//!
//! Comes in: a command and what it printed. Goes out: the key under which approved fixes are kept, and the text of a
//! hint. Every text put into a model's context goes through here and has a hard cap.

pub mod before_call;
pub mod card;
mod change;
pub mod facts;
pub mod prompt;
pub mod skills;
pub mod subagent;

pub use self::change::changed;
use crate::detect::{Kind, Trigger};
use crate::failure::outcome::{Facts, decide, from_output, is_hidden_failure};
use crate::learn::{self, Lesson, staging};
use crate::moment::ToolUse;
use crate::normal::command::working;
use crate::normal::reading::only_looks;
use crate::normal::{error, shell};
use crate::redact::{clean, redact, visible};
use crate::session::{COMMAND_LIMIT, ENVELOPE, Excerpt, FAILURE_SIDE, Origin, Outcome};

/// Longest text given at a call.
const CALL_LIMIT: usize = 600;

/// What to look up for a failing command; `None` if its output does not say what went wrong.
pub fn trigger(command: &str, output: &str) -> Option<Trigger> {
    // Cut as stored outputs are: the same failure must give the same key.
    let signature = error::signature(&Excerpt::with_side(&visible(output), FAILURE_SIDE))?;
    let script = shell::parse(&command[..command.floor_char_boundary(COMMAND_LIMIT)]);
    let program = error::speaker(&script, &signature.line).to_owned();
    // Lessons were learned from redacted text; here only the one line that matters is redacted, to save time.
    Some(Trigger { program, error: redact(&signature.key).into_owned() })
}

/// Whether a call that the client takes for a success failed behind a pipe.
pub fn failed_unseen(call: &ToolUse, output: &str) -> bool {
    call.command().is_some_and(|line| is_hidden_failure(line, &Excerpt::with_side(&visible(output), FAILURE_SIDE)))
}

/// Whether a call failed, where the client's payload does not say so. Without an exit code its output alone tells.
pub fn failed_with(call: &ToolUse, output: &str, code: Option<i32>) -> bool {
    let Some(line) = call.command() else { return false };
    let output = Excerpt::with_side(&visible(output), FAILURE_SIDE);
    let outcome = match code {
        Some(_) => decide(call.kind, line, Facts { code, ..Facts::default() }, &output),
        None => from_output(line, &output),
    };
    matches!(outcome, Outcome::Failed(_) | Outcome::Masked)
}

/// Detectors that read the steps of a task off the commands that were run.
const STEPS: &[&str] = &["multi-step", "success-sequence"];

/// Whether the start of a session is a moment to tell a lesson. Steps that commands alone gave are told when their task is asked
/// for.
pub fn is_for_start(lesson: &Lesson) -> bool {
    if lesson.kind == Kind::Fact {
        return learn::facts::is_for_start(lesson);
    }
    // What somebody asked for once was for that day.
    let once = lesson.kind == Kind::Workflow && lesson.evidence.sessions < 2;
    !once && !STEPS.contains(&lesson.origin.detector.as_str()) && !prompt::says_nothing(lesson)
}

/// The line an agent is given for a lesson: its statement, nothing else.
pub fn hint(lesson: &Lesson) -> String {
    let text = clean(&lesson.payload.statement);
    let one = text.split_whitespace().collect::<Vec<_>>().join(" ");
    one.replace("</", "< /")
}

/// Longest fix that is told: who has to read two long commands side by side does not see what to change.
const FIX_LIMIT: usize = 240;

/// Whether a fix says something at its error. What is for an agent to write up says nothing by itself; what failed while
/// only looking failed at what was looked at.
pub fn is_worth_telling(fix: &Lesson) -> bool {
    let looks = |line: &String| {
        let script = shell::parse(line);
        let commands = working(&script);
        !commands.is_empty() && commands.iter().all(|c| only_looks(c))
    };
    let statement = &fix.payload.statement;
    !staging::is_candidate(&fix.origin.detector)
        && (fix.origin.trust == Origin::User
            || statement.len() <= FIX_LIMIT
                && !statement.contains('…')
                && !fix.payload.commands.first().is_some_and(looks))
}

/// How many characters of an id a hint carries.
const SHORT_ID: usize = 5;

/// A hint with the short id under which it can be called wrong.
pub fn with_id(text: &str, id: &str) -> String {
    format!("{text} [{}]", &id[..id.floor_char_boundary(SHORT_ID)])
}

/// A hint that was told before and not heeded.
pub fn firmly(text: &str) -> String {
    format!("Told before in this session, and the same failed again. Stop and do this: {text}")
}

/// Most lines of the card at the start of a session.
const CARD_LINES: usize = 10;
/// Longest card.
const CARD_LIMIT: usize = 1_100;

/// The card at the start of a session: a line for each fact, within the caps; `None` if there is nothing to say. `root` is what
/// paths are told from, where that is not the folder the session starts in.
pub fn card(lines: &[&str], root: Option<&str>) -> Option<Envelope> {
    card_with(lines, root, None)
}

/// The card with what an agent is asked to write up; either may be missing. The card is shorter where both would be too long: it is
/// told at every start, what is asked once.
pub fn card_with(lines: &[&str], root: Option<&str>, asked: Option<&Envelope>) -> Option<Envelope> {
    let rest = asked.map_or(0, |a| a.text.len()) + UNLISTED.len() + 1;
    let card = listed(lines, root, CARD_LINES, CARD_LIMIT.min(START_LIMIT.saturating_sub(rest)));
    let Some(asked) = asked else { return card };
    let mut told = card.unwrap_or_else(|| Envelope { text: format!("({ENVELOPE})"), hints: Vec::new() });
    told.text.push_str(&asked.text);
    Some(told)
}

/// Lines below each other, so many and so long at most.
fn listed(lines: &[&str], root: Option<&str>, most: usize, limit: usize) -> Option<Envelope> {
    let mut text = match root {
        Some(root) => format!("({ENVELOPE}; paths are told from the root, `{root}`)"),
        None => format!("({ENVELOPE})"),
    };
    let mut inside = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        // Several causes may be met in one way.
        let words = |l: &str| l.rsplit_once(" [").map_or(l, |(w, _)| w).to_owned();
        let said = inside.iter().any(|m: &usize| words(lines[*m]) == words(line));
        if !said && inside.len() < most && text.len() + line.len() + 3 <= limit {
            text.push_str("\n- ");
            text.push_str(line);
            inside.push(n);
        }
    }
    (!inside.is_empty()).then_some(Envelope { text, hints: inside })
}

/// Most lessons at a time that an agent is asked to write up, and the longest text of it.
const WRITE_UPS: usize = 3;
const WRITE_UP_LIMIT: usize = 800;

/// What an agent is asked to write up, as far as there is room, to stand behind the card. `binary` is where uptake is: an agent need
/// not have it on its PATH.
pub fn write_ups(lines: &[&str], binary: &str) -> Option<Envelope> {
    let mut text = format!(
        "\nThe user asks you to write these up when your work allows it: check each, and hand in what holds, in your own words and \
         with its id: '{binary}' submit '{{\"task\":\"…\",\"pattern\":\"…\",\"citations\":[\"ID\"]}}'"
    );
    let mut inside = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        if inside.len() < WRITE_UPS && text.len() + line.len() + 3 <= WRITE_UP_LIMIT {
            text.push_str("\n- ");
            text.push_str(line);
            inside.push(n);
        }
    }
    (!inside.is_empty()).then_some(Envelope { text, hints: inside })
}

/// Longest text at the start of a session.
const START_LIMIT: usize = 1_500;
/// Longest card with the index behind it.
const INDEX_LIMIT: usize = 1_200;

/// The card with the index of what is known, as far as there is room; either may be missing. Where no entry has room, it is said
/// that there are some.
pub fn with_index(card: Option<Envelope>, index: &str) -> Option<Envelope> {
    let lines: Vec<String> = index.lines().map(|line| clean(line).replace("</", "< /")).collect();
    let Some((cite, listed)) = lines.split_last().filter(|(_, listed)| !listed.is_empty()) else { return card };
    let mut told = card.unwrap_or_else(|| Envelope { text: format!("({ENVELOPE})"), hints: Vec::new() });
    let room = INDEX_LIMIT.saturating_sub(told.text.len() + cite.len() + 1);
    let (mut part, mut entries) = (String::new(), 0);
    for line in listed.iter().filter(|line| !line.is_empty()) {
        if part.len() + line.len() < room {
            part.push('\n');
            part.push_str(line);
            entries += usize::from(line.starts_with(' '));
        }
    }
    if entries > 0 {
        told.text.push_str(&part);
    }
    told.text.push('\n');
    told.text.push_str(if entries > 0 { cite } else { UNLISTED });
    Some(told)
}

/// Where the index has no room.
const UNLISTED: &str = "Decisions and pitfalls of this project are written down: `uptake knowledge` lists them.";

/// A text for an agent, and which of the hints offered are in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The text.
    pub text: String,
    /// The hints in it, by their place among those offered.
    pub hints: Vec<usize>,
}

/// Why hints are given: what stands behind the envelope's first words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// A call failed.
    Failed,
    /// A prompt has to do with them.
    Asked,
}

impl Because {
    fn words(self) -> &'static str {
        match self {
            Self::Failed => "this error was met before",
            Self::Asked => "on what is asked",
        }
    }
}

/// Puts hints into an envelope, within the cap; `None` if there is nothing to say or nothing fits.
pub fn envelope(because: Because, hints: &[&str]) -> Option<Envelope> {
    let mut text = format!("({ENVELOPE}: {})", because.words());
    let mut inside = Vec::new();
    for (n, hint) in hints.iter().enumerate() {
        if text.len() + hint.len() < CALL_LIMIT {
            text.push('\n');
            text.push_str(hint);
            inside.push(n);
        }
    }
    (!inside.is_empty()).then_some(Envelope { text, hints: inside })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_a_failure_is_the_key_of_its_lesson() {
        let seen = trigger(
            "python3 -m ledger report --format json",
            "usage: ledger report [-h]\nledger: error: unrecognized arguments: --format json",
        );
        let again = trigger(
            "cd x && python3 -m ledger report --format json | head",
            "usage: ledger report [-h]\nledger: error: unrecognized arguments: --format json",
        );
        assert!(seen.is_some());
        assert_eq!(seen, again);
    }

    #[test]
    fn an_index_without_room_for_an_entry_is_one_line() {
        let index = "Decisions (1):\n  ADR-001  Use Postgres  [Active]\nCite them.\n";
        let whole = with_index(None, index).expect("told").text;
        assert!(whole.ends_with("\n  ADR-001  Use Postgres  [Active]\nCite them."), "{whole}");
        let full = Envelope { text: "x".repeat(INDEX_LIMIT - 30), hints: Vec::new() };
        assert_eq!(with_index(Some(full), index).expect("told").text.lines().skip(1).collect::<Vec<_>>(), [UNLISTED]);
    }

    #[test]
    fn a_missing_program_has_one_key_in_every_shell() {
        let expected = Trigger { program: "go".to_owned(), error: "sh: command not found: go".to_owned() };
        for output in [
            "bash: line 1: go: command not found",
            "zsh:1: command not found: go",
            "/bin/sh: 1: go: not found",
            "go: command not found",
            "fish: Unknown command: go\nfish:\ngo test ./...\n^^",
        ] {
            for command in ["go test ./...", "npm ci && go test ./...", "cd app && go test ./... 2>&1 | tail"] {
                assert_eq!(trigger(command, output).as_ref(), Some(&expected), "{command}: {output}");
            }
        }
    }

    #[test]
    fn how_a_tool_is_used_brings_up_nothing() {
        assert_eq!(trigger("python3 tools/a.py", "error: usage:\n  a.py [--all]"), None);
        assert_eq!(trigger("python3 tools/b.py", "error: usage: b.py FILE"), None);
    }

    #[test]
    fn a_hint_never_exceeds_its_cap() {
        let long = "x".repeat(2_000);
        assert_eq!(envelope(Because::Failed, &[&long]), None);
        let told = envelope(Because::Failed, &[&long, "Instead of `a` run `b`"]).expect("one fits");
        assert!(told.text.len() <= CALL_LIMIT && told.text.ends_with("run `b`"));
        assert_eq!(told.hints, [1]);
        assert_eq!(envelope(Because::Failed, &[]), None);
    }
}
