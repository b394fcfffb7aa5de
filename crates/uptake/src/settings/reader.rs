//! `[reader]` of the user's `config.toml`: which model may read digests, and how much.
//!
//! The section names one reader: `who` for a client that is installed, `command`, `endpoint` or `folder` otherwise. Whatever
//! does not fit together is an error with the next step, before anything is sent anywhere.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};
use toml_edit::{DocumentMut, Item, Table, Value};

use super::{Change, Setting, put, refused, whole};

/// The name of the section, and of the setting that says who.
pub(super) const SECTION: &str = "reader";
/// What says who reads; one of them stands in the section.
const NAMES: [&str; 4] = ["who", "command", "endpoint", "folder"];

const DAYS: RangeInclusive<i64> = 1..=365;
const REQUESTS: RangeInclusive<i64> = 1..=1_000;
const TOKENS: RangeInclusive<i64> = 1_000..=10_000_000;

/// The settings of the reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct ReaderSettings {
    /// Who reads.
    pub who: Who,
    /// How many days back.
    pub days: u32,
    /// Requests a day, at most.
    pub requests_a_day: u32,
    /// Tokens a day, at most.
    pub tokens_a_day: u32,
    /// Whether a client may read sessions of another one.
    pub cross: bool,
}

impl Default for ReaderSettings {
    fn default() -> Self {
        Self { who: Who::Off, days: 30, requests_a_day: 10, tokens_a_day: 100_000, cross: false }
    }
}

/// Who reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Who {
    /// Nobody.
    #[default]
    Off,
    /// Claude Code, as it is installed.
    Claude,
    /// Codex CLI, as it is installed.
    Codex,
    /// OpenCode, as it is installed.
    OpenCode,
    /// Gemini CLI, as it is installed.
    Gemini,
    /// A program and its words: the request on standard input, the answer on standard output.
    Command(Vec<String>),
    /// A model that is asked over HTTP.
    Endpoint(Endpoint),
    /// A folder: requests are written as files, answers are read from files.
    Folder(PathBuf),
}

/// A model that is asked over HTTP.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Endpoint {
    /// Where: `https://…`, or `http://` on this machine.
    pub url: String,
    /// The model's name there.
    pub model: String,
    /// The variable that holds the key, if one is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_variable: Option<String>,
    /// In whose dialect.
    #[serde(default)]
    pub style: Style,
}

/// The dialect of an endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// Chat completions.
    #[default]
    OpenAi,
    /// Messages.
    Anthropic,
}

/// The clients, by the word in the file.
const CLIENTS: [(&str, Who); 5] = [
    ("off", Who::Off),
    ("claude", Who::Claude),
    ("codex", Who::Codex),
    ("opencode", Who::OpenCode),
    ("gemini", Who::Gemini),
];

/// The section as it is written.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Written {
    #[serde(skip_serializing_if = "Option::is_none")]
    who: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint: Option<Endpoint>,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    days: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    requests_a_day: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_a_day: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cross: Option<bool>,
}

impl From<ReaderSettings> for Written {
    fn from(settings: ReaderSettings) -> Self {
        let ReaderSettings { who, days, requests_a_day, tokens_a_day, cross } = settings;
        let mut written = Self {
            days: Some(days),
            requests_a_day: Some(requests_a_day),
            tokens_a_day: Some(tokens_a_day),
            cross: Some(cross),
            ..Self::default()
        };
        match who {
            Who::Command(words) => written.command = Some(words),
            Who::Endpoint(endpoint) => written.endpoint = Some(endpoint),
            Who::Folder(folder) => written.folder = Some(folder),
            client => written.who = Some(client.word().to_owned()),
        }
        written
    }
}

impl TryFrom<Written> for ReaderSettings {
    type Error = anyhow::Error;

    fn try_from(written: Written) -> Result<Self> {
        let usual = Self::default();
        let settings = Self {
            days: written.days.unwrap_or(usual.days),
            requests_a_day: written.requests_a_day.unwrap_or(usual.requests_a_day),
            tokens_a_day: written.tokens_a_day.unwrap_or(usual.tokens_a_day),
            cross: written.cross.unwrap_or(usual.cross),
            who: written.who()?,
        };
        for (name, value, range) in [
            ("days", settings.days, DAYS),
            ("requests-a-day", settings.requests_a_day, REQUESTS),
            ("tokens-a-day", settings.tokens_a_day, TOKENS),
        ] {
            let fits = range.contains(&i64::from(value));
            ensure!(fits, "`reader.{name}` must be {} to {}, not {value}", range.start(), range.end());
        }
        settings.who.check()?;
        Ok(settings)
    }
}

