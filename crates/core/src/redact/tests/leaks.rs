//! No kind survives any notation.

use super::formats::{BARE, Format, TELLING, TELLING_TOKEN, base64, hex, json};
use super::sample::Samples;
use super::ways::{LAYERS, WAYS};
use super::{Redactor, leaks, redact};
use crate::redact::clean;
use crate::redact::shapes::rules::RULES;

const SAMPLES: usize = 3; // of each kind, in each notation

// The secret as it stands, and as the notation wrote it: neither may be left.
fn survives(clean: &str, secret: &str) -> bool {
    let base64: Vec<String> =
        (0..3).map(|shift| base64(&format!("{:shift$}{secret}", ""))[4..].trim_end_matches('=').to_string()).collect();
    leaks(clean, secret)
        || leaks(clean, &json(secret)[1..])
        || base64
            .iter()
            .any(|coded| coded.len() >= 16 && memchr::memmem::find(clean.as_bytes(), &coded.as_bytes()[..16]).is_some())
        || memchr::memmem::find(clean.as_bytes(), &hex(secret).as_bytes()[..24.min(2 * secret.len())]).is_some()
}

fn all_redacted(what: &str, pattern: &str, formats: &[&[Format]]) -> (usize, Vec<String>) {
    let mut samples = Samples::seeded(what.len() as u64 * 7 + pattern.len() as u64);
    let mut cases = 0;
    let mut leaked = Vec::new();
    for _ in 0..SAMPLES {
        let secret = samples.of(pattern);
        for (name, format) in formats.iter().flat_map(|list| list.iter()) {
            let text = format(&secret);
            let clean = clean(&text);
            cases += 1;
            if survives(&clean, &secret) {
                leaked.push(format!("{what}, {name}:\n  {text:?}\n  {clean:?}"));
            }
            assert_eq!(super::super::clean(&clean), clean, "twice: {what}, {name}");
        }
    }
    (cases, leaked)
}

fn none_leak(list: &[(&str, &str, &[&[Format]])]) {
    let (mut cases, mut leaked) = (0, Vec::new());
    for (what, pattern, formats) in list {
        let (more, found) = all_redacted(what, pattern, formats);
        cases += more;
        leaked.extend(found);
    }
    println!("{cases} cases, {} leaks", leaked.len());
    assert!(leaked.is_empty(), "{} of {cases} leak:\n{}", leaked.len(), leaked.join("\n"));
}

#[test]
fn no_token_survives_any_notation() {
    let list: Vec<_> =
        RULES.iter().map(|rule| (rule.kind, rule.pattern, &[BARE, LAYERS, TELLING, TELLING_TOKEN, WAYS][..])).collect();
    none_leak(&list);
}

#[test]
fn no_shapeless_value_survives_where_its_name_tells() {
    none_leak(&[
        ("generated letters", "[a-z]{7}[A-Z][a-z]{6}", &[TELLING, WAYS]),
        ("words and a number", "[a-z]{5}-[a-z]{6}-[a-z]{4}-[0-9]{3}", &[TELLING, WAYS]),
        ("eight characters", "[a-z]{5}[0-9]{3}", &[TELLING, WAYS]),
        ("signs", "[A-Za-z]{4}[$][0-9]{3}#[a-z]{4}[+][0-9]{2}", &[TELLING, WAYS]),
        ("three parts", "[0-9A-Za-z]{8}_[0-9A-Za-z]{8}[.][0-9A-Za-z]{8}", &[TELLING, WAYS]),
        ("aws secret", "[0-9][A-Za-z]{3}[0-9A-Za-z/+]{36}", &[TELLING, WAYS]),
        ("base64 without slash", "[0-9][A-Za-z]{3}[0-9A-Za-z+]{36}", &[TELLING, TELLING_TOKEN, WAYS]),
        ("hexadecimal", "[0-9]{2}[a-f][0-9a-f]{29}", &[TELLING, TELLING_TOKEN, WAYS]),
        (
            "uuid",
            "[0-9a-f]{7}[0-9]-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{11}[0-9]",
            &[TELLING, TELLING_TOKEN, WAYS],
        ),
        ("short password", "[a-z]{5}[0-9]{2}[A-Z]{2}[!*+][a-z]{2}", &[TELLING, WAYS]),
        ("password", "[A-Za-z]{6}[0-9]{3}[!*_.+=~^-][0-9A-Za-z!*_+=~^-]{8}", &[TELLING, WAYS]),
    ]);
}

