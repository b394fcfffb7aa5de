//! Options, assignments and arguments of a command that loosen something.

use super::pieces;
use crate::normal::programs::{self, Role};
use crate::normal::shell::Simple;

/// Whether a command loosens something. All its words count, also those before the program (`env X=1 …`).
pub(in crate::learn) fn command_loosens(program: &str, simple: &Simple<'_>) -> bool {
    let words: Vec<&str> = simple.words.iter().map(|w| &*w.text).collect();
    simple.assigns.iter().any(|w| assignment_loosens(&w.text)) || words_loosen(&words) || opens_up(program, &words)
}

/// The same of bare words, wherever they stand.
pub(super) fn words_loosen(words: &[&str]) -> bool {
    (0..words.len()).any(|at| word_loosens(words, at))
}

/// Whether the word at a place loosens something, given those behind it.
pub(super) fn word_loosens(words: &[&str], at: usize) -> bool {
    let (word, next) = (words[at], words.get(at + 1).copied().unwrap_or_default());
    if word.starts_with('-') {
        return option_loosens(word, next) || of_git_or_curl(words, at);
    }
    assignment_loosens(word)
        || is_danger(word)
        || names_check(&pieces(word)) && is_off(next) && !word.contains('/')
        || base(word) == "chmod" && words[at + 1..].iter().take(3).any(|w| opens_mode(w))
        || base(word) == "umask" && next.bytes().all(|b| b == b'0') && !next.is_empty()
}

/// Options that loosen something by what they are called, or by their value.
fn option_loosens(word: &str, next: &str) -> bool {
    let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    let given = value.unwrap_or(next);
    let names = pieces(name);
    if matches!(value, Some("false" | "0" | "no")) && reduces(&names) {
        return false; // `--skip-checks=false`
    }
    let is = |list: &[&str]| list.contains(&names.join("-").as_str());
    let begins = |list: &[&str]| names.first().is_some_and(|n| list.contains(&n.as_str()));
    let long = name.starts_with("--") || name.len() > 3;
    long && (is_danger(name) || is(ALONE) || begins(OPENING) && !is(HARMLESS) || reduces(&names) && names_check(&names))
        || long && names_check(&names) && is_off(given)
        || value.is_some_and(assignment_loosens)
        || long && runs_something(&names, given)
        || loads_foreign(name, &names, given)
        || name.strip_prefix("-D").is_some_and(|property| pieces(property).iter().any(|n| n.starts_with("skip")))
}

/// Words that say it themselves, also as a value: `danger-full-access`.
fn is_danger(word: &str) -> bool {
    let loud =
        |p: &String| ["dangerous", "unsafe", "insecure", "yolo"].iter().any(|d| p.starts_with(d)) || p == "danger";
    word.len() > 3 && !word.contains('/') && !word.contains('.') && pieces(word).iter().any(loud)
}

/// Whether something is left out or got around.
fn reduces(names: &[String]) -> bool {
    names.iter().any(|n| REDUCING.contains(&n.as_str()) || glued(n).is_some())
}

/// Whether something is named that makes people or tools careful.
fn names_check(names: &[String]) -> bool {
    let is = |n: &str| CHECKS.contains(&n) || n.strip_suffix('s').is_some_and(|one| CHECKS.contains(&one));
    let ends = |n: &str| ["verify", "checking", "hostkey", "gpgsign"].iter().any(|c| n.ends_with(c));
    names.iter().any(|n| is(n) || ends(n) || glued(n).is_some_and(is))
}

/// `noverify`, `skiptests` are two words written as one.
fn glued(name: &str) -> Option<&str> {
    let rest = ["no", "skip", "disable", "ignore", "bypass"].iter().find_map(|r| name.strip_prefix(r))?;
    let one = rest.strip_suffix('s').unwrap_or(rest);
    CHECKS.contains(&one).then_some(one)
}

