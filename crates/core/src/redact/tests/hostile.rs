//! Whatever comes in: no panic, no second change, no time out of proportion.
#![expect(clippy::disallowed_methods, reason = "watches the clock: nothing may take long")]

use super::{Redactor, redact};
use crate::redact::{clean, dotenv_values, visible};
use proptest::prelude::*;
use std::time::{Duration, Instant};

const SIZE: usize = 1 << 17; // bytes: quadratic work shows at this size already
const NOISE: Duration = Duration::from_millis(50); // what a busy machine adds to anything

#[test]
fn repeating_anything_does_not_hang() {
    let redactor = Redactor::with_known(["aaaaaaaaaaaaaaaa", "UUUUUUUUUUUUUUU!"]);
    let dashes = "-".repeat(5);
    for unit in [
        "a",
        "U",
        "5",
        "\"",
        "'",
        "\\",
        "%",
        "%25",
        "\\\\\"",
        "\n",
        " ",
        "=",
        ":",
        "/",
        "://",
        "://a:",
        "@",
        "a@",
        "eyJ",
        "eyJ-",
        "-eyJ",
        "eyJhbGciOiJub25l.",
        "sk-",
        "sk-\n",
        "ghp_",
        "ghp_\n1a",
        "AKIA",
        "EAAA",
        "key",
        "key=",
        "key ",
        "password",
        "password=",
        "password='",
        "password=\"a",
        "\"password\":",
        "api_key: ",
        "token,",
        "password,\n",
        "a,password\nb,c\n",
        "Cookie: a=",
        "cookie;",
        "Authorization: ",
        "bearer ",
        " -p",
        " -u",
        "mysql -p",
        "curl -u a",
        "\u{1b}",
        "\u{1b}[",
        "\u{1b}]",
        "\\u0041",
        "\\u",
        "\\x41",
        "kind: Secret\n",
        "kind: Secret\ndata:\n a: b\n",
        "data:\n ",
        "login machine password ",
        "<password>",
        "<password ",
        "[redacted:",
        "[redacted:x]",
        "é",
        "\u{1f600}",
        "aGVsbG8gd29ybGQ",
        "UUUU\n",
        "VVVV",
        "ICAg",
        "2020",
        "xoxb-1",
        "1:A",
        "00000:A",
        ".atlasv1.",
        "-us",
        "password: |\n",
        "a1b2c3d4e5f6a1b2c3d4e5f6a1b2c3d4e5f6a1b2c3d4e5f6a1b2c3d4e5f6a1b2\n",
        "password is ",
        "password for ",
        "as the password",
        "`x` as the password ",
        "password('",
        "password: Some(",
        "password: !!str ",
        "password: |2-\n",
        "password=${",
        "password || ",
        "password / password: a / ",
        "password |\n",
        "| password |\n",
        "a\tpassword\n",
        "into t (password) values (1,",
        "into (password",
        "identified by ",
        "identified with ",
        "--from-literal=a=",
        "secrets set ",
        "echo a | sudo -S ",
        "echo a|--password-stdin",
        "htpasswd -b ",
        "add-mask::",
        ":5432:",
        ":*:",
        "a:5432:b:c:",
        "auth=(",
        "auth=('a',",
        "<key>password</key>",
        "\"password\">",
        "\"password\" {default=",
        "&",
        "&#",
        "&quot;",
        "&amp;",
        "&#65;",
        "=3D",
        "=\n",
        "=3D\n",
        "41 ",
        "41:",
        "65, ",
        "0x41,",
        "00000000: 4141 4141\n",
        "00000000: ",
        "\\101",
        "\\u{41}",
        "{",
        "a=",
        "A='",
        "%2525",
        "5a475a68",
        "Wm1ab",
        "\u{9b}",
        "\u{1b}c",
        "\u{200b}",
        "a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6a1B2\n",
        "ghp\n_a1B2c3D4e5F6a1B2c3D4e5F6",
        "M1234567890123456789012345.",
        "BEGIN ",
        "\0",
        &format!("{dashes}BEGIN PRIVATE KEY{dashes}"),
        &format!("{dashes}BEGIN PRIVATE KEY{dashes}\n{dashes}END "),
        &format!("{dashes}BEGIN "),
        &format!("{dashes}END PRIVATE KEY{dashes}"),
        &format!("a1B2c3D4e5F6a1B2c3D4e5F6a1B2\n{dashes}END PRIVATE KEY{dashes}\n"),
    ] {
        let took = |size: usize| {
            let text = unit.repeat(size / unit.len());
            let start = Instant::now();
            let _ = redactor.clean(&text);
            let _ = dotenv_values(&text[..text.floor_char_boundary(size / 16)]);
            start.elapsed()
        };
        // Twice the text may take twice the time. A busy machine can spoil a measurement, but not every one.
        let linear = (0..6).any(|_| {
            let half = took(SIZE / 2);
            took(SIZE) < half * 4 + NOISE
        });
        assert!(linear, "{unit:?}");
    }
}

