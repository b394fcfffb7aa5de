//! The baseline of `plants`: the same values in the same notations, against the rules table of gitleaks.
//!
//! Comes in: their `gitleaks.toml`. Each rule replaces its secret group wherever its expression holds and the
//! entropy of the match is high enough. Deliberately absent: their allow-lists and their decoders.

use anyhow::{Context as _, Result, ensure};
use regex::bytes::{Regex, RegexBuilder};
use uptake_testkit::plants::formats::FORMATS;
use uptake_testkit::plants::kinds::KINDS;
use uptake_testkit::plants::scan::Scanner;

use crate::battery::{Figure, Options, Rng, say};

/// What was published for their rules, on other plants.
const PUBLISHED: &str = "26.7 % (reference)";

struct Rule {
    regex: Regex,
    group: Option<usize>,
    entropy: f64,
    keywords: Vec<String>,
}

/// The row of the table.
pub fn baseline(options: &Options, cases: &[(usize, usize)]) -> Result<Figure> {
    let what = "the same cases, alone, through the rules of gitleaks: cases that leak";
    let Some(path) = &options.gitleaks else {
        return Ok(Figure::new(what, "")
            .baseline(PUBLISHED)
            .why("published figure, not measured here: needs --gitleaks FILE"));
    };
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let (rules, passed_over) = rules(&text);
    ensure!(!rules.is_empty(), "no rules in `{}`", path.display());
    say(&format!("plants: {} rules of gitleaks, {passed_over} passed over", rules.len()));
    let mut rng = Rng::new(options.seed, "gitleaks");
    let mut leaked = 0;
    for (k, f) in cases {
        let secret = KINDS[*k].draw(&mut rng);
        let mut scanner = Scanner::default();
        scanner.add(&secret, 0);
        let clean = redact(&rules, (FORMATS[*f].write)(&secret.text).into_bytes());
        let mut left = false;
        scanner.search(&clean, &mut |_, _| left = true);
        leaked += usize::from(left);
    }
    let share = 100.0 * leaked as f64 / cases.len() as f64;
    Ok(Figure::new(what, format!("{leaked} of {}", cases.len()))
        .baseline(format!("{share:.1} % (measured)"))
        .why(format!("{} rules; published on other plants: {PUBLISHED}", rules.len())))
}

/// The rules of the table that can be run, and how many cannot.
fn rules(toml: &str) -> (Vec<Rule>, usize) {
    let mut out = Vec::new();
    let mut passed_over = 0;
    for block in toml.split("[[rules]]").skip(1) {
        // Allow-lists of a rule are tables of their own.
        let own = block.split("\n[").next().unwrap_or(block).split("[[rules.").next().unwrap_or(block);
        let Some(expression) = value(own, "regex") else { continue };
        let built = RegexBuilder::new(&expression).unicode(false).size_limit(200 << 20).build();
        match built {
            Ok(regex) => out.push(Rule {
                regex,
                group: value(own, "secretGroup").and_then(|g| g.parse().ok()),
                entropy: value(own, "entropy").and_then(|e| e.parse().ok()).unwrap_or(0.0),
                keywords: keywords(own),
            }),
            Err(_) => passed_over += 1,
        }
    }
    (out, passed_over)
}

/// `key = value` on a line of its own, quotes off.
fn value(block: &str, key: &str) -> Option<String> {
    let line = block.lines().find_map(|l| l.trim().strip_prefix(key)?.trim_start().strip_prefix('='))?.trim();
    let quoted = |quote: &str| line.strip_prefix(quote)?.rsplit_once(quote).map(|(inside, _)| inside.to_owned());
    let plain = || line.split('#').next().unwrap_or(line).trim().to_owned();
    Some(
        quoted("'''")
            .or_else(|| quoted("\"\"\""))
            .or_else(|| quoted("\""))
            .or_else(|| quoted("'"))
            .unwrap_or_else(plain),
    )
}

fn keywords(block: &str) -> Vec<String> {
    let Some((_, list)) = block.split_once("keywords") else { return Vec::new() };
    let Some((list, _)) = list.split_once(']') else { return Vec::new() };
    list.split('"').skip(1).step_by(2).map(str::to_lowercase).collect()
}

fn redact(rules: &[Rule], mut text: Vec<u8>) -> Vec<u8> {
    for rule in rules {
        let lower = text.to_ascii_lowercase();
        let named = |k: &String| memchr::memmem::find(&lower, k.as_bytes()).is_some();
        if !rule.keywords.is_empty() && !rule.keywords.iter().any(named) {
            continue;
        }
        let mut spans: Vec<std::ops::Range<usize>> = rule
            .regex
            .captures_iter(&text)
            .filter_map(|c| {
                // Their rule: the group that is named, else the first that took part, else all.
                let group = rule.group.filter(|g| *g > 0).and_then(|g| c.get(g));
                let secret =
                    group.or_else(|| c.iter().skip(1).flatten().find(|g| !g.is_empty())).or_else(|| c.get(0))?;
                (entropy(secret.as_bytes()) >= rule.entropy).then(|| secret.range())
            })
            .collect();
        spans.reverse();
        for span in spans {
            text.splice(span, *b"REDACTED");
        }
    }
    text
}

/// Shannon's, in bits a byte.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    bytes.iter().for_each(|b| counts[usize::from(*b)] += 1);
    let total = bytes.len().max(1) as f64;
    counts.iter().filter(|c| **c > 0).map(|c| f64::from(*c) / total).map(|p| -p * p.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "title = \"x\"\n[[rules]]\nid = \"a\"\nregex = '''(?i)\\b(abc_[0-9a-z]{8})(?:[;\\s]|$)'''\nentropy = 2\nkeywords = [\"abc_\"]\n[[rules.allowlists]]\nregexes = ['''x''']\n\n[[rules]]\nid = \"b\"\nregex = '''key=(\\w+) to (\\w+)'''\nsecretGroup = 2\nkeywords = [\n    \"key\",\n]\n";

    #[test]
    fn rules_are_read_and_replace_their_group() {
        let (rules, passed_over) = rules(TABLE);
        assert_eq!((rules.len(), passed_over), (2, 0));
        let clean = |text: &str| String::from_utf8(redact(&rules, text.into())).unwrap();
        assert_eq!(clean("x abc_1a2b3c4d y"), "x REDACTED y");
        assert_eq!(clean("x abc_1a2b3c4d, y"), "x abc_1a2b3c4d, y", "their closing boundary");
        assert_eq!(clean("x abc_aaaaaaaa y"), "x abc_aaaaaaaa y", "too little entropy");
        assert_eq!(clean("key=one to two"), "key=one to REDACTED");
    }
}
