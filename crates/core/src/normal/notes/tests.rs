use super::*;

#[test]
fn notes_are_known_however_their_path_is_spelled() {
    use Place::{Instructions, Memory, Skill};
    for (path, expected) in [
        ("/home/me/p/CLAUDE.md", Some(Instructions)),
        ("D:\\p\\AGENTS.md", Some(Instructions)),
        ("/p/.worktrees/3/CLAUDE.local.md", Some(Instructions)),
        (".github/copilot-instructions.md", Some(Instructions)),
        ("/p/.claude/rules/api/errors.md", Some(Instructions)),
        ("/p/.cursor/rules/style.mdc", Some(Instructions)),
        ("C:\\Users\\me\\.claude\\projects\\D--p\\memory\\no-wrap.md", Some(Memory)),
        ("/home/me/.claude/projects/-p/memory/MEMORY.md", Some(Memory)),
        ("memory/notes.md", Some(Memory)),
        ("/p/.agents/release.md", Some(Instructions)),
        ("/p/.agents/plans/release.md", None),
        ("/p/.windsurf/rules/style.md", Some(Instructions)),
        ("/p/.clinerules", Some(Instructions)),
        ("/home/me/.claude/skills/review/skill.md", Some(Skill)),
        ("/p/.agents/skills/golang/SKILL.md", Some(Skill)),
        // A product, not a note.
        ("/p/plugins/graph/skills/graph/SKILL.md", None),
        ("/p/README.md", None),
        ("/p/src/memory/pool/design.md", None),
        ("/p/docs/memory/README.md", None),
        ("/p/src/agents.mdx", None),
        ("", None),
    ] {
        assert_eq!(place_of(path), expected, "{path}");
    }
    assert_eq!(shown("C:\\p\\CLAUDE.md"), "CLAUDE.md");
    assert_eq!(shown("/h/.claude/projects/-p/memory/no-wrap.md"), "memory/no-wrap.md");
}

fn told(text: &str, place: Place, whole: bool) -> Vec<String> {
    statements(text, place, whole).into_iter().map(|s| s.text).collect()
}

fn in_instructions(text: &str) -> Vec<String> {
    told(text, Place::Instructions, false)
}

#[test]
fn rules_are_told_from_descriptions() {
    for rule in [
        "- Never push to `main`.",
        "- **Always** run `make deps` before `make test`",
        "Every new entity MUST have a migration.",
        "- Use `env` for all system calls - never call them directly.",
        "- Tests: run `npm test` in `web/`.",
        "- When a schema changes, regenerate the docs.",
        "- Default to no comment at all.",
        "- Only run the slow tests when asked.",
        "This project processes large files, so code must stream them.",
    ] {
        assert_eq!(in_instructions(rule).len(), 1, "{rule}");
    }
    for other in [
        "- `src/cli/` - the commands, one file each",
        "- The cache never writes on close and is always cleared at start.",
        "- The hook is always added when a commit is made.",
        "- It must be run first.",
        "Therefore you must not do that.",
        "- See [AGENTS.md](AGENTS.md) for the rules",
        "- [ ] must add tests for the parser",
        "- **Why:** the owner said that commits must be small.",
        "- Shipped in abc1234: the parser must never panic",
        "- 2026-07-01: the parser must never panic again",
        "Run after every change. All must pass.",
        "- [No wrap](no-wrap.md) — never wrap prose by hand",
        "of the build must never be committed.",
        "- The reviewer asked \"you must never do what?\" and left it open.",
        "```\n- Never run this line by hand\n```",
        "| Never | push to main |\n|---|---|\n| Always | run the tests |",
        "## TODO\n- Never forget to write the parser",
    ] {
        assert!(in_instructions(other).is_empty(), "{other}: {:?}", in_instructions(other));
    }
}

#[test]
fn a_line_with_a_colon_and_its_list_are_one() {
    let text =
        "Commits must have a prefix:\n\n| Prefix | Group |\n|---|---|\n| `feat:` | Features |\n| `fix:` | Fixes |\n";
    assert_eq!(in_instructions(text), ["Commits must have a prefix: `feat:` (Features); `fix:` (Fixes)."]);
    let text = "Before a release you must:\n1. run `make lint`\n2. tag it.\n\nElse it fails.";
    assert_eq!(in_instructions(text), ["Before a release you must: run `make lint`; tag it."]);
}

