//! The binary's rooms: commands, hook, files, projects, printing. The library part exists for tests and `xtask`.

pub mod agents;
pub mod commands;
pub mod env_vars;
pub mod pipeline;
pub mod project;
pub mod transcripts;
pub mod ui;
