//! Table of agents: where their transcripts and skills live.
//!
//! A new agent is one row here and one file in `core/src/sources`.

use std::path::{Path, PathBuf};

use crate::env_vars;

/// Where one agent keeps its things.
pub struct Agent {
    /// The name of its source in the core.
    pub source: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The variable that moves its folder.
    pub home_var: &'static str,
    /// Its folder under the user's home otherwise.
    pub home: &'static str,
    /// Transcripts, below its folder.
    pub transcripts: &'static [&'static str],
    /// Skills, below its folder.
    pub skills: &'static str,
    /// Skills, below a project.
    pub project_skills: &'static str,
    /// Files that hold the project's own instructions to it.
    pub instructions: &'static [&'static str],
}

/// All agents we read.
pub const AGENTS: &[Agent] = &[
    Agent {
        source: "claude",
        title: "Claude Code",
        home_var: env_vars::CLAUDE_CONFIG_DIR,
        home: ".claude",
        transcripts: &["projects"],
        skills: "skills",
        project_skills: ".claude/skills",
        instructions: &["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"],
    },
    Agent {
        source: "codex",
        title: "Codex CLI",
        home_var: env_vars::CODEX_HOME,
        home: ".codex",
        transcripts: &["sessions", "archived_sessions"],
        skills: "skills",
        project_skills: ".agents/skills",
        instructions: &["AGENTS.md", "AGENTS.override.md"],
    },
];

/// The agent whose transcripts a source reads; Claude Code for sources without an agent of their own.
pub fn agent(source: &str) -> &'static Agent {
    AGENTS.iter().find(|a| a.source == source).unwrap_or(&AGENTS[0])
}

impl Agent {
    /// Its folder on this machine.
    pub fn folder(&self, home: &Path) -> PathBuf {
        env_vars::get(self.home_var).map_or_else(|| home.join(self.home), PathBuf::from)
    }

    /// Its transcript folders on this machine.
    pub fn transcript_folders(&self, home: &Path) -> Vec<PathBuf> {
        let folder = self.folder(home);
        self.transcripts.iter().map(|t| folder.join(t)).collect()
    }
}
