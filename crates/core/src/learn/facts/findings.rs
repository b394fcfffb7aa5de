//! What facts say of findings of checks: which rules keep failing, and which findings are older than a session.

use std::collections::{BTreeMap, BTreeSet};

use super::Cause;
use super::saying::{AFTER, BEFORE, Saying};
use crate::detect::Met;
use crate::failure::UNTOUCHED;
use crate::learn::DAY;
use crate::session::Origin;

/// A checker whose rules keep failing: which, and what it says to them.
pub(super) fn strict(cause: &Cause<'_>, tool: &str) -> Option<Saying> {
    let mut rules: BTreeMap<&str, (BTreeSet<&str>, &Met)> = BTreeMap::new();
    for (o, met) in cause.seen.iter().zip(&cause.met) {
        rules.entry(met.tried.as_str()).or_insert_with(|| (BTreeSet::new(), met)).0.insert(&o.head.root);
    }
    let mut often: Vec<(usize, &str, &Met)> =
        rules.iter().map(|(rule, (roots, met))| (roots.len(), *rule, *met)).collect();
    often.retain(|(sessions, ..)| *sessions >= 2);
    often.sort_by_key(|(sessions, rule, _)| (std::cmp::Reverse(*sessions), *rule));
    let mut said = Vec::new();
    for (_, rule, met) in often.iter().take(RULES) {
        let words = if met.error.contains(&format!("({rule})")) { gist(&met.error, rule) } else { String::new() };
        said.push(if words.is_empty() { (*rule).to_owned() } else { format!("{rule} ({words})") });
    }
    (!said.is_empty()).then(|| {
        let rules: Vec<&str> = often.iter().take(2).map(|(_, rule, _)| *rule).collect();
        let only_format = often.iter().all(|(_, rule, _)| *rule == "format");
        let text = if only_format {
            format!("`{tool}` keeps failing here at the format: format what you changed before you check it.")
        } else {
            format!("`{tool}` keeps failing here at {}: mind these while you write.", said.join(", "))
        };
        Saying { key: format!("{BEFORE} {}", rules.join(" ")), ..Saying::new("", text, Origin::Tool) }
    })
}

/// A finding in a file that no session changed which met it: it is older than they are.
pub(super) fn old_finding(cause: &Cause<'_>) -> Option<Saying> {
    let met = cause.newest();
    let times = || cause.seen.iter().filter_map(|o| o.head.at);
    // Two sessions on one day may be at the same unfinished work.
    let days = times().max()?.saturating_sub(times().min()?) / DAY;
    let file = met.subject.strip_prefix(UNTOUCHED).filter(|_| days >= 1)?;
    let finding = finding(&met.error);
    let text = format!(
        "{finding} in `{file}` is old: sessions met it that had not changed the file. Unless you did, leave it and go on."
    );
    Some(Saying::new(AFTER, text, Origin::Tool))
}

/// What a checker says behind the place: `a.go:3:5: possible misuse` → `possible misuse`.
fn finding(line: &str) -> String {
    let said = line.rsplit_once(": ").map_or("", |(_, said)| said.trim());
    let plain = (4..=FINDING).contains(&said.len()) && !said.contains(['`', '…']);
    if plain { format!("The finding `{said}`") } else { "What a check finds".to_owned() }
}

/// Longest finding that is quoted.
const FINDING: usize = 80;

/// Most rules of a checker that are named.
const RULES: usize = 4;
/// Most characters of what a checker says to a rule.
const GIST: usize = 48;

/// What a checker says to a rule, without where and about what: few words.
fn gist(line: &str, rule: &str) -> String {
    let line = line.replace(&format!("({rule})"), "");
    let said = line.rsplit_once(": ").map_or(line.as_str(), |(_, said)| said);
    let mut words = Vec::new();
    for word in said.split_whitespace() {
        let own = word.contains(['`', '"', '\'', '/', '(', ')', '_', '=', '{', '['])
            || word.trim_end_matches('.').contains('.')
            || word.chars().any(|c| c.is_ascii_digit());
        if own || word.trim_end_matches([',', '.', ';']) == rule {
            continue;
        }
        if words.iter().map(|w: &&str| w.len() + 1).sum::<usize>() + word.len() > GIST {
            break;
        }
        words.push(word);
    }
    words.join(" ").trim_end_matches([',', '.', ':', ';']).to_owned()
}