impl Written {
    fn who(self) -> Result<Who> {
        let named = [self.who.is_some(), self.command.is_some(), self.endpoint.is_some(), self.folder.is_some()];
        let named: Vec<&str> = NAMES.into_iter().zip(named).filter(|(_, is)| *is).map(|(name, _)| name).collect();
        if let [first, second, ..] = named[..] {
            bail!("`[reader]` names two readers, `{first}` and `{second}`; keep one of them");
        }
        let Self { who, command, endpoint, folder, .. } = self;
        let other = command.map(Who::Command).or(endpoint.map(Who::Endpoint)).or(folder.map(Who::Folder));
        match (other, who) {
            (Some(other), _) => Ok(other),
            (None, Some(word)) => client(&word).ok_or_else(|| {
                anyhow!("`reader.who` cannot be `{word}`; it can be off, claude, codex, opencode or gemini")
            }),
            (None, None) => Ok(Who::Off),
        }
    }
}

fn client(word: &str) -> Option<Who> {
    CLIENTS.iter().find(|(name, _)| *name == word).map(|(_, who)| who.clone())
}

impl Who {
    /// The first word of how it is typed.
    fn word(&self) -> &'static str {
        match self {
            Self::Command(_) => "command",
            Self::Endpoint(_) => "endpoint",
            Self::Folder(_) => "folder",
            client => CLIENTS.iter().find(|(_, who)| who == client).map_or("off", |(word, _)| word),
        }
    }

    /// As a person types it: what `Who::parse` reads.
    pub fn typed(&self) -> String {
        match self {
            Self::Command(words) => format!("command {}", words.join(" ")),
            Self::Endpoint(Endpoint { url, model, key_variable, style }) => {
                let key = key_variable.as_ref().map(|k| format!(" {k}")).unwrap_or_default();
                let style = if *style == Style::Anthropic { " anthropic" } else { "" };
                format!("endpoint {url} {model}{key}{style}")
            }
            Self::Folder(folder) => format!("folder {}", folder.display()),
            client => client.word().to_owned(),
        }
    }

    /// What a person typed; `None` if it does not fit.
    fn parse(text: &str) -> Option<Self> {
        let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let mut words: Vec<&str> = rest.split_whitespace().collect();
        match first {
            "command" if !words.is_empty() => Some(Self::Command(words.into_iter().map(str::to_owned).collect())),
            "folder" if !words.is_empty() => Some(Self::Folder(PathBuf::from(rest.trim()))),
            "endpoint" => {
                let last = words.last().copied();
                let style = if last == Some("anthropic") { Style::Anthropic } else { Style::OpenAi };
                if matches!(last, Some("anthropic" | "openai")) && words.len() > 2 {
                    words.pop();
                }
                let (&[url, model] | &[url, model, _]) = words.as_slice() else { return None };
                let key_variable = words.get(2).map(|k| (*k).to_owned());
                Some(Self::Endpoint(Endpoint { url: url.to_owned(), model: model.to_owned(), key_variable, style }))
            }
            word if words.is_empty() => client(word),
            _ => None,
        }
    }

    fn check(&self) -> Result<()> {
        match self {
            Self::Command(words) => ensure!(
                words.first().is_some_and(|w| !w.trim().is_empty()),
                "`reader.command` names no program; write it like [\"llm\", \"-m\", \"model\"]"
            ),
            Self::Folder(folder) => ensure!(
                folder.is_absolute() || folder.starts_with("~"),
                "`reader.folder` must be a whole path, such as ~/requests, not `{}`",
                folder.display()
            ),
            Self::Endpoint(endpoint) => endpoint.check()?,
            _ => (),
        }
        Ok(())
    }
}

impl Endpoint {
    fn check(&self) -> Result<()> {
        ensure!(!self.model.trim().is_empty(), "`reader.endpoint` needs the name of a `model`");
        let key = self.key_variable.as_deref().unwrap_or("KEY");
        let is_name = key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && !key.starts_with(|c: char| c.is_ascii_digit())
            && !key.is_empty();
        // What was written may be a key: it is not repeated.
        ensure!(is_name, "`key-variable` must be the name of the variable that holds the key, not the key itself");
        let host = self.host().with_context(|| format!("`{}` is no address of an endpoint", self.url))?;
        ensure!(
            self.url.starts_with("https://") || is_loopback(host),
            "`{}` is not encrypted; it must begin with https://, or be on this machine (localhost, 127.0.0.1, [::1])",
            self.url
        );
        Ok(())
    }

    /// The host of its address, with the port.
    pub fn authority(&self) -> Option<&str> {
        let rest = self.url.strip_prefix("https://").or_else(|| self.url.strip_prefix("http://"))?;
        let authority = rest.split(['/', '?', '#']).next()?;
        // A name and a password before the host belong into a variable.
        (!authority.is_empty() && !authority.contains(['@', ' ', '\\'])).then_some(authority)
    }

