//! Would the past have helped? Sessions that are over are gone through again, in the order they began.
//!
//! Comes in: transcripts. Goes out: how many failures came back, how many of them hints would have prevented, and at what
//! cost; beside it what controls and simple memories would have done. Before a session only what had ended by then is
//! known. Lessons are learned in throw-away stores, by the same code that learns and speaks elsewhere; the user's own
//! store is not opened.

mod constant;
mod figures;
mod learner;
mod page;
mod past;
mod replay;
pub mod rows;

pub use figures::{Figures, Score, Way};
pub use learner::Shown;
pub use page::page;
pub use past::{Past, Persons, read};
pub use replay::{Asked, replay};
