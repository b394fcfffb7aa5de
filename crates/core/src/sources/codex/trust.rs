//! How Codex trusts a hook: by a sum over what is run and when, noted in its settings.
//!
//! Any change of the command line, also of a path in it, withdraws the trust. The sums were compared with those that
//! Codex 0.166.0 itself tells (`hooks/list` of its server).

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::super::hook::Trust;

pub(super) const TRUST: Trust = Trust { settings: "config.toml", key, sum };

fn key(file: &str, event: &str, group: usize, handler: usize) -> String {
    format!("{file}:{}:{group}:{handler}", snake(event))
}

/// Over JSON with sorted keys and without spaces.
fn sum(event: &str, matcher: Option<&str>, command: &str, seconds: u64) -> String {
    let mut whole = Map::new();
    whole.insert("event_name".to_owned(), snake(event).into());
    let hook = json!({ "async": false, "command": command, "timeout": seconds, "type": "command" });
    whole.insert("hooks".to_owned(), json!([hook]));
    if let Some(matcher) = matcher {
        whole.insert("matcher".to_owned(), matcher.into());
    }
    let sum = Sha256::digest(Value::Object(whole).to_string());
    let hex: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// `SessionStart` → `session_start`.
fn snake(event: &str) -> String {
    let mut out = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_that_codex_tells() {
        assert_eq!(key("/h/.codex/hooks.json", "PostToolUse", 1, 0), "/h/.codex/hooks.json:post_tool_use:1:0");
        for (event, matcher, command, seconds, expected) in [
            (
                "PostToolUse",
                Some("Bash"),
                "echo b",
                600,
                "c65e5effb7febca320ca405f42128a0dac23cc0628ef5836af90979ff0a46fd4",
            ),
            ("SessionStart", None, "echo a", 600, "c79c3cd4c1ddac4d28e4768b0c1ad25ce54427c8ecf40f828141ab8273a5b365"),
            ("SessionEnd", None, "echo c", 3, "42fe19e85c78f234129119c29b7eb341556fabd392cd90536d14c143b444821b"),
        ] {
            assert_eq!(sum(event, matcher, command, seconds), format!("sha256:{expected}"), "{event}");
        }
    }
}
