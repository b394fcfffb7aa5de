//! The shell calls of a session, parsed once for all detectors.

use crate::normal::command::{self, program, working};
use crate::normal::shell::{self, Script};
use crate::session::{Call, Outcome, Session};

/// A shell call, parsed.
pub struct Step<'s> {
    /// Its place among the session's events.
    pub at: usize,
    /// The call.
    pub call: &'s Call,
    /// Its id.
    pub id: &'s str,
    /// The command line.
    pub line: &'s str,
    /// The parsed line.
    pub script: Script<'s>,
    /// The words of its working commands, wrappers and options of the shell removed.
    pub words: Vec<String>,
    /// Its canonical form.
    pub normal: String,
    /// The program of its first working command.
    pub program: String,
}

impl Step<'_> {
    /// Whether it did what it should.
    pub fn ok(&self) -> bool {
        self.call.outcome == Outcome::Ok
    }

    /// Whether the work went wrong.
    pub fn failed(&self) -> bool {
        self.call.outcome.is_failure()
    }

    /// Whether it only looks at things.
    pub fn only_reads(&self) -> bool {
        let doing = working(&self.script);
        doing.iter().all(|c| {
            LOOKING.contains(&program(c))
                || reads_only(c)
                || c.words.iter().any(|w| matches!(&*w.text, "--help" | "--version" | "-h"))
        })
    }

    /// Whether it writes a file itself (`cat > f <<`, `sed -i`).
    pub fn edits(&self) -> bool {
        self.script.commands.iter().any(command::edits)
    }
}

const LOOKING: &[&str] = &[
    "ls", "cat", "head", "tail", "less", "more", "bat", "grep", "egrep", "fgrep", "rg", "ag", "find", "fd", "tree",
    "stat", "file", "wc", "pwd", "which", "type", "echo", "printf", "env", "printenv", "ps", "df", "du", "date", "jq",
    "yq", "diff", "awk", "cut", "sort", "uniq", "man", "whoami", "uname", "hostname", "id", "true", "sleep", "cd",
    "nl", "column", "xxd", "strings", "test", "[", "history", "readlink", "realpath", "basename", "dirname", "lsof",
    "pgrep", "command",
];

fn reads_only(simple: &shell::Simple<'_>) -> bool {
    let words = command::core(simple);
    let sub = command::subcommand(simple);
    let second = words.iter().skip(1).filter(|w| !w.text.starts_with('-')).nth(1).map_or("", |w| &*w.text);
    match program(simple) {
        "git" => matches!(
            sub,
            "status"
                | "log"
                | "diff"
                | "show"
                | "blame"
                | "branch"
                | "remote"
                | "ls-files"
                | "rev-parse"
                | "grep"
                | "ls-tree"
                | "reflog"
                | "config"
                | "describe"
                | "cat-file"
                | "rev-list"
                | "merge-base"
        ),
        "sed" => !words.iter().any(|w| w.text.starts_with("-i")),
        "gh" => matches!(second, "view" | "list" | "checks" | "diff" | "status") || sub == "search",
        "docker" => matches!(sub, "ps" | "logs" | "images" | "inspect"),
        "kubectl" => matches!(sub, "get" | "describe" | "logs"),
        "npm" => matches!(sub, "view" | "ls" | "list" | "info"),
        _ => false,
    }
}

/// All shell calls of a session.
pub struct Steps<'s> {
    /// In order.
    pub all: Vec<Step<'s>>,
}

impl<'s> Steps<'s> {
    /// Parses every shell call once.
    pub fn new(session: &'s Session) -> Self {
        let all = session
            .shells()
            .map(|(at, call, line)| {
                let script = shell::parse(line);
                let words = words_of(&script);
                let normal = command::normalise(line);
                let program = working(&script).first().map(|c| program(c).to_owned()).unwrap_or_default();
                Step { at, call, id: &session.events[at].id, line, script, words, normal, program }
            })
            .collect();
        Self { all }
    }
}

fn words_of(script: &Script<'_>) -> Vec<String> {
    let mut out = Vec::new();
    for command in working(script) {
        match command::inner_script(command) {
            Some(inner) => {
                let inner = shell::parse(inner);
                for c in working(&inner) {
                    out.extend(command::core(c).iter().map(|w| w.text.to_string()));
                }
            }
            None => {
                // Assignments are part of what makes a command work.
                out.extend(command.assigns.iter().map(|w| w.text.to_string()));
                out.extend(command::core(command).iter().map(|w| w.text.to_string()));
            }
        }
    }
    out.truncate(200);
    out
}

/// A command as shown to people: one line, the way into the project's folder left out, cut if long.
pub fn shown(line: &str) -> String {
    const LIMIT: usize = 240;
    let mut text = line.trim();
    // `cd /somewhere/absolute && …`: where the project lies is not part of the lesson.
    if let Some(rest) = text.strip_prefix("cd /").or_else(|| text.strip_prefix("cd ~"))
        && let Some((folder, after)) = rest.split_once("&&")
        && !folder.contains(['\n', ';', '|'])
    {
        text = after.trim();
    }
    let one = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if one.len() <= LIMIT { one } else { format!("{}…", &one[..one.floor_char_boundary(LIMIT)]) }
}
