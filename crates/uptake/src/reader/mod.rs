//! The reader: what is asked of the user's own model, and what is kept of its answers.
//!
//! Comes in: both stores and somebody to ask. Goes out: observations, remarks and lessons in the stores, and a report. What is
//! sent and what may be believed is the core's matter (`reader`).

pub mod plan;
pub mod remarks;
pub mod run;
mod same;
mod take;
