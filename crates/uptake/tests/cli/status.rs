//! `uptake status`.