fn fragments() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("password"),
        Just("=\""),
        Just("\": \""),
        Just("token"),
        Just("api_key"),
        Just("[redacted:"),
        Just("]"),
        Just("\\"),
        Just("\""),
        Just("'"),
        Just("\n"),
        Just("\r\n"),
        Just(" "),
        Just(","),
        Just(";"),
        Just("&"),
        Just("://"),
        Just("@"),
        Just(":"),
        Just("%"),
        Just("\\u00"),
        Just("41"),
        Just("\u{1b}["),
        Just("m"),
        Just("ghp_"),
        Just("sk-ant-"),
        Just("eyJ"),
        Just("a1B2c3D4e5F6"),
        Just("0f1e2d3c4b5a6978"),
        Just("hunter22"),
        Just("<"),
        Just(">"),
        Just("</"),
        Just("kind: Secret\n"),
        Just("data:\n  x: "),
        Just("-----BEGIN "),
        Just("PRIVATE KEY-----"),
        Just("-----END "),
        Just("mysql -p"),
        Just("curl -u "),
        Just("Cookie: "),
        Just("Authorization: Bearer "),
        Just("login "),
        Just("machine "),
        Just("é"),
        Just("\u{200b}"),
        Just("\u{1b}"),
        Just("\u{1b}[1m"),
        Just("\u{9b}"),
        Just("&quot;"),
        Just("&#61;"),
        Just("=3D"),
        Just("=\n"),
        Just("67 68 70 5f "),
        Just("103, 104, "),
        Just("00000000: 6768 "),
        Just("identified by '"),
        Just("auth=('a', "),
        Just("secrets set "),
        Just("echo "),
        Just("| sudo -S"),
        Just("a:5432:b:c:"),
        Just("\t"),
        Just("**"),
        Just("Some("),
        Just(" || "),
        Just("::add-mask::"),
        Just("insert into t (a, password) values (1, "),
        Just("-----END PRIVATE KEY-----"),
        Just("_a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6"),
        Just("cGFzc3dvcmQ9aHVudGVyMjI"),
        Just("70617373776f72643d68756e7465723232"),
        Just("KEY"),
        Just("|"),
        Just("is "),
        Just("value"),
        Just("$"),
        Just("{"),
        Just("("),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn twice_is_once(text in fragments()) {
        let once = redact(&text).into_owned();
        prop_assert_ne!(&once, "[redacted:unreadable]");
        prop_assert_eq!(redact(&once), once.as_str());
    }

    #[test]
    fn clean_text_stays_as_it_is(text in fragments()) {
        let once = clean(&text);
        prop_assert_eq!(&clean(&once), &once);
        prop_assert_eq!(visible(&once), once.as_str());
    }

    #[test]
    fn known_values_do_not_change_that(text in fragments()) {
        let redactor = Redactor::with_known(["hunter22", "redacted", "[redacted:", "a1B2c3D4e5F6"]);
        let once = redactor.redact(&text).into_owned();
        prop_assert_eq!(redactor.redact(&once), once.as_str());
        prop_assert!(!once.contains("a1B2c3D4e5F6"));
    }

    #[test]
    fn anything_goes(text in any::<String>()) {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once), once.as_str());
        let seen = visible(&text).into_owned();
        prop_assert_eq!(visible(&seen), seen.as_str());
        let once = clean(&text);
        prop_assert_eq!(&clean(&once), &once);
        dotenv_values(&text);
    }
}
