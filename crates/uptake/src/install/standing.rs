//! How an agent is connected now: what its settings name, whether that is trusted, whether it leads to a binary.

use anyhow::Result;
use uptake_core::sources::{Form, is_our_command, is_our_plugin};

use super::{Client, Record, all_handlers, json_text, link, text_of, trust};
use crate::world::World;

/// How an agent is connected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Connected {
    /// The events at which its settings run us.
    pub events: Vec<String>,
    /// Of them, those that somebody named by hand.
    pub by_hand: usize,
    /// Whether the client trusts what it runs; `None` if it asks for no trust.
    pub trusted: Option<bool>,
    /// Whether the command line leads to a binary.
    pub leads: bool,
    /// Whether its settings switch all hooks off.
    pub switched_off: bool,
    /// Why its settings cannot be understood.
    pub unclear: Option<String>,
}

/// How an agent is connected now.
pub fn connected(client: &Client, world: &World) -> Result<Connected> {
    let source = client.agent.source;
    let mut now = Connected { leads: link(&world.data).exists(), ..Connected::default() };
    let path = client.settings(world);
    let Some(text) = text_of(&path)? else { return Ok(now) };
    let record = Record::of(&world.data, source);
    if let Form::Plugin { .. } = client.reply.form {
        if is_our_plugin(&text) {
            now.events = client.reply.events.iter().map(|event| event.name.to_owned()).collect();
            now.by_hand = if record.is_some() { 0 } else { now.events.len() };
        }
        return Ok(now);
    }
    let root = match json_text::parse(&text) {
        Ok(root) => root,
        Err(line) => {
            now.unclear = Some(format!("`{}`, line {line}", path.display()));
            return Ok(now);
        }
    };
    let own = |command: &str| record.as_ref().is_some_and(|r| r.command == command);
    for handler in all_handlers(&root).filter(|h| is_our_command(h.command, source)) {
        now.by_hand += usize::from(!own(handler.command));
        now.events.push(handler.event.to_owned());
    }
    let says = |node: Option<&json_text::Node>, word: &str| node.is_some_and(|node| &text[node.at.clone()] == word);
    now.switched_off = says(root.get("disableAllHooks"), "true")
        || says(root.get("hooksConfig").and_then(|config| config.get("enabled")), "false");
    if let (Some(trust), Some(record)) = (client.reply.trust, &record) {
        now.trusted = Some(trust::is_trusted(client, world, trust, &text, &record.command)?);
    }
    Ok(now)
}
