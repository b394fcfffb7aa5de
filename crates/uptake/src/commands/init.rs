//! `uptake init`: finds the agents, reads the history, shows what is worth keeping, and connects after a yes.

use std::path::Path;

use anyhow::Result;
use clap::Args as ClapArgs;
use serde_json::{Value, json};
use uptake_core::redact::spelled_out;

use super::learn::First;
use super::lesson_row::LessonRow;
use crate::agents;
use crate::history::{self, Group};
use crate::install::{Client, FileChange, Plan, Trusting, diff};
use crate::schedule::Scheduler;
use crate::settings::{self, Change};
use crate::transcripts;
use crate::ui::{self, BOLD, DIM, GREEN, Ui, YELLOW, styled};
use crate::world::World;

/// Read the history on this machine, show what is worth keeping, and connect your agents
///
/// Shows which agents and projects are there before anything is read, and every change of a settings file before it is
/// made. Can be run again at any time; `uptake uninstall` takes everything back.
#[derive(ClapArgs)]
pub struct Args {
    /// Connect without asking; lessons still wait for your word
    #[arg(long, short)]
    yes: bool,
    /// Only show what would be read and changed
    #[arg(long)]
    dry_run: bool,
    /// Read only sessions since then: 30d, 12w, or a date
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Do not read the history
    #[arg(long)]
    no_learn: bool,
    /// Do not tell Codex that our hooks are trusted; do it yourself with /hooks
    #[arg(long)]
    no_trust: bool,
    /// One JSON object; nothing is asked
    #[arg(long)]
    json: bool,
}

/// Projects that are listed.
const LISTED: usize = 12;

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let mut ui = Ui::stdout(args.json);
    let since = args.since.as_ref().map(|text| history::parse_since(text, world.now)).transpose()?;
    let clients = Client::all(&world);
    let mut found = transcripts::find_all(&world.home);
    if let Some(time) = since {
        history::since(&mut found, time);
    }
    let groups = history::groups(&found);
    let mut told = json!({ "agents": agent_rows(&clients), "projects": groups });
    let asks = Ui::can_ask() && !args.json && !args.yes && !args.dry_run;
    if !args.json {
        tell_agents(&mut ui, &clients, &world)?;
        tell_projects(&mut ui, &groups)?;
    }
    if asks && !args.no_learn {
        leave_out(&mut ui, &world, &groups)?;
    }
    let settings = world.settings()?;
    let reads = !args.dry_run && !args.no_learn && settings.enabled && !found.transcripts.is_empty();
    let first = if reads { Some(First::read(&mut ui, &world, &settings, found)?) } else { None };
    if let Some(first) = &first {
        told["read"] = first.read.into();
        told["later"] = first.later.into();
        told["lessons"] = first.lessons().iter().map(|l| json!(LessonRow::of(l))).collect::<Vec<Value>>().into();
        if !args.json {
            tell_lessons(&mut ui, first)?;
        }
    }
    let changes = connect(&mut ui, args, &world, clients, asks)?;
    told["changes"] = changes.into();
    if args.json {
        ui.object(&told)?;
        return Ok(ui.flush()?);
    }
    match first {
        Some(first) if asks && !first.lessons().is_empty() => first.offer(&mut ui, &world)?,
        Some(first) if !first.lessons().is_empty() => ui.line("\nSay yes or no to each with: uptake review")?,
        _ => {}
    }
    if settings.holdout > 0 {
        ui.line(format!(
            "\nTo know whether lessons help, each is withheld in {} of 100 sessions, never your own words: uptake report says \
             what came of it. Switch that off with: uptake config set holdout 0",
            settings.holdout
        ))?;
    }
    if !args.dry_run {
        let scheduler = Scheduler::here();
        let (how, line) = (scheduler.how(), scheduler.line(&world));
        ui.line(styled(DIM, &format!("\nA retrospective of every day, if you want one ({how}):\n  {line}")))?;
        ui.line(styled(DIM, "\nSee how it goes: uptake doctor, uptake status. Take it all back: uptake uninstall"))?;
    }
    Ok(ui.flush()?)
}

