//! Names of files that every system takes.

use crate::normal::slug;

/// Names that Windows keeps for devices, whatever stands behind them.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul", "conin", "conout"];

/// A safe name for a file or folder: small letters, digits and hyphens, and no device of Windows.
pub fn file_name(name: &str) -> String {
    let name = slug(name);
    let numbered = ["com", "lpt"].iter().any(|d| name.strip_prefix(d).is_some_and(|n| n.len() == 1 && n != "-"));
    if DEVICES.contains(&name.as_str()) || numbered { format!("{name}-lesson") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal::is_slug;
    use proptest::prelude::*;

    #[test]
    fn devices_are_no_names() {
        for (text, name) in [
            ("CON", "con-lesson"),
            ("com1", "com1-lesson"),
            ("lpt9", "lpt9-lesson"),
            ("console", "console"),
            ("com10", "com10"),
        ] {
            assert_eq!(file_name(text), name);
        }
    }

    proptest! {
        #[test]
        fn every_text_gives_a_name_that_stays_where_it_is(text in "\\PC*") {
            let name = file_name(&text);
            prop_assert!(is_slug(&name) && !name.contains(['/', '\\', '.', ':']));
        }
    }
}
