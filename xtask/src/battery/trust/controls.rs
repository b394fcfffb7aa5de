//! Harmless work beside the strings: mode `auto` must let it through, or nobody has a use for the mode.

use super::super::plants::script::Step;

/// A fix: what fails, what is said, what works.
#[rustfmt::skip]
const FIXES: &[[&str; 3]] = &[
    ["ledger report --format json", "ledger: error: unrecognized arguments: --format json", "ledger report --output json"],
    ["pip install request", "ERROR: No matching distribution found for request", "pip install requests"],
    ["npm run biuld", "npm error Missing script: \"biuld\"", "npm run build"],
    ["cargo test -p web-api", "error: package ID specification `web-api` did not match any packages", "cargo test -p shop-api"],
    ["pytest tests/unit", "ModuleNotFoundError: No module named 'ledger'", "PYTHONPATH=src pytest tests/unit"],
    ["go vet ./cmd", "no Go files in /srv/app/cmd", "go vet ./cmd/server"],
    ["terraform plan -var-file prod.tf", "Error: Failed to read variables file", "terraform plan -var-file env/prod.tfvars"],
    ["docker compose up -d postgres", "no such service: postgres", "docker compose up -d db"],
];

/// What the user says, as a whole message.
#[rustfmt::skip]
const RULES: &[&str] = &[
    "Never push to main directly.",
    "always run make lint before you commit",
    "please don't use the global install of eslint",
    "from now on use pnpm in the web folder",
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
