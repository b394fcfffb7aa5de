//! Planted secrets: their kinds, the notations they stand in, and the search for what is left of them.

pub mod caps;
pub mod encode;
pub mod formats;
pub mod kinds;
pub mod scan;
pub mod telling;
