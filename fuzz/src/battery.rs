//! The battery's planted secrets, as they stand.
#![allow(dead_code, reason = "only what is planted is used here")]

#[path = "plants.rs"]
pub mod plants;
#[path = "../../xtask/src/battery/rng.rs"]
mod rng;

pub use rng::Rng;
