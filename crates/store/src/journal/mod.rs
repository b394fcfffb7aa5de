//! The journal `lessons.journal`: a second copy of what cannot be had again, beside the database.
//!
//! Comes in: rows of the tables that are kept twice (`tables.rs`, `Twice`). Goes out: the same rows, for whoever mends a
//! damaged database. The plan:
//!
//! - Every change of such a row is noted in `journal_due` by triggers, in the transaction that makes it. After the
//!   commit the row is appended here and the disk is waited for ([`outbox`]). A kill in between leaves the note, and the
//!   next writer makes it good. So nothing that was acknowledged is missing.
//! - A record is a line with its length, its sum, a number that grows, and JSON ([`frames`]). A damaged record costs only
//!   itself. Of two records of one row the one with the higher number counts.
//! - A clean end leaves a seal (`seal.rs`): how both files looked. Without one, or if a file is not as it was sealed, the
//!   next command checks both (`checkup.rs`) and says what is wrong; `salvage.rs` mends it.
//! - The journal is written anew when it is twice as long as it was, when the format changes, and by `forget`.
//!
//! Deliberately absent: what is made again from `sessions.db` (observations, suggestions), and any way to edit it.

mod frames;
mod outbox;

use std::path::{Path, PathBuf};

pub(crate) use frames::{Journal, Live, Trouble, each_row};
pub(crate) use outbox::{Outbox, all_due, delete, due_all, row_of, watch};

use crate::StoreError;

/// Its name in the home folder.
pub(crate) const NAME: &str = "lessons.journal";

/// Where it is.
pub(crate) fn path(home: &Path) -> PathBuf {
    home.join(NAME)
}

fn io(path: &Path) -> impl Fn(std::io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::Io { path: path.clone(), source }
}
