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
    merged_skill(&[lesson], name)
}

/// Renders lessons about one thing as one skill.
pub fn merged_skill(lessons: &[&Lesson], name: &str) -> Skill {
    let name = slug(name);
    let Some(first) = lessons.first() else { return Skill { name, text: String::new() } };
    let (topic, action) = trigger_words(lessons);
    let ids = lessons.iter().map(|l| l.id.as_str()).collect::<Vec<_>>().join(" ");
    let mut out = String::new();
    let about = clean(&if lessons.len() == 1 { description(first) } else { summary(lessons) });
    let _ = writeln!(out, "---\nname: {name}\ndescription: {}", quoted(&about));
    let _ = writeln!(out, "metadata:");
    for (key, value) in [
        ("version", "1.0.0"),
        ("author", "uptake"),
        ("trigger_topic", &topic),
        ("trigger_action", &action),
        ("quality", DRAFT),
        ("auto_load", "false"),
        ("lesson", &ids),
    ] {
        let _ = writeln!(out, "  {key}: {}", quoted(&clean(value)));
    }
    let _ = write!(out, "---\n\n## {name}\n");
    if let [only] = lessons {
        let _ = writeln!(out, "\n{} (in {})", clean(&only.payload.title), clean(project(only)));
        out.push_str(&clean(&one(only, "###")));
    } else {
        let _ = writeln!(out, "\nWhat holds for {} (in {})", clean(&topic_of(first)), clean(project(first)));
        for lesson in lessons {
            let _ = writeln!(out, "\n### {}", clean(&heading(lesson)));
            out.push_str(&clean(&one(lesson, "####")));
        }
    }
    Skill { name, text: out }
}

/// How good a skill is thought to be before a person promoted it.
pub const DRAFT: &str = "draft";
/// The same afterwards.
pub const VERIFIED: &str = "verified";

/// What a lesson is about, if it names a program: ten lessons about one thing are one skill.
pub fn topic(lesson: &Lesson) -> Option<String> {
    let topic = trigger_words(&[lesson]).0;
    topic.split(' ').next().filter(|word| !word.is_empty()).map(str::to_owned)
}

fn topic_of(lesson: &Lesson) -> String {
    topic(lesson).map_or_else(|| "this".to_owned(), |topic| format!("`{topic}`"))
}

fn heading(lesson: &Lesson) -> String {
    let text = lesson.payload.statement.replace('`', "");
    cut(text.trim_end_matches(['.', ' ']), HEADING)
}

/// Longest heading.
const HEADING: usize = 72; // characters

/// The description of several lessons: all of them, as far as there is room.
fn summary(lessons: &[&Lesson]) -> String {
    let each = DESCRIPTION / lessons.len().max(1);
    let all: Vec<String> = lessons.iter().map(|l| cut(&l.payload.statement, each.max(HEADING))).collect();
    let about = cut(&all.join("; "), 2 * DESCRIPTION);
    format!("{about}. Use when you work with {} (in {})", topic_of(lessons[0]), project(lessons[0]))
}

/// What is said of one lesson: when it counts, what to do, what not, how to see that it worked.
fn one(lesson: &Lesson, level: &str) -> String {
    let mut out = String::new();
    // Where commands say it, the statement would repeat them.
    if !matches!(lesson.kind, Kind::Recovery | Kind::Procedure) || lesson.payload.commands.is_empty() {
        let _ = writeln!(out, "\n{}", lesson.payload.statement);
    }
    if let (Kind::Procedure, [_, .., last]) = (lesson.kind, lesson.payload.commands.as_slice())
        && !PLACEHOLDERS.iter().any(|p| last.contains(p))
    {
        let _ = writeln!(
            out,
            "\nWhen you are about to run {} here: these steps come first, in this order.",
            code(&spared(last))
        );
    }
    out.push_str(&body(lesson, level));
    let (pitfall, verify) = around(lesson);
    for (title, text) in [("Pitfall", pitfall), ("Verify", verify)] {
        if let Some(text) = text {
            let _ = writeln!(out, "\n{level} {title}\n\n{text}");
        }
    }
    out
}

/// What goes wrong, and how to see that it went right.
fn around(lesson: &Lesson) -> (Option<String>, Option<String>) {
    let commands = &lesson.payload.commands;
    let (Some(first), Some(last)) = (commands.first(), commands.last()) else { return (None, None) };
    let ends_well = || Some(format!("{} ends without an error.", code(&spared(last))));
    match lesson.kind {
        // A step was missing: the same command works after it.
        Kind::Recovery if commands.len() > 2 && first == last => {
            let steps: Vec<String> = commands[1..commands.len() - 1].iter().map(|c| code(c)).collect();
            let steps = steps.join(", then ");
            (Some(format!("{} by itself fails here; run {steps} before you try it again.", code(first))), ends_well())
        }
        Kind::Recovery if commands.len() > 1 => {
            (Some(format!("{} fails here; do not try it again.", code(first))), ends_well())
        }
        Kind::Correction if commands.len() > 1 => (Some(format!("Not {}.", code(first))), ends_well()),
        Kind::Procedure | Kind::Workflow if commands.len() > 1 => {
            (None, Some("Each step ends without an error before the next one begins.".to_owned()))
        }
        _ => (None, ends_well()),
    }
}

fn description(lesson: &Lesson) -> String {
    let about = match lesson.kind {
        // Only commands: what a tool printed is no text for an agent to load.
        _ if lesson.payload.commands.is_empty() => lesson.payload.statement.clone(),
        Kind::Recovery => format!("{}. Use when the first one fails", lesson.payload.statement),
        Kind::Procedure => format!("{}: {}", lesson.payload.title, spared(&lesson.payload.commands.join(", "))),
        _ => lesson.payload.statement.clone(),
    };
    // A skill lies where every project's sessions load it: where it holds is never cut off.
    format!("{} (in {})", cut(&about, DESCRIPTION), project(lesson))
}

