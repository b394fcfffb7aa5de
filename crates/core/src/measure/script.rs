//! A session → what is needed to go through it once more: its prompts, its failures, what worked, and what it cost.
//!
//! Comes in: a compact session. Goes out: a script that is a hundredth of its size, so that a history of sessions fits
//! in memory and can be gone through with many kinds of lessons.

use std::collections::BTreeSet;

use super::change::{self, Change};
use crate::failure::{self, Failure, Family};
use crate::moment::ToolUse;
use crate::normal::command::{program, working};
use crate::normal::shell;
use crate::session::{Body, Call, Event, Outcome, Session, ToolKind};

/// A session as it is gone through again.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// The client's id of it.
    pub id: String,
    /// The session it was forked or resumed from; itself if none.
    pub root: String,
    /// When it began and ended, in milliseconds since 1970.
    pub from: i64,
    /// See `from`.
    pub to: i64,
    /// The folder it was started in.
    pub folder: String,
    /// The top of its working tree.
    pub top: String,
    /// What happened, in order.
    pub scenes: Vec<Scene>,
    /// How many requests were made of the model.
    pub requests: u32,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub struct Scene {
    /// How many requests of the model come after it.
    pub later: u32,
    /// How many calls came before it.
    pub calls: u32,
    /// What it is.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum What {
    /// Somebody typed this.
    Prompt(String),
    /// A file was opened or written, from the root.
    Opened(String),
    /// A call failed.
    Failed(Box<Met>),
}

/// A failing call.
#[derive(Clone, Debug)]
pub struct Met {
    /// The client's id of the call.
    pub id: String,
    /// The call, as a hook is told of it.
    pub call: ToolUse,
    /// What it printed.
    pub output: String,
    /// The folder it ran in.
    pub folder: String,
    /// What went wrong; `None` where nothing tells one failure from another.
    pub cause: Option<Failure>,
    /// What got past it.
    pub fix: Option<Fix>,
    /// New tokens of the failing call itself.
    pub tokens: u32,
    /// The programs, the tool, the file and the subject that a line about it names.
    pub names: BTreeSet<String>,
}

/// What got past a failure, and what it took.
#[derive(Clone, Debug)]
pub struct Fix {
    /// What was new in the call that worked.
    pub change: Change,
    /// The words of that call.
    pub text: String,
    /// New tokens between the failure and that call.
    pub tokens: u32,
    /// Calls between them.
    pub calls: u32,
}

impl Met {
    /// Whether a line at the start of a session says the change, and names what fails.
    pub fn is_warned_by(&self, line: &str) -> bool {
        let Some(fix) = self.fix.as_ref().filter(|fix| fix.change.is_in(line)) else { return false };
        let line = line.to_lowercase();
        self.names.iter().any(|name| !fix.change.words().any(|w| w == name) && change::has_word(&line, name))
    }

    /// Whether it says by itself what to do.
    pub fn says_itself(&self) -> bool {
        self.fix.as_ref().is_some_and(|fix| fix.change.is_in(&self.output))
    }
}

/// Whether a failure has to do with the agent's own tools, the machine, or the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// It does not occur in another project.
    Project,
    /// It occurs in several projects, or is about the shell and the system.
    Machine,
    /// It is about how the agent uses its own tools.
    Tool,
}

impl Scope {
    /// All, in the order shown.
    pub const ALL: [Self; 3] = [Self::Project, Self::Machine, Self::Tool];

    /// The word in `--json` output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Machine => "machine",
            Self::Tool => "tool",
        }
    }

    /// Of a failure, if it is known whether its cause occurs in another project.
    pub fn of(cause: &Failure, elsewhere: bool) -> Self {
        match cause.family {
            Family::ToolPrecondition | Family::ToolUnavailable => Self::Tool,
            Family::ShellDialect => Self::Machine,
            _ if elsewhere => Self::Machine,
            _ => Self::Project,
        }
    }
}

