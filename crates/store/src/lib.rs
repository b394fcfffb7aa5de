//! The only room that speaks SQL: one door ([`open`]), one module per stage's tables, migrations, the spool.
//!
//! `sessions.db` can be deleted and rebuilt; `lessons.db` is irreplaceable. Deliberately absent: decisions. What a
//! row means is the core's matter.

mod error;
pub mod foreign;
mod forget;
mod ledger;
mod lessons;
pub mod open;
mod sessions;
pub mod spool;
pub mod whole;

pub use error::{FULL, StoreError};
pub use forget::{Forgotten, TombstoneKey};
pub use ledger::Change;
pub use lessons::{Lessons, SeenIn, Stored, Verdict};
pub use sessions::{Cursor, Kept, Moved, SessionRow, Sessions};

/// What functions of this crate answer.
pub type Result<T> = std::result::Result<T, StoreError>;
