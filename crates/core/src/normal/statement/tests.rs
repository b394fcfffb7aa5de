//! What must be one statement, and what must never be.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::tables::{FILLER, NEGATIONS};
use super::*;

/// Each row is one statement, said in several ways.
#[rustfmt::skip]
const SAME: &[&[&str]] = &[
    &["Always run `make deps` before `make test`.", "please run make deps before make test",
      "You should always run make deps before make test!", "Make sure to run 'make deps' before 'make test'",
      "from now on, run make deps before make test", "remember to run `make deps` before running `make test`"
      , "In this repo you must run make deps before make test", "don't forget to run make deps before make test"],
    &["Never push to main", "don't push to main", "do not push to main!", "dont push to main", "please never push to main",
      "You must not push to main.", "we should never push to `main`", "you shouldn’t push to main", "Never ever push to main"],
    &["use pnpm instead of npm", "Use pnpm, not npm.", "use pnpm rather than npm", "don't use npm, use pnpm",
      "don't use npm, use pnpm instead", "Instead of npm use pnpm", "please always use `pnpm` instead of `npm`",
      "No, use pnpm, not npm", "use pnpm, don't use npm", "never use npm but use pnpm"],
    &["indent with 2 spaces", "Indent with two spaces.", "please always indent with 2 spaces"],
    &["run cargo test -- --nocapture", "Run `cargo test -- --nocapture`."],
    &["run `go test ./...`", "Run go test ./..."],
    &["docker build . before the tests", "`docker build .` before tests"],
    &["avoid using `any` in TypeScript", "don't use any in typescript", "stop using any in typescript"],
    &["Use the `src/api` folder for handlers", "use src/api folder for handlers"],
    &["When the schema changes, run scripts/gen.sh", "when schema changes run `scripts/gen.sh`"],
    &["we use vitest", "use vitest", "You should be using vitest", "let's use vitest", "I think we should use vitest"],
    &["can you run the linter first?", "run the linter first", "could you please run linter first"],
    &["you don't have to run the e2e tests", "you do not need to run e2e tests", "no need to run the e2e tests",
      "you will never need to run the e2e tests", "you won't have to run the e2e tests"],
    &["commit and then push", "commit then push"],
    &["the API can't be called twice", "the api cannot be called twice"],
    &["call foo() before bar()", "call `foo` before `bar`", "call `foo()` before `bar()`"],
    &["**Never** commit `.env`", "never commit .env", "don't commit “.env”"],
    &["I want you to run make lint", "run make lint", "you need to run make lint", "go ahead and run make lint",
      "ok, run make lint, ok?"],
];

/// Each row holds statements no two of which are the same.
#[rustfmt::skip]
const APART: &[&[&str]] = &[
    // polarity, and how strong it is
    &["use npm", "never use npm", "you can use npm", "you can't use npm", "you don't have to use npm",
      "don't always use npm", "use only npm", "use npm only if yarn fails", "prefer npm"],
    &["push to main", "do not push to main", "do not push to main without review", "push to main only after review",
      "push to main unless it is red", "push to main if it is red"],
    &["do not squash", "do not squash always", "squash always", "it may not be squashed", "it can be squashed"],
    &["wait for the build", "for the build"], &["right align it", "align it"], &["well tested code", "tested code"],
    &["you will never need to run e2e", "never run e2e", "you won't have to run e2e first", "run e2e"],
    &["❌ npm", "✅ npm"], &["a -> b", "a <- b"], &["x → y", "x ← y"], &["x != y", "x == y", "x y"], &["rm *", "rm"],
    // order
    &["run make deps before make test", "run make test before make deps", "run make deps after make test",
      "run make deps and make test", "run make deps or make test", "run make deps then make test"],
    &["use pnpm instead of npm", "use npm instead of pnpm", "use npm and pnpm"],
    &["copy a.txt to b.txt", "copy b.txt to a.txt", "copy a.txt from b.txt"],
    &["don't use npm, use pnpm", "don't use pnpm, use npm", "don't use npm, use yarn", "use pnpm"],
    // numbers, versions
    &["indent with 2 spaces", "indent with 4 spaces", "indent with tabs", "indent with spaces"],
    &["use node 18", "use node 20", "use node 18.2", "use node 18.2.1", "use node"],
    &["keep coverage above 80%", "keep coverage above 90%", "keep coverage above 80", "keep coverage below 80%"],
    &["port 8080", "port 8081", "port 80"],
    // flags
    &["run pytest -x", "run pytest -X", "run pytest --x", "run pytest x", "run pytest"],
    &["git branch -d old", "git branch -D old"],
    &["cargo test --release", "cargo test", "cargo build --release", "cargo test -- --release"],
    &["npm ci --legacy-peer-deps", "npm ci", "npm install --legacy-peer-deps"],
    &["use --output json", "use --output yaml", "use --output=json", "use --format json"],
    // paths and names
    &["edit src/main.rs", "edit src/lib.rs", "edit main.rs", "edit /src/main.rs", "edit src/main.rs.bak"],
    &["read .env", "read env", "read .env.local"], &["go test ./...", "go test ./", "go test ."],
    &["docker build .", "docker build", "docker build .."], &["use $HOME", "use HOME", "use ~"],
    &["lint src/*.rs", "lint src/", "lint src/*"], &["use c++", "use c", "use c#"],
    &["run make test", "run make tests", "run test"], &["run just test", "run test"], &["use just not make", "use make not just"],
    &["getUser before getTeam", "getTeam before getUser"],
    &["no tabs", "tabs", "no, tabs or spaces"],
    // who, when, whether
    &["I push, you commit", "you push, I commit", "push, commit"],
    &["we deploy and you test", "you deploy and we test"],
    &["it works", "it did not work", "it should work unless cached", "it only works locally"],
    &["amounts have two decimals", "amounts have three decimals"],
    &["close #12", "close #13"], &["FOO=1 make", "FOO=2 make", "BAR=1 make", "make"],
    &["a && b", "a || b", "a | b"], &["use `a; b`", "use `a b`"],
    &["never skip tests", "never skip lint", "skip tests"], &["stop the server", "start the server"],
    &["enable cache", "disable cache"], &["tests in Rust", "tests in Go", "tests not in Go"],
];