fn is_off(value: &str) -> bool {
    let value = value.to_lowercase();
    let begins = ["bypass", "danger", "disable", "dontask", "accept", "unconfined"];
    ["0", "false", "no", "off", "never", "none", "yolo", "full-auto"].contains(&value.as_str())
        || begins.iter().any(|b| value.starts_with(b))
}

/// Options that hand over something to be run.
fn runs_something(names: &[String], given: &str) -> bool {
    let last = names.last().map_or("", String::as_str);
    let named =
        RUNNING.contains(&last) || ["upload-pack", "receive-pack", "checkpoint-action"].contains(&&*names.join("-"));
    named && !given.is_empty() && !given.starts_with('-')
}

/// Options that load settings or code from a place where anybody may have put them.
fn loads_foreign(name: &str, names: &[String], given: &str) -> bool {
    let long = name.starts_with("--") && names.iter().any(|n| LOADING.contains(&n.as_str()));
    long && is_foreign(given) || matches!(name, "-c" | "-r" | "-s" | "-S") && is_foreign_folder(given)
}

fn is_foreign(path: &str) -> bool {
    is_foreign_folder(path) || path.contains("://")
}

/// A folder that others write, or somebody else's.
fn is_foreign_folder(path: &str) -> bool {
    let path = path.trim_start_matches('@').trim_start_matches("file:");
    let open = ["/tmp/", "/var/tmp/", "/dev/shm/", "/private/tmp/", "/home/", "/Users/", "//"];
    open.iter().any(|p| path.starts_with(p)) || is_other_home(path)
}

