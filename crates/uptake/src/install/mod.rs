//! Our hooks in an agent's settings, and exactly those out again.
//!
//! Comes in: which agents are on the machine, and their settings. Goes out: a plan that a person can look at ([`Plan`],
//! [`Removal`]), and after a yes the changed files. Other bytes of a file stay as they are. Before a file is changed it is
//! written down what is put in (`record`).

mod diff;
mod json_text;
mod link;
mod plugin;
mod record;
mod standing;
mod trust;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use uptake_core::learn::sha256_hex;
use uptake_core::sources::{Form, HookEvent, Reply, SOURCES, Version, Wanted, is_our_command};

pub use self::diff::diff;
pub use self::link::{command_line, link, make_link};
pub use self::record::Record;
pub use self::standing::{Connected, connected};

use self::json_text::{Is, Json, Node};
use self::record::FileRecord;
use crate::agents::{self, Agent};
use crate::reader::version;
use crate::settings::Settings;
use crate::world::World;

/// A client that can be connected.
pub struct Client {
    /// Its row in the table of agents.
    pub agent: &'static Agent,
    /// How it is answered.
    pub reply: Reply,
    /// The oldest version on this machine; `None` if no program was found or none said it.
    pub version: Option<Version>,
    /// Whether a program of it was found.
    pub found: bool,
}

impl Client {
    /// All clients that are used on this machine and can be connected, each asked for its version.
    pub fn all(world: &World) -> Vec<Self> {
        Self::all_unasked(world)
            .map(|client| {
                let programs = version::installed(client.agent.source, &world.home);
                // Settings are shared by all versions: what the oldest does not understand may silence it.
                let version = programs.iter().filter_map(|p| p.version).min();
                Self { version, found: !programs.is_empty(), ..client }
            })
            .collect()
    }

    /// The same without their versions: no program is run.
    pub fn all_unasked(world: &World) -> impl Iterator<Item = Self> {
        SOURCES.iter().filter_map(|source| {
            let reply = source.hook?.reply?;
            let agent = agents::agent(source.name);
            let used = agent.is_used(&world.home);
            used.then_some(Self { agent, reply, version: None, found: false })
        })
    }

    /// The file in which its hooks are named.
    pub fn settings(&self, world: &World) -> PathBuf {
        self.agent.folder(&world.home).join(self.reply.settings)
    }

    /// Why it cannot be connected; `None` if it can.
    pub fn why_not(&self) -> Option<String> {
        let (title, oldest) = (self.agent.title, self.reply.oldest);
        match self.version {
            Some(version) if version < oldest => {
                Some(format!("{title} {version} is older than {oldest}, the oldest that was seen to run our hooks"))
            }
            None if !self.found => Some(format!("no program of {title} was found on the PATH")),
            None => Some(format!("{title} does not say its version")),
            Some(_) => None,
        }
    }

    /// The events that its version understands and the user has a use for.
    fn events(&self, settings: &Settings) -> impl Iterator<Item = HookEvent> {
        let version = self.version;
        let wanted = move |wanted: Wanted| match wanted {
            Wanted::Always => true,
            Wanted::BeforeCalls => settings.asks_before_calls(),
            Wanted::LearningAgents => !settings.learning_agents.is_empty(),
        };
        let known = move |event: &HookEvent| version.is_some_and(|v| event.since <= v) && wanted(event.wanted);
        self.reply.events.iter().copied().filter(known)
    }
}

/// A file before and after; `None` where there is none.
pub struct FileChange {
    /// Which file.
    pub path: PathBuf,
    /// Its text as it is.
    pub before: Option<String>,
    /// Its text as it will be.
    pub after: Option<String>,
}

impl FileChange {
    /// Whether anything changes.
    pub fn is_one(&self) -> bool {
        self.before != self.after
    }

    /// Writes it, if the file is still as it was looked at.
    fn carry_out(&self) -> Result<()> {
        if !self.is_one() {
            return Ok(());
        }
        let path = &self.path;
        ensure!(text_of(path)? == self.before, "`{}` changed meanwhile; run the command again", path.display());
        match &self.after {
            Some(text) => path
                .parent()
                .map_or(Ok(()), std::fs::create_dir_all)
                .map_err(Into::into)
                .and_then(|()| write(path, text)),
            None => std::fs::remove_file(path).map_err(Into::into),
        }
        .with_context(|| format!("cannot change `{}`", path.display()))
    }
}

