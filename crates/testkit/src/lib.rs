//! What tests, the battery and the fuzz targets share. Nothing of it is in the product.
//!
//! It panics where a test should fail.
#![allow(clippy::expect_used, clippy::panic, reason = "helpers of tests")]

pub mod damage;
pub mod database;
pub mod folders;
pub mod plants;
mod rng;
pub mod store_damage;
pub mod transcript;

pub use rng::Rng;
