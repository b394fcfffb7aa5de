use super::super::{Settings, change};
use super::*;

fn parsed(text: &str) -> Result<ReaderSettings> {
    Settings::parse(text).map(|s| s.reader)
}

fn endpoint(url: &str, key: Option<&str>, style: Style) -> Who {
    let key_variable = key.map(str::to_owned);
    Who::Endpoint(Endpoint { url: url.to_owned(), model: "qwen3".to_owned(), key_variable, style })
}

#[test]
fn every_reader_is_one_line() {
    for (line, who) in [
        ("", Who::Off),
        ("who = \"off\"", Who::Off),
        ("who = \"claude\"", Who::Claude),
        ("who = \"opencode\"", Who::OpenCode),
        ("command = [\"llm\", \"-m\", \"qwen3\"]", Who::Command(["llm", "-m", "qwen3"].map(str::to_owned).to_vec())),
        (
            "endpoint = { url = \"http://localhost:11434/v1\", model = \"qwen3\" }",
            endpoint("http://localhost:11434/v1", None, Style::OpenAi),
        ),
        (
            "endpoint = { url = \"https://api.example.com\", model = \"qwen3\", key-variable = \"MY_KEY\", style = \"anthropic\" }",
            endpoint("https://api.example.com", Some("MY_KEY"), Style::Anthropic),
        ),
        ("folder = \"~/requests\"", Who::Folder("~/requests".into())),
    ] {
        let settings = parsed(&format!("[reader]\n{line}\n")).unwrap_or_else(|e| panic!("{line}: {e:#}"));
        assert_eq!(settings, ReaderSettings { who: who.clone(), ..ReaderSettings::default() }, "{line}");
        // What is shown can be typed, and what is written can be read.
        assert_eq!(Who::parse(&who.typed()), Some(who), "{line}");
        let written = toml_edit::ser::to_string(&settings).expect("written");
        assert_eq!(toml_edit::de::from_str::<ReaderSettings>(&written).expect("read"), settings, "{line}");
    }
}

#[test]
fn what_does_not_fit_together_says_what_to_do() {
    for (lines, said) in [
        ("who = \"gpt\"", "`reader.who` cannot be `gpt`; it can be off, claude, codex, opencode or gemini"),
        ("who = \"claude\"\nfolder = \"/r\"", "names two readers, `who` and `folder`; keep one"),
        ("command = [\"a\"]\nendpoint = { url = \"https://x\", model = \"m\" }", "`command` and `endpoint`"),
        ("command = []", "names no program"),
        ("folder = \"requests\"", "must be a whole path"),
        ("endpoint = { url = \"https://x.example\" }", "missing field `model`"),
        ("endpoint = { url = \"https://x.example\", model = \" \" }", "needs the name of a `model`"),
        ("endpoint = { url = \"http://x.example\", model = \"m\" }", "is not encrypted"),
        ("endpoint = { url = \"http://localhost.example\", model = \"m\" }", "is not encrypted"),
        ("endpoint = { url = \"http://127.0.0.1@x.example/\", model = \"m\" }", "is no address"),
        ("endpoint = { url = \"ftp://x\", model = \"m\" }", "is no address"),
        ("endpoint = { url = \"https://x\", model = \"m\", key-variable = \"sk-12345\" }", "not the key itself"),
        ("endpoint = { url = \"https://x\", model = \"m\", style = \"cohere\" }", "unknown variant `cohere`"),
        ("days = 0", "`reader.days` must be 1 to 365, not 0"),
        ("requests-a-day = 5000", "`reader.requests-a-day` must be 1 to 1000"),
        ("tokens-a-day = 1", "`reader.tokens-a-day` must be 1000 to 10000000"),
        ("whom = \"claude\"", "unknown field `whom`"),
    ] {
        let error = format!("{:#}", parsed(&format!("[reader]\n{lines}\n")).expect_err(lines));
        assert!(error.contains(said), "{lines}: {error}");
        assert!(!error.contains("sk-12345\"") || !said.contains("not the key"), "the key is not repeated: {error}");
    }
}

#[test]
fn http_is_for_this_machine_only() {
    for (url, local) in [
        ("http://localhost:11434/v1", true),
        ("http://127.0.0.1:8080", true),
        ("http://[::1]:8080/v1", true),
        ("https://localhost/v1", true),
        ("https://api.example.com/v1", false),
        ("https://127.0.0.1.example.com", false),
    ] {
        let Who::Endpoint(endpoint) = endpoint(url, None, Style::OpenAi) else { panic!("{url}") };
        assert!(endpoint.check().is_ok(), "{url}");
        assert_eq!(endpoint.is_local(), local, "{url}");
    }
}

#[test]
fn a_change_keeps_one_reader_and_every_comment() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("config.toml");
    std::fs::write(&path, "mode = \"review\"\n\n# who reads\n[reader]\nwho = \"claude\" # mine\ndays = 7\n")
        .expect("written");
    let set = |name: &str, value: &str| change(&path, name, &Change::Set(value)).expect(value).reader;
    let text = || std::fs::read_to_string(&path).expect("there");
    assert_eq!(set("reader", "codex").who, Who::Codex);
    assert_eq!(text(), "mode = \"review\"\n\n# who reads\n[reader]\nwho = \"codex\" # mine\ndays = 7\n");
    assert_eq!(set("reader", "endpoint http://localhost:11434/v1 qwen3").days, 7);
    assert!(text().contains("endpoint = { url = \"http://localhost:11434/v1\", model = \"qwen3\" }"), "{}", text());
    assert!(!text().contains("who ="), "{}", text());
    assert_eq!(set("reader.requests-a-day", "3").requests_a_day, 3);
    for (name, value) in
        [("reader", "claude code"), ("reader", "endpoint x"), ("reader", "folder r"), ("reader.days", "x")]
    {
        assert!(change(&path, name, &Change::Set(value)).is_err(), "{name} = {value}");
    }
    for name in ["reader", "reader.days", "reader.requests-a-day"] {
        change(&path, name, &Change::Unset).expect(name);
    }
    assert_eq!(text(), "mode = \"review\"\n\n# who reads\n[reader]\n");
    assert_eq!(Settings::read(&path).expect("sound").reader, ReaderSettings::default());
}

#[test]
fn a_home_is_written_with_a_tilde() {
    for (written, whole) in [("~/requests", "/home/me/requests"), ("/r", "/r"), ("~", "/home/me")] {
        assert_eq!(expanded(Path::new(written), Path::new("/home/me")), Path::new(whole), "{written}");
    }
}