#[test]
fn no_private_key_survives() {
    let mut samples = Samples::seeded(1);
    for (label, kind) in [("", ""), ("RSA ", ""), ("EC ", ""), ("OPENSSH ", ""), ("ENCRYPTED ", ""), ("PGP ", " BLOCK")]
    {
        let mut body: Vec<String> = (0..12).map(|_| samples.of("[0-9A-Za-z+/]{64}")).collect();
        body.push(samples.of("[0-9A-Za-z+/]{30}=="));
        let begin = format!("{}BEGIN {label}PRIVATE KEY{kind}{}", "-".repeat(5), "-".repeat(5));
        let whole = format!("{begin}\n{}\n{}\n", body.join("\n"), begin.replace("BEGIN", "END"));
        let cut = format!("{begin}\n{}", body.join("\n"));
        let tail = format!("{}\n{}\n", body.join("\n"), begin.replace("BEGIN", "END"));
        let numbered = |key: &str, between: &str| -> String {
            key.lines().enumerate().map(|(i, line)| format!("{:6}{between}{line}\n", i + 1)).collect()
        };
        for key in [&whole, &cut, &tail] {
            for text in [
                key.clone(),
                format!("before\n{key}\nafter this there is text"),
                json(key),
                json(&json(key)),
                format!("{{\"type\":\"service_account\",\"private_key\":{}}}", json(key)),
                key.replace('\n', "\r\n"),
                key.lines().map(|line| format!("+{line}\n")).collect(),
                key.lines().map(|line| format!("    {line}\n")).collect(),
                format!("PRIVATE_KEY=\"{}\"", key.replace('\n', "\\n")),
                numbered(key, "\t"),
                numbered(key, "\u{2192}"),
                json(&numbered(key, "\u{2192}")),
                key.lines().enumerate().map(|(i, line)| format!("key.pem:{}:{line}\n", i + 1)).collect(),
                base64(key),
            ] {
                let clean = redact(&text);
                assert!(body.iter().all(|line| !survives(&clean, line)), "{text}\n{clean}");
                assert_eq!(redact(&clean), clean, "twice: {text}");
            }
        }
    }
}

#[test]
fn the_secret_half_of_a_cloud_key_is_known_without_a_name() {
    let mut samples = Samples::seeded(3);
    for _ in 0..200 {
        let secret = samples.of("[0-9][A-Z][a-z]{2}[0-9A-Za-z/+]{36}");
        for text in [secret.clone(), format!("({secret})"), format!("id,{secret},x"), base64(&format!("x {secret} y"))]
        {
            assert!(!survives(&clean(&text), &secret), "{text}");
        }
    }
}

#[test]
fn tokens_of_old_vaults_are_known_and_calls_in_code_are_not() {
    let mut samples = Samples::seeded(4);
    for _ in 0..100 {
        let secret = format!("s.{}", samples.of("[A-Za-z0-9]{12}[0-9][A-Z][A-Za-z0-9]{10}"));
        for text in [secret.clone(), format!("'{secret}'"), format!("(was {secret})"), base64(&secret), hex(&secret)] {
            assert!(!survives(&clean(&text), &secret), "{text}");
        }
        let (head, tail) = secret.split_at(15);
        let text = format!("put <<'DATA'\n{head}\n{tail}\nDATA");
        assert_eq!(clean(&text), "put <<'DATA'\n[redacted:vault-token]\nDATA");
    }
    for text in
        ["errCount := s.finalizeAllTurnCheckpoin(ctx)", "s.handlesEveryCheckpointNow", "items.abcdefghijklmnopqrstuvwx"]
    {
        super::check(text, text);
    }
}

