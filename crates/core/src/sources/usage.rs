//! What a step of the model cost: the client's own numbers.
//!
//! Comes in: a client's record of use. Goes out: tokens that were new, in and out; what came from the cache is not counted.

/// What a client calls its counts: those that add up, and those that are part of them but were in the cache.
pub(super) struct Counts {
    /// New tokens.
    pub adds: &'static [&'static str],
    /// Tokens among them that were not new.
    pub cached: &'static [&'static str],
}

impl Counts {
    /// The tokens of a record of use.
    pub(super) fn new_tokens(&self, usage: &str) -> u32 {
        let sum = |names: &[&str]| names.iter().filter_map(|n| number(usage, n)).fold(0, u32::saturating_add);
        sum(self.adds).saturating_sub(sum(self.cached))
    }
}

/// The number behind a name; the first one counts, which is the whole and not a part.
fn number(json: &str, name: &str) -> Option<u32> {
    let (_, rest) = json.split_once(&format!("\"{name}\""))?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let digits = &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())];
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_in_the_cache_is_not_new() {
        let counts = Counts { adds: &["input_tokens", "output_tokens"], cached: &["cached_input_tokens"] };
        for (usage, tokens) in [
            (r#"{"input_tokens":100,"cached_input_tokens":80,"output_tokens": 7}"#, 27),
            (r#"{"output_tokens":7}"#, 7),
            (r#"{"input_tokens":"many"}"#, 0),
            (r#"{"input_tokens":99999999999}"#, 0),
            (r#"{"cached_input_tokens":5}"#, 0),
            ("", 0),
        ] {
            assert_eq!(counts.new_tokens(usage), tokens, "{usage}");
        }
    }
}
