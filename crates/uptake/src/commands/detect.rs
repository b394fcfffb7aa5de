//! `uptake detect`: every observation in transcripts, uncapped.

use anyhow::Result;
use clap::Args as ClapArgs;
use serde::Serialize;
use std::collections::HashSet;
use uptake_core::detect::{self, Kind, Observation};
use uptake_core::redact::clean;

use super::Given;
use crate::known_secrets::KnownSecrets;
use crate::pipeline;
use crate::transcripts;
use crate::ui::{BOLD, DIM, Ui, styled};

/// Print what the detectors see in transcripts; no store is touched
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    given: Given,
}

#[derive(Serialize)]
struct Row<'o> {
    detector: &'o str,
    kind: Kind,
    session: &'o str,
    id: &'o str,
    name: &'o str,
    title: &'o str,
    text: String,
    commands: Vec<String>,
    sure: &'static str,
    trust: &'static str,
    suggest: bool,
    events: &'o [String],
    failed: Option<&'o str>,
    fixed: Option<&'o str>,
    via: &'o [String],
    message: Option<&'o str>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let mut ui = args.given.list.ui();
    let found = transcripts::find(&args.given.paths);
    let mut seen = HashSet::new();
    let known = KnownSecrets::from_env();
    let report = pipeline::for_each(&found, &known, |item| -> Result<()> {
        // As in `learn`: compact, and without secrets before anything is looked at.
        let mut session = item.read.session;
        let redactor = known.redactor(session.cwd.as_deref());
        session.settle_from(0, |text| redactor.clean_up(text));
        for o in detect::detect(&session) {
            // A fork shows again what its root showed.
            if seen.insert(o.id.clone()) {
                print(&mut ui, &o)?;
            }
        }
        Ok(())
    })?;
    ui.end()?;
    report.finish()
}

fn print(ui: &mut Ui, o: &Observation) -> Result<()> {
    let commands: Vec<String> = o.commands.iter().map(|c| clean(c.as_str())).collect();
    if ui.json {
        let row = Row {
            detector: &o.detector,
            kind: o.kind,
            session: &o.session,
            id: &o.id,
            name: &o.name,
            title: &o.title,
            text: clean(&o.text),
            commands,
            sure: o.sure.as_str(),
            trust: o.trust.as_str(),
            suggest: o.suggest,
            events: &o.events,
            failed: o.failed.as_deref(),
            fixed: o.fixed.as_deref(),
            via: &o.via,
            message: o.message.as_deref(),
        };
        return Ok(ui.object(&row)?);
    }
    ui.line(format!(
        "{} {}",
        styled(BOLD, &o.name),
        styled(
            DIM,
            &format!(
                "{} {} {}",
                o.detector,
                o.sure.as_str(),
                if o.suggest { "would be suggested" } else { "kept quiet" }
            )
        )
    ))?;
    ui.line(format!("  {}", clean(&o.text)))?;
    for command in &commands {
        ui.line(format!("    • {command}"))?;
    }
    Ok(())
}
