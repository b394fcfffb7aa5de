//! The secrets of an environment file, to be known before anything is read.
//!
//! Comes in: the text of a `.env` file. Goes out: those values in it that deserve to be found again
//! wherever they turn up. Taken are values under a secret's name, passwords inside addresses and
//! connection strings, and whatever has the shape of a token. Deliberately not taken: what would
//! turn up in every other sentence (`true`, `development`, host names, paths, numbers) and what only
//! stands in for a secret.

use super::layers::escapes;
use super::named::names::secret_name;
use super::scan;
use super::shapes::code::is_path;
use super::shapes::looks;
use super::shapes::placeholder::placeholder;

const SHORTEST: usize = 8; // bytes; shorter values occur by chance
const LONGEST: usize = 32 * 1024; // bytes of one quoted value; a quote that never closes ends with its line

/// The values of a `.env` file that should be known as secrets, each once, in the order of the file.
pub fn dotenv_values(text: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    let entries = Entries { rest: text.strip_prefix('\u{feff}').unwrap_or(text) };
    for (name, value) in entries {
        for secret in secrets(name, &value) {
            if secret.len() >= SHORTEST && !values.contains(&secret) {
                values.push(secret);
            }
        }
    }
    values
}

fn secrets(name: &str, value: &str) -> Vec<String> {
    let value = value.trim();
    if secret_name(name) && !harmless(value) {
        return vec![value.to_string()];
    }
    // Under any other name, only the parts of the value that show a secret by themselves.
    let spans = scan::scan(value.as_bytes(), None);
    let parts = spans.iter().filter_map(|span| value.get(span.place.clone()));
    parts.flat_map(|part| [Some(part.to_string()), unescaped(part)]).flatten().collect()
}

// A password inside an address is percent-encoded there and plain elsewhere.
fn unescaped(part: &str) -> Option<String> {
    let view = escapes::unescape(part.as_bytes(), 0..part.len())?;
    String::from_utf8(view.bytes).ok()
}

// Would this value turn up where nobody meant the secret?
fn harmless(value: &str) -> bool {
    let bytes = value.as_bytes();
    let plain_word = PLAIN.iter().any(|word| value.eq_ignore_ascii_case(word));
    plain_word || number(bytes) || host(value) || placeholder(bytes) || is_path(bytes)
}

#[rustfmt::skip]
const PLAIN: &[&str] = &[
    "development", "production", "localhost", "127.0.0.1", "disabled", "required", "optional", "undefined", "database",
    "username", "internal", "external", "standard", "verbose", "warning", "anonymous", "unlimited", "automatic",
];

fn number(value: &[u8]) -> bool {
    value.iter().all(|b| b.is_ascii_digit() || b"+-.,_:".contains(b))
}

