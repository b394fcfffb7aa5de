//! A damaged database: says so, keeps a copy, and goes on with what can be saved or read anew.

use anyhow::{Context as _, Result};
use uptake_store::StoreError;
use uptake_store::salvage::{Saved, salvage};

use crate::ui::{Ui, YELLOW, styled};
use crate::world::World;

/// Runs something; if a database turns out to be damaged, mends it and runs it again. Both may be damaged: so at most
/// twice.
pub fn mending<T>(world: &World, run: impl Fn() -> Result<T>) -> Result<T> {
    for _ in 0..2 {
        let error = match run() {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        let Some(StoreError::Damaged { path, .. }) = error.downcast_ref::<StoreError>() else { return Err(error) };
        Ui::note(styled(YELLOW, &format!("{error:#}")));
        let saved =
            salvage(&world.data, path, world.now).with_context(|| format!("cannot mend `{}`", path.display()))?;
        say(&saved);
    }
    run()
}

fn say(saved: &Saved) {
    Ui::note(format!("  it was kept as `{}`", saved.copy.display()));
    if saved.rebuilt {
        Ui::note("  what was read from transcripts is read again");
        return;
    }
    let rows: Vec<String> = saved.rows.iter().map(|(table, n)| format!("{n} {table}")).collect();
    Ui::note(format!("  saved from it: {}", if rows.is_empty() { "nothing".to_owned() } else { rows.join(", ") }));
    Ui::note("  what is missing is read again from the transcripts that still exist");
}
