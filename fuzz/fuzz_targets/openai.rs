//! Any bytes as a transcript of the source `openai`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| uptake_fuzz::transcript("openai", data));