/// What connecting an agent would change.
pub struct Plan {
    /// Which agent.
    pub client: Client,
    /// The events at which it will ask us.
    pub events: Vec<HookEvent>,
    /// Events that the settings name for us by hand already.
    pub by_hand: Vec<&'static str>,
    /// The command line.
    pub command: String,
    /// The files, settings first.
    pub files: Vec<FileChange>,
    record: Record,
}

/// Whether a client that trusts hooks one by one is told that ours are trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trusting {
    /// It is: the user agreed.
    Yes,
    /// It is left to the user.
    No,
}

impl Plan {
    /// What connecting a client would change. Fails if its settings cannot be understood.
    pub fn of(client: Client, world: &World, trusting: Trusting) -> Result<Self> {
        let source = client.agent.source;
        let command = command_line(world, source);
        let path = client.settings(world);
        let known = Record::of(&world.data, source);
        let events = client.events(&world.settings()?).collect::<Vec<_>>();
        let patience = match client.reply.form {
            Form::Plugin { text } => return plugin::plan(client, world, text, events, command),
            Form::Entries { patience } => patience,
        };
        let before = text_of(&path)?;
        let clean = without_ours(&path, before.as_deref(), known.as_ref(), source)?;
        let root = parsed(&path, clean.as_deref().unwrap_or("{}"))?;
        let named = |event: &HookEvent| handlers(&root, event.name).any(|h| is_our_command(h.command, source));
        let (by_hand, events): (Vec<HookEvent>, Vec<HookEvent>) = events.into_iter().partition(named);
        let entry = Entry { command: &command, patience };
        let (after, mut file) = with_ours(&path, clean.as_deref(), &events, entry)?;
        file.path.clone_from(&path);
        let mut files = vec![FileChange { path, before, after: Some(after) }];
        let mut records = vec![file];
        if let Some(trust) = client.reply.trust {
            let trusted = trust::plan(&client, world, trust, &files[0], &command, known.as_ref(), trusting)?;
            if let Some((change, record)) = trusted {
                files.push(change);
                records.push(record);
            }
        }
        let names = events.iter().map(|e| e.name.to_owned()).collect();
        let record = Record::new(&command, client.version.map(|v| v.to_string()), names, records);
        let by_hand = by_hand.iter().map(|e| e.name).collect();
        Ok(Self { client, events, by_hand, command, files, record })
    }

    /// Whether there is nothing to do.
    pub fn is_done(&self) -> bool {
        !self.files.iter().any(FileChange::is_one)
    }

    /// Changes the files.
    pub fn carry_out(&self, world: &World) -> Result<()> {
        make_link(world)?;
        let source = self.client.agent.source;
        // It may be lost although all is there.
        if Record::of(&world.data, source).as_ref() != Some(&self.record) {
            self.record.keep(&world.data, source)?;
        }
        self.files.iter().try_for_each(FileChange::carry_out)
    }
}

/// What disconnecting an agent would change.
pub struct Removal {
    /// Which agent.
    pub agent: &'static Agent,
    /// The files.
    pub files: Vec<FileChange>,
    /// Whether entries that were put in by hand stay.
    pub by_hand: bool,
    /// Folders that were made for our files, innermost first.
    folders: Vec<PathBuf>,
}

impl Removal {
    /// What disconnecting an agent would change.
    pub fn of(client: &Client, world: &World) -> Result<Self> {
        let agent = client.agent;
        let record = Record::of(&world.data, agent.source);
        if let Form::Plugin { .. } = client.reply.form {
            return plugin::removal(client, world, record.as_ref());
        }
        let mut files = Vec::new();
        let settings = client.settings(world);
        let before = text_of(&settings)?;
        let after = without_ours(&settings, before.as_deref(), record.as_ref(), agent.source)?;
        let by_hand = after.as_deref().is_some_and(|text| {
            json_text::parse(text)
                .is_ok_and(|root| all_handlers(&root).any(|h| is_our_command(h.command, agent.source)))
        });
        files.push(FileChange { path: settings, before, after });
        if let (Some(trust), Some(record)) = (client.reply.trust, &record) {
            files.extend(trust::removal(client, world, trust, record)?);
        }
        Ok(Self { agent, files, by_hand, folders: Vec::new() })
    }

