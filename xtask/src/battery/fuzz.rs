//! `fuzz`: every target of `fuzz/` for some seconds, two at a time, with seeds made of the fixtures.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use uptake_core::sources::{read_all, recognise};

use super::plants::synthetic;
use super::world::files;
use super::{Figure, Options, Rng, root, say, two_at_a_time};

/// Longest input; a seed is cut to it.
const LONGEST: usize = 16 * 1024;
/// A single input that takes longer is a finding.
const UNIT_SECONDS: u64 = 1;
/// Findings of one target after which it is left alone.
const ENOUGH: usize = 3;

/// What one target did.
struct Ran {
    target: String,
    units: u64,
    findings: Vec<String>,
}

/// Runs the check.
pub fn run(options: &Options) -> Result<Vec<Figure>> {
    if let Some(missing) = missing() {
        return Ok(vec![Figure::not_run("fuzz", missing)]);
    }
    let target_dir = target_dir();
    build(&target_dir)?;
    let mut targets: Vec<String> = files(&root().join("fuzz/fuzz_targets"))
        .iter()
        .filter_map(|f| Some(f.file_stem()?.to_str()?.to_owned()))
        .collect();
    targets.sort();
    let ran = two_at_a_time(&targets, |target| {
        let ran = fuzz(target, &target_dir, options)?;
        say(&format!("fuzz: {target}: {} inputs, {} findings", ran.units, ran.findings.len()));
        Ok(ran)
    })?;
    Ok(ran.iter().map(|r| figure(r, options.seconds)).collect())
}

fn figure(ran: &Ran, seconds: u64) -> Figure {
    for finding in &ran.findings {
        say(&format!("fuzz: finding: {finding}"));
    }
    Figure::none(
        format!("findings of `{}` in {seconds} s: panics, inputs over {UNIT_SECONDS} s, leaks", ran.target),
        ran.findings.len(),
    )
    .baseline(format!("{} inputs", ran.units))
    .why(ran.findings.first().cloned().unwrap_or_default())
}

/// What must be installed first.
fn missing() -> Option<String> {
    let works = |args: &[&str]| {
        Command::new("cargo").args(args).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
    };
    if !works(&["+nightly", "--version"]) {
        return Some("needs a nightly compiler: rustup toolchain install nightly --profile minimal".to_owned());
    }
    (!works(&["fuzz", "--version"])).then(|| "needs cargo-fuzz: cargo install cargo-fuzz --version 0.13.2".to_owned())
}

fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from).join("fuzz")
}

fn build(target_dir: &Path) -> Result<()> {
    say("fuzz: building the targets");
    // Without a sanitizer: there is no unsafe code to watch, and inputs are tried several times as fast.
    let built = Command::new("cargo")
        .args(["+nightly", "fuzz", "build", "--sanitizer", "none", "--target-dir"])
        .arg(target_dir)
        .current_dir(root())
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("RUSTUP_TOOLCHAIN")
        .env_remove("CARGO")
        .stdout(Stdio::null())
        .status()?;
    ensure!(built.success(), "the fuzz targets do not build");
    Ok(())
}

fn executable(target: &str, target_dir: &Path) -> Result<PathBuf> {
    let found =
        std::fs::read_dir(target_dir)?.flatten().map(|e| e.path().join("release").join(target)).find(|p| p.is_file());
    found.with_context(|| format!("no target `{target}` in `{}`", target_dir.display()))
}

