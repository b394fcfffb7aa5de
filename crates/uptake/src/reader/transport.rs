//! A prompt → the user's own model → its answer.
//!
//! Whoever reads, the request is the same text, and so is what is done with the answer. It opens with a mark, by which the session
//! a client makes of it is recognised and never read (`READER_MARK`).

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use uptake_core::reader::{Ask, Trouble};
use uptake_core::redact::Redactor;
use uptake_core::session::READER_MARK;

use super::client::{Client, silent};
use super::process::Job;
use super::trouble::LastTrouble;
use super::{endpoint, files, signals, trouble};
use crate::env_vars;
use crate::known_secrets::KnownSecrets;
use crate::settings::reader::{Endpoint, expanded};
use crate::settings::{ReaderSettings, Who};
use crate::world::World;

/// Bytes of an answer. The longest that was asked for has 20 kB.
pub(super) const ANSWER_LIMIT: usize = 1024 * 1024;
/// How long a program of the user's may take.
const DEADLINE: Duration = Duration::from_secs(300);

/// A model that can be asked.
pub struct Reader {
    way: Way,
    name: String,
    home: PathBuf,
    data: PathBuf,
    now: i64,
}

enum Way {
    Client(&'static Client),
    Command(Vec<String>),
    Endpoint(Endpoint),
    Folder(PathBuf),
}

impl Reader {
    /// The reader of the settings; `None` if it is off, or if we were started by one.
    pub fn of(settings: &ReaderSettings, world: &World) -> Result<Option<Self>> {
        let client = |source| Client::of(source).map(|c| (c.title.to_owned(), Way::Client(c)));
        let way = match &settings.who {
            Who::Off => None,
            _ if env_vars::is_readers() => None,
            Who::Claude => client("claude"),
            Who::Codex => client("codex"),
            Who::OpenCode => client("opencode"),
            Who::Gemini => client("gemini"),
            Who::Command(words) => {
                let program = words.first().map(String::as_str).unwrap_or_default();
                Some((format!("the command `{program}`"), Way::Command(words.clone())))
            }
            Who::Endpoint(endpoint) => {
                let at = endpoint.authority().unwrap_or(&endpoint.url);
                Some((format!("{} at {at}", endpoint.model), Way::Endpoint(endpoint.clone())))
            }
            Who::Folder(folder) => {
                let folder = expanded(folder, &world.home);
                Some((format!("the folder `{}`", folder.display()), Way::Folder(folder)))
            }
        };
        let (home, data, now) = (world.home.clone(), world.data.clone(), world.now);
        Ok(way.map(|(name, way)| Self { way, name, home, data, now }))
    }

    /// Its name for people: "tokens of your Claude Code".
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The source whose sessions it wrote itself, if it is a client.
    pub fn source(&self) -> Option<&'static str> {
        if let Way::Client(client) = &self.way { Some(client.source) } else { None }
    }

    /// Whether all is there that can be seen without asking: where it is, if its name does not say it, or what is missing.
    pub fn standing(&self) -> Result<Option<String>, Trouble> {
        match &self.way {
            Way::Client(client) => {
                let found = client.found(&self.home).ok_or_else(|| client.missing())?;
                Ok(Some(format!("`{}`", found.display())))
            }
            Way::Endpoint(endpoint) => endpoint::key(endpoint).map(|_| None),
            Way::Command(_) | Way::Folder(_) => Ok(None),
        }
    }

    /// Asks once. What went wrong is kept for `uptake doctor` until it answers again.
    pub fn ask(&self, ask: &Ask<'_>) -> Result<String, Trouble> {
        let redactor = KnownSecrets::from_env().redactor(None);
        let answer = self.answer(ask.id, &request(ask, &redactor)).and_then(|text| {
            if text.len() > ANSWER_LIMIT { Err(Trouble::TooLong) } else { Ok(bare(&text).to_owned()) }
        });
        match &answer {
            Ok(_) | Err(Trouble::NotReady(_)) => LastTrouble::is_over(&self.data),
            Err(what) => {
                let (reader, what) = (self.name.clone(), what.to_string());
                LastTrouble { at: self.now, reader, what }.keep(&self.data);
            }
        }
        answer
    }

    fn answer(&self, id: &str, request: &str) -> Result<String, Trouble> {
        match &self.way {
            Way::Client(client) => signals::held(|| client.ask(&self.home, &self.data, request)),
            Way::Command(words) => signals::held(|| run(words, &self.home, request)),
            Way::Endpoint(endpoint) => endpoint::ask(endpoint, request),
            Way::Folder(folder) => files::ask(folder, id, request),
        }
    }
}

/// The whole text of a request: this, and nothing else of ours, is sent. Secrets were taken out before, and are once more.
fn request(ask: &Ask<'_>, redactor: &Redactor) -> String {
    let Ask { prompt, schema, .. } = ask;
    let prompt = redactor.clean(prompt);
    format!(
        "{READER_MARK}\n\n{}\n\nAnswer with one JSON object that fits this JSON schema, and nothing else:\n\n```json\n{}\n```\n",
        prompt.trim(),
        schema.trim()
    )
}

/// The answer itself: models think aloud before it, and put a fence around it.
fn bare(text: &str) -> &str {
    let text = text.trim();
    let text =
        text.strip_prefix("<think>").and_then(|t| t.split_once("</think>")).map_or(text, |(_, after)| after.trim());
    let fenced = text.strip_prefix("```").and_then(|t| t.strip_suffix("```"));
    fenced.and_then(|t| t.split_once('\n')).map_or(text, |(_, inside)| inside.trim())
}

/// A program of the user's, in an empty folder.
fn run(words: &[String], home: &Path, request: &str) -> Result<String, Trouble> {
    let Some((program, args)) = words.split_first() else {
        return Err(Trouble::Unavailable("no program is named".to_owned()));
    };
    let folder = tempfile::Builder::new().prefix("uptake-reader-").tempdir();
    let folder = folder.map_err(|e| trouble::of_file(&std::env::temp_dir(), &e))?;
    let job = Job {
        program: expanded(Path::new(program), home),
        args: args.iter().map(Into::into).collect(),
        env: Vec::new(),
        folder: folder.path(),
        input: request,
        deadline: DEADLINE,
    };
    let ended = job.run()?;
    if ended.success && !ended.out.trim().is_empty() { Ok(ended.out) } else { Err(silent(&ended, None)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_says_first_that_it_is_ours_and_holds_prompt_and_schema_once() {
        let ask = Ask { id: "x", prompt: "\nwhat? API_TOKEN=hunter2hunter2\n", schema: "{\"type\": \"object\"}\n" };
        let request = request(&ask, &Redactor::with_known([]));
        assert!(!request.contains("hunter2"), "{request}");
        assert_eq!(request.lines().next(), Some(READER_MARK));
        for part in [READER_MARK, "what?", "{\"type\": \"object\"}"] {
            assert_eq!(request.matches(part).count(), 1, "{part}");
        }
    }

    #[test]
    fn an_answer_is_taken_out_of_its_wrapping() {
        for text in [
            "{\"a\": 1}",
            " {\"a\": 1}\n",
            "```json\n{\"a\": 1}\n```",
            "```\n{\"a\": 1}\n```\n",
            "<think>\nhm, {\"a\": 2}?\n</think>\n\n```json\n{\"a\": 1}\n```",
        ] {
            assert_eq!(bare(text), "{\"a\": 1}", "{text}");
        }
        for text in ["", "```", "```json", "here: {\"a\": 1}", "<think> for ever"] {
            assert_eq!(bare(text), text, "left to whoever checks it");
        }
    }
}
