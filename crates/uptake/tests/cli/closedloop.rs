//! What ClosedLoop gets wrong outside of the cycle, each with a test named after what is right: pruning, injection, goals, the gate,
//! options, logs. The others are in `cycle.rs`. And what its own tests say, from a log to rates, flags and the table.

use std::process::{Child, Stdio};

use serde_json::{Value, json};
use uptake_testkit::transcript::claude;

use crate::cycle::{PUSH, TOKEN, change, cycle, line, log, project, rated, record};
use crate::world::{World, files, text};

/// What the clock of a world says.
const NOON: i64 = 1_794_830_400_000;

fn hook(world: &World, payload: &Value) -> String {
    world.run_with(&["hook", "claude"], &payload.to_string()).ok().out
}

/// Theirs ended with exit code 1 after one session.
#[test]
fn pruning_goes_on_after_the_first_until_the_limit_is_met() {
    let world = World::new();
    for n in 0..60 {
        world.write(&format!("data/runs/r{n}/iteration-1/outcomes.log"), "x");
    }
    world.write(
        "home/.config/uptake/config.toml",
        "[retention]\nmax-runs = 50\nprotected-window-minutes = 0\nmax-sessions = 1\n",
    );
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_millis(NOON as u64 - 86_400_000);
    for path in files(&world.data().join("runs")) {
        for path in path.ancestors().take(3) {
            std::fs::File::open(path).and_then(|f| f.set_modified(old)).expect("set");
        }
    }
    let went = world.run(&["prune", "--json"]).ok().objects().remove(0);
    let left = std::fs::read_dir(world.data().join("runs")).expect("there").count();
    assert_eq!((went["runs"].as_array().map(Vec::len), left), (Some(10), 50));
}

/// Theirs emptied the list of runs when the folders of sessions were gone, which it removes itself.
#[test]
fn a_record_outlives_the_files_of_its_run() {
    let world = project(&[TOKEN]);
    change(&world);
    let done = cycle(&world, &["--outcomes", &log(&world, &[line("r1", 1, TOKEN, "applied|")])]);
    std::fs::remove_dir_all(world.data().join("runs")).expect("gone");
    world.run(&["prune"]).ok();
    let after = cycle(&world, &["--run", "r2"]);
    assert_eq!(record(&after, TOKEN), record(&done, TOKEN));
    assert_eq!(record(&after, TOKEN), rated(1, "1.00", None));
}

/// Theirs told `ls latest` what another repository says of Python: `test` is in `latest`, and `python` in a fixed list of words.
#[test]
fn before_a_call_nothing_is_told_of_another_project_another_agent_or_by_half_a_word() {
    let world = project(&["Put python tests below `tests/` and run them with `pytest -x`"]);
    world.write("other/.git/config", "[remote \"origin\"]\n\turl = git@git.example.com:dev/other.git\n");
    world.run(&["config", "set", "before-calls", "true"]).ok();
    let ask = |folder: &str, tool: &str, input: Value| {
        let payload = json!({ "session_id": format!("{folder}{tool}{input}"), "cwd": world.path(folder),
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input });
        hook(&world, &payload)
    };
    for (folder, command) in
        [("other", "ls latest"), ("shop", "ls latest"), ("other", "pytest -x"), ("other", "python a.py")]
    {
        assert_eq!(ask(folder, "Bash", json!({ "command": command })), "", "{folder}: {command}");
    }
    let edited = json!({ "file_path": world.path("shop/src/hooks.tsx"), "old_string": "a", "new_string": "b" });
    assert_eq!(ask("shop", "Edit", edited), "", "no list of somebody's own stack");
}

/// Theirs looks into a folder that is not there, at a field that is not there.
#[test]
fn tokens_are_read_where_claude_code_writes_them() {
    let world = project(&[]);
    let shop = world.path("shop").canonicalize().expect("there");
    let plain = claude("s1", &shop.to_string_lossy(), "u add a cart\na done\nu go on\n$ ls => cart.ts\na fine");
    let mut n = 0;
    let spent: String = plain
        .lines()
        .map(|l| {
            let mut line: Value = serde_json::from_str(l).expect("JSON");
            if line["type"] == "assistant" {
                n += 1;
                line["message"]["id"] = format!("msg_{n}").into();
                line["message"]["usage"] =
                    json!({ "input_tokens": 10, "cache_read_input_tokens": 9_000, "output_tokens": 5 });
                // Where theirs looks for it.
                line["usage"] = json!({ "input_tokens": 70_000, "output_tokens": 70_000 });
            }
            format!("{line}\n")
        })
        .collect();
    world.write("home/.claude/projects/shop/s1.jsonl", &spent);
    world.run_in("shop", &["goal", "set", "tokens", "--target", "100"]).ok();
    let none = world.run_in("shop", &["goal", "check"]);
    assert!(!format!("{}{}", none.out, none.err).contains("0.5"), "no score is made up: {}{}", none.out, none.err);
    world.run(&["learn", "--json"]).ok();
    let done = cycle(&world, &["--run", "r1"]);
    assert_eq!((done["goal"]["value"].as_f64(), done["goal"]["met"].as_bool()), (Some(45.0), Some(true)), "{done}");
    assert!(done["goal"]["score"].as_f64().is_some_and(|s| (s - 0.775).abs() < 0.001), "{done}");
}

