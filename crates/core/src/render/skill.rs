//! Lesson → SKILL.md: valid by the Agent Skills specification, usable at once. Our own fields stand under `metadata`.

use std::fmt::Write as _;

use crate::detect::Kind;
use crate::learn::{Holds, Lesson};
use crate::normal::command;
use crate::normal::slug;
use crate::redact::clean;

/// Longest description the specification allows is 1024; ours stay short.
const DESCRIPTION: usize = 300;

/// A skill file.
pub struct Skill {
    /// Its name, also of its folder.
    pub name: String,
    /// The text of SKILL.md.
    pub text: String,
}

/// Renders a lesson under a name.
pub fn skill(lesson: &Lesson, name: &str) -> Skill {
    let name = slug(name);
    let description = clean(&description(lesson));
    let (topic, action) = trigger_words(lesson);
    let mut out = String::new();
    let _ = writeln!(out, "---\nname: {name}\ndescription: {}", quoted(&description));
    let _ = writeln!(out, "metadata:");
    for (key, value) in [
        ("version", "1.0.0"),
        ("author", "uptake"),
        ("trigger_topic", &topic),
        ("trigger_action", &action),
        ("quality", "draft"),
        ("auto_load", "false"),
        ("lesson", &lesson.id),
    ] {
        let _ = writeln!(out, "  {key}: {}", quoted(&clean(value)));
    }
    let _ = writeln!(out, "---\n\n## {name}\n\n{} (in {})", clean(&lesson.payload.title), clean(project(lesson)));
    // Where commands say it, the statement would repeat them.
    if !matches!(lesson.kind, Kind::Recovery | Kind::Procedure) || lesson.payload.commands.is_empty() {
        let _ = writeln!(out, "\n{}", clean(&lesson.payload.statement));
    }
    out.push_str(&clean(&body(lesson)));
    Skill { name, text: out }
}

fn description(lesson: &Lesson) -> String {
    let about = match lesson.kind {
        // Only commands: what a tool printed is no text for an agent to load.
        _ if lesson.payload.commands.is_empty() => lesson.payload.statement.clone(),
        Kind::Recovery => format!("{}. Use when the first one fails", lesson.payload.statement),
        Kind::Procedure => format!("{}: {}", lesson.payload.title, lesson.payload.commands.join(", ")),
        _ => lesson.payload.statement.clone(),
    };
    // A skill lies where every project's sessions load it: where it holds is never cut off.
    format!("{} (in {})", cut(&about, DESCRIPTION), project(lesson))
}

/// The short name of the project a lesson holds in.
fn project(lesson: &Lesson) -> &str {
    if lesson.holds() == Holds::User {
        return "every project";
    }
    lesson.project().rsplit(['/', ':']).next().unwrap_or_default()
}

fn body(lesson: &Lesson) -> String {
    let mut out = String::new();
    if lesson.kind == Kind::Recovery && !lesson.payload.commands.is_empty() {
        let (before, after) = match lesson.payload.commands.as_slice() {
            [before, .., after] if lesson.payload.commands.len() == 2 => (before.clone(), after.clone()),
            [before, via @ .., after] => (before.clone(), format!("{} && {after}", via.join(" && "))),
            _ => (String::new(), String::new()),
        };
        let _ = writeln!(
            out,
            "\n### Error Fix\n\n| Before | After |\n|--------|-------|\n| {} | {} |",
            cell(&before),
            cell(&after)
        );
        return out;
    }
    if !lesson.payload.commands.is_empty() {
        let commands = if lesson.kind == Kind::Correction {
            &lesson.payload.commands[lesson.payload.commands.len() - 1..]
        } else {
            &lesson.payload.commands[..]
        };
        let _ = writeln!(out, "\n### Commands\n");
        for (n, c) in commands.iter().enumerate() {
            let _ = writeln!(out, "{}. {}", n + 1, code(c));
        }
    }
    out
}

/// Inline code, whatever backticks the text holds.
fn code(text: &str) -> String {
    let one = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let longest = one.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest > 0 { format!("{fence} {one} {fence}") } else { format!("`{one}`") }
}

fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}

fn cut(text: &str, limit: usize) -> String {
    let one = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if one.chars().count() <= limit { one } else { format!("{}…", one.chars().take(limit - 1).collect::<String>()) }
}