#[test]
fn words_are_taken_where_a_sentence_says_that_they_are_passwords() {
    for (text, expect) in [
        ("The password is swordfish.", "The password is [redacted:password]."),
        ("password: \"correct horse battery staple\"", "password: \"[redacted:password]\""),
        ("The password is required.", "The password is required."),
        ("The password is somewhere.", "The password is somewhere."),
        ("the password was incorrect", "the password was incorrect"),
        ("password: \"must not be empty for admins\"", "password: \"must not be empty for admins\""),
    ] {
        super::check(text, expect);
    }
}

#[test]
fn a_long_value_leaves_no_rest() {
    let secret = Samples::seeded(1).of("[0-9][0-9A-Za-z]{5000}");
    for text in [format!("API_TOKEN={secret} x"), format!("{{\"password\": \"{secret}\", \"n\": 1}}")] {
        assert!(!leaks(&redact(&text), &secret), "{text}");
    }
}

#[test]
fn what_follows_a_cut_off_key_stays() {
    let mut samples = Samples::seeded(1);
    let begin = format!("{0}BEGIN PRIVATE KEY{0}", "-".repeat(5));
    let text = format!("{begin}\n{}\nand then words went on", samples.of("[0-9A-Za-z+/]{64}"));
    assert_eq!(redact(&text), "[redacted:private-key]\nand then words went on");
}

#[test]
fn known_values_are_found_however_they_are_written() {
    let secret = "tea \"for\" two, 10:30/late";
    let redactor = Redactor::with_known(["short", secret, "another value"]);
    for (name, format) in BARE.iter().filter(|(name, _)| !name.starts_with("wrapped")) {
        let text = format(secret);
        let clean = redactor.redact(&text);
        assert!(clean.contains("[redacted:known]"), "{name}: {text}");
        assert!(!survives(&clean, secret), "{name}: {clean}");
        assert_eq!(redactor.redact(&clean), clean, "twice: {name}");
    }
    assert_eq!(redactor.redact("short values stay"), "short values stay");
}

#[test]
fn a_known_value_that_is_part_of_the_marker_does_no_harm() {
    let redactor = Redactor::with_known(["redacted", "password"]);
    let clean = redactor.redact("a redacted password");
    assert_eq!(clean, "a [redacted:known] [redacted:known]");
    assert_eq!(redactor.redact(&clean), clean);
}

// A token cut in two by a terminal: every place, every way.
#[test]
fn no_token_survives_a_line_break() {
    let breaks = [("", "\n", "\n"), ("it said ", "\r\n", " and more"), ("> ", "\n    ", "\n"), ("\"", "\\n", "\"")];
    let mut leaked = Vec::new();
    let mut cases = 0;
    // Where a value may be percent-encoded, hardly any stretch of it is long enough to be noticed.
    for rule in RULES.iter().filter(|rule| !rule.pattern.contains('%')) {
        let secret = Samples::seeded(rule.pattern.len() as u64).of(rule.pattern);
        for at in 1..secret.len() {
            let (a, b) = secret.split_at(at);
            for (before, between, after) in breaks {
                let text = format!("{before}{a}{between}{b}{after}");
                cases += 1;
                if leaks(&clean(&text), a) && a.len() >= 12 || leaks(&clean(&text), b) && b.len() >= 12 {
                    leaked.push(format!("{} at {at}:\n  {text:?}\n  {:?}", rule.kind, clean(&text)));
                }
            }
        }
    }
    assert!(leaked.is_empty(), "{} of {cases} leak:\n{}", leaked.len(), leaked.join("\n"));
}