    /// Whether there is nothing to do.
    pub fn is_done(&self) -> bool {
        !self.files.iter().any(FileChange::is_one)
    }

    /// Changes the files.
    pub fn carry_out(&self, world: &World) -> Result<()> {
        self.files.iter().try_for_each(FileChange::carry_out)?;
        // Where something else is in one by now, it stays.
        self.folders.iter().for_each(|folder| drop(std::fs::remove_dir(folder)));
        Record::drop_of(&world.data, self.agent.source)
    }
}

/// A hook in a file of settings.
struct Handler<'n> {
    event: &'n str,
    group: usize,
    at: usize,
    matcher: Option<&'n str>,
    command: &'n str,
    /// How many others are in its group.
    others: usize,
}

fn all_handlers(root: &Node) -> impl Iterator<Item = Handler<'_>> {
    let events = match root.get("hooks").map(|hooks| &hooks.is) {
        Some(Is::Object(events)) => events.as_slice(),
        _ => &[],
    };
    events.iter().flat_map(|(event, _, groups)| in_groups(event, groups))
}

fn handlers<'n>(root: &'n Node, event: &'n str) -> impl Iterator<Item = Handler<'n>> {
    let groups = root.get("hooks").and_then(|hooks| hooks.get(event));
    groups.into_iter().flat_map(move |groups| in_groups(event, groups))
}

fn in_groups<'n>(event: &'n str, groups: &'n Node) -> impl Iterator<Item = Handler<'n>> {
    groups.items().iter().enumerate().flat_map(move |(group, node)| {
        let matcher = node.get("matcher").and_then(Node::text);
        let hooks = node.get("hooks").map(Node::items).unwrap_or_default();
        hooks.iter().enumerate().filter_map(move |(at, hook)| {
            let command = hook.get("command").and_then(Node::text)?;
            Some(Handler { event, group, at, matcher, command, others: hooks.len() - 1 })
        })
    })
}

/// What is run, and how long it may take in the client's unit.
#[derive(Clone, Copy)]
struct Entry<'e> {
    command: &'e str,
    patience: u64,
}

/// The text with our hooks in it, and what was put in.
fn with_ours(path: &Path, clean: Option<&str>, events: &[HookEvent], entry: Entry<'_>) -> Result<(String, FileRecord)> {
    let mut record = FileRecord { before: clean.map(|text| sha256_hex(text.as_bytes())), ..FileRecord::default() };
    let Some(clean) = clean else {
        let all = events.iter().map(|event| (event.name, Json::Array(vec![group(event, entry)]))).collect();
        let text = json_text::whole(&Json::Object(vec![("hooks", Json::Object(all))]));
        record.after = sha256_hex(text.as_bytes());
        record.made = made("hooks", events.iter().map(|event| event.name));
        return Ok((text, record));
    };
    let mut text = clean.to_owned();
    for event in events {
        let root = parsed(path, &text)?;
        let wrong =
            |what: &str| anyhow!("`{what}` in `{}` is not what hooks look like; put it right first", path.display());
        let inserted = match (root.get("hooks"), root.get("hooks").and_then(|hooks| hooks.get(event.name))) {
            (_, Some(Node { is: Is::Array(_), .. })) => {
                let groups = root.get("hooks").and_then(|hooks| hooks.get(event.name)).context("it is there")?;
                json_text::put_in(&mut text, groups, None, &group(event, entry))
            }
            (_, Some(_)) => bail!(wrong(&format!("hooks.{}", event.name))),
            (Some(hooks @ Node { is: Is::Object(_), .. }), None) => {
                record.made.push(format!("hooks.{}", event.name));
                json_text::put_in(&mut text, hooks, Some(event.name), &Json::Array(vec![group(event, entry)]))
            }
            (Some(_), None) => bail!(wrong("hooks")),
            (None, None) => {
                record.made.extend(made("hooks", std::iter::once(event.name)));
                let all = Json::Object(vec![(event.name, Json::Array(vec![group(event, entry)]))]);
                json_text::put_in(&mut text, &root, Some("hooks"), &all)
            }
        };
        record.inserted.push(inserted);
    }
    record.after = sha256_hex(text.as_bytes());
    ensure!(
        record.undone(&text).flatten().as_deref() == Some(clean),
        "the way back from a change of `{}` is not sure; nothing was changed",
        path.display()
    );
    Ok((text, record))
}

