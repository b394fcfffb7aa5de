//! One spelling of a command line that is to be run: the same for the same line written in another way.
//!
//! Comes in: a parsed line. Goes out: all it does, without the way into the project's folder, without what only watches
//! it, quoted one way, flags in one order where their order means nothing. Unlike [`super::command::normalise`] nothing is
//! left out that makes it another command: no flag, value, path, version or assignment. A line that is more than simple
//! commands in a row is kept as it is.

use super::command::{self, program};
use super::programs::{self, Role};
use super::shell::{Redirect, Script, Simple, Word};

/// The one spelling of a line.
pub(crate) fn spelling(line: &str, script: &Script<'_>) -> String {
    in_a_row(line, script).unwrap_or_else(|| line.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// `None` if the line is more than simple commands in a row.
fn in_a_row(line: &str, script: &Script<'_>) -> Option<String> {
    let all = &script.commands;
    if all.is_empty() || loses(line, script) {
        return None;
    }
    let enters = |c: &Simple<'_>| program(c) == "cd" && c.assigns.is_empty() && c.redirects.is_empty();
    let entered = all.iter().take_while(|c| enters(c)).count();
    let first = if entered < all.len() { entered } else { 0 };
    let filters = |c: &&Simple<'_>| command::filters(c) && !writes(c);
    let last = all.len() - all.iter().rev().take_while(filters).count();
    let mut out = String::new();
    for (n, command) in all.iter().enumerate() {
        let from = if n == 0 { 0 } else { all[n - 1].end };
        let joint = joint(line.get(from..command.start)?)?;
        if n > first && n < last {
            out.push_str(joint);
        }
        if (n == 0) != joint.is_empty() {
            return None;
        }
        if n >= first && n < last {
            out.push_str(&simple(command));
        }
    }
    let rest = line.get(all[all.len() - 1].end..)?.trim();
    matches!(rest, "" | ";").then_some(out).filter(|o| !o.is_empty())
}

fn joint(between: &str) -> Option<&'static str> {
    let one = between.split_whitespace().collect::<Vec<_>>().join(" ");
    // A keyword that only measures.
    let one = if one == "time" { "" } else { one.strip_suffix(" time").unwrap_or(&one) };
    match one {
        "" if between.contains('\n') => Some(" ; "),
        "" => Some(""),
        "&&" => Some(" && "),
        "||" => Some(" || "),
        ";" => Some(" ; "),
        "|" => Some(" | "),
        "|&" => Some(" |& "),
        "&" => Some(" & "),
        _ => None,
    }
}

/// Whether the line says more than its commands: here-documents, brackets, quotes of both kinds around variables.
fn loses(line: &str, script: &Script<'_>) -> bool {
    let all = || script.commands.iter().flat_map(|c| c.assigns.iter().chain(&c.words));
    let brackets = |text: &str| text.matches('(').count();
    let targets = script.commands.iter().flat_map(|c| &c.redirects);
    let kept: usize =
        all().map(|w| brackets(&w.text)).sum::<usize>() + targets.map(|r| brackets(&r.target)).sum::<usize>();
    let mixed = all().any(|w| w.expands && w.quoted) && line.contains('\'');
    kept != brackets(line) || mixed || line.contains("<<")
}

fn writes(command: &Simple<'_>) -> bool {
    program(command) == "tee" || command.redirects.iter().any(tells)
}

/// Whether a redirection is part of what is done, not of what is looked at.
fn tells(redirect: &Redirect<'_>) -> bool {
    let nowhere = redirect.target == "/dev/null" && redirect.op.contains('>');
    let joined = redirect.op.ends_with(">&") && matches!(&*redirect.target, "1" | "2");
    !(nowhere || joined)
}

fn simple(command: &Simple<'_>) -> String {
    let (assigns, words) = without_env(command, without_watchers(&command.words));
    let mut out: Vec<String> = assigns.iter().map(|w| quoted(w)).collect();
    // The order of two assignments matters only if one uses the other.
    if assigns.iter().all(|w| !w.expands) {
        out.sort_unstable();
    }
    let words: Vec<String> = words.iter().map(quoted).collect();
    out.extend(flags_in_order(&words).into_iter().map(str::to_owned));
    let told = command.redirects.iter().filter(|r| tells(r));
    out.extend(told.map(|r| format!("{}{}", r.op, r.target)));
    out.join(" ")
}

fn without_watchers<'w, 'a>(words: &'w [Word<'a>]) -> &'w [Word<'a>] {
    let mut rest = words;
    while let Some(name) = rest.first().map(|w| &*w.text).filter(|name| programs::is(name, Role::Watcher)) {
        let valued = programs::wraps(name).unwrap_or_default();
        let mut inner = &rest[1..];
        let mut duration = programs::is(name, Role::TimeLimit);
        while let Some(word) = inner.first() {
            let flag = word.text.starts_with('-');
            if !flag && !duration {
                break;
            }
            duration &= flag;
            let skip = if valued.contains(&&*word.text) { 2 } else { 1 };
            inner = &inner[skip.min(inner.len())..];
        }
        if inner.is_empty() {
            break;
        }
        rest = inner;
    }
    rest
}

/// `env A=1 tool` is `A=1 tool`.
fn without_env<'w, 'a>(command: &'w Simple<'a>, words: &'w [Word<'a>]) -> (Vec<&'w Word<'a>>, &'w [Word<'a>]) {
    let mut assigns: Vec<&Word<'a>> = command.assigns.iter().collect();
    let given = words.iter().skip(1).take_while(|w| w.text.contains('=') && !w.text.starts_with('-')).count();
    if words.first().is_none_or(|w| w.text != "env") || given == 0 || given + 1 >= words.len() {
        return (assigns, words);
    }
    if words[given + 1].text.starts_with('-') {
        return (assigns, words);
    }
    assigns.extend(&words[1..=given]);
    (assigns, &words[given + 1..])
}