// Something that takes no room inside a token: every kind of it, every place.
#[test]
fn no_token_hides_behind_what_nobody_sees() {
    let hidden = [
        "\u{1b}[31m",
        "\u{1b}[0m\u{1b}[1m",
        "\u{200b}",
        "\u{e0041}",
        "\u{feff}",
        "\0",
        "\u{ad}",
        "\u{202e}",
        "\u{9b}1m",
        "\u{8}",
    ];
    for rule in RULES {
        let secret = Samples::seeded(rule.pattern.len() as u64 + 1).of(rule.pattern);
        for at in 0..=secret.len() {
            let (a, b) = secret.split_at(at);
            let text = format!("x {a}{}{b} y", hidden[at % hidden.len()]);
            let clean = clean(&text);
            assert!(!survives(&clean, &secret), "{} at {at}: {text:?}\n{clean:?}", rule.kind);
        }
    }
}

/// What fuzzing and the battery found.
#[test]
fn what_seems_to_go_on_hides_nothing() {
    let token = format!("ghp_{}", "a1B2c3D4e".repeat(4));
    let wrapped = ["s.2vD9W1pDLiveX", "T9JXBdKhRZc"];
    for (text, secret) in [
        (format!("{token}\nxxxxxxxxxxxx1"), token.as_str()),
        ("NRJS-6dd526720\n2cf1de3b71\n---------5".to_owned(), "6dd526720"),
        (format!("{}\n{}", wrapped[0], wrapped[1]), "2vD9W1pDLive"),
        (format!("444444\n{}\n444444444444444444444444444444443", hex(&token)), &hex(&token)[..24]),
        ("s.FmfBhMXzYybNq2yfXsdnkjuf".to_owned(), "FmfBhMXzYybN"),
        ("The password is KHFcGYKj_cNnQeysp.HzUWVWJt until Friday.".to_owned(), "cNnQeysp"),
        (r#"{\"user\":\"ann\",\"password\":\"eNbsDdaR_219Sgurm.akTVxwRI\"}"#.to_owned(), "219Sgurm"),
        ("password: \"s.GUpudkadpoWigigIZUwgIsex\"".to_owned(), "GUpudkadpoWig"),
        ("DB_PASSWORD=oUExUVMB_aazh6npm.RFwsj7e7".to_owned(), "aazh6npm"),
        ("password = \"EVp60rwl_TVYFzadH.yBfOjtBg\"".to_owned(), "TVYFzadH"),
        ("Authorization: Bearer Jgjmd6Nz_enrmr3y7.cGYGYALR".to_owned(), "enrmr3y7"),
    ] {
        let clean = clean(&text);
        assert!(!clean.contains(secret), "{text:?} -> {clean:?}");
    }
    for code in ["password = user.profile2.hash", "token: config.oauth2Client.accessToken", "key = process.env.S3_KEY"]
    {
        assert_eq!(clean(code), code);
    }
}

#[test]
fn a_token_behind_one_that_only_seems_to_go_on_is_found() {
    let mut samples = Samples::seeded(9);
    for _ in 0..50 {
        let secret = samples.of("sk-proj-[A-Za-z0-9_-]{74}T3BlbkFJ[A-Za-z0-9_-]{74}");
        for before in ["xoxb-249999999", "xoxb-24--proxy-use", "ghp_abc123"] {
            let text = format!("{before}\r\nbefore\r\n{secret}\r\nafter");
            assert!(!survives(&clean(&text), &secret), "{text}\n{}", clean(&text));
        }
    }
}

#[test]
fn a_token_below_a_long_run_is_found() {
    let mut samples = Samples::seeded(10);
    for _ in 0..50 {
        let secret = samples.of("M[A-Za-z0-9]{23}[.][A-Za-z0-9]{6}[.][A-Za-z0-9]{27}");
        let text = format!("UDTP{}\n{secret}\n999", "9".repeat(44));
        assert!(!survives(&clean(&text), &secret), "{text}\n{}", clean(&text));
        let coded = base64(&secret);
        let text = format!("UDTP{}\n{coded}\n999", "9".repeat(44));
        assert!(!clean(&text).contains(&coded[4..40]), "{text}\n{}", clean(&text));
    }
}
