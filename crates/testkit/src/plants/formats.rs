//! The notations a secret is planted in.

use super::encode::{base64, hex, json, percent, unicode};
use super::kinds::KnownBy;

/// A notation.
pub struct Format {
    /// Its name in the list of leaks.
    pub name: &'static str,
    /// Writes a value.
    pub write: fn(&str) -> String,
    /// Its words say that the value is secret, so that anything may be planted in it.
    pub tells: bool,
    /// It stands in a command line as it is; others are quoted there.
    pub shell: bool,
    /// It can hold several lines.
    pub lines: bool,
}

const fn bare(name: &'static str, write: fn(&str) -> String) -> Format {
    Format { name, write, tells: false, shell: false, lines: true }
}

const fn tells(name: &'static str, write: fn(&str) -> String) -> Format {
    Format { name, write, tells: true, shell: false, lines: false }
}

const fn shell(name: &'static str, write: fn(&str) -> String) -> Format {
    Format { name, write, tells: true, shell: true, lines: false }
}

/// All notations.
#[rustfmt::skip]
pub const FORMATS: &[Format] = &[
    bare("raw", str::to_owned),
    bare("quoted", |s| format!("it printed \"{s}\" twice")),
    bare("single quoted", |s| format!("got '{s}' back")),
    bare("json", |s| format!("{{\"note\":\"{}\",\"n\":1}}", json(s))),
    bare("json twice", |s| json(&format!("{{\"note\":\"{}\",\"n\":1}}", json(s)))),
    bare("unicode escapes", |s| format!("\"{}\"", unicode(s.as_bytes()))),
    bare("base64", |s| base64(s.as_bytes())),
    bare("base64 one off", |s| base64(format!(":{s} and more").as_bytes())),
    bare("base64 two off", |s| base64(format!(": {s} and more").as_bytes())),
    bare("hex", |s| hex(s.as_bytes())),
    bare("hex upper case", |s| hex(s.as_bytes()).to_uppercase()),
    bare("percent", |s| format!("q={}&n=1", percent(s.as_bytes()))),
    bare("coloured", |s| format!("\x1b[1;33m{s}\x1b[0m ok")),
    bare("coloured inside", |s| {
        let (a, b) = s.split_at(s.floor_char_boundary(s.len() / 2));
        format!("\x1b[36m{a}\x1b[1m{b}\x1b[0m")
    }),
    Format { lines: false, ..bare("csv", |s| format!("id,value,day\n7,{s},2026-01-02\n8,none,2026-01-03")) },
    Format { lines: false, ..bare("prose", |s| format!("Somebody left {s}, in plain sight.")) },
    bare("parenthesised", |s| format!("(was {s})")),
    bare("element", |s| format!("<v>{s}</v>")),
    bare("heredoc", |s| format!("cat > notes.txt <<'END'\nfirst line\n{s}\nEND")),
    Format { lines: false, ..bare("wrapped", |s| {
        let (a, b) = s.split_at(s.floor_char_boundary(s.len() * 3 / 5));
        format!("{a}\n{b}")
    }) },
    bare("crlf", |s| format!("before\r\n{}\r\nafter\r\n", s.replace('\n', "\r\n"))),
    tells("json password", |s| format!("{{\"user\":\"ann\",\"password\":\"{}\"}}", json(s))),
    tells("json password twice", |s| json(&format!("{{\"user\":\"ann\",\"password\":\"{}\"}}", json(s)))),
    tells("json password, escaped", |s| format!("{{\"password\":\"{}\"}}", unicode(s.as_bytes()))),
    tells("yaml", |s| format!("database:\n  user: ann\n  password: \"{s}\"\n  port: 5432")),
    tells("toml", |s| format!("[database]\npassword = \"{s}\"\nport = 5432")),
    tells("xml", |s| format!("<db><password>{s}</password></db>")),
    tells("csv column", |s| format!("user,password,host\nann,{s},db1")),
    tells("prose password", |s| format!("The password is {s} until Friday.")),
    tells("env crlf", |s| format!("A=1\r\nDB_PASSWORD={s}\r\nB=2")),
    tells("env coloured", |s| format!("\x1b[32mDB_PASSWORD\x1b[0m=\x1b[33m{s}\x1b[0m")),
    tells("env in base64", |s| base64(format!("USER=ann\nDB_PASSWORD={s}\nPORT=1").as_bytes())),
    tells("heredoc env", |s| format!("cat > .env <<'END'\nDB_USER=ann\nDB_PASSWORD={s}\nEND")),
    shell("url user info", |s| format!("https://ann:{}@git.example.com/x.git", percent(s.as_bytes()))),
    shell("url query", |s| format!("'https://api.example.com/v1?page=2&access_token={}&n=1'", percent(s.as_bytes()))),
    shell("header", |s| format!("curl -H 'Authorization: Bearer {s}'")),
    shell("header key", |s| format!("curl -H \"X-Api-Key: {s}\"")),
    shell("attached -p", |s| format!("mysql -h db -u ann -p'{s}'")),
    shell("attached -p, bare", |s| format!("mysql -h db -u ann -p{s} shop")),
    shell("flag equals", |s| format!("--token='{s}'")),
    shell("flag space", |s| format!("--password '{s}' --fast")),
    shell("env", |s| format!("DB_PASSWORD='{s}'")),
    shell("env, bare", |s| format!("API_TOKEN={s}")),
];

impl Format {
    /// Whether a redactor that knows a value in that way can find it in this notation.
    pub fn holds(&self, known_by: KnownBy) -> bool {
        match known_by {
            KnownBy::Shape => true,
            KnownBy::Block => self.lines,
            KnownBy::Name => self.tells,
        }
    }

    /// A value as part of a command line.
    pub fn in_command(&self, secret: &str) -> String {
        let text = (self.write)(secret);
        if self.shell {
            return text;
        }
        // On lines of its own, as it stands.
        if text.contains('\n') {
            return format!("<<'DATA'\n{text}\nDATA");
        }
        format!("--note '{}'", text.replace('\'', "'\\''"))
    }
}
