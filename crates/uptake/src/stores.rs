//! The two stores of a command that writes to both.

use std::path::Path;

use anyhow::Result;
use uptake_store::{Lessons, Sessions};

/// Both stores, open for writing.
pub struct Stores {
    /// What was read.
    pub sessions: Sessions,
    /// What was learned.
    pub lessons: Lessons,
}

impl Stores {
    /// Opens both.
    pub fn open(data: &Path) -> Result<Self> {
        Ok(Self { sessions: Sessions::open(data)?, lessons: Lessons::open(data)? })
    }
}
