//! End-to-end tests of the binary; each owns its world: own HOME, own store, cleared environment.

mod bad_input;
mod detect;
mod events;
mod hook;
mod learn;
mod review;
mod sessions;
mod world;