fn agent_rows(clients: &[Client]) -> Vec<Value> {
    let row = |c: &Client| {
        json!({
            "source": c.agent.source, "title": c.agent.title, "version": c.version.map(|v| v.to_string()),
            "why_not": c.why_not(),
        })
    };
    clients.iter().map(row).collect()
}

fn tell_agents(ui: &mut Ui, clients: &[Client], world: &World) -> Result<()> {
    if clients.is_empty() {
        return Ok(ui.line("No agent that can be connected was found (Claude Code, Codex CLI, OpenCode, Gemini CLI).")?);
    }
    ui.line(styled(BOLD, "Agents"))?;
    for client in clients {
        let version = client.version.map_or_else(|| "version not known".to_owned(), |v| v.to_string());
        ui.line(format!("  {:12} {version:12} {}", client.agent.title, client.agent.folder(&world.home).display()))?;
    }
    Ok(())
}

fn tell_projects(ui: &mut Ui, groups: &[Group]) -> Result<()> {
    if groups.is_empty() {
        return Ok(ui.line("No sessions to read.")?);
    }
    let (transcripts, bytes) = totals(groups);
    ui.line(format!(
        "\n{}: {} in {}",
        styled(BOLD, "Sessions that would be read"),
        ui::count(transcripts as u64, "transcript"),
        ui::size(bytes)
    ))?;
    for (n, group) in groups.iter().take(LISTED).enumerate() {
        let agent = agents::agent(group.source).title;
        ui.line(format!(
            "{:4}  {:>9}  {:>5}  {agent:11}  {}",
            n + 1,
            ui::size(group.bytes),
            group.transcripts,
            spelled_out(&group.folder)
        ))?;
    }
    if groups.len() > LISTED {
        let (transcripts, bytes) = totals(&groups[LISTED..]);
        ui.line(format!("      {:>9}  {transcripts:>5}  in {} more folders", ui::size(bytes), groups.len() - LISTED))?;
    }
    Ok(())
}

fn totals(groups: &[Group]) -> (usize, u64) {
    groups.iter().fold((0, 0), |(n, bytes), g| (n + g.transcripts, bytes + g.bytes))
}

/// Projects that are to be left alone, now and later.
fn leave_out(ui: &mut Ui, world: &World, groups: &[Group]) -> Result<()> {
    if groups.is_empty() {
        return Ok(());
    }
    let question = "Leave any of them alone, for ever? Their numbers, or Enter for none: ";
    while let Some(answer) = ui.answer(question)? {
        let words = answer.split([' ', ',']).filter(|w| !w.is_empty());
        let numbers: Vec<Option<&Group>> =
            words.map(|w| w.parse::<usize>().ok().and_then(|n| groups.get(n.checked_sub(1)?))).collect();
        if numbers.iter().any(Option::is_none) {
            ui.line("Only numbers of the list, please.")?;
            continue;
        }
        for group in numbers.into_iter().flatten().filter(|g| Path::new(&g.folder).is_absolute()) {
            settings::change(&world.config, "exclude", &Change::Add(&group.folder))?;
            ui.line(format!("  {} is left alone (uptake config shows it)", spelled_out(&group.folder)))?;
        }
        return Ok(());
    }
    Ok(())
}

fn tell_lessons(ui: &mut Ui, first: &First) -> Result<()> {
    if first.later > 0 {
        let later = ui::count(first.later as u64, "older transcript");
        ui.line(format!("{later} left for later: uptake learn goes on with them."))?;
    }
    if first.lessons().is_empty() {
        return Ok(ui.line("Nothing came up twice yet: lessons come with more sessions.")?);
    }
    ui.line(format!("\n{}", styled(BOLD, "Worth keeping, if you say yes")))?;
    for lesson in first.lessons() {
        ui.line(format!("  • {}", spelled_out(&lesson.payload.statement)))?;
    }
    Ok(())
}

