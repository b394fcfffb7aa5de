//! Agents: is each connected, trusted, heard, and are its sessions read?
//!
//! Comes in: their settings, what hooks wrote down, transcripts and what was read of them. Goes out: a row for each agent
//! with figures of the last days, and what is to be known or mended. No client is run.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;

use anyhow::Result;
use serde::Serialize;
use uptake_core::sources;
use uptake_store::{Sessions, spool};

use super::Finding;
use crate::install::{self, Client, Connected};
use crate::transcripts::{self, Transcript};
use crate::ui;
use crate::world::World;

const DAY: i64 = 86_400_000;
/// Days that are counted.
const DAYS: i64 = 7;
const MILLI: i64 = 1_000_000; // nanoseconds

/// How one agent does.
#[derive(Serialize)]
pub(super) struct AgentRow {
    source: &'static str,
    title: &'static str,
    /// Events at which its settings run us.
    installed: Vec<String>,
    by_hand: usize,
    trusted: Option<bool>,
    /// How often it asked in the last days, by moment.
    asked: BTreeMap<String, usize>,
    /// How many hints it was told in the last days.
    told: usize,
    /// Sessions that asked in the last days, and how many of them were read.
    sessions: usize,
    read: usize,
    /// Transcripts that were not read yet.
    unread: usize,
    #[serde(skip)]
    findings: Vec<Finding>,
}

/// All agents that can be connected and are used here.
pub(super) fn rows(world: &World) -> Result<Vec<AgentRow>> {
    let since = world.now.saturating_sub(DAYS * DAY);
    let asked = spool::asked_since(&world.data, since);
    let shown: Vec<spool::Shown> = spool::read_all(&world.data).into_iter().flat_map(|(_, records)| records).collect();
    // A damaged store is told by its own check.
    let store = Sessions::open_read_only(&world.data).ok().flatten();
    let read: BTreeSet<(String, String)> = store
        .as_ref()
        .and_then(|s| s.list(None).ok())
        .into_iter()
        .flatten()
        .map(|row| (row.source.as_str().to_owned(), row.id))
        .collect();
    let looked_at = store.as_ref().and_then(|s| s.looked_at().ok());
    let found = transcripts::find_all(&world.home);
    let mut rows = Vec::new();
    for client in Client::all_unasked(world) {
        let source = client.agent.source;
        let mine = || asked.iter().filter(|a| a.source == source);
        let mut by_moment = BTreeMap::new();
        mine().for_each(|a| *by_moment.entry(a.moment.clone()).or_default() += 1);
        let ended: BTreeSet<&str> = mine().filter(|a| a.moment == "end").map(|a| a.session.as_str()).collect();
        let transcripts: Vec<&Transcript> = found.transcripts.iter().filter(|t| t.source() == Some(source)).collect();
        let is_read =
            |t: &Transcript| looked_at.as_ref().is_some_and(|l| l.has(&t.path().to_string_lossy(), t.size, t.modified));
        let unread: Vec<&Transcript> = transcripts.iter().copied().filter(|t| !is_read(t)).collect();
        let connected = install::connected(&client, world)?;
        let mut row = AgentRow {
            source,
            title: client.agent.title,
            installed: connected.events.clone(),
            by_hand: connected.by_hand,
            trusted: connected.trusted,
            asked: by_moment,
            told: shown.iter().filter(|s| s.source == source && s.at >= since).count(),
            sessions: ended.len(),
            read: ended.iter().filter(|id| read.contains(&(source.to_owned(), (**id).to_owned()))).count(),
            unread: unread.len(),
            findings: Vec::new(),
        };
        row.findings = findings(&row, &client, &connected, world);
        row.findings.extend(silent(&row, &transcripts, world));
        row.findings.extend(unknown(&row, &unread));
        row.findings.extend(soon_gone(&client, &unread, world));
        rows.push(row);
    }
    Ok(rows)
}

fn findings(row: &AgentRow, client: &Client, connected: &Connected, world: &World) -> Vec<Finding> {
    let title = row.title;
    let mut found = Vec::new();
    if let Some(place) = &connected.unclear {
        found.push(Finding::told(format!("{title}: its settings cannot be understood: {place}")));
    }
    if row.installed.is_empty() {
        return found;
    }
    if !connected.leads && connected.by_hand < row.installed.len() {
        let link = install::link(&world.data);
        found.push(Finding::wrong(format!("{title}: its hooks run `{}`, which leads nowhere", link.display())));
    }
    if connected.trusted == Some(false) {
        found.push(Finding::told(format!(
            "{title}: it does not trust the hooks and skips them: uptake init, or /hooks"
        )));
    }
    if connected.switched_off {
        let path = client.settings(world);
        found.push(Finding::told(format!("{title}: `{}` switches all hooks off", path.display())));
    }
    found
}

