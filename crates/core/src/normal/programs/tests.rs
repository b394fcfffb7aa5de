use super::*;
use Role::*;

#[test]
fn the_table_is_sorted_and_names_each_program_once() {
    let out_of_order: Vec<_> = PROGRAMS.windows(2).filter(|w| w[0].name >= w[1].name).map(|w| w[1].name).collect();
    assert_eq!(out_of_order, [""; 0]);
    for program in PROGRAMS {
        let sorted = program.subcommands.is_sorted_by(|a, b| a.words < b.words);
        assert!(sorted, "subcommands of {}", program.name);
    }
}

#[test]
fn every_row_is_found_by_its_name_and_nothing_else_is() {
    for program in PROGRAMS {
        assert_eq!(find(program.name).map(|p| p.name), Some(program.name));
        assert!(find(&format!("{}!", program.name)).is_none(), "{}", program.name);
    }
    for name in ["", " ", "gi", "GIT", "/bin/git", "ü", "a-tool-of-the-project"] {
        assert!(find(name).is_none(), "{name}");
    }
}

#[test]
fn a_watcher_and_a_time_limit_are_wrappers() {
    let loose: Vec<_> = all(Watcher).chain(all(TimeLimit)).filter(|name| wraps(name).is_none()).collect();
    assert_eq!(loose, [""; 0]);
}

#[test]
fn a_container_shell_is_a_shell() {
    assert!(all(ContainerShell).all(|name| is(name, Shell)));
}

#[test]
fn what_a_program_is() {
    for (role, yes, no) in [
        (Asker, "grep", "cat"),
        (BesideProbes, "cd", "ls"),
        (Checker, "pytest", "make"),
        (ContainerRunner, "docker", "sh"),
        (ContainerShell, "sh", "ksh"),
        (Downloader, "aria2c", "scp"),
        (Editor, "patch", "sed"),
        (EditorWhenFed, "python3", "perl"),
        (Evaluator, "source", "sh"),
        (Everyday, "mkdir", "make"),
        (Fetcher, "curl", "fetch"),
        (Filter, "tee", "ls"),
        (Formatter, "black", "gofmt"),
        (FormatterWithW, "gofmt", "black"),
        (Housekeeper, "mv", "mkdir"),
        (InPlaceEditor, "sed", "awk"),
        (Interpreter, "xargs", "cat"),
        (Lasting, "crontab", "nohup"),
        (LeavesRunning, "nohup", "nice"),
        (ManyGoals, "git", "nx"),
        (OrderMatters, "find", "ls"),
        (PackageRunner, "npx", "npm"),
        (Printer, "echo", "cat"),
        (Probe, "stat", "grep"),
        (ProgramFinder, "which", "ls"),
        (Reader, "cat", "sed"),
        (ReaderUnlessInPlace, "sed", "perl"),
        (Remover, "rm", "mv"),
        (RightsRaiser, "sudo", "env"),
        (ScriptRunner, "node", "zsh"),
        (SetsUp, "brew", "pip"),
        (Shell, "ksh", "fish"),
        (StageSetter, "cd", "ls"),
        (TaskRunner, "nx", "git"),
        (TimeLimit, "timeout", "time"),
        (Versioning, "gh", "docker"),
        (Watcher, "time", "sudo"),
    ] {
        assert_eq!((is(yes, role), is(no, role)), (true, false), "{role:?}");
        assert!(all(role).any(|name| name == yes), "{role:?}");
    }
}

#[test]
fn what_a_subcommand_is() {
    for (name, subcommand, role, expect) in [
        ("git", "diff", Reader, true),
        ("git", "push", Reader, false),
        ("git", "push", Everyday, true),
        ("git", "apply", Editor, true),
        ("npm", "exec", PackageRunner, true),
        ("npm", "install", PackageRunner, false),
        ("gh", "pr", Everyday, true),
        ("gh", "checks", Asker, false),
        ("cargo", "diff", Reader, false),
        ("cat", "", Reader, false),
    ] {
        assert_eq!(subcommand_is(name, subcommand, role), expect, "{name} {subcommand} {role:?}");
    }
}

