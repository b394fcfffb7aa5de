//! Secrets that only their name gives away: kinds of names × kinds of values × places where both stand.
//!
//! Comes in: a half and a seed. Goes out: texts, each with one secret in it. Names and places are split in two halves: rules
//! are written while looking at [`Half::Learn`] alone, and judged on [`Half::Judge`], which nobody looks at to find out why
//! something is missed.

use super::encode::{base64, json, percent};
use crate::Rng;

/// Which names and places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// May be looked at.
    Learn,
    /// Only counts.
    Judge,
}

/// A text with a secret in it.
pub struct Plant {
    /// What it is made of, for a list of leaks: place, name, kind of value.
    pub what: [&'static str; 3],
    /// The text.
    pub text: String,
    /// The part of the value that must go: without a prefix that is the same in many.
    pub secret: String,
}

impl Plant {
    /// Does the secret, or eight bytes of it in a row, stand in `clean`?
    pub fn leaks(&self, clean: &str) -> bool {
        let secret = self.secret.as_bytes();
        secret.windows(secret.len().min(8)).any(|part| memchr::memmem::find(clean.as_bytes(), part).is_some())
    }
}

type Place = (&'static str, fn(&str, &str) -> String);

/// All plants of a half: every place with every kind of value, each with several of the names.
pub fn plants(half: Half, seed: u64) -> Vec<Plant> {
    let mut rng = Rng::new(seed, "telling");
    let (places, names) = match half {
        Half::Learn => (LEARN_PLACES, LEARN_NAMES),
        Half::Judge => (JUDGE_PLACES, JUDGE_NAMES),
    };
    let mut out = Vec::new();
    for (p, (place, write)) in places.iter().enumerate() {
        for (v, value) in VALUES.iter().enumerate() {
            for n in 0..NAMES_EACH {
                let name = names[(p * 5 + v * 3 + n * 7) % names.len()];
                let (text, secret) = value.draw(&mut rng);
                out.push(Plant { what: [place, name, value.name], text: write(name, &text), secret });
            }
        }
    }
    out
}

const NAMES_EACH: usize = 4;

struct Value {
    name: &'static str,
    make: fn(&mut Rng) -> (String, String),
}

impl Value {
    fn draw(&self, rng: &mut Rng) -> (String, String) {
        (self.make)(rng)
    }
}

const LETTERS: &[u8] = b"abcdefghijkmnopqrstuvwxyz";
const MIXED: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
const HEX: &[u8] = b"0123456789abcdef";
const DIGITS: &[u8] = b"0123456789";

fn of(rng: &mut Rng, alphabet: &[u8], count: usize) -> String {
    String::from_utf8(rng.bytes_of(alphabet, count)).unwrap_or_default()
}

// Words that people put into passphrases.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "correct", "horse", "battery", "purple", "monkey", "dragon", "winter", "summer", "coffee", "garden", "silver", "thunder",
    "velvet", "marble", "falcon", "copper", "meadow", "rocket", "saffron", "walnut", "harbor", "lantern", "pepper", "orbit",
];

fn word(rng: &mut Rng) -> &'static str {
    WORDS[rng.below(WORDS.len())]
}

fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

fn whole(text: String) -> (String, String) {
    (text.clone(), text)
}

fn after(prefix: &str, tail: String) -> (String, String) {
    (format!("{prefix}{tail}"), tail)
}

#[rustfmt::skip]
const VALUES: &[Value] = &[
    Value { name: "mixed, long", make: |r| whole(of(r, MIXED, 32)) },
    Value { name: "mixed, short", make: |r| whole(format!("{}{}{}", of(r, b"abcdefghjkmnpqrstuvwxyz", 3), of(r, DIGITS, 2), of(r, b"ABCDEFGHJKLMNPQRSTUVWXYZ", 3))) },
    Value { name: "hexadecimal", make: |r| whole(format!("{}{}", of(r, b"123456789", 2), of(r, HEX, 30))) },
    Value { name: "words with dashes", make: |r| whole(format!("{}-{}-{}", word(r), word(r), word(r))) },
    Value { name: "words with dashes and a number", make: |r| whole(format!("{}-{}-{}", word(r), word(r), 10 + r.below(90))) },
    Value { name: "season and year", make: |r| whole(format!("{}{}!", capital(word(r)), 2018 + r.below(9))) },
    Value { name: "two words in one", make: |r| whole(format!("{}{}", word(r), word(r))) },
    Value { name: "two words, capitals", make: |r| whole(format!("{}{}", capital(word(r)), capital(word(r)))) },
    Value { name: "six characters", make: |r| whole(format!("{}{}", of(r, LETTERS, 4), of(r, DIGITS, 2))) },
    Value { name: "six letters", make: |r| whole(of(r, b"bcdfghjkmnpqrtvwxz", 6)) },
    Value { name: "number of six digits", make: |r| whole(format!("{}{}", 1 + r.below(9), of(r, DIGITS, 5))) },
    Value { name: "number of eight digits", make: |r| whole(format!("{}{}", 1 + r.below(9), of(r, DIGITS, 7))) },
    Value { name: "signs", make: |r| whole(format!("p@{}#{}!", of(r, LETTERS, 4), of(r, DIGITS, 3))) },
    Value { name: "a format mark inside", make: |r| { let (a, b) = (of(r, MIXED, 9), of(r, MIXED, 9)); (format!("{a}%s{b}"), b) } },
    Value { name: "base64 with padding", make: |r| whole(format!("{}7+Q==", of(r, MIXED, 19))) },
    Value { name: "my-prod-", make: |r| after("my-prod-", of(r, MIXED, 14)) },
    Value { name: "test-", make: |r| after("test-", of(r, MIXED, 16)) },
    Value { name: "changeme-", make: |r| after("changeme-", of(r, MIXED, 12)) },
    Value { name: "example-", make: |r| after("example-", of(r, HEX, 16)) },
    Value { name: "dummy_", make: |r| after("dummy_", of(r, MIXED, 14)) },
    Value { name: "your-", make: |r| after("your-app-", of(r, MIXED, 14)) },
    Value { name: "uuid", make: |r| whole(format!("{}-{}-4{}-a{}-{}", of(r, HEX, 8), of(r, HEX, 4), of(r, HEX, 3), of(r, HEX, 3), of(r, HEX, 12))) },
];

