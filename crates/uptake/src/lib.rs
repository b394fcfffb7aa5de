//! The binary's rooms: commands, hook, files, projects, printing. The library part exists for tests and `xtask`.

pub mod agents;
pub mod approve;
pub mod commands;
pub mod connected;
pub mod damaged_store;
pub mod data_rights;
pub mod env_vars;
pub mod folding;
pub mod hook;
pub mod imports;
pub mod inbox;
pub mod ingest;
pub mod known_secrets;
pub mod pipeline;
pub mod project;
pub mod reader;
pub mod redetect;
pub mod regroup;
pub mod repo_settings;
pub mod settings;
pub mod skills;
pub mod stores;
pub mod transcripts;
pub mod ui;
pub mod world;
