//! Any bytes as a transcript of the source `opencode`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| uptake_fuzz::transcript("opencode", data));
