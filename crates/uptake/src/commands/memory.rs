//! `uptake memory`: what agents are told here, and where their files disagree.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use clap::Args as ClapArgs;
use uptake_core::learn::by_hand;
use uptake_core::learn::supersede::supersedes;
use uptake_core::redact::spelled_out;

use super::Listed;
use crate::instructions::{self, Told};
use crate::project;
use crate::skills;
use crate::ui::{self, BOLD, DIM, Ui, YELLOW, styled};
use crate::world::World;

/// Show what instruction files and memories tell your agents here, and where they disagree
///
/// Reads CLAUDE.md, AGENTS.md, GEMINI.md, rules and memories of this project and of yours. Nothing is changed.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    printed: Listed,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut ui = args.printed.ui();
    let here = std::env::current_dir()?;
    let top = project::top(&here).unwrap_or(here);
    let told = instructions::rules(&world.home, &top);
    let used: Vec<&str> = skills::used(&world.home).iter().map(|a| a.source).collect();
    let mut groups: BTreeMap<&str, Vec<&Told>> = BTreeMap::new();
    told.iter().for_each(|t| groups.entry(t.rule.key.as_str()).or_default().push(t));
    let against = contradictions(&told);
    let own = told.iter().filter(|t| t.here);
    let stale: Vec<(&Told, String)> =
        own.flat_map(|t| instructions::gone(&t.line, &top).into_iter().map(move |what| (t, what))).collect();
    let mut known: Vec<Known<'_>> = Vec::new();
    for group in groups.into_values() {
        let to: Vec<&str> = used.iter().copied().filter(|a| group.iter().any(|t| t.agents.contains(a))).collect();
        let not: Vec<&str> = used.iter().copied().filter(|a| !to.contains(a)).collect();
        known.push(Known { places: group, to, not });
    }
    known.sort_by_key(|k| (k.places[0].file.clone(), k.places[0].rule.line));
    if ui.json {
        for (a, b, why) in &against {
            ui.object(&serde_json::json!({ "what": "contradiction", "a": row(a), "b": row(b), "why": why }))?;
        }
        for (t, path) in &stale {
            ui.object(&serde_json::json!({ "what": "stale", "a": row(t), "missing": path }))?;
        }
        for Known { places, to, not } in &known {
            let what = if not.is_empty() { "agreement" } else { "unshared" };
            let also: Vec<_> = places[1..].iter().map(|t| row(t)).collect();
            ui.object(&serde_json::json!({
                "what": what, "a": row(places[0]), "also": also, "known_to": to, "not_known_to": not,
            }))?;
        }
        return Ok(ui.end()?);
    }
    tell(&mut ui, &top, &against, &stale, &known)?;
    Ok(ui.end()?)
}

/// A rule, in all places where it stands, and the agents that know it or do not.
struct Known<'t> {
    places: Vec<&'t Told>,
    to: Vec<&'static str>,
    not: Vec<&'static str>,
}

fn tell(
    ui: &mut Ui,
    top: &Path,
    against: &[(&Told, &Told, String)],
    stale: &[(&Told, String)],
    known: &[Known<'_>],
) -> Result<()> {
    if known.is_empty() {
        return Ok(ui.line("No instruction file or memory tells your agents anything here.")?);
    }
    for (a, b, why) in against {
        ui.line(styled(YELLOW, &format!("Contradiction: {why}")))?;
        ui.line(format!("  {}", place(a, top)))?;
        ui.line(format!("  {}", place(b, top)))?;
    }
    for (t, path) in stale {
        ui.line(styled(YELLOW, &format!("Stale: {path} is not there")))?;
        ui.line(format!("  {}", place(t, top)))?;
    }
    let said_again: Vec<_> = known.iter().filter(|k| k.places.len() > 1).collect();
    if !said_again.is_empty() {
        ui.line(styled(BOLD, "Said in several places"))?;
    }
    for Known { places, .. } in &said_again {
        ui.line(format!("  {}", place(places[0], top)))?;
        let also: Vec<String> = places[1..].iter().map(|t| spot(t, top)).collect();
        ui.line(styled(DIM, &format!("    also {}", also.join(", "))))?;
    }
    let unshared: Vec<_> = known.iter().filter(|k| !k.not.is_empty()).collect();
    if !unshared.is_empty() {
        ui.line(styled(BOLD, "Not known to all agents"))?;
    }
    for Known { places, to, not } in &unshared {
        ui.line(format!("  {}", place(places[0], top)))?;
        ui.line(styled(DIM, &format!("    known to {}, not to {}", to.join(", "), not.join(", "))))?;
    }
    let all = known.len() - unshared.len();
    ui.line(format!("{} known to all agents, {} not.", ui::count(all as u64, "rule"), unshared.len()))?;
    if !unshared.is_empty() {
        ui.line(styled(DIM, "To give one to the others: uptake add \"…\", then uptake offer"))?;
    }
    Ok(())
}

fn place(told: &Told, top: &Path) -> String {
    format!("{}  {}", spot(told, top), spelled_out(&told.rule.text))
}

fn spot(told: &Told, top: &Path) -> String {
    let file = told.file.strip_prefix(top).unwrap_or(&told.file);
    format!("{}:{}", file.display(), told.rule.line)
}

fn row(told: &Told) -> serde_json::Value {
    serde_json::json!({ "file": told.file, "line": told.rule.line, "text": told.rule.text, "agents": told.agents })
}

/// Rules that say the opposite of each other, or that one of them gives up what the other asks for.
fn contradictions(told: &[Told]) -> Vec<(&Told, &Told, String)> {
    let mut out = Vec::new();
    for (n, a) in told.iter().enumerate() {
        for b in &told[n + 1..] {
            if a.rule.about == b.rule.about && a.rule.key != b.rule.key {
                out.push((a, b, "one forbids what the other asks for".to_owned()));
            } else if a.rule.key != b.rule.key && without_numbers(a) == without_numbers(b) {
                out.push((a, b, "the same with another number".to_owned()));
            } else if let Some(why) = gives_up(a, b).or_else(|| gives_up(b, a)) {
                out.push((a, b, why));
            }
        }
    }
    out
}

fn gives_up(new: &Told, old: &Told) -> Option<String> {
    let (new, old) = (by_hand("here", &new.rule.text, 2), by_hand("here", &old.rule.text, 1));
    supersedes(&new, &[old]).pop().map(|s| s.why)
}

/// The words of a rule with a mark for each number: `use # spaces`.
fn without_numbers(told: &Told) -> String {
    let mut out = String::new();
    for c in told.rule.text.chars().flat_map(char::to_lowercase) {
        match c {
            '0'..='9' if out.ends_with('#') => {}
            '0'..='9' => out.push('#'),
            c => out.push(c),
        }
    }
    out
}
