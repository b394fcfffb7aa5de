//! What is planted: values of every kind, made anew on each run, so that no file holds anything that looks like one.
//!
//! The shapes are written down here from public facts and not taken from the redactor's own table: one mistake must
//! not hide in both.

use super::encode::base64;
use crate::Rng;

/// A value and which of its bytes were drawn.
#[derive(Clone, Debug)]
pub struct Secret {
    /// The value.
    pub text: String,
    /// For each byte whether it was drawn; the others are the same in every value of the kind.
    pub drawn: Vec<bool>,
}

/// A kind of secret.
pub struct Kind {
    /// Its name in the list of leaks.
    pub name: &'static str,
    /// How to know it.
    pub known_by: KnownBy,
    make: Make,
}

/// How a reader can know that a value is secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownBy {
    /// It has a shape of its own, wherever it stands.
    Shape,
    /// It is a block of several lines.
    Block,
    /// Only what stands around it tells.
    Name,
}

#[derive(Clone, Copy)]
enum Make {
    /// Text with drawn parts in braces: a class and a count.
    Shape(&'static str),
    Jwt,
    JwtInBase64,
    Pem(&'static str),
}

const fn shape(name: &'static str, shape: &'static str) -> Kind {
    Kind { name, known_by: KnownBy::Shape, make: Make::Shape(shape) }
}

const fn named(name: &'static str, shape: &'static str) -> Kind {
    Kind { name, known_by: KnownBy::Name, make: Make::Shape(shape) }
}

const fn pem(name: &'static str, label: &'static str) -> Kind {
    Kind { name, known_by: KnownBy::Block, make: Make::Pem(label) }
}

/// All kinds.
#[rustfmt::skip]
pub const KINDS: &[Kind] = &[
    // clouds
    shape("aws key id AKIA", "AKIA{516}"), shape("aws key id ASIA", "ASIA{516}"), shape("aws key id ABIA", "ABIA{516}"),
    shape("aws key id ACCA", "ACCA{516}"), shape("aws key id A3T", "A3T{U1}{516}"), shape("aws bedrock", "ABSK{b120}"),
    shape("google api key", "AIza{w35}"), shape("azure ad secret", "{A3}{d1}Q~{w34}"),
    shape("digitalocean personal", "dop_v1_{h64}"), shape("digitalocean oauth", "doo_v1_{h64}"), shape("digitalocean refresh", "dor_v1_{h64}"),
    shape("databricks", "dapi{h32}"), shape("vault service", "hvs.{w90}"), shape("vault batch", "hvb.{w140}"), shape("vault before 1.10", "s.{A24}"),
    shape("terraform cloud", "{A14}.atlasv1.{w64}"), shape("pulumi", "pul-{h40}"), shape("fly fo1", "fo1_{w43}"),
    shape("fly fm1", "fm1r_{b120}"), shape("fly fm2", "fm2_{b120}"), shape("heroku", "HRKU-AA{w58}"),
    shape("netlify", "nfp_{A36}"), shape("doppler", "dp.pt.{A43}"), shape("openshift", "sha256~{w43}"),
    // code hosting and packages
    shape("github ghp", "ghp_{A36}"), shape("github gho", "gho_{A36}"), shape("github ghu", "ghu_{A36}"), shape("github ghs", "ghs_{A36}"),
    shape("github ghr", "ghr_{A36}"), shape("github fine-grained", "github_pat_{A22}_{A59}"),
    shape("gitlab personal", "glpat-{w20}"), shape("gitlab deploy", "gldt-{w20}"), shape("gitlab runner", "glrt-{w20}"), shape("gitlab trigger", "glptt-{h40}"),
    shape("gitlab job", "glcbt-{a2}_{w20}"), shape("gitlab agent", "glagent-{w50}"), shape("gitlab oauth", "gloas-{h64}"), shape("gitlab scim", "glsoat-{w20}"),
    shape("gitlab feed", "glft-{w20}"), shape("gitlab mail", "glimt-{w25}"), shape("gitlab registration", "GR1348941{w20}"),
    shape("npm", "npm_{A36}"), shape("pypi", "pypi-AgEIcHlwaS5vcmc{w80}"), shape("rubygems", "rubygems_{h48}"),
    shape("artifactory key", "AKCp{A69}"), shape("artifactory reference", "cmVmd{A59}"), shape("atlassian", "ATATT3xFfGF0{w160}={V8}"),
    // models
    shape("openai project", "sk-proj-{w58}T3BlbkFJ{w58}"), shape("openai service", "sk-svcacct-{w58}T3BlbkFJ{w58}"),
    shape("openai admin", "sk-admin-{w58}T3BlbkFJ{w58}"), shape("openai user", "sk-{A20}T3BlbkFJ{A20}"),
    shape("anthropic api", "sk-ant-api03-{w93}AA"), shape("anthropic admin", "sk-ant-admin01-{w93}AA"), shape("anthropic oauth", "sk-ant-oat01-{w93}AA"),
    shape("anthropic refresh", "sk-ant-ort01-{w93}AA"), shape("openrouter", "sk-or-v1-{h64}"), shape("hugging face", "hf_{L34}"),
    shape("hugging face org", "api_org_{L34}"), shape("perplexity", "pplx-{A48}"), shape("mem0 m0", "m0-{A40}"), shape("mem0", "mem0_{A40}"),
    // chat, mail, payments
    shape("slack bot", "xoxb-{d12}-{d13}-{A24}"), shape("slack user", "xoxp-{d12}-{d12}-{d13}-{h32}"), shape("slack app", "xapp-1-A{V10}-{d13}-{h64}"),
    shape("slack rotated", "xoxe.xoxb-1-{A160}"), shape("slack webhook", "https://hooks.slack.com/services/T{V9}/B{V9}/{A24}"),
    shape("discord bot", "M{A23}.{A6}.{A27}"), shape("telegram bot", "{d10}:A{w34}"), shape("twilio", "SK{h32}"), shape("sendgrid", "SG.{w22}.{w43}"),
    shape("stripe live", "sk_live_{A24}"), shape("stripe restricted", "rk_test_{A24}"), shape("stripe prod", "sk_prod_{A30}"),
    shape("square access", "sq0atp-{w22}"), shape("square token", "EAAA{w60}"), shape("shopify admin", "shpat_{h32}"), shape("shopify custom", "shpca_{h32}"),
    shape("shopify private", "shppa_{h32}"), shape("shopify shared", "shpss_{h32}"), shape("plaid", "access-production-{h8}-{h4}-{h4}-{h4}-{h12}"),
    // operations and offices
    shape("grafana cloud", "glc_{b64}"), shape("grafana service", "glsa_{A32}_{h8}"), shape("grafana key", "eyJrIjoi{A80}"),
    shape("new relic user", "NRAK-{V27}"), shape("new relic insert", "NRII-{w32}"), shape("new relic browser", "NRJS-{h19}"),
    shape("sentry org", "sntrys_eyJpYXQiO{b100}_{b43}"), shape("sentry user", "sntryu_{h64}"), shape("linear", "lin_api_{A40}"), shape("notion", "ntn_{d11}{A35}"),
    shape("postman", "PMAK-{h24}-{h34}"), shape("airtable", "pat{A14}.{h64}"), shape("1password service", "ops_eyJ{b250}"),
    shape("1password key", "A3-{V6}-{V6}-{V5}-{V5}-{V5}-{V5}"), shape("age", "AGE-SECRET-KEY-1{B58}"),
    // composed
    Kind { name: "jwt", known_by: KnownBy::Shape, make: Make::Jwt }, Kind { name: "jwt in base64", known_by: KnownBy::Shape, make: Make::JwtInBase64 },
    pem("private key rsa", "RSA "), pem("private key", ""), pem("private key openssh", "OPENSSH "), pem("private key ec", "EC "), pem("private key pgp", "PGP "),
    // without a shape
    named("aws secret key", "{b40}"), named("32 hexadecimal digits", "{h32}"), named("uuid key", "{h8}-{h4}-4{h3}-a{h3}-{h12}"),
    named("password, generated", "{L6}{d3}!{A6}"), named("password, long", "{A8}_{A8}.{A8}"), named("password, symbols", "{L4}${d3}#{l4}+{d2}"),
    named("password, words", "{l5}-{l6}-{l4}-{d3}"), named("password, short", "{l5}{d3}"), named("password, letters", "{l7}{U1}{l6}"),
];

impl Kind {
    /// A value of this kind.
    pub fn draw(&self, rng: &mut Rng) -> Secret {
        match self.make {
            Make::Shape(shape) => drawn(shape, rng),
            Make::Jwt => jwt(rng),
            Make::JwtInBase64 => in_base64(&jwt(rng)),
            Make::Pem(label) => pem_block(label, rng),
        }
    }
}

fn alphabet(class: u8) -> &'static [u8] {
    match class {
        b'A' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        b'a' => b"abcdefghijklmnopqrstuvwxyz0123456789",
        b'V' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        b'U' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        b'L' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        b'l' => b"abcdefghijklmnopqrstuvwxyz",
        b'd' => b"0123456789",
        b'h' => b"0123456789abcdef",
        b'5' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        b'B' => b"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
        b'b' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        _ => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
    }
}

fn drawn(shape: &str, rng: &mut Rng) -> Secret {
    let mut secret = Secret { text: String::new(), drawn: Vec::new() };
    let mut rest = shape;
    while let Some((fixed, after)) = rest.split_once('{') {
        secret.push(fixed, false);
        let (part, after) = after.split_once('}').unwrap_or((after, ""));
        let count = part[1..].parse().unwrap_or(0);
        let bytes = rng.bytes_of(alphabet(part.as_bytes()[0]), count);
        secret.push(&String::from_utf8_lossy(&bytes), true);
        rest = after;
    }
    secret.push(rest, false);
    secret
}

impl Secret {
    fn push(&mut self, text: &str, drawn: bool) {
        self.text.push_str(text);
        self.drawn.resize(self.text.len(), drawn);
    }
}

/// In base64 without padding; a letter counts as drawn if any of its bytes was.
fn in_base64(inner: &Secret) -> Secret {
    let text = base64(inner.text.as_bytes()).trim_end_matches('=').to_owned();
    let drawn = (0..text.len()).map(|i| inner.drawn[i * 6 / 8] || inner.drawn.get((i * 6 + 5) / 8) == Some(&true));
    Secret { drawn: drawn.collect(), text }
}

fn jwt(rng: &mut Rng) -> Secret {
    let mut claims = Secret { text: String::new(), drawn: Vec::new() };
    claims.push("{\"sub\":\"", false);
    claims.push(&String::from_utf8_lossy(&rng.bytes_of(alphabet(b'a'), 20)), true);
    claims.push("\",\"iat\":17", false);
    claims.push(&format!("{}", 10_000_000 + rng.below(80_000_000)), true);
    claims.push("}", false);
    let mut head = Secret { text: String::new(), drawn: Vec::new() };
    head.push("{\"alg\":\"HS256\",\"typ\":\"JWT\"}", false);
    let mut secret = in_base64(&head);
    secret.push(".", false);
    let claims = in_base64(&claims);
    secret.text.push_str(&claims.text);
    secret.drawn.extend(claims.drawn);
    secret.push(".", false);
    secret.push(&String::from_utf8_lossy(&rng.bytes_of(alphabet(b'w'), 43)), true);
    secret
}

fn pem_block(label: &str, rng: &mut Rng) -> Secret {
    let block = if label == "PGP " { "PRIVATE KEY BLOCK" } else { "PRIVATE KEY" };
    let line = |word: &str| format!("{0}{word} {label}{block}{0}", "-".repeat(5));
    let mut secret = Secret { text: String::new(), drawn: Vec::new() };
    secret.push(&line("BEGIN"), false);
    for length in [64, 64, 64, 64, 40] {
        secret.push("\n", false);
        secret.push(&String::from_utf8_lossy(&rng.bytes_of(alphabet(b'b'), length)), true);
    }
    secret.push("\n", false);
    secret.push(&line("END"), false);
    secret
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_sixty_kinds_known_by_shape_and_values_differ() {
        let mut rng = Rng::new(1, "test");
        assert!(KINDS.iter().filter(|k| k.known_by != KnownBy::Name).count() >= 60);
        for kind in KINDS {
            let (a, b) = (kind.draw(&mut rng), kind.draw(&mut rng));
            assert_ne!(a.text, b.text, "{}", kind.name);
            assert_eq!(a.text.len(), a.drawn.len(), "{}", kind.name);
            assert!(a.drawn.iter().filter(|d| **d).count() >= 8, "{}", kind.name);
        }
    }

    #[test]
    fn a_jwt_in_base64_begins_the_same_and_goes_on_differently() {
        let mut rng = Rng::new(1, "test");
        let kind = KINDS.iter().find(|k| k.name == "jwt in base64").unwrap();
        let (a, b) = (kind.draw(&mut rng), kind.draw(&mut rng));
        let fixed = a.drawn.iter().position(|d| *d).unwrap();
        assert!(a.text.starts_with("ZXlK"));
        assert!(fixed > 40);
        assert_eq!(a.text[..fixed], b.text[..fixed]);
    }
}
