//! Parsed command line → what it does, without what holds for this one run only.
//!
//! `cd app && FOO=1 sudo npm install left-pad@1.3.0 2>&1 | tail` does `npm install left-pad`.

use super::programs::{self, Role};
use super::shell::{self, Script, Simple, Word};

/// The words of a command after assignments and wrappers: program first.
pub(crate) fn core<'s, 'a>(simple: &'s Simple<'a>) -> &'s [Word<'a>] {
    let mut words = &simple.words[..];
    while let Some(first) = words.first() {
        let name = base(&first.text);
        let Some(valued) = programs::wraps(name) else { break };
        let mut rest = &words[1..];
        let mut duration = programs::is(name, Role::TimeLimit);
        while let Some(word) = rest.first() {
            let text = &*word.text;
            let skip = if valued.contains(&text) {
                2
            } else if text.starts_with('-') || (name == "env" && text.contains('=')) {
                1
            } else if duration {
                duration = false;
                1
            } else {
                break;
            };
            rest = &rest[skip.min(rest.len())..];
        }
        if rest.is_empty() {
            break;
        }
        words = rest;
    }
    words
}

/// The program's name without its folder.
pub(crate) fn program<'s>(simple: &'s Simple<'_>) -> &'s str {
    core(simple).first().map_or("", |w| base(&w.text))
}

fn base(path: &str) -> &str {
    memchr::memrchr(b'/', path.as_bytes()).map_or(path, |at| &path[at + 1..])
}

/// The script a command hands to another shell (`bash -lc '…'`, `ssh host '…'`), if it does.
pub(crate) fn inner_script<'s>(simple: &'s Simple<'_>) -> Option<&'s str> {
    let words = core(simple);
    let name = base(&words.first()?.text);
    if programs::is(name, Role::Shell) {
        let flag =
            words.iter().position(|w| w.text.starts_with('-') && !w.text.starts_with("--") && w.text.ends_with('c'))?;
        return Some(&words.get(flag + 1)?.text);
    }
    if programs::is(name, Role::ContainerRunner) {
        let shell = words.iter().position(|w| programs::is(base(&w.text), Role::ContainerShell))?;
        let flag = words.get(shell + 1).filter(|w| w.text.starts_with('-') && w.text.ends_with('c'));
        return flag.and(words.get(shell + 2)).map(|w| &*w.text);
    }
    let last = words.last().filter(|_| name == "ssh" && words.len() > 2)?;
    (last.quoted && last.text.contains(' ')).then_some(&*last.text)
}

/// The commands of a line that do the work: no stage setting, no filters behind a pipe.
pub(crate) fn working<'s, 'a>(script: &'s Script<'a>) -> Vec<&'s Simple<'a>> {
    let doing: Vec<&Simple<'a>> = script
        .commands
        .iter()
        .filter(|c| {
            let sets_stage = programs::is(program(c), Role::StageSetter);
            !(c.words.is_empty() || sets_stage || filters(c))
        })
        .collect();
    if doing.is_empty() { script.commands.iter().filter(|c| !c.words.is_empty()).collect() } else { doing }
}

/// Whether a command only passes on what is piped into it.
pub(crate) fn filters(simple: &Simple<'_>) -> bool {
    simple.stage > 0 && programs::is(program(simple), Role::Filter)
}

/// What a command line does: program, subcommands and plain arguments of each working command, joined by `&&`.
pub(crate) fn normalise(line: &str) -> String {
    normalise_script(&shell::parse(line))
}

/// The same for a line that is parsed already.
pub(crate) fn normalise_script(script: &Script<'_>) -> String {
    normalise_working(&working(script))
}

/// The same for its working commands.
pub(crate) fn normalise_working(doing: &[&Simple<'_>]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for command in doing {
        let part = match inner_script(command) {
            Some(inner) => normalise_flat(inner),
            None => normalise_simple(command),
        };
        if !part.is_empty() && parts.last() != Some(&part) {
            parts.push(part);
        }
    }
    parts.join(" && ")
}

