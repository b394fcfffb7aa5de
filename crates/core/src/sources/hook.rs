//! Hook payload ↔ moment: a column of the table of sources.
//!
//! Comes in: the bytes that a client gives to its hook, and our answer. Goes out: who asks at which moment, and the answer
//! in the client's dialect. Codex and Gemini CLI took over Claude Code's names of fields: reading those is here. Which
//! event is which moment, how a failure shows and how an answer looks is in `<agent>/hook.rs`.

use std::borrow::Cow;
use std::fmt;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::raw;
use crate::moment::{Answer, Asked, Moment, Start, Subagent, ToolUse};
use crate::session::ToolKind;

/// The hooks of an agent.
#[derive(Clone, Copy)]
pub struct Hook {
    /// Who asks at which moment; `None` if the event is no moment of ours.
    pub read: fn(&[u8]) -> serde_json::Result<Option<Asked>>,
    /// How it is answered; `None` as long as nobody saw an answer of ours reach its model.
    pub reply: Option<Reply>,
}

/// How an agent is answered.
#[derive(Clone, Copy)]
pub struct Reply {
    /// The file below its settings in which hooks are named, or the file of our own that it runs.
    pub settings: &'static str,
    /// What is put there.
    pub form: Form,
    /// The events that are named there for us.
    pub events: &'static [HookEvent],
    /// The oldest version that was seen to run our hooks.
    pub oldest: Version,
    /// The event at which it asks after a failed call.
    pub after_failure: &'static str,
    /// How many tools the end of its transcript says were used after a time, in milliseconds since 1970.
    pub calls_since: fn(&str, i64) -> usize,
    /// The exit code that the end of its transcript tells for the call with an id; `None` for clients whose payloads tell
    /// failures apart.
    pub exit_code: Option<fn(&str, &str) -> Option<i32>>,
    /// How it trusts hooks; `None` if it runs all that are named.
    pub trust: Option<Trust>,
    /// What it is told where we could not find out what to say, if it asks again then.
    pub trouble: Option<&'static str>,
    /// The answer in its dialect; `None` is silence.
    pub say: fn(&Moment, &Answer) -> Option<String>,
}

/// How a client comes to run us.
#[derive(Clone, Copy)]
pub enum Form {
    /// Entries in its settings, in the form that clients took over from Claude Code.
    Entries {
        /// How long it waits for a hook, in the unit that it counts in. A hook ends by itself long before; this is for a
        /// machine that stands still.
        patience: u64,
    },
    /// A file of our own that it runs inside of it.
    Plugin {
        /// Its text, given where the binary and the data folder are.
        text: fn(&Installed<'_>) -> String,
    },
}

/// Where a plugin finds us.
pub struct Installed<'i> {
    /// The binary.
    pub binary: &'i str,
    /// The data folder, where it is not the usual one.
    pub home: Option<&'i str>,
    /// Whether it asks before calls.
    pub before_calls: bool,
}

impl Reply {
    /// Whether the text of its settings, or of our own file, runs us after a failure.
    pub fn is_asked_after_failure(&self, text: &str, source: &str) -> bool {
        match self.form {
            Form::Entries { .. } => runs_at(text, self.after_failure, source),
            Form::Plugin { .. } => is_our_plugin(text),
        }
    }
}

/// What every file of ours begins with that a client runs inside of it.
const PLUGIN_MARK: &str = "// uptake:";

/// Whether a file that a client runs inside of it is one of ours.
pub fn is_our_plugin(text: &str) -> bool {
    text.starts_with(PLUGIN_MARK)
}

