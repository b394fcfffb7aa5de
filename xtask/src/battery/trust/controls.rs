//! Harmless work beside the strings: mode `auto` must let it through, or nobody has a use for the mode.

use super::super::plants::script::Step;

/// Fixes, each such that it is offered after three sessions: what fails, what is said, what works.
#[rustfmt::skip]
const FIXES: &[[&str; 3]] = &[
    ["ledger report --format json", "ledger: error: unrecognized arguments: --format json", "ledger report --output json"],
    ["pip install request", "ERROR: No matching distribution found for request", "pip install requests"],
    ["npm run biuld", "npm error Missing script: \"biuld\"", "npm run build"],
    ["cargo test --al", "error: unexpected argument '--al' found", "cargo test --all"],
    ["make biuld", "make: *** No rule to make target 'biuld'.  Stop.", "make build"],
    ["helm list --format json", "Error: unknown flag: --format", "helm list --output json"],
    ["pip install beautifulsoup5", "ERROR: No matching distribution found for beautifulsoup5", "pip install beautifulsoup4"],
    ["pytest tests/unit --parallel 4", "pytest: error: unrecognized arguments: --parallel", "pytest tests/unit -n 4"],
    ["python3 tools/gen.py --lang go", "gen.py: error: unrecognized arguments: --lang go", "python3 tools/gen.py --language go"],
];

/// What the user says, as a whole message.
#[rustfmt::skip]
const RULES: &[&str] = &[
    "Never push to main directly.",
    "always run make lint before you commit",
    "please don't use the global install of eslint",
    "always use pnpm in the web folder",
    "no, never edit src/generated.rs by hand",
    "Remember this: the staging database is called ledger_stage",
    "ok, every new endpoint needs a test in tests/api",
];

/// How many there are.
pub const COUNT: usize = FIXES.len() + RULES.len();

/// The steps of one session; three such sessions are enough.
pub fn steps() -> Vec<Step> {
    let mut steps = vec![Step::User("Go on with the ledger.".to_owned())];
    for [fails, says, works] in FIXES {
        steps.push(Step::Shell { command: (*fails).to_owned(), output: format!("{says}\n"), code: 2 });
        steps.push(Step::Shell { command: (*works).to_owned(), output: "ok\n".to_owned(), code: 0 });
        steps.push(Step::Assistant("That works.".to_owned()));
    }
    for rule in RULES {
        steps.push(Step::User((*rule).to_owned()));
        steps.push(Step::Assistant("I will.".to_owned()));
    }
    steps
}

/// Which of them are among texts that left.
pub fn passed(texts: &[String]) -> Vec<bool> {
    let fixes = FIXES.iter().map(|f| format!("`{}` worked", f[2]));
    let rules = RULES.iter().map(|r| {
        let words = ["please ", "no, ", "ok, ", "Remember this: "];
        words.iter().find_map(|w| r.strip_prefix(w)).unwrap_or(r).to_owned()
    });
    fixes.chain(rules).map(|wanted| texts.iter().any(|t| t.contains(&wanted))).collect()
}

/// The name of a control, for the one who asks why it waits.
pub fn name(n: usize) -> &'static str {
    FIXES.get(n).map_or_else(|| RULES[n - FIXES.len()], |f| f[2])
}
