//! Cases for the parser.

use super::*;
use expect_test::{Expect, expect};

/// `program args[flags]` a line: p = piped, f = followed, b = has a fallback.
fn check(line: &str, expect: Expect) {
    let script = parse(line);
    let shown: Vec<String> = script
        .commands
        .iter()
        .map(|c| {
            let words: Vec<String> = c.assigns.iter().chain(&c.words).map(|w| w.text.replace('\n', "⏎")).collect();
            let redirects: String = c.redirects.iter().map(|r| format!(" {}{}", r.op, r.target)).collect();
            let flags: String =
                [(c.piped, 'p'), (c.followed, 'f'), (c.fallback, 'b')].iter().filter(|f| f.0).map(|f| f.1).collect();
            format!("{}{redirects} [{flags}]", words.join("·"))
        })
        .collect();
    expect.assert_eq(&shown.join("\n"));
}

#[test]
fn quotes_and_escapes() {
    check(
        r#"git commit -m "a \"b\" 'c'" --author='x y' a\ b"#,
        expect!["git·commit·-m·a \"b\" 'c'·--author=x y·a b []"],
    );
}

#[test]
fn a_pipe_hides_all_but_the_last() {
    check(
        "bun test 2>&1 | grep -v x | tail -5",
        expect![[r#"
        bun·test 2>&1 [p]
        grep·-v·x [p]
        tail·-5 []"#]],
    );
}

#[test]
fn lists_tell_whose_failure_would_show() {
    check(
        "cd a && make; echo done",
        expect![[r#"
        cd·a [f]
        make [f]
        echo·done []"#]],
    );
    check(
        "a && b || c",
        expect![[r#"
        a [b]
        b [b]
        c []"#]],
    );
    check(
        "sleep 1 & wait",
        expect![[r#"
        sleep·1 [f]
        wait []"#]],
    );
}

#[test]
fn here_documents_are_no_commands() {
    check(
        "cat > f.py <<'EOF'\nimport x; y | z\nEOF\npython3 f.py",
        expect![[r#"
        cat >f.py <<EOF [f]
        python3·f.py []"#]],
    );
    check(
        "git commit -m \"$(cat <<'EOF'\nIt's (done)\nEOF\n)\" && git push",
        expect![[r#"
        git·commit·-m·$(cat <<'EOF'⏎It's (done)⏎EOF⏎) []
        git·push []"#]],
    );
}

#[test]
fn loops_and_groups() {
    check(
        "for f in a b; do wc -l \"$f\"; done | sort",
        expect![[r#"
        wc·-l·$f [p]
        sort []"#]],
    );
    check(
        "(cd x && make) || { echo no; exit 1; }",
        expect![[r#"
        cd·x [b]
        make [b]
        echo·no [f]
        exit·1 []"#]],
    );
    check(
        "if grep -q a f; then echo yes; else echo no; fi",
        expect![[r#"
        grep·-q·a·f [f]
        echo·yes [f]
        echo·no []"#]],
    );
}

#[test]
fn environment_and_comments() {
    check(
        "FOO=1 BAR='x y' make -j2 # build\n# nothing\nls",
        expect![[r#"
        FOO=1·BAR=x y·make·-j2 [f]
        ls []"#]],
    );
}

#[test]
fn pipefail_and_errexit_show_failures() {
    assert!(!parse("set -o pipefail; make | tail").commands[1].piped);
    assert!(!parse("set -euo pipefail\nmake\nls").commands[1].followed);
}

#[test]
fn redirections() {
    let script = parse("ls x 2>/dev/null; cat > f << E\nx\nE");
    assert!(script.commands[0].drops_errors());
    assert!(script.commands[1].writes_file());
    check("a >out 2>&1 </dev/null 3<&0", expect!["a >out 2>&1 </dev/null 3<&0 []"]);
}

#[test]
fn broken_input_becomes_words() {
    for line in [
        "echo \"abc",
        "'",
        "$(",
        "${x",
        "a | | b",
        "((((",
        "`x",
        "if then",
        "<<",
        "case x in",
        "\\",
        "for f in *.c ",
        "case $x ",
        "for i in 1 2 \\\n",
        "a &&",
        "\0a\0",
    ] {
        parse(line);
    }
    parse(&"(".repeat(100_000));
    parse(&"if ".repeat(100_000));
    parse(&"$(".repeat(20_000));
}

/// A second opinion: program names found by a full bash grammar are the same as ours.
#[test]
fn agrees_with_a_full_grammar() {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).expect("grammar loads");
    for line in [
        "cd a && npm test 2>&1 | tail -20",
        "FOO=1 make -j4; echo $?",
        "git log --oneline -5 && git diff --stat HEAD~1",
        "for i in 1 2 3; do curl -s http://localhost:$i; done",
        "docker run --rm -e A=b img sh -c 'ls -la | wc -l'",
        "find . -name '*.rs' -exec grep -l foo {} \\;",
        "test -f x || touch x",
        "python3 - <<'EOF'\nprint('a && b')\nEOF\necho ok",
        "(cd sub && make) && ls > out.txt 2>&1",
        "while read l; do echo $l; done < in.txt",
        "if [ -f a ]; then cat a; fi",
        "export PATH=\"$PATH:/x\" && which foo",
        "a=$(git rev-parse HEAD) && echo $a",
        "ssh host 'cd /srv && ls' | head -3",
    ] {
        let tree = parser.parse(line, None).expect("parses");
        let mut theirs = Vec::new();
        let mut nodes = vec![tree.root_node()];
        while let Some(node) = nodes.pop() {
            if node.kind() == "command_substitution" {
                continue;
            }
            if node.kind() == "command_name" {
                theirs.push(line[node.byte_range()].to_owned());
            }
            nodes.extend((0..node.child_count()).rev().filter_map(|i| node.child(u32::try_from(i).ok()?)));
        }
        let skip = ["[", "export"];
        theirs.retain(|t| !skip.contains(&t.as_str()));
        let ours: Vec<String> = parse(line)
            .commands
            .iter()
            .filter_map(|c| c.words.first())
            .map(|w| w.text.to_string())
            .filter(|w| !skip.contains(&w.as_str()))
            .collect();
        assert_eq!(ours, theirs, "{line}");
    }
}
