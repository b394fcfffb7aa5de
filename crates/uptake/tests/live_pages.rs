//! The pages in a real Chromium: no errors, nothing that does not fit, light and dark. Run by `./test` (feature `live`).
#![allow(clippy::expect_used, clippy::panic, reason = "a test may fail loudly, its helpers too")]
#![cfg(feature = "live")]

use std::path::{Path, PathBuf};
use std::process::Command;

use uptake_testkit::transcript::claude;

/// A phone, a laptop, a very large screen.
const WIDTHS: [u32; 3] = [360, 1_280, 3_840];

/// Where pictures are kept for people to look at.
fn pictures() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// A history in which a mistake is made again and again.
fn history(folder: &Path) {
    let script = "u show me the report
        ! python3 -m ledger report --format json => ledger: error: unrecognized arguments: --format json
        $ python3 -m ledger --help => usage: ledger
        $ python3 -m ledger report --output json => {}";
    for (n, project) in (1..=9).flat_map(|n| [(n, "ledger"), (n, "shop")]) {
        let text = claude(&format!("{project}-{n}"), &format!("/home/dev/{project}"), script)
            .replace("\"isSidechain\":false", "\"isSidechain\":false,\"parentUuid\":null");
        let path = folder.join(format!("{project}/{n}.jsonl"));
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text.replace("2026-11-01T", &format!("2026-1{}-0{n}T", n % 3))).expect("written");
    }
}

fn uptake(home: &Path, args: &[&str]) {
    let run = Command::new(env!("CARGO_BIN_EXE_uptake"))
        .args(args)
        .env_clear()
        .env("HOME", home)
        .env("UPTAKE_HOME", home.join("uptake"))
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .output()
        .expect("uptake runs");
    assert!(run.status.success(), "{args:?}: {}", String::from_utf8_lossy(&run.stderr));
}

/// Opens a page in a frame of a width, takes a picture, and answers what the browser's console said and what it measured.
fn opened(page: &Path, width: u32, dark: bool, home: &Path) -> (PathBuf, String) {
    let name = page.file_stem().expect("a name").to_string_lossy().into_owned();
    let shade = if dark { "dark" } else { "light" };
    let picture = pictures().join(format!("{name}-{width}-{shade}.png"));
    // A window is never as narrow as a phone; a frame is.
    let frame = home.join(format!("{name}-{width}-{shade}.html"));
    let high = if width < 1_000 { 2_400 } else { 1_800 };
    let outer = format!(
        "<!doctype html><style>html,body{{margin:0}}iframe{{border:0;width:{width}px;height:{high}px}}</style>\
         <iframe id=f src=\"file://{}\"></iframe><script>onload=()=>{{const d=document.getElementById('f').contentDocument;\
         console.log('wide '+(d?d.documentElement.scrollWidth:'?')+' of {width}')}}</script>",
        page.display()
    );
    std::fs::write(&frame, outer).expect("written");
    let run = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr"])
        .args(["--allow-file-access-from-files", "--disable-dev-shm-usage", "--no-first-run"])
        .arg(format!("--user-data-dir={}", home.join("browser").display()))
        .arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!dark)))
        .arg(format!("--window-size={width},{high}"))
        .arg(format!("--screenshot={}", picture.display()))
        .arg(format!("file://{}", frame.display()))
        .output()
        .expect("chromium runs; ./test installs it");
    let console: Vec<String> =
        String::from_utf8_lossy(&run.stderr).lines().filter(|l| l.contains("CONSOLE")).map(str::to_owned).collect();
    assert!(run.status.success() && picture.exists(), "{}", String::from_utf8_lossy(&run.stderr));
    (picture, console.join("\n"))
}

#[test]
fn the_pages_open_without_errors_at_every_width_light_and_dark() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path();
    history(&home.join("history"));
    let (backtest, report) = (home.join("backtest.html"), home.join("report.html"));
    let path = |p: &Path| p.to_str().expect("a path").to_owned();
    uptake(home, &["backtest", &path(&home.join("history")), "--html", &path(&backtest)]);
    uptake(home, &["learn", &path(&home.join("history")), "--yes", "--all"]);
    uptake(home, &["report", "--html", &path(&report)]);
    for page in [&backtest, &report] {
        for width in WIDTHS {
            let sizes: Vec<u64> = [false, true]
                .map(|dark| {
                    let (picture, console) = opened(page, width, dark, home);
                    let measured = format!("wide {width} of {width}");
                    assert!(console.contains(&measured), "{}: {console}", picture.display());
                    assert_eq!(console.lines().count(), 1, "{}: {console}", picture.display());
                    picture.metadata().expect("a picture").len()
                })
                .into();
            assert!(sizes.iter().all(|bytes| *bytes > 5_000), "{}: an empty picture", page.display());
        }
    }
}
