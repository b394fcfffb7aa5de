//! OpenCode's hooks: it runs no program, so a small plugin of ours asks for it, with names of fields as Claude Code has them.
//!
//! The plugin is `packages/opencode/index.js`. It says what a call printed and its exit code apart, puts a text for the model
//! where the model sees it, and fails a call that is denied.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::hook::{self, Form, Hook, HookEvent, Installed, Payload, Reply, Version};
use super::super::raw;
use super::wire::Input;
use super::{as_typed, kind, split_note, what};
use crate::moment::{Answer, Moment};
use crate::session::ToolKind;

pub(in crate::sources) const HOOK: Hook = Hook {
    read: |bytes| hook::asked(bytes, moment),
    reply: Some(Reply {
        settings: "plugins/uptake.js",
        form: Form::Plugin { text: plugin },
        events: EVENTS,
        oldest: FIRST,
        after_failure: "tool.execute.after",
        calls_since: |_, _| 0, // what it writes is a database
        exit_code: None,
        trust: None,
        trouble: Some(r#"{"failed":true}"#),
        say,
    }),
};

/// The oldest version that was looked at.
const FIRST: Version = Version(1, 18, 0);

/// They are all in the plugin, which asks at them.
const EVENTS: &[HookEvent] = &[
    HookEvent::new("chat.message", FIRST, "tells what holds here, and what was said before on this"),
    HookEvent::new(
        "tool.execute.before",
        FIRST,
        "stops a command that always fails here, once, if you switch the guard on",
    ),
    HookEvent::new("tool.execute.after", FIRST, "tells the fix of a failure"),
    HookEvent::new("session.idle", FIRST, "learns from the session, in the background"),
];

/// The plugin as it is published.
const PLUGIN: &str = include_str!("../../../../../packages/opencode/index.js");
/// The line of it that says where uptake is.
const PLACE: &str = "const INSTALLED = null;";

/// The plugin for one user: it knows where uptake is.
fn plugin(installed: &Installed<'_>) -> String {
    let place: Value =
        json!({ "binary": installed.binary, "home": installed.home, "before_calls": installed.before_calls });
    PLUGIN.replacen(PLACE, &format!("const INSTALLED = {place};"), 1)
}

fn moment(payload: &Payload<'_>) -> Option<Moment> {
    match &*payload.event() {
        "SessionStart" => Some(payload.session_start()),
        "UserPromptSubmit" => Some(Moment::Prompt { text: as_typed(&payload.prompt()).into_owned() }),
        "PreToolUse" => Some(Moment::BeforeCall { call: payload.call(understand) }),
        "PostToolUse" => Some(after(payload)),
        "PostToolUseFailure" => {
            let output = raw::text(payload.tool.error).unwrap_or_default().into_owned();
            Some(Moment::AfterFailure { call: payload.call(understand), output })
        }
        "SubagentStart" => payload.subagent_start(),
        "SessionEnd" => Some(payload.session_end()),
        _ => None,
    }
}

fn understand<'a>(tool: &str, input: Option<&'a RawValue>) -> (ToolKind, std::borrow::Cow<'a, str>) {
    let kind = kind(tool);
    let input: Input<'a> = raw::value(input);
    (kind, what(kind, &input))
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Response<'a> {
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    exit: Option<&'a RawValue>,
}

fn after(payload: &Payload<'_>) -> Moment {
    let call = payload.call(understand);
    let response: Response<'_> = raw::value(payload.tool.tool_response);
    let shown = raw::text(response.output).unwrap_or_default();
    let (output, note) = split_note(&shown);
    let output = output.to_owned();
    let code = response.exit.and_then(|e| e.get().parse::<i32>().ok());
    // What was ended by somebody, or by the time, is no failure of the command.
    let failed = call.kind == ToolKind::Shell && note.is_none() && code.is_some_and(|c| c != 0);
    if failed { Moment::AfterFailure { call, output } } else { Moment::AfterCall { call, output } }
}

/// What the plugin understands: a text for the model, or a reason to fail the call.
fn say(moment: &Moment, answer: &Answer) -> Option<String> {
    match (answer, moment) {
        (Answer::Deny(reason), Moment::BeforeCall { .. }) => Some(json!({ "deny": reason }).to_string()),
        (Answer::Context(text), _) if hears_at(moment) => Some(json!({ "context": text }).to_string()),
        _ => None,
    }
}

/// Whether a text reaches the model.
fn hears_at(moment: &Moment) -> bool {
    match moment {
        Moment::SessionStart { .. }
        | Moment::Prompt { .. }
        // The plugin keeps it until the call is over, and puts it behind the output.
        | Moment::BeforeCall { .. }
        | Moment::AfterCall { .. }
        | Moment::AfterFailure { .. }
        | Moment::SubagentStart { .. } => true,
        Moment::Refused { .. }
        | Moment::SubagentStop { .. }
        | Moment::SessionEnd { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_knows_where_uptake_is() {
        let text = plugin(&Installed { binary: "/a \"b\"/uptake", home: Some("/a \"b\""), before_calls: false });
        assert!(
            text.contains(r#"const INSTALLED = {"before_calls":false,"binary":"/a \"b\"/uptake","home":"/a \"b\""};"#)
        );
        assert!(hook::is_our_plugin(&text) && !text.contains(PLACE));
    }
}
