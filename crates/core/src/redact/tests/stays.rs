//! What a transcript is about must stay.

use super::sample::Samples;
use super::{check, redact};
use std::borrow::Cow;

#[test]
fn harmless_text_is_handed_back_as_it_is() {
    for text in [
        "",
        "a",
        "plain words\nand more\n",
        // Hashes, ids, digests.
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "3f78685 fix: keep the order",
        "HEAD is now at 89e6c98d a message",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "toolu_01A09q90qw90lq917835lq9 call_9hXk2LmQp0sVbN3dRtYuWzA1",
        "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
        "integrity sha512-9NykojV5Uih4lgo5So5dtw7f0Z3nVwZpWkXvNqYx0T2bJr4sKcMeHaLdPiGuFzOt1BnQjRwEyUvSxIlKmAoCg==",
        "registry.test/app@sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
        "etag: W/\"5e1f-18c2d3a4b5c\"",
        // Paths and addresses.
        "/usr/local/lib/node_modules/typescript/lib/lib.es2015.symbol.wellknown.d.ts",
        "src/components/authentication/PasswordResetForm.test.tsx:42:10",
        "https://host.test:8080/a/b?x=1&y=2#z",
        "git@host.test:team/repo.git",
        "ssh://git@host.test/team/repo.git",
        "https://host.test/@scope/pkg@1.2.3",
        "postgres://user:password@localhost/db",
        "postgres://postgres:postgres@db",
        "https://user:${TOKEN}@host.test",
        "https://$USER:$PASS@host.test/x",
        "http://host.test:80/?mail=a@b.test",
        // Words, not substrings.
        "key: value",
        "author=somebody1234",
        "keyboard: qwerty12345",
        "monkey=banana12345",
        "primary_key: user_id_12345",
        "token_count: 12345678",
        "max_tokens=4096",
        "tokens: 1718000",
        "passed: 1234567",
        "bypass=true1234",
        "authority: a1b2c3d4e5",
        "keyword = abc12345def",
        "public_key: 9f86d081884c7d659a2feaa0",
        "passed=9f86d081884c7d659a2feaa0",
        "PWD=/home/bob/a1b2c3",
        "cacheKey: 'user-9f86d081884c7d65'",
        "nextPageToken: 9f86d081884c7d659a2f",
        "\"secretName\": \"my-tls-9f86d081\"",
        // Placeholders.
        "PASSWORD=$DB_PASSWORD",
        "PASSWORD=${DB_PASSWORD}",
        "TOKEN=<token>",
        "password=***",
        "password: xxxxxxxx",
        "token=your-token-here",
        "API_KEY=your_api_key_here",
        "apiKey: process.env.OPENAI_API_KEY",
        "password=None",
        "PASSWORD=",
        "token = os.environ[\"API_TOKEN_2\"]",
        "password: null",
        "password: true",
        "\"password\": \"\"",
        "--password \"$PW\"",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <token>",
        "`Bearer ${token1}`",
        "-u user:$PASS",
        "curl -u \"$A:$B\" x",
        "Authorization: Basic authentication is required",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "--token={{ token1 }}",
        // Code.
        "password: string;",
        "password: Optional[str] = None",
        "token: &str,",
        "pub secret: SecretString,",
        "password?: string",
        "const token = await getToken(user1);",
        "self.api_key = api_key",
        "let password = read_password()?;",
        "if (password !== confirm1) {",
        "token = tokens[0]",
        "private_key: PrivateKey2048,",
        "auth = useAuth2Store.getState()",
        "def f(password, token2): pass",
        "hash_password(password1, salt2)",
        "password = form.cleaned_data['password1']",
        "type Props = { apiKey: Uint8Array }",
        "z.object({ password: z.string().min(8) })",
        "  userPrivateKey: Uint8Array\n): Promise<void>",
        "  password: PlainBytes\n",
        "Adding `secretKey` to `FilePointer` here",
        "isinstance(key, (rsa.RSAPrivateKey, rsa.RSAPublicKey))",
        "from requests.auth import AuthBase, HTTPBasicAuth",
        "Buffer.from(password, 'base64').toString('utf8')",
        "via the --username and --password options",
        "token = r'[^\\W\\d]\\w*'",
        "(?P<secret_key>.*?)@(?P<host>.*?)",
        "the header identified by `name` is set",
        "the item identified by 0b0001.",
        "the program identified by 'sequence' and so on",
        "pub const HttpRequestTimingTypeTlsHandshakeLeg1End: u8 = 5;",
        "MyApp/SomeView/OtherThing2/FileNameHere1",
        "pub const UNLOCK_PASSPHRASE: u32 = 128u32;",
        "pub const STATUS_WRONG_PASSWORD: super::NTSTATUS = 0xC000006A_u32 as _;",
        "pub const E_INVALID_KEY: HRESULT = -1072885298i32;",
        "pub const DIAL_PASSWORD: PCWSTR = ::core::w!(\"Password\");",
        "User identified the problem of sharing by pubkey",
        "password = os.getenv(\"DB_PASSWORD\")",
        "const password = config.get('db_password') || prompt('password');",
        "password: \"Please enter your password\"",
        "subprocess.run(['tool', '--password', password])",
        "INSERT INTO users (name, password) VALUES (?, ?)",
        "INSERT INTO users (name, password) VALUES ($1, $2)",
        "| password | string | yes |",
        "| name | token | notes |\n|---|---|---|\n| a | string | none |",
        "kubectl create secret generic db --from-literal=password=\"$PW\"",
        "echo \"$TOKEN\" | docker login -u bob --password-stdin",
        "requests.get(url, auth=(user, password))",
        "host:5432:5432",
        "ports:\n  - \"5432:5432\"",
        "00000000: 7468 6973 2069 7320 706c 6169 6e20 7465  this is plain te\n00000010: 7874  xt\n",
        "[104, 101, 108, 108, 111, 32, 119, 111, 114, 108, 100, 33, 10]",
        "&lt;password&gt; &amp;&amp; &quot;token&quot;",
        "\"password\": \"Password\"",
        "secret := os.Getenv(\"APP_SECRET_1\")",
        "token.kind == TokenKind::Ident2",
        "key = keys.pop(0)",
        // Commands.
        "mkdir -p /tmp/a1b2c3d4",
        "docker run -p 8080:80 -u 1000:1000 app",
        "python -u main.py",
        "ls -a dir1",
        "grep -w word12345 f",
        "ssh -p 2222 host",
        "git log -p abc1234def",
        "mysql -p shop",
        "cp -a src1 dst1",
        // Key blocks that are no keys.
        "if text.starts_with(\"-----BEGIN PRIVATE KEY-----\") {\n    return parse(text);\n}",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "key=\"-----BEGIN PRIVATE KEY-----\\nXXXX\\nXXXX\\n-----END PRIVATE KEY-----\"",
        "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
        // Results and tables.
        "--- PASS: TestParserWithVersion13Syntax (0.00s)",
        "pass: 12, fail: 0",
        "| token | count |\n| a | 12 |",
        "user,password,host\nbob,,db1",
        "kind: ConfigMap\ndata:\n  mode: fast-1234\n",
        "[redacted:github-token] and password=[redacted:password]",
        "50% of 100%, \\d+ and C:\\Users\\new\\table",
        "\u{1b}[31mred\u{1b}[0m \u{feff}\u{200b}",
    ] {
        assert!(matches!(redact(text), Cow::Borrowed(_)), "{text:?} became {:?}", redact(text));
    }
}

