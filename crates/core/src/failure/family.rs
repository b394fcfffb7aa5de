//! The families of failures.

/// What kind of trouble a failure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// A file or folder that was named is not there.
    MissingPath,
    /// The program works, but not in this folder.
    WrongFolder,
    /// The program, or a package it needs, is not installed.
    MissingProgram,
    /// This shell, or this system's flavour of a tool, does not understand the words.
    ShellDialect,
    /// An option, subcommand, argument or parameter that does not exist or does not fit.
    WrongUsage,
    /// Something had to be done before.
    MissingStep,
    /// A compiler, linter, formatter or hook found something in the code.
    CheckFinding,
    /// A tool of the agent wants something first: a file read, a text that is there once.
    ToolPrecondition,
    /// A tool, skill, server or kind of agent is not there, or broke.
    ToolUnavailable,
    /// The user, a rule, a hook or a server said no.
    Refused,
    /// It took too long.
    TimeOut,
    /// The sandbox or the rights of files forbid it.
    Sandbox,
    /// A host could not be reached.
    Network,
    /// Tests ran, and some failed.
    TestResult,
    /// Two changes do not go together: a merge, a push behind others.
    Conflict,
    /// A program ended with an error of its own.
    ProgramError,
    /// The output does not tell.
    Unknown,
}

impl Family {
    /// All of them, with the word used in `--json` output and in the store.
    pub const ALL: &'static [(Self, &'static str)] = &[
        (Self::MissingPath, "missing_path"),
        (Self::WrongFolder, "wrong_folder"),
        (Self::MissingProgram, "missing_program"),
        (Self::ShellDialect, "shell_dialect"),
        (Self::WrongUsage, "wrong_usage"),
        (Self::MissingStep, "missing_step"),
        (Self::CheckFinding, "check_finding"),
        (Self::ToolPrecondition, "tool_precondition"),
        (Self::ToolUnavailable, "tool_unavailable"),
        (Self::Refused, "refused"),
        (Self::TimeOut, "time_out"),
        (Self::Sandbox, "sandbox"),
        (Self::Network, "network"),
        (Self::TestResult, "test_result"),
        (Self::Conflict, "conflict"),
        (Self::ProgramError, "program_error"),
        (Self::Unknown, "unknown"),
    ];

    /// The word used in `--json` output and in the store.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(family, _)| *family == self).map_or("unknown", |(_, word)| word)
    }

    /// Reads the word back.
    pub fn parse(word: &str) -> Self {
        Self::ALL.iter().find(|(_, known)| *known == word).map_or(Self::Unknown, |(family, _)| *family)
    }
}