fn normalise_flat(line: &str) -> String {
    let script = shell::parse(line);
    working(&script).iter().map(|c| normalise_simple(c)).collect::<Vec<_>>().join(" && ")
}

/// The same for one command.
pub(super) fn normalise_simple(simple: &Simple<'_>) -> String {
    let words = core(simple);
    let Some(first) = words.first() else { return String::new() };
    let mut out = vec![base(&first.text).to_owned()];
    let mut rest = words[1..].iter().peekable();
    while let Some(word) = rest.next() {
        let text = &*word.text;
        if text == "--" {
            continue;
        }
        if text.starts_with('-') && text.len() > 1 {
            // What follows an option without `=` is taken for its value, unless it is an option too.
            if !text.contains('=') && rest.peek().is_some_and(|w| !w.text.starts_with('-')) {
                let keeps = rest.peek().is_some_and(|w| is_url(&w.text));
                if !keeps {
                    rest.next();
                }
            }
            continue;
        }
        if out.len() > 4 {
            break;
        }
        if let Some(kept) = keep(word) {
            out.push(kept);
        }
    }
    out.join(" ")
}

/// The part of an argument that will be the same next time; `None` for paths, values, versions.
fn keep(word: &Word<'_>) -> Option<String> {
    let text = &*word.text;
    if is_url(text) {
        return Some("<url>".to_owned());
    }
    let passing = word.expands
        || text.is_empty()
        || text.len() > 40
        || text.contains(['/', '\\', '*', '~', '=', ' ', '\n', '{', '<', '|', '(', '"', '\''])
        || text.starts_with('.')
        || looks_like_file(text)
        || text.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b':' || b == b',')
        || (text.len() >= 7 && text.bytes().all(|b| b.is_ascii_hexdigit()) && text.bytes().any(|b| b.is_ascii_digit()));
    let quoted_pattern = word.quoted && !text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_:.@".contains(&b));
    (!passing && !quoted_pattern).then(|| without_version(text).to_owned()).filter(|t| !t.is_empty())
}

fn is_url(text: &str) -> bool {
    text.contains("://") || text.starts_with("git@")
}

