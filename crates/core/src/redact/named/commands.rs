//! Secrets known by the command they stand in: arguments of programs that take a password, what is piped into programs that
//! ask for one, and what a build log is told to hide.
//!
//! Comes in: a text and the place of the flag or word that gives the command away. Goes out: the secret.

use super::belief::{Named, keeps};
use super::value::{Ends, Value, value_at};
use crate::redact::bytes::{clip, find, skip_space, starts};
use crate::redact::shapes::looks;
use crate::redact::shapes::placeholder::placeholder;
use crate::redact::span::Span;
use std::ops::Range;

struct Argument {
    programs: &'static [&'static str],
    flag: &'static [u8],
    form: Form,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `-pVALUE`
    Attached,
    /// `-p VALUE`
    Spaced,
    /// `-u USER:VALUE`, attached or not
    AfterColon,
    /// `-U USER%VALUE`
    AfterPercent,
}

#[rustfmt::skip]
const ARGUMENTS: &[Argument] = &[
    Argument { programs: &["mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlshow", "mysqlcheck", "mysqlsh", "mariadb",
        "mariadb-dump", "mariadb-admin", "mycli", "sshpass", "7z", "7za", "7zz", "rar", "unrar", "mongo", "mongosh"],
        flag: b"-p", form: Form::Attached },
    Argument { programs: &["sshpass", "docker", "podman", "buildah", "skopeo", "helm", "oras", "nerdctl", "mongo", "mongosh",
        "mongodump", "mongorestore", "mongoimport", "mongoexport", "az", "vault", "cf", "oc", "argocd"],
        flag: b"-p", form: Form::Spaced },
    Argument { programs: &["zip", "unzip", "sqlcmd", "bcp", "isql"], flag: b"-P", form: Form::Spaced },
    Argument { programs: &["sqlcmd", "bcp", "unzip"], flag: b"-P", form: Form::Attached },
    Argument { programs: &["redis-cli", "valkey-cli", "http", "https"], flag: b"-a", form: Form::Spaced },
    Argument { programs: &["ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldapwhoami", "ldappasswd"],
        flag: b"-w", form: Form::Spaced },
    Argument { programs: &["curl", "wget", "lftp", "http", "hurl", "xh", "ab", "mvn"], flag: b"-u", form: Form::AfterColon },
    Argument { programs: &["curl", "wget"], flag: b"-U", form: Form::AfterColon },
    Argument { programs: &["ssh-keygen"], flag: b"-N", form: Form::Spaced },
    Argument { programs: &["secret"], flag: b"-b", form: Form::Attached },
    Argument { programs: &["secret"], flag: b"-b", form: Form::Spaced },
    Argument { programs: &["secret"], flag: b"--body", form: Form::Spaced },
    Argument { programs: &["curl"], flag: b"--user", form: Form::AfterColon },
    Argument { programs: &["curl"], flag: b"--proxy-user", form: Form::AfterColon },
    Argument { programs: &["smbclient", "rpcclient", "smbget", "net"], flag: b"-U", form: Form::AfterPercent },
];

/// The secret among a program's arguments. `at` is at the dash of a flag.
pub(in crate::redact) fn argument(text: &[u8], at: usize) -> Option<Span> {
    let rest = &text[at..];
    let mut known = ARGUMENTS.iter().filter(|argument| rest.starts_with(argument.flag));
    known.find_map(|argument| {
        let after = at + argument.flag.len();
        let spaced = matches!(text.get(after), Some(b' ' | b'\t' | b'='));
        let fits = match argument.form {
            Form::Attached => !spaced,
            Form::Spaced => spaced,
            Form::AfterColon | Form::AfterPercent => true,
        };
        if !fits {
            return None;
        }
        let from = if spaced { skip_space(text, after + 1) } else { after };
        // A trace puts the quote before the flag.
        let around = text[..at].last().copied().filter(|b| matches!(b, b'\'' | b'"'));
        let value = match around.and_then(|quote| memchr::memchr(quote, clip(text, from, LONGEST_COMMAND))) {
            Some(len) => Value { span: from..from + len, quoted: true },
            None => value_at(text, from, Ends::AtSpace)?,
        };
        let said = &text[value.span.clone()];
        let skip = match argument.form {
            Form::Attached | Form::Spaced => 0,
            Form::AfterColon => said.iter().position(|b| *b == b':')? + 1,
            Form::AfterPercent => said.iter().position(|b| *b == b'%')? + 1,
        };
        let port = said[skip..].iter().all(|b| b.is_ascii_digit() || *b == b':');
        let real = said.len() - skip >= 4 && !port && !placeholder(&said[skip..]) && said.first() != Some(&b'-');
        // The program last: looking back for it costs most.
        let runs = real && runs(command_before(text, at), argument.programs);
        runs.then(|| Span::context(value.span.start + skip..value.span.end, "password"))
    })
}