/// A YAML string that every reader takes for a string: always double-quoted.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' | '\r' | '\t' => out.push(' '),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Words by which the skill may be found: programs, and what is done with them.
fn trigger_words(lesson: &Lesson) -> (String, String) {
    let (mut topics, mut actions): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for line in &lesson.payload.commands {
        let normal = command::normalise(line);
        for part in normal.split(" && ") {
            let mut words =
                part.split(' ').filter(|w| w.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_:".contains(&b)));
            topics.extend(words.next().map(str::to_owned));
            actions.extend(words.next().map(str::to_owned));
        }
    }
    let few = |mut list: Vec<String>| {
        let mut seen = std::collections::BTreeSet::new();
        list.retain(|w| seen.insert(w.clone()));
        list.truncate(5);
        list.join(" ")
    };
    (few(topics), few(actions))
}

/// Name and description of a skill file that exists; `None` if it has no front matter.
pub fn existing_skill(text: &str) -> Option<(String, String)> {
    let rest = text.trim_start_matches('\u{feff}').strip_prefix("---")?;
    let (front, _) = rest.split_once("\n---")?;
    let field = |name: &str| {
        front
            .lines()
            .find_map(|l| l.strip_prefix(name)?.strip_prefix(':'))
            .map(|v| v.trim().trim_matches(['"', '\'']).to_owned())
            .unwrap_or_default()
    };
    Some((field("name"), field("description")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::detect;
    use crate::detect::tests::session;
    use crate::learn::{fold, of_one_session};
    use expect_test::expect;

    #[test]
    fn a_fix_is_a_table() {
        let all = detect(&session(
            "! pip install request => ERROR: No matching distribution found for request\n$ pip install requests",
        ));
        let lessons = fold("path:/home/dev/shop", &all);
        expect![[r#"
            ---
            name: error-pip
            description: "Instead of `pip install request` run `pip install requests`. Use when the first one fails (in shop)"
            metadata:
              version: "1.0.0"
              author: "uptake"
              trigger_topic: "pip"
              trigger_action: "install"
              quality: "draft"
              auto_load: "false"
              lesson: "e31779b430"
            ---

            ## error-pip

            Recover from pip errors (in shop)

            ### Error Fix

            | Before | After |
            |--------|-------|
            | `pip install request` | `pip install requests` |
        "#]]
        .assert_eq(&skill(&lessons[0], &lessons[0].payload.name).text);
    }

    #[test]
    fn a_procedure_is_a_numbered_list() {
        let all = detect(&session(
            "$ docker build -t app .\n$ docker tag app r/app\n$ docker push r/app | tee log\n$ kubectl rollout restart deployment/app",
        ));
        let best = crate::detect::best_per_detector(&all);
        let text = skill(&of_one_session("path:/x", &best)[0], "procedure-docker").text;
        assert!(text.contains("### Commands\n\n1. `docker build -t app .`\n2. `docker tag app r/app`"), "{text}");
    }

    #[test]
    fn words_without_commands_are_shown_as_words() {
        let all = detect(&session(
            "! pip install request => ERROR: No matching distribution found for request\n$ pip install requests",
        ));
        for kind in [Kind::Recovery, Kind::Procedure] {
            let mut lesson = fold("path:/x", &all).remove(0);
            (lesson.kind, lesson.payload.statement) = (kind, "Warm the pool first".into());
            lesson.payload.commands.clear();
            let text = skill(&lesson, "pool").text;
            assert!(text.contains("\n\nWarm the pool first\n") && !text.contains("Error Fix"), "{text}");
            assert!(text.contains("description: \"Warm the pool first (in x)\""), "{text}");
        }
    }

    #[test]
    fn quotes_pipes_and_backticks_stay_harmless() {
        assert_eq!(quoted("a \"b\" \\ : # no\n- x"), r#""a \"b\" \\ : # no - x""#);
        assert_eq!(cell("a | `b`"), "`` a \\| `b` ``");
    }

    #[test]
    fn front_matter_is_read_back() {
        assert_eq!(
            existing_skill("---\nname: x\ndescription: \"does y\"\n---\nbody"),
            Some(("x".into(), "does y".into()))
        );
        assert_eq!(existing_skill("no front matter"), None);
    }
}
