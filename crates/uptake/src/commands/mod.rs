//! One file per subcommand: its arguments, whose doc comments are the help, and `run`.

pub mod detect;
pub mod events;
pub mod learn;
pub mod review;
pub mod sessions;