/// A word as it must be written to mean the same.
fn quoted(word: &Word<'_>) -> String {
    let text = &*word.text;
    if word.expands {
        return if word.quoted { format!("\"{text}\"") } else { text.to_owned() };
    }
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./:=@%+,".contains(&b));
    // Without quotes it stands for something else: `*` is every file.
    if plain || !word.quoted && !text.is_empty() {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// The words of a command with flags that stand side by side in one order.
///
/// Only flags that surely take no value may change places: the last of a row may take the word behind it, and what
/// follows `--` is not ours to read.
pub(crate) fn flags_in_order<S: AsRef<str>>(words: &[S]) -> Vec<&str> {
    let mut out: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let named = |w: &&&str| programs::is(w.rsplit('/').next().unwrap_or(w), Role::OrderMatters);
    if out.iter().find(named).is_some() {
        return out;
    }
    let end = out.iter().position(|w| *w == "--").unwrap_or(out.len());
    let is_flag = |w: &str| w.len() > 1 && w.starts_with('-');
    let mut from = 0;
    while from < end {
        let length = out[from..end].iter().take_while(|w| is_flag(w)).count();
        let to = from + length;
        if length > 1 {
            let last = out[to - 1];
            let takes = to < out.len() && !(last.starts_with("--") && last.contains('='));
            out[from..to - usize::from(takes)].sort_unstable();
        }
        from = to + 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::normal::shell::parse;

    fn of(line: &str) -> String {
        spelling(line, &parse(line))
    }

    #[rustfmt::skip]
    const SAME: &[&[&str]] = &[
        &["npm install", "npm   install", "npm 'install'", "npm \"install\"", "cd app && npm install", "cd /x; npm install",
          "npm install 2>&1 | tail -5", "npm install >/dev/null 2>&1", "timeout 60 npm install", "time npm install", "npm install;",
          "nohup npm install"],
        &["cargo test --release --workspace", "cargo test --workspace --release"],
        &["cargo test --a=1 --b=2 x", "cargo test --b=2 --a=1 x"],
        &["git commit -m 'a b'", "git commit -m \"a b\"", "git commit -m a\\ b"],
        &["A=1 B=2 make", "B=2 A=1 make", "env A=1 B=2 make", "A='1' B=\"2\" make"],
        &["make a && make b", "make a  &&  make b", "make a \\\n && make b"],
        &["make a; make b", "make a\nmake b", "make a ; make b"],
    ];
    #[rustfmt::skip]
    const APART: &[&[&str]] = &[
        &["npm install", "npm ci", "npm install -g", "npm install left-pad", "sudo npm install", "npm install --force",
          "A=1 npm install", "A=2 npm install", "npm install > log.txt", "npm install &", "npm test && npm install"],
        &["make a && make b", "make a || make b", "make a; make b", "make a | make b", "make b && make a", "make a & make b"],
        &["git commit -m 'a b'", "git commit -m a b", "git commit -m 'b a'"],
        &["cp -a x -b y", "cp -b y -a x", "cp -a y -b x"],
        &["tool --all x --force y", "tool --force y --all x"], &["tool -v --out x", "tool --out -v x"],
        &["find . -name x -delete", "find . -delete -name x"],
        &["echo '$HOME'", "echo $HOME", "echo \"$HOME\"", "echo HOME"],
        &["pytest 'tests/*.py'", "pytest tests/*.py"], &["git branch -d x", "git branch -D x"],
        &["pip install a==1.0", "pip install a==1.1", "pip install a"],
        &["source .venv/bin/activate && pytest", "pytest", "export CI=1 && pytest"],
        &["cat > a <<E\none\nE", "cat > a <<E\ntwo\nE"],
        &["for f in a b; do make $f; done", "for f in a c; do make $f; done", "make $f"],
        &["if true; then make a; fi", "make a", "if false; then make a; fi"], &["(cd x && make)", "(cd y && make)"],
        &["psql -p 5432", "psql -p 5433"], &["cargo test -- --a --b", "cargo test -- --b --a"],
        &["x=(a b) make", "x=(a c) make"], &["make x && cd y && make z", "make x && make z"],
        &["echo '$x'$y", "echo \"$x\"$y"], &["make test", "make 'te st'", "make te st"], &["tool ''", "tool"],
        &["jq .a f | tee x", "jq .a f"], &["timeout 5 make a", "timeout 5 make b"], &["env -i A=1 make", "A=1 make"],
    ];

    #[test]
    fn one_command_has_one_spelling() {
        for row in SAME {
            for line in *row {
                assert_eq!(of(line), of(row[0]), "{line:?} and {:?}", row[0]);
            }
        }
    }

    #[test]
    fn another_command_has_another() {
        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        for row in APART {
            for (n, a) in row.iter().enumerate() {
                for b in &row[n + 1..] {
                    assert_ne!(of(a), of(b), "{a:?} and {b:?}");
                }
            }
        }
        for row in SAME {
            let form = of(row[0]);
            assert!(seen.insert(form.clone(), row[0]).is_none(), "{form}");
        }
    }

    #[test]
    fn a_spelling_is_its_own_spelling() {
        for row in SAME.iter().chain(APART) {
            for line in *row {
                let form = of(line);
                assert_eq!(of(&form), form, "{line:?}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn any_line_has_a_spelling(line in "[a-c'\"$(){};|&<> \\-=\\\\\n]{0,60}") {
            of(&line);
        }
    }
}
