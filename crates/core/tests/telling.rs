//! A telling name wins over what its value looks like: words, numbers, prefixes of stand-ins.

use uptake_core::redact::clean;
use uptake_testkit::plants::telling::{Half, Plant, plants};

/// The largest share that may leak, in per cent.
const BAR: f64 = 1.0;

#[test]
fn a_telling_name_wins_over_what_its_value_looks_like() {
    for half in [Half::Learn, Half::Judge] {
        let all = plants(half, 12);
        let leaks: Vec<&Plant> = all.iter().filter(|plant| plant.leaks(&clean(&plant.text))).collect();
        let share = 100.0 * leaks.len() as f64 / all.len() as f64;
        let shown: Vec<_> = leaks.iter().take(20).map(|plant| plant.what.join(", ")).collect();
        assert!(share <= BAR, "{half:?}: {} of {} leak, {share:.2} %:\n{}", leaks.len(), all.len(), shown.join("\n"));
    }
}

#[test]
fn what_only_looks_like_a_secret_under_a_name_stays() {
    for text in [
        "max_tokens: 4096",
        "\"max_tokens\": 4096,",
        "token_count = 128000",
        "\"cached_token\": 123456,",
        "password_min_length: 12",
        "keyboard: qwerty",
        "primary_key: id",
        "tokenizer = \"sentencepiece\"",
        "secretName: walnut-harbor-lantern",
        "passwordField = \"walnutharbor\"",
        "csrf_token_name: walnutharbor",
        "SESSION_KEY = 'walnut-harbor-lantern'",
        "password: changeme",
        "password = \"password\"",
        "token: xxx",
        "TOKEN=<token>",
        "TOKEN=${TOKEN}",
        "api_key: example",
        "api_key = \"your-api-key-here\"",
        "api_key: \"my-api-key\"",
        "password: string",
        "password: string;",
        "token: Uint8Array",
        "private_key: SigningKey,",
        "token = get_token()",
        "token = refreshed",
        "password = args.password",
        "api_key=os.environ[\"X\"]",
        "const token = await fetchToken(user);",
        "login(user=user, password=password)",
        "accessToken: 'new-at', refreshToken: 'new-rt'",
        "Unexpected token \"walnutharbor\" in JSON",
        "The token is expired.",
        "The password is required",
        "moved the credentials to `FilePointer`",
        "tests pass: `MeasureRepoWithOptions` is fast",
        "(`RedshiftCredentials`, `RedshiftConnection`)",
        "{\"type\":\"password\",\"config\":{}}",
        "rg 'randomPrivateKey|randomBytes|crypto'",
        "with:\n  shared-key: publish-crates\n",
        "--api-key flag",
        "run <your-password>\n127 lines\n",
    ] {
        assert_eq!(clean(text), text);
    }
}