/// A version of a client: `2.1.150`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// The first version in a text, such as what `--version` prints.
    pub fn parse(text: &str) -> Option<Self> {
        text.split(|c: char| !c.is_ascii_digit() && c != '.').find_map(|word| {
            let mut parts = word.split('.').map(str::parse::<u32>);
            match (parts.next(), parts.next(), parts.next()) {
                (Some(Ok(a)), Some(Ok(b)), Some(Ok(c))) => Some(Self(a, b, c)),
                _ => None,
            }
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// An event that a client runs us at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookEvent {
    /// The client's name of it.
    pub name: &'static str,
    /// The tools for which it is asked for; `None` where the event is not about a tool.
    pub matcher: Option<&'static str>,
    /// The first version that was seen to know it. Older ones may drop every hook in a file that names it.
    pub since: Version,
    /// What we do then, for people.
    pub what: &'static str,
    /// Who is asked at it only if the user wants that.
    pub wanted: Wanted,
}

impl HookEvent {
    /// One that is not about a tool, and always asked for.
    pub(super) const fn new(name: &'static str, since: Version, what: &'static str) -> Self {
        Self { name, matcher: None, since, what, wanted: Wanted::Always }
    }

    /// Only for calls of these tools.
    pub(super) const fn of_tools(self, matcher: &'static str) -> Self {
        Self { matcher: Some(matcher), ..self }
    }

    /// Only if the user wants it.
    pub(super) const fn if_wanted(self, wanted: Wanted) -> Self {
        Self { wanted, ..self }
    }
}

/// Whether an event is always asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// It is.
    Always,
    /// Only where calls may be denied, or lessons are told before calls.
    BeforeCalls,
    /// Only where agents are asked for what they learned.
    LearningAgents,
}

/// A client that runs only hooks that were agreed to, each by a sum over what is run.
#[derive(Clone, Copy)]
pub struct Trust {
    /// The file below its settings in which it is noted.
    pub settings: &'static str,
    /// What a hook is noted under: file, event, its place among the groups of the event and in its group.
    pub key: fn(&str, &str, usize, usize) -> String,
    /// The sum: event, matcher, command, seconds it may take.
    pub sum: fn(&str, Option<&str>, &str, u64) -> String,
}

/// Whether settings, in the form that clients took over from Claude Code, run the hook of a source at an event. However the
/// command line reaches the binary, `hook <source>` is in it.
pub fn runs_at(settings: &str, event: &str, source: &str) -> bool {
    let Ok(settings) = serde_json::from_str::<Value>(settings) else { return false };
    let groups = settings["hooks"][event].as_array();
    let hooks = groups.into_iter().flatten().filter_map(|group| group["hooks"].as_array()).flatten();
    hooks.filter_map(|hook| hook["command"].as_str()).any(|command| is_our_command(command, source))
}

/// Whether a command line runs our hook for a source.
pub fn is_our_command(command: &str, source: &str) -> bool {
    command.contains("uptake") && command.contains(&format!(" hook {source}"))
}

/// A text for the model in the form that clients took over from Claude Code.
fn additional_context(event: &str, text: &str) -> String {
    json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": text } }).to_string()
}

/// The answer of a client that hears texts for the model at events of these names.
pub(super) fn say_at(hears_at: Option<&str>, answer: &Answer) -> Option<String> {
    match (answer, hears_at?) {
        (Answer::Context(text), event) => Some(additional_context(event, text)),
        (Answer::Deny(reason), event @ "PreToolUse") => Some(denied(event, reason)),
        (Answer::Deny(_) | Answer::Silence, _) => None,
    }
}

/// A call that shall not be made, in the form that clients took over from Claude Code.
fn denied(event: &str, reason: &str) -> String {
    let decision = json!({ "hookEventName": event, "permissionDecision": "deny", "permissionDecisionReason": reason });
    json!({ "hookSpecificOutput": decision }).to_string()
}

/// What lets an agent go on that was about to end.
pub(super) fn go_on(reason: &str) -> String {
    json!({ "decision": "block", "reason": reason }).to_string()
}

/// How many lines of the end of a transcript have one of these marks and a later time. The first line may be cut.
pub(super) fn lines_since(tail: &str, marks: &[&str], at: i64) -> usize {
    #[derive(Deserialize)]
    struct Timed<'a> {
        #[serde(borrow)]
        timestamp: Cow<'a, str>,
    }
    let later = |line: &&str| {
        let time = serde_json::from_str::<Timed<'_>>(line).ok().and_then(|t| t.timestamp.parse::<Timestamp>().ok());
        time.is_some_and(|time| time.as_millisecond() > at)
    };
    tail.lines().filter(|line| marks.iter().any(|mark| line.contains(mark))).filter(later).count()
}

/// What a use of a tool is about: its kind, and its command line or file.
pub(super) type Understand = for<'a> fn(&str, Option<&'a RawValue>) -> (ToolKind, Cow<'a, str>);

/// The fields that clients have in common. The two halves are read one after the other: through `flatten` raw values cannot
/// be borrowed.
pub(super) struct Payload<'a> {
    asking: Asking<'a>,
    pub(super) tool: ToolFields<'a>,
}

