//! Moment + lessons → hints.

/// Opens every text we put into an agent's context: how we recognise our own words in a transcript.
pub const ENVELOPE: &str = "uptake, notes from past work in this project";
