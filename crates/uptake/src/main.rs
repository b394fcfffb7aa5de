//! uptake: coding agents that learn on the job.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use uptake::commands;
use uptake::ui::Ui;

/// Coding agents that learn on the job, and prove that it helps
#[derive(Parser)]
#[command(name = "uptake", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Events(commands::events::Args),
    Detect(commands::detect::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match &cli.command {
        Command::Events(args) => commands::events::run(args),
        Command::Detect(args) => commands::detect::run(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // The reader went away (`uptake events … | head`): nothing is wrong.
        Err(e) if e.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe) => {
            ExitCode::SUCCESS
        }
        Err(e) => {
            Ui::note(format!("error: {e:#}"));
            ExitCode::FAILURE
        }
    }
}