#[rustfmt::skip]
const LEARN_NAMES: &[&str] = &[
    "password", "db_password", "DB_PASSWORD", "dbPassword", "api_key", "apiKey", "API_TOKEN", "access_token", "client_secret",
    "secretKey", "db_passwordToken", "stripeApiKeyLive", "auth_token", "passphrase", "MYSQL_ROOT_PASSWORD", "JWT_SECRET", "SMTP_PASS",
    "adminPassword", "github-token", "aws.secret.key", "passwd", "token", "secret", "credentials", "user_pwd",
    "mariadbPassword", "ROOT_PASSWORD", "influx_password", "rabbitmqPasswordDev", "cookieSigningKey", "circleciToken", "pypi_token",
    "BUILD_TOKEN", "gcpClientSecret", "gemini_api_key", "weatherApiKey", "minioSecretKey", "disk_passphrase", "pdfPassword", "proxy-password",
    "server.ssl.key.password", "FlaskSecret", "nextAuthSecretTest", "pushToken", "saml_secret", "consumerSecret", "doorPasscode", "MAIL_PASS",
    "userPasswordHash", "newPassword", "ftpPass", "signingKeyOld", "LINEAR_API_KEY", "bitbucketAppPassword", "stripe_webhook_secret",
    "mysqlPassword", "ADMIN_PASSWORD", "neo4j_password", "kafkaSaslPassword", "jwtSigningKey", "sentryAuthToken", "npm_token", "CI_DEPLOY_TOKEN",
    "azureClientSecret", "openai_api_key", "mapsApiKey", "s3SecretAccessKey", "backup_passphrase", "zipPassword", "vpn-password",
    "spring.mail.password", "AppSecret", "appSecretBeta", "deviceToken", "sso_client_secret", "tokenSecret", "unlockPasscode", "DB_PASS",
    "dbPasswordKey", "oldPassword", "sudoPass", "masterKey", "HEROKU_API_KEY", "gitlabAccessTokenCi", "payment_gateway_secret",
    "rootPwd", "POSTGRES_PASSWORD", "postgresPasswordOverride", "webhookSecret", "SLACK_SIGNING_SECRET", "bot_token", "idToken", "csrfSecret",
    "apiSecretKey", "datadogApiKeyEu", "STRIPE_SECRET_KEY", "smtpPassword", "ftp-password", "grafana.admin.password", "ssh_passphrase",
    "userPassword2", "sessionToken", "personalAccessToken", "CLIENT_SECRET_STAGING", "privateKeyPassphrase", "sigKeySecret", "hmac_key",
    "redisPasswordTmp", "ldap_bind_password", "registryAuthToken", "mongoPwd", "cookie_secret", "wpAdminPass", "TF_VAR_db_password",
    "userPwd", "admin_passwd", "SESSION_SECRET", "slackBotToken", "webhook_signing_secret", "encryptionKeyProd", "SERVICE_ACCOUNT_KEY",
    "githubTokenBackup", "redis_pass", "X-Api-Key", "refreshTokenValue", "ENCRYPTION_KEY", "loginPassword", "oauth_client_secret_v2",
    "masterPassword", "licenseKey", "deploy_key", "vaultTokenOld", "pwd", "dbpass", "sudo_password", "keystorePassword", "api_secret",
    "appSecretKey", "TWILIO_AUTH_TOKEN", "mail_pass_tokenKey", "sharedSecret", "root-password", "service.auth.token", "wifiPassphrase",
];

#[rustfmt::skip]
const JUDGE_NAMES: &[&str] = &[
    "oraclePassword", "SA_PASSWORD", "couchdb_password", "elasticPasswordProd", "refreshSigningKey", "jenkinsToken", "vercel_token",
    "RELEASE_TOKEN", "oktaClientSecret", "mistral_api_key", "geoApiKey", "spacesSecretKey", "gpg_passphrase", "archivePassword", "mqtt-password",
    "db.main.password", "DjangoSecret", "authSecretLocal", "botAccessToken", "oidc_secret", "partnerSecret", "tabletPasscode", "LDAP_PASS",
    "adminPasswordToken", "initialPassword", "imapPass", "encryptionKeyBackup", "NOTION_API_KEY", "confluenceApiToken", "github_webhook_secret",
];

