//! Every migration is part of the list that is run.

use super::{Violation, violation};

/// The file with the list.
pub(super) const LIST: &str = "crates/store/src/open.rs";

pub(super) fn check(list: &str, files: &[String], out: &mut Vec<Violation>) {
    let migrations = files.iter().filter_map(|f| Some((f, f.strip_prefix("crates/store/src/migrations/")?)));
    for (file, name) in migrations {
        if !list.contains(&format!("include_str!(\"migrations/{name}\")")) {
            out.push(violation(file, 1, format!("this migration is not listed in {LIST}")));
        }
    }
}
