//! Secrets that what stands around them gives away: a name, a header, a command, a statement.
//!
//! | file | comes in | goes out |
//! |---|---|---|
//! | `names` | a name | does it promise a secret, and which proof must the value give? |
//! | `value` | the place where a value begins | where it ends |
//! | `belief` | a name's promise, a value, a notation | is the value believed? |
//! | `notations` | the place of a telling word | the value that its name introduces, in any notation |
//! | `assignments` | such a name | `NAME=VALUE` and its like |
//! | `markup` | such a name | elements, attributes, blocks |
//! | `sentences` | such a name | "the password is VALUE" |
//! | `headers` | the name of a header | the credential, the cookies |
//! | `accounts` | a web address, a pair, a port | the password beside a user |
//! | `commands` | a flag, a pipe, a subcommand | the password in a command line |
//! | `sql` | `identified`, or the name of a column | passwords in statements |
//! | `tables` | a name in a row of titles | the cells below it |
//! | `complaints` | a name on a line that complains | the values quoted there |
//! | `kubernetes` | `kind: Secret` | all its values |
//!
//! `stops` finds the places, `at_stop` hands each to its file. At a name `notations` comes first; where it finds nothing,
//! `tables` and `sql` read the name as the title of a column, and `complaints` the line it stands on.
//!
//! Uses `shapes` to judge a value. Knows nothing of `layers`: a text in base64 is decoded before it comes here.

pub(super) mod accounts;
mod assignments;
mod belief;
pub(super) mod commands;
pub(super) mod complaints;
pub(super) mod headers;
pub(super) mod kubernetes;
mod markup;
pub(super) mod names;
pub(super) mod notations;
mod sentences;
pub(super) mod sql;
pub(super) mod tables;
pub(super) mod value;