#[rustfmt::skip]
const LEARN_PLACES: &[Place] = &[
    ("env", |n, v| format!("HOST=db1\n{n}={v}\nPORT=1\n")),
    ("export", |n, v| format!("export {n}='{v}'")),
    ("flag", |n, v| format!("deploy --{n} '{v}' --fast")),
    ("flag equals", |n, v| format!("deploy --{n}={v} --fast")),
    ("set -x flag", |n, v| format!("+ deploy --{n} '{v}'\n+ exit 0\n")),
    ("json", |n, v| format!("{{\"user\": \"bob\", \"{n}\": \"{}\", \"port\": 1}}", json(v))),
    ("json lines", |n, v| format!("{{\n  \"user\": \"bob\",\n  \"{n}\": \"{}\"\n}}", json(v))),
    ("json in json", |n, v| json(&format!("{{\"user\":\"bob\",\"{n}\":\"{}\"}}", json(v)))),
    ("yaml", |n, v| format!("db:\n  user: bob\n  {n}: {v}\n  port: 1\n")),
    ("yaml quoted", |n, v| format!("db:\n  {n}: \"{v}\"\n")),
    ("toml", |n, v| format!("[db]\n{n} = \"{v}\"\nport = 1\n")),
    ("ini", |n, v| format!("[db]\nuser = bob\n{n} = {v}\n")),
    ("xml", |n, v| format!("<db><{n}>{v}</{n}></db>")),
    ("xml over lines", |n, v| format!("<db>\n  <{n}>\n    {v}\n  </{n}>\n</db>")),
    ("plist", |n, v| format!("<dict>\n  <key>{n}</key>\n  <string>{v}</string>\n</dict>")),
    ("query", |n, v| format!("GET /v1?page=2&{n}={}&n=1 HTTP/1.1", percent(v.as_bytes()))),
    ("python", |n, v| format!("{n} = '{v}'\nconnect()\n")),
    ("python argument", |n, v| format!("connect(host=\"db1\", {n}=\"{v}\", port=1)")),
    ("javascript", |n, v| format!("const config = {{ user: 'bob', {n}: '{v}' }};")),
    ("go", |n, v| format!("\t{n} := \"{v}\"\n")),
    ("java", |n, v| format!("private static final String {n} = \"{v}\";")),
    ("terraform", |n, v| format!("resource \"db\" \"x\" {{\n  {n} = \"{v}\"\n}}")),
    ("compose", |n, v| format!("services:\n  db:\n    environment:\n      - {n}={v}\n")),
    ("properties", |n, v| format!("app.url=x\n{n}={v}\napp.port=1\n")),
    ("comment #", |n, v| format!("port = 1\n# {n}: {v}\n")),
    ("comment //", |n, v| format!("run(); // {n} = {v}\n")),
    ("comment xml", |n, v| format!("<!-- {n}: {v} -->")),
    ("parenthesised", |n, v| format!("Logged in as bob ({n}: {v}) on db1.")),
    ("log", |n, v| format!("2026-03-01 10:00:00 INFO connecting user=bob {n}={v} host=db1")),
    ("prose colon", |n, v| format!("Use this {n}: {v}")),
    ("base64 of a pair", |n, v| base64(format!("{n}={v}").as_bytes())),
    ("diff", |n, v| format!("@@ -1 +1 @@\n-{n}=\n+{n}={v}\n")),
    ("table", |n, v| format!("| setting | value |\n|---|---|\n| {n} | {v} |\n")),
    ("prompt", |n, v| format!("Enter {n}: {v}\nWelcome.\n")),
    ("dotenv quoted", |n, v| format!("# local\n{n}=\"{v}\"\nDEBUG=1\n")),
    ("inline env", |n, v| format!("cd app && {n}='{v}' ./run.sh --all")),
    ("flag double quoted", |n, v| format!("tool run --{n} \"{v}\" > out.txt")),
    ("flag bare", |n, v| format!("tool login --{n} {v} --region eu")),
    ("set -x export", |n, v| format!("++ export {n}={v}\n++ {n}={v}\n+ ./run\n")),
    ("set -x two flags", |n, v| format!("+ curl -s --{n} '{v}' https://x.test/y\n")),
    ("json compact", |n, v| format!("{{\"host\":\"db1\",\"{n}\":\"{}\"}}", json(v))),
    ("json nested", |n, v| format!("{{\"db\": {{\"auth\": {{\"{n}\": \"{}\"}}}}}}", json(v))),
    ("json escaped twice", |n, v| json(&json(&format!("{{\"a\": 1, \"{n}\": \"{}\"}}", json(v))))),
    ("yaml single quoted", |n, v| format!("production:\n    {n}: '{v}'\n    pool: 5\n")),
    ("yaml list of maps", |n, v| format!("env:\n  - name: {n}\n    value: {v}\n")),
    ("ini without spaces", |n, v| format!("[client]\nhost=db1\n{n}={v}\n")),
    ("ini colon", |n, v| format!("[client]\n{n}: {v}\nuser: bob\n")),
    ("xml attribute", |n, v| format!("<connection user=\"bob\" {n}=\"{v}\" pool=\"3\"/>")),
    ("xml setting", |n, v| format!("<add key=\"{n}\" value=\"{v}\" />")),
    ("xml property over lines", |n, v| format!("<property name=\"{n}\">\n    {v}\n</property>")),
    ("plist tabs", |n, v| format!("\t<key>{n}</key>\n\t<string>{v}</string>\n\t<key>port</key>\n\t<integer>1</integer>\n")),
    ("header", |n, v| format!("POST /v1 HTTP/1.1\nHost: x.test\n{n}: {v}\nAccept: */*\n")),
    ("form body", |n, v| format!("curl -d 'user=bob&{n}={}' https://x.test", percent(v.as_bytes()))),
    ("cookie", |n, v| format!("Cookie: theme=dark; {n}={v}; lang=en\n")),
    ("ruby", |n, v| format!("config.{n} = \"{v}\"\nconfig.port = 1\n")),
    ("php array", |n, v| format!("return ['user' => 'bob', '{n}' => '{v}'];")),
    ("csharp", |n, v| format!("var {n} = \"{v}\"; // local")),
    ("rust", |n, v| format!("    let {n} = \"{v}\".to_string();\n")),
    ("rust const", |n, v| format!("const {n}: &str = \"{v}\";")),
    ("typescript", |n, v| format!("  {n}: string = '{v}';\n")),
    ("kotlin", |n, v| format!("val {n}: String = \"{v}\"")),
    ("dockerfile", |n, v| format!("FROM base\nENV {n}={v}\nRUN make\n")),
    ("docker -e", |n, v| format!("docker run --rm -e {n}={v} -p 80:80 app")),
    ("helm set", |n, v| format!("helm upgrade app ./chart --set {n}={v} --wait")),
    ("powershell", |n, v| format!("$env:{n} = \"{v}\"\n./run.ps1\n")),
    ("tfvars", |n, v| format!("region = \"eu\"\n{n} = \"{v}\"\n")),
    ("connection string", |n, v| format!("Server=db1;User=bob;{n}={v};Encrypt=true")),
    ("comment in yaml", |n, v| format!("port: 1  # old {n}: {v}\n")),
    ("comment in c", |n, v| format!("/* {n} = {v} */\nint main() {{}}\n")),
    ("comment in sql", |n, v| format!("-- {n}: {v}\nSELECT 1;\n")),
    ("bracketed", |n, v| format!("[{n}: {v}] connected to db1")),
    ("log quoted", |n, v| format!("level=debug msg=connect user=bob {n}=\"{v}\" ok=true")),
    ("debug print", |n, v| format!("Config {{ user: \"bob\", {n}: \"{v}\", port: 1 }}")),
    ("python repr", |n, v| format!("{{'user': 'bob', '{n}': '{v}'}}")),
    ("base64 of a line", |n, v| base64(format!("{n}: {v}\n").as_bytes())),
    ("base64 of json", |n, v| base64(format!("{{\"{n}\":\"{v}\"}}").as_bytes())),
    ("diff yaml", |n, v| format!("@@ -3,2 +3,2 @@\n-  {n}: old\n+  {n}: {v}\n")),
    ("heredoc", |n, v| format!("cat > app.conf <<'END'\nuser=bob\n{n}={v}\nEND\n")),
    ("bold in markdown", |n, v| format!("- **{n}**: `{v}`\n")),
    ("list in markdown", |n, v| format!("- user: bob\n- {n}: {v}\n")),
    ("arrow", |n, v| format!("bob => db1\n{n} => {v}\n")),
    ("told", |n, v| format!("By the way, the {n} is `{v}`, keep it.")),
    ("env after others", |n, v| format!("PATH=/usr/bin\nLANG=C\n{n}={v}")),
    ("env file, single quotes", |n, v| format!("{n}='{v}'\n# end\n")),
    ("env file, crlf", |n, v| format!("A=1\r\n{n}={v}\r\nB=2\r\n")),
    ("env before a program", |n, v| format!("env {n}={v} cargo run")),
    ("two flags", |n, v| format!("psql-tool --user bob --{n} {v}\n")),
    ("flag with one dash", |n, v| format!("java -jar app.jar -{n}={v} -Xmx1g")),
    ("argument list", |n, v| format!("[\"deploy\", \"--{n}\", \"{v}\", \"--yes\"]")),
    ("trace of an assignment", |n, v| format!("+ {n}={v}\n+ echo done\n")),
    ("trace of a command", |n, v| format!("++ login --user bob --{n} {v}\n")),
    ("json, last", |n, v| format!("{{\"a\": [1, 2], \"{n}\": \"{}\"}}\n", json(v))),
    ("json, spaced colon", |n, v| format!("{{ \"{n}\" : \"{}\" }}", json(v))),
    ("json in a shell string", |n, v| format!("curl -d '{{\"user\":\"bob\",\"{n}\":\"{v}\"}}' https://x.test")),
    ("json5", |n, v| format!("{{ user: \"bob\", '{n}': \"{v}\", }}")),
    ("yaml, deep", |n, v| format!("a:\n  b:\n    c:\n      {n}: {v}\n      d: 1\n")),
    ("yaml, first", |n, v| format!("{n}: {v}\nname: app\n")),
    ("yaml with a comment", |n, v| format!("  {n}: {v} # change it\n")),
    ("yaml flow", |n, v| format!("db: {{ user: bob, {n}: \"{v}\" }}\n")),
    ("toml, inline table", |n, v| format!("db = {{ user = \"bob\", {n} = \"{v}\" }}\n")),
    ("ini, many", |n, v| format!("[mail]\nhost = mail.test\nport = 25\n{n} = {v}\ntls = on\n")),
    ("xml with attributes", |n, v| format!("<settings><{n} type=\"plain\">{v}</{n}></settings>")),
    ("xml, indented value", |n, v| format!("<server>\n\t<{n}>\n\t\t{v}\n\t</{n}>\n</server>")),
    ("xml entry", |n, v| format!("<entry key=\"{n}\">{v}</entry>")),
    ("plist on one line", |n, v| format!("<key>{n}</key><string>{v}</string>")),
    ("plist, blank line", |n, v| format!("<key>{n}</key>\n\n    <string>{v}</string>\n")),
    ("header in curl", |n, v| format!("curl -H '{n}: {v}' https://x.test")),
    ("header in a log", |n, v| format!("> GET /v1 HTTP/2\n> {n}: {v}\n> accept: */*\n")),
    ("set-cookie", |n, v| format!("Set-Cookie: {n}={v}; Path=/; HttpOnly\n")),
    ("query, first", |n, v| format!("https://x.test/cb?{n}={}&state=1", percent(v.as_bytes()))),
    ("query, last", |n, v| format!("curl 'https://x.test/cb?state=1&{n}={}'", percent(v.as_bytes()))),
    ("sql set", |n, v| format!("UPDATE settings SET {n} = '{v}' WHERE id = 1;")),
    ("python dict", |n, v| format!("CONFIG = dict(user='bob')\nCONFIG[\"{n}\"] = \"{v}\"\n")),
    ("python typed", |n, v| format!("    {n}: str = \"{v}\"\n")),
    ("python environ", |n, v| format!("os.environ[\"{n}\"] = \"{v}\"\n")),
    ("python default", |n, v| format!("x = os.environ.get(\"{n}\", \"{v}\")\n")),
    ("javascript fallback", |n, v| format!("const x = process.env.{n} || '{v}';")),
    ("javascript let", |n, v| format!("let {n} = `{v}`;\n")),
    ("go struct", |n, v| format!("cfg := Config{{\n\tUser: \"bob\",\n\t{n}: \"{v}\",\n}}\n")),
    ("java properties call", |n, v| format!("props.setProperty(\"{n}\", \"{v}\");")),
    ("c define", |n, v| format!("#define {n} \"{v}\"\n")),
    ("swift", |n, v| format!("let {n}: String = \"{v}\"\n")),
    ("scala", |n, v| format!("val {n} = \"{v}\"\n")),
    ("php define", |n, v| format!("define('{n}', '{v}');")),
    ("elixir", |n, v| format!("config :app, {n}: \"{v}\"\n")),
    ("lua", |n, v| format!("local conf = {{ {n} = \"{v}\" }}\n")),
    ("compose map", |n, v| format!("    environment:\n      {n}: {v}\n      B: 2\n")),
    ("kubernetes env", |n, v| format!("        - name: {n}\n          value: \"{v}\"\n        - name: B\n")),
    ("ansible", |n, v| format!("- hosts: all\n  vars:\n    {n}: \"{v}\"\n")),
    ("terraform variable", |n, v| format!("variable \"{n}\" {{\n  default = \"{v}\"\n}}")),
    ("systemd", |n, v| format!("[Service]\nEnvironment=\"{n}={v}\"\nRestart=always\n")),
    ("comment, todo", |n, v| format!("// TODO remove {n}: {v}\nrun();\n")),
    ("comment after code", |n, v| format!("connect()  # {n} = {v}\n")),
    ("comment block", |n, v| format!("/*\n * {n}: {v}\n */\n")),
    ("comment in html", |n, v| format!("<p>x</p>\n<!-- remember {n} = {v} -->\n")),
    ("parenthesised, equals", |n, v| format!("connected ({n}={v})\n")),
    ("parenthesised in prose", |n, v| format!("I logged in with the new account ({n}: {v}), and it worked.")),
    ("log, colon", |n, v| format!("[debug] config loaded, {n}: \"{v}\"\n")),
    ("log, many pairs", |n, v| format!("ts=1 level=info {n}={v} dur=3ms\n")),
    ("log, json", |n, v| format!("10:00:00 DEBUG body={{\"{n}\":\"{}\"}} status=200", json(v))),
    ("base64 header", |n, v| format!("payload: {}", base64(format!("user=bob&{n}={v}").as_bytes()))),
    ("base64 of env", |n, v| base64(format!("A=1\n{n}={v}\nB=2\n").as_bytes())),
    ("diff of json", |n, v| format!("-  \"{n}\": \"\",\n+  \"{n}\": \"{}\",\n", json(v))),
    ("heredoc yaml", |n, v| format!("cat <<EOF > c.yml\ndb:\n  {n}: {v}\nEOF\n")),
    ("numbered listing", |n, v| format!("    11\u{2192}user=bob\n    12\u{2192}{n}={v}\n")),
    ("search result", |n, v| format!("conf/app.ini:12:{n} = {v}\n")),
    ("table with bars", |n, v| format!("| user | bob |\n| {n} | {v} |\n")),
    ("csv column", |n, v| format!("user,{n},host\nbob,{v},db1\n")),
    ("prompt with colon", |n, v| format!("$ login\nUser: bob\n{n}: {v}\nok\n")),
    ("told, bare", |n, v| format!("The {n} is {v}\n")),
    ("told, quoted", |n, v| format!("I set the {n} to \"{v}\" yesterday.")),
    ("dotenv, spaced", |n, v| format!("USER=bob\n{n} = {v}\n")),
    ("export with double quotes", |n, v| format!("export A=1 {n}=\"{v}\"\n")),
    ("fish", |n, v| format!("set -gx {n} {v}\n")),
    ("windows set", |n, v| format!("set {n}={v}\r\necho ok\r\n")),
    ("make variable", |n, v| format!("{n} ?= {v}\nall:\n\tmake x\n")),
    ("flag after a pipe", |n, v| format!("cat x | upload --bucket b --{n}='{v}'")),
    ("flag over lines", |n, v| format!("tool run \\\n  --{n} {v} \\\n  --fast\n")),
    ("flag in a list of yaml", |n, v| format!("args:\n  - --{n}={v}\n  - --fast\n")),
    ("trace with quotes", |n, v| format!("+ docker login -u bob --{n} '{v}' registry.test\n")),
    ("trace in a job", |n, v| format!("10:00:01 + {n}='{v}'\n10:00:01 + make\n")),
    ("json array of pairs", |n, v| format!("[{{\"name\":\"{n}\",\"value\":\"{}\"}}]", json(v))),
    ("json with tabs", |n, v| format!("{{\n\t\"{n}\":\t\"{}\"\n}}\n", json(v))),
    ("json string in yaml", |n, v| format!("data: '{{\"{n}\": \"{v}\"}}'\n")),
    ("yaml block", |n, v| format!("{n}: |\n  {v}\nb: 1\n")),
    ("yaml, folded list", |n, v| format!("users:\n  - name: bob\n    {n}: {v}\n  - name: ann\n")),
    ("toml, dotted", |n, v| format!("db.{n} = '{v}'\n")),
    ("hcl block", |n, v| format!("provider \"x\" {{\n  region = \"eu\"\n  {n}   = \"{v}\"\n}}\n")),
    ("xml, cdata", |n, v| format!("<{n}><![CDATA[{v}]]></{n}>")),
    ("xml, namespace", |n, v| format!("<cfg:db cfg:{n}=\"{v}\"/>")),
    ("xml, several", |n, v| format!("<u>bob</u>\n<{n}>{v}</{n}>\n<h>db1</h>\n")),
    ("html input", |n, v| format!("<input type=\"text\" name=\"{n}\" value=\"{v}\">")),
    ("header, lower case", |n, v| format!("{{'headers': {{'{n}': '{v}'}}}}")),
    ("multipart", |n, v| format!("curl -F '{n}={v}' https://x.test")),
    ("query in a log", |n, v| format!("10.0.0.1 - GET /cb?x=1&{n}={}&y=2 200", percent(v.as_bytes()))),
    ("sql insert", |n, v| format!("INSERT INTO users (name, {n}) VALUES ('bob', '{v}');")),
    ("sql where", |n, v| format!("SELECT * FROM users WHERE {n} = '{v}';")),
    ("python class", |n, v| format!("class Config:\n    {n} = \"{v}\"\n    DEBUG = True\n")),
    ("python call over lines", |n, v| format!("connect(\n    host=\"db1\",\n    {n}=\"{v}\",\n)\n")),
    ("python raw string", |n, v| format!("{n} = r'{v}'\n")),
    ("javascript object over lines", |n, v| format!("module.exports = {{\n  user: 'bob',\n  {n}: '{v}',\n}};\n")),
    ("javascript quoted key", |n, v| format!("cfg['{n}'] = '{v}';")),
    ("typescript readonly", |n, v| format!("  private readonly {n} = '{v}';\n")),
    ("java annotation", |n, v| format!("@Value(\"x\") String {n} = \"{v}\";\n")),
    ("java builder", |n, v| format!("builder.with(\"{n}\", \"{v}\").build();")),
    ("csharp property", |n, v| format!("public string {n} {{ get; set; }} = \"{v}\";")),
    ("go map", |n, v| format!("m := map[string]string{{\"{n}\": \"{v}\"}}\n")),
    ("rust struct", |n, v| format!("Config {{ user: \"bob\".into(), {n}: \"{v}\".into() }}\n")),
    ("ruby hash", |n, v| format!("{{ user: 'bob', {n}: '{v}' }}\n")),
    ("ruby rocket", |n, v| format!("{{ :user => 'bob', :{n} => '{v}' }}\n")),
    ("perl", |n, v| format!("my ${n} = '{v}';\n")),
    ("php variable", |n, v| format!("${n} = \"{v}\";\n")),
    ("bash local", |n, v| format!("  local {n}=\"{v}\"\n  run\n")),
    ("powershell argument", |n, v| format!("Connect-Db -User bob -{n} \"{v}\"\n")),
    ("docker build-arg", |n, v| format!("docker build --build-arg {n}={v} .")),
    ("compose list, quoted", |n, v| format!("    environment:\n      - \"{n}={v}\"\n")),
    ("kubernetes string data", |n, v| format!("kind: Secret\nstringData:\n  {n}: {v}\n")),
    ("github workflow", |n, v| format!("      env:\n        {n}: {v}\n      run: make\n")),
    ("properties, colon", |n, v| format!("app.name: x\n{n}: {v}\n")),
    ("comment, several lines", |n, v| format!("# credentials for the test box\n# user: bob\n# {n}: {v}\n")),
    ("comment, slash", |n, v| format!("let x = 1; // was {n}={v}\n")),
    ("comment in css", |n, v| format!("/* {n}: {v} */ body {{}}\n")),
    ("parenthesised, last", |n, v| format!("See the wiki ({n} {v}).\nthen ({n}: {v})")),
    ("brackets with equals", |n, v| format!("Params: [user=bob, {n}={v}]\n")),
    ("exception", |n, v| format!("Error: login failed for {{user: 'bob', {n}: '{v}'}}\n    at x.js:1\n")),
    ("log with an arrow", |n, v| format!("debug: {n} -> \"{v}\"\n")),
    ("base64 argument", |n, v| format!("echo {} | base64 -d", base64(format!("export {n}={v}\n").as_bytes()))),
    ("diff of ini", |n, v| format!("@@ -1,3 +1,3 @@\n [db]\n-{n} = x\n+{n} = {v}\n")),
    ("heredoc export", |n, v| format!("cat >> ~/.profile <<X\nexport {n}={v}\nX\n")),
    ("search in yaml", |n, v| format!("deploy/values.yaml:31:  {n}: {v}\n")),
    ("table of two rows", |n, v| format!("| user | {n} |\n|---|---|\n| bob | {v} |\n")),
    ("tabs", |n, v| format!("user\t{n}\nbob\t{v}\n")),
    ("chat", |n, v| format!("here you go, {n}: {v}\nthanks\n")),
    ("mail", |n, v| format!("Hello,\n\nyour {n}: {v}\n\nBye\n")),
    ("told with should", |n, v| format!("The {n} should be '{v}' on staging.")),
    ("shell line", |n, v| format!("$ export {n}={v} && make deploy\n")),
    ("env of a process", |n, v| format!("USER=bob HOME=/root {n}={v} PWD=/srv\n")),
    ("env in a unit", |n, v| format!("Environment={n}={v}\n")),
    ("flag, upper case program", |n, v| format!("./gradlew publish --{n}=\"{v}\" --info\n")),
    ("flag in backticks", |n, v| format!("Run `cli login --{n} {v}` first.")),
    ("trace, nested", |n, v| format!("+++ curl --silent --{n} '{v}' https://x.test\n")),
    ("trace, several", |n, v| format!("+ set -e\n+ A=1 {n}='{v}' ./run\n")),
    ("json of a response", |n, v| format!("{{\"status\":200,\"data\":{{\"{n}\":\"{}\",\"ttl\":60}}}}", json(v))),
    ("json of json in a log", |n, v| format!("msg=\"{}\"", json(&format!("{{\"{n}\":\"{}\"}}", json(v))))),
    ("json pretty, four spaces", |n, v| format!("{{\n    \"db\": {{\n        \"{n}\": \"{}\",\n        \"port\": 1\n    }}\n}}", json(v))),
    ("yaml, double quotes and comment", |n, v| format!("auth:\n  {n}: \"{v}\"  # rotate\n")),
    ("yaml, list item", |n, v| format!("- user: bob\n  {n}: {v}\n")),
    ("yaml, last line", |n, v| format!("x: 1\n{n}: {v}")),
    ("toml, single quotes", |n, v| format!("[auth]\n{n} = '{v}'\n")),
    ("ini, after a comment", |n, v| format!("; mail\n[smtp]\n{n}={v}\n")),
    ("xml, many lines", |n, v| format!("<a>\n <b>1</b>\n <{n}>\n  {v}\n </{n}>\n</a>\n")),
    ("xml attribute, single quotes", |n, v| format!("<user name='bob' {n}='{v}'/>")),
    ("xml param", |n, v| format!("<param name=\"{n}\" value=\"{v}\"/>")),
    ("plist, windows lines", |n, v| format!("<key>{n}</key>\r\n<string>{v}</string>\r\n")),
    ("cookie header in curl", |n, v| format!("curl -b '{n}={v}' https://x.test")),
    ("request header", |n, v| format!("requests.get(url, headers={{\"{n}\": \"{v}\"}})")),
    ("query, only", |n, v| format!("wget 'https://x.test/f?{n}={}'", percent(v.as_bytes()))),
    ("form", |n, v| format!("POST /login\n\nuser=bob&{n}={}\n", percent(v.as_bytes()))),
    ("python assignment in a function", |n, v| format!("def f():\n    {n} = \"{v}\"\n    return 1\n")),
    ("python keyword, single quotes", |n, v| format!("client = Client({n}='{v}')\n")),
    ("javascript const", |n, v| format!("const {n} = \"{v}\";\n")),
    ("javascript this", |n, v| format!("this.{n} = '{v}';\n")),
    ("go const", |n, v| format!("const {n} = \"{v}\"\n")),
    ("java field", |n, v| format!("    String {n} = \"{v}\";\n")),
    ("csharp field", |n, v| format!("    private const string {n} = \"{v}\";\n")),
    ("rust static", |n, v| format!("static {n}: &'static str = \"{v}\";\n")),
    ("ruby constant", |n, v| format!("{n} = '{v}'.freeze\n")),
    ("php object", |n, v| format!("$this->{n} = '{v}';\n")),
    ("terraform argument", |n, v| format!("  {n}          = \"{v}\"\n  engine = \"x\"\n")),
    ("compose, env list", |n, v| format!("environment:\n  - A=1\n  - {n}={v}\n  - B=2\n")),
    ("docker --env", |n, v| format!("docker run -d --env {n}='{v}' app:latest")),
    ("helm values", |n, v| format!("secrets:\n  {n}: {v}\nreplicas: 1\n")),
    ("properties, spaced", |n, v| format!("a.b = 1\nserver.{n} = {v}\n")),
    ("comment, shell", |n, v| format!("make x  # {n}={v}\n")),
    ("comment, go", |n, v| format!("// {n}: {v}\nfunc main() {{}}\n")),
    ("comment, html", |n, v| format!("<!-- {n} {v} -->\n<!-- {n}={v} -->")),
    ("comment, block star", |n, v| format!("/**\n * {n} = {v}\n */\n")),
    ("parenthesised after a word", |n, v| format!("login as admin ({n}: {v})\n")),
    ("log, brackets", |n, v| format!("2026-03-01T10:00:00Z INFO [auth] {n}={v}\n")),
    ("log, end", |n, v| format!("connecting with user=bob {n}={v}\n")),
    ("error message", |n, v| format!("authentication failed: {n} \"{v}\" was rejected\n")),
    ("base64 of a pair, quoted", |n, v| format!("data=\"{}\"", base64(format!("{n}={v}").as_bytes()))),
    ("base64 of yaml", |n, v| base64(format!("user: bob\n{n}: {v}\n").as_bytes())),
    ("diff, removed", |n, v| format!("@@ -1 +0,0 @@\n-{n}={v}\n")),
    ("diff of code", |n, v| format!("+    {n}: \"{v}\",\n")),
    ("heredoc of env", |n, v| format!("cat > .env <<EOF\n{n}={v}\nEOF\n")),
    ("listing with numbers", |n, v| format!("     3\t{n}: {v}\n     4\tport: 1\n")),
    ("prompt, question", |n, v| format!("? Enter your {n}: {v}\n")),
    ("prose, is", |n, v| format!("For the demo the {n} is {v}.")),
    ("prose, colon in backticks", |n, v| format!("The new {n}: `{v}`\n")),
    // Complaints: the value stands before its name, or far behind it.
    ("complaint of clap", |n, v| format!("error: invalid value '{v}' for '--{n} <VALUE>'\n\nFor more information, try '--help'.\n")),
    ("complaint of clap, attached", |n, v| format!("error: unexpected argument '--{n}={v}' found\n")),
    ("complaint of argparse", |n, v| format!("usage: run.py [-h]\nrun.py: error: argument --{n}: invalid int value: '{v}'\n")),
    ("complaint of argparse, choice", |n, v| format!("run.py: error: argument --{n}: invalid choice: '{v}' (choose from 'a', 'b')\n")),
    ("complaint of click", |n, v| format!("Error: Invalid value for '--{n}': '{v}' is not a valid integer.\n")),
    ("complaint of go", |n, v| format!("invalid value \"{v}\" for flag -{n}: parse error\n")),
    ("complaint of cobra", |n, v| format!("Error: invalid argument \"{v}\" for \"--{n}\" flag: strconv.ParseInt: parsing \"{v}\": invalid syntax\n")),
    ("complaint of commander", |n, v| format!("error: option '--{n} <value>' argument '{v}' is invalid. Not a number.\n")),
    ("complaint in curly quotes", |n, v| format!("tool: invalid argument \u{2018}{v}\u{2019} for \u{2018}--{n}\u{2019}\n")),
    ("complaint of a parser of settings", |n, v| format!("invalid type: found string \"{v}\", expected i16 for key \"default.{n}\" in environment\n")),
    ("complaint over two lines", |n, v| format!("1 validation error for Settings\n{n}\n  Input should be an integer [type=int, input_value='{v}', input_type=str]\n")),
    ("complaint as an object", |n, v| format!("[{{ \"code\": \"too_small\", \"path\": [\"{n}\"], \"received\": \"{v}\" }}]\n")),
    ("complaint with given", |n, v| format!("Invalid values:\n  Argument: {n}, Given: \"{v}\", Choices: \"a\", \"b\"\n")),
    ("expectation", |n, v| format!("Expected {n} to equal '{v}' but got undefined\n")),
    // Commands and files.
    ("property of a virtual machine", |n, v| format!("java -D{n}={v} -jar app.jar\n")),
    ("git config", |n, v| format!("git config --global app.{n} {v}\n")),
    ("store of keys", |n, v| format!("consul kv put app/{n} {v}\n")),
    ("flags for name and value", |n, v| format!("az keyvault secret set --name {n} --value {v}\n")),
    ("echoed into a store", |n, v| format!("echo -n '{v}' | gcloud secrets create {n} --data-file=-\n")),
    ("echoed into a file", |n, v| format!("echo '{v}' > /run/secrets/{n}\n")),
    ("secure string", |n, v| format!("ConvertTo-SecureString -String '{v}' -AsPlainText # {n}\n")),
    ("part of a form", |n, v| format!("--b1\r\nContent-Disposition: form-data; name=\"{n}\"\r\n\r\n{v}\r\n--b1--\r\n")),
    ("body of a request", |n, v| format!("POST /t HTTP/1.1\n\n{n}={}&grant_type=x\n", percent(v.as_bytes()))),
    // Code and what tools print.
    ("braces in c++", |n, v| format!("static const std::string {n}{{\"{v}\"}};\n")),
    ("basic", |n, v| format!("Dim {n} As String = \"{v}\"\n")),
    ("arrow to the left", |n, v| format!("{n} <- \"{v}\"\n")),
    ("default in a schema", |n, v| format!("{{\"properties\": {{\"{n}\": {{\"type\": \"string\", \"default\": \"{v}\"}}}}}}\n")),
    ("change from old to new", |n, v| format!("  ~ {n} = \"old\" -> \"{v}\"\n")),
    ("record of psql", |n, v| format!("-[ RECORD 1 ]----\nid | 1\n{n} | {v}\n")),
    ("two columns", |n, v| format!("Key      Value\n---      -----\n{n}      {v}\n")),
    // Sentences.
    ("told, and the sentence goes on", |n, v| format!("Please use this, the {n} is {v} for the staging box.")),
    ("set to", |n, v| format!("Set {n} to {v} in the env file, then restart.")),
    ("told in german", |n, v| format!("Das {n} lautet {v}, bitte eintragen.")),
    ("with, spoken", |n, v| format!("Log in with {n} {v} and tell me what you see.")),
    ("announced", |n, v| format!("Hi, the new {n} for staging is:\n\n    {v}\n\nCheers\n")),
    ("value first", |n, v| format!("Use '{v}' as the {n}.\n")),
    ("complaint of picocli", |n, v| format!("Invalid value for option '--{n}': '{v}' is not an int\n")),
    ("complaint of typer", |n, v| format!("Invalid value for '--{n}': Got unexpected extra argument ({v})\n")),
    ("complaint of serde", |n, v| format!("Error: invalid type: string \"{v}\", expected u64 for key `{n}`\n")),
    ("complaint about a length", |n, v| format!("ValueError: {n} must be at least 40 characters, got '{v}'\n")),
    ("property of a build", |n, v| format!("./gradlew publish -P{n}={v} --info\n")),
    ("printed to a store", |n, v| format!("printf '{v}' | docker secret create {n} -\n")),
    ("put into a store", |n, v| format!("etcdctl put /app/{n} '{v}'\n")),
    ("note with a dash", |n, v| format!("{n} - {v}\n")),
    ("set in cmake", |n, v| format!("set({n} \"{v}\")\n")),
    ("told in french", |n, v| format!("Le {n} est {v} pour le moment.")),
    ("has the value", |n, v| format!("key \"{n}\" has value '{v}'\n")),
    ("in brackets behind the name", |n, v| format!("Use the staging {n} ({v}) for this.")),
];

