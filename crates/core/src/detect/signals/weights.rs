//! How loud each sign is, and how much is enough. Made by `cargo xtask fit FOLDER`; not written by hand.

use super::features::Weights;

/// In the order of the signs.
pub(super) const PUSHBACK: Weights<7> = Weights {
    bias: -2.96,
    each: [
        2.83,  // the agent gives in
        2.17,  // an interrupt just before
        3.02,  // it refuses or halts
        2.53,  // it finds fault
        1.21,  // it sets one thing against another
        -1.51, // it opens an errand
        -0.98, // it tells a symptom
    ],
    enough: -0.2,
};

/// In the order of the signs.
pub(super) const LASTING: Weights<7> = Weights {
    bias: -4.14,
    each: [
        2.42,  // it asks to keep something
        3.41,  // the agent writes notes just after
        3.84,  // it lays down a rule for all of a kind
        1.91,  // it holds always or never
        1.26,  // the agent gives in
        -0.14, // it only asks
        -1.21, // an interrupt just before
    ],
    enough: 0.0,
};
