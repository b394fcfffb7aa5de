//! Names that are safe as file names, skill names and URLs: `^[a-z0-9]+(-[a-z0-9]+)*$`, at most 64 characters.

/// Longest name, as the Agent Skills specification has it.
pub(super) const LIMIT: usize = 64;

/// Makes a safe name of any text; `lesson` if nothing of it can be used.
pub(crate) fn slug(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(LIMIT) + 1);
    let mut add = |c: char| {
        if c.is_ascii_alphanumeric() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
        out.len() > LIMIT
    };
    for c in text.chars() {
        // Nearly all are ASCII, and to ask for all letters that a letter becomes takes long.
        let full = if c.is_ascii() { add(c.to_ascii_lowercase()) } else { c.to_lowercase().any(&mut add) };
        if full {
            break;
        }
    }
    out.truncate(LIMIT);
    let out = out.trim_end_matches('-');
    if out.is_empty() { "lesson".to_owned() } else { out.to_owned() }
}

/// Whether a text is such a name already.
pub fn is_slug(text: &str) -> bool {
    !text.is_empty() && slug(text) == text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names() {
        for (text, name) in [
            ("go test", "go-test"),
            ("../../etc/passwd", "etc-passwd"),
            ("Ünïcode", "n-code"),
            ("", "lesson"),
            ("---", "lesson"),
            ("a--b_", "a-b"),
        ] {
            assert_eq!(slug(text), name);
        }
        assert_eq!(slug(&"ab-".repeat(100)).len(), 64);
    }

    proptest! {
        #[test]
        fn every_text_gives_a_safe_name(text in "\\PC*") {
            let name = slug(&text);
            prop_assert!(is_slug(&name) && name.len() <= LIMIT);
            prop_assert!(!name.starts_with('-') && !name.ends_with('-') && !name.contains("--"));
        }
    }
}