// `db.internal.test`, `cache:6379`: labels and dots, the last label a word, perhaps a port.
fn host(value: &str) -> bool {
    let (name, port) = value.rsplit_once(':').unwrap_or((value, "0"));
    let label = |label: &str| {
        !label.is_empty() && label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    let last = name.rsplit('.').next().unwrap_or_default();
    let dotted = name.contains('.') && name.split('.').all(label) && last.bytes().all(|b| b.is_ascii_lowercase());
    let ported = value.contains(':') && label(name) && !port.is_empty() && port.len() <= 5;
    port.bytes().all(|b| b.is_ascii_digit()) && (ported || dotted && !looks::random(name.as_bytes()))
}

// `NAME=VALUE`, one after the other; lines that are none are passed over.
struct Entries<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Entries<'t> {
    type Item = (&'t str, String);

    fn next(&mut self) -> Option<Self::Item> {
        while !self.rest.is_empty() {
            let (line, after) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
            let Some((name, value)) = assignment(line) else {
                self.rest = after;
                continue;
            };
            return Some((name, self.value(value, after)));
        }
        None
    }
}

impl<'t> Entries<'t> {
    // The value that begins at byte `from` of what is left; `after` is what follows its line.
    fn value(&mut self, from: usize, after: &'t str) -> String {
        let text = &self.rest[from..];
        let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
        let closed = quote.and_then(|quote| closing(&text[1..], quote));
        if let (Some(quote), Some(len)) = (quote, closed) {
            let tail = &text[len + 2..];
            self.rest = tail.split_once('\n').map_or("", |(_, after)| after);
            let body = text[1..=len].replace("\r\n", "\n");
            return if quote == '"' { unquoted(&body) } else { body };
        }
        self.rest = after;
        let line = text.split('\n').next().unwrap_or_default();
        let end = line.match_indices('#').find(|(at, _)| line[..*at].ends_with([' ', '\t']) || *at == 0);
        let bare = end.map_or(line, |(at, _)| &line[..at]).trim();
        bare.trim_start_matches(['"', '\'', '`']).to_string()
    }
}

// The name on a line, and where its value begins.
fn assignment(line: &str) -> Option<(&str, usize)> {
    let start = line.len() - line.trim_start().len();
    let body = &line[start..];
    let lead =
        ["export ", "export\t", "set "].iter().find(|word| body.starts_with(**word)).map_or(0, |word| word.len());
    let sign = body.find('=')?;
    let name = body.get(lead..sign)?.trim();
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    if name.is_empty() || !name.chars().all(part) {
        return None;
    }
    let value = &body[sign + 1..];
    let gap = value.len() - value.trim_start_matches([' ', '\t']).len();
    Some((name, start + sign + 1 + gap))
}

fn closing(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    text.bytes().take(LONGEST).position(|b| {
        let closes = char::from(b) == quote && !escaped;
        escaped = b == b'\\' && !escaped && quote == '"';
        closes
    })
}

fn unquoted(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut chars = body.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some(c @ ('"' | '\\' | '$' | '\'' | '`')) => out.push(c),
            Some(c) => out.extend(['\\', c]),
            None => out.push('\\'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[&str]) {
        assert_eq!(dotenv_values(text), expect, "{text:?}");
    }

    #[test]
    fn every_way_to_write_a_value_is_read() {
        for text in [
            "DB_PASSWORD=swordfish-9\n",
            "DB_PASSWORD=swordfish-9",
            "export DB_PASSWORD=swordfish-9\n",
            "  export\tDB_PASSWORD = swordfish-9  \n",
            "\u{feff}DB_PASSWORD=swordfish-9\r\nA=1\r\n",
            "DB_PASSWORD='swordfish-9' # the old one\n",
            "DB_PASSWORD=\"swordfish-9\"\r\n",
            "DB_PASSWORD=`swordfish-9`\n",
            "DB_PASSWORD=swordfish-9 # the old one\n",
            "# a comment\n\nnot an entry\nDB_PASSWORD=swordfish-9\n#DB_PASSWORD=x\n",
            "db.password=swordfish-9\n",
            "DB_PASSWORD=\"swordfish-9\nNEXT=1\n",
        ] {
            check(text, &["swordfish-9"]);
        }
        check("DB_PASSWORD='hash#inside'\nB_PASSWORD=hash#inside2", &["hash#inside", "hash#inside2"]);
        check(r#"DB_PASSWORD="say \"friend\" \\ \$5""#, &[r#"say "friend" \ $5"#]);
        check(r"DB_PASSWORD='say \n friend'", &[r"say \n friend"]);
    }

    #[test]
    fn a_quoted_value_may_span_lines() {
        check(
            "API_SECRET=\"first line\nsecond line\"\nDB_PASSWORD=swordfish-9",
            &["first line\nsecond line", "swordfish-9"],
        );
        check("API_SECRET=\"first line\\nsecond line\"\n", &["first line\nsecond line"]);
        check("API_SECRET='first line\r\nsecond line'\r\n", &["first line\nsecond line"]);
    }

    #[test]
    fn the_name_need_not_tell_where_the_value_does() {
        let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        check(&format!("CI={token}\n"), &[&token]);
        check("DATABASE_URL=postgres://bob:opensesame@db/x\n", &["opensesame"]);
        check("DATABASE_URL=postgres://bob:open%40sesame@db/x\n", &["open%40sesame", "open@sesame"]);
        check("DSN='Server=db;User Id=sa;Password=opensesame1;'\n", &["opensesame1"]);
    }

    #[test]
    fn what_anyone_would_write_is_not_known() {
        for value in [
            "true",
            "development",
            "production",
            "short",
            "/run/secrets/password",
            "./keys/private.pem",
            "https://host.test/a",
            "localhost",
            "db.internal.test",
            "cache-server:6379",
            "12345678901",
            "changeme",
            "changeme-now",
            "your-key-here",
            "<your api key>",
            "xxxxxxxx",
            "${OTHER}",
            "$OTHER_NAME",
            "placeholder",
            "\"\"",
            "********",
            "1.25.300",
            "replace_me_now",
        ] {
            check(&format!("API_TOKEN={value}\nDB_PASSWORD={value}\n"), &[]);
        }
        check("NAME=swordfish-9\nPUBLIC_URL=https://host.test/abc\nPATH=/usr/bin:/bin\nPORT=3000\n", &[]);
    }

    #[test]
    fn each_value_is_given_once() {
        check("A_PASSWORD=swordfish-9\nB_PASSWORD=swordfish-9\n", &["swordfish-9"]);
    }

    #[test]
    fn damage_does_no_harm() {
        for text in [
            "",
            "=",
            "A",
            "A=",
            "A='",
            "A=\"\\",
            "export ",
            "export =x",
            "\u{feff}",
            "é=é",
            "PASSWORD=é'\"`",
            "A_PASSWORD=\"é\né",
        ] {
            dotenv_values(text);
        }
    }
}
