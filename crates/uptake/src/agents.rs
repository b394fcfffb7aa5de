//! Table of agents: where each keeps transcripts, skills and instructions on this machine.
//!
//! Deliberately absent: what is in their files, which is the core's matter. A new agent is one row here and one file in `core/src/sources`.

use std::path::{Path, PathBuf};

use crate::env_vars;

/// Where one agent keeps its things.
pub struct Agent {
    /// The name of its source in the core.
    pub source: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Where it keeps settings and skills.
    pub settings: Folder,
    /// Where it keeps transcripts.
    pub data: Folder,
    /// Transcripts, below that folder.
    pub transcripts: &'static [&'static str],
    /// How their names end.
    pub endings: &'static [&'static str],
    /// How many folders deep they are.
    pub depth: usize,
    /// The variable that may name a database of transcripts elsewhere.
    pub database: Option<&'static str>,
    /// Part of the path of every transcript, where other files lie around.
    pub among: Option<&'static str>,
    /// Skills, below its settings.
    pub skills: &'static str,
    /// Skills, below a project.
    pub project_skills: &'static str,
    /// Files that hold the project's own instructions to it.
    pub instructions: &'static [&'static str],
    /// Folders of Markdown files with more of them, below a project.
    pub project_notes: &'static [&'static str],
    /// The same, below its settings.
    pub user_notes: &'static [&'static str],
    /// What it remembers of a project by itself: below its settings, behind the project's folder spelled as one word.
    pub memories: Option<(&'static str, &'static str)>,
}

/// A folder that a variable may move.
#[derive(Clone, Copy)]
pub struct Folder {
    /// The variable.
    pub var: &'static str,
    /// Below the variable's folder.
    pub in_var: &'static str,
    /// Below the user's home, where the variable is not set.
    pub in_home: &'static str,
}

impl Folder {
    /// Where it is on this machine.
    pub fn on(&self, home: &Path) -> PathBuf {
        match env_vars::get(self.var) {
            Some(moved) if self.in_var.is_empty() => PathBuf::from(moved),
            Some(moved) => Path::new(&moved).join(self.in_var),
            None => home.join(self.in_home),
        }
    }
}

const CLAUDE: Folder = Folder { var: env_vars::CLAUDE_CONFIG_DIR, in_var: "", in_home: ".claude" };
const CODEX: Folder = Folder { var: env_vars::CODEX_HOME, in_var: "", in_home: ".codex" };
const GEMINI: Folder = Folder { var: env_vars::GEMINI_CLI_HOME, in_var: ".gemini", in_home: ".gemini" };

/// All agents we read.
pub const AGENTS: &[Agent] = &[
    Agent {
        source: "claude",
        title: "Claude Code",
        settings: CLAUDE,
        data: CLAUDE,
        transcripts: &["projects"],
        endings: &["jsonl"],
        depth: 12,
        database: None,
        among: None,
        skills: "skills",
        project_skills: ".claude/skills",
        instructions: &["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"],
        project_notes: &[".claude/rules"],
        user_notes: &["rules"],
        memories: Some(("projects", "memory")),
    },
    Agent {
        source: "codex",
        title: "Codex CLI",
        settings: CODEX,
        data: CODEX,
        transcripts: &["sessions", "archived_sessions"],
        endings: &["jsonl"],
        depth: 12,
        database: None,
        among: None,
        skills: "skills",
        project_skills: ".agents/skills",
        instructions: &["AGENTS.md", "AGENTS.override.md"],
        project_notes: &[],
        user_notes: &["memories"],
        memories: None,
    },
    Agent {
        source: "opencode",
        title: "OpenCode",
        settings: Folder { var: env_vars::XDG_CONFIG_HOME, in_var: "opencode", in_home: ".config/opencode" },
        data: Folder { var: env_vars::XDG_DATA_HOME, in_var: "opencode", in_home: ".local/share/opencode" },
        transcripts: &[""],
        endings: &["db"],
        depth: 0,
        database: Some(env_vars::OPENCODE_DB),
        among: None,
        skills: "skills",
        project_skills: ".opencode/skills",
        instructions: &["AGENTS.md"],
        project_notes: &[],
        user_notes: &[],
        memories: None,
    },
    Agent {
        source: "gemini",
        title: "Gemini CLI",
        settings: GEMINI,
        data: GEMINI,
        transcripts: &["tmp"],
        endings: &["jsonl", "json"],
        depth: 4,
        database: None,
        among: Some("chats"),
        skills: "skills",
        project_skills: ".gemini/skills",
        instructions: &["GEMINI.md"],
        project_notes: &[],
        user_notes: &[],
        memories: None,
    },
];

/// The agent whose transcripts a source reads; the first row for sources without an agent of their own.
pub fn agent(source: &str) -> &'static Agent {
    AGENTS.iter().find(|a| a.source == source).unwrap_or(&AGENTS[0])
}

impl Agent {
    /// Its settings on this machine.
    pub fn folder(&self, home: &Path) -> PathBuf {
        self.settings.on(home)
    }

    /// Whether it was ever used on this machine.
    pub fn is_used(&self, home: &Path) -> bool {
        self.folder(home).is_dir() || self.data.on(home).is_dir()
    }

    /// Where it remembers something of a project, by the project's folder.
    pub fn memory(&self, home: &Path, folder: &Path) -> Option<PathBuf> {
        let (above, below) = self.memories?;
        let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let name: String = folder.to_string_lossy().chars().map(word).collect();
        Some(self.folder(home).join(above).join(name).join(below))
    }

    /// Its transcript folders on this machine.
    pub fn transcript_folders(&self, home: &Path) -> Vec<PathBuf> {
        let folder = self.data.on(home);
        self.transcripts.iter().map(|t| if t.is_empty() { folder.clone() } else { folder.join(t) }).collect()
    }
}
