//! Lesson → a slash command: `commands/uptake/<name>.md`.

use std::fmt::Write as _;

use super::Skill;
use super::file_name;
use super::skill::{code, cut, project, quoted};
use crate::learn::Lesson;
use crate::redact::clean;

/// Longest description.
const DESCRIPTION: usize = 200; // characters

/// Renders a lesson as a slash command under a name.
pub fn command(lesson: &Lesson, name: &str) -> Skill {
    let about = format!("{} (in {})", cut(&lesson.payload.statement, DESCRIPTION), project(lesson));
    let mut out = format!("---\ndescription: {}\n---\n", quoted(&clean(&about)));
    let _ = writeln!(out, "<!-- uptake lesson: \"{}\" -->", lesson.id);
    let _ = writeln!(out, "\n{}", inert(&clean(&lesson.payload.statement)));
    if !lesson.payload.commands.is_empty() {
        let _ = writeln!(out, "\nRun in order; each must end without an error before the next one begins:\n");
        for (n, line) in (1..).zip(&lesson.payload.commands) {
            let _ = writeln!(out, "{n}. {}", inert(&clean(&code(line))));
        }
    }
    let _ = writeln!(out, "\nWhat was said with the command, if anything: $ARGUMENTS");
    Skill { name: file_name(name), text: out }
}

/// Words that the client would act on when it opens the file: `` !`command` `` is run, `@file` is read.
fn inert(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (n, c) in text.char_indices() {
        let next = text[n + c.len_utf8()..].chars().next();
        out.push(c);
        if c == '!' && next == Some('`') || c == '@' && next.is_some_and(|c| !c.is_whitespace()) {
            out.push(' ');
        }
    }
    out.replace("$ARGUMENTS", "$ ARGUMENTS")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::by_hand;

    #[test]
    fn nothing_in_a_command_is_run_or_read_when_it_is_opened() {
        let lesson = by_hand("path:/x/shop", "Look at @secrets.env and run !`date`, then $ARGUMENTS", 1);
        let text = command(&lesson, "CON").text;
        assert!(text.contains("Look at @ secrets.env and run ! `date`, then $ ARGUMENTS"), "{text}");
        assert!(text.starts_with("---\ndescription: \"Look at"), "{text}");
    }
}
