//! `uptake events`: what we understand of transcripts, event by event.

use std::collections::HashMap;

use anyhow::Result;
use clap::Args as ClapArgs;
use serde::Serialize;
use uptake_core::detect::{Signal, signals_of};
use uptake_core::failure::{self, Cost};
use uptake_core::session::{Body, Event, Session};

use super::Given;
use crate::known_secrets::KnownSecrets;
use crate::pipeline;
use crate::project::{self, Cache};
use crate::transcripts;
use crate::ui::{DIM, Ui, styled};

/// Print the events of transcripts; no store is touched
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    given: Given,
}

/// What a failure cost until its goal was reached or given up.
#[derive(Serialize)]
struct CostRow {
    calls: u32,
    tokens: u32,
    ms: i64,
    reached: bool,
}

impl From<&Cost> for CostRow {
    fn from(cost: &Cost) -> Self {
        Self { calls: cost.calls, tokens: cost.tokens, ms: cost.ms, reached: cost.reached }
    }
}

#[derive(Serialize)]
struct EventRow<'e> {
    session: &'e str,
    agent: &'e str,
    source: &'e str,
    project: &'e str,
    seq: usize,
    id: &'e str,
    kind: &'static str,
    typed: Option<bool>,
    tool: Option<&'e str>,
    command: Option<&'e str>,
    outcome: Option<&'static str>,
    code: Option<i32>,
    family: Option<&'static str>,
    subject: Option<String>,
    cwd: Option<String>,
    cost: Option<CostRow>,
    took: Option<u32>,
    signals: Vec<Signal>,
    text: String,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let mut ui = args.given.list.ui();
    let found = transcripts::find(&args.given.paths);
    let mut cache = Cache::default();
    let known = KnownSecrets::from_env();
    let report = pipeline::for_each(&found, &known, |item| -> Result<()> {
        let mut session = item.read.session;
        let redactor = known.redactor(session.cwd.as_deref());
        session.redact(|text| redactor.clean_up(text));
        let session = &session;
        let project = project::of_session(session, item.transcript.folder_project(), &mut cache);
        let costs = if ui.json { failure::costs(session) } else { HashMap::new() };
        for seq in 0..session.events.len() {
            print(&mut ui, session, &project.key, seq, costs.get(&seq))?;
        }
        Ok(())
    })?;
    ui.end()?;
    report.finish()
}

fn print(ui: &mut Ui, session: &Session, project: &str, seq: usize, cost: Option<&Cost>) -> Result<()> {
    let event = &session.events[seq];
    let signals = signals_of(session, seq);
    if ui.json {
        let call = event.call();
        let failure = call.and_then(|c| failure::of(c, session.root_folder()));
        let row = EventRow {
            session: &session.id,
            agent: session.agent.as_str(),
            source: session.source.as_str(),
            project,
            seq,
            id: &event.id,
            kind: event.shown_kind(),
            typed: matches!(event.body, Body::User { .. }).then(|| event.is_typed()),
            tool: call.map(|c| c.tool.as_str()),
            command: call.and_then(|c| c.command()),
            outcome: call.map(|c| c.outcome.as_str()),
            code: call.and_then(|c| c.outcome.code()),
            family: failure.as_ref().map(|f| f.family.as_str()),
            subject: failure.map(|f| f.subject).filter(|s| !s.is_empty()),
            cwd: call.and_then(|c| failure::folder(session, c)),
            cost: cost.map(CostRow::from),
            took: call.and_then(|c| c.took),
            signals,
            text: text(event),
        };
        return Ok(ui.object(&row)?);
    }
    if seq == 0 {
        ui.line(format!("{} {} {}", session.source, session.id, styled(DIM, project)))?;
    }
    let (what, mark) = match &event.body {
        Body::Call(c) => (if c.input.is_empty() { c.tool.clone() } else { c.input.clone() }, c.outcome.to_string()),
        _ => (text(event), signals.iter().map(|s| s.as_str()).collect::<Vec<_>>().join(" ")),
    };
    let one: String = what.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(100).collect();
    Ok(ui.line(format!("  {:>4} {:9} {:12} {}", seq, event.shown_kind(), mark, one))?)
}

fn text(event: &Event) -> String {
    match &event.body {
        Body::User { spans, .. } => spans.iter().map(|s| s.text.to_text()).collect::<Vec<_>>().join("\n"),
        Body::Assistant { text } => text.to_text(),
        Body::Call(call) => call.output.to_text(),
    }
}
