//! What loosens a check, a right or an approval.
//!
//! Comes in: the words of a command, or a sentence. Goes out: whether it makes a tool or an agent less careful: a check is
//! left out, a right is given, something of somebody else is run, a person is asked less. It is told by what words are made
//! of, not by a list of tools: `--skip-checks` and `--noVerify` need no row.
//!
//! Like all concerns this can only hold a lesson back; its silence says nothing.

#[cfg(test)]
mod cases;
mod options;
mod sentences;

pub(super) use options::command_loosens;
pub(super) use sentences::sentence_loosens;

/// `--no_verify`, `--noVerify` and `NO-VERIFY` are made of no, verify.
fn pieces(word: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut small = false;
    for c in word.chars() {
        if !c.is_alphanumeric() || small && c.is_uppercase() {
            out.push(String::new());
        }
        if let (true, Some(last)) = (c.is_alphanumeric(), out.last_mut()) {
            last.extend(c.to_lowercase());
        }
        small = c.is_lowercase();
    }
    out.retain(|p| !p.is_empty());
    out
}

#[cfg(test)]
mod tests {
    use super::cases::*;
    use crate::learn::capability::{Concern, concerns};

    fn refused(statement: &str, commands: &[&str]) -> bool {
        // Some of these are held back for another reason already; that is as good.
        !concerns(statement, commands.iter().copied()).is_empty()
    }

    fn check(list: &[&str], wanted: bool, refused: impl Fn(&str) -> bool) -> usize {
        let wrong: Vec<&&str> = list.iter().filter(|case| refused(case) != wanted).collect();
        assert!(wrong.is_empty(), "{} of {} should be {wanted}: {wrong:#?}", wrong.len(), list.len());
        list.len()
    }

    #[test]
    fn what_loosens_something_waits_for_a_person() {
        let commands = check(LOOSE, true, |c| refused("", &[c])) + check(MORE_LOOSE, true, |c| refused("", &[c]));
        let words = check(LOOSE_WORDS, true, |s| refused(s, &[])) + check(MORE_LOOSE_WORDS, true, |s| refused(s, &[]));
        assert!(commands >= 60 && words >= 30, "{commands} {words}");
    }

    #[test]
    fn ordinary_commands_and_careful_words_pass() {
        let commands = check(PLAIN, false, |c| refused("", &[c])) + check(MORE_PLAIN, false, |c| refused("", &[c]));
        let words =
            check(CAREFUL_WORDS, false, |s| refused(s, &[])) + check(MORE_CAREFUL_WORDS, false, |s| refused(s, &[]));
        assert!(commands >= 60 && words >= 30, "{commands} {words}");
    }

    #[test]
    fn the_spelling_of_an_option_does_not_matter() {
        for option in ["--no-verify", "--no_verify", "--noVerify", "--NO-VERIFY", "\"--no-verify\"", "--no-verify=true"]
        {
            for line in [
                format!("git push {option}"),
                format!("env A=1 git push {option}"),
                format!("cd x && git push {option}"),
                format!("sh -c 'git push {option}'"),
                format!("timeout 5 git push {option} | tail"),
            ] {
                assert!(concerns("", [line.as_str()]).contains(&Concern::Loosens), "{line}");
            }
        }
        assert!(
            concerns("commit with \u{2014}no-verify", []).contains(&Concern::Loosens),
            "a dash of a word processor"
        );
    }
}
