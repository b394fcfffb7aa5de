//! `uptake detect`: every observation in transcripts, uncapped.

use anyhow::Result;
use clap::Args as ClapArgs;
use serde::Serialize;
use std::collections::HashSet;
use uptake_core::detect::{self, Observation};
use uptake_core::redact::clean;

use super::Given;
use crate::pipeline;
use crate::ui::{BOLD, DIM, Ui, styled};

/// Print what the detectors see in transcripts; no store is touched
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    given: Given,
}

#[derive(Serialize)]
struct ObservationRow<'o> {
    detector: &'o str,
    kind: &'static str,
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
    let mut seen = HashSet::new();
    let report = pipeline::for_each_compact(&args.given.paths, |session| {
        for o in detect::detect(&session) {
            let is_lesson = o.head.detector != detect::TALLIES && o.claim.key != detect::WRITTEN_WHOLE;
            // A fork shows again what its root showed.
            if is_lesson && seen.insert(o.head.id.clone()) {
                print(&mut ui, &o)?;
            }
        }
        Ok(())
    })?;
    ui.end()?;
    report.finish()
}

fn print(ui: &mut Ui, o: &Observation) -> Result<()> {
    let commands: Vec<String> = o.claim.commands.iter().map(|c| clean(c.as_str())).collect();
    if ui.json {
        let row = ObservationRow {
            detector: &o.head.detector,
            kind: o.claim.kind.as_str(),
            session: &o.head.session,
            id: &o.head.id,
            name: &o.claim.name,
            title: &o.claim.title,
            text: clean(&o.claim.text),
            commands,
            sure: o.claim.sure.as_str(),
            trust: o.claim.trust.as_str(),
            suggest: o.claim.suggest,
            events: &o.head.events,
            failed: o.seen.failed(),
            fixed: o.seen.fixed(),
            via: o.seen.via(),
            message: o.seen.message(),
        };
        return Ok(ui.object(&row)?);
    }
    ui.line(format!(
        "{} {}",
        styled(BOLD, &o.claim.name),
        styled(
            DIM,
            &format!(
                "{} {} {}",
                o.head.detector,
                o.claim.sure.as_str(),
                if o.claim.suggest { "would be suggested" } else { "kept quiet" }
            )
        )
    ))?;
    ui.line(format!("  {}", clean(&o.claim.text)))?;
    for command in &commands {
        ui.line(format!("    • {command}"))?;
    }
    Ok(())
}