/// Shows what would be changed for each agent, asks, and changes it. Answers what was done.
fn connect(ui: &mut Ui, args: &Args, world: &World, clients: Vec<Client>, asks: bool) -> Result<Vec<Value>> {
    let mut done = Vec::new();
    for client in clients {
        let (source, title) = (client.agent.source, client.agent.title);
        if let Some(why) = client.why_not() {
            tell(ui, &format!("\n{} {title} is not connected: {why}.", styled(YELLOW, "✗")))?;
            done.push(json!({ "source": source, "connected": false, "why": why }));
            continue;
        }
        let trusting = if args.no_trust { Trusting::No } else { Trusting::Yes };
        let plan = Plan::of(client, world, trusting)?;
        let connected = one(ui, args, world, &plan, asks)?;
        let files: Vec<Value> = plan.files.iter().filter(|f| f.is_one()).map(file_row).collect();
        done.push(json!({
            "source": source, "connected": connected, "command": plan.command, "files": files,
            "events": plan.events.iter().map(|e| e.name).collect::<Vec<_>>(), "by_hand": plan.by_hand,
        }));
    }
    Ok(done)
}

fn tell(ui: &mut Ui, line: &str) -> Result<()> {
    if ui.json { Ok(()) } else { Ok(ui.line(line)?) }
}

fn file_row(file: &FileChange) -> Value {
    let (before, after) = (file.before.as_deref().unwrap_or_default(), file.after.as_deref().unwrap_or_default());
    json!({ "path": file.path, "new": file.before.is_none(), "diff": diff(before, after) })
}

/// Whether the agent is connected in the end.
fn one(ui: &mut Ui, args: &Args, world: &World, plan: &Plan, asks: bool) -> Result<bool> {
    let title = plan.client.agent.title;
    if plan.is_done() {
        if !args.dry_run {
            plan.carry_out(world)?;
        }
        tell(ui, &format!("\n{} {title} is connected already.", styled(GREEN, "✓")))?;
        return Ok(true);
    }
    tell(ui, &format!("\n{}", styled(BOLD, &format!("To connect {title}"))))?;
    for event in &plan.events {
        tell(ui, &format!("  at {:18} uptake {}", event.name, event.what))?;
    }
    for name in &plan.by_hand {
        tell(ui, &format!("  at {name:18} you connected it by hand; that stays"))?;
    }
    for file in plan.files.iter().filter(|f| f.is_one()) {
        show_change(ui, file)?;
    }
    if plan.files.len() > 1 {
        tell(ui, "  The second file tells the client that you trust these hooks; --no-trust leaves that to you.")?;
    }
    if args.dry_run || args.json && !args.yes || !args.yes && !asks {
        let how = if args.dry_run { "" } else { " Nobody to ask: connect it with `uptake init --yes`." };
        tell(ui, &format!("  Nothing was changed.{how}"))?;
        return Ok(false);
    }
    if asks && !ui.agrees(&format!("Connect {title}?"))? {
        tell(ui, "  Left as it is.")?;
        return Ok(false);
    }
    plan.carry_out(world)?;
    tell(ui, &format!("{} {title} is connected, from its next session on.", styled(GREEN, "✓")))?;
    Ok(true)
}

/// The lines that change in a file.
pub(super) fn show_change(ui: &mut Ui, file: &FileChange) -> Result<()> {
    let what = match (&file.before, &file.after) {
        (None, _) => " (new)",
        (_, None) => " (removed)",
        _ => "",
    };
    tell(ui, &format!("  {}{what}", file.path.display()))?;
    let (before, after) = (file.before.as_deref().unwrap_or_default(), file.after.as_deref().unwrap_or_default());
    diff(before, after).iter().try_for_each(|line| tell(ui, &format!("    {}", spelled_out(line))))
}
