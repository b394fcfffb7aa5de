//! What is around a program: other changes, rights, hosts.

use super::Of::{Any, Shell};
use super::Subject::{Fixed, Host, Program};
use super::Weight::{Light, Plain, Verdict};
use super::{Row, row};
use crate::failure::family::Family::{Conflict, MissingStep, Network, Sandbox, WrongFolder};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    // Two changes do not go together.
    row(Conflict, Shell, Verdict, &["…(non-fast-forward)", "…(fetch first)"], Fixed("git push"), &[
        ("git push", " ! [rejected]        main -> main (non-fast-forward)", "git push"),
        ("git add . && git push", " ! [rejected]        main -> main (fetch first)", "git push"),
    ]),
    row(Conflict, Shell, Verdict, &["CONFLICT (", "…Merge conflict in", "…could not apply", "…Automatic merge failed", "…Resolve all conflicts", "…needs merge", "…patch does not apply", "…have diverged", "…Not possible to fast-forward", "…divergent branches"], Fixed("git merge"), &[
        ("git fetch && git merge x", "CONFLICT (content): Merge conflict in a.rs", "git merge"),
        ("git stash pop", "Auto-merging a.rs\nMerge conflict in a.rs", "git merge"),
        ("git rebase x", "error: could not apply 1a2b3c4... x", "git merge"),
        ("git merge x", "Automatic merge failed; fix conflicts and then commit the result.", "git merge"),
        ("git rebase x", "Resolve all conflicts manually", "git merge"),
        ("git commit", "a.rs: needs merge", "git merge"),
        ("git apply x", "error: a.rs: patch does not apply", "git merge"),
        ("git pull", "Your branch and 'origin/x' have diverged,", "git merge"),
        ("git pull --ff-only", "fatal: Not possible to fast-forward, aborting.", "git merge"),
        ("git pull", "hint: You have divergent branches and need to specify how to reconcile them.", "git merge"),
    ]),
    // The sandbox, the rights of files.
    row(Sandbox, Any, Plain, &["…Operation not permitted", "…Read-only file system", "…EACCES", "…EPERM", "…PermissionError", "<it>: Permission denied", "…permission denied", "…Access to the path <> is denied", "…sandbox", "…Access is denied"], Program, &[
        ("git add x", "fatal: Unable to create '/x/.git/index.lock': Operation not permitted", "git add"),
        ("touch /x", "touch: cannot touch '/x': Read-only file system", "touch"),
        ("npm i", "npm ERR! Error: EACCES: denied, mkdir '/usr/lib'", "npm i"),
        ("npm i", "npm ERR! EPERM", "npm i"),
        ("python3 x.py", "PermissionError: [Errno 13] Permission denied: 'x'", "python3"),
        ("./x.sh", "bash: ./x.sh: Permission denied", "x.sh"),
        ("x", "open /x: permission denied", "x"),
        ("Remove-Item x", "Access to the path 'C:\\x' is denied.", "Remove-Item"),
        ("x", "not allowed in the sandbox", "x"),
        ("del x", "Access is denied.", "del"),
    ]),
    // Hosts.
    row(Network, Any, Plain, &["…Could not resolve host: <itw>", "…getaddrinfo ENOTFOUND <itw>", "…getaddrinfo EAI_AGAIN <itw>", "…Failed to connect to <itw>", "…connect ECONNREFUSED <itw>", "…dial tcp <it>: ", "…lookup <itw>: no such host", "…unable to access '<it>'", "…Error connecting to <itw>", "…connection to server at '<it>'", "…Failed to fetch: '<it>'", "…connect ETIMEDOUT <itw>", "…request to <itw> failed", "…connect to host <itw>", "…error connecting to <itw>"], Host, &[
        ("curl https://x.example", "curl: (6) Could not resolve host: x.example", "x.example"),
        ("npm i", "npm ERR! request failed, reason: getaddrinfo ENOTFOUND registry.example", "registry.example"),
        ("npm i", "npm ERR! getaddrinfo EAI_AGAIN registry.example", "registry.example"),
        ("curl localhost:3000", "curl: (7) Failed to connect to localhost port 3000 after 0 ms", "localhost"),
        ("node x.js", "Error: connect ECONNREFUSED 127.0.0.1:5432", "127.0.0.1:5432"),
        ("x", "Get \"https://x.example\": dial tcp 10.0.0.1:443: connect: no route to host", "10.0.0.1:443"),
        ("go get x", "lookup proxy.example: no such host", "proxy.example"),
        ("git fetch", "fatal: unable to access 'https://git.example/a.git/': SSL", "git.example"),
        ("gh pr list", "error connecting to api.example.com", "api.example.com"),
        ("psql x", "psql: error: connection to server at \"db.example\" (10.0.0.1), port 5432 failed", "db.example"),
        ("uv sync", "error: Failed to fetch: `https://pypi.example/x`", "pypi.example"),
        ("node x.js", "Error: connect ETIMEDOUT 10.0.0.1:443", "10.0.0.1:443"),
        ("npm i", "npm ERR! request to https://registry.example/x failed, reason: y", "registry.example"),
        ("git push", "ssh: connect to host git.example port 22: Connection timed out", "git.example"),
    ]),
    row(Network, Any, Light, &["…Connection refused", "…ECONNREFUSED", "…ECONNRESET", "…ETIMEDOUT", "…ENOTFOUND", "…Connection reset by peer", "…network is unreachable", "…no such host", "…503 Service", "…502 Bad Gateway", "…504 Gateway", "…HTTP 50<n>", "…status code 50<n>", "…TLS handshake", "…Unable to connect", "…Could not resolve host", "…ConnectionRefused", "…Couldn't connect to server", "…curl: (<n>)", "…Network is unreachable", "…ERR_CONNECTION", "…socket hang up", "…net::ERR_"], Program, &[
        ("x", "Connection refused", "x"),
        ("x", "ECONNREFUSED", "x"),
        ("x", "read ECONNRESET", "x"),
        ("x", "ETIMEDOUT", "x"),
        ("x", "ENOTFOUND", "x"),
        ("x", "Connection reset by peer", "x"),
        ("x", "network is unreachable", "x"),
        ("x", "no such host", "x"),
        ("x", "503 Service Unavailable", "x"),
        ("x", "502 Bad Gateway", "x"),
        ("x", "504 Gateway Timeout", "x"),
        ("gh api x", "gh: HTTP 502", "gh api"),
        ("WebFetch § https://x.example", "Request failed with status code 500", "WebFetch"),
        ("x", "TLS handshake error", "x"),
        ("bun x", "Unable to connect. Is the computer able to access the url?", "bun x"),
        ("x", "Could not resolve host", "x"),
        ("bun x", "ConnectionRefused downloading package", "bun x"),
        ("curl x", "Couldn't connect to server", "curl"),
        ("curl x", "curl: (28) too slow", "curl"),
        ("x", "Network is unreachable", "x"),
        ("x", "page.goto: ERR_CONNECTION_REFUSED", "x"),
        ("x", "socket hang up", "x"),
        ("x", "net::ERR_ABORTED", "x"),
    ]),
    row(WrongFolder, Shell, Verdict, &["stat <>: directory not found", "pattern <>: lstat <>: no such file or directory", "…matched no packages", "…does not contain package", "…could not open directory '<>'"], Program, &[
        ("go test ./x", "# ./x\nstat /y/x: directory not found\nFAIL\t./x [setup failed]", "go test"),
        ("go test ./x/...", "pattern ./x/...: lstat ./x/: no such file or directory", "go test"),
        ("go build ./...", "go: warning: \"./...\" matched no packages", "go build"),
        ("go build ./x", "main module (y) does not contain package y/x", "go build"),
        ("git add src/a.go", "warning: could not open directory 'src/src/': No such file or directory", "git add"),
    ]),
    row(MissingStep, Shell, Verdict, &["…no required module provides package", "…missing go.sum entry"], Program, &[
        ("go build", "x.go:3:2: no required module provides package example.com/x; to add it:", "go build"),
        ("go build", "x.go:3:2: missing go.sum entry for module", "go build"),
    ]),
];
