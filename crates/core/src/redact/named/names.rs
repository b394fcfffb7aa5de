//! Does a name say that its value is secret?
//!
//! Comes in: a name. Goes out: what it promises about its value, if that is a secret. Names are read as words (`dbPassword`, `DB_PASSWORD`, `db-password` are two words each), and
//! the last word that means something decides. Substrings decide nothing: `monkey`, `bypass`,
//! `authority` and `token_count` are not about secrets.

/// What a secret-like name says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meaning {
    /// What the marker says.
    pub(super) kind: &'static str,
    /// What the value must look like to be believed.
    pub(super) proof: Proof,
    /// Is the name so sure that words and numbers are believed, too?
    pub(super) sure: bool,
}

/// How much a value has to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// Anything that is not a placeholder: people choose passwords freely.
    Any,
    /// It must look generated.
    Random,
}

/// Does the name of an environment variable, key or setting look like it holds a secret?
///
/// ```text
/// secret_name("DB_PASSWORD") == true
/// secret_name("max_tokens") == false
/// ```
pub fn secret_name(name: &str) -> bool {
    meaning(name.as_bytes()).is_some()
}

/// What `name` promises about its value, if that is a secret.
pub(super) fn meaning(name: &[u8]) -> Option<Meaning> {
    let mut words = Words::of(name);
    let (kind, proof) = loop {
        let last = words.last()?;
        match told_by(name, last, words.before_last()) {
            Some(told) => break told,
            None if is_number(last) || is_in(last, NEUTRAL) => words.count -= 1,
            None => return None,
        }
    };
    let verb = words.count > 1 && is_in(words.list[0], VERBS);
    // `dbPasswordToken`: whatever it is in the end, a person may have chosen it.
    let chosen = words.list[..words.count].iter().any(|word| is_in(word, PASSWORDS));
    let (kind, proof) = if chosen { ("password", Proof::Any) } else { (kind, proof) };
    // `Pass: all of them`, `SESSION_KEY = "the-name-of-an-entry"`.
    let last = words.last().unwrap_or_default();
    let door = |before: &[u8]| is_in(before, KEYS_TO_DOORS) || is_about_secrets(before);
    let sure = chosen
        || match words.before_last() {
            None => !same(last, "pass") && !same(last, "auth"),
            Some(before) => !same(last, "key") || door(before),
        };
    (!verb).then_some(Meaning { kind, proof, sure })
}

// What the last word says, together with the one before it.
fn told_by(name: &[u8], last: &[u8], before: Option<&[u8]>) -> Option<(&'static str, Proof)> {
    Some(match () {
        () if is_in(last, PASSWORDS) || ends_in(last, FUSED_PASSWORDS) => ("password", Proof::Any),
        () if is_fused(last, "pwd", PASS_OWNERS) || is_fused(last, "pass", PASS_OWNERS) => ("password", Proof::Any),
        () if same(last, "pwd") => match before {
            // The shell's own variable for the working directory.
            None if name == b"PWD" => return None,
            _ => ("password", Proof::Any),
        },
        () if same(last, "pass") => match before {
            Some(before) if is_in(before, PASS_OWNERS) => ("password", Proof::Any),
            // `PASS` alone, in capitals, is the result of a test.
            None if name != b"PASS" => ("password", Proof::Random),
            _ => return None,
        },
        () if ends_in(last, &["secret"]) => ("secret", Proof::Random),
        () if same(last, "credential") || same(last, "credentials") => ("credential", Proof::Random),
        () if same(last, "token") => match before {
            Some(before) if is_in(before, TOKENS_OF_TEXT) => return None,
            _ => ("token", Proof::Random),
        },
        () if ends_in(last, FUSED_TOKENS) || is_fused(last, "token", TOKEN_OWNERS) => ("token", Proof::Random),
        () if ends_in(last, FUSED_KEYS) || is_fused(last, "key", KEYS_TO_DOORS) => ("api-key", Proof::Random),
        () if same(last, "key") => match before {
            Some(before) if is_in(before, KEYS_TO_DOORS) || is_about_secrets(before) => ("api-key", Proof::Random),
            Some(before) if shouted(name) && !is_in(before, KEYS_TO_ROWS) => ("api-key", Proof::Random),
            _ => return None,
        },
        () if same(last, "auth") => match before {
            Some(before) if is_in(before, AUTH_OWNERS) => ("credential", Proof::Random),
            None => ("credential", Proof::Random),
            _ => return None,
        },
        () if same(last, "id") && before.is_some_and(|before| same(before, "secret")) => ("secret", Proof::Random),
        () if same(last, "id") && name.ends_with(b"private_key_id") => ("private-key", Proof::Random),
        () => return None,
    })
}