const LONGEST_COMMAND: usize = 400; // bytes looked back for the program

// What stands before a flag in the same command; a backslash continues the line.
fn command_before(text: &[u8], at: usize) -> &[u8] {
    let from = at.saturating_sub(LONGEST_COMMAND);
    let start = (from..at).rev().find(|&i| match text[i] {
        b'\n' => !text[..i].ends_with(b"\\") && !text[..i].ends_with(b"\\\r"),
        b'|' | b';' | b'(' => true,
        b'&' => text.get(i + 1) == Some(&b'&'),
        _ => false,
    });
    &text[start.map_or(from, |i| i + 1)..at]
}

fn runs(command: &[u8], programs: &[&str]) -> bool {
    let mut words =
        command.split(|b| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'`' | b'/' | b'$' | b'&' | b':'));
    words.any(|word| programs.iter().any(|program| word == program.as_bytes()))
}

/// What is piped into a program that reads a password there: `echo VALUE | login --password-stdin`.
/// `at` is where the telling word stands.
pub(in crate::redact) fn piped(text: &[u8], at: usize) -> Option<Span> {
    let from = at.saturating_sub(LONGEST_COMMAND);
    let line = from + memchr::memrchr(b'\n', &text[from..at]).map_or(0, |i| i + 1);
    let pipe = line + memchr::memrchr(b'|', &text[line..at])?;
    let command =
        line + text[line..pipe].iter().rposition(|b| matches!(b, b';' | b'&' | b'|' | b'(')).map_or(0, |i| i + 1);
    let words = &text[command..pipe];
    let echo =
        ["echo ", "printf "].iter().find_map(|program| find(words, program.as_bytes()).map(|i| i + program.len()))?;
    let mut at = skip_space(text, command + echo);
    // Options and the format of `printf`.
    while matches!(clip(text, at, 2), [b'-', _] | [b'%', _]) || matches!(clip(text, at, 3), [b'\'' | b'"', b'%', _]) {
        at = skip_space(text, at + text.get(at..pipe)?.iter().position(|b| *b == b' ')?);
    }
    let value = value_at(text, at, Ends::AtSpace).filter(|value| value.span.end <= pipe)?;
    let said = &text[value.span.clone()];
    // A name may stand before it, as in a list of accounts.
    let name = said.iter().position(|b| *b == b':').filter(|i| said[..*i].iter().all(u8::is_ascii_lowercase));
    let start = value.span.start + name.map_or(0, |i| i + 1);
    looks::literal(&text[start..value.span.end]).then(|| Span::context(start..value.span.end, "password"))
}