/// Connected, at work, and not heard.
fn silent(row: &AgentRow, transcripts: &[&Transcript], world: &World) -> Option<Finding> {
    let connected_at = install::Record::changed_at(&world.data, row.source)?;
    let newest = transcripts.iter().map(|t| t.modified / MILLI).max()?;
    let worked = newest > connected_at.max(world.now.saturating_sub(DAYS * DAY)).saturating_add(DAY / 24);
    (worked && row.asked.is_empty() && !row.installed.is_empty())
        .then(|| Finding::told(format!("{}: it works, but its hooks were not heard in {DAYS} days", row.title)))
}

/// Sessions that end under our eyes must be readable.
fn unknown(row: &AgentRow, unread: &[&Transcript]) -> Option<Finding> {
    const LEAST: usize = 3;
    if row.sessions >= LEAST && row.read == 0 {
        return Some(Finding::told(format!(
            "{}: hooks were heard in {}, but none of these was read: uptake learn",
            row.title,
            ui::count(row.sessions as u64, "session")
        )));
    }
    let newest = unread.iter().max_by_key(|t| t.modified).filter(|t| t.size > 0)?;
    let mut start = Vec::new();
    std::fs::File::open(newest.path()).ok()?.take(64 * 1024).read_to_end(&mut start).ok()?;
    let known = start.is_empty() || sources::recognise(&start).is_some() || !start.contains(&b'\n');
    let path = newest.path();
    (!known).then(|| Finding::told(format!("{}: the format of `{}` is not known", row.title, path.display())))
}

/// Transcripts that the client deletes soon and nobody read.
fn soon_gone(client: &Client, unread: &[&Transcript], world: &World) -> Option<Finding> {
    const USUAL: i64 = 30; // days
    const SOON: i64 = 5; // days
    if client.agent.source != "claude" {
        return None;
    }
    let settings = std::fs::read_to_string(client.settings(world)).unwrap_or_default();
    let set = serde_json::from_str::<serde_json::Value>(&settings).ok().and_then(|s| s["cleanupPeriodDays"].as_i64());
    let period = set.unwrap_or(USUAL);
    let old = world.now.saturating_sub((period - SOON).max(0).saturating_mul(DAY));
    let soon = unread.iter().filter(|t| t.size > 0 && t.modified / MILLI < old).count() as u64;
    let title = client.agent.title;
    (soon > 0).then(|| {
        let what = ui::count(soon, "transcript");
        Finding::told(format!("{title}: it deletes {what} soon that nobody read (after {period} days): uptake learn"))
    })
}

/// What is wrong or to be known of all of them.
pub(super) fn look(world: &World) -> Result<Vec<Finding>> {
    Ok(rows(world)?.into_iter().flat_map(|row| row.findings).collect())
}

/// Lets the hooks lead to a binary again.
pub(super) fn fix(world: &World) -> Result<()> {
    install::make_link(world)
}

impl AgentRow {
    /// In one line.
    pub(super) fn line(&self) -> String {
        let title = self.title;
        if self.installed.is_empty() {
            return format!("{title} is not connected: uptake init");
        }
        let trust = match self.trusted {
            Some(true) => ", trusted",
            Some(false) => ", not trusted",
            None => "",
        };
        let asked: usize = self.asked.values().sum();
        format!(
            "{title}: {}{trust}; in {DAYS} days heard {}, told {}, read {} of {}",
            ui::count(self.installed.len() as u64, "hook"),
            ui::count(asked as u64, "time"),
            ui::count(self.told as u64, "hint"),
            self.read,
            ui::count(self.sessions as u64, "session"),
        )
    }
}

/// Trouble that hooks met lately.
pub(super) fn log(world: &World) -> Result<Vec<Finding>> {
    let text = std::fs::read_to_string(world.data.join("hook.log")).unwrap_or_default();
    let since = world.now.saturating_sub(DAYS * DAY);
    let lately =
        |line: &&str| line.split(' ').next().and_then(|at| at.parse::<i64>().ok()).is_some_and(|at| at >= since);
    let lines: Vec<&str> = text.lines().filter(lately).collect();
    let Some(last) = lines.last().and_then(|line| line.split_once(' ')) else { return Ok(Vec::new()) };
    let times = ui::count(lines.len() as u64, "time");
    Ok(vec![Finding::told(format!("{times} in {DAYS} days, last: {}", last.1))])
}

/// Whether the stores can be read while they are written.
pub(super) fn wal(world: &World) -> Result<Vec<Finding>> {
    /// Where a database file says how it is written, and what it says where that is the slow way.
    const PLACE: usize = 18;
    const ROLLBACK: u8 = 1;
    let header = |name: &&str| {
        let mut start = Vec::new();
        std::fs::File::open(world.data.join(name)).ok()?.take(32).read_to_end(&mut start).ok()?;
        start.get(PLACE).copied()
    };
    let slow = ["lessons.db", "sessions.db"].into_iter().filter(|name| header(name) == Some(ROLLBACK));
    let told =
        |name| Finding::told(format!("{name}: the file system does not let it be read while it is written (no WAL)"));
    Ok(slow.map(told).collect())
}