#[test]
fn a_line_with_a_colon_and_few_commands_are_one() {
    let fence = |code: &str| format!("Before a commit, run the checks:\n\n```sh\n# all of them\n{code}\n```\n");
    assert_eq!(in_instructions(&fence("make lint")), ["Before a commit, run the checks: `make lint`."]);
    let two = "Before a commit, run the checks: `make lint`, then `make test`.";
    assert_eq!(in_instructions(&fence("make lint\nmake test")), [two]);
    for long in ["a\nb\nc", "make \\\n  lint", &"x".repeat(200)] {
        assert!(in_instructions(&fence(long)).is_empty(), "{long}");
    }
    let patch = of_edit("CLAUDE.md", Some(""), &fence("make lint"));
    assert_eq!(in_instructions(&Change::all(&patch)[0].added), ["Before a commit, run the checks: `make lint`."]);
}

#[test]
fn a_row_of_two_cells_that_obliges_is_a_rule() {
    let table = "| Trouble | What to do |\n|---|---|\n| The diff hangs | It parses all files. **Never** kill it. |\n| 404 | Fetch it again |";
    assert_eq!(in_instructions(table), ["The diff hangs: It parses all files. Never kill it."]);
    let added = "| The diff hangs | It parses all files. Never kill it. |";
    assert_eq!(in_instructions(added).len(), 1, "a row without its head");
    assert!(in_instructions("| `--all` | off | never skip a file |").is_empty(), "three cells");
}

#[test]
fn what_its_writer_marked_is_a_rule() {
    assert_eq!(in_instructions("**Important:** ids change after a rebase, for good.").len(), 1);
    assert!(in_instructions("**Layout:** ids change after a rebase, for good.").is_empty());
}

#[test]
fn what_takes_a_file_away_leaves_it_saying_nothing() {
    let gone = |patch: String| {
        let all = Change::all(&patch);
        all.iter().map(|c| (c.path.clone(), c.says(patch.len()).map(|s| s.len()))).collect::<Vec<_>>()
    };
    let expected = [("CLAUDE.md".to_owned(), Some(0))];
    for line in ["rm CLAUDE.md", "git rm -q CLAUDE.md && git commit -m x", "cd /p && rm -f notes.txt CLAUDE.md"] {
        assert_eq!(gone(of_shell(line)), expected, "{line}");
    }
    assert_eq!(gone(of_patch("*** Begin Patch\n*** Delete File: CLAUDE.md\n*** End Patch")), expected);
    for line in
        ["git rm --cached CLAUDE.md", "rm CLAUDE.md && ln -s AGENTS.md CLAUDE.md", "rm README.md", "ls CLAUDE.md"]
    {
        assert!(of_shell(line).is_empty(), "{line}");
    }
}

#[test]
fn of_a_long_paragraph_whole_sentences_are_taken() {
    let text = format!(
        "**Never commit to `main`.** It is published. {}",
        "This explains it at length, and at length again. ".repeat(12)
    );
    let told = in_instructions(&text);
    assert!(told[0].starts_with("Never commit to `main`. It is published.") && told[0].ends_with('.'), "{told:?}");
    assert!(told[0].chars().count() <= 300);
    let broken = "with a scope (as in `feat(core): …`). Never commit to `main`, use a branch.";
    assert_eq!(in_instructions(broken), ["Never commit to `main`, use a branch."]);
    let endless = format!("You must {}.", "always go on ".repeat(60));
    assert!(in_instructions(&endless).is_empty());
}

#[test]
fn a_file_written_whole_describes_and_few_of_its_lines_are_rules() {
    let mut text = String::from("# Project\n\nA tool for books.\n");
    for n in 0..20 {
        text.push_str(&format!("\n- Use `tool{n}` for step {n}.\n- Never skip step {n} of the release.\n"));
    }
    assert_eq!(told(&text, Place::Instructions, true).len(), 8);
    assert!(told(&text, Place::Skill, true).is_empty());
}