    fn host(&self) -> Option<&str> {
        let authority = self.authority()?;
        match authority.strip_prefix('[') {
            Some(v6) => v6.split_once(']').map(|(host, _)| host),
            None => authority.split(':').next().filter(|h| !h.is_empty()),
        }
    }

    /// Whether it is on this machine.
    pub fn is_local(&self) -> bool {
        self.host().is_some_and(is_loopback)
    }
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The settings of the section, as they are shown. The first says who; `Setting::fits` of it is not asked.
pub const READER_KEYS: &[Setting] = &[
    Setting {
        name: SECTION,
        what: "the model that may read digests of your sessions and propose lessons",
        values: "off, claude, codex, opencode, gemini, command WORDS, endpoint URL MODEL [KEY_VARIABLE] [anthropic], folder PATH",
        fits: |_| None,
    },
    Setting { name: "reader.days", what: "days back it may read", values: "1 to 365", fits: |text| whole(text, DAYS) },
    Setting {
        name: "reader.requests-a-day",
        what: "requests to it a day",
        values: "1 to 1000",
        fits: |text| whole(text, REQUESTS),
    },
    Setting {
        name: "reader.tokens-a-day",
        what: "tokens sent to it a day",
        values: "1000 to 10000000",
        fits: |text| whole(text, TOKENS),
    },
    Setting {
        name: "reader.cross",
        what: "a client may read sessions of another one",
        values: "true, false",
        fits: |text| text.parse::<bool>().ok().map(Value::from),
    },
];

/// A setting of the section by its whole name.
pub(super) fn get(settings: &ReaderSettings, name: &str) -> Option<String> {
    Some(match name {
        SECTION => settings.who.typed(),
        "reader.days" => settings.days.to_string(),
        "reader.requests-a-day" => settings.requests_a_day.to_string(),
        "reader.tokens-a-day" => settings.tokens_a_day.to_string(),
        "reader.cross" => settings.cross.to_string(),
        _ => return None,
    })
}

/// Whether a name is one of this section.
pub(super) fn is_ours(name: &str) -> bool {
    READER_KEYS.iter().any(|key| key.name == name)
}

/// Changes a setting of the section.
pub(super) fn set(document: &mut DocumentMut, name: &str, change: &Change<'_>) -> Result<()> {
    let key = READER_KEYS.iter().find(|k| k.name == name).with_context(|| format!("there is no setting `{name}`"))?;
    let text = match change {
        Change::Set(text) => Some(text.trim()),
        Change::Unset => None,
        Change::Add(_) | Change::Remove(_) => bail!("`{name}` is no list"),
    };
    let refused = |text: &str| refused(name, text, key.values);
    let section = document.entry(SECTION).or_insert_with(|| Item::Table(Table::new()));
    let section = section.as_table_mut().context("`reader` is no table; write it as [reader]")?;
    match (name.strip_prefix("reader."), text) {
        (Some(part), Some(text)) => put(section, part, (key.fits)(text).ok_or_else(|| refused(text))?),
        (Some(part), None) => {
            section.remove(part);
        }
        (None, Some(text)) => {
            let who = Who::parse(text).ok_or_else(|| refused(text))?;
            NAMES.into_iter().filter(|n| *n != who.part()).for_each(|n| drop(section.remove(n)));
            put(section, who.part(), who.value());
        }
        (None, None) => NAMES.into_iter().for_each(|n| drop(section.remove(n))),
    }
    // A comment above it is the user's.
    let comment = section.decor().prefix().and_then(|p| p.as_str()).is_some_and(|p| p.contains('#'));
    if section.is_empty() && !comment {
        document.remove(SECTION);
    }
    Ok(())
}

impl Who {
    /// Under which name it stands in the section.
    fn part(&self) -> &'static str {
        match self {
            Self::Command(_) | Self::Endpoint(_) | Self::Folder(_) => self.word(),
            _ => "who",
        }
    }

    fn value(&self) -> Value {
        match self {
            Self::Command(words) => words.iter().map(String::as_str).collect(),
            Self::Folder(folder) => folder.to_string_lossy().into_owned().into(),
            Self::Endpoint(Endpoint { url, model, key_variable, style }) => {
                let mut table = toml_edit::InlineTable::new();
                table.insert("url", url.as_str().into());
                table.insert("model", model.as_str().into());
                if let Some(key) = key_variable {
                    table.insert("key-variable", key.as_str().into());
                }
                if *style == Style::Anthropic {
                    table.insert("style", "anthropic".into());
                }
                table.into()
            }
            client => client.word().into(),
        }
    }
}

/// A folder as it was written, with `~` for the user's home.
pub fn expanded(folder: &Path, home: &Path) -> PathBuf {
    folder.strip_prefix("~").map_or_else(|_| folder.to_owned(), |rest| home.join(rest))
}

#[cfg(test)]
mod tests;
