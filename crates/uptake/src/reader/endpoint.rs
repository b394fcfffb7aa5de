//! A model behind an address: OpenAI's chat completions, which most others speak too, or Anthropic's messages.
//!
//! Only `https`, or `http` on this machine (the settings see to it); nothing is followed elsewhere, and the key is only ever read
//! from the user's variable.

use std::time::Duration;

use serde_json::{Value, json};
use uptake_core::reader::Trouble;

use super::trouble::one_line;
use crate::env_vars;
use crate::settings::reader::{Endpoint, Style};

/// How long an answer may take, all in all.
const DEADLINE: Duration = Duration::from_secs(300);
/// Bytes of a response that are read.
const RESPONSE_LIMIT: u64 = 4 * 1024 * 1024;
/// Tokens an answer may have, where that must be said.
const ANSWER_TOKENS: u32 = 8_192;
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// Asks once.
pub(super) fn ask(endpoint: &Endpoint, request: &str) -> Result<String, Trouble> {
    let key = key(endpoint)?;
    let mut post = agent(endpoint).post(address(endpoint)).header("content-type", "application/json");
    if endpoint.style == Style::Anthropic {
        post = post.header("anthropic-version", ANTHROPIC_VERSION);
    }
    if let Some(key) = key {
        post = match endpoint.style {
            Style::OpenAi => post.header("authorization", format!("Bearer {key}")),
            Style::Anthropic => post.header("x-api-key", key),
        };
    }
    let mut response = post.send(body(endpoint, request).to_string()).map_err(|e| failed(endpoint, &e))?;
    let status = response.status().as_u16();
    let text = response.body_mut().with_config().limit(RESPONSE_LIMIT).read_to_string();
    let text = text.map_err(|e| failed(endpoint, &e))?;
    let said: Value = serde_json::from_str(&text).unwrap_or_default();
    if status == 200 { answer(endpoint, &said) } else { Err(refused(endpoint, status, &said)) }
}

/// The key in the user's variable; `None` if the endpoint needs none.
pub(super) fn key(endpoint: &Endpoint) -> Result<Option<String>, Trouble> {
    let Some(variable) = &endpoint.key_variable else { return Ok(None) };
    let missing = || Trouble::Unavailable(format!("the variable `{variable}`, which should hold the key, is not set"));
    env_vars::get(variable).map(|key| Some(key.trim().to_owned())).ok_or_else(missing)
}

fn agent(endpoint: &Endpoint) -> ureq::Agent {
    let mut config = ureq::Agent::config_builder()
        .timeout_global(Some(DEADLINE))
        .http_status_as_error(false)
        // Where else it leads to, the user did not agree to.
        .max_redirects(0)
        .https_only(!endpoint.is_local());
    if endpoint.is_local() {
        config = config.proxy(None);
    }
    config.build().into()
}

/// The whole address: users know the first part of it.
fn address(endpoint: &Endpoint) -> String {
    let base = endpoint.url.trim_end_matches('/');
    let end = match endpoint.style {
        Style::OpenAi => "/chat/completions",
        Style::Anthropic if base.ends_with("/v1") => "/messages",
        Style::Anthropic => "/v1/messages",
    };
    if base.ends_with("/chat/completions") || base.ends_with("/messages") {
        base.to_owned()
    } else {
        format!("{base}{end}")
    }
}

fn body(endpoint: &Endpoint, request: &str) -> Value {
    let messages = json!([{ "role": "user", "content": request }]);
    match endpoint.style {
        Style::OpenAi => json!({ "model": endpoint.model, "messages": messages, "stream": false }),
        Style::Anthropic => json!({ "model": endpoint.model, "messages": messages, "max_tokens": ANSWER_TOKENS }),
    }
}

fn answer(endpoint: &Endpoint, said: &Value) -> Result<String, Trouble> {
    let text = match endpoint.style {
        Style::OpenAi => said["choices"][0]["message"]["content"].as_str().map(str::to_owned),
        Style::Anthropic => said["content"]
            .as_array()
            .map(|blocks| blocks.iter().filter_map(|b| b["text"].as_str()).collect::<String>()),
    };
    text.ok_or_else(|| {
        Trouble::Unavailable(format!("{} does not answer as an endpoint of this style would", endpoint.url))
    })
}

/// A response that is none, in one line.
fn refused(endpoint: &Endpoint, status: u16, said: &Value) -> Trouble {
    let error = &said["error"];
    let words = error["message"].as_str().or(error.as_str()).or(said["message"].as_str());
    let words = words.map(|w| format!(": {}", one_line(w))).unwrap_or_default();
    let key = endpoint.key_variable.as_deref();
    let what = match (status, key) {
        (401 | 403, Some(key)) => format!("the key in `{key}` is refused"),
        (401 | 403, None) => "a key is needed; name its variable with `key-variable`".to_owned(),
        (402, _) => "the account has no credit".to_owned(),
        (404, _) => format!("there is no model `{}`, or the address is another one", endpoint.model),
        (429, _) => "the quota is used up, or there were too many requests".to_owned(),
        (300..=399, _) => "it leads elsewhere, which is not followed".to_owned(),
        _ => "it failed".to_owned(),
    };
    Trouble::Unavailable(format!("{what} ({status}){words}"))
}

fn failed(endpoint: &Endpoint, error: &ureq::Error) -> Trouble {
    match error {
        ureq::Error::Timeout(_) => Trouble::TimedOut,
        ureq::Error::BodyExceedsLimit(_) => Trouble::TooLong,
        other => Trouble::Unavailable(format!("cannot reach {}: {}", endpoint.url, one_line(&other.to_string()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(url: &str, style: Style) -> Endpoint {
        Endpoint { url: url.to_owned(), model: "m".to_owned(), key_variable: None, style }
    }

    #[test]
    fn an_address_may_be_given_in_part_or_whole() {
        for (url, style, whole) in [
            ("http://localhost:11434/v1", Style::OpenAi, "http://localhost:11434/v1/chat/completions"),
            ("https://a.example/v1/", Style::OpenAi, "https://a.example/v1/chat/completions"),
            ("https://a.example/v1/chat/completions", Style::OpenAi, "https://a.example/v1/chat/completions"),
            ("https://a.example", Style::Anthropic, "https://a.example/v1/messages"),
            ("https://a.example/v1", Style::Anthropic, "https://a.example/v1/messages"),
            ("https://a.example/v1/messages", Style::Anthropic, "https://a.example/v1/messages"),
        ] {
            assert_eq!(address(&endpoint(url, style)), whole);
        }
    }

    #[test]
    fn a_refusal_is_one_line_with_the_next_step() {
        let named = Endpoint { key_variable: Some("MY_KEY".into()), ..endpoint("https://a.example", Style::OpenAi) };
        let nameless = endpoint("https://a.example", Style::OpenAi);
        for (endpoint, status, said, expected) in [
            (&named, 401, json!({"error": {"message": "bad key"}}), "the key in `MY_KEY` is refused (401): bad key"),
            (&nameless, 401, json!({}), "a key is needed; name its variable with `key-variable` (401)"),
            (
                &named,
                429,
                json!({"error": "slow\ndown"}),
                "the quota is used up, or there were too many requests (429): slow down",
            ),
            (&named, 404, json!({"message": "no"}), "there is no model `m`, or the address is another one (404): no"),
            (&named, 302, json!(null), "it leads elsewhere, which is not followed (302)"),
            (&named, 500, json!([]), "it failed (500)"),
        ] {
            assert_eq!(refused(endpoint, status, &said), Trouble::Unavailable(expected.to_owned()));
        }
    }
}
