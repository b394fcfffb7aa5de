//! Lesson → file: a skill by the Agent Skills specification, a slash command, an entry among decisions or pitfalls, a line
//! for an instruction file. And back: what stands in a file of entries, and what of it is ours.
//!
//! Deliberately absent: where files lie and how they are written.

mod command;
mod curate;
mod entry;
mod export;
mod knowledge;
mod name;
mod offer;
mod skill;

pub use command::command;
pub use curate::{Existing, Finding, Hint as CurateHint, curate};
pub use entry::{entry, pitfall_in, pitfall_of};
pub use export::{EXPORT_MARK, TableRow, jsonl, toon};
pub use knowledge::{Entry, EntryFile, entry_sum, index};
pub use name::file_name;
pub use offer::{Offer, diff, offered};
pub use skill::{DRAFT, Skill, VERIFIED, existing_skill, loads_itself, merged_skill, skill, topic};
pub(crate) use skill::{spared, trigger_words};
