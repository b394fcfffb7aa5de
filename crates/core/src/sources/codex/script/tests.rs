//! Scripts of the code mode: which calls are seen in them, and what their outputs tell of each.

use super::*;

/// The calls of a script: tool, what it is given, folder, how often.
fn calls(script: &str) -> String {
    let one = |c: &Call| {
        let input = c.input.as_deref().or(c.session.as_deref()).unwrap_or("?");
        let times = match c.times {
            Times::Once => "",
            Times::Maybe => " perhaps",
            Times::Any => " any number of times",
        };
        let folder = c.folder.as_deref().map(|f| format!(" in {f}")).unwrap_or_default();
        format!("{} {input}{folder}{times}", c.tool)
    };
    read(script).0.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// What the printed texts tell of each call.
fn told(script: &str, parts: &[&str]) -> String {
    let (calls, prints) = read(script);
    let mut told = vec![Told::default(); calls.len()];
    if parts_told(&prints, parts, Portion::Last, &mut told).is_none() {
        return "cannot be told".to_owned();
    }
    let one = |t: &Told| {
        let code = t.code.map(|c| c.to_string()).unwrap_or(if t.without_code { "none" } else { "?" }.to_owned());
        let session = t.session.as_deref().map(|s| format!(" goes on as {s}")).unwrap_or_default();
        let seconds = t.seconds.map(|s| format!(" in {s} s")).unwrap_or_default();
        format!("{code} {:?}{session}{seconds}", t.output.as_deref().unwrap_or("?"))
    };
    told.iter().map(one).collect::<Vec<_>>().join("; ")
}

#[test]
fn commands_are_seen_however_the_script_writes_them() {
    for (script, expected) in [
        (r#"const r = await tools.exec_command({cmd: "make"}); text(r.output);"#, "exec_command make"),
        (
            r#"await tools.exec_command({"cmd":"make -C \"a b\"","workdir":"/w"})"#,
            r#"exec_command make -C "a b" in /w"#,
        ),
        ("await tools.exec_command({ 'cmd': 'make', workdir: `/w` })", "exec_command make in /w"),
        ("const cmd = 'make'; tools.exec_command({cmd, workdir: '/w'})", "exec_command make in /w"),
        ("let c = 'make'; c += ' test'; tools.exec_command({cmd: c})", "exec_command make test"),
        ("const t = 'a'; tools.exec_command({cmd: `make ${t} ${1 + 1}`})", "exec_command make a 2"),
        ("tools.exec_command({cmd: 'make ' + JSON.stringify('a b')})", r#"exec_command make "a b""#),
        ("tools.shell({command: ['bash', '-lc', 'make all']})", "shell make all"),
        ("const args = {cmd: 'make'}; tools.exec_command({...args, workdir: '/w'})", "exec_command make in /w"),
        ("const {exec_command} = tools; exec_command({cmd: 'make'})", "exec_command make"),
        ("tools['exec_command']({cmd: 'make'})", "exec_command make"),
        ("// tools.exec_command({cmd: 'no'})\ntools.exec_command({cmd: 'make'}) /* tools.x() */", "exec_command make"),
        ("text(\"tools.exec_command({cmd: 'no'})\")", ""),
        ("tools.write_stdin({session_id: 4711, chars: ''})", "write_stdin 4711"),
        ("const p = '*** Begin Patch'; text(await tools.apply_patch(p))", "apply_patch *** Begin Patch"),
        (
            "const f = async (c) => (await tools.exec_command({cmd: c})).output; text(await f('make'))",
            "exec_command make",
        ),
        (
            "async function go(c) { return tools.exec_command({cmd: c}) }\nawait go('a'); await go('b')",
            "exec_command a; exec_command b",
        ),
        ("try { await tools.exec_command({cmd: 'a'}) } catch (e) { text(String(e)) }", "exec_command a"),
        // Somebody's odd line does not hide the others.
        ("class A { #x = 1 }\nawait tools.exec_command({cmd: 'make'})", "exec_command make"),
        ("const x = ) ] };\nawait tools.exec_command({cmd: 'make'})", "exec_command make"),
    ] {
        assert_eq!(calls(script), expected, "{script}");
    }
}

#[test]
fn lists_and_loops_that_stand_in_the_script_are_followed() {
    let both = "exec_command a; exec_command b";
    for script in [
        "const [x, y] = await Promise.all([tools.exec_command({cmd: 'a'}), tools.exec_command({cmd: 'b'})])",
        "for (const cmd of ['a', 'b']) await tools.exec_command({cmd})",
        "await Promise.all(['a', 'b'].map(cmd => tools.exec_command({cmd})))",
        "await Promise.all([{cmd: 'a'}, {cmd: 'b'}].map(tools.exec_command))",
        "await Promise.allSettled(['a', 'b'].map(async (cmd) => { return await tools.exec_command({cmd}) }))",
        "const cs = [['x', 'a'], ['y', 'b']]; for (const [, cmd] of cs) { await tools.exec_command({cmd}); }",
        "const cs = ['a', 'b']; for (let i = 0; i < cs.length; i++) await tools.exec_command({cmd: cs[i]})",
        "const cs = []; cs.push('a'); cs.push('b'); cs.forEach(cmd => tools.exec_command({cmd}))",
        "for (const [i, cmd] of ['a', 'b'].entries()) tools.exec_command({cmd})",
        "Object.entries({x: 'a', y: 'b'}).map(([k, cmd]) => tools.exec_command({cmd}))",
        "'a\\nb'.split('\\n').forEach(cmd => { tools.exec_command({cmd}) })",
        "let i = 0; while (i < 2) { await tools.exec_command({cmd: ['a', 'b'][i]}); i++; }",
    ] {
        assert_eq!(calls(script), both, "{script}");
    }
}

#[test]
fn a_command_that_the_record_does_not_hold_stays_unknown() {
    for (script, expected) in [
        ("tools.exec_command({cmd: load('c')})", "exec_command ?"),
        (
            "const r = await tools.exec_command({cmd: 'a'}); tools.exec_command({cmd: r.output})",
            "exec_command a; exec_command ?",
        ),
        ("for (const f of load('l')) tools.exec_command({cmd: 'cat ' + f})", "exec_command ? any number of times"),
        ("load('l').map(f => tools.exec_command({cmd: `cat ${f}`}))", "exec_command ? any number of times"),
        ("while (load('x')) tools.exec_command({cmd: 'a'})", "exec_command a any number of times"),
        (
            "const r = await tools.exec_command({cmd: 'a'}); if (r.exit_code) tools.exec_command({cmd: 'b'})",
            "exec_command a; exec_command b perhaps",
        ),
        ("if (load('x')) { c = 'a' } tools.exec_command({cmd: c})", "exec_command ?"),
    ] {
        assert_eq!(calls(script), expected, "{script}");
    }
}

const ONE: &str = "const r = await tools.exec_command({cmd: 'a'}); ";
const TWO: &str = "const rs = await Promise.all(['a', 'b'].map(cmd => tools.exec_command({cmd}))); ";

#[test]
fn what_a_script_prints_of_one_call_is_told_of_it() {
    let whole = r#"{"chunk_id":"1","wall_time_seconds":0.5,"exit_code":101,"original_token_count":2,"output":"no\n"}"#;
    let runs = r#"{"chunk_id":"1","wall_time_seconds":30.0,"session_id":4711,"output":"so far"}"#;
    for (prints, parts, expected) in [
        ("text(r.output)", &["no\n"][..], r#"? "no\n""#),
        ("text(JSON.stringify(r))", &[whole], r#"101 "no\n" in 0.5 s"#),
        ("text(JSON.stringify(r, null, 2))", &["{\n  \"exit_code\": 2,\n  \"output\": \"no\"\n}"], r#"2 "no""#),
        ("text(r)", &[whole], r#"101 "no\n" in 0.5 s"#),
        ("text(r)", &[runs], r#"none "so far" goes on as 4711 in 30 s"#),
        ("text(`exit=${r.exit_code}\\n${r.output}`)", &["exit=3\nno: exit=4\n"], r#"3 "no: exit=4\n""#),
        ("text(r.output + `exit=${r.exit_code}`)", &["no\nexit=3"], r#"3 "no\n""#),
        ("text(r.output); text('exit=' + r.exit_code)", &["", "exit=0"], r#"0 """#),
        ("text('exit=' + r.exit_code)", &["exit=undefined"], r#"none "?""#),
        ("text(JSON.stringify({code: r.exit_code, out: r.output.trim()}))", &[r#"{"code":1,"out":"no"}"#], r#"1 "no""#),
        ("text(JSON.stringify({exit_code: r.exit_code}))", &["{}"], r#"none "?""#),
        ("text(r.output.slice(0, 9))", &["no"], r#"? "no""#),
        ("text(r.output.split('\\n').filter(l => l.includes('x')).join('\\n'))", &["x"], r#"? "x""#),
        ("text(r.exit_code ?? '?')", &["7"], r#"7 "?""#),
        (
            "text(r.output); if (r.session_id) text(`S=${r.session_id}`); text(`exit=${r.exit_code}`)",
            &["so far", "S=4711", "exit=undefined"],
            r#"none "so far" goes on as 4711"#,
        ),
        (
            "text(r.output); if (r.session_id) text(`S=${r.session_id}`); text(`exit=${r.exit_code}`)",
            &["no", "exit=1"],
            r#"1 "no""#,
        ),
        // The client cuts what is too long in the middle.
        (
            "text(JSON.stringify(r))",
            &[
                "Warning: truncated output (original token count: 9)\nTotal output lines: 1\n\n{\"exit_code\":5,\"output\":\"a…7 tokens truncated…",
            ],
            r#"5 "a…7 tokens truncated…""#,
        ),
    ] {
        assert_eq!(told(&format!("{ONE}{prints}"), parts), expected, "{prints}");
    }
}

#[test]
fn texts_are_told_of_the_right_call_or_of_none() {
    let all_in_one = "Warning: truncated output (original token count: 9)\nTotal output lines: 2\n\nfirst\nsecond";
    for (prints, parts, expected) in [
        ("for (const r of rs) text(r.output)", &["x", "y"][..], r#"? "x"; ? "y""#),
        (
            "rs.forEach((r, i) => text(`${i}: ${r.exit_code}\\n${r.output}`))",
            &["0: 0\nx", "1: 1\ny"],
            r#"0 "x"; 1 "y""#,
        ),
        ("text(JSON.stringify({b: rs[1].output, a: rs[0].output}))", &[r#"{"b":"y","a":"x"}"#], r#"? "x"; ? "y""#),
        (
            "text(JSON.stringify(rs))",
            &[r#"[{"exit_code":0,"output":"x"},{"exit_code":1,"output":"y"}]"#],
            r#"0 "x"; 1 "y""#,
        ),
        ("text(rs.map(r => r.exit_code).join(' '))", &["0 1"], r#"0 "?"; 1 "?""#),
        ("text(rs[0].output + '--' + rs[1].output)", &["x--y"], r#"? "x"; ? "y""#),
        // Two ways to cut it.
        ("text(rs[0].output + '--' + rs[1].output)", &["x--y--z"], r#"? "?"; ? "?""#),
        ("text(rs[0].output + rs[1].output)", &["xy"], r#"? "?"; ? "?""#),
        ("for (const r of rs) text(r.output)", &[all_in_one], r#"? "?"; ? "?""#),
        ("for (const r of rs) if (r.exit_code) text(r.output)", &["x"], "cannot be told"),
        ("for (const r of rs) text(r.output)", &["x", "y", "z"], "cannot be told"),
    ] {
        assert_eq!(told(&format!("{TWO}{prints}"), parts), expected, "{prints}");
    }
}

#[test]
fn a_script_that_never_ends_or_never_closes_is_read_to_an_end() {
    for script in [
        "while (true) tools.exec_command({cmd: 'a'})".to_owned(),
        "let s = 'x'; while (true) { s = s + s }".to_owned(),
        "let s = 'xx'; for (;;) s = s.replaceAll('x', 'xx')".to_owned(),
        "const f = () => f(); f()".to_owned(),
        "for (const x of [1, 2, 3]) f(".to_owned(),
        "(".repeat(200_000),
        "[".repeat(200_000),
        "{a:".repeat(100_000),
        "`${".repeat(100_000),
        "new ".repeat(200_000),
        "!".repeat(200_000),
        "a => ".repeat(100_000),
        "if (a) {} else ".repeat(100_000),
        "tools.x(".repeat(100_000),
        format!("const l = [{}]; for (const a of l) for (const b of l) text(l[0])", "'x',".repeat(20_000)),
    ] {
        read(&script);
    }
}
