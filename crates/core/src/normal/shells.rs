//! What shells say of an error, in one form: a program that is not there, a folder that is none.
//!
//! Comes in: a line of output. Goes out: the program's name, or the line without the shell that speaks in it. `bash`, `zsh`,
//! `dash` and `fish` each have their own words; which of them a client uses says nothing about the mistake. What other
//! programs say (`sudo: go: command not found`) is left alone: they look in other places.

use std::borrow::Cow;

const SHELLS: &[&str] = &["bash", "zsh", "sh", "dash", "ash", "fish"];

/// The program that a shell did not find.
pub(crate) fn missing_program(line: &str) -> Option<&str> {
    let named = match said_by_shell(line) {
        Some(said) => named_first(said).or_else(|| said.strip_suffix(": not found")).or_else(|| named_last(said)),
        // Without a shell before it, only one word can be meant.
        None => named_first(line).filter(|name| !name.contains([':', ' '])),
    };
    named.map(|name| name.trim_matches(['\'', ' '])).filter(|name| !name.is_empty())
}

/// `go: command not found`: bash.
fn named_first(said: &str) -> Option<&str> {
    said.strip_suffix(": command not found")
}

/// `command not found: go`: zsh. `Unknown command: go`, older `Unknown command 'go'`: fish.
fn named_last(said: &str) -> Option<&str> {
    ["command not found: ", "Unknown command: ", "Unknown command "].iter().find_map(|words| said.strip_prefix(words))
}

/// The line as if one shell spoke in all of them.
pub(crate) fn as_one_shell(line: &str) -> Cow<'_, str> {
    if let Some(program) = missing_program(line) {
        return Cow::Owned(format!("sh: command not found: {program}"));
    }
    said_by_shell(line).map_or(Cow::Borrowed(line), |said| Cow::Owned(format!("sh: {said}")))
}

/// What follows `(eval):1: `, `bash: line 3: `, `/bin/sh: 1: `, `zsh: `; `None` if no shell speaks.
fn said_by_shell(line: &str) -> Option<&str> {
    let (speaker, said) = line.split_once(':')?;
    let name = speaker.rsplit('/').next().unwrap_or(speaker);
    (SHELLS.contains(&name) || speaker == "(eval)").then(|| without_line_number(said.trim_start()))
}

fn without_line_number(said: &str) -> &str {
    let number = said.strip_prefix("line ").unwrap_or(said);
    let behind = number.trim_start_matches(|c: char| c.is_ascii_digit());
    match behind.strip_prefix(':') {
        Some(rest) if behind.len() < number.len() => rest.trim_start(),
        _ => said,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_names_the_program_it_did_not_find() {
        for line in [
            "bash: line 1: go: command not found",
            "bash: go: command not found",
            "/usr/bin/bash: line 1: go: command not found",
            "zsh:1: command not found: go",
            "zsh: command not found: go",
            "(eval):1: command not found: go",
            "/bin/sh: 1: go: not found",
            "sh: 1: go: not found",
            "sh: go: not found",
            "go: command not found",
            "fish: Unknown command: go",
            "fish: Unknown command 'go'",
        ] {
            assert_eq!(missing_program(line), Some("go"), "{line}");
            assert_eq!(as_one_shell(line), "sh: command not found: go", "{line}");
        }
        assert_eq!(missing_program("bash: 7z: command not found"), Some("7z"));
    }

    #[test]
    fn what_is_not_a_shells_word_on_a_program_is_left_alone() {
        for line in [
            "sudo: go: command not found",
            "go: not found",
            "bash: line 1: cd: x: No such file or directory",
            "bash: : command not found",
            ": command not found",
            "error: Unknown command: go",
            "no configuration file provided: not found",
            "",
        ] {
            assert_eq!(missing_program(line), None, "{line}");
        }
    }

    #[test]
    fn it_does_not_matter_which_shell_spoke_or_in_which_line() {
        for line in ["bash: line 12: x: is a directory", "zsh:3: x: is a directory", "sh: x: is a directory"] {
            assert_eq!(as_one_shell(line), "sh: x: is a directory");
        }
        assert_eq!(as_one_shell("git: x: is a directory"), "git: x: is a directory");
    }
}