/// `~mallory/x` is another's, `~/x` is one's own.
fn is_other_home(path: &str) -> bool {
    path.strip_prefix('~').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

/// `NAME=value`, before a program or as a setting (`-c http.sslVerify=false`).
fn assignment_loosens(word: &str) -> bool {
    let Some((name, value)) = word.split_once('=') else { return false };
    let name = name.trim_start_matches(['-', ':']);
    if name.is_empty() || name.contains(['/', '<', '>', '!', '(']) {
        return false;
    }
    let names = pieces(name);
    let runs =
        RUN_BY_NAME.contains(&name.to_uppercase().as_str()) && !["", "true", ":", "cat", "less"].contains(&value);
    let truthy = !is_off(value) && !value.is_empty();
    let unchecked = names_check(&names) && (is_off(value) && !reduces(&names) || truthy && reduces(&names));
    let skips = name == "SKIP" || names == ["husky"] && is_off(value) || names.concat().ends_with("knownhostsfile");
    runs || unchecked || skips || is_danger(name) && truthy || name == "NODE_OPTIONS" && value.contains("require")
}

/// Short options of two programs everybody uses.
fn of_git_or_curl(words: &[&str], at: usize) -> bool {
    let word = words[at];
    let short = word.strip_prefix('-').filter(|s| !s.starts_with('-')).unwrap_or_default();
    let before = &words[..at];
    let is = |program: &str| before.iter().any(|w| base(w) == program);
    // What stands behind the message's letter is the message.
    let letters = short.split(['m', 'F', 'C', 'c', 't', 'S', 'u']).next().unwrap_or_default();
    is("git") && before.contains(&"commit") && letters.contains('n')
        || is("curl") && short.bytes().all(|b| b.is_ascii_alphabetic()) && short.contains('k')
}

/// Modes that let others write, or run as the owner.
fn opens_mode(mode: &str) -> bool {
    let octal = (3..=4).contains(&mode.len()) && mode.bytes().all(|b| (b'0'..=b'7').contains(&b));
    if octal {
        let bits = u32::from_str_radix(mode, 8).unwrap_or_default();
        return bits & 0o6002 != 0;
    }
    mode.split(',').any(|part| {
        part.split_once(['+', '=']).is_some_and(|(who, what)| {
            what.contains('s') || what.contains('w') && (who.is_empty() && what.len() > 1 || who.contains(['a', 'o']))
        })
    })
}

/// Whole commands that take a protection away, or run what anybody may have put there.
fn opens_up(program: &str, words: &[&str]) -> bool {
    let has = |w: &str| words.contains(&w);
    let foreign = |w: &&str| is_foreign_folder(w);
    let first = words.iter().position(|w| base(w) == program).unwrap_or(0);
    let argument = words.iter().skip(first + 1).find(|w| !w.starts_with('-'));
    let loads = programs::is(program, Role::Interpreter) || matches!(program, "source" | "." | "node" | "python3");
    let file = |options: &[&str]| words.windows(2).any(|w| options.contains(&w[0]) && is_foreign(w[1]));
    match program {
        "setenforce" => has("0") || has("Permissive"),
        "ufw" | "csrutil" | "spctl" => has("disable") || has("--master-disable"),
        "iptables" | "nft" => has("-F") || has("flush"),
        "make" | "gmake" | "docker" | "docker-compose" | "podman" | "psql" | "awk" | "gawk" | "kubectl" => {
            file(&["-f"])
        }
        "pip" | "pip3" | "uv" => file(&["-r", "--requirement"]),
        _ => words.get(first).is_some_and(foreign) || loads && argument.is_some_and(foreign),
    }
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Options that loosen something, whatever their value.
#[rustfmt::skip]
const ALONE: &[&str] = &[
    "force", "privileged", "trusted-host", "auto-approve", "autoapprove", "auto-accept", "full-auto", "break-system-packages",
    "cap-add", "security-opt", "no-gpg-sign", "approve-all", "accept-all", "allow", "allowed-tools", "allowedtools",
];
/// First words of options that open something: `--allow-dirty`, `--skip-checks`.
const OPENING: &[&str] =
    &["allow", "allowed", "skip", "disable", "bypass", "trust", "trusted", "unprotected", "unrestricted"];
/// Those of them that open nothing.
#[rustfmt::skip]
const HARMLESS: &[&str] = &[
    "allow-empty", "allow-empty-message", "skip-existing", "skip-worktree", "disable-pip-version-check", "disable-shared",
    "disable-static", "disable-docs", "disable-nls", "disable-warnings", "skip-empty",
];
/// Words that leave something out or get around it.
#[rustfmt::skip]
const REDUCING: &[&str] = &[
    "no", "not", "skip", "disable", "disabled", "ignore", "without", "bypass", "off", "suppress", "omit", "override", "un",
];
/// What makes people and tools careful.
#[rustfmt::skip]
const CHECKS: &[&str] = &[
    "verify", "verification", "check", "checksum", "gpg", "sign", "signature", "ssl", "sslverify", "tls", "cert",
    "certificate", "auth", "authentication", "sandbox", "hook", "permission", "perm", "test", "lint", "validate", "validation",
    "confirm", "confirmation", "approval", "approve", "ask", "security", "safety", "protection", "integrity", "unauthorized",
    "trust", "seccomp", "apparmor", "firewall", "review", "strict", "sslmode", "gpgsign", "stricthostkeychecking",
];
/// Last words of options whose value is run.
#[rustfmt::skip]
const RUNNING: &[&str] = &[
    "exec", "execdir", "command", "cmd", "pre", "hook", "eval", "execute", "rsh", "proxycommand", "program",
];
/// Words of options whose value is loaded.
#[rustfmt::skip]
const LOADING: &[&str] = &[
    "config", "conf", "configuration", "rc", "rcfile", "plugin", "plugins", "require", "import", "loader", "preload", "init",
    "script", "settings", "hook", "hooks", "extension", "extensions", "rules", "rulesdir", "profile", "env", "requirement",
    "manifest", "mcp", "resolver",
];
/// Variables whose value is run or loaded by programs that were not told so.
#[rustfmt::skip]
const RUN_BY_NAME: &[&str] = &[
    "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "PYTHONSTARTUP", "PERL5OPT", "RUBYOPT",
    "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "PAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_ASKPASS",
    "SSH_ASKPASS", "PROMPT_COMMAND", "JAVA_TOOL_OPTIONS", "GIT_PROXY_COMMAND",
];