/// Makes the script of a session; `None` if nothing happened in it, or nobody knows when.
pub fn script(session: &Session) -> Option<Script> {
    let (from, to) = times(session)?;
    let counted = session.events.iter().any(|e| e.tokens.is_some());
    let is_request = |e: &Event| if counted { e.tokens.is_some() } else { e.is_models() };
    let requests = session.events.iter().filter(|e| is_request(e)).count();
    let mut script = Script {
        id: session.id.clone(),
        root: session.root.clone(),
        from,
        to,
        folder: session.cwd.clone().unwrap_or_default(),
        top: session.root_folder().unwrap_or_default().to_owned(),
        scenes: Vec::new(),
        requests: small(requests),
    };
    let (mut done, mut calls) = (0, 0);
    for (at, event) in session.events.iter().enumerate() {
        done += usize::from(is_request(event));
        if let Some(what) = scene(session, at, event) {
            script.scenes.push(Scene { later: small(requests - done), calls, what });
        }
        calls += u32::from(event.call().is_some());
    }
    Some(script)
}

fn times(session: &Session) -> Option<(i64, i64)> {
    let all = || session.events.iter().filter_map(|e| e.at);
    Some((all().min()?, all().max()?))
}

fn small(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn scene(session: &Session, at: usize, event: &Event) -> Option<What> {
    match &event.body {
        Body::User { .. } => event.human_text().map(What::Prompt),
        Body::Assistant { .. } => None,
        Body::Call(call) if went_wrong(call) => Some(What::Failed(Box::new(met(session, at, event, call)))),
        Body::Call(call) if call.outcome == Outcome::Ok && matches!(call.kind, ToolKind::Read | ToolKind::Edit) => {
            let path = failure::from_root(&call.input, session.root_folder())?;
            (!path.is_empty()).then_some(What::Opened(path))
        }
        Body::Call(_) => None,
    }
}

/// Whether a hook would be asked: a person who says no is no failure.
fn went_wrong(call: &Call) -> bool {
    call.outcome.is_failure() || matches!(call.outcome, Outcome::TimedOut | Outcome::Blocked)
}

fn met(session: &Session, at: usize, event: &Event, call: &Call) -> Met {
    let top = session.root_folder();
    let fix = change::fixed(session, at).map(|fixed| {
        let between = &session.events[at + 1..fixed.at];
        Fix {
            text: session.events[fixed.at].call().map(|c| c.input.clone()).unwrap_or_default(),
            tokens: between.iter().filter_map(|e| e.tokens).fold(0, u32::saturating_add),
            calls: small(between.iter().filter(|e| e.call().is_some()).count()),
            change: fixed.change,
        }
    });
    Met {
        id: event.id.clone(),
        call: ToolUse { id: None, tool: call.tool.clone(), kind: call.kind, input: call.input.clone() },
        output: call.output.to_text(),
        folder: session.folder_of(call).or(top).unwrap_or_default().to_owned(),
        cause: failure::cause(call, top),
        fix,
        tokens: event.tokens.unwrap_or(0),
        names: names(call, top),
    }
}

fn names(call: &Call, top: Option<&str>) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = match call.command() {
        Some(line) => working(&shell::parse(line)).iter().map(|c| program(c).to_lowercase()).collect(),
        None => [call.tool.as_str(), call.input.rsplit(['/', '\\']).next().unwrap_or_default()]
            .map(str::to_lowercase)
            .into(),
    };
    names.extend(failure::cause(call, top).map(|cause| cause.subject.to_lowercase()));
    names.retain(|name| name.len() > 1);
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::tests::session;

    #[test]
    fn a_script_has_what_hooks_are_asked_about() {
        let script = script(&session(
            "u build it
             ! npm run build => sh: vite: not found
             $ ls
             $ npm install
             $ npm run build",
        ))
        .expect("a script");
        let [prompt, failed] = script.scenes.as_slice() else { panic!("{:?}", script.scenes) };
        assert!(matches!(&prompt.what, What::Prompt(text) if text == "build it"));
        let What::Failed(met) = &failed.what else { panic!("{failed:?}") };
        let fix = met.fix.as_ref().expect("a fix");
        assert_eq!(fix.change.words().collect::<Vec<_>>(), ["install"]);
        assert_eq!((fix.calls, failed.later, script.requests), (2, 3, 4));
    }
}