/// `name.ext` with a short extension that starts with a letter.
fn looks_like_file(text: &str) -> bool {
    text.rsplit_once('.').is_some_and(|(stem, ext)| {
        !stem.is_empty()
            && (1..=5).contains(&ext.len())
            && ext.starts_with(|c: char| c.is_ascii_alphabetic())
            && ext.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

/// `left-pad@1.3.0` → `left-pad`; `app:v1` → `app`; `pkg==2.1` never comes here (it holds `=`).
fn without_version(text: &str) -> &str {
    for sep in ['@', ':'] {
        if let Some((name, version)) = text.rsplit_once(sep) {
            let digits = version.trim_start_matches('v');
            if digits.starts_with(|c: char| c.is_ascii_digit()) || version == "latest" {
                return name;
            }
        }
    }
    if text.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit()) && text.contains('.') { "" } else { text }
}

/// The program a line is about: of the first working command.
pub(crate) fn topic(line: &str) -> String {
    let script = shell::parse(line);
    let doing = working(&script);
    doing.first().map(|c| program(c).to_owned()).filter(|p| !p.is_empty()).unwrap_or_else(|| "unknown".to_owned())
}

/// Whether a command writes files itself: `cat > f <<`, `sed -i`, a script fed to an interpreter that writes.
pub(crate) fn edits(simple: &Simple<'_>) -> bool {
    let fed = simple.redirects.iter().any(|r| r.op.starts_with("<<"));
    let has = |test: fn(&str) -> bool| simple.words.iter().any(|w| test(&w.text));
    let name = program(simple);
    simple.writes_file()
        || programs::is(name, Role::Editor)
        || fed && programs::is(name, Role::EditorWhenFed)
        || programs::is(name, Role::InPlaceEditor) && has(|w| w.starts_with("-i") || w.starts_with("-pi"))
        || simple.words.get(1).is_some_and(|w| programs::subcommand_is(name, &w.text, Role::Editor))
}

/// The first plain argument of a program, past options that take a value (`git -C dir show` → `show`).
pub(crate) fn subcommand<'s>(simple: &'s Simple<'_>) -> &'s str {
    let mut words = core(simple).iter().skip(1);
    while let Some(word) = words.next() {
        if matches!(
            &*word.text,
            "-C" | "-c"
                | "--git-dir"
                | "--work-tree"
                | "-R"
                | "--repo"
                | "-n"
                | "--namespace"
                | "--prefix"
                | "--cwd"
                | "--filter"
                | "-F"
        ) {
            words.next();
        } else if !word.text.starts_with('-') {
            return &word.text;
        }
    }
    ""
}

/// The task a line is about: `npm run build:prod` → `build`, `git push` → `git-push`.
pub(crate) fn task(line: &str) -> String {
    let normal = normalise(line);
    let first = normal.split(" && ").next().unwrap_or("");
    let mut words = first.split(' ');
    let program = words.next().unwrap_or("");
    let rest: Vec<&str> = words.filter(|w| !matches!(*w, "run" | "run-script" | "exec" | "<url>")).collect();
    match rest.first() {
        Some(task) if programs::is(program, Role::TaskRunner) => task.split(':').next().unwrap_or(task).to_owned(),
        Some(sub) => format!("{program}-{sub}"),
        None => program.to_owned(),
    }
}

/// Whether a canonical command is book-keeping that says nothing about the project.
pub(crate) fn everyday(step: &str) -> bool {
    step.split(" && ").all(|part| {
        let words = || part.split(' ');
        let first = words().next().unwrap_or_default();
        // Also behind a project's own wrapper.
        let mut pairs = words().zip(words().skip(1));
        programs::is(first, Role::Everyday) || pairs.any(|(a, b)| programs::subcommand_is(a, b, Role::Everyday))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_table_holds() {
        for (line, normal) in [
            ("go test ./pkg/auth/...", "go test"),
            ("go test ./pkg/db/...", "go test"),
            ("docker build -t myapp:v1 .", "docker build"),
            ("curl -H \"Auth: xxx\" https://api.example.com/data", "curl <url>"),
        ] {
            assert_eq!(normalise(line), normal, "{line}");
        }
    }

    #[test]
    fn wrappers_paths_versions_and_values_go() {
        for (line, normal) in [
            ("npm install foo@1.2.3", "npm install foo"),
            ("sudo -u postgres psql -c 'select 1'", "psql"),
            ("FOO=1 make build", "make build"),
            ("/usr/bin/python3 manage.py migrate", "python3 migrate"),
            ("cd x && timeout 60 cargo test --release 2>&1 | tail -5", "cargo test"),
            ("bash -lc 'cd a && npm run build:prod'", "npm run build:prod"),
            ("git -C dir status", "git status"),
            ("git commit -m 'a b' && git push origin main", "git commit && git push origin main"),
            ("env -i A=b ls", "ls"),
            ("echo hi", "echo hi"),
        ] {
            assert_eq!(normalise(line), normal, "{line}");
        }
    }

    #[test]
    fn topics_and_tasks() {
        for (line, topic_, task_) in [
            ("git clone https://github.com/example/repo.git", "git", "git-clone"),
            ("npm run build:prod", "npm", "build"),
            ("pip install requests", "pip", "pip-install"),
            ("'quoted' command", "quoted", "quoted-command"),
            ("", "unknown", ""),
            ("go test ./...", "go", "test"),
        ] {
            assert_eq!((topic(line).as_str(), task(line).as_str()), (topic_, task_), "{line}");
        }
    }
}
