//! The reader: what is asked of the user's own model, how that reaches it, and what is kept of its answers.
//!
//! Comes in: both stores and the user's settings. Goes out: observations, remarks and lessons in the stores, and a report
//! (`plan`, `run`); on the way a request and the text of its answer, or why there is none (`transport`). What is sent and what
//! may be believed is the core's matter (`reader`).
//!
//! Deliberately absent: a login of ours, and any copy of the user's. A client runs as it is installed, once, in a folder of
//! its own, without tools, hooks and servers; one file per client says how.

pub mod alike;
pub mod chosen;
mod claude;
mod client;
mod codex;
mod endpoint;
mod files;
mod gemini;
mod jsonc;
mod opencode;
pub mod plan;
mod process;
pub mod remarks;
pub mod run;
mod same;
mod second;
mod signals;
mod take;
pub mod transport;
pub mod trouble;
pub mod version;

pub use transport::Reader;
