//! A no, and no patience.

use super::Of::{Any, Shell};
use super::Subject::{Fixed, It, Program};
use super::Weight::{Firm, Light, Sure};
use super::{Row, row};
use crate::failure::family::Family::{Refused, TimeOut};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    // The client, a rule, a hook or a server says no.
    row(Refused, Any, Sure, &["Permission to use <it> has been denied", "…doesn't want to proceed", "…blocked by hook", "…hook error", "…was rejected by the user", "…denied by<>policy", "Claude requested permissions"], Program, &[
        ("rm -rf x", "Permission to use Bash has been denied.", "rm"),
        ("rm -rf x", "The user doesn't want to proceed with this tool use.", "rm"),
        ("git push origin main", "PreToolUse: blocked by hook", "git push"),
        ("Write § a.yml", "PreToolUse:Write hook error: no", "Write"),
        ("rm x", "exec command was rejected by the user", "rm"),
        ("rm x", "denied by the policy", "rm"),
        ("Write § x", "Claude requested permissions to write to x, but you haven't granted it yet.", "Write"),
    ]),
    row(Refused, Shell, Sure, &["Blocked: <itw> <>followed by"], It, &[
        ("sleep 90; ls", "Blocked: sleep 90 followed by: ls", "sleep"),
    ]),
    row(Refused, Shell, Firm, &["…protected branch", "…[remote rejected]", "…pre-receive hook declined", "…push declined", "…GH006", "…GH013", "…refusing to allow"], Fixed("git push"), &[
        ("git push origin main", "remote: error: GH006: Protected branch update failed for refs/heads/main.", "git push"),
        ("git push", " ! [remote rejected] main -> main (hook declined)", "git push"),
        ("git push", "remote: pre-receive hook declined", "git push"),
        ("git push", "remote: push declined due to a rule", "git push"),
        ("git push", "remote: - GH013: Repository rule violations found", "git push"),
        ("git push", "refusing to allow an app to create or update a workflow", "git push"),
    ]),
    row(Refused, Any, Firm, &["…HTTP 401", "…HTTP 403", "…401 Unauthorized", "…403 Forbidden", "…status code 403", "…status code 401", "…Bad credentials", "…Authentication failed", "…Permission denied (publickey", "…could not read Username", "…Resource not accessible", "…access denied", "…AccessDenied", "…not authorized", "…Unauthorized", "Permission to <> denied to"], Program, &[
        ("gh api user", "gh: Requires authentication (HTTP 401)", "gh api"),
        ("gh api x", "gh: Must have admin rights (HTTP 403)", "gh api"),
        ("npm publish", "npm ERR! 401 Unauthorized - PUT x", "npm publish"),
        ("npm publish", "npm ERR! 403 Forbidden - PUT x", "npm publish"),
        ("WebFetch § https://x.example", "Request failed with status code 403", "WebFetch"),
        ("WebFetch § https://x.example", "Request failed with status code 401", "WebFetch"),
        ("gh api user", "Bad credentials", "gh api"),
        ("git push", "fatal: Authentication failed for 'https://x.example/y'", "git push"),
        ("git fetch", "git@x.example: Permission denied (publickey).", "git fetch"),
        ("git push", "fatal: could not read Username for 'https://x.example': terminal prompts disabled", "git push"),
        ("gh api x", "Resource not accessible by integration", "gh api"),
        ("aws s3 ls", "access denied", "aws"),
        ("aws s3 ls", "An error occurred (AccessDenied) when calling the ListBuckets operation", "aws"),
        ("kubectl get pods", "you are not authorized to list pods", "kubectl"),
        ("curl x", "{\"message\":\"Unauthorized\"}", "curl"),
        ("git push", "remote: Permission to a/b.git denied to c.", "git push"),
    ]),
    row(Refused, Shell, Firm, &["…is not mergeable", "…base branch policy prohibits", "…Auto merge is not allowed", "…Auto-merge is not", "…(mergePullRequest)", "…Pull request is in"], Program, &[
        ("gh pr merge 3", "Pull request #3 is not mergeable: the merge commit cannot be cleanly created.", "gh pr"),
        ("gh pr merge 3", "X the base branch policy prohibits the merge", "gh pr"),
        ("gh pr merge 3 --auto", "GraphQL: Auto merge is not allowed for this repository", "gh pr"),
        ("gh pr merge 3 --auto", "Auto-merge is not enabled", "gh pr"),
        ("gh pr merge 3", "GraphQL: All comments must be resolved. (mergePullRequest)", "gh pr"),
        ("gh pr merge 3", "GraphQL: Pull request is in clean status", "gh pr"),
    ]),
    row(Refused, Shell, Firm, &["…agent refused operation", "…failed to sign the data", "…gpg failed to sign", "…failed to write commit object"], Fixed("git commit signing"), &[
        ("git commit -m x", "Couldn't sign message (signer): agent refused operation?", "git commit signing"),
        ("git commit -m x", "error: gpg failed to sign the data", "git commit signing"),
        ("git commit -m x", "fatal: failed to write commit object", "git commit signing"),
    ]),
    // It took too long.
    row(TimeOut, Any, Sure, &["Command timed out after", "…exceeded the timeout", "Request timed out", "…terminated command after exceeding timeout", "…MCP error -32001"], Program, &[
        ("make all", "Command timed out after 2m 0s", "make all"),
        ("make all", "the command exceeded the timeout", "make all"),
        ("WebFetch § https://x.example", "Request timed out", "WebFetch"),
        ("make all", "shell tool terminated command after exceeding timeout 120000 ms", "make all"),
        ("mcp__a__b § ", "MCP error -32001: Request timed out", "mcp__a__b"),
    ]),
    row(TimeOut, Any, Light, &["…context deadline exceeded", "…timed out after", "…timeout of <n>ms exceeded", "…TimeoutError", "Timeout:", "…timed out waiting", "…Timeout waiting", "…Timeout <n>ms exceeded"], Program, &[
        ("kubectl get pods", "context deadline exceeded", "kubectl"),
        ("./wait.sh", "the job timed out after 30 s", "wait.sh"),
        ("WebFetch § https://x.example", "timeout of 60000ms exceeded", "WebFetch"),
        ("python3 x.py", "TimeoutError: [Errno 60] Operation timed out", "python3"),
        ("workers wait", "Timeout: no answer", "workers"),
        ("workers wait", "timed out waiting for the condition", "workers"),
        ("workers wait x", "Timeout waiting for: x", "workers"),
        ("mcp__a__click § ", "Timeout 5000ms exceeded.", "mcp__a__click"),
    ]),
];
