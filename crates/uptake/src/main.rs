//! uptake: coding agents that learn on the job.

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};
use clap_complete::Shell;
use uptake::commands::enable::Switch;
use uptake::ui::{self, Ui};
use uptake::{commands, damaged_store, hook};

/// Coding agents that learn on the job: what failed, what then worked, and what you said
#[derive(Parser)]
#[command(name = "uptake", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Init(commands::init::Args),
    Learn(commands::learn::Args),
    Review(commands::review::Args),
    Add(commands::add::Args),
    Submit(commands::submit::Args),
    List(commands::list::Args),
    Show(commands::show::Args),
    /// Say why a lesson stands where it stands
    Why(commands::show::Args),
    Undo(commands::undo::Args),
    Wrong(commands::wrong::Args),
    Forget(commands::forget::Args),
    Status(commands::status::Args),
    Query(commands::query::Args),
    Card(commands::card::Args),
    Knowledge(commands::knowledge::Args),
    Offer(commands::offer::Args),
    Memory(commands::memory::Args),
    Skill(commands::skill::Args),
    Reconcile(commands::reconcile::Args),
    Hud(commands::hud::Args),
    Recall(commands::recall::Args),
    Config(commands::config::Args),
    Reader(commands::reader::Args),
    /// Switch uptake on again
    Enable(commands::enable::Args),
    /// Switch uptake off: agents hear nothing, new sessions are not read
    Disable(commands::enable::Args),
    Trust(commands::trust::Args),
    Project(commands::project::Args),
    Clear(commands::clear::Args),
    Purge(commands::purge::Args),
    Doctor(commands::doctor::Args),
    Uninstall(commands::uninstall::Args),
    Retro(commands::retro::Args),
    Report(commands::report::Args),
    Backtest(commands::backtest::Args),
    Cycle(commands::cycle::Args),
    Goal(commands::goal::Args),
    Health(commands::health::Args),
    Prune(commands::prune::Args),
    Import(commands::import::Args),
    Export(commands::export::Args),
    Sessions(commands::sessions::Args),
    Events(commands::events::Args),
    Detect(commands::detect::Args),
    /// Print completions for a shell
    ///
    /// For bash: uptake completions bash > ~/.local/share/bash-completion/completions/uptake
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Answer an agent's hook; the payload comes on standard input
    ///
    /// `uptake init` puts it into the settings of Claude Code, Codex CLI and Gemini CLI, and a
    /// plugin that runs it into OpenCode's; `uptake uninstall` takes it out again.
    ///
    /// It always exits 0 and answers nothing when there is nothing to say. UPTAKE_OFF=1 switches it off.
    Hook {
        /// The agent: claude, codex, opencode, gemini
        source: String,
    },
}

fn main() -> ExitCode {
    // The hook comes first, before the argument parser: an agent waits for it.
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|a| a == "hook") {
        let source = args.next().and_then(|s| s.into_string().ok());
        if source.as_deref().is_none_or(|s| s != "--help" && s != "-h") {
            return answer_hook(source.as_deref());
        }
    }
    let cli = Cli::parse();
    if let Command::Hook { source } = &cli.command {
        return answer_hook(Some(source));
    }
    let result = match &cli.command {
        // It says what is damaged, and mends only if asked to.
        Command::Doctor(args) => commands::doctor::run(args),
        other => damaged_store::mending(|| run(other)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // The reader went away (`uptake events … | head`): nothing is wrong.
        Err(e) if e.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe) => {
            ExitCode::SUCCESS
        }
        Err(e) => {
            Ui::note(format!("error: {e:#}"));
            if let Some(hint) = ui::hint(&e) {
                Ui::note(format!("hint: {hint}"));
            }
            ExitCode::FAILURE
        }
    }
}

fn run(command: &Command) -> anyhow::Result<()> {
    match command {
        Command::Init(args) => commands::init::run(args),
        Command::Learn(args) => commands::learn::run(args),
        Command::Review(args) => commands::review::run(args),
        Command::Add(args) => commands::add::run(args),
        Command::Submit(args) => commands::submit::run(args),
        Command::List(args) => commands::list::run(args),
        Command::Show(args) => commands::show::run(args),
        Command::Why(args) => commands::show::why(args),
        Command::Undo(args) => commands::undo::run(args),
        Command::Wrong(args) => commands::wrong::run(args),
        Command::Forget(args) => commands::forget::run(args),
        Command::Status(args) => commands::status::run(args),
        Command::Query(args) => commands::query::run(args),
        Command::Card(args) => commands::card::run(args),
        Command::Knowledge(args) => commands::knowledge::run(args),
        Command::Offer(args) => commands::offer::run(args),
        Command::Memory(args) => commands::memory::run(args),
        Command::Skill(args) => commands::skill::run(args),
        Command::Reconcile(args) => commands::reconcile::run(args),
        Command::Hud(args) => commands::hud::run(args),
        Command::Export(args) => commands::export::run(args),
        Command::Recall(args) => commands::recall::run(args),
        Command::Config(args) => commands::config::run(args),
        Command::Reader(args) => commands::reader::run(args),
        Command::Enable(args) => commands::enable::run(args, Switch::On),
        Command::Disable(args) => commands::enable::run(args, Switch::Off),
        Command::Trust(args) => commands::trust::run(args),
        Command::Project(args) => commands::project::run(args),
        Command::Clear(args) => commands::clear::run(args),
        Command::Purge(args) => commands::purge::run(args),
        Command::Completions { shell } => completions(*shell),
        Command::Uninstall(args) => commands::uninstall::run(args),
        Command::Retro(args) => commands::retro::run(args),
        Command::Report(args) => commands::report::run(args),
        Command::Backtest(args) => commands::backtest::run(args),
        Command::Cycle(args) => commands::cycle::run(args),
        Command::Goal(args) => commands::goal::run(args),
        Command::Health(args) => commands::health::run(args),
        Command::Prune(args) => commands::prune::run(args),
        Command::Import(args) => commands::import::run(args),
        Command::Sessions(args) => commands::sessions::run(args),
        Command::Events(args) => commands::events::run(args),
        Command::Detect(args) => commands::detect::run(args),
        Command::Doctor(args) => commands::doctor::run(args),
        // Answered before.
        Command::Hook { .. } => Ok(()),
    }
}

/// For an agent it always succeeds. A person who tries it learns what it is for.
fn answer_hook(source: Option<&str>) -> ExitCode {
    let Some(explanation) = hook::typed_by_hand(source) else { return hook::run(source) };
    Ui::note(explanation);
    ExitCode::from(2)
}

/// Built whole first: a reader may close the pipe early.
fn completions(shell: Shell) -> anyhow::Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "uptake", &mut text);
    Ok(Ui::stdout(false).part(&String::from_utf8_lossy(&text))?)
}
