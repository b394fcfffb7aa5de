//! The first reading, for `init`: newest first, in slices, until there is something to show or the time is up.

use std::time::{Duration, Instant};

use anyhow::Result;
use uptake_core::learn::Lesson;

use super::{Args, Suggestions, Wish, join, offer, put_right, suggestions, summary, take_over_spool};
use crate::history;
use crate::ingest::{self, Ingested};
use crate::settings::Settings;
use crate::stores::Stores;
use crate::transcripts::Found;
use crate::ui::Ui;
use crate::world::World;

/// No slice is begun that would not be read by then, as fast as the ones before it: the rest is read by the next `learn`.
const PATIENCE: Duration = Duration::from_secs(45);

/// What the first reading gave.
pub(in crate::commands) struct First {
    stores: Stores,
    found: Suggestions,
    /// Transcripts that are left for later.
    pub(in crate::commands) later: usize,
    /// How many were read.
    pub(in crate::commands) read: u64,
}

impl First {
    /// Reads the history. What is read stays read, whatever ends this.
    pub(in crate::commands) fn read(ui: &mut Ui, world: &World, settings: &Settings, found: Found) -> Result<Self> {
        let started = Instant::now();
        let args = Args { json: ui.json, ..Args::default() };
        let mut stores = Stores::open(&world.data)?;
        take_over_spool(&mut stores, world)?;
        let mut all: Option<Ingested> = None;
        let (mut later, mut read, mut done) = (0, 0, 0);
        for slice in history::newest_first(found) {
            let bytes = size(&slice);
            if later > 0 || done > 0 && started.elapsed().mul_f64(1.0 + bytes as f64 / done as f64) > PATIENCE {
                later += slice.transcripts.len();
                continue;
            }
            done += bytes.max(1);
            let ingested = ingest::ingest(&slice, &mut stores, world, settings)?;
            join(ui, &args, world, &mut stores, &ingested.joins)?;
            read += ingested.report.read;
            all = Some(match all {
                Some(before) => before.and(ingested),
                None => ingested,
            });
        }
        if let Some(all) = &all {
            put_right(ui, &args, world, &mut stores, settings.mode, read > 0)?;
            if !ui.json {
                summary(ui, all, started)?;
            }
        }
        stores.lessons.shorten_journal()?;
        let found = suggestions(&stores, &args, world, &Found::default(), settings)?;
        Ok(Self { stores, found, later, read })
    }

    /// The lessons that are worth a yes.
    pub(in crate::commands) fn lessons(&self) -> &[Lesson] {
        &self.found.shown
    }

    /// Asks for each, if somebody can be asked.
    pub(in crate::commands) fn offer(mut self, ui: &mut Ui, world: &World) -> Result<()> {
        offer(ui, &Args::default(), world, &mut self.stores, &self.found, Wish::Usual)
    }
}

fn size(found: &Found) -> u64 {
    found.transcripts.iter().map(|t| t.size).sum()
}
