//! `uptake sessions`: what was read so far.

use anyhow::Result;
use clap::Args as ClapArgs;
use serde::Serialize;
use uptake_store::{SessionRow, Sessions};

use super::Listed;
use super::project::named;
use crate::project::Names;
use crate::ui::{DIM, Ui, styled};
use crate::world::World;

/// How many are shown on a terminal to a person who does not say.
const SHOWN: usize = 50;

/// List the sessions that were read
#[derive(ClapArgs)]
pub struct Args {
    /// Only sessions of this project (its key, as `--json` prints it)
    #[arg(long)]
    project: Option<String>,
    /// At most this many; 0 for all of them [default: 50 on a terminal, else all]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    printed: Listed,
}

#[derive(Serialize)]
struct PrintedSession<'s> {
    session: &'s str,
    root: &'s str,
    agent: &'s str,
    source: &'s str,
    project: &'s str,
    path: &'s str,
    started: Option<i64>,
    ended: Option<i64>,
    messages: i64,
    calls: i64,
    failures: i64,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let world = World::from_env()?;
    let names = Names::in_stores(&world.data)?;
    let project = args.project.as_ref().map(|given| named(&names, given).unwrap_or_else(|_| given.clone()));
    let mut sessions = match Sessions::open_read_only(&world.data)? {
        Some(store) => store.list(project.as_deref())?,
        None => Vec::new(),
    };
    let all = sessions.len();
    let usual = if Ui::columns().is_some() && !args.printed.json { SHOWN } else { 0 };
    let limit = args.limit.unwrap_or(usual);
    sessions.truncate(if limit == 0 { all } else { limit });
    let mut ui = args.printed.ui();
    if sessions.is_empty() && !args.printed.json {
        ui.line("No sessions were read yet. Begin with: uptake learn")?;
    }
    for session in &sessions {
        show(&mut ui, session, &names)?;
    }
    if all > sessions.len() && !args.printed.json {
        ui.line(styled(DIM, &format!("{} more: uptake sessions --limit 0", all - sessions.len())))?;
    }
    Ok(ui.end()?)
}

fn show(ui: &mut Ui, s: &SessionRow, names: &Names) -> Result<()> {
    if ui.json {
        let row = PrintedSession {
            session: &s.id,
            root: &s.root,
            agent: s.agent.as_str(),
            source: s.source.as_str(),
            project: &s.project,
            path: &s.path,
            started: s.started,
            ended: s.ended,
            messages: s.counts.messages,
            calls: s.counts.calls,
            failures: s.counts.failures,
        };
        return Ok(ui.object(&row)?);
    }
    let when = s
        .started
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
        .map_or_else(|| "no date         ".to_owned(), |t| t.strftime("%Y-%m-%d %H:%M").to_string());
    let project = names.get(&s.project);
    Ok(ui.line(format!(
        "{when}  {:7} {:20} messages {:>3}  calls {:>5}  failed {:>4}  {}",
        s.source.as_str(),
        project,
        s.counts.messages,
        s.counts.calls,
        s.counts.failures,
        styled(DIM, &s.id)
    ))?)
}
