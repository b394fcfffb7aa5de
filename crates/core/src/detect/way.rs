//! The way out of a failure, as a key: two spellings of one way are the same, another command is another way.
//!
//! What was wrong may be told roughly: paths and values of a failed attempt do not come back. What was right is kept
//! word for word: a lesson that showed one command and counted another would be a lie.

use super::steps::Step;
use crate::normal::spelling::{flags_in_order, spelling};

/// What changed between a failed command and the one that worked.
pub(super) fn change(failed: &Step<'_>, fixed: &Step<'_>) -> String {
    let (before, after) = (flags_in_order(&failed.words), flags_in_order(&fixed.words));
    let gone: Vec<&str> = before.iter().filter(|w| !after.contains(w)).map(|w| kind_of_word(w)).collect();
    let come: Vec<&str> = after.iter().copied().filter(|w| !before.contains(w)).collect();
    let stayed = before.iter().filter(|w| after.contains(w));
    if !stayed.eq(after.iter().filter(|w| before.contains(w))) {
        // The same words in another order, or more often: only all of them show the difference.
        return format!("{} > {}", gone.join(" "), one_line(&after));
    }
    format!("{} > {}", gone.join(" "), one_line(&come))
}

/// A command as a step towards success, spelt one way.
pub(super) fn step(step: &Step<'_>) -> String {
    spelling(step.line, &step.script)
}

// A word with spaces in it is one word.
fn one_line(words: &[&str]) -> String {
    let quoted = |w: &&str| if w.contains([' ', '\n', '\t']) { format!("'{w}'") } else { (*w).to_owned() };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// The word; or its kind, where the word itself holds for this session only.
pub(super) fn kind_of_word(word: &str) -> &str {
    if word.starts_with('-') {
        return word.split('=').next().unwrap_or(word);
    }
    let plain = word.len() <= 30
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_:.".contains(&b))
        && !word.bytes().all(|b| b.is_ascii_digit());
    if plain { word } else { "<value>" }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::detect::detect;
    use crate::detect::tests::session;

    fn keys(script: &str, detector: &str) -> Vec<String> {
        detect(&session(script)).into_iter().filter(|o| o.head.detector == detector).map(|o| o.claim.key).collect()
    }

    fn recovery(fixed: &str) -> String {
        let script =
            format!("! tool report --format json a.csv => error: unexpected argument '--format' found\n$ {fixed}");
        let keys = keys(&script, "error-recovery");
        assert_eq!(keys.len(), 1, "{fixed}");
        keys[0].clone()
    }

    #[test]
    fn two_spellings_of_a_fix_are_one() {
        let one = recovery("tool report --output json a.csv");
        for fixed in [
            "tool  report --output   json a.csv",
            "tool report --output 'json' \"a.csv\"",
            "cd /srv/app && tool report --output json a.csv",
            "timeout 60 tool report --output json a.csv 2>&1 | tail -5",
        ] {
            assert_eq!(recovery(fixed), one, "{fixed}");
        }
        // Another file is another day, not another fix.
        let b = keys(
            "! tool report --format json b.csv => error: unexpected argument '--format' found\n$ tool report --output json b.csv",
            "error-recovery",
        );
        assert_eq!(b, [one]);
    }

    #[test]
    fn another_fix_is_another_key() {
        let fixes = [
            "tool report --output json a.csv",
            "tool report --as json a.csv",
            "tool report --output=json a.csv",
            "tool report --output yaml a.csv",
            "tool report json a.csv",
            "tool report -f json a.csv",
            "tool report -F json a.csv",
            "tool report --output json a.csv --strict",
            "OUTPUT=json tool report a.csv",
            "OUTPUT=yaml tool report a.csv",
            "tool report --output json --depth 2 a.csv",
            "tool report --output json --depth 3 a.csv",
            "tool report --output /srv/a.json a.csv",
            "tool report --output /srv/b.json a.csv",
        ];
        let all: BTreeSet<String> = fixes.iter().map(|f| recovery(f)).collect();
        assert_eq!(all.len(), fixes.len(), "{all:#?}");
    }

    #[test]
    fn another_step_before_the_same_command_is_another_key() {
        let by = |step: &str| {
            let script = format!("! npm test => Error: Cannot find module 'left-pad'\n$ {step}\n$ npm test");
            let keys = keys(&script, "error-recovery");
            assert_eq!(keys.len(), 1, "{step}");
            keys[0].clone()
        };
        let steps = [
            "npm install",
            "npm install --legacy-peer-deps",
            "npm install left-pad",
            "npm install left-pad@1.3.0",
            "npm install left-pad@1.4.0",
            "npm install --prefix web",
            "npm install --prefix api",
            "npm ci",
            "CI=1 npm install",
            "sudo npm install",
            "npm install && npm run build",
        ];
        let all: BTreeSet<String> = steps.iter().map(|s| by(s)).collect();
        assert_eq!(all.len(), steps.len(), "{all:#?}");
        for same in ["cd /srv/app && npm install", "npm  install", "npm 'install'", "npm install 2>&1 | tail -3"] {
            assert_eq!(by(same), by("npm install"), "{same}");
        }
    }

    #[test]
    fn a_correction_is_told_apart_by_what_was_right() {
        let by = |right: &str, said: &str| {
            let script = format!("u build it\n! npm run build => Missing environment\nu no, {said}\n$ {right}");
            let keys = keys(&script, "user-correction");
            assert_eq!(keys.len(), 1, "{right}");
            keys[0].clone()
        };
        let prod = by("npm run build:prod", "try npm run build:prod instead");
        assert_eq!(by("cd /srv/app && npm run 'build:prod'", "please run npm run build:prod"), prod);
        let others = [
            by("npm run build:dev", "try npm run build:dev instead"),
            by("npm run build -- --mode staging", "run npm run build with --mode staging"),
            by("npm run build -- --mode canary", "run npm run build with --mode canary"),
        ];
        let all: BTreeSet<&String> = others.iter().chain([&prod]).collect();
        assert_eq!(all.len(), 4, "{all:#?}");
    }
}