/// Is `word` one that stands for a secret, or that names of secrets are made of?
fn is_about_secrets(word: &[u8]) -> bool {
    is_in(word, PASSWORDS)
        || is_in(word, SECRETS)
        || ends_in(word, FUSED_PASSWORDS)
        || ends_in(word, FUSED_TOKENS)
        || ends_in(word, FUSED_KEYS)
}

/// Is `name` made of several words?
pub(super) fn is_compound(name: &[u8]) -> bool {
    Words::of(name).count > 1
}

/// Is `word` one that makes a key secret, as in "API key"?
pub(super) fn opens_doors(word: &[u8]) -> bool {
    is_in(word, KEYS_TO_DOORS)
}

/// Is `word` one that says whose secret comes next, as in "access token" or "client secret"?
pub(super) fn is_qualified(word: &[u8]) -> bool {
    is_in(word, TOKEN_OWNERS) || is_in(word, KEYS_TO_DOORS) || is_in(word, SECRETS)
}

/// Is `word` one that makes a pass a password, as in "admin pass"?
pub(super) fn has_pass(word: &[u8]) -> bool {
    is_in(word, PASS_OWNERS)
}

const SECRETS: &[&str] = &[
    "secret",
    "secrets",
    "token",
    "tokens",
    "pass",
    "pwd",
    "key",
    "keys",
    "auth",
    "oauth",
    "cred",
    "creds",
    "credential",
    "credentials",
];
const PASSWORDS: &[&str] = &["password", "passwd", "passphrase", "passcode", "passwords", "passwort", "requirepass"];
const FUSED_PASSWORDS: &[&str] =
    &["password", "passwd", "passphrase", "sshpass", "dbpass", "userpass", "storepass", "keypass", "rootpass"];
const FUSED_TOKENS: &[&str] =
    &["authtoken", "accesstoken", "apitoken", "bottoken", "refreshtoken", "clientsecret", "secretaccesskey"];
const FUSED_KEYS: &[&str] = &["apikey", "secretkey", "accesskey", "privatekey", "accountkey", "authkey", "masterkey"];

