//! The story of a session, and whether hints helped.
//!
//! Comes in: sessions, observations and trials. Goes out: counts, rates with intervals and sentences for a person.
//! Deliberately absent: printing, and every clock; times come from the events.

pub mod baseline;
pub mod change;
pub mod citations;
pub mod followed;
pub mod rates;
pub mod retro;
pub mod script;
pub mod trial;