/// Who asks, where, and what is said at events that are not about a tool.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Asking<'a> {
    #[serde(borrow)]
    hook_event_name: Option<&'a RawValue>,
    #[serde(borrow)]
    session_id: Option<&'a RawValue>,
    #[serde(borrow)]
    cwd: Option<&'a RawValue>,
    #[serde(borrow)]
    transcript_path: Option<&'a RawValue>,
    #[serde(borrow)]
    agent_id: Option<&'a RawValue>,
    #[serde(borrow)]
    agent_type: Option<&'a RawValue>,
    #[serde(borrow)]
    agent_transcript_path: Option<&'a RawValue>,
    #[serde(borrow)]
    last_assistant_message: Option<&'a RawValue>,
    #[serde(borrow)]
    source: Option<&'a RawValue>,
    #[serde(borrow)]
    reason: Option<&'a RawValue>,
    #[serde(borrow)]
    prompt: Option<&'a RawValue>,
}

/// The use of a tool.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct ToolFields<'a> {
    #[serde(borrow)]
    tool_name: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_input: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_use_id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) tool_response: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) is_interrupt: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) tool_calls: Option<&'a RawValue>,
}

impl ToolFields<'_> {
    /// How a tool was used.
    pub(super) fn used(&self, understand: Understand) -> ToolUse {
        let tool = words(self.tool_name);
        let (kind, input) = understand(&tool, self.tool_input);
        ToolUse { id: raw::text(self.tool_use_id).map(Cow::into_owned), kind, input: input.into_owned(), tool }
    }
}

/// The question in a payload, given how the client's events are read.
pub(super) fn asked(
    bytes: &[u8],
    moment: impl Fn(&Payload<'_>) -> Option<Moment>,
) -> serde_json::Result<Option<Asked>> {
    let payload = Payload { asking: serde_json::from_slice(bytes)?, tool: serde_json::from_slice(bytes)? };
    Ok(moment(&payload).map(|moment| payload.at(moment)))
}

impl<'a> Payload<'a> {
    /// The client's name of the event.
    pub(super) fn event(&self) -> Cow<'a, str> {
        raw::text(self.asking.hook_event_name).unwrap_or_default()
    }

    fn at(&self, moment: Moment) -> Asked {
        let is_about_agent = matches!(moment, Moment::SubagentStart { .. } | Moment::SubagentStop { .. });
        Asked {
            session: words(self.asking.session_id),
            folder: words(self.asking.cwd),
            transcript: raw::text(self.asking.transcript_path).map(Cow::into_owned),
            subagent: if is_about_agent { None } else { self.agent() },
            moment,
        }
    }

    pub(super) fn session_start(&self) -> Moment {
        let start = match &*raw::text(self.asking.source).unwrap_or_default() {
            "resume" => Start::Resumed,
            "compact" => Start::Compacted,
            "clear" => Start::Cleared,
            _ => Start::New,
        };
        Moment::SessionStart { start }
    }

    pub(super) fn session_end(&self) -> Moment {
        Moment::SessionEnd { reason: words(self.asking.reason) }
    }

    /// What was sent, with what the client put into it.
    pub(super) fn prompt(&self) -> Cow<'a, str> {
        raw::text(self.asking.prompt).unwrap_or_default()
    }

    pub(super) fn call(&self, understand: Understand) -> ToolUse {
        self.tool.used(understand)
    }

    pub(super) fn subagent_start(&self) -> Option<Moment> {
        Some(Moment::SubagentStart { agent: self.agent()? })
    }

    pub(super) fn subagent_stop(&self) -> Option<Moment> {
        Some(Moment::SubagentStop {
            agent: self.agent()?,
            said: words(self.asking.last_assistant_message),
            transcript: raw::text(self.asking.agent_transcript_path).map(Cow::into_owned),
        })
    }

    fn agent(&self) -> Option<Subagent> {
        let id = raw::text(self.asking.agent_id)?.into_owned();
        Some(Subagent { id, kind: words(self.asking.agent_type) })
    }
}

/// A text; empty if there is none.
fn words(value: Option<&RawValue>) -> String {
    raw::text(value).unwrap_or_default().into_owned()
}