// Words after the telling one that change nothing.
#[rustfmt::skip]
const NEUTRAL: &[&str] = &[
    "value", "prod", "production", "dev", "development", "staging", "test", "live", "local", "base", "b64", "new",
    "old", "current", "default", "secondary", "data", "raw", "plain", "plaintext", "encrypted", "hash", "hashed",
    "string", "v", "main", "backup", "temp", "tmp", "prd", "stg", "stage", "qa", "uat", "ci", "sandbox", "internal", "external",
    "override", "env", "var", "str", "bytes", "enc", "clear", "decoded", "eu", "us", "beta", "prev", "previous", "my",
];
// A name that begins with one of these is a function or a question.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "get", "is", "has", "use", "uses", "should", "can", "max", "min", "num", "total", "show", "hide", "validate",
    "check", "verify", "generate", "create", "fetch", "parse", "count", "forgot", "handle", "on", "no", "allow",
    "require", "requires", "need", "needs", "with", "without", "public",
];
#[rustfmt::skip]
const PASS_OWNERS: &[&str] = &[
    "db", "database", "user", "usr", "smtp", "admin", "root", "mysql", "mail", "email", "redis", "pg", "postgres",
    "ftp", "sftp", "proxy", "http", "basic", "auth", "login", "account", "my", "app", "service", "api", "keystore",
    "truststore", "key", "ldap", "imap", "mongo", "rabbitmq", "vault", "registry", "docker", "ssh", "sudo", "wifi",
    "rpc", "bind", "client", "default", "store", "sa", "oracle", "mssql", "npm", "wp", "master",
];
#[rustfmt::skip]
const TOKEN_OWNERS: &[&str] = &[
    "auth", "access", "api", "bot", "refresh", "session", "bearer", "github", "gitlab", "npm", "pypi", "vault", "deploy", "id", "personal",
    "user", "admin", "jwt", "oauth", "service", "slack", "discord", "telegram", "registry", "csrf", "secret", "private", "app", "client", "device",
];
const AUTH_OWNERS: &[&str] = &["basic", "proxy", "registry", "http", "docker", "npm"];
#[rustfmt::skip]
const TOKENS_OF_TEXT: &[&str] = &[
    "next", "prev", "previous", "page", "pagination", "continuation", "start", "end", "input", "output", "eos",
    "bos", "pad", "unk", "mask", "sep", "cls", "special", "design", "syntax", "lex", "lexer", "cancellation",
    "cancel", "punctuation", "stop", "first", "last", "word", "text", "prompt", "completion", "color", "colour",
    "theme", "per", "by", "single", "each", "image", "cursor", "sync", "public", "keyword", "operator", "comment",
    "unexpected", "invalid", "expected",
];
#[rustfmt::skip]
const KEYS_TO_DOORS: &[&str] = &[
    "api", "access", "secret", "private", "encryption", "encrypt", "decryption", "signing", "sign", "master",
    "account", "auth", "service", "shared", "ssh", "deploy", "license", "licence", "jwt", "hmac", "webhook",
    "write", "admin", "root", "consumer", "subscription", "ingest", "ingestion", "aes", "rsa", "crypto", "cipher",
    "role", "anon", "client", "openai", "anthropic", "stripe", "github", "gitlab", "google", "azure", "gemini",
    "groq", "mistral", "cohere", "huggingface", "sendgrid", "twilio", "mailgun", "datadog", "supabase", "firebase",
    "algolia", "pinecone", "tavily", "brave", "serper", "perplexity", "deepseek", "openrouter", "xai", "elevenlabs",
    "replicate", "fireworks", "resend", "posthog", "sentry", "amplitude", "mixpanel", "maps",
];
#[rustfmt::skip]
const KEYS_TO_ROWS: &[&str] = &[
    "public", "primary", "foreign", "sort", "partition", "cache", "hash", "index", "row", "column", "query",
    "idempotency", "routing", "route", "lookup", "unique", "natural", "composite", "object", "bucket", "map",
    "dict", "hot", "arrow", "enter", "escape", "shortcut", "keyboard", "storage", "config", "state", "context",
    "group", "any", "no", "the", "a", "issue", "project", "registry", "registry", "event", "metadata", "result",
    "publishable",
];

fn same(word: &[u8], name: &str) -> bool {
    word.eq_ignore_ascii_case(name.as_bytes())
}

fn is_in(word: &[u8], list: &[&str]) -> bool {
    list.iter().any(|name| same(word, name))
}

fn ends_in(word: &[u8], list: &[&str]) -> bool {
    word.len() > 5
        && list.iter().any(|name| word.len().checked_sub(name.len()).is_some_and(|at| same(&word[at..], name)))
}

// `adminpwd`, `signingkey`: two words without a sign between them, as flags are often written.
fn is_fused(word: &[u8], last: &str, owners: &[&str]) -> bool {
    let Some(at) = word.len().checked_sub(last.len()).filter(|at| *at > 0) else { return false };
    same(&word[at..], last) && (is_in(&word[..at], owners) || is_in(&word[..at], PASSWORDS))
}

fn is_number(word: &[u8]) -> bool {
    word.iter().all(u8::is_ascii_digit)
}

fn shouted(name: &[u8]) -> bool {
    !name.iter().any(u8::is_ascii_lowercase)
}

// The last words of a name. No name needs more than these, and none is copied.
struct Words<'n> {
    list: [&'n [u8]; MOST],
    count: usize,
}

const MOST: usize = 12; // words

