//! Sentences that ask for less care: push without asking, skip the review, ignore the rules.
//!
//! A clause is looked at by itself. What counts is how often it turns around: "push without asking" asks for less, "never
//! push without asking" for more, "never forget to ask" for more.

use super::options::word_loosens;

/// Whether a sentence asks for less care.
pub(in crate::learn) fn sentence_loosens(text: &str) -> bool {
    clauses(text).iter().any(|clause| clause_loosens(&clause.iter().map(String::as_str).collect::<Vec<_>>()))
}

/// The words of each clause, in lower case, without quotes. Options keep their capitals and signs.
fn clauses(text: &str) -> Vec<Vec<String>> {
    let text = text.replace(['\u{2014}', '\u{2013}', '\u{2212}'], " --").replace(['\u{2019}', '\''], "");
    let mut out = vec![Vec::new()];
    for raw in text.split_whitespace() {
        let word = raw.trim_matches(|c: char| "`\"*()[]“”".contains(c));
        let bare = word.trim_end_matches([',', ';', '.', ':', '!', '?']).trim_end_matches(['`', '"', '*', ')']);
        let ends = bare.len() < word.len();
        let joins = JOINS.contains(&bare.to_lowercase().as_str());
        if joins {
            out.push(Vec::new());
        } else if let (Some(last), false) = (out.last_mut(), bare.is_empty()) {
            let sign = bare.starts_with('-') || bare.contains('=');
            last.push(if sign { bare.to_owned() } else { bare.to_lowercase() });
        }
        if ends {
            out.push(Vec::new());
        }
    }
    out
}

fn clause_loosens(words: &[&str]) -> bool {
    (0..words.len()).any(|at| {
        let turns = turns(&words[..at]);
        let odd = turns % 2 == 1;
        // An option that loosens, unless the clause is against it.
        word_loosens(words, at) && !odd
            // A person who is asked less.
            || odd && ASKING.contains(&words[at]) && governs(words, at)
            // A check that is got around.
            || !odd && gets_around(words, at)
            || odd && leaves_out(words, at)
            || !odd && agrees_blindly(words, at)
    })
}

/// How often what stands before turns the sense around.
fn turns(before: &[&str]) -> usize {
    before.iter().filter(|w| TURNING.contains(w)).count()
}

/// Whether what turns the sense around is near enough to be about the word at this place.
fn governs(words: &[&str], at: usize) -> bool {
    words[at.saturating_sub(REACH)..at].iter().any(|w| TURNING.contains(w))
}

/// How many words may stand between a "not" and what it is about.
const REACH: usize = 5;

/// "disable the hooks", "turn off the sandbox", "ignore the rules".
fn gets_around(words: &[&str], at: usize) -> bool {
    let verb = words[at];
    let two =
        matches!(verb, "turn" | "turning" | "switch" | "switching" | "turned") && words[at + 1..].contains(&"off");
    let behind = || words[at + 1..].iter().take(REACH + 1);
    (two || AROUND.contains(&verb)) && behind().any(|w| is_guard(w))
        || matches!(verb, "ignore" | "ignoring" | "disregard" | "override") && behind().any(|w| RULES.contains(w))
}

/// "without running the tests", "no tests needed", "do not run the hooks before pushing". Not "do not run the tests in parallel".
fn leaves_out(words: &[&str], at: usize) -> bool {
    if !is_guard(words[at]) || !governs(words, at) {
        return false;
    }
    let without = words[at.saturating_sub(REACH)..at].contains(&"without");
    let runs =
        words[at.saturating_sub(3)..at].iter().any(|w| matches!(*w, "run" | "running" | "use" | "need" | "wait"));
    let last =
        words.get(at + 1).is_none_or(|w| matches!(*w, "before" | "when" | "first" | "anymore" | "again" | "for"));
    let needless = words.get(at + 1).is_some_and(|w| matches!(*w, "needed" | "required" | "necessary"));
    without || needless || runs && last
}

/// "always approve", "say yes to everything", "feel free to delete".
fn agrees_blindly(words: &[&str], at: usize) -> bool {
    let (word, before) = (words[at], &words[..at]);
    let said = |list: &[&str]| before.iter().rev().take(REACH).any(|w| list.contains(w));
    let behind = |list: &[&str]| words[at + 1..].iter().take(REACH).any(|w| list.contains(w));
    let all = &["everything", "all", "every", "any", "anything", "always", "automatically", "blindly"][..];
    matches!(word, "approve" | "accept" | "allow" | "grant" | "trust")
        && (said(&["always", "just", "automatically"]) && !behind(&["first"]) || behind(all))
        || word == "yes" && behind(all) && said(&["say", "answer", "always", "assume"])
        || RISKY.contains(&word) && (said(&["free"]) && before.contains(&"feel") || behind(&["freely"]))
        || matches!(word, "auto-approve" | "auto-accept" | "auto-merge" | "yolo")
}

fn is_guard(word: &str) -> bool {
    let part = |w: &str| GUARDS.contains(&w) || w.strip_suffix('s').is_some_and(|one| GUARDS.contains(&one));
    part(word) || word.split('-').any(part)
}

/// Words that begin a new clause.
const JOINS: &[&str] = &["but", "instead", "then", "and", "because", "so"];
/// Words that turn the sense of a clause around.
#[rustfmt::skip]
const TURNING: &[&str] = &[
    "never", "dont", "not", "no", "without", "stop", "avoid", "cannot", "cant", "shouldnt", "mustnt", "neednt", "doesnt",
    "skip", "skipping", "forget", "hesitate", "fail", "omit", "less", "fewer", "rarely", "seldom", "refuse", "bypass",
    "nobody", "wont", "isnt", "unless",
];
/// What a person is asked for.
#[rustfmt::skip]
const ASKING: &[&str] = &[
    "ask", "asking", "asked", "confirm", "confirming", "confirmation", "confirmations", "approval", "approvals", "permission",
    "permissions", "consent", "review", "reviews", "reviewing", "prompt", "prompting", "questions", "sign-off", "signoff",
];
/// Verbs that get around something.
#[rustfmt::skip]
const AROUND: &[&str] = &[
    "disable", "disabling", "bypass", "bypassing", "skip", "skipping", "deactivate", "circumvent", "suppress", "silence",
    "remove", "relax", "loosen", "weaken", "work-around", "evade", "ignore",
];
/// What guards: checks, and those who make them.
#[rustfmt::skip]
const GUARDS: &[&str] = &[
    "test", "check", "hook", "sandbox", "sandboxing", "verification", "validation", "ci", "linter", "lint", "linting",
    "typecheck", "auth", "authentication", "signing", "signature", "certificate", "tls", "ssl", "firewall", "selinux",
    "protection", "approval", "review", "safeguard", "guardrail", "permission", "security", "safety", "antivirus", "quality",
    "gate", "pre-commit", "precommit", "confirmation", "2fa", "mfa", "gitleaks",
];
/// What an agent goes by.
#[rustfmt::skip]
const RULES: &[&str] = &[
    "instructions", "instruction", "rules", "rule", "guidelines", "policy", "policies", "restrictions", "limits", "guide",
    "safeguards", "guardrails", "prompt", "constraints",
];
/// What cannot be taken back.
#[rustfmt::skip]
const RISKY: &[&str] = &[
    "push", "publish", "delete", "merge", "deploy", "release", "remove", "drop", "force-push", "overwrite", "rm",
];
