//! Any bytes as a transcript of the source `claude`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| uptake_fuzz::transcript("claude", data));