fn made<'e>(hooks: &str, events: impl Iterator<Item = &'e str>) -> Vec<String> {
    std::iter::once(hooks.to_owned()).chain(events.map(|event| format!("{hooks}.{event}"))).collect()
}

fn group(event: &HookEvent, entry: Entry<'_>) -> Json {
    let hook = Json::Object(vec![
        ("type", Json::Text("command".to_owned())),
        ("command", Json::Text(entry.command.to_owned())),
        ("timeout", Json::Number(entry.patience)),
    ]);
    let matcher = event.matcher.map(|matcher| ("matcher", Json::Text(matcher.to_owned())));
    Json::OneLine(Box::new(Json::Object(matcher.into_iter().chain([("hooks", Json::Array(vec![hook]))]).collect())))
}

/// The text without what we put in: the bytes as they were if nobody changed the file since, else all but our entries.
fn without_ours(path: &Path, text: Option<&str>, record: Option<&Record>, source: &str) -> Result<Option<String>> {
    let Some(text) = text else { return Ok(None) };
    let of_file = record.and_then(|record| record.file(path));
    if let Some(undone) = of_file.and_then(|file| file.undone(text)) {
        return Ok(undone);
    }
    let made = of_file.map(|file| file.made.as_slice()).unwrap_or_default();
    let mut text = text.to_owned();
    // The record may be lost; then our own lines are known by how they are written.
    let put_in = |command: &str| record.is_some_and(|r| r.command == command) || link::is_own_line(command, source);
    let ours = |h: &Handler<'_>| is_our_command(h.command, source) && put_in(h.command);
    while let Ok(root) = json_text::parse(&text) {
        let Some(handler) = all_handlers(&root).find(ours) else { break };
        let groups = root.get("hooks").and_then(|hooks| hooks.get(handler.event)).context("it was found there")?;
        match groups.items()[handler.group].get("hooks") {
            Some(hooks) if handler.others > 0 => json_text::cut(&mut text, hooks, handler.at),
            _ => json_text::cut(&mut text, groups, handler.group),
        }
    }
    if !made.is_empty() {
        prune(path, &mut text, made)?;
    }
    Ok(Some(text))
}

/// Cuts out what was made for our entries and is empty now.
fn prune(path: &Path, text: &mut String, made: &[String]) -> Result<()> {
    for name in made.iter().rev() {
        let root = parsed(path, text)?;
        let (parent, key) = match name.split_once('.') {
            Some((hooks, event)) => (root.get(hooks), event),
            None => (Some(&root), name.as_str()),
        };
        let Some(parent @ Node { is: Is::Object(members), .. }) = parent else { continue };
        let empty = |node: &Node| match &node.is {
            Is::Object(members) => members.is_empty(),
            Is::Array(items) => items.is_empty(),
            Is::Text(_) | Is::Other => false,
        };
        if let Some(at) = members.iter().position(|(name, _, value)| name == key && empty(value)) {
            json_text::cut(text, parent, at);
        }
    }
    Ok(())
}

fn parsed(path: &Path, text: &str) -> Result<Node> {
    let unclear =
        |line| anyhow!("cannot understand `{}` (line {line}); put it right first, nothing was changed", path.display());
    let root = json_text::parse(text).map_err(unclear)?;
    ensure!(matches!(root.is, Is::Object(_)), unclear(1));
    Ok(root)
}

/// The text of a file; `None` if there is none.
fn text_of(path: &Path) -> Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e).with_context(|| format!("cannot read `{}`", path.display())),
    }
}

/// Writes a file whole or not at all, through a link to it, with the rights it had.
fn write(path: &Path, text: &str) -> Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().context("it is in no folder")?;
    let mut file = tempfile::Builder::new().prefix(".uptake-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Ok(about) = path.metadata() {
        file.as_file().set_permissions(about.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&path)?;
    Ok(())
}
