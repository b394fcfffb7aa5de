//! One file per subcommand: its arguments, whose doc comments are the help, and `run`.

pub mod detect;
pub mod events;
pub mod import;
pub mod learn;
pub mod retro;
pub mod review;
pub mod sessions;

use std::path::PathBuf;

use clap::Args;

/// What commands that look into transcripts are given.
#[derive(Args)]
pub struct Given {
    /// Transcripts or folders of transcripts
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// One JSON object a line
    #[arg(long)]
    pub json: bool,
}