fn fuzz(target: &str, target_dir: &Path, options: &Options) -> Result<Ran> {
    let folder = tempfile::tempdir()?;
    let place = |name: &str| -> Result<PathBuf> {
        let path = folder.path().join(name);
        std::fs::create_dir_all(&path)?;
        Ok(path)
    };
    let (corpus, seeds) = (place("corpus")?, place("seeds")?);
    for (n, seed) in seeds_of(target, options.seed).iter().enumerate() {
        std::fs::write(seeds.join(format!("{n:05}")), &seed[..seed.len().min(LONGEST)])?;
    }
    let kept = target_dir.join("findings").join(target);
    std::fs::create_dir_all(&kept)?;
    let before: BTreeSet<PathBuf> = files(&kept).into_iter().collect();
    let binary = executable(target, target_dir)?;
    let end = Instant::now() + Duration::from_secs(options.seconds);
    let mut ran = Ran { target: target.to_owned(), units: 0, findings: Vec::new() };
    while ran.findings.len() < ENOUGH {
        let left = end.saturating_duration_since(Instant::now()).as_secs();
        if left == 0 {
            break;
        }
        let out = Command::new(&binary)
            .args([&corpus, &seeds])
            .arg(format!("-max_total_time={left}"))
            .arg(format!("-timeout={UNIT_SECONDS}"))
            .arg(format!("-max_len={LONGEST}"))
            .arg(format!("-seed={}", 1 + options.seed % 1_000_000 + ran.findings.len() as u64))
            .arg(format!("-artifact_prefix={}/", kept.display()))
            .arg("-print_final_stats=1")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .output()?;
        let text = String::from_utf8_lossy(&out.stderr);
        ran.units += text
            .lines()
            .find_map(|l| l.strip_prefix("stat::number_of_executed_units:"))
            .and_then(|n| n.trim().parse().ok())
            .unwrap_or(0);
        if out.status.success() {
            break;
        }
        ran.findings.push(finding(&text));
    }
    let new: Vec<String> =
        files(&kept).into_iter().filter(|f| !before.contains(f)).map(|f| f.display().to_string()).collect();
    for (finding, file) in ran.findings.iter_mut().zip(new) {
        finding.push_str(&format!(" ({file})"));
    }
    Ok(ran)
}

/// The line that says what was found.
fn finding(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|l| l.contains("panicked at") || l.contains("ERROR: libFuzzer"));
    let told: Vec<&str> = at.map(|at| lines[at..].iter().copied().take(2).collect()).unwrap_or_default();
    let told = told.join(" ");
    told[..told.floor_char_boundary(300)].to_owned()
}

/// What a target begins with.
fn seeds_of(target: &str, seed: u64) -> Vec<Vec<u8>> {
    let mut rng = Rng::new(seed, &format!("fuzz {target}"));
    match target {
        "redact" => (0..400).map(|_| (0..48).map(|_| rng.below(256) as u8).collect()).collect(),
        "shell" => commands(),
        "hook" => payloads(),
        source => {
            let mut all: Vec<Vec<u8>> = recorded(source);
            all.extend(synthetic(seed).into_iter().filter(|(name, _)| *name == source).map(|(_, bytes)| bytes));
            all.iter().flat_map(|bytes| pieces(bytes)).map(|piece| controlled(piece, &mut rng)).collect()
        }
    }
}

fn fixtures() -> Vec<PathBuf> {
    files(&root().join("fixtures"))
        .into_iter()
        .filter(|f| f.extension().is_some_and(|e| e == "jsonl" || e == "json"))
        .filter(|f| f.file_name().is_some_and(|n| n != "index.jsonl"))
        .collect()
}

fn recorded(source: &str) -> Vec<Vec<u8>> {
    let all = fixtures().into_iter().filter_map(|f| std::fs::read(f).ok());
    all.filter(|bytes| recognise(bytes).is_some_and(|s| s.name == source)).collect()
}

/// The start of a file, and every few lines of it.
fn pieces(bytes: &[u8]) -> Vec<&[u8]> {
    let mut out = vec![&bytes[..bytes.len().min(LONGEST / 2)]];
    let mut start = 0;
    while start < bytes.len() {
        let least = (start + LONGEST / 8).min(bytes.len());
        let end = memchr::memchr(b'\n', &bytes[least..]).map_or(bytes.len(), |at| least + at + 1);
        out.push(&bytes[start..end]);
        start = end;
    }
    out
}

/// Behind the bytes that say how to feed it.
fn controlled(piece: &[u8], rng: &mut Rng) -> Vec<u8> {
    let controls: Vec<u8> = (0..4).map(|_| rng.below(256) as u8).collect();
    [&controls, piece].concat()
}

/// Every command line of the recorded sessions.
fn commands() -> Vec<Vec<u8>> {
    let mut out = BTreeSet::new();
    for bytes in fixtures().into_iter().filter_map(|f| std::fs::read(f).ok()) {
        let Some(source) = recognise(&bytes) else { continue };
        let session = read_all(source, "x", &bytes).session;
        out.extend(session.shells().map(|(_, _, command)| command.as_bytes().to_vec()));
    }
    out.into_iter().collect()
}

/// Every recorded payload, said to come from each of the first two agents.
fn payloads() -> Vec<Vec<u8>> {
    let recorded =
        files(&root().join("fixtures/hooks")).into_iter().filter(|f| f.extension().is_some_and(|e| e == "json"));
    let all = recorded.filter_map(|f| std::fs::read(f).ok());
    all.flat_map(|bytes| (0..2u8).map(move |which| [&[which], &bytes[..]].concat())).collect()
}
