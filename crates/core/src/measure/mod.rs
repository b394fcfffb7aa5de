//! The story of a session, whether hints helped, and whether lessons serve the user's goal.
//!
//! Comes in: sessions, observations and trials. Goes out: counts, rates with intervals and sentences for a person.
//! Deliberately absent: printing, and every clock; times come from the events.

pub mod baseline;
pub mod change;
pub mod citations;
pub mod followed;
pub mod goal;
pub mod health;
pub mod matching;
pub mod outcome_log;
pub mod places;
pub mod rates;
pub mod relevance;
pub mod retro;
pub mod script;
pub mod success;
pub mod trial;
