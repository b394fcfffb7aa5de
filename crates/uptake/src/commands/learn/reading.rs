//! The part of `learn` in which the user's own reader reads what is new, and what is told of it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde::Serialize;
use uptake_core::reader::Trouble;

use crate::reader::Reader;
use crate::reader::plan::{Limits, Plan};
use crate::reader::run::{AskFn, Report, Run, Turn};
use crate::settings::{self, Change, ReaderSettings, Settings, Who};
use crate::stores::Stores;
use crate::ui::{self, DIM, Ui, YELLOW, styled};
use crate::world::World;

/// Has the user's reader read what is new, if there is one. Answers whether lessons may have come of it.
pub fn read(ui: &mut Ui, world: &World, stores: &mut Stores, settings: &Settings) -> Result<bool> {
    let Some(reader) = Reader::of(&settings.reader, world)? else { return Ok(false) };
    // Two at once would ask the same twice.
    let Some(_turn) = Turn::take(&world.data) else { return Ok(false) };
    let limits = Limits::of(&settings.reader, reader.source());
    read_by(ui, world, stores, settings, (reader.name(), &limits), &mut |ask| reader.ask(ask))
}

/// The note that a reader was offered: that is done once.
const OFFERED: &str = "reader offered";

/// The clients that can read, as settings name them, and the sources of what they write.
const CLIENTS: [(Who, &str); 4] =
    [(Who::Claude, "claude"), (Who::Codex, "codex"), (Who::OpenCode, "opencode"), (Who::Gemini, "gemini")];

/// Offers a reader, once: the client that wrote most of the sessions and is there. Answers the settings that hold then.
pub fn offer(ui: &mut Ui, world: &World, stores: &mut Stores, settings: Settings) -> Result<Settings> {
    if settings.reader.who != Who::Off || stores.lessons.noted(OFFERED)?.is_some() {
        return Ok(settings);
    }
    for (who, name) in by_sessions(stores)? {
        let wanted = Settings { reader: ReaderSettings { who, ..settings.reader.clone() }, ..settings.clone() };
        let Some(reader) = Reader::of(&wanted.reader, world)?.filter(|r| r.standing().is_ok()) else { continue };
        let limits = Limits::of(&wanted.reader, reader.source());
        let run = Run::new(stores, world, &wanted, &limits)?;
        let plan = run.plan()?;
        if plan.requests.is_empty() {
            continue;
        }
        for line in offered(&reader, &wanted.reader, &estimate(&plan, run.today(&plan), reader.name())) {
            ui.line(line)?;
        }
        let agreed = ui.agrees("Let it read?")?;
        stores.lessons.renote(OFFERED, if agreed { "yes" } else { "no" })?;
        if agreed {
            return settings::change(&world.config, "reader", &Change::Set(name));
        }
        ui.line(format!("Left off. You are not asked again; later: uptake config set reader {name}\n"))?;
        return Ok(settings);
    }
    Ok(settings)
}

/// The clients whose sessions were read, those with most of them first.
fn by_sessions(stores: &Stores) -> Result<Vec<(Who, &'static str)>> {
    let sessions = stores.sessions.list(None)?;
    let of = |source: &str| sessions.iter().filter(|row| row.source.as_str() == source).count();
    let mut clients: Vec<(usize, (Who, &str))> = CLIENTS.into_iter().map(|client| (of(client.1), client)).collect();
    clients.retain(|(count, _)| *count > 0);
    clients.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    Ok(clients.into_iter().map(|(_, client)| client).collect())
}

/// What a reader is for, what it would be sent, and what it costs.
fn offered(reader: &Reader, settings: &ReaderSettings, estimate: &str) -> [String; 4] {
    let ReaderSettings { days, requests_a_day, .. } = settings;
    [
        format!(
            "Most of what people teach their agents is said in passing, and rules do not find it. {} can read it for you and",
            reader.name()
        ),
        "propose lessons, each with the quote that proves it; nothing is used before your yes.".to_owned(),
        format!("   {estimate} Only the last {days} days, at most {requests_a_day} requests a day, later only what is new."),
        "   Sent are what you typed, a line around it, and errors with what settled them, without secrets. To look first: uptake reader --help".to_owned(),
    ]
}

/// What `--json` says of a reading.
#[derive(Serialize)]
struct ReportRow {
    reader: Counts,
}