/// The short name of the project a lesson holds in.
pub(super) fn project(lesson: &Lesson) -> &str {
    if lesson.holds() == Holds::User {
        return "every project";
    }
    lesson.project().rsplit(['/', ':']).next().unwrap_or_default()
}

fn body(lesson: &Lesson, level: &str) -> String {
    let mut out = String::new();
    if lesson.kind == Kind::Recovery && !lesson.payload.commands.is_empty() {
        let (before, after) = match lesson.payload.commands.as_slice() {
            [before, .., after] if lesson.payload.commands.len() == 2 => (before.clone(), after.clone()),
            [before, via @ .., after] => (before.clone(), format!("{} && {after}", via.join(" && "))),
            _ => (String::new(), String::new()),
        };
        let _ = writeln!(
            out,
            "\n{level} Error Fix\n\n| Before | After |\n|--------|-------|\n| {} | {} |",
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
        let mut steps: Vec<String> = commands.iter().map(|c| spared(c)).collect();
        steps.dedup();
        let _ = writeln!(out, "\n{level} Commands\n");
        for (n, step) in steps.iter().enumerate() {
            let _ = writeln!(out, "{}. {}", n + 1, code(step));
        }
        if PLACEHOLDERS.iter().any(|p| steps.iter().any(|step| step.contains(p))) {
            let _ = writeln!(out, "\nWhat stands in `<…>` differs each time: fill in what the task needs.");
        }
    }
    out
}

/// What stands in a command for words that differ from time to time.
const PLACEHOLDERS: [&str; 4] = ["<value>", "<arguments>", "<path>", "<file>"];

/// Of placeholders that follow each other only one.
pub(crate) fn spared(text: &str) -> String {
    let mut out = text.to_owned();
    for placeholder in PLACEHOLDERS {
        let twice = format!("{placeholder} {placeholder}");
        while out.contains(&twice) {
            out = out.replace(&twice, placeholder);
        }
    }
    out
}

/// Inline code, whatever backticks the text holds.
pub(super) fn code(text: &str) -> String {
    let one = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let longest = one.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest > 0 { format!("{fence} {one} {fence}") } else { format!("`{one}`") }
}

fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}

pub(super) fn cut(text: &str, limit: usize) -> String {
    let one = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if one.chars().count() <= limit { one } else { format!("{}…", one.chars().take(limit - 1).collect::<String>()) }
}

/// A YAML string that every reader takes for a string: always double-quoted.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    // Many readers take the next three hyphens, wherever they stand, for the end of the head.
    for c in text.replace("---", "—").chars() {
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
pub(crate) fn trigger_words(lessons: &[&Lesson]) -> (String, String) {
    let (mut topics, mut actions): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for line in lessons.iter().flat_map(|l| &l.payload.commands) {
        let normal = command::normalise(line);
        for part in normal.split(" && ") {
            let mut words =
                part.split(' ').filter(|w| w.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_:".contains(&b)));
            topics.extend(words.next().map(str::to_owned));
            // An option says nothing of what is done.
            actions.extend(words.find(|word| !word.starts_with('-')).map(str::to_owned));
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

/// Whether the head of a skill file says that it is to be told at every start.
pub fn loads_itself(text: &str) -> bool {
    let head = text.trim_start_matches('\u{feff}').strip_prefix("---").and_then(|rest| rest.split_once("\n---"));
    let says =
        |line: &str| line.trim().strip_prefix("auto_load:").is_some_and(|v| v.trim().trim_matches('"') == "true");
    head.is_some_and(|(head, _)| head.lines().any(says))
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

            ### Pitfall

            `pip install request` fails here; do not try it again.

            ### Verify

            `pip install requests` ends without an error.
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
    fn lessons_about_one_thing_are_one_skill() {
        let all = detect(&session(
            "! pip install request => ERROR: No matching distribution found for request\n$ pip install requests",
        ));
        let first = fold("path:/home/dev/shop", &all).remove(0);
        let mut second = first.clone();
        (second.id, second.payload.statement) = ("77".into(), "Instead of `pip list` run `pip freeze`".into());
        second.payload.commands = vec!["pip list".into(), "pip freeze".into()];
        let text = merged_skill(&[&first, &second], "error-pip").text;
        assert!(text.contains("lesson: \"e31779b430 77\""), "{text}");
        assert!(text.contains("### Instead of pip list run pip freeze\n\n#### Error Fix"), "{text}");
        assert_eq!((topic(&first), topic(&second)), (Some("pip".into()), Some("pip".into())));
    }

    #[test]
    fn quotes_pipes_and_backticks_stay_harmless() {
        assert_eq!(quoted("a \"b\" \\ : # no\n- x"), r#""a \"b\" \\ : # no - x""#);
        assert_eq!(quoted("a --- b ----"), "\"a — b —-\"");
        assert_eq!(cell("a | `b`"), "`` a \\| `b` ``");
    }

    #[test]
    fn front_matter_is_read_back() {
        assert_eq!(
            existing_skill("---\nname: x\ndescription: \"does y\"\n---\nbody"),
            Some(("x".into(), "does y".into()))
        );
        assert_eq!(existing_skill("no front matter"), None);
        for (text, loads) in [
            ("---\nmetadata:\n  auto_load: \"true\"\n---\nbody", true),
            ("---\nmetadata:\n  auto_load: true\n---\n", true),
            ("---\nmetadata:\n  auto_load: \"false\"\n---\nauto_load: true", false),
            ("auto_load: true", false),
        ] {
            assert_eq!(loads_itself(text), loads, "{text}");
        }
    }
}
