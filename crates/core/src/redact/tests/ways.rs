//! How transcripts show a secret: files as tools print them, commands, program output, sentences.

use super::formats::{Format, base64, hex, json};

/// Any value is found here: a name, a flag or a notation says what it is.
#[rustfmt::skip]
pub(super) const WAYS: &[Format] = &[
    // Listings and traces.
    ("export", |s| format!("export DB_PASSWORD={s}")),
    ("export single", |s| format!("export DB_PASSWORD='{s}'; ./run")),
    ("inline env", |s| format!("cd app && PGPASSWORD={s} psql -h db -c 'select 1'")),
    ("docker -e", |s| format!("docker run --rm -e DB_PASSWORD={s} -p 80:80 app")),
    ("docker --env", |s| format!("docker run --env \"DB_PASSWORD={s}\" app")),
    ("compose list", |s| format!("environment:\n  - DB_USER=bob\n  - DB_PASSWORD={s}\n")),
    ("compose map", |s| format!("environment:\n  DB_USER: bob\n  DB_PASSWORD: {s}\n")),
    ("docker inspect", |s| format!("\"Env\": [\n  \"PATH=/usr/bin\",\n  \"DB_PASSWORD={s}\"\n],")),
    ("from literal", |s| format!("kubectl create secret generic db --from-literal=password={s} -n app")),
    ("from literal, any name", |s| format!("kubectl create secret generic db --from-literal=whatever={s}")),
    ("from literal quoted", |s| format!("kubectl create secret generic db --from-literal='whatever={s}'")),
    ("from literal spaced", |s| format!("oc create secret generic db --from-literal other={s}")),
    ("set -x", |s| format!("+ DB_PASSWORD={s}\n+ ./run\n")),
    ("set -x export", |s| format!("++ export 'DB_PASSWORD={s}'\n++ DB_PASSWORD='{s}'\n")),
    ("set -x command", |s| format!("+ mysql -h db -u bob '-p{s}' shop\n")),
    ("printenv", |s| format!("HOME=/root\nDB_PASSWORD={s}\nLANG=C\n")),
    ("declare", |s| format!("declare -x DB_PASSWORD=\"{s}\"\n")),
    ("cat -n", |s| format!("    11\tDB_USER=bob\n    12\tDB_PASSWORD={s}\n    13\tDB_PORT=1\n")),
    ("arrow listing", |s| format!("    11→DB_USER=bob\n    12→DB_PASSWORD={s}\n")),
    ("arrow listing yaml", |s| format!("    11→db:\n    12→  password: {s}\n    13→  port: 1\n")),
    ("colon listing", |s| format!("12: DB_PASSWORD={s}\n13: DB_PORT=1\n")),
    ("grep", |s| format!(".env:12:DB_PASSWORD={s}\n")),
    ("grep without number", |s| format!("./app/.env:DB_PASSWORD={s}\n")),
    ("grep context", |s| format!("app/.env-11-DB_USER=bob\napp/.env:12:DB_PASSWORD={s}\n")),
    ("grep yaml", |s| format!("config/db.yml:3:  password: {s}\n")),
    ("grep yaml bare", |s| format!("3:  password: {s}\n")),
    ("diff plus", |s| format!("@@ -1,2 +1,2 @@\n-DB_PASSWORD=\n+DB_PASSWORD={s}\n")),
    ("diff minus", |s| format!("-  password: {s}\n+  password: new\n")),
    ("diff quoted", |s| format!("+    \"password\": \"{s}\",\n")),
    ("actions env", |s| format!("2024-05-01T10:00:00.1234567Z   DB_PASSWORD: {s}\n")),
    ("actions debug", |s| format!("##[debug]DB_PASSWORD={s}\n")),
    ("actions output", |s| format!("echo \"::set-output name=password::{s}\"")),
    ("actions mask", |s| format!("echo \"::add-mask::{s}\"")),
    ("prompt echo", |s| format!("Enter password: {s}\nOK\n")),
    ("prompt for", |s| format!("Password for 'https://bob@host.test': {s}\n")),
    // Configuration.
    ("pgpass", |s| format!("db.test:5432:shop:bob:{s}\n")),
    ("pgpass star", |s| format!("# hosts\n*:*:*:bob:{s}\nlocalhost:5432:*:app:{s}\n")),
    ("pgpass echo", |s| format!("echo 'db.test:5432:shop:bob:{s}' > ~/.pgpass")),
    ("npmrc password", |s| format!("//registry.test/:_password={s}\n")),
    ("my.cnf", |s| format!("[client]\nuser=bob\npassword={s}\n")),
    ("my.cnf spaced", |s| format!("[client]\nuser = bob\npassword = \"{s}\"\n")),
    ("wp-config", |s| format!("define( 'DB_PASSWORD', '{s}' );")),
    ("wp-config double", |s| format!("define(\"DB_PASSWORD\",\"{s}\");")),
    ("terraform", |s| format!("resource \"db\" \"x\" {{\n  password = \"{s}\"\n}}")),
    ("tfvars", |s| format!("db_password = \"{s}\"\n")),
    ("terraform default", |s| format!("variable \"db_password\" {{\n  type    = string\n  default = \"{s}\"\n}}")),
    ("terraform plan", |s| format!("      + password             = \"{s}\"\n")),
    ("systemd", |s| format!("[Service]\nEnvironment=DB_PASSWORD={s}\n")),
    ("systemd quoted", |s| format!("Environment=\"DB_PASSWORD={s}\"\n")),
    ("properties", |s| format!("spring.datasource.username=bob\nspring.datasource.password={s}\n")),
    ("ini spaced", |s| format!("[smtp]\nsmtp_pass = {s}\n")),
    ("yaml str", |s| format!("password: !!str {s}\n")),
    ("yaml str quoted", |s| format!("password: !!str \"{s}\"\n")),
    ("yaml anchor", |s| format!("password: &pw \"{s}\"\n")),
    ("yaml literal block", |s| format!("password: |\n  {s}\nport: 1\n")),
    ("yaml folded block", |s| format!("password: >\n  {s}\n")),
    ("yaml block indent", |s| format!("password: |2-\n  {s}\n")),
    ("yaml flow", |s| format!("db: {{user: bob, password: {s}, port: 1}}\n")),
    ("yaml key value", |s| format!("- key: DB_PASSWORD\n  value: {s}\n")),
    ("kubernetes string data", |s| format!("kind: Secret\nstringData:\n  whatever: {s}\n")),
    ("kubernetes data", |s| format!("kind: Secret\ndata:\n  whatever: {}\n", base64(s))),
    ("kubernetes json data", |s| format!("{{\"kind\":\"Secret\",\"data\":{{\"x\":\"{}\"}}}}", base64(s))),
    ("kubernetes listing", |s| format!("    10→kind: Secret\n    11→data:\n    12→  whatever: {}\n", base64(s))),
    ("plist", |s| format!("<key>password</key>\n<string>{s}</string>")),
    ("android string", |s| format!("<string name=\"db_password\">{s}</string>")),
    ("spring property", |s| format!("<property name=\"password\" value=\"{s}\"/>")),
    ("maven server", |s| format!("<server><id>x</id><password>{s}</password></server>")),
    ("dockerfile env", |s| format!("ENV DB_PASSWORD={s}\n")),
    ("dockerfile env space", |s| format!("ENV DB_PASSWORD {s}\n")),
    ("dockerfile arg", |s| format!("ARG DB_PASSWORD={s}\n")),
    ("fish", |s| format!("set -x DB_PASSWORD {s}\n")),
    ("csh", |s| format!("setenv DB_PASSWORD {s}\n")),
    ("powershell", |s| format!("$env:DB_PASSWORD = \"{s}\"")),
    ("powershell single", |s| format!("$env:DB_PASSWORD='{s}'")),
    ("cmd", |s| format!("set DB_PASSWORD={s}\r\n")),
    ("redis conf", |s| format!("port 6379\nrequirepass {s}\n")),
    // Code and what programs print of their values.
    ("python dict", |s| format!("{{'user': 'bob', 'password': '{s}'}}")),
    ("python dataclass", |s| format!("Config(user='bob', password='{s}', port=1)")),
    ("python environ", |s| format!("environ({{'HOME': '/root', 'DB_PASSWORD': '{s}'}})")),
    ("python bytes", |s| format!("b'user=bob&password={s}&x=1'")),
    ("python set", |s| format!("os.environ[\"DB_PASSWORD\"] = \"{s}\"")),
    ("python setdefault", |s| format!("os.environ.setdefault('DB_PASSWORD', '{s}')")),
    ("python get default", |s| format!("os.getenv('DB_PASSWORD', '{s}')")),
    ("python auth", |s| format!("requests.get(url, auth=('bob', '{s}'))")),
    ("python auth double", |s| format!("requests.get(url, auth=(\"bob\",\"{s}\"), timeout=3)")),
    ("python basic auth", |s| format!("HTTPBasicAuth('bob', '{s}')")),
    ("go struct", |s| format!("{{User:bob Password:{s} Port:5432}}")),
    ("go pointer", |s| format!("&{{Host:db Password:{s}}}")),
    ("go map", |s| format!("map[password:{s} user:bob]")),
    ("go verbose", |s| format!("main.Config{{User:\"bob\", Password:\"{s}\"}}")),
    ("go setenv", |s| format!("os.Setenv(\"DB_PASSWORD\", \"{s}\")")),
    ("rust debug", |s| format!("Config {{ user: \"bob\", password: \"{s}\", port: 1 }}")),
    ("rust option", |s| format!("Config {{ password: Some(\"{s}\") }}")),
    ("rust option pretty", |s| format!("Config {{\n    password: Some(\n        \"{s}\",\n    ),\n}}")),
    ("rust into", |s| format!("password: \"{s}\".to_string(),")),
    ("rust from", |s| format!("let password = String::from(\"{s}\");")),
    ("js object", |s| format!("{{ user: 'bob', password: '{s}' }}")),
    ("js template", |s| format!("const password = `{s}`;")),
    ("js env", |s| format!("process.env.DB_PASSWORD = '{s}';")),
    ("js fallback", |s| format!("const password = process.env.DB_PASSWORD || '{s}';")),
    ("js nullish", |s| format!("password: process.env.DB_PASSWORD ?? \"{s}\",")),
    ("shell fallback", |s| format!("DB_PASSWORD=${{DB_PASSWORD:-{s}}}\n")),
    ("python or", |s| format!("password = os.environ.get('DB_PASSWORD') or '{s}'")),
    ("ruby hash", |s| format!("{{:password=>\"{s}\", :user=>\"bob\"}}")),
    ("ruby env", |s| format!("ENV['DB_PASSWORD'] = '{s}'")),
    ("php array", |s| format!("'password' => '{s}',")),
    ("php var", |s| format!("$password = '{s}';")),
    ("java setter", |s| format!("config.setPassword(\"{s}\");")),
    ("java builder", |s| format!("Builder().user(\"bob\").password(\"{s}\").build()")),
    ("java print", |s| format!("Config(user=bob, password={s}, port=1)")),
    ("csharp", |s| format!("new NetworkCredential {{ Password = \"{s}\" }}")),
    ("argv json", |s| format!("[\"tool\", \"--password\", \"{s}\", \"--fast\"]")),
    ("argv python", |s| format!("subprocess.run(['tool', '--password', '{s}'])")),
    ("argv yaml", |s| format!("args:\n  - --password\n  - {s}\n")),
    // Commands.
    ("curl json", |s| format!("curl -d '{{\"user\":\"bob\",\"password\":\"{s}\"}}' https://host.test")),
    ("curl json double", |s| format!("curl -d \"{{\\\"user\\\":\\\"bob\\\",\\\"password\\\":\\\"{s}\\\"}}\" https://host.test")),
    ("curl form", |s| format!("curl -d 'user=bob&password={s}' https://host.test")),
    ("curl --data-urlencode", |s| format!("curl --data-urlencode 'password={s}' https://host.test")),
    ("curl --user", |s| format!("curl --user 'bob:{s}' https://host.test")),
    ("curl -ubob", |s| format!("curl -ubob:{s} https://host.test")),
    ("nested shell", |s| format!("bash -c \"curl -d '{{\\\"password\\\": \\\"{s}\\\"}}' https://host.test\"")),
    ("nested shell in json", |s| json(&format!("bash -lc \"curl -d '{{\\\"password\\\": \\\"{s}\\\"}}'\""))),
    ("json in json in shell", |s| format!("tool --data '{}'", json(&format!("{{\"password\":{}}}", json(s))))),
    ("sql identified", |s| format!("CREATE USER 'bob'@'%' IDENTIFIED BY '{s}';")),
    ("sql identified with", |s| format!("ALTER USER bob IDENTIFIED WITH caching_sha2_password BY '{s}';")),
    ("sql identified double", |s| format!("create user bob identified by \"{s}\"")),
    ("sql with password", |s| format!("ALTER USER bob WITH PASSWORD '{s}';")),
    ("sql encrypted", |s| format!("ALTER ROLE bob WITH ENCRYPTED PASSWORD '{s}'")),
    ("sql set password", |s| format!("SET PASSWORD FOR 'bob'@'%' = PASSWORD('{s}');")),
    ("sql update", |s| format!("UPDATE users SET password = '{s}' WHERE id = 1;")),
    ("sql insert", |s| format!("INSERT INTO users (name, password, age) VALUES ('bob', '{s}', 3);")),
    ("sql insert rows", |s| format!("insert into users(id,password) values (1,'first-one-1'),\n  (2,'{s}');")),
    ("sql where", |s| format!("SELECT * FROM users WHERE password='{s}'")),
    ("mysql long", |s| format!("mysql --user=bob --password={s} shop")),
    ("mysqldump", |s| format!("mysqldump -ubob -p{s} shop > x.sql")),
    ("docker exec mysql", |s| format!("docker exec -it db mysql -uroot -p{s} -e 'select 1'")),
    ("docker login", |s| format!("docker login -u bob -p {s} registry.test")),
    ("password stdin", |s| format!("echo {s} | docker login -u bob --password-stdin")),
    ("password stdin quoted", |s| format!("echo '{s}' | docker login registry.test -u bob --password-stdin")),
    ("printf stdin", |s| format!("printf '%s' \"{s}\" | helm registry login -u bob --password-stdin h.test")),
    ("sudo stdin", |s| format!("echo '{s}' | sudo -S apt update")),
    ("chpasswd", |s| format!("echo 'bob:{s}' | chpasswd")),
    ("htpasswd", |s| format!("htpasswd -bc .htpasswd bob {s}")),
    ("openssl passin", |s| format!("openssl rsa -in k.pem -passin pass:{s} -out x")),
    ("openssl passout", |s| format!("openssl genrsa -aes256 -passout 'pass:{s}' 2048")),
    ("gpg", |s| format!("gpg --batch --passphrase '{s}' -d f.gpg")),
    ("ssh-keygen", |s| format!("ssh-keygen -t ed25519 -N '{s}' -f key")),
    ("ansible", |s| format!("ansible-playbook x.yml -e 'ansible_password={s}'")),
    ("redis-cli", |s| format!("redis-cli -h cache -a {s} ping")),
    ("mongosh", |s| format!("mongosh -u bob -p '{s}' --authenticationDatabase admin")),
    ("az login", |s| format!("az login --service-principal -u app -p '{s}' --tenant t")),
    ("wget", |s| format!("wget --http-user=bob --http-password={s} https://host.test")),
    ("gh secret", |s| format!("gh secret set WHATEVER --body '{s}'")),
    ("gh secret -b", |s| format!("gh secret set WHATEVER -b\"{s}\" -R a/b")),
    ("fly secrets", |s| format!("fly secrets set WHATEVER={s} -a app")),
    ("heroku config", |s| format!("heroku config:set DB_PASSWORD={s}")),
    ("aws configure", |s| format!("aws configure set aws_secret_access_key {s}")),
    ("zip", |s| format!("7z x -p{s} a.7z")),
    ("smbclient", |s| format!("smbclient //h/x -U 'bob%{s}'")),
    ("ldap", |s| format!("ldapsearch -x -D cn=admin -w '{s}' -b dc=x")),
    ("keytool", |s| format!("keytool -genkey -storepass {s} -keypass '{s}'")),
    ("read heredoc", |s| format!("cat > ~/.netrc <<EOF\nmachine h.test\nlogin bob\npassword {s}\nEOF")),
    // Tables and pages.
    ("markdown row", |s| format!("| Setting | Value |\n|---|---|\n| password | {s} |\n")),
    ("markdown row code", |s| format!("| `DB_PASSWORD` | `{s}` |\n")),
    ("markdown column", |s| format!("| user | password |\n|------|----------|\n| bob | {s} |\n")),
    ("psql column", |s| format!(" id | password | name\n----+----------+-----\n  1 | {s} | bob\n(1 row)\n")),
    ("mysql column", |s| format!("+----+-----+\n| id | password |\n+----+-----+\n|  1 | {s} |\n+----+-----+\n")),
    ("psql expanded", |s| format!("-[ RECORD 1 ]---\nid       | 1\npassword | {s}\n")),
    ("tsv column", |s| format!("user\tpassword\thost\nbob\t{s}\tdb1\n")),
    ("csv last column", |s| format!("user,password\nann,first-one-1\nbob,{s}\n")),
    ("csv quoted", |s| format!("\"user\",\"password\"\n\"bob\",\"{s}\"\n")),
    ("html input", |s| format!("<input type=\"password\" name=\"password\" value=\"{s}\">")),
    ("html entities", |s| format!("&lt;add key=&quot;DbPassword&quot; value=&quot;{s}&quot; /&gt;")),
    ("html json", |s| format!("data-x=\"{{&quot;password&quot;:&quot;{s}&quot;}}\"")),
    ("html apostrophe", |s| format!("password=&#39;{s}&#39;")),
    ("html hex", |s| format!("password=&#x27;{s}&#x27;")),
    ("quoted printable", |s| format!("Subject: x\n\n<p>password=3D\"{}\"</p>\n", s.replace('=', "=3D"))),
    // Sentences.
    ("prose password is", |s| format!("The password is {s}.")),
    ("prose password is, quoted", |s| format!("The password is \"{s}\", keep it.")),
    ("prose code", |s| format!("The admin password is `{s}` for now")),
    ("prose passphrase", |s| format!("The passphrase: {s}")),
    ("prose pass colon", |s| format!("user: bob, password: {s}")),
    ("prose slash", |s| format!("username / password: bob / {s}")),
    ("prose with", |s| format!("log in as bob with password '{s}' please")),
    ("prose using", |s| format!("I logged in using the password `{s}` and it worked")),
    ("prose set to", |s| format!("I set the password to `{s}`.")),
    ("prose changed to", |s| format!("password was changed to '{s}'")),
    ("prose reversed", |s| format!("use `{s}` as the password")),
    ("bold", |s| format!("- **Password**: {s}\n")),
    ("bold colon", |s| format!("**password:** {s}\n")),
    ("comment", |s| format!("# password: {s}\nx = 1\n")),
    ("slash comment", |s| format!("// password = \"{s}\"\n")),
    // Headers, written as they are.
    ("api key header", |s| format!("curl -H 'X-Api-Key: {s}' https://host.test")),
    ("token header", |s| format!("curl -H \"X-Auth-Token: {s}\" https://host.test")),
    ("private token header", |s| format!("curl --header \"PRIVATE-TOKEN: {s}\" https://host.test")),
    ("vault header", |s| format!("> X-Vault-Token: {s}\n> Accept: */*\n")),
    ("bearer", |s| format!("curl -H 'Authorization: Bearer {s}' https://host.test")),
    ("basic", |s| format!("Authorization: Basic {}", base64(&format!("bob:{s}")))),
    ("flag token", |s| format!("tool --token='{s}' run")),
    ("flag token bare", |s| format!("tool --token={s} run")),
    ("flag token space", |s| format!("tool --api-key {s} run")),
    ("env token", |s| format!("API_TOKEN={s}\n")),
    ("query", |s| format!("GET /x?page=2&access_token={}&n=1", percent(s))),
    ("user info", |s| format!("git clone https://bob:{}@host.test/x.git", percent(s))),
    ("json token", |s| format!("{{\"access_token\": \"{s}\", \"expires_in\": 3600}}")),
    ("yaml token", |s| format!("token: {s}\n")),
    ("js api key", |s| format!("new Client({{ apiKey: '{s}' }})")),
    // Layers around a telling name.
    ("hex of env", |s| hex(&format!("DB_PASSWORD={s}\n"))),
    ("base64 of json", |s| base64(&format!("{{\"password\": {}}}", json(s)))),
    ("diff in json", |s| json(&format!("+DB_PASSWORD={s}\n-DB_PASSWORD=\n"))),
    ("listing in json", |s| json(&format!("    12→DB_PASSWORD={s}\n    13→X=1\n"))),
    ("grep in json in json", |s| json(&json(&format!(".env:3:DB_PASSWORD={s}\n")))),
    ("percent of env", |s| format!("body={}", percent(&format!("DB_PASSWORD={s}\n")))),
    ("dump of env", |s| xxd(&format!("DB_USER=bob\nDB_PASSWORD={s}\nDB_PORT=1\n"))),
];

