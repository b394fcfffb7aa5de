//! Which skills and slash commands were used in a session, by the words that clients write when one begins.
//!
//! Comes in: a session. Goes out: names, each once, and the folder of a skill where the client says it. A call that was refused
//! used nothing. What a client expands without a word of its own (commands of OpenCode and Gemini CLI) cannot be told.

use std::collections::BTreeMap;

use crate::session::{Author, Body, Call, Outcome, Session, Span};

/// A skill or slash command.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsedSkill {
    /// Its name; a command in a folder is `folder:name`.
    pub name: String,
    /// The folder it lies in, if the client says so.
    pub folder: Option<String>,
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
/// Longest name that is one.
const LONGEST: usize = 80;

/// What was used in a session.
pub fn used_skills(session: &Session) -> Vec<UsedSkill> {
    let mut all: BTreeMap<String, Option<String>> = BTreeMap::new();
    for event in &session.events {
        let one = match &event.body {
            Body::Call(call) => in_call(call),
            Body::User { author, spans } => in_message(*author, spans),
            Body::Assistant { .. } => None,
        };
        if let Some(UsedSkill { name, folder }) = one.filter(|one| is_name(&one.name)) {
            let known = all.entry(name).or_default();
            *known = folder.or(known.take());
        }
    }
    all.into_iter().map(|(name, folder)| UsedSkill { name, folder }).collect()
}

fn in_call(call: &Call) -> Option<UsedSkill> {
    let (_, before, behind) = CALLS.iter().find(|(tool, ..)| *tool == call.tool)?;
    if call.outcome != Outcome::Ok {
        return None;
    }
    let output = call.output.head();
    let name = output.strip_prefix(before)?.split(*behind).next()?;
    let folder = output.split_once(FOLDER).and_then(|(_, rest)| rest.lines().next());
    Some(UsedSkill { name: name.trim().to_owned(), folder: folder.map(plain) })
}

fn in_message(author: Author, spans: &[Span]) -> Option<UsedSkill> {
    let text = spans.first()?.text.head().trim_start();
    if author == Author::Human {
        // A path is typed in other ways.
        let name = text.strip_prefix('/')?.split(char::is_whitespace).next()?;
        return (!name.contains('/')).then(|| UsedSkill { name: name.to_owned(), folder: None });
    }
    if let Some(folder) = text.strip_prefix(FOLDER).and_then(|rest| rest.lines().next()).map(plain) {
        let name = folder.rsplit('/').next().unwrap_or_default().to_owned();
        return Some(UsedSkill { name, folder: Some(folder) });
    }
    let (name, rest) = text.strip_prefix(CODEX.0)?.split_once(CODEX.1)?;
    let folder = rest.split("</path>").next().and_then(|path| plain(path).strip_suffix("/SKILL.md").map(str::to_owned));
    Some(UsedSkill { name: name.to_owned(), folder })
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
    use crate::session::{Event, Excerpt, Origin, ToolKind};
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
        assert_eq!(used_skills(&both), [UsedSkill { name: "tidy".into(), folder: Some("/p/tidy".into()) }]);
    }
}
