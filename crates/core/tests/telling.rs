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
        "error: invalid value 'always' for '--token-policy <WHEN>'",
        "error: invalid value 'filesystem' for '--password-store <STORE>'",
        "error: the argument '--password <PASSWORD>' cannot be used with '--token <TOKEN>'",
        "Expected the access_token to be 'undefined'",
        "invalid choice: 'keyring' (choose from 'session', 'keyring') for --password",
        "{\"category\":\"exactly-once-violation\",\"text\":\"cannot read last_token\"}",
        "env.On(\"RunCommand\", \"cygpath\", []string{\"-u\", tc.Pwd}) must match",
        "The access_token is base64-encoded and sent on",
        "the api_key is OAuth2-based here",
        "Set access_token to refreshed in the handler",
        "passes the config with bearer token [21.00ms]",
        "complete coverage** for the Gemini token usage",
        "client_secret (google.auth.v1beta1.ApiKeyConfig): the secret",
        "'USERPWD', 'HTTP200ALIASES', 'FILE'",
        "key.Key(u'\\u1234', 1)",
        "gh secret set GPG_PASSPHRASE --body \"<subkey passphrase>\"",
        "pub const SP_BACKUP_BACKUPPASS: DWORD = 0x00000001;",
        "password_field: \"input\"",
        "passwordPolicy: strong-and-long-one",
    ] {
        assert_eq!(clean(text), text);
    }
}

/// One row for each class of places that once leaked.
#[test]
fn each_class_of_places_keeps_its_secret() {
    for (text, secret) in [
        ("error: invalid value 'ginger-fjord-ember' for '--api-key <VALUE>'", "ginger-fjord"),
        ("argument --password: invalid int value: 'Violet7938#'", "Violet7938"),
        ("invalid value \"48089288\" for flag -token: parse error", "48089288"),
        ("secret_key\n  Input should be an integer [input_value='qgot6189', input_type=str]", "qgot6189"),
        ("tool: invalid argument \u{2018}copper-orbit-saddle\u{2019} for \u{2018}--auth-token\u{2019}", "copper-orbit"),
        ("the STRIPE_SECRET is Pickle2518! for the staging box", "Pickle2518"),
        ("Set csrf_secret to 13114967 in the env file.", "13114967"),
        ("./run.sh --adminpwd Saddle4369! up", "Saddle4369"),
        ("./run.sh --secret-key=44720553 up", "44720553"),
        ("./run.sh --hmac-secret=copper-lantern-meadow up", "copper-lantern"),
        ("s3SecretAccessKey: Sztee%sUeIaex1", "Sztee%sUeIaex1"),
        ("echo QVBJX0tFWT1PVUUzTiVzdXJwcHJsNw== | base64 -d", "VzdXJwcHJsNw"),
        ("define('deploy_key', 'ZLMR98HP');", "ZLMR98HP"),
        ("os.Setenv(\"SHARED_SECRET\", \"G5PV-QMYZ-G8EL-VKSG\")", "G5PV-QMYZ"),
        ("~ mapsApiKey = \"Rk9sQ1b7\" -> \"harbor-marble-saddle\"", "harbor-marble"),
        ("cookieSecret = '1/fS/BHouqaGqDeg/HPoIwxM'", "BHouqaGqDeg"),
        ("`tundra-glacier-pickle` is the openai api key you asked for.", "tundra-glacier"),
    ] {
        assert!(!clean(text).contains(secret), "{}", clean(text));
    }
}

#[test]
fn a_place_that_is_cut_anywhere_trips_nothing_and_cleaning_again_changes_nothing() {
    let all = plants(Half::Learn, 13);
    let mut places: Vec<&Plant> = all.iter().collect();
    places.dedup_by_key(|plant| plant.what[0]);
    for text in places.iter().map(|plant| plant.text.as_str()) {
        for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            for part in [&text[..cut], &text[cut..], &format!("{}\"{}", &text[..cut], &text[cut..])] {
                let once = clean(part);
                assert_eq!(clean(&once), once, "{part:?}");
            }
        }
    }
}
