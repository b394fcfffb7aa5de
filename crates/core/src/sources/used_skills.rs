//! Which skills and slash commands were used in a session, by the words that clients write when one begins.
//!
//! Comes in: a session. Goes out: names, each once, and the folder of a skill where the client says it. A call that was refused
//! used nothing. A name that was only typed may be of nothing that there is (`/clear`, `/tyop`): it is told apart. What a client expands without a word of its own (commands of OpenCode and Gemini CLI) cannot be told.

use std::collections::BTreeMap;

use crate::session::{Author, Body, Call, Event, Outcome, Session, Span};

/// A skill or slash command.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsedSkill {
    /// Its name; a command in a folder is `folder:name`.
    pub name: String,
    /// The folder it lies in, if the client says so.
    pub folder: Option<String>,
    /// Whether the client says that it began; else its name was only typed.
    pub began: bool,
}

/// How each client answers the tool by which the model asks for a skill: the tool, and what stands before and behind the name.
const CALLS: &[(&str, &str, char)] = &[
    ("Skill", "Launching skill: ", '\n'),
    ("skill", "<skill_content name=\"", '"'),
    ("activate_skill", "<activated_skill name=\"", '"'),
];
/// What Claude Code and OpenCode say before the folder of a skill.
const FOLDER: &str = "Base directory for this skill: ";
/// How Codex hands over a skill that the prompt names.
const CODEX: (&str, &str) = ("<skill>\n<name>", "</name>\n<path>");
/// How Claude Code's own answers to what is typed begin.
const OF_CLIENT: &str = "<local-command-";
/// Longest name that is one.
const LONGEST: usize = 80;

/// What was used in a session.
pub fn used_skills(session: &Session) -> Vec<UsedSkill> {
    let mut all: BTreeMap<String, UsedSkill> = BTreeMap::new();
    for (at, event) in session.events.iter().enumerate() {
        let one = match &event.body {
            Body::Call(call) => in_call(call),
            Body::User { author: Author::Human, spans } => typed(spans, session.events.get(at + 1)),
            Body::User { spans, .. } => in_message(spans),
            Body::Assistant { .. } => None,
        };
        if let Some(one) = one.filter(|one| is_name(&one.name)) {
            let known = all.entry(one.name.clone()).or_insert_with(|| one.clone());
            known.folder = one.folder.or(known.folder.take());
            known.began |= one.began;
        }
    }
    all.into_values().collect()
}

fn in_call(call: &Call) -> Option<UsedSkill> {
    let (_, before, behind) = CALLS.iter().find(|(tool, ..)| *tool == call.tool)?;
    if call.outcome != Outcome::Ok {
        return None;
    }
    let output = call.output.head();
    let name = output.strip_prefix(before)?.split(*behind).next()?;
    let folder = output.split_once(FOLDER).and_then(|(_, rest)| rest.lines().next());
    Some(UsedSkill { name: name.trim().to_owned(), folder: folder.map(plain), began: true })
}

/// A command that somebody typed. It began if the client put its text behind it, and not what the client itself answered.
fn typed(spans: &[Span], next: Option<&Event>) -> Option<UsedSkill> {
    // A path is typed in other ways.
    let name = spans.first()?.text.head().trim_start().strip_prefix('/')?.split(char::is_whitespace).next()?;
    let began = next.is_some_and(|event| match &event.body {
        Body::User { author: Author::Machine, spans } => {
            spans.first().is_some_and(|s| !s.text.head().trim_start().starts_with(OF_CLIENT))
        }
        _ => false,
    });
    (!name.contains('/')).then(|| UsedSkill { name: name.to_owned(), folder: None, began })
}

fn in_message(spans: &[Span]) -> Option<UsedSkill> {
    let text = spans.first()?.text.head().trim_start();
    if let Some(folder) = text.strip_prefix(FOLDER).and_then(|rest| rest.lines().next()).map(plain) {
        let name = folder.rsplit('/').next().unwrap_or_default().to_owned();
        return Some(UsedSkill { name, folder: Some(folder), began: true });
    }
    let (name, rest) = text.strip_prefix(CODEX.0)?.split_once(CODEX.1)?;
    let folder = rest.split("</path>").next().and_then(|path| plain(path).strip_suffix("/SKILL.md").map(str::to_owned));
    Some(UsedSkill { name: name.to_owned(), folder, began: true })
}

