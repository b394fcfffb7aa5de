//! End-to-end tests of the binary; each owns its world: own HOME, own store, fixed clock, cleared environment.
//!
//! One file per command, and some for what concerns several: `artifacts`, `bad_input`, `damaged`, `docs`, `foreign_text`, `growth`, `guard`, `inbox`, `kills`, `long_lived`,
//! `modes`, `odd_files`, `read_only`, `skills`, `sources`, `subagents`, `subfolders`. What a command prints as a whole is a snapshot (`World::snapshot`).
#![allow(clippy::expect_used, clippy::panic, reason = "a test may fail loudly, its helpers too")]

mod add;
mod artifacts;
mod backtest;
mod bad_input;
mod card;
mod clear;
mod closedloop;
mod completions;
mod config;
mod copies;
mod cycle;
mod damaged;
mod detect;
#[cfg(unix)]
mod docs;
mod doctor;
mod enable;
mod events;
mod facts;
mod foreign_text;
mod forget;
mod growth;
mod guard;
mod health;
mod hook;
mod import;
#[cfg(unix)]
mod inbox;
mod init;
mod kills;
mod knowledge;
mod learn;
mod list;
mod long_lived;
mod memory;
mod modes;
mod moments;
#[cfg(unix)]
mod odd_files;
mod offer;
#[cfg(unix)]
mod pager;
mod project;
mod prune;
mod purge;
mod query;
#[cfg(target_os = "linux")]
mod read_only;
mod reader;
mod reading;
mod recall;
mod redetect;
mod report;
mod retro;
mod review;
mod sessions;
mod show;
mod skill;
mod skills;
mod sources;
mod status;
mod subagents;
mod subfolders;
mod submit;
#[cfg(unix)]
mod terminal;
mod trust;
mod undo;
mod why;
mod world;
mod written;