impl<'n> Words<'n> {
    fn of(name: &'n [u8]) -> Self {
        let mut words = Self { list: [&[]; MOST], count: 0 };
        let mut start = 0;
        for at in 0..=name.len() {
            if at == name.len() || breaks(name, at) {
                words.add(&name[start..at]);
                start = at;
            }
        }
        words
    }

    fn add(&mut self, word: &'n [u8]) {
        let from = word.iter().position(u8::is_ascii_alphanumeric).unwrap_or(word.len());
        let word = &word[from..];
        let word = match word.iter().rposition(|b| !b.is_ascii_digit()) {
            Some(last) => &word[..=last],
            None => word,
        };
        if word.is_empty() {
            return;
        }
        if self.count == MOST {
            self.list.rotate_left(1);
            self.count -= 1;
        }
        self.list[self.count] = word;
        self.count += 1;
    }

    fn last(&self) -> Option<&'n [u8]> {
        self.count.checked_sub(1).map(|at| self.list[at])
    }

    fn before_last(&self) -> Option<&'n [u8]> {
        self.count.checked_sub(2).map(|at| self.list[at])
    }
}

// Does a new word begin at `at`? At separators, at a capital after a small letter (`dbPassword`),
// and before the last capital of several (`APIKey`).
fn breaks(name: &[u8], at: usize) -> bool {
    let (Some(&here), Some(&before)) = (name.get(at), at.checked_sub(1).and_then(|at| name.get(at))) else {
        return false;
    };
    if !here.is_ascii_alphanumeric() {
        return true;
    }
    let small_next = name.get(at + 1).is_some_and(u8::is_ascii_lowercase);
    here.is_ascii_uppercase()
        && (before.is_ascii_lowercase() || before.is_ascii_digit() || before.is_ascii_uppercase() && small_next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets() {
        for name in [
            "password",
            "PASSWORD",
            "DB_PASSWORD",
            "dbPassword",
            "db-password",
            "pgpassword",
            "PGPASSWORD",
            "MYSQL_PWD",
            "pwd",
            "passwd",
            "passphrase",
            "DB_PASS",
            "smtp_pass",
            "SSHPASS",
            "token",
            "GITHUB_TOKEN",
            "accessToken",
            "refresh_token",
            "auth-token",
            "_authToken",
            "authtoken",
            "client_secret",
            "clientSecret",
            "SECRET_KEY_BASE",
            "secret",
            "api_key",
            "apiKey",
            "APIKey",
            "apikey",
            "X-Api-Key",
            "OPENAI_API_KEY",
            "ANTHROPIC_KEY",
            "aws_secret_access_key",
            "AWS_SESSION_TOKEN",
            "private_key",
            "encryptionKey",
            "SIGNING_KEY",
            "AccountKey",
            "SharedAccessKey",
            "credentials",
            "_auth",
            "FOO_KEY",
            "password2",
            "client-key-data",
            "spring.datasource.password",
            "secret_id",
            "bot_token",
            "adminpwd",
            "storepass",
            "githubtoken",
            "signingkey",
            "dbPasswordtoken",
            "stripeapikey",
            "jwtsecret",
            "Passwort",
        ] {
            assert!(secret_name(name), "{name}");
        }
    }

    #[test]
    fn names_of_other_things() {
        for name in [
            "key",
            "author",
            "keyboard",
            "monkey",
            "primary_key",
            "token_count",
            "max_tokens",
            "tokens",
            "passed",
            "bypass",
            "authority",
            "keyword",
            "public_key",
            "PUBLIC_KEY",
            "compass",
            "keys",
            "PWD",
            "OLDPWD",
            "password_field",
            "passwordLength",
            "tokenizer",
            "token_type",
            "secretName",
            "nextPageToken",
            "eos_token",
            "getPassword",
            "hasPassword",
            "foreignKey",
            "cacheKey",
            "turkey",
            "authorized",
            "oauth",
            "authenticate",
            "first_pass",
            "pass_rate",
            "secrets_dir",
            "KEY",
            "",
            "token_url",
            "keystone",
            "passenger",
            "input_tokens",
            "api_keys_url",
            "subtoken",
            "pagetoken",
            "trespass",
            "hotkey",
            "_",
            "1",
        ] {
            assert!(!secret_name(name), "{name}");
        }
    }
}
