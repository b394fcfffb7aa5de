//! Every environment variable we read, in one place.

/// Where uptake keeps its data; overrides the platform's data directory.
pub const UPTAKE_HOME: &str = "UPTAKE_HOME";
/// Any value but `0` switches the hooks off: they answer nothing.
pub const UPTAKE_OFF: &str = "UPTAKE_OFF";
/// `0`: nothing is withheld to see what happens without it.
pub const UPTAKE_HOLDOUT: &str = "UPTAKE_HOLDOUT";
/// Set by us for the program of a reader: whoever is started by it asks no reader again.
pub const UPTAKE_READER: &str = "UPTAKE_READER";
/// Milliseconds after which a hook ends, whatever it was doing, if not 250; for tests and very slow machines.
pub const UPTAKE_HOOK_MS: &str = "UPTAKE_HOOK_MS";
/// The time to go by instead of the clock's, such as `2026-11-16T12:00:00Z`, or in milliseconds since 1970; for tests.
pub const UPTAKE_NOW: &str = "UPTAKE_NOW";
/// Claude Code's folder, if not `~/.claude`.
pub const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
/// The session in which Claude Code runs a command.
pub const CLAUDE_CODE_SESSION_ID: &str = "CLAUDE_CODE_SESSION_ID";
/// The session in which Gemini CLI runs a hook.
pub const GEMINI_SESSION_ID: &str = "GEMINI_SESSION_ID";
/// Codex's folder, if not `~/.codex`.
pub const CODEX_HOME: &str = "CODEX_HOME";
/// The folder in which Gemini CLI's `.gemini` is, if not the home folder.
pub const GEMINI_CLI_HOME: &str = "GEMINI_CLI_HOME";
/// A file of settings that OpenCode reads beside those in its folder.
pub const OPENCODE_CONFIG: &str = "OPENCODE_CONFIG";
/// Where programs are looked for.
pub const PATH: &str = "PATH";
/// OpenCode's database, if it is an absolute path.
pub const OPENCODE_DB: &str = "OPENCODE_DB";
/// Where programs keep their data, if not `~/.local/share`; OpenCode does, on every system.
pub const XDG_DATA_HOME: &str = "XDG_DATA_HOME";
/// Where programs keep their settings, if not `~/.config`.
pub const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
/// Any value: no colours.
pub const NO_COLOR: &str = "NO_COLOR";
/// What the terminal can do; `dumb` ones get plain questions.
pub const TERM: &str = "TERM";
/// The person's pager for long lists, if it is to be another one than `PAGER`; empty or `cat` for none.
pub const UPTAKE_PAGER: &str = "UPTAKE_PAGER";
/// The person's pager; empty or `cat` for none, `less -FRX` if it is not set.
pub const PAGER: &str = "PAGER";
/// Options of `less`; we set `FRX` for it if the person set none.
pub const LESS: &str = "LESS";
/// The person's editor for the screen.
pub const VISUAL: &str = "VISUAL";
/// The person's editor, if there is no VISUAL.
pub const EDITOR: &str = "EDITOR";

/// A variable that is set and not empty.
pub fn get(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|v| !v.is_empty())
}

/// A variable that is set, even to nothing.
pub fn even_empty(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Whether we run inside of a reader's program.
pub fn is_readers() -> bool {
    get(UPTAKE_READER).is_some()
}

/// Whether the user wants nothing withheld.
pub fn shows_all() -> bool {
    get(UPTAKE_HOLDOUT).is_some_and(|v| v == "0")
}

/// Whether the user switched us off.
pub fn is_off() -> bool {
    get(UPTAKE_OFF).is_some_and(|v| v != "0")
}