#[test]
fn the_same_statement_in_other_words_has_one_form() {
    for row in SAME {
        let first = canonical(row[0]);
        assert!(!first.is_empty());
        for said in *row {
            assert_eq!(canonical(said), first, "{said:?} and {:?}", row[0]);
        }
    }
    assert!(SAME.iter().map(|r| r.len() - 1).sum::<usize>() >= 40);
}

#[test]
fn what_says_something_else_never_has_the_same_form() {
    let mut pairs = 0;
    for row in APART {
        for (n, a) in row.iter().enumerate() {
            for b in &row[n + 1..] {
                assert_ne!(canonical(a), canonical(b), "{a:?} and {b:?}");
                pairs += 1;
            }
        }
    }
    // Nor do the rows of the other table.
    let mut forms: BTreeMap<String, usize> = BTreeMap::new();
    for (n, row) in SAME.iter().enumerate() {
        assert_eq!(*forms.entry(canonical(row[0])).or_insert(n), n);
    }
    assert!(pairs >= 120, "{pairs}");
}

#[test]
fn only_a_text_without_words_has_no_form() {
    for said in ["", "  ", "!!", "… —", "``"] {
        assert_eq!(canonical(said), "", "{said:?}");
    }
    for said in ["please", "always", "is it", "ok", "the", "you", "please always!", "`the`", "ä", "日本語"] {
        assert_ne!(canonical(said), "", "{said:?}");
    }
    assert_eq!(canonical("an open `backtick"), canonical("an open backtick"));
}

#[test]
fn a_phrase_stands_before_those_it_begins_with() {
    for table in [NEGATIONS, FILLER] {
        for (n, (phrase, _)) in table.iter().enumerate() {
            let hidden = table[..n].iter().any(|(earlier, _)| format!("{phrase} ").starts_with(&format!("{earlier} ")));
            assert!(!hidden, "{phrase}");
        }
    }
}

/// Words, numbers, flags, paths and commands of which each makes another statement.
#[rustfmt::skip]
const CONTENT: &[&str] = &[
    "npm", "pnpm", "yarn", "make", "docker", "redis", "postgres", "schema", "linter", "tests", "fixtures", "main", "release",
    "staging", "tabs", "spaces", "before", "after", "only", "unless", "without", "not", "can", "2", "3", "80", "8080", "1.2.3",
    "1.2.4", "v2", "-x", "-X", "--force", "--no-verify", "--output=json", "--output=yaml", "src/main.rs", "src/lib.rs",
    "./run.sh", "../run.sh", ".env", ".envrc", "FOO=1", "FOO=2", "$HOME", "#12", "@types/node", "*.rs", "*.ts", "foo_bar",
    "foo-bar", "foo.bar", "&&", "||",
];
#[rustfmt::skip]
const BEFORE: &[&str] = &[
    "", "please ", "Always ", "you should ", "You must always ", "make sure to ", "Remember to ", "from now on, ", "ok, ",
    "in this repo, ", "I want you to ", "Don't forget to ", "could you please ",
];
const AFTER: &[&str] = &["", ".", "!", "  ", " please", ", thanks!", " in this project", " from now on."];

proptest! {
    #[test]
    fn one_other_word_is_another_statement(
        words in prop::collection::vec(prop::sample::select(CONTENT), 2..8),
        other in prop::sample::select(CONTENT),
        at in 0..8_usize,
    ) {
        let at = at % words.len();
        prop_assume!(words[at] != other);
        let mut changed = words.clone();
        changed[at] = other;
        let (a, b) = (format!("run {}", words.join(" ")), format!("run {}", changed.join(" ")));
        prop_assert_ne!(canonical(&a), canonical(&b));
        // One word less is another one, too.
        changed.remove(at);
        prop_assert_ne!(canonical(&a), canonical(&format!("run {}", changed.join(" "))));
    }

    #[test]
    fn politeness_quotes_and_stops_change_nothing(
        words in prop::collection::vec(prop::sample::select(CONTENT), 2..8),
        before in prop::sample::select(BEFORE),
        after in prop::sample::select(AFTER),
        quoted in any::<bool>(),
    ) {
        let plain = words.join(" ");
        let said = if quoted { format!("`{plain}`") } else { plain.clone() };
        // Words that forbid are no politeness in backticks.
        prop_assume!(!quoted || !words.contains(&"not"));
        prop_assert_eq!(canonical(&format!("{before}run {said}{after}")), canonical(&format!("run {plain}")));
    }

    #[test]
    fn a_form_is_its_own_form_and_any_text_has_one(text in "\\PC{0,200}") {
        let form = canonical(&text);
        prop_assert!(!form.contains("  ") && form.trim() == form);
        prop_assert_eq!(form.is_empty(), tokens(&text).is_empty());
    }
}