/// Theirs answers .5 for a number whatever it is.
#[test]
fn every_kind_of_goal_gives_the_score_of_what_was_measured() {
    let world = project(&[TOKEN]);
    world.write("shop/low.txt", "TOTAL 20%\n");
    world.write("shop/high.txt", "TOTAL 90%\n");
    for (n, (goal, met, score)) in [
        (&["number", "--target", "80", "--", "cat", "low.txt"][..], false, 0.25),
        (&["number", "--target", "80", "--", "cat", "high.txt"], true, 1.0),
        (&["green", "--", "true"], true, 1.0),
        (&["green", "--", "false"], false, 0.0),
        (&["failures", "--target", "3"], true, 0.667),
    ]
    .into_iter()
    .enumerate()
    {
        world.tick();
        world.run_in("shop", &[&["goal", "set"], goal].concat()).ok();
        let done = cycle(&world, &["--run", &format!("r{n}"), "--iteration", "2"]);
        assert_eq!(done["goal"]["met"].as_bool(), Some(met), "{goal:?}: {done}");
        assert!(done["goal"]["score"].as_f64().is_some_and(|s| (s - score).abs() < 0.001), "{goal:?}: {done}");
    }
}

fn stop(world: &World, agent: &str) -> Child {
    let payload = json!({ "session_id": "s1", "cwd": world.path("shop"), "hook_event_name": "SubagentStop",
        "agent_id": agent, "agent_type": "builder", "agent_transcript_path": world.path("none") });
    let mut command = world.command();
    command.args(["hook", "claude"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("starts");
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), payload.to_string().as_bytes()).expect("asked");
    child
}

/// Theirs has two gates that ask twice each.
#[test]
fn an_agent_is_asked_twice_in_all_however_many_hooks_ask_at_once() {
    let world = project(&[TOKEN]);
    world.run(&["config", "set", "learning-agents", "builder"]).ok();
    let mut asked = 0;
    for _ in 0..4 {
        let all: Vec<Child> = (0..16).map(|_| stop(&world, "a1")).collect();
        for child in all {
            let out = child.wait_with_output().expect("ended");
            assert!(out.status.success());
            asked += usize::from(String::from_utf8_lossy(&out.stdout).contains("block"));
        }
    }
    assert_eq!(asked, 2);
}

/// Theirs asks whether an agent applied what stands in another file than the one it was told from.
#[test]
fn only_what_an_agent_was_told_counts_as_used() {
    let world = project(&[TOKEN]);
    world.run(&["config", "set", "holdout", "0"]).ok();
    let shop = world.path("shop").canonicalize().expect("there");
    let start = json!({ "session_id": "s1", "cwd": shop, "hook_event_name": "SubagentStart", "agent_id": "a1",
        "agent_type": "builder" });
    assert!(hook(&world, &start).contains("token expiry"));
    world.run_in("shop", &["add", PUSH]).ok();
    let rows = world.run(&["list", "--json"]).ok().objects();
    let id = |words: &str| {
        let row = rows.iter().find(|r| text(r, "text") == words).expect("there");
        text(row, "id").chars().take(5).collect::<String>()
    };
    let said = format!("u go on\na Applied [{}] and [{}].\n$ ls => cart.ts", id(TOKEN), id(PUSH));
    world.write("home/.claude/projects/shop/s1.jsonl", &claude("s1", &shop.to_string_lossy(), &said));
    world.run(&["learn", "--json"]).ok();
    let done = cycle(&world, &["--run", "r1"]);
    assert_eq!((record(&done, TOKEN).0, record(&done, PUSH).0), (1, 0), "{done}");
}