/// A folder as a path, however the client writes it.
fn plain(folder: &str) -> String {
    folder.trim().trim_start_matches("file://").trim_end_matches('/').to_owned()
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= LONGEST
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Excerpt, Origin, ToolKind};
    use crate::sources::build::span;

    fn session(bodies: Vec<Body>) -> Session {
        let event = |body| Event { id: "e".into(), at: None, offset: 0, len: 0, tokens: None, body };
        Session { events: bodies.into_iter().map(event).collect(), ..Session::default() }
    }

    fn call(tool: &str, outcome: Outcome, output: &str) -> Body {
        Body::Call(Call { outcome, output: Excerpt::new(output), ..Call::new(tool, ToolKind::Other, "") })
    }

    fn message(author: Author, text: &str) -> Body {
        Body::User { author, spans: vec![span(Origin::Tool, text)] }
    }

    /// The words are those of Claude Code 2.1.325, Codex 0.166, OpenCode 1.18.33 and Gemini CLI 0.61.
    #[test]
    fn each_client_says_in_its_own_words_which_skill_begins() {
        let used = |body: Body| {
            let all = used_skills(&session(vec![body]));
            all.into_iter().map(|u| format!("{} {}", u.name, u.folder.unwrap_or_default())).collect::<Vec<_>>()
        };
        assert_eq!(used(call("Skill", Outcome::Ok, "Launching skill: report-book")), ["report-book "]);
        let folder = "Base directory for this skill: /p/.claude/skills/report-book\n\nRun it.";
        assert_eq!(used(message(Author::Machine, folder)), ["report-book /p/.claude/skills/report-book"]);
        assert_eq!(used(message(Author::Human, "/uptake:greet world")), ["uptake:greet "]);
        let codex =
            "<skill>\n<name>report-book</name>\n<path>/h/.codex/skills/report-book/SKILL.md</path>\n---\nname: x";
        assert_eq!(used(message(Author::Machine, codex)), ["report-book /h/.codex/skills/report-book"]);
        let opencode = "<skill_content name=\"report-book\">\n# Skill: report-book\n\nBase directory for this skill: file:///h/s/report-book\n";
        assert_eq!(used(call("skill", Outcome::Ok, opencode)), ["report-book /h/s/report-book"]);
        let gemini = "<activated_skill name=\"report-book\">\n  <instructions>\n";
        assert_eq!(used(call("activate_skill", Outcome::Ok, gemini)), ["report-book "]);
    }

    #[test]
    fn what_was_refused_or_only_looks_like_one_is_no_use() {
        for body in [
            call("Skill", Outcome::Failed(None), "Unknown skill: tidy"),
            call("Skill", Outcome::Ok, "<tool_use_error>"),
            call("Bash", Outcome::Ok, "Launching skill: tidy"),
            message(Author::Human, "/etc/hosts is wrong"),
            message(Author::Human, "use /tidy here"),
            message(Author::Human, "/ what"),
        ] {
            assert_eq!(used_skills(&session(vec![body.clone()])), [], "{body:?}");
        }
    }

    #[test]
    fn a_skill_that_is_named_in_two_ways_is_one() {
        let both = session(vec![
            call("Skill", Outcome::Ok, "Launching skill: tidy"),
            message(Author::Machine, "Base directory for this skill: /p/tidy\n"),
            call("Skill", Outcome::Ok, "Launching skill: tidy"),
        ]);
        assert_eq!(
            used_skills(&both),
            [UsedSkill { name: "tidy".into(), folder: Some("/p/tidy".into()), began: true }]
        );
    }

    #[test]
    fn a_name_that_was_only_typed_did_not_begin() {
        let answer = "<local-command-stdout>Compacted</local-command-stdout>";
        for (next, began) in [
            (None, false),
            (Some(message(Author::Machine, answer)), false),
            (Some(message(Author::Human, "go on")), false),
            (Some(message(Author::Machine, "# Tidy\n\nRun `make tidy`.")), true),
        ] {
            let bodies = [Some(message(Author::Human, "/tidy")), next].into_iter().flatten().collect();
            assert_eq!(used_skills(&session(bodies)), [UsedSkill { name: "tidy".into(), folder: None, began }]);
        }
    }
}