/// Only a shape can be found here: nothing says what stands there.
#[rustfmt::skip]
pub(super) const LAYERS: &[Format] = &[
    ("html decimal", |s| s.bytes().map(|b| format!("&#{b};")).collect()),
    ("html hex", |s| s.bytes().map(|b| format!("&#x{b:X};")).collect()),
    ("html quotes", |s| format!("value=&quot;{s}&quot;")),
    ("html amp", |s| format!("?a=1&amp;x={s}&amp;b=2")),
    ("quoted printable", |s| soft_lines(&format!("text before {s} text after"))),
    ("xxd", |s| xxd(&format!("some text {s} and more"))),
    ("xxd from start", xxd),
    ("hexdump", |s| hexdump(&format!("some text {s} and more"))),
    ("hex colons", |s| separated(s, ":", |b| format!("{b:02x}"))),
    ("hex spaces", |s| separated(s, " ", |b| format!("{b:02X}"))),
    ("hex commas", |s| separated(s, ", ", |b| format!("0x{b:02x}"))),
    ("node buffer", |s| format!("<Buffer {}>", separated(s, " ", |b| format!("{b:02x}")))),
    ("decimals", |s| format!("[{}]", separated(s, ", ", |b| b.to_string()))),
    ("decimals tight", |s| format!("{{\"type\":\"Buffer\",\"data\":[{}]}}", separated(s, ",", |b| b.to_string()))),
    ("decimals on lines", |s| format!("[\n    {},\n]", separated(s, ",\n    ", |b| b.to_string()))),
    ("octal", |s| s.bytes().map(|b| format!("\\{b:03o}")).collect()),
    ("unicode braces", |s| s.bytes().map(|b| format!("\\u{{{b:x}}}")).collect()),
    ("percent twice", |s| s.bytes().map(|b| format!("%25{b:02X}")).collect()),
    ("base64 crlf", |s| base64(&format!("{s:160}")).as_bytes().chunks(64).map(|l| format!("{}\r\n", String::from_utf8_lossy(l))).collect()),
    ("base64 lines in json", |s| json(&base64(&format!("{s:160}")).as_bytes().chunks(64).map(|l| format!("{}\n", String::from_utf8_lossy(l))).collect::<String>())),
    ("wrapped in json", |s| {
        let (a, b) = s.split_at(s.len() / 2);
        json(&format!("{a}\n{b}\n"))
    }),
    ("shell in json", |s| json(&format!("bash -lc \"echo \\\"{s}\\\" > 'f'\""))),
    ("python repr", |s| format!("'out: {s}\\n'")),
    ("python bytes", |s| format!("b'\\x00{s}\\r\\n'")),
    ("string pieces", |s| format!("x = \"{s}\" + y")),
    ("grep", |s| format!("src/a.rs:12:    let x = \"{s}\";")),
    ("yaml str", |s| format!("x: !!str {s}\n")),
    ("url fragment", |s| format!("https://host.test/cb#x={s}&y=1")),
    ("colon before", |s| format!("x:{s}:y")),
    ("utf-16", |s| s.chars().flat_map(|c| [c, '\0']).collect()),
];

