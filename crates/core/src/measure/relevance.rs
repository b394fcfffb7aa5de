//! How much a lesson has to do with what changed: from the words of the paths and what they stand for.

use std::collections::BTreeSet;

/// Added if a word of the lesson stands in a path itself, in thousandths.
const IN_PATH: u16 = 200;

/// What words in a path stand for. Whole words, also in the plural: `latest.rs` is no test.
const TAGS: &[(&[&str], &str)] = &[
    (&["component"], "component"),
    (&["hook", "use"], "hooks"),
    (&["route", "page"], "routes"),
    (&["auth", "login"], "auth"),
    (&["api"], "api"),
    (&["test", "spec"], "test"),
    (&["util", "helper"], "utils"),
    (&["config", "setting", "json", "yaml", "yml", "toml"], "config"),
    (&["model", "schema"], "models"),
    (&["service"], "services"),
    (&["store", "state"], "state"),
    (&["style", "css", "scss"], "styles"),
    (&["ts", "tsx", "js", "jsx"], "javascript"),
    (&["py"], "python"),
    (&["rs"], "rust"),
    (&["go"], "go"),
    (&["md"], "docs"),
];

/// Words that say nothing of what a lesson is about.
const STOP: &[&str] = &[
    "the", "and", "for", "with", "that", "this", "from", "are", "was", "were", "has", "have", "had", "not", "but",
    "its", "all", "any", "can", "could", "should", "would", "may", "might", "must", "will", "shall", "when", "where",
    "which", "who", "whom", "what", "why", "how", "than", "then", "there", "their", "they", "them", "these", "those",
    "into", "onto", "over", "under", "after", "about", "only", "also", "just", "very", "more", "most", "some", "such",
    "each", "every", "other", "another", "same", "both", "either", "neither", "instead", "because", "while", "until",
    "upon", "always", "never", "use", "uses", "using", "used", "check", "make", "makes", "made", "run", "runs", "does",
    "did", "done", "being", "been", "you", "your", "our", "out", "off", "per", "via", "yes", "one", "two", "new",
];

/// What changed, taken apart once.
pub struct Touched {
    words: BTreeSet<String>,
    tags: BTreeSet<String>,
}

impl Touched {
    /// Of paths.
    pub fn of<'p>(paths: impl IntoIterator<Item = &'p str>) -> Self {
        let words: BTreeSet<String> = paths.into_iter().flat_map(path_words).collect();
        let mut tags = words.clone();
        for (signs, tag) in TAGS {
            if signs.iter().any(|s| words.contains(*s) || words.contains(&format!("{s}s"))) {
                tags.insert((*tag).to_owned());
            }
        }
        Self { words, tags }
    }

    /// From 0 to 1000.
    pub fn relevance(&self, text: &str) -> u16 {
        let keywords = keywords(text);
        let common = keywords.intersection(&self.tags).count();
        let share = (common * 1_000).checked_div(keywords.len()).unwrap_or(0);
        let named = if keywords.iter().any(|k| self.words.contains(k)) { usize::from(IN_PATH) } else { 0 };
        u16::try_from((share + named).min(1_000)).unwrap_or(1_000)
    }

    /// The words that a lesson and what changed have in common.
    pub fn common(&self, text: &str) -> Vec<String> {
        keywords(text).intersection(&self.tags).cloned().collect()
    }
}

/// The words of a path: parted at anything that is no letter or digit, and at humps.
fn path_words(path: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word = String::new();
    let mut small = false;
    for c in path.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && small {
            out.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        small = c.is_lowercase();
    }
    out.push(word);
    out.retain(|w| !w.is_empty());
    out
}

fn keywords(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_lowercase);
    words.filter(|w| w.len() > 2 && !w.starts_with(|c: char| c.is_numeric()) && !STOP.contains(&w.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(paths: &[&str], text: &str, expected: u16) {
        assert_eq!(Touched::of(paths.iter().copied()).relevance(text), expected, "{paths:?} {text}");
    }

    #[test]
    fn relevance_is_the_share_of_words_that_the_paths_stand_for() {
        check(&["src/auth/token.ts"], "Always check token expiry before API calls", 400);
        check(&["src/auth/login.ts"], "Always check token expiry before API calls", 0);
        check(&["src/api/client.ts"], "Always check token expiry before API calls", 400);
        check(&["tests/useCart.spec.tsx"], "test hooks", 1_000);
        check(&["src/latest.rs"], "test everything", 0);
        check(&[], "anything", 0);
        check(&["a.rs"], "", 0);
    }
}