/// Theirs offers `--enable-semantic`, which is not there.
#[test]
fn every_option_of_the_cycle_does_something() {
    let world = project(&[TOKEN]);
    change(&world);
    let outcomes = log(&world, &[line("r9", 1, TOKEN, "applied|src/auth/token.ts:10")]);
    let learning = json!({ "task": "t", "pattern": "Never call the billing service without a token", "agent": "c" });
    let learning = world.write("learning.json", &learning.to_string()).to_string_lossy().into_owned();
    let table = world.path("table.toon").to_string_lossy().into_owned();
    crate::world::copy(&world.data(), &world.path("kept"));
    let fresh = |args: &[&str]| {
        std::fs::remove_dir_all(world.data()).expect("gone");
        crate::world::copy(&world.path("kept"), &world.data());
        world.keep_data_private();
        let mut run = world.run_in("shop", &[&["cycle"], args].concat()).ok().out;
        run.push_str(if world.path("table.toon").exists() { " and a table" } else { "" });
        let _ = std::fs::remove_file(&table);
        run
    };
    let cases = [
        ("--since", vec!["--since", "4b825dc642cb6eb9a060e54bf8d69288fbee4904"]),
        ("--run", vec!["--run", "nightly"]),
        ("--iteration", vec!["--iteration", "7"]),
        ("--build", vec!["--build", "failed"]),
        ("--learnings", vec!["--learnings", &learning]),
        ("--outcomes", vec!["--outcomes", &outcomes]),
        ("--export", vec!["--export", &table]),
        ("--json", vec!["--json"]),
    ];
    let help = world.run(&["cycle", "--help"]).ok().out;
    let words = help.split_whitespace().filter(|w| w.starts_with("--") && w.len() > 2);
    let mut offered: Vec<&str> = words.map(|w| w.trim_matches(|c: char| !c.is_alphanumeric() && c != '-')).collect();
    offered.sort_unstable();
    offered.dedup();
    let mut known: Vec<&str> = cases.iter().map(|(name, _)| *name).chain(["--help"]).collect();
    known.sort_unstable();
    assert_eq!(offered, known, "an option without a case");
    let plain = fresh(&[]);
    for (name, args) in cases {
        assert_ne!(fresh(&args), plain, "{name} changes nothing");
    }
}

/// Theirs adds to logs in the project for ever.
#[test]
fn logs_are_bounded_and_none_lies_in_the_project() {
    let world = project(&[TOKEN]);
    let before = files(&world.path("shop"));
    // A hook in trouble: a log that is full starts anew.
    world.write("data/hook.log", &"1 trouble of long ago\n".repeat(14_000));
    std::fs::write(world.data().join("lessons.db"), "no database").expect("written");
    for n in 0..3 {
        let payload = json!({ "session_id": format!("s{n}"), "cwd": world.path("shop"), "hook_event_name": "SessionStart",
            "source": "startup" });
        hook(&world, &payload);
    }
    let size = std::fs::metadata(world.data().join("hook.log")).expect("a log").len();
    assert!(size > 0 && size < 64 * 1024, "{size}");
    assert_eq!(files(&world.path("shop")), before);
    // What hooks were asked goes after its days, and a long day loses its first lines.
    let day = |n: i64| world.data().join(format!("spool/asked-{}.rec", NOON.div_euclid(86_400_000) - n));
    for n in [1, 2, 40] {
        let path = day(n);
        std::fs::write(&path, "\n00001a 12345678 [1,\"claude\",\"start\",\"s\"]".repeat(12_000)).expect("written");
        let at = std::time::UNIX_EPOCH + std::time::Duration::from_millis((NOON - n * 86_400_000) as u64);
        std::fs::File::options().write(true).open(path).and_then(|f| f.set_modified(at)).expect("set");
    }
    world.run(&["prune"]).ok();
    let lines = |n: i64| std::fs::read_to_string(day(n)).map_or(0, |t| t.lines().filter(|l| !l.is_empty()).count());
    assert_eq!([1, 2, 40].map(lines), [10_000, 10_000, 0]);
}

/// A line of an iteration, a minute each.
fn at(run: &str, iteration: usize, pattern: &str, rest: &str) -> String {
    format!("2026-11-15T10:{iteration:02}:00Z|{run}|{iteration}|implementation-subagent|{pattern}|{rest}\n")
}

