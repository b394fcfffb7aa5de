use super::index::VISITED_LIMIT;
use super::*;

fn item(id: &str, failed: &str, output: &str, fixed: &str) -> Item {
    Item {
        id: id.to_owned(),
        failed: failed.to_owned(),
        output: output.to_owned(),
        fixed: fixed.to_owned(),
        statement: String::new(),
    }
}

fn known() -> Index {
    Index::new(&[
        item("login", "hub push a", "hub: error: not logged in to registry", "hub login && hub push a"),
        item("typo", "hub psuh", "hub: unknown command 'psuh'", "hub push"),
        item("same", "hub pull x", "hub: error: no such image x", "hub pull x"),
        item("dir", "mkdir a/b", "mkdir: a: No such file or directory", "mkdir -p a/b"),
        Item {
            statement: "Run database migrations with make migrate before the integration tests".to_owned(),
            ..item("db", "make test", "", "make migrate && make test")
        },
    ])
}

fn says(command: &str, output: &str) -> Option<String> {
    known().best(&Query::Failure { command, output }).map(|m| m.id)
}

#[test]
fn the_same_failure_of_another_command_is_known() {
    let said = says("cd x && hub push other/image:3 | tail", "hub: error: not logged in to registry");
    assert_eq!(said.as_deref(), Some("login"));
    assert_eq!(says("hub pul", "hub: unknown command 'pul'").as_deref(), Some("typo"));
}

#[test]
fn what_is_printed_around_the_same_error_does_not_matter() {
    let noise: String =
        ["layer", "digest", "waiting", "retry"].map(|w| format!("{w} of some image is prepared\n")).concat();
    let output = format!("{noise}hub: error: not logged in to registry\n{}", noise.to_uppercase());
    assert_eq!(says("hub push a", &output).as_deref(), Some("login"));
}

#[test]
fn nothing_is_said_of_what_only_looks_alike() {
    for (command, output) in [
        ("hub push a", "hub: error: disk quota exceeded"),
        ("hub push a", "pushed a"),
        ("spoke push a", "spoke: error: not logged in to registry"),
        ("touch a/b", "touch: a/b: No such file or directory"),
        ("hub pull y", "hub: error: no such image y"),
        ("", ""),
    ] {
        assert_eq!(says(command, output), None, "{command}");
    }
}

#[test]
fn the_order_is_generous_where_speaking_is_not() {
    let query = Query::Failure { command: "touch a/b", output: "touch: a/b: No such file or directory" };
    assert_eq!(known().rank(&query, 1)[0].id, "dir");
    assert_eq!(known().best(&query), None);
}

#[test]
fn two_fixes_for_one_failure_are_not_told_apart() {
    let failed = ("vcs send", "vcs: error: the other side is ahead of this one");
    let index = Index::new(&[
        item("force", failed.0, failed.1, "vcs send --force"),
        item("fetch", failed.0, failed.1, "vcs fetch && vcs send"),
    ]);
    let query = Query::Failure { command: failed.0, output: failed.1 };
    assert_eq!(index.rank(&query, 5).len(), 2);
    assert_eq!(index.best(&query), None);
}

#[test]
fn the_first_five_are_of_different_kinds() {
    let mut items: Vec<Item> = (0..9)
        .map(|n| item("many", &format!("vcs send {n}"), "vcs: error: ahead", &format!("vcs fetch && vcs send {n}")))
        .collect();
    items.push(item("one", "vcs send", "vcs: error: ahead", "vcs send --force"));
    let found = Index::new(&items).rank(&Query::Failure { command: "vcs send 3", output: "vcs: error: ahead" }, 5);
    assert!(found.iter().any(|m| m.id == "one"));
}

#[test]
fn a_command_about_to_run_needs_the_failing_part() {
    let said = |command: &str| known().best(&Query::Command(command)).map(|m| m.id);
    assert_eq!(said("hub psuh").as_deref(), Some("typo"));
    assert_eq!(said("make test").as_deref(), Some("db"));
    for command in ["hub push", "make lint", "make migrate && make test", "ls"] {
        assert_eq!(said(command), None, "{command}");
    }
}

#[test]
fn a_prompt_must_explain_most_of_a_statement() {
    let said = |text: &str| known().best(&Query::Prompt(text)).map(|m| m.id);
    assert_eq!(said("please run the integration tests, and the database migrations before").as_deref(), Some("db"));
    for text in ["run the tests", "write a poem about databases", ""] {
        assert_eq!(said(text), None, "{text}");
    }
}

/// A made-up word: numbers would all be the same.
fn word(kind: &str, mut n: usize) -> String {
    let mut out = kind.to_owned();
    for _ in 0..4 {
        out.push(char::from(b'a' + (n % 26) as u8));
        n /= 26;
    }
    out
}

/// Items of a few hundred kinds, so that most terms are shared by many.
fn many(n: usize) -> Vec<Item> {
    let row = |n: usize| {
        let (tool, verb, thing) = (word("tool", n % 7), word("verb", n % 11), word("thing", n % 389));
        let (failed, output) = (
            format!("{tool} {verb} {}", word("arg", n)),
            format!("{tool}: error: cannot act on {thing} while {} holds\nhint: see manual", word("lock", n % 53)),
        );
        item(&n.to_string(), &failed, &output, &format!("{tool} init && {failed}"))
    };
    (0..n).map(row).collect()
}

#[test]
fn a_lookup_reads_no_more_among_any_number_of_items() {
    let made = [1_000, 20_000, 100_000].map(many);
    let one = made[0][17].output.clone();
    let long: String = made[0].iter().map(|i| format!("{}\n", i.output)).collect();
    let indexes = made.each_ref().map(|items| Index::new(items));
    for output in [&one, &long] {
        let query = Query::Failure { command: "tooldaaa verbgaaa x", output };
        let read = indexes.each_ref().map(|i| i.visited(&query));
        // Once every term has as many items as are kept, more items cost nothing.
        assert!(read.iter().all(|r| *r <= VISITED_LIMIT) && read[2] <= read[1] * 3 / 2, "{read:?}");
    }
}

#[test]
fn the_same_failure_is_found_among_any_number_of_items() {
    let mut items = many(20_000);
    let (failed, output) = ("tooldaaa verbgaaa --now", "tooldaaa: error: cannot act while locked");
    items.push(item("it", failed, output, "tooldaaa verbgaaa --later"));
    let said = Index::new(&items).best(&Query::Failure { command: failed, output });
    assert_eq!(said.map(|m| m.id).as_deref(), Some("it"));
}
