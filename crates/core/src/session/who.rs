//! Which product wrote a session, and which agent worked in it.
//!
//! The words are those of the store and of `--json`; they never change.

use std::fmt;

/// A product whose sessions we know.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceName {
    /// Claude Code.
    Claude,
    /// Codex CLI.
    Codex,
    /// OpenCode.
    OpenCode,
    /// Gemini CLI.
    Gemini,
    /// Messages in the style of the OpenAI chat API.
    OpenAi,
    /// A tool whose files were imported, or one that a later release knows; its word is kept.
    Other(String),
}

impl SourceName {
    /// The word used in `--json` output and in the store.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::Gemini => "gemini",
            Self::OpenAi => "openai",
            Self::Other(word) => word,
        }
    }

    /// Reads the word back.
    pub fn parse(word: &str) -> Self {
        match word {
            "claude" => Self::Claude,
            "codex" => Self::Codex,
            "opencode" => Self::OpenCode,
            "gemini" => Self::Gemini,
            "openai" => Self::OpenAi,
            other => Self::Other(other.to_owned()),
        }
    }
}

/// Not known yet.
impl Default for SourceName {
    fn default() -> Self {
        Self::Other(String::new())
    }
}

impl fmt::Display for SourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The agent that worked in a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Agent {
    /// The one a person talks to.
    #[default]
    Main,
    /// One that another agent started. That agent's words are what it is told.
    Sub,
}

impl Agent {
    /// The word used in `--json` output and in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Sub => "subagent",
        }
    }

    /// Reads the word back; an unknown word is never read as the agent that a person talks to.
    pub fn parse(word: &str) -> Self {
        if word == "main" { Self::Main } else { Self::Sub }
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::SOURCES;

    #[test]
    fn every_source_we_read_has_a_name_of_its_own_and_no_word_is_lost() {
        for source in SOURCES {
            let name = SourceName::parse(source.name);
            assert!(!matches!(name, SourceName::Other(_)), "{}", source.name);
            assert_eq!(name.as_str(), source.name);
        }
        assert_eq!(SourceName::parse("homunculus").as_str(), "homunculus");
    }

    #[test]
    fn only_the_word_main_is_the_agent_a_person_talks_to() {
        for agent in [Agent::Main, Agent::Sub] {
            assert_eq!(Agent::parse(agent.as_str()), agent);
        }
        assert_eq!(Agent::parse("reviewer"), Agent::Sub);
    }
}
