//! What the agent's own tools say: they want something first, are not there, or were called in the wrong way.

use super::Of::{Any, Tool};
use super::Subject::{It, ProgramAnd, ToolIt};
use super::Weight::{Firm, Sure};
use super::{Row, Subject, row};
use crate::failure::family::Family::{ToolPrecondition, ToolUnavailable, WrongUsage};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    // A tool of the agent wants something first.
    row(ToolPrecondition, Any, Sure, &["…has not been read yet", "…You must read the file", "…You must read file", "…must read the file before", "…must be read before"], Subject::Tool("not-read"), &[
        ("Edit § a.rs", "File has not been read yet. Read it first before writing to it.", "Edit not-read"),
        ("Write § a.rs", "You must read the file /x/a.rs before overwriting it.", "Write not-read"),
        ("write § a.rs", "You must read file /x/a.rs before overwriting it.", "write not-read"),
        ("Edit § a.rs", "Tools must read the file before changing it", "Edit not-read"),
        ("Edit § a.rs", "a.rs must be read before it is edited", "Edit not-read"),
    ]),
    row(ToolPrecondition, Any, Sure, &["…has been modified since", "…changed since it was last read", "…has been unexpectedly modified"], Subject::Tool("changed-since-read"), &[
        ("Edit § a.rs", "File has been modified since read, either by the user or by a linter. Read it again.", "Edit changed-since-read"),
        ("Edit § a.rs", "The file changed since it was last read.", "Edit changed-since-read"),
        ("Edit § a.rs", "File has been unexpectedly modified. Read it again.", "Edit changed-since-read"),
    ]),
    row(ToolPrecondition, Any, Sure, &["…String to replace not found", "…Failed to find expected lines", "…Failed to find context", "…oldString not found", "…old_string not found", "…could not find the string to replace", "…Could not find oldString", "…Could not find the exact text", "…0 occurrences found"], Subject::Tool("not-found"), &[
        ("Edit § a.rs", "String to replace not found in file.\nString: x", "Edit not-found"),
        ("apply_patch § a.rs", "apply_patch verification failed: Failed to find expected lines in a.rs:\n  x", "apply_patch not-found"),
        ("apply_patch § a.rs", "Failed to find context 'x' in a.rs", "apply_patch not-found"),
        ("edit § a.rs", "Error: oldString not found in content", "edit not-found"),
        ("edit § a.rs", "old_string not found in a.rs", "edit not-found"),
        ("Edit § a.rs", "Failed to edit, could not find the string to replace.", "Edit not-found"),
        ("edit § a.rs", "Could not find oldString in the file. It must match exactly.", "edit not-found"),
        ("edit § a.rs", "Could not find the exact text in a.rs.", "edit not-found"),
        ("replace § a.rs", "Failed to edit, 0 occurrences found for old_string", "replace not-found"),
    ]),
    row(ToolPrecondition, Any, Sure, &["Found <n> matches of the string", "…found multiple matches for oldString", "…but found <n> occurrences", "…Found multiple matches"], Subject::Tool("ambiguous"), &[
        ("Edit § a.rs", "Found 3 matches of the string to replace, but replace_all is false.", "Edit ambiguous"),
        ("edit § a.rs", "Error: Found multiple matches for oldString. Provide more surrounding lines.", "edit ambiguous"),
        ("replace § a.rs", "Failed to edit, expected 1 occurrence but found 2 occurrences", "replace ambiguous"),
    ]),
    row(ToolPrecondition, Any, Sure, &["No changes to make", "…oldString and newString must be different", "No changes to apply"], Subject::Tool("no-change"), &[
        ("Edit § a.rs", "No changes to make: old_string and new_string are exactly the same.", "Edit no-change"),
        ("edit § a.rs", "Error: oldString and newString must be different", "edit no-change"),
        ("replace § a.rs", "No changes to apply. The old_string and new_string are identical.", "replace no-change"),
    ]),
    row(ToolPrecondition, Any, Sure, &["…exceeds maximum allowed tokens", "…exceeds maximum allowed size", "…is too large to read", "…exceeds the maximum"], Subject::Tool("too-large"), &[
        ("Read § a.rs", "File content (31000 tokens) exceeds maximum allowed tokens (25000). Use offset and limit.", "Read too-large"),
        ("Read § a.rs", "File content (300KB) exceeds maximum allowed size (256KB).", "Read too-large"),
        ("Read § a.rs", "The file is too large to read at once", "Read too-large"),
        ("mcp__x__y § ", "Result exceeds the maximum length", "mcp__x__y too-large"),
    ]),
    row(ToolPrecondition, Tool, Sure, &["…file already exists", "…does not handle the modal state", "…pane is not displayed", "…Task not found", "…No task found with", "…can only be used when", "…not found in the current page snapshot"], Subject::Tool("not-ready"), &[
        ("mcp__x__y § ", "Error: The tool \"y\" can only be used when there is related modal state present.", "mcp__x__y not-ready"),
        ("mcp__x__y § ", "Error: Ref e25 not found in the current page snapshot.", "mcp__x__y not-ready"),
        ("Write § a.rs", "Cannot create new file - file already exists.", "Write not-ready"),
        ("mcp__x__y § ", "Error: Tool \"y\" does not handle the modal state.", "mcp__x__y not-ready"),
        ("mcp__x__y § ", "the browser pane is not displayed", "mcp__x__y not-ready"),
        ("TaskUpdate § ", "Task not found", "TaskUpdate not-ready"),
        ("TaskOutput § ", "No task found with ID: b1", "TaskOutput not-ready"),
    ]),
    // A tool is not there.
    row(ToolUnavailable, Any, Sure, &["…No such tool available: <itw>", "…Unknown skill: <itw>", "…Agent type '<it>' not found", "…tool '<it>' not found", "…Tool '<it>' is not available", "…MCP server '<it>' is not connected", "…Skill <it> cannot be used", "…unsupported call: <itw>", "…Unknown tool: <itw>", "…model '<it>' not found"], It, &[
        ("Foo § ", "<tool_use_error>Error: No such tool available: Foo</tool_use_error>", "Foo</tool_use_error>"),
        ("Skill § ", "Unknown skill: tidy", "tidy"),
        ("Task § ", "Agent type 'planner' not found. Available agents: x", "planner"),
        ("x § ", "tool 'peek' not found", "peek"),
        ("x § ", "Tool 'peek' is not available", "peek"),
        ("mcp__a__b § ", "MCP server 'a' is not connected", "a"),
        ("Skill § ", "Skill tidy cannot be used with the Skill tool", "tidy"),
        ("x § ", "unsupported call: peek", "peek"),
        ("x § ", "Unknown tool: peek", "peek"),
        ("Task § ", "model 'big-one' not found", "big-one"),
    ]),
    row(ToolUnavailable, Tool, Firm, &["…posix_spawn", "MCP error -<n>: Connection closed", "…ripgrep <>failed", "…EAGAIN", "…Internal error", "…not initialized", "…is disabled", "…overloaded_error"], Subject::Tool(""), &[
        ("Grep § x", "ENOENT: no such file or directory, posix_spawn '/opt/rg'", "Grep"),
        ("mcp__a__b § ", "MCP error -32000: Connection closed", "mcp__a__b"),
        ("Grep § x", "ripgrep search failed", "Grep"),
        ("Grep § x", "spawn /opt/rg EAGAIN", "Grep"),
        ("mcp__a__b § ", "Internal error", "mcp__a__b"),
        ("LSP § x", "server not initialized", "LSP"),
        ("Task § x", "This kind of agent is disabled", "Task"),
        ("Task § x", "{\"type\":\"overloaded_error\"}", "Task"),
    ]),
    // A tool was called in the wrong way.
    row(WrongUsage, Any, Sure, &["…The required parameter '<it>' is missing", "…An unexpected parameter '<it>' was provided", "…The parameter '<it>' type is expected", "…missing field '<it>'", "…unknown field '<it>'", "…must have required property '<it>'", "…missing required parameter '<it>'"], ToolIt, &[
        ("Monitor § ", "<tool_use_error>InputValidationError: Monitor failed:\nThe required parameter `query` is missing", "Monitor query"),
        ("Grep § ", "An unexpected parameter `glob_` was provided", "Grep glob_"),
        ("Grep § ", "The parameter `head` type is expected as `number` but provided as `string`", "Grep head"),
        ("exec_command § ", "failed to parse function arguments: missing field `cmd`", "exec_command cmd"),
        ("exec_command § ", "failed to parse function arguments: unknown field `dir`", "exec_command dir"),
        ("x § ", "params must have required property 'path'", "x path"),
        ("x § ", "missing required parameter 'path'", "x path"),
    ]),
    row(WrongUsage, Any, Firm, &["…InputValidationError", "…called with invalid arguments", "…invalid arguments", "…MCP error -32602", "…Input validation error", "…failed to parse function arguments", "…Error parsing arguments", "…Argument Validation Error", "Received non-"], Subject::Tool("arguments"), &[
        ("mcp__a__b § ", "Received non-uuid id - parentId contained a non-uuid identifier.", "mcp__a__b arguments"),
        ("Monitor § ", "<tool_use_error>InputValidationError: something", "Monitor arguments"),
        ("bash § ", "The bash tool was called with invalid arguments: [", "bash arguments"),
        ("bash § ", "Tool got invalid arguments", "bash arguments"),
        ("mcp__a__b § ", "MCP error -32602: Invalid params", "mcp__a__b arguments"),
        ("mcp__a__b § ", "Input validation error: voice", "mcp__a__b arguments"),
        ("shell § ", "failed to parse function arguments: EOF", "shell arguments"),
        ("shell § ", "Error parsing arguments", "shell arguments"),
        ("mcp__a__b § ", "Argument Validation Error", "mcp__a__b arguments"),
    ]),
    row(WrongUsage, Tool, Sure, &["EISDIR", "…illegal operation on a directory", "…Path is a directory"], Subject::Tool("directory"), &[
        ("Read § src", "EISDIR: illegal operation on a directory, read", "Read directory"),
        ("Read § src", "illegal operation on a directory", "Read directory"),
        ("Read § src", "Path is a directory, not a file: src", "Read directory"),
    ]),
    row(WrongUsage, Any, Firm, &["…regex parse error", "…look-around<>is not supported", "…invalid regular expression", "…Invalid regex", "…is not allowed in a regex", "failed to parse jq expression"], ProgramAnd("pattern"), &[
        ("rg -n 'a\\n' x", "rg: the literal \"\\n\" is not allowed in a regex", "rg pattern"),
        ("gh api x --jq '.['", "failed to parse jq expression (line 1, column 26)", "gh api pattern"),
        ("Grep § x", "regex parse error:\n  (?=x)", "Grep pattern"),
        ("rg '(?=x)' src", "error: look-around, including look-ahead, is not supported", "rg pattern"),
        ("grep -E '*a(' x", "grep: invalid regular expression", "grep pattern"),
        ("Grep § x", "Invalid regex: (", "Grep pattern"),
    ]),
];
