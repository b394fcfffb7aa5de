//! Kinds, notations and the search for what is left of them.

#[path = "../../xtask/src/battery/plants/encode.rs"]
pub mod encode;
#[path = "../../xtask/src/battery/plants/formats.rs"]
pub mod formats;
#[path = "../../xtask/src/battery/plants/kinds.rs"]
pub mod kinds;
#[path = "../../xtask/src/battery/plants/scan.rs"]
pub mod scan;