#[test]
fn a_memory_is_one_lesson() {
    let head = "---\nname: no-wrap\ndescription: Prose is never wrapped by hand\nmetadata:\n  type: feedback\n---\n\n";
    let opening =
        format!("{head}Never wrap prose by hand: one paragraph is one line.\n\n**Why:** it was asked for twice.\n");
    assert_eq!(told(&opening, Place::Memory, true), ["Never wrap prose by hand: one paragraph is one line."]);
    let found = "---\nname: prices\ndescription: Prices, their sources and the rounding trap\ntype: project\n---\n\nFound on 2026-07-01.\n";
    let applied =
        format!("{found}\n**How to apply:** when prices change, run `make prices` first.\n\n- Totals fail silently.\n");
    assert_eq!(told(&applied, Place::Memory, true), ["When prices change, run `make prices` first."]);
    let facts = format!("{found}\n- The cache fails silently on two writers.\n- The list is short.\n");
    assert_eq!(told(&facts, Place::Memory, true), ["The cache fails silently on two writers."]);
    let story = format!("{head}Asked for on 2026-07-01 in a review.\n");
    assert_eq!(told(&story, Place::Memory, true), ["Prose is never wrapped by hand"]);
    let found = "---\ndescription: how the cache is tested\ntype: project\n---\n- The cache is only written with `--save`; set `CACHE_DIR`.\n- Set `TZ` in the test's main.\n";
    assert_eq!(
        told(found, Place::Memory, true),
        ["The cache is only written with `--save`; set `CACHE_DIR`.", "Set `TZ` in the test's main."]
    );
    let fact = "- `zsh -i` hangs under `wsl -e`: there is no terminal.";
    assert_eq!(told(fact, Place::Memory, false).len(), 1);
    assert!(in_instructions(fact).is_empty());
}

#[test]
fn only_what_changed_is_kept_and_whole() {
    let old = "## Git\n\n- Never push to `main`.\n- Keep all commits\n  small.\n\nWords that stay.\n";
    let new = "## Git\n\n- Keep all commits\n  small and signed.\n- Never push to `main`.\n\nWords that stay.\n";
    let kept = of_edit("/p/CLAUDE.md", Some(old), new);
    assert_eq!(
        kept,
        "*** Update /p/CLAUDE.md\n ## Git\n \n+- Keep all commits\n+  small and signed.\n-- Keep all commits\n-  small.\n"
    );
    let change = Change::all(&kept).pop().expect("a change");
    assert_eq!(in_instructions(&change.added), ["Keep all commits small and signed."]);
    assert_eq!(in_instructions(&change.removed), ["Keep all commits small."]);
    assert!(of_edit("/p/CLAUDE.md", Some(new), new).is_empty());
    assert!(of_edit("/p/src/main.rs", None, new).is_empty());
}

#[test]
fn patches_and_command_lines_are_read() {
    let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-a\n+- Never do that\n*** Update File: docs/AGENTS.md\n@@ ## Git\n - Old line.\n+- Never push to `main`.\n*** Add File: GEMINI.md\n+# All\n+\n+- Always run `make`.\n*** End Patch";
    let changes = Change::all(&of_patch(patch));
    let shown: Vec<(&str, bool, &str)> = changes.iter().map(|c| (c.path.as_str(), c.whole, c.added.trim())).collect();
    assert_eq!(
        shown,
        [("docs/AGENTS.md", false, "- Never push to `main`."), ("GEMINI.md", true, "# All\n\n- Always run `make`.")]
    );
    for line in [
        "cd p && cat >> CLAUDE.md << 'EOF'\n- Never push to main.\nEOF\ngit add CLAUDE.md",
        "echo '- Never push to main.' >> CLAUDE.md",
        "printf -- '- Never push to main.\\n' >> CLAUDE.md",
        "tee -a CLAUDE.md <<EOF\n- Never push to main.\nEOF",
    ] {
        let changes = Change::all(&of_shell(line));
        assert_eq!(changes.iter().map(|c| c.added.trim()).collect::<Vec<_>>(), ["- Never push to main."], "{line}");
    }
    assert!(of_shell("grep -n never CLAUDE.md > /tmp/found.txt").is_empty());
}

#[test]
fn a_file_says_what_it_says_in_other_marks() {
    let keys = keys("# Rules\n\n1. **never** push to main\n   directly!\n\nOther words.\n");
    assert!(keys.contains(&key("Never push to `main` directly.")));
    assert!(!keys.contains(&key("Never push to dev")));
}