#[derive(Serialize)]
struct Counts {
    sessions: usize,
    requests: usize,
    tokens: usize,
    waiting: usize,
    left: usize,
    proposals: usize,
    inferred: usize,
    remarks: usize,
    merged: usize,
    broken: usize,
    dropped: BTreeMap<&'static str, usize>,
    trouble: Option<String>,
}

fn read_by(
    ui: &mut Ui,
    world: &World,
    stores: &mut Stores,
    settings: &Settings,
    (name, limits): (&str, &Limits),
    ask: &mut AskFn<'_>,
) -> Result<bool> {
    let run = Run::new(stores, world, settings, limits)?;
    let plan = run.plan()?;
    if plan.in_use {
        if !ui.json {
            ui.line(styled(DIM, &format!("{} is in use: it reads another time.", name)))?;
        }
        return Ok(false);
    }
    if !ui.json && !plan.requests.is_empty() {
        ui.line(estimate(&plan, run.today(&plan), name))?;
        ui.flush()?;
    }
    let bar = Ui::count_bar(plan.requests.len() as u64, "reading");
    let report = run.run(plan, ask, &bar)?;
    bar.finish_and_clear();
    if ui.json {
        ui.object(&ReportRow { reader: Counts::of(&report) })?;
    } else {
        told(&report).iter().try_for_each(|line| ui.line(line))?;
    }
    if let Some(trouble) = &report.trouble {
        Ui::note(styled(YELLOW, &format!("{name} could not be asked: {trouble}")));
    }
    Ok(report.proposals > 0 || report.merged > 0)
}

/// What it is going to cost.
fn estimate(plan: &Plan, today: usize, name: &str) -> String {
    let (sessions, requests) =
        (ui::count(plan.sessions() as u64, "session"), ui::count(plan.requests.len() as u64, "request"));
    let tokens = ui::grouped(ui::rounded(plan.tokens() as u64));
    let later = if today < plan.requests.len() { format!("; {today} of them today") } else { String::new() };
    // One reads messages a second time, one joins statements.
    let projects: BTreeSet<&str> = plan.requests.iter().map(|r| r.project.as_str()).collect();
    let then = 2 * projects.len();
    format!(
        "To read: {sessions}, {requests}, about {tokens} tokens of {name}{later}. Then about {then} short ones, to check and order what it proposes."
    )
}

/// What came of it.
fn told(report: &Report) -> Vec<String> {
    let mut out = Vec::new();
    if report.sessions > 0 {
        let dropped: usize = report.dropped.values().sum();
        let mut line = format!(
            "The reader read {} and proposed {}",
            ui::count(report.sessions as u64, "session"),
            ui::count(report.proposals as u64, "lesson")
        );
        let beside = [
            (report.inferred, "beyond their quotes"),
            (report.merged, "the same in other words"),
            (report.remarks, "on lessons that are there"),
        ];
        let beside: Vec<String> =
            beside.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
        if !beside.is_empty() {
            line.push_str(&format!(" ({})", beside.join(", ")));
        }
        if dropped > 0 {
            let why: Vec<String> = report.dropped.iter().map(|(why, n)| format!("{n} {}", why.as_str())).collect();
            line.push_str(&format!("; {dropped} more did not hold: {}", why.join(", ")));
        }
        out.push(format!("{line}."));
    }
    if report.waiting > 0 {
        out.push(format!("{} without an answer yet.", ui::count(report.waiting as u64, "request")));
    }
    if report.left > 0 {
        out.push(format!("{} left for another day.", ui::count(report.left as u64, "request")));
    }
    if report.broken > 0 {
        out.push(format!("{} could not be read.", ui::count(report.broken as u64, "answer")));
    }
    out
}

impl Counts {
    fn of(report: &Report) -> Self {
        Self {
            sessions: report.sessions,
            requests: report.requests,
            tokens: report.tokens,
            waiting: report.waiting,
            left: report.left,
            proposals: report.proposals,
            inferred: report.inferred,
            remarks: report.remarks,
            merged: report.merged,
            broken: report.broken,
            dropped: report.dropped.iter().map(|(why, n)| (why.as_str(), *n)).collect(),
            trouble: report.trouble.as_ref().map(Trouble::to_string),
        }
    }
}