#[test]
fn only_the_secret_is_taken() {
    for (text, expect) in [
        ("DB_PASSWORD=hunter22 ./run", "DB_PASSWORD=[redacted:password] ./run"),
        ("f(password='hunter22', user='bob')", "f(password='[redacted:password]', user='bob')"),
        ("postgres://bob:hunter22@db:5432/x", "postgres://bob:[redacted:url-password]@db:5432/x"),
        ("mysql -u bob -phunter22 shop", "mysql -u bob -p[redacted:password] shop"),
        ("curl -u bob:hunter22 https://h", "curl -u bob:[redacted:password] https://h"),
        ("{\"password\": \"hunter22\", \"n\": 1}", "{\"password\": \"[redacted:password]\", \"n\": 1}"),
        ("{\\\"password\\\":\\\"hunter22\\\"}", "{\\\"password\\\":\\\"[redacted:password]\\\"}"),
        ("a?password=hunter22&x=1", "a?password=[redacted:password]&x=1"),
        ("password: swordfish\nport: 1", "password: [redacted:password]\nport: 1"),
        ("Server=x;Pwd=hunter22;Db=y", "Server=x;Pwd=[redacted:password];Db=y"),
        ("<password>hunter22</password>", "<password>[redacted:password]</password>"),
    ] {
        check(text, expect);
    }
}

// What a transcript is full of, drawn a thousand times.
#[test]
fn hashes_ids_paths_and_addresses_stay() {
    let mut samples = Samples::seeded(7);
    for pattern in [
        "[0-9a-f]{40}",
        "[0-9a-f]{7,12}",
        "[0-9a-f]{64}",
        "sha256:[0-9a-f]{64}",
        "sha512-[0-9A-Za-z+/]{86}==",
        "h1:[0-9A-Za-z+/]{43}=",
        "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}",
        "toolu_01[0-9A-Za-z]{22}",
        "call_[0-9A-Za-z]{24}",
        "msg_01[0-9A-Za-z]{22}",
        "req_[0-9A-Za-z]{24}",
        "/home/[a-z]{4}/[a-z]{6}/(?:src|lib|tests)/[a-z]{3,9}_[a-z]{4}[.](?:rs|py|ts):[0-9]{2}",
        "(?:src|crates|packages)/[a-z]{3,9}/[A-Z][a-z]{4}[A-Z][a-z]{5}[.]test[.]tsx",
        "node_modules/[.]pnpm/[a-z]{5}@[0-9][.][0-9]{2}[.][0-9]_[0-9a-f]{10}/node_modules/[a-z]{5}",
        "target/debug/deps/[a-z]{6}-[0-9a-f]{16}",
        "https://[a-z]{5}[.]test/[a-z]{4}/[0-9]{4}/[a-z]{8}[?]page=[0-9]{2}&sort=[a-z]{4}",
        "https://[a-z]{5}[.]test:8443/[a-z]{4}/[a-z]{8}/commit/[0-9a-f]{40}",
        "git@[a-z]{5}[.]test:[a-z]{4}/[a-z]{6}[.]git",
        "20[0-9]{2}-0[1-9]-1[0-9]T1[0-9]:[0-5][0-9]:[0-5][0-9][.][0-9]{3}Z",
    ] {
        for i in 0..1_000 {
            let value = samples.of(pattern);
            let text = if i % 2 == 0 { value.clone() } else { format!("note: {value} was seen\n{value}\n") };
            assert!(matches!(redact(&text), Cow::Borrowed(_)), "{text:?} became {:?}", redact(&text));
        }
    }
}