fn percent(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_string() } else { format!("%{:02X}", c as u32) }).collect()
}

fn separated(text: &str, by: &str, byte: impl Fn(u8) -> String) -> String {
    text.bytes().map(byte).collect::<Vec<_>>().join(by)
}

// Quoted-printable: lines end with `=` after 76 characters at most.
fn soft_lines(text: &str) -> String {
    let coded = text.replace('=', "=3D");
    let lines: Vec<_> = coded.as_bytes().chunks(60).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    lines.join("=\n")
}

pub(super) fn xxd(text: &str) -> String {
    dump(text, |at, line| {
        let groups: Vec<String> = line.chunks(2).map(|two| two.iter().map(|b| format!("{b:02x}")).collect()).collect();
        format!("{at:08x}: {:39}  {}\n", groups.join(" "), shown(line))
    })
}

fn hexdump(text: &str) -> String {
    dump(text, |at, line| {
        let half = |part: &[u8]| separated(&String::from_utf8_lossy(part), " ", |b| format!("{b:02x}"));
        let (left, right) = line.split_at(line.len().min(8));
        format!("{at:08x}  {:23}  {:23}  |{}|\n", half(left), half(right), shown(line))
    })
}

fn dump(text: &str, line: impl Fn(usize, &[u8]) -> String) -> String {
    text.as_bytes().chunks(16).enumerate().map(|(i, bytes)| line(i * 16, bytes)).collect()
}

fn shown(line: &[u8]) -> String {
    line.iter().map(|b| if b.is_ascii_graphic() || *b == b' ' { char::from(*b) } else { '.' }).collect()
}
