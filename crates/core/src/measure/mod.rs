//! The story of a session, and later whether hints helped.
//!
//! Comes in: sessions and observations. Goes out: counts and sentences for a person. Deliberately absent: printing,
//! and every clock; times come from the events.

pub mod citations;
pub mod retro;