/// The cases of its tests of success rates, each a lesson of its own, through the whole cycle.
#[test]
fn a_log_gives_the_rates_and_flags_that_its_own_tests_want() {
    const OK: &str = "applied|src/a.rs:1";
    const UNVERIFIED: &str = "applied|src/a.rs:1|unverified";
    const SHOWN: &str = "injected|";
    // The last iteration is the cycle itself: what ends with the 21st of the log was used one iteration ago.
    let ends = |lines: &[&'static str]| -> Vec<(usize, &'static str)> {
        let first = 22 - lines.len();
        lines.iter().enumerate().map(|(n, rest)| (first + n, *rest)).collect()
    };
    let nine_of_21 = [vec![OK; 9], vec![UNVERIFIED; 12]].concat();
    let rated = |rate, confidence, flag| (Some(rate), Some(confidence), flag);
    /// Rate, confidence and flag.
    type Wanted = (Option<&'static str>, Option<&'static str>, Option<&'static str>);
    type Case = (&'static str, Vec<(usize, &'static str)>, Wanted);
    let cases: Vec<Case> = vec![
        ("Never heard of by anybody", vec![], (None, None, Some("UNTESTED"))),
        ("Applied once in all", ends(&[OK]), rated("1.00", "high", None)),
        ("Two of three were verified", ends(&[OK, UNVERIFIED, OK]), rated("0.67", "medium", None)),
        ("One of three was verified", ends(&[UNVERIFIED, OK, UNVERIFIED]), rated("0.33", "low", Some("REVIEW"))),
        ("Applied and twice only shown", ends(&[OK, SHOWN, SHOWN]), rated("0.33", "low", Some("REVIEW"))),
        ("Everything about it unverified", ends(&[UNVERIFIED; 3]), rated("0.00", "low", Some("REVIEW"))),
        ("Long ago it worked well", vec![(12, OK)], rated("1.00", "high", Some("STALE"))),
        ("Nine iterations back it helped", vec![(13, OK)], rated("1.00", "high", None)),
        ("Long ago it did badly", vec![(12, UNVERIFIED)], rated("0.00", "low", Some("STALE"))),
        ("Twentyone claims without proof", ends(&[UNVERIFIED; 21]), rated("0.00", "low", Some("PRUNE"))),
        ("Twenty unproven statements overall", ends(&[UNVERIFIED; 20]), rated("0.00", "low", Some("REVIEW"))),
        ("Roughly two fifths succeeded", ends(&nine_of_21), rated("0.43", "medium", None)),
    ];
    let world = project(&cases.iter().map(|(text, ..)| *text).collect::<Vec<_>>());
    let mut lines: Vec<String> = (1..=21)
        .flat_map(|n| {
            cases.iter().flat_map(move |(text, uses, _)| uses.iter().map(move |(at, rest)| (n, *at, *text, *rest)))
        })
        .filter(|(n, at, ..)| n == at)
        .map(|(n, _, text, rest)| at("20261115-100000", n, text, rest))
        .collect();
    lines.push("2026-11-15T10:30:00Z|20261115-100000|21|too few fields\n".to_owned());
    let log = log(&world, &lines);
    let table = world.path("table.toon").to_string_lossy().into_owned();
    let args = ["--run", "now", "--outcomes", &log, "--export", &table];
    let first = cycle(&world, &args);
    for (text, uses, (rate, confidence, flag)) in &cases {
        let lessons = first["lessons"].as_array().expect("a list");
        let one = lessons.iter().find(|l| l["text"] == *text).expect("there");
        let found = one["success_rate"].as_f64().map(|r| format!("{r:.2}"));
        assert_eq!(
            (found.as_deref(), one["confidence"].as_str(), one["flag"].as_str()),
            (*rate, *confidence, *flag),
            "{text}"
        );
        assert_eq!(one["uses"].as_u64(), Some(uses.len() as u64), "{text}");
        // The same in the table, and `high` where nothing was measured: a person wrote it.
        let row = format!(
            ",\"{text}\",{},{},{},{},",
            confidence.unwrap_or("high"),
            uses.len().max(1),
            rate.unwrap_or_default(),
            flag.map_or_else(String::new, |f| format!("[{f}]"))
        );
        let table = std::fs::read_to_string(&table).expect("a table");
        assert!(table.contains(&row), "{row}\n{table}");
    }
    world.tick();
    assert_eq!(cycle(&world, &args)["lessons"], first["lessons"], "running twice gives the same");
}

