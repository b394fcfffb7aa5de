//! The reader: how a prompt reaches the user's own model, and how its answer comes back.
//!
//! Comes in: a request and the user's settings. Goes out: the text of the answer, or why there is none. What is asked and what
//! is believed of the answer is not decided here.
//!
//! Deliberately absent: a login of ours, and any copy of the user's. A client runs as it is installed, once, in a folder of
//! its own, without tools, hooks and servers; one file per client says how.

mod claude;
mod client;
mod codex;
mod endpoint;
mod files;
mod gemini;
mod jsonc;
mod opencode;
mod process;
mod signals;
pub mod transport;
pub mod trouble;

pub use transport::Reader;