#[rustfmt::skip]
const JUDGE_PLACES: &[Place] = &[
    ("env, only line", |n, v| format!("{n}={v}\n")),
    ("env, exported twice", |n, v| format!("export STAGE=prod\nexport {n}=\"{v}\"\nexport B=1\n")),
    ("env before make", |n, v| format!("{n}={v} make deploy\n")),
    ("flag, first", |n, v| format!("vaultctl --{n} {v} --addr https://x.test put a b")),
    ("flag, last, quoted", |n, v| format!("backup create --all --{n} \"{v}\"")),
    ("trace of a login", |n, v| format!("+ az login --username bob --{n} '{v}' --tenant t\n")),
    ("trace of declare", |n, v| format!("+ declare {n}={v}\n+ run\n")),
    ("json, numbers around", |n, v| format!("{{\"id\": 7, \"{n}\": \"{}\", \"ok\": true}}", json(v))),
    ("json, array of objects", |n, v| format!("[{{\"user\": \"bob\", \"{n}\": \"{}\"}}, {{\"user\": \"ann\"}}]", json(v))),
    ("json escaped in json", |n, v| format!("{{\"body\": \"{}\"}}", json(&format!("{{\"{n}\": \"{}\"}}", json(v))))),
    ("yaml under anchors", |n, v| format!("base: &base\n  host: db1\n  {n}: {v}\n")),
    ("yaml in quotes, nested", |n, v| format!("spec:\n  auth:\n    {n}: '{v}'\n")),
    ("toml under a table", |n, v| format!("[package]\nname = \"x\"\n\n[registry]\n{n} = \"{v}\"\n")),
    ("ini under a section", |n, v| format!("[database]\nhost = db1\n{n} = {v}\nport = 5432\n")),
    ("xml between others", |n, v| format!("<cfg>\n  <host>db1</host>\n  <{n}>{v}</{n}>\n</cfg>")),
    ("xml over three lines", |n, v| format!("<{n}>\n{v}\n</{n}>")),
    ("xml attribute, first", |n, v| format!("<datasource {n}=\"{v}\" url=\"x\"/>")),
    ("plist of two", |n, v| format!("<dict>\n\t<key>user</key>\n\t<string>bob</string>\n\t<key>{n}</key>\n\t<string>{v}</string>\n</dict>\n")),
    ("http header", |n, v| format!("GET / HTTP/1.1\r\n{n}: {v}\r\nUser-Agent: x\r\n")),
    ("url in a browser", |n, v| format!("open https://x.test/reset?user=bob&{n}={}#top", percent(v.as_bytes()))),
    ("cookie, second", |n, v| format!("cookie: sid=1; {n}={v}\r\n")),
    ("sql update", |n, v| format!("update accounts set {n}='{v}', active=1 where id=3;")),
    ("sql create user", |n, v| format!("INSERT INTO config ({n}, host) VALUES ('{v}', 'db1');")),
    ("python constant", |n, v| format!("import os\n\n{n} = \"{v}\"\nHOST = \"db1\"\n")),
    ("python dict literal", |n, v| format!("settings = {{\n    'host': 'db1',\n    '{n}': '{v}',\n}}\n")),
    ("javascript export", |n, v| format!("export const {n} = '{v}'\n")),
    ("javascript call", |n, v| format!("createClient({{ host: 'db1', {n}: \"{v}\" }})\n")),
    ("go field", |n, v| format!("opts.{n} = \"{v}\"\n")),
    ("rust field", |n, v| format!("        {n}: \"{v}\".to_owned(),\n")),
    ("java setter", |n, v| format!("config.put(\"{n}\", \"{v}\");\n")),
    ("csharp configuration", |n, v| format!("Configuration[\"{n}\"] = \"{v}\";\n")),
    ("ruby env", |n, v| format!("ENV['{n}'] = '{v}'\n")),
    ("php config", |n, v| format!("$config['{n}'] = '{v}';\n")),
    ("terraform resource", |n, v| format!("resource \"aws_db\" \"main\" {{\n  username = \"bob\"\n  {n} = \"{v}\"\n}}\n")),
    ("dockerfile arg", |n, v| format!("ARG {n}={v}\nRUN make\n")),
    ("compose, map quoted", |n, v| format!("    environment:\n      {n}: \"{v}\"\n    ports:\n")),
    ("kubernetes container", |n, v| format!("env:\n- name: {n}\n  value: '{v}'\n- name: B\n  value: '1'\n")),
    ("java properties", |n, v| format!("# mail\nmail.host=x\n{n}={v}\n")),
    ("comment, python", |n, v| format!("x = 1  # {n}: {v}\n")),
    ("comment, js block", |n, v| format!("/* old {n}: {v} */\n")),
    ("comment, xml", |n, v| format!("<cfg>\n  <!-- {n}: {v} -->\n</cfg>\n")),
    ("comment, toml", |n, v| format!("#{n} = \"{v}\"\nport = 1\n")),
    ("parentheses, prose", |n, v| format!("The demo account ({n}: {v}) still works.")),
    ("log, logfmt", |n, v| format!("time=10:00 level=warn msg=retry {n}={v} attempt=2\n")),
    ("log, quoted colon", |n, v| format!("DEBUG request sent with {n}: '{v}'\n")),
    ("prose, is, in quotes", |n, v| format!("Remember that the {n} is \"{v}\".")),
    ("prose, colon", |n, v| format!("Here is the {n}: {v}\n")),
    ("table row", |n, v| format!("| Name | Value |\n|------|-------|\n| host | db1 |\n| {n} | {v} |\n")),
    ("prompt", |n, v| format!("{n}: {v}\nLogin succeeded\n")),
    ("diff, added yaml", |n, v| format!("@@ -4,3 +4,4 @@\n   host: db1\n+  {n}: {v}\n   port: 1\n")),
    ("diff, added env", |n, v| format!("+++ b/.env\n@@ -0,0 +1 @@\n+{n}=\"{v}\"\n")),
    ("heredoc, ini", |n, v| format!("tee app.ini <<'X'\n[db]\n{n} = {v}\nX\n")),
    ("base64 of name and value", |n, v| format!("echo '{}' | base64 --decode\n", base64(format!("{n}={v}\n").as_bytes()))),
    ("complaint of a gem", |n, v| format!("invalid argument: --{n} {v} (OptionParser::InvalidArgument)\n")),
    ("complaint of a validator", |n, v| format!("ValidationError: \"{n}\" with value \"{v}\" fails to match the required pattern\n")),
    ("complaint of a shell", |n, v| format!("deploy: unrecognized option '--{n}={v}'\n")),
    ("complaint about a type", |n, v| format!("TypeError: {n} must be a number, got '{v}'\n")),
    ("complaint of a server", |n, v| format!("level=error msg=\"invalid {n}\" value=\"{v}\" status=400\n")),
    ("test that fails", |n, v| format!("AssertionError: expected {n} to equal \"{v}\"\n")),
    ("maven property", |n, v| format!("mvn deploy -D{n}={v} -q\n")),
    ("secret of a cloud", |n, v| format!("aws secretsmanager create-secret --name {n} --secret-string '{v}'\n")),
    ("echoed into a variable of a job", |n, v| format!("echo '{v}' | gh secret set {n}\n")),
    ("told in spanish", |n, v| format!("El {n} es '{v}', no lo compartas.")),
    ("changed in prose", |n, v| format!("I changed the {n} to '{v}' last week.")),
    ("list of notes", |n, v| format!("Staging:\n* host: db1\n* {n}: {v}\n")),
];
