//! Layers of writing that a secret may lie under, and the way back from what is read to what was written.
//!
//! | file | comes in | goes out |
//! |---|---|---|
//! | `view` | decoded bytes and where they came from | a `View`: any place in it gives the original bytes |
//! | `hidden` | a text | the same without characters that no reader sees; or with these spelled out |
//! | `terminal` | what follows ESC | how long a terminal sequence is |
//! | `quoted_printable` | a text | a view without `=3D` and broken lines of mail |
//! | `escapes` | a text | views of its escaped lines, one layer of escapes less |
//! | `wrap` | a place where a token or a block of base64 stands | a view of it with its lines joined |
//! | `base64_hex` | a text | its long runs; views of what each says in base64 or hexadecimal |
//! | `dump` | a text | views of hex dumps and lists of numbers |
//!
//! The table is in the order they run. `hidden` runs first and once, before any search, and is the only one that changes what
//! is kept. The others make views. `scan` searches each view as if it were a text of its own, layers inside it included, down
//! to a fixed depth; what it finds there is cut out of the original.
//!
//! Nothing here knows what a secret is.

pub(super) mod base64_hex;
pub(super) mod dump;
pub(super) mod escapes;
pub(super) mod hidden;
pub(super) mod quoted_printable;
pub(super) mod terminal;
pub(super) mod view;
pub(super) mod wrap;
