//! uptake's pure part: bytes and values in, values out. No files, clock, network, SQL or terminal.
//!
//! The modules stand in the order data flows; each uses only those above it.

mod worded;

pub mod session;

pub mod project;

pub mod normal;

pub mod redact;

pub mod failure;

pub mod moment;

pub mod sources;

pub mod detect;

pub mod import;

pub mod submit;

pub mod roots;

pub mod learn;

pub mod render;

pub mod recall;

pub mod measure;

pub mod reader;
