//! Secrets known by their place in a protocol: headers, web addresses, program arguments.

use super::context::{clip, operator_end, skip_space, starts};
use super::span::Span;
use super::value::{self, Ends, value_at};
use std::ops::Range;

/// `Authorization: Bearer VALUE` and its like, in any notation.
pub(super) fn authorization(text: &[u8], name: &Range<usize>) -> Option<Span> {
    let from = opening(text, operator_end(text, name)?);
    let value = credential(text, from).or_else(|| {
        let value = value_at(text, from, Ends::AtDelimiter)?;
        value::random(&text[value.span.clone()]).then_some(value.span)
    })?;
    Some(Span::context(value, "authorization"))
}

// After an opening quote, if there is one.
fn opening(text: &[u8], at: usize) -> usize {
    at + usize::from(matches!(text.get(at), Some(b'"' | b'\'' | b'`')))
}

/// `Bearer VALUE` on its own.
pub(super) fn bearer(text: &[u8], name: &Range<usize>) -> Option<Span> {
    let value = credential(text, name.start)?;
    let said = &text[value.clone()];
    (said.len() >= 16 && value::random(said)).then(|| Span::context(value, "authorization"))
}

const SCHEMES: &[&str] =
    &["bearer ", "basic ", "token ", "apikey ", "api-key ", "bot ", "key ", "negotiate ", "splunk "];
// Schemes whose credential is a list of parameters up to the end of the line.
const LISTS: &[&str] = &["digest ", "aws4-hmac-sha256 ", "hawk ", "oauth "];

fn credential(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = &text[at.min(text.len())..];
    if let Some(scheme) = LISTS.iter().find(|scheme| starts(rest, scheme.as_bytes())) {
        let from = at + scheme.len();
        let body = clip(text, from, 2_048);
        let len = body.iter().position(|b| matches!(b, b'\n' | b'\r' | b'\'' | b'`')).unwrap_or(body.len());
        return body[..len].contains(&b'=').then_some(from..from + len);
    }
    let scheme = SCHEMES.iter().find(|scheme| starts(rest, scheme.as_bytes()))?;
    let value = value_at(text, skip_space(text, at + scheme.len()), Ends::AtDelimiter)?;
    let said = &text[value.span.clone()];
    let word = said.iter().all(|b| b.is_ascii_lowercase() || *b == b'-');
    let believed = if *scheme == "basic " {
        said.len() >= 8 && !word && !value::placeholder(said)
    } else {
        value::random(said) || value::chosen(said, false)
    };
    (believed && !value.quoted).then_some(value.span)
}

/// The values in `Cookie: a=VALUE; b=VALUE`; gives where the header ends.
pub(super) fn cookies(text: &[u8], name: &Range<usize>, spans: &mut Vec<Span>) -> usize {
    let Some(from) = operator_end(text, name).map(|at| opening(text, at)) else {
        return name.end;
    };
    let body = clip(text, from, 8_192);
    let len = body.iter().position(|b| matches!(b, b'\n' | b'\r' | b'"' | b'\'' | b'`')).unwrap_or(body.len());
    let mut at = from;
    for pair in body[..len].split(|b| *b == b';') {
        let value = pair.iter().position(|b| *b == b'=').map(|sign| at + sign + 1..at + pair.len());
        if let Some(value) = value {
            let said = &text[value.clone()];
            if value::random(said) || said.len() >= 16 && value::chosen(said, false) {
                spans.push(Span::context(value, "cookie"));
            }
        }
        at += pair.len() + 1;
    }
    from + len
}

const LONGEST_USERINFO: usize = 512; // bytes

/// The password in `scheme://user:VALUE@host`, or a token in place of the user. `at` is behind
/// the two slashes.
pub(super) fn userinfo(text: &[u8], at: usize) -> Option<Span> {
    let rest = clip(text, at, LONGEST_USERINFO);
    let end = rest.iter().position(|b| matches!(b, 0..=b' ' | b'?' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\'));
    let rest = &rest[..end.unwrap_or(rest.len())];
    let host = memchr::memchr(b'/', rest).unwrap_or(rest.len());
    let Some(sign) = memchr::memrchr(b'@', &rest[..host]) else {
        return slashed(rest, at);
    };
    let info = &rest[..sign];
    match memchr::memchr(b':', info) {
        Some(colon) => {
            let (user, said) = (&info[..colon], &info[colon + 1..]);
            let real = said.len() >= 3 && said != user && !value::placeholder(said);
            real.then(|| Span::context(at + colon + 1..at + info.len(), "url-password"))
        }
        None => {
            let real = info.len() >= 16 && value::random(info);
            real.then(|| Span::context(at..at + info.len(), "url-token"))
        }
    }
}

// A password with a slash should have been encoded. Where it was not, it must look generated: a
// port and a path with an `@` in it are far more common.
fn slashed(rest: &[u8], at: usize) -> Option<Span> {
    let info = &rest[..memchr::memrchr(b'@', rest)?];
    let colon = memchr::memchr(b':', info)?;
    let said = &info[colon + 1..];
    let port = said.iter().take_while(|b| b.is_ascii_digit()).count();
    let real = colon < memchr::memchr(b'/', info)? && said.get(port) != Some(&b'/') && value::random(said);
    real.then(|| Span::context(at + colon + 1..at + info.len(), "url-password"))
}

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
    Argument { programs: &["curl"], flag: b"--user", form: Form::AfterColon },
    Argument { programs: &["curl"], flag: b"--proxy-user", form: Form::AfterColon },
    Argument { programs: &["smbclient", "rpcclient", "smbget", "net"], flag: b"-U", form: Form::AfterPercent },
];

/// The secret among a program's arguments. `at` is at the dash of a flag.
pub(super) fn argument(text: &[u8], at: usize) -> Option<Span> {
    let rest = &text[at..];
    let mut known = ARGUMENTS.iter().filter(|argument| rest.starts_with(argument.flag));
    known.find_map(|argument| {
        let after = at + argument.flag.len();
        let spaced = matches!(text.get(after), Some(b' ' | b'\t' | b'='));
        if spaced == (argument.form == Form::Attached) {
            return None;
        }
        let from = if spaced { skip_space(text, after + 1) } else { after };
        let value = value_at(text, from, Ends::AtSpace)?;
        let said = &text[value.span.clone()];
        let skip = match argument.form {
            Form::Attached | Form::Spaced => 0,
            Form::AfterColon => said.iter().position(|b| *b == b':')? + 1,
            Form::AfterPercent => said.iter().position(|b| *b == b'%')? + 1,
        };
        let port = said[skip..].iter().all(|b| b.is_ascii_digit() || *b == b':');
        let real = said.len() - skip >= 4 && !port && !value::placeholder(&said[skip..]) && said.first() != Some(&b'-');
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
