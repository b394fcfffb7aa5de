//! What a secret looks like by itself, whatever stands around it.
//!
//! | file | comes in | goes out |
//! |---|---|---|
//! | `rules` | a place where a token may begin | its length there: the table of kinds, each an anchor and a pattern |
//! | `token` | the place of a rule's anchor | the whole token, over line breaks too |
//! | `anchorless` | a long run of token characters | tokens that no literal gives away |
//! | `private_key` | `-----BEGIN` or `-----END` | the key, whole or cut off |
//! | `looks` | one value | does it look generated, chosen by a person, or meant literally? |
//! | `placeholder` | one value | does it only stand where a secret would? |
//! | `code` | one value | is it an expression, a type, a name, a path? |
//! | `chance` | one word | a word that somebody gave, or characters drawn by chance? |
//!
//! The first four find secrets. The last four judge a value that a name has introduced, each using only those below it
//! (`looks` → `placeholder`, `code` → `chance`).
//!
//! Uses `layers` to follow a token over line breaks. Knows nothing of names: that is `named`, which uses this room.

pub(super) mod anchorless;
mod chance;
pub(super) mod code;
pub(super) mod looks;
pub(super) mod placeholder;
pub(super) mod private_key;
pub(super) mod rules;
pub(super) mod token;
