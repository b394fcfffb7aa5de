//! End-to-end tests of the binary; each owns its world: own HOME, own store, cleared environment.
#![allow(clippy::expect_used, clippy::panic, reason = "a test may fail loudly, its helpers too")]

mod bad_input;
mod config;
mod detect;
mod events;
mod hook;
mod import;
mod inbox;
mod keeping;
mod kills;
mod learn;
mod lessons;
#[cfg(unix)]
mod pager;
mod retro;
mod review;
mod sessions;
mod settings;
mod sources;
mod terminal;
mod trust;
mod undo;
mod why;
mod world;
