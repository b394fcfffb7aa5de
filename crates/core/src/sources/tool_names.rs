//! How clients name the tools of servers.
//!
//! Claude Code and Codex say `mcp__server__tool`, newer versions of Codex the tool and `mcp__server` apart; Gemini CLI says `mcp_server_tool` and wants no `_` in a server's name.
//! OpenCode says `server_tool`, and old versions of Gemini CLI the tool's own name: that cannot be told from a tool of the
//! client itself, and nothing is said of it.

use std::borrow::Cow;

/// How the name of a tool begins that a server gives, and what ends the server's part.
const FORMS: &[(&str, &str)] = &[("mcp__", "__"), ("mcp_", "_")];

/// The part of a tool's name that all tools of its server have in common; `None` if it is no tool of a server.
pub(crate) fn server(tool: &str) -> Option<&str> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-.".contains(&b);
    let (begin, end) = FORMS.iter().find(|(begin, _)| tool.starts_with(begin) && tool.bytes().all(plain))?;
    let at = begin.len() + tool[begin.len()..].find(end).filter(|at| *at > 0)? + end.len();
    (at < tool.len()).then(|| &tool[..at])
}

/// The whole name of a tool of which a client says apart in which namespace it is.
pub(crate) fn whole<'n>(namespace: &str, name: &'n str) -> Cow<'n, str> {
    let (begin, end) = FORMS[0];
    if namespace.starts_with(begin) && !name.starts_with(begin) {
        return Cow::Owned(format!("{namespace}{end}{name}"));
    }
    Cow::Borrowed(name)
}

/// Whether this is the name of a tool that a server gives, and no command.
pub(crate) fn is_of_server(name: &str) -> bool {
    server(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_is_part_of_the_name() {
        assert_eq!(whole("mcp__browser", "click"), "mcp__browser__click");
        assert_eq!(whole("mcp__browser", "mcp__browser__click"), "mcp__browser__click");
        assert_eq!(whole("functions", "shell"), "shell");
        assert_eq!(whole("", "shell"), "shell");
    }

    #[test]
    fn the_server_of_a_tool() {
        for (tool, told) in [
            // Claude Code, Codex
            ("mcp__browser__click", Some("mcp__browser__")),
            ("mcp__plugin_shop_rates__get_all", Some("mcp__plugin_shop_rates__")),
            ("mcp__browser", None),
            ("mcp__browser__", None),
            ("mcp____click", None),
            // Gemini CLI
            ("mcp_browser_click", Some("mcp_browser_")),
            ("mcp_my-rates_get_all", Some("mcp_my-rates_")),
            // OpenCode, old Gemini CLI
            ("browser_click", None),
            ("click", None),
            // Tools of the clients themselves
            ("Bash", None),
            ("ListMcpResourcesTool", None),
            ("read_mcp_resource", None),
            ("run_shell_command", None),
            // Commands
            ("mcp__browser__click --all", None),
            ("mcp_serve_all; ls", None),
        ] {
            assert_eq!(server(tool), told, "{tool}");
        }
    }
}