#[test]
fn what_lies_in_a_home_is_of_the_user() {
    for (path, expected) in [
        ("/Users/ada/.claude/CLAUDE.md", "~/.claude/CLAUDE.md"),
        ("~/.codex/AGENTS.md", "~/.codex/AGENTS.md"),
        ("$HOME/.gemini/GEMINI.md", "~/.gemini/GEMINI.md"),
        ("C:\\Users\\ada\\.claude\\rules\\git.md", "~/.claude/rules/git.md"),
        ("/home/ada/.config/opencode/AGENTS.md", "~/.config/opencode/AGENTS.md"),
        ("/home/ada/.codex/memories/git.md", "~/.codex/memories/git.md"),
        ("/root/.agents/skills/git/SKILL.md", "~/.agents/skills/git/SKILL.md"),
        // A project's own, and a project's memory.
        ("/home/ada/shop/.claude/CLAUDE.md", "CLAUDE.md"),
        ("/home/ada/CLAUDE.md", "CLAUDE.md"),
        ("/home/ada/.claude/projects/-shop/memory/git.md", "memory/git.md"),
    ] {
        assert_eq!(shown(path), expected, "{path}");
        assert_eq!(is_users(&shown(path)), expected.starts_with("~/"));
    }
}

#[test]
fn a_file_that_is_written_over_what_was_read_loses_what_is_left_out() {
    let read = "     1→# Shop\n     2→\n     3→- Never push to `main`.\n     4→- Always run `make`.\n";
    let whole = of_edit("CLAUDE.md", None, "# Shop\n\n- Always run `make`.\n- Always run `lint`.\n");
    assert_eq!(written_whole(&whole), Some("CLAUDE.md"));
    let [change] = &Change::all(&written_over(&whole, "CLAUDE.md", read, false))[..] else { panic!("one change") };
    assert!(change.whole && change.over);
    assert_eq!(
        (change.added.trim(), change.removed.trim()),
        ("# Shop\n\n- Always run `lint`.", "- Never push to `main`.")
    );
    // Of a file that was read in part all that is written counts as before.
    let [change] = &Change::all(&written_over(&whole, "CLAUDE.md", read, true))[..] else { panic!("one change") };
    assert!(change.whole && !change.over && change.added.contains("make"));
    assert_eq!(change.removed.trim(), "- Never push to `main`.");
    assert!(
        written_over(&of_edit("CLAUDE.md", None, "# Shop\n\nx y\n"), "CLAUDE.md", "# Shop\n\nx y\n", false).is_empty()
    );
}

#[test]
fn sums_tell_whether_a_file_still_says_something() {
    let file = "# Shop\n\nBuild with make. Never push to `main` without a review.\n\n- **Always** run `make deps` first\n\n```sh\nmake deps\n```\n";
    let sums = sums(file);
    for said in [
        "Never push to main without a review",
        "Always run `make deps` first",
        "Build with make. Never push to main without a review.",
    ] {
        assert!(is_said(said, &sums), "{said}");
    }
    for other in ["Never push to `main`.", "Build with make. Never push to dev.", "Run the tests first."] {
        assert!(!is_said(other, &sums), "{other}");
    }
}

/// Sums are made of a text before its secrets are out of it, statements of what is left.
#[test]
fn a_statement_without_its_secret_is_not_missed() {
    let sums = sums("Deploy with `ship --token s3cret`. Build with make.");
    assert!(is_said("Deploy with `ship --token [redacted:password]`. Build with make.", &sums));
    assert!(!is_said("Deploy with `ship --token [redacted:password]`. Build with ninja.", &sums));
}

#[test]
fn what_a_file_says_is_known_only_of_one_that_is_written_whole() {
    let one = |patch: &str| Change::all(patch).remove(0);
    let whole = of_edit("CLAUDE.md", None, "- Never push to `main`.\n");
    assert_eq!(one(&whole).says(whole.len()).map(|sums| is_said("Never push to main", &sums)), Some(true));
    assert_eq!(one(&of_edit("CLAUDE.md", Some(""), "- Never push to `main`.\n")).says(80), None);
    assert_eq!(one(&whole).says(8 * 1024), None, "it may have been cut");
    // Of a long one the sums are kept, and all else as before.
    let long = with_sums(&whole, "CLAUDE.md");
    let change = one(&long[..long.find("Never").expect("a rule")]);
    assert_eq!(change.says(8 * 1024).map(|sums| is_said("Never push to main", &sums)), Some(true));
    assert_eq!(one(&long).added, one(&whole).added);
}