#[test]
fn a_wrapper_names_its_options_with_a_value() {
    assert_eq!(wraps("doas"), Some(&["-u"][..]));
    assert_eq!(wraps("time"), Some(&[][..]));
    assert_eq!(wraps("make"), None);
}

#[test]
fn the_codes_that_say_no() {
    for (line, code, expect) in [
        ("grep x", 1, true),
        ("grep x", 2, false),
        ("grep x", -1, false),
        ("which x", 4, true),
        ("which x", 5, false),
        ("which x", -1, true),
        ("git diff", 1, true),
        ("git diff", 2, false),
        ("git push", 1, false),
        ("gh pr checks", 8, true),
        ("gh pr checks", 9, false),
        ("gh pr view", 1, false),
        ("gh checks pr", 1, false),
        ("kill 3 -0", 1, true),
        ("kill 3", 1, false),
        ("make", 1, false),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let codes = answers(words[0], words.get(1).unwrap_or(&""), |w| words.contains(&w));
        assert_eq!(codes.is_some_and(|c| c.hold(code)), expect, "{line} {code}");
    }
}

#[test]
fn what_destroys_and_what_sends() {
    for (line, expect) in [
        ("rm x", (false, false)),
        ("rm -r x", (false, false)),
        ("rm -f x", (true, false)),
        ("rm --force x", (true, false)),
        ("rm -rf x", (true, false)),
        ("rm --recursive x", (true, false)),
        ("git push", (false, false)),
        ("git push -f", (true, false)),
        ("git clean -xfd", (true, false)),
        ("git fetch --force", (false, false)),
        ("git branch -d x", (false, false)),
        ("git branch -D x", (true, false)),
        ("git worktree remove --force x", (true, false)),
        ("docker run --rm x", (false, false)),
        ("docker rm -f x", (true, false)),
        ("chmod +x a", (false, false)),
        ("chmod -vR a", (true, false)),
        ("find . -delete", (true, false)),
        ("dd", (true, false)),
        ("mkfs.ext4 x", (true, false)),
        ("curl x", (false, false)),
        ("curl -sd @x y", (false, true)),
        ("curl --data-binary @x y", (false, true)),
        ("curl --dump x", (false, false)),
        ("wget --post-file x", (false, true)),
        ("nc", (false, true)),
        ("rsync a b", (false, false)),
        ("rsync a host:b", (false, true)),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!((destroys(words[0], &words), sends(words[0], &words)), expect, "{line}");
    }
}

#[test]
fn a_sign_is_a_word_a_short_option_a_beginning_or_an_inside() {
    for (word, sign, expect) in [
        ("push", "push", true),
        ("pushd", "push", false),
        ("-rf", "-*f", true),
        ("-r", "-*f", false),
        ("--force", "-*f", false),
        ("f", "-*f", false),
        ("-", "-*f", false),
        ("--data-raw", "--data*", true),
        ("x--data", "--data*", false),
        ("host:x", "*:*", true),
        ("host", "*:*", false),
    ] {
        assert_eq!(fits(word, sign), expect, "{word} {sign}");
    }
}

#[test]
fn programs_with_the_same_job_take_each_others_place() {
    for (a, b, expect) in [
        ("npm", "pnpm", true),
        ("ruff", "flake8", true),
        ("ruff", "black", true),
        ("flake8", "black", false),
        ("npm", "pip", false),
        ("git", "git", false),
        ("npm", "unheard-of", false),
    ] {
        assert_eq!((alike(a, b), alike(b, a)), (expect, expect), "{a} {b}");
    }
    assert!(has_alternatives("npm") && !has_alternatives("git") && !has_alternatives("unheard-of"));
}

#[test]
fn programs_of_a_language() {
    assert_eq!(language("cargo"), Some(Language::Rust));
    assert_eq!(language("g++"), Some(Language::C));
    assert_eq!(language("git"), None);
}
