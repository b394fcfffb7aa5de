//! One file per subcommand: its arguments, whose doc comments are the help, and `run`.

pub mod add;
mod asking;
pub mod clear;
pub mod config;
pub mod detect;
pub mod enable;
pub mod events;
pub mod forget;
pub mod import;
pub mod learn;
mod lesson_row;
pub mod list;
pub mod project;
pub mod purge;
pub mod query;
pub mod retro;
pub mod review;
pub mod sessions;
pub mod show;
pub mod status;
pub mod trust;
pub mod undo;

use std::path::PathBuf;

use clap::Args;

use crate::ui::Ui;

/// What commands that look into transcripts are given.
#[derive(Args)]
pub struct Given {
    /// Transcripts or folders of transcripts
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// How what is found is printed.
    #[command(flatten)]
    pub list: Listed,
}

/// How a list is printed.
#[derive(Args)]
pub struct Listed {
    /// One JSON object a line
    #[arg(long)]
    pub json: bool,
    /// Print a long list at once instead of page by page (UPTAKE_PAGER, PAGER or less)
    #[arg(long)]
    pub no_pager: bool,
}

impl Listed {
    /// Where the list goes; must be ended.
    pub fn ui(&self) -> Ui {
        if self.json || self.no_pager { Ui::stdout(self.json) } else { Ui::paged() }
    }
}
