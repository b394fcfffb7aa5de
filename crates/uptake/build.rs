//! Lists the sessions under `fixtures/demo`, so that `uptake learn --demo` works wherever the binary is; and says how the binary
//! is linked.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    link();
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let demo = here.join("../../fixtures/demo");
    println!("cargo:rerun-if-changed={}", demo.display());
    let mut files = Vec::new();
    walk(&demo, &mut files)?;
    files.sort();
    let mut code = String::from(
        "/// Recorded sessions: path below a throw-away home, content.\npub const DEMO: &[(&str, &str)] = &[\n",
    );
    for file in files {
        let name = file.strip_prefix(&demo).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let path = file.canonicalize()?;
        let _ = writeln!(code, "    ({name:?}, include_str!({:?})),", path.to_string_lossy());
    }
    code.push_str("];\n");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    std::fs::write(out.join("demo.rs"), code)
}

/// An agent waits for every start of the binary. Code that may lie anywhere has 27,000 addresses to be put right and 130 pages to be
/// copied for that, at each start: a quarter of a hook's time. So on Linux it lies at a fixed place; libraries, heap and stack are
/// where the system puts them, and no code of ours is `unsafe`.
fn link() {
    let target = |what: &str| std::env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "jsonl") && path.file_name().is_some_and(|n| n != "index.jsonl")
        {
            files.push(path);
        }
    }
    Ok(())
}
