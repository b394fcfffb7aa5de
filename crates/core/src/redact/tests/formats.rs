//! The notations a secret is met in.

use std::fmt::Write;

pub(super) type Format = (&'static str, fn(&str) -> String);

/// Notations that say nothing about their content: only a shape can be found in them.
pub(super) const BARE: &[Format] = &[
    ("raw", |s| s.to_string()),
    ("quoted", |s| format!("it printed '{s}' again")),
    ("double quoted", |s| format!("it printed \"{s}\" again")),
    ("backticks", |s| format!("see `{s}`.")),
    ("json", |s| json(&format!("out {s} end"))),
    ("json in json", |s| json(&json(&format!("out {s} end")))),
    ("json in json in json", |s| json(&json(&json(&format!("out\n{s}\nend"))))),
    ("slashes escaped", |s| format!("\"{}\"", s.replace('/', "\\/"))),
    ("unicode escapes", |s| escaped(s, |out, b| write!(out, "\\u{b:04x}"))),
    ("unicode escapes twice", |s| escaped(s, |out, b| write!(out, "\\\\u{b:04X}"))),
    ("hex escapes", |s| escaped(s, |out, b| write!(out, "\\x{b:02x}"))),
    ("base64", |s| base64(s)),
    ("base64 one off", |s| base64(&format!(":{s},"))),
    ("base64 two off", |s| base64(&format!("= {s}"))),
    ("base64 in a path", |s| format!("/x/{}/y", base64(&format!("{s} and")))),
    ("base64 url", |s| base64(&format!("??>{s}")).replace('+', "-").replace('/', "_")),
    ("base64 of json", |s| base64(&json(&format!("x {s} y")))),
    ("base64 twice", |s| base64(&base64(s))),
    ("base64 lines", |s| lines(&base64(&format!("{:80}{s}{:80}", "", "")), 76)),
    ("hex", |s| hex(s)),
    ("hex one off", |s| format!("f{}", hex(s))),
    ("hex upper", |s| hex(s).to_uppercase()),
    ("percent", |s| escaped(s, |out, b| write!(out, "%{b:02X}"))),
    ("percent where needed", |s| format!("?x={}&y=1", percent(s))),
    ("coloured", |s| format!("\x1b[1;32m{s}\x1b[0m done")),
    ("coloured inside", |s| {
        let (a, b) = s.split_at(s.len() / 2);
        format!("\x1b[2m{a}\x1b[31m{b}\x1b[0m")
    }),
    ("behind a cut colour code", |s| format!("\x1b[0- ;{s}")),
    ("escapes behind an open colour code", |s| format!("\x1b[ \"{}\"", escaped(s, |out, b| write!(out, "\\u{b:04x}")))),
    ("behind a choice of letters", |s| format!("-psk\x1b) {s} x")),
    ("behind an open colour code", |s| format!("\x1b[ {s}")),
    ("coloured in json", |s| json(&format!("\x1b[33m{s}\x1b[0m"))),
    ("url query", |s| format!("https://host.test/path?x={s}&page=2")),
    ("url path", |s| format!("https://host.test/{s}/info")),
    ("markdown link", |s| format!("[here](https://host.test/?q={s})")),
    ("csv", |s| format!("name,value,date\nfirst,{s},2024-01-01\n")),
    ("pipe table", |s| format!("| first | {s} | yes |")),
    ("tab separated", |s| format!("first\t{s}\tyes")),
    ("prose", |s| format!("I found {s}, which should not be there.")),
    ("end of sentence", |s| format!("It is {s}.")),
    ("parenthesised", |s| format!("(see {s})")),
    ("bracketed", |s| format!("[{s}]")),
    ("braced", |s| format!("{{{s}}}")),
    ("angle", |s| format!("<{s}>")),
    ("element", |s| format!("<x>{s}</x>")),
    ("attribute", |s| format!("<x y=\"{s}\"/>")),
    ("heredoc", |s| format!("cat > f <<EOF\nline\n{s}\nEOF\n")),
    ("comment", |s| format!("x = 1 # {s}")),
    ("block comment", |s| format!("/*{s}*/")),
    ("array", |s| format!("[\"a\",\"{s}\",\"b\"]")),
    ("sql", |s| format!("INSERT INTO t VALUES (1,'{s}',NULL);")),
    ("shell pipe", |s| format!("echo {s}|base64")),
    ("at sign", |s| format!("{s}@host")),
    ("ampersand", |s| format!("a={s}&b=2")),
    ("semicolon", |s| format!("a={s};b=2")),
    ("diff", |s| format!("-old line\n+{s}\n")),
    ("numbered line", |s| format!("    12\u{2192}{s}\n    13\u{2192}next")),
    ("crlf", |s| format!("first\r\n{s}\r\nlast\r\n")),
    ("wrapped in the middle", |s| {
        let (a, b) = s.split_at(s.len() / 2);
        format!("{a}\n{b}\n")
    }),
    ("wrapped and indented", |s| {
        let (a, b) = s.split_at(s.len() * 2 / 3);
        format!("> {a}\r\n    {b} end")
    }),
    ("wrapped at eighty", |s| lines(&format!("{} {s} and that was it", "word ".repeat(12)), 80)),
    ("not ascii around", |s| format!("«{s}» – ünïcode")),
    ("null bytes around", |s| format!("\0{s}\0")),
];

/// Notations that say that their content is secret: anything can be found in them.
pub(super) const TELLING: &[Format] = &[
    ("env", |s| format!("DB_PASSWORD={s}\n")),
    ("env quoted", |s| format!("export DB_PASSWORD=\"{s}\"\n")),
    ("env in json", |s| json(&format!("A=1\nDB_PASSWORD={s}\nB=2"))),
    ("env in json in json", |s| json(&json(&format!("A=1\nDB_PASSWORD={s}\nB=2")))),
    ("env coloured", |s| format!("\x1b[32mDB_PASSWORD\x1b[0m=\x1b[33m{s}\x1b[0m")),
    ("env crlf", |s| format!("A=1\r\nDB_PASSWORD={s}\r\nB=2\r\n")),
    ("env in base64", |s| base64(&format!("A=1\nDB_PASSWORD={s}\nB=2"))),
    ("env in hex", |s| hex(&format!("A=1\nDB_PASSWORD={s}\nB=2"))),
    ("json", |s| format!("{{\"user\":\"bob\",\"password\":{}}}", json(s))),
    ("json in json", |s| json(&format!("{{\"user\":\"bob\",\"password\":{}}}", json(s)))),
    ("json in json in json", |s| json(&json(&format!("{{\"user\": \"bob\", \"password\": {}}}", json(s))))),
    ("yaml", |s| format!("db:\n  user: bob\n  password: {s}\n  port: 1\n")),
    ("yaml quoted", |s| format!("password: '{s}' # local\n")),
    ("yaml block", |s| format!("password: >-\n  {s}\nport: 1\n")),
    ("yaml pair", |s| format!("- name: DB_PASSWORD\n  value: \"{s}\"\n")),
    ("json pair", |s| format!("{{\"name\":\"DB_PASSWORD\",\"value\":\"{s}\"}}")),
    ("toml", |s| format!("[db]\npassword = \"{s}\"\n")),
    ("ini", |s| format!("[db]\npassword = {s}\n")),
    ("xml element", |s| format!("<db><password>{s}</password></db>")),
    ("xml attribute", |s| format!("<db user=\"bob\" password=\"{s}\"/>")),
    ("xml setting", |s| format!("<add key=\"DbPassword\" value=\"{s}\" />")),
    ("csv column", |s| format!("user,password,host\nbob,{s},db1\n")),
    ("python", |s| format!("connect(user='bob', password='{s}')")),
    ("typed", |s| format!("const password: string = \"{s}\";")),
    ("rust", |s| format!("let db_password = \"{s}\";")),
    ("php", |s| format!("'password' => '{s}',")),
    ("flag equals", |s| format!("tool --password={s} --verbose")),
    ("flag space", |s| format!("tool --password {s} --verbose")),
    ("flag quoted", |s| format!("tool --db-password '{s}' run")),
    ("attached flag", |s| format!("mysql -h db -u bob -p{s} shop")),
    ("curl user", |s| format!("curl -s -u bob:{s} https://host.test")),
    ("curl user quoted", |s| format!("curl \\\n  -u 'bob:{s}' \\\n  https://host.test")),
    ("sshpass", |s| format!("sshpass -p '{s}' ssh bob@host")),
    ("netrc", |s| format!("machine host.test login bob password {s}\n")),
    ("netrc lines", |s| format!("machine host.test\n  login bob\n  password {s}\n")),
    ("key value string", |s| format!("Server=db;User Id=sa;Password={s};Encrypt=true")),
    ("libpq", |s| format!("host=db user=bob password={s} sslmode=require")),
    ("sql role", |s| format!("CREATE ROLE bob LOGIN PASSWORD '{s}';")),
    ("prose colon", |s| format!("Password: {s}")),
    ("prose is", |s| format!("The password is {s} for now")),
    ("markdown", |s| format!("**Password:** `{s}`")),
    ("prompted", |s| format!("diff\n+DB_PASSWORD={s}\n DB_PORT=1")),
];

/// Like [`TELLING`], for a value that is written as it is and looks generated.
pub(super) const TELLING_TOKEN: &[Format] = &[
    ("bearer", |s| format!("Authorization: Bearer {s}")),
    ("bearer curl", |s| format!("curl -H \"Authorization: Bearer {s}\" https://host.test")),
    ("bearer json", |s| format!("{{\"Authorization\": \"Bearer {s}\"}}")),
    ("bearer tuple", |s| format!("headers.insert(\"Authorization\", \"token {s}\")")),
    ("basic", |s| format!("authorization: Basic {}", base64(&format!("bob:{s}")))),
    ("api key header", |s| format!("X-Api-Key: {s}\r\nAccept: */*\r\n")),
    ("cookie", |s| format!("Cookie: theme=dark; session={s}; lang=en\r\n")),
    ("set cookie", |s| format!("Set-Cookie: sid={s}; Path=/; HttpOnly")),
    ("url user", |s| format!("https://{s}@host.test/x.git")),
    ("url password", |s| format!("postgres://bob:{s}@db.test:5432/shop")),
    ("url password mongodb", |s| format!("MONGO=mongodb+srv://bob:{s}@c.test/?w=1")),
    ("url password redis", |s| format!("redis://:{s}@cache:6379/0")),
    ("url password amqp", |s| format!("amqp://bob:{s}@mq")),
    ("url query", |s| format!("GET /v1?access_token={s}&page=2 HTTP/1.1")),
    ("env token", |s| format!("SERVICE_TOKEN={s} ./run")),
    ("api key", |s| format!("api_key: {s}\n")),
    ("api key words", |s| format!("Your API key: {s}")),
    ("camel case", |s| format!("{{apiKey: '{s}'}}")),
    ("npmrc", |s| format!("//registry.test/:_authToken={s}")),
    ("kubernetes", |s| format!("apiVersion: v1\nkind: Secret\ndata:\n  whatever: {}\n", base64(s))),
    ("kubernetes first", |s| format!("apiVersion: v1\ndata:\n  plain: {s}\nkind: Secret\n")),
    ("kubernetes json", |s| format!("{{\"kind\": \"Secret\", \"data\": {{\"x\": \"{}\"}}}}", base64(s))),
    ("tuple", |s| format!("env::set_var(\"API_TOKEN\", \"{s}\")")),
    ("csv row", |s| format!("API_TOKEN,{s}\n")),
    ("table row", |s| format!("| API_TOKEN | {s} |")),
    ("flag token, any letter", |s| format!("tool --token v{s}")),
    ("python block", |s| format!("token = \"\"\"{s}\"\"\"")),
    ("dockerfile", |s| format!("ENV API_TOKEN {s}\n")),
    ("tab separated", |s| format!("API_TOKEN\t{s}\n")),
    ("flag token", |s| format!("tool --token {s}")),
    ("flag key", |s| format!("tool --api-key={s}")),
];

pub(super) fn json(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn escaped(text: &str, put: impl Fn(&mut String, u8) -> std::fmt::Result) -> String {
    let mut out = String::new();
    text.bytes().for_each(|b| put(&mut out, b).expect("a string takes everything"));
    out
}

fn percent(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_string() } else { format!("%{:02X}", c as u32) }).collect()
}

pub(in crate::redact) fn base64(text: &str) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let bits = (0..3).fold(0, |bits, i| bits << 8 | u32::from(*chunk.get(i).unwrap_or(&0)));
        for i in 0..4 {
            let six = (bits >> (18 - 6 * i) & 63) as usize;
            out.push(if i <= chunk.len() { char::from(ALPHABET[six]) } else { '=' });
        }
    }
    out
}

pub(in crate::redact) fn hex(text: &str) -> String {
    text.bytes().map(|b| format!("{b:02x}")).collect()
}

fn lines(text: &str, width: usize) -> String {
    let lines: Vec<_> = text.as_bytes().chunks(width).map(|line| String::from_utf8_lossy(line)).collect();
    lines.join("\n")
}
