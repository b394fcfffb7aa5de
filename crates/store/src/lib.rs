//! The only room that speaks SQL: one door ([`open`]), one module per stage's tables, migrations, the spool.
//!
//! `sessions.db` can be deleted and rebuilt; `lessons.db` is irreplaceable. Deliberately absent: decisions. What a
//! row means is the core's matter.

mod artifacts;
pub mod atomic_file;
mod clearing;
mod consents;
mod error;
pub mod foreign;
mod forget;
mod ledger;
mod lessons;
mod observations;
pub mod open;
mod projects;
pub mod salvage;
mod sessions;
pub mod spool;
mod verdicts;

pub use artifacts::Artifact;
pub use clearing::Flawed;
pub use error::{FULL, StoreError};
pub use forget::{Forgotten, TombstoneKey};
pub use ledger::{About, Change};
pub use lessons::{Lessons, Place, State, Stored, Wanted};
pub use observations::SeenIn;
pub use projects::{Merge, ProjectRow};
pub use sessions::{Cursor, Kept, Moved, SessionRow, Sessions};
pub use verdicts::{By, Verdict};

/// What functions of this crate answer.
pub type Result<T> = std::result::Result<T, StoreError>;
