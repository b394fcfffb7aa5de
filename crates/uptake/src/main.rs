//! uptake: coding agents that learn on the job.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use uptake::ui::{self, Ui};
use uptake::{commands, hook};

/// Coding agents that learn on the job, and prove that it helps
#[derive(Parser)]
#[command(name = "uptake", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Learn(commands::learn::Args),
    Review(commands::review::Args),
    Add(commands::add::Args),
    List(commands::list::Args),
    Show(commands::show::Args),
    /// Say why a lesson stands where it stands
    Why(commands::show::Args),
    Undo(commands::undo::Args),
    Forget(commands::forget::Args),
    Status(commands::status::Args),
    Retro(commands::retro::Args),
    Import(commands::import::Args),
    Sessions(commands::sessions::Args),
    Events(commands::events::Args),
    Detect(commands::detect::Args),
    /// Answer an agent's hook; the payload comes on standard input
    ///
    /// To let Claude Code hear approved fixes right after the same error, add to ~/.claude/settings.json:
    ///
    /// {"hooks": {"PostToolUseFailure": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "uptake hook claude"}]}]}}
    ///
    /// It always exits 0 and answers nothing when there is nothing to say. UPTAKE_OFF=1 switches it off.
    #[command(verbatim_doc_comment)]
    Hook {
        /// The agent: claude
        source: String,
    },
}

fn main() -> ExitCode {
    // The hook comes first, before the argument parser: an agent waits for it.
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|a| a == "hook") {
        let source = args.next().and_then(|s| s.into_string().ok());
        if source.as_deref().is_none_or(|s| s != "--help" && s != "-h") {
            return hook::run(source.as_deref());
        }
    }
    let result = match &Cli::parse().command {
        Command::Learn(args) => commands::learn::run(args),
        Command::Review(args) => commands::review::run(args),
        Command::Add(args) => commands::add::run(args),
        Command::List(args) => commands::list::run(args),
        Command::Show(args) => commands::show::run(args),
        Command::Why(args) => commands::show::why(args),
        Command::Undo(args) => commands::undo::run(args),
        Command::Forget(args) => commands::forget::run(args),
        Command::Status(args) => commands::status::run(args),
        Command::Retro(args) => commands::retro::run(args),
        Command::Import(args) => commands::import::run(args),
        Command::Sessions(args) => commands::sessions::run(args),
        Command::Events(args) => commands::events::run(args),
        Command::Detect(args) => commands::detect::run(args),
        Command::Hook { source } => return hook::run(Some(source)),
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
