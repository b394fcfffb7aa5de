//! `uptake why`.