/// `--from-literal=name=VALUE` and `secrets set NAME=VALUE`: whatever the name, the value is secret.
/// `at` is behind the telling word.
pub(in crate::redact) fn literals(text: &[u8], at: usize) -> Vec<Span> {
    let rest = clip(text, at, LONGEST_COMMAND);
    let line = &rest[..rest.iter().position(|b| matches!(b, b'\n' | b'|' | b';')).unwrap_or(rest.len())];
    let mut spans = Vec::new();
    let mut from = 0;
    while let Some(sign) = memchr::memchr(b'=', &line[from..]).map(|i| from + i) {
        from = sign + 1;
        let name = line[..sign].iter().rev().take_while(|b| b.is_ascii_alphanumeric() || b"_.-".contains(b)).count();
        let before = line[..sign - name].last();
        if name == 0
            || !matches!(before, None | Some(b' ' | b'=' | b'\'' | b'"'))
            || line[sign - name..].starts_with(b"-")
        {
            continue;
        }
        let Some(value) = value_at(text, at + sign + 1, Ends::AtSpace) else { continue };
        if looks::literal(&text[value.span.clone()]) {
            from = (value.span.end - at).max(from);
            spans.push(Span::context(value.span, "secret"));
        }
        if from >= line.len() {
            break;
        }
    }
    spans
}

/// `htpasswd -b FILE USER VALUE`: the last of three words.
pub(in crate::redact) fn htpasswd(text: &[u8], name: &Range<usize>) -> Option<Span> {
    let line = clip(text, name.end, LONGEST_COMMAND);
    let line = &line[..line.iter().position(|b| matches!(b, b'\n' | b'|' | b';' | b'&')).unwrap_or(line.len())];
    let mut at = 0;
    let mut words = Vec::new();
    let mut batch = false;
    for word in line.split(|b| *b == b' ') {
        if word.first() == Some(&b'-') {
            batch |= word.contains(&b'b');
        } else if !word.is_empty() {
            words.push(name.end + at);
        }
        at += word.len() + 1;
    }
    let third = words.get(2).filter(|_| batch)?;
    let value = value_at(text, *third, Ends::AtSpace)?;
    looks::literal(&text[value.span.clone()]).then(|| Span::context(value.span, "password"))
}

/// What follows `::add-mask::`, up to the end of the line or the quote around it.
pub(in crate::redact) fn masked(text: &[u8], at: usize) -> Option<Span> {
    let value = value_at(text, at, Ends::AtSpace)?;
    looks::literal(&text[value.span.clone()]).then(|| Span::context(value.span, "secret"))
}

/// `ConvertTo-SecureString -String 'VALUE' -AsPlainText -Force`; the flag may be missing. `at` is behind the command.
pub(in crate::redact) fn secure_string(text: &[u8], at: usize) -> Option<Span> {
    const FLAGS: &[&str] = &["-String ", "-AsPlainText ", "-Force "];
    let mut from = skip_space(text, at);
    while let Some(flag) = FLAGS.iter().find(|flag| starts(&text[from..], flag.as_bytes())) {
        from = skip_space(text, from + flag.len());
    }
    let value = value_at(text, from, Ends::AtSpace).filter(|value| value.quoted)?;
    looks::literal(&text[value.span.clone()]).then(|| Span::context(value.span, "password"))
}

/// `echo VALUE | store create NAME`, `echo VALUE > folder/NAME`: what is written goes where the name says.
pub(super) fn echoed(named: &Named) -> Option<Range<usize>> {
    let text = named.text;
    let from = named.name.start.saturating_sub(LONGEST_COMMAND);
    let line = from + memchr::memrchr(b'\n', &text[from..named.name.start]).map_or(0, |at| at + 1);
    let echo = [&b"echo "[..], b"printf "]
        .iter()
        .find_map(|word| memchr::memmem::find(&text[line..named.name.start], word).map(|at| line + at + word.len()))?;
    let mut at = skip_space(text, echo);
    while matches!(clip(text, at, 3), [b'-', b'n' | b'e', b' ']) {
        at = skip_space(text, at + 3);
    }
    let value = value_at(text, at, Ends::AtSpace)?;
    let rest = text.get(value.span.end + usize::from(value.quoted)..named.name.start)?;
    let into = matches!(rest.trim_ascii_start().first(), Some(b'|' | b'>'));
    let said = &text[value.span.clone()];
    (into && (looks::random(said) || keeps(named.meaning, said, true))).then_some(value.span)
}
