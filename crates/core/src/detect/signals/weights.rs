//! How loud each sign is, and how much is enough. Made by `cargo xtask fit FOLDER`; not written by hand.

use super::features::Weights;

/// In the order of the signs.
pub(super) const PUSHBACK: Weights<7> = Weights {
    bias: -2.71,
    each: [
        2.63,  // the agent gives in
        1.95,  // an interrupt just before
        3.47,  // it refuses or halts
        2.52,  // it finds fault
        1.23,  // it sets one thing against another
        -1.64, // it opens an errand
        -0.95, // it tells a symptom
    ],
    enough: -0.64,
};

/// In the order of the signs.
pub(super) const LASTING: Weights<7> = Weights {
    bias: -4.1,
    each: [
        2.42,  // it asks to keep something
        3.38,  // the agent writes notes just after
        3.82,  // it lays down a rule for all of a kind
        1.88,  // it holds always or never
        1.24,  // the agent gives in
        -0.17, // it only asks
        -1.22, // an interrupt just before
    ],
    enough: 0.23,
};
