//! `uptake list`.
