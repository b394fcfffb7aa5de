//! The only room that speaks SQL: one door ([`open`]), one module per stage's tables, migrations, the spool.
//!
//! `sessions.db` can be deleted and rebuilt; `lessons.db` is irreplaceable. Deliberately absent: decisions. What a
//! row means is the core's matter.

mod advice;
mod approved;
mod artifacts;
pub mod atomic_file;
mod before_call;
mod body;
mod causes;
pub mod checkup;
mod clearing;
mod consents;
pub mod copies;
mod detected;
mod error;
mod events;
mod folders;
pub mod foreign;
mod forget;
mod former;
mod handed_in;
mod journal;
mod keeper;
pub mod late;
mod ledger;
mod lessons;
mod observations;
pub mod open;
mod open_files;
mod projects;
mod readings;
mod retention;
pub mod rooted;
pub mod salvage;
mod seal;
mod sessions;
mod splits;
pub mod spool;
mod tables;
mod trials;
mod uses;
mod verdicts;
mod worked;

pub use advice::Marked;
pub use approved::Filed;
pub use artifacts::{Artifact, Begun, Citation, Finished};
pub use before_call::{Guard, Ran};
pub use clearing::Flawed;
pub use detected::Outdated;
pub use error::{FULL, StoreError};
pub use folders::SessionGroup;
pub use forget::{Forgotten, TombstoneKey, known_machine, machine_key};
pub use former::Folded;
pub use keeper::trouble_with_journal;
pub use ledger::{About, Action, Change};
pub use lessons::{Lessons, ListPlace, Stored, Wanted, Which};
pub use observations::SeenIn;
pub use projects::{BELOW, By, Merge, ProjectRow};
pub use readings::{Place, ReadUpto, Remark, Reworded, Taken};
pub use sessions::{Counts, Cursor, Kept, Moved, SessionRow, Sessions};
pub use splits::Split;
pub use trials::TrialRow;
pub use uses::{CYCLE, Iteration, Measured, UseRow};

/// What functions of this crate answer.
pub type Result<T> = std::result::Result<T, StoreError>;