/// Met once, and missed once by something with a relevance of .6: 1 and .3.
#[test]
fn a_log_with_goals_counts_a_missed_one_by_its_relevance() {
    let world = project(&[TOKEN]);
    let lines = [
        at("r1", 1, TOKEN, "applied|src/a.rs:1|0.8|context_tags|reduce-failures|1|0.75"),
        at("r1", 2, TOKEN, "applied|src/a.rs:1|0.6|context_tags|reduce-failures|0|0.30"),
    ];
    let done = cycle(&world, &["--run", "now", "--outcomes", &log(&world, &lines)]);
    assert_eq!(record(&done, TOKEN), rated(2, "0.65", None));
}

/// Theirs: `session_file_not_found` and a score of .5. Ours has the same score, and says that nothing was measured.
#[test]
fn a_goal_without_a_session_is_neither_met_nor_missed() {
    let world = project(&[TOKEN]);
    world.run_in("shop", &["goal", "set", "tokens", "--target", "50"]).ok();
    let done = cycle(&world, &["--run", "r1", "--outcomes", &log(&world, &[line("r1", 1, TOKEN, "applied|")])]);
    let goal = &done["goal"];
    assert_eq!((&goal["value"], &goal["met"], &goal["score"]), (&Value::Null, &Value::Null, &json!(0.5)), "{done}");
    assert_eq!(record(&done, TOKEN), rated(1, "1.00", None), "what nobody measured counts for nothing");
}

/// Theirs still tells a subagent about its surroundings; ours says nothing at all.
#[test]
fn switched_off_no_hook_says_anything_or_writes_down_a_hint() {
    let world = project(&[TOKEN]);
    world.run(&["config", "set", "learning-agents", "builder"]).ok();
    world.run(&["config", "set", "before-calls", "true"]).ok();
    world.run_in("shop", &["add", "Put tests of `*.ts` files beside them"]).ok();
    let ask = |n: usize, event: &str| {
        let payload = json!({ "session_id": format!("s{n}"), "cwd": world.path("shop"), "hook_event_name": event,
            "agent_id": format!("a{n}"), "agent_type": "builder", "source": "startup", "tool_name": "Edit",
            "tool_input": { "file_path": world.path("shop/src/cart.ts"), "old_string": "a", "new_string": "b" } });
        hook(&world, &payload)
    };
    let events = ["SubagentStart", "PreToolUse", "SubagentStop", "SessionStart"];
    for (n, event) in events.into_iter().enumerate() {
        assert_ne!(ask(n, event), "", "{event} is answered");
    }
    world.run(&["disable"]).ok();
    let spool = || files(&world.data().join("spool")).into_iter().filter(|f| f.extension().is_some_and(|e| e == "log"));
    let before: Vec<_> = spool().collect();
    for (n, event) in events.into_iter().enumerate() {
        assert_eq!(ask(10 + n, event), "", "{event}");
    }
    assert!(spool().eq(before), "nothing was told, so nothing is written down");
    assert!(!world.data().join("hook.log").exists());
}

/// Theirs reads only its own place; what an older version of it left elsewhere is nobody's.
#[test]
fn patterns_of_another_tool_are_told_only_after_they_were_imported_and_approved() {
    let world = project(&[]);
    let table = "patterns[1]{id,category,summary,confidence,seen_count,success_rate,flags,applies_to,context,repo}:\n  \
        P-001,pattern,\"Always check token expiry before API calls\",high,5,0.85,,*,auth,*\n";
    for place in ["home/.claude/.learnings", "home/.closedloop-ai/learnings", "shop/.learnings"] {
        world.write(&format!("{place}/org-patterns.toon"), table);
    }
    let starts = |session: &str| {
        ["SubagentStart", "SessionStart"].map(|event| {
            let payload = json!({ "session_id": session, "cwd": world.path("shop"), "hook_event_name": event,
                "agent_id": session, "agent_type": "builder", "source": "startup" });
            hook(&world, &payload)
        })
    };
    world.run(&["learn", "--json"]).ok();
    assert_eq!(starts("s1"), ["", ""]);
    assert!(!world.run(&["list", "--all"]).ok().out.contains("token expiry"));
    world.run_in("shop", &["import", "."]).ok();
    assert_eq!(starts("s2"), ["", ""], "imported, and nobody said yes");
    let rows = world.run(&["list", "--all", "--json"]).ok().objects();
    let row = rows.iter().find(|r| text(r, "text").contains("token expiry")).expect("imported");
    world.run(&["review", "--accept", text(row, "id")]).ok();
    assert!(starts("s3").iter().all(|said| said.contains("token expiry")), "{:?}", starts("s4"));
}
