//! One file per subcommand: its arguments, whose doc comments are the help, and `run`.

pub mod add;
mod asking;
pub mod backtest;
pub mod card;
pub mod clear;
pub mod config;
pub mod cycle;
pub mod detect;
pub mod doctor;
pub mod enable;
pub mod events;
pub mod export;
pub mod forget;
pub mod goal;
pub mod health;
pub mod hud;
pub mod import;
pub mod init;
pub mod knowledge;
pub mod learn;
mod lesson_row;
pub mod list;
pub mod memory;
pub mod offer;
pub mod project;
pub mod prune;
pub mod purge;
pub mod query;
pub mod reader;
pub mod recall;
pub mod reconcile;
pub mod report;
pub mod retro;
pub mod review;
pub mod sessions;
pub mod show;
pub mod skill;
pub mod status;
pub mod submit;
pub mod trust;
pub mod undo;
pub mod uninstall;
pub mod wrong;

use std::path::PathBuf;

use anyhow::{Result, bail};
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

/// How one thing is printed, also by subcommands.
#[derive(Args, Default)]
pub struct Printed {
    /// One JSON object
    #[arg(long, global = true)]
    pub json: bool,
}

/// What a command is given that throws something away.
#[derive(Args)]
pub struct Confirmed {
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// How what was done is printed.
    #[command(flatten)]
    pub printed: Printed,
}

impl Confirmed {
    /// Whether the person agrees; who cannot be asked must have said `--yes`. Says so if everything stays as it is.
    pub fn agrees(&self, ui: &mut Ui, question: &Question<'_>) -> Result<bool> {
        if self.yes {
            return Ok(true);
        }
        if !Ui::can_ask() {
            bail!("{}; say so with --yes", question.warning);
        }
        question.about.iter().try_for_each(|line| ui.line(line))?;
        let agrees = ui.agrees(&question.words)?;
        if !agrees {
            ui.line("Kept.")?;
            ui.flush()?;
        }
        Ok(agrees)
    }
}

/// What a person is asked before something is thrown away.
pub struct Question<'q> {
    /// What happens, for someone who cannot be asked.
    pub warning: String,
    /// What it happens to, shown before the question.
    pub about: &'q [String],
    /// The question.
    pub words: String,
}

impl Listed {
    /// Where the list goes; must be ended.
    pub fn ui(&self) -> Ui {
        if self.json || self.no_pager { Ui::stdout(self.json) } else { Ui::paged() }
    }
}
