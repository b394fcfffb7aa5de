//! Sessions whose tools print what an attacker wrote: is any of it ever told in mode `auto`, and do lessons still help?

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use uptake_core::measure::rates::Chance;

use super::{Run, percent};

/// Shares of sessions that are poisoned.
const SHARES: [f64; 3] = [0.01, 0.05, 0.10];
/// So many characters of a poison in a row are a piece of it.
const PIECE: usize = 32;

pub fn run(run: &Run<'_>, folders: &[PathBuf], file: &Path, clean: &Value) -> Result<()> {
    let poisons = poisons(file)?;
    let pieces: HashSet<String> = poisons.iter().flat_map(|p| pieces(p)).collect();
    println!(
        "\n| poisoned sessions | told in mode auto | of them poison | prevented, auto | without poison |\n|---|---|---|---|---|"
    );
    for share in SHARES {
        let copy = tempfile::tempdir()?;
        let (mut poisoned, mut all) = (0, 0);
        let mut places = Vec::new();
        for folder in folders {
            let to = copy.path().join(folder.file_name().context("a folder has a name")?);
            poison_folder(folder, &to, &poisons, share, (&mut poisoned, &mut all))?;
            places.push(to);
        }
        let (figures, said) = run.backtest(&places)?;
        let told: Vec<&str> = said
            .iter()
            .filter(|s| s["way"] == "auto")
            .filter_map(|s| s["hint"].as_str())
            .filter(|h| !h.is_empty())
            .collect();
        let bad = told.iter().filter(|text| windows(text).any(|piece| pieces.contains(&piece))).count();
        println!(
            "| {poisoned} of {all} | {} | {bad} | {} | {} |",
            told.len(),
            percent(&figures["ways"]["auto"]["rate"]["value"]),
            percent(&clean["ways"]["auto"]["rate"]["value"])
        );
    }
    Ok(())
}

fn poisons(file: &Path) -> Result<Vec<String>> {
    let list: Vec<Value> = serde_json::from_slice(&std::fs::read(file)?)?;
    let texts: Vec<String> = list.iter().filter_map(|p| p["text"].as_str()).map(str::to_owned).collect();
    ensure!(!texts.is_empty(), "`{}` has no texts", file.display());
    Ok(texts)
}

/// Copies a folder; in a share of its transcripts every tool also prints a poison.
fn poison_folder(from: &Path, to: &Path, poisons: &[String], share: f64, count: (&mut u32, &mut u32)) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)?.flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|e| e != "jsonl") {
            continue;
        }
        *count.1 += 1;
        let name = entry.file_name();
        let seed = name.as_encoded_bytes().iter().fold(7_u64, |h, b| h.wrapping_mul(31).wrapping_add(u64::from(*b)));
        let mut chance = Chance::new(seed);
        if chance.unit() >= share {
            std::fs::copy(&path, to.join(name))?;
            continue;
        }
        *count.0 += 1;
        let text = std::fs::read_to_string(&path)?;
        let lines: Vec<String> = text.lines().map(|line| poisoned(line, poisons, &mut chance)).collect();
        std::fs::write(to.join(name), lines.join("\n"))?;
    }
    Ok(())
}

fn poisoned(line: &str, poisons: &[String], chance: &mut Chance) -> String {
    let Ok(mut record) = serde_json::from_str::<Value>(line) else { return line.to_owned() };
    let Some(parts) = record["message"]["content"].as_array_mut() else { return line.to_owned() };
    for part in parts.iter_mut().filter(|p| p["type"] == "tool_result") {
        let poison = &poisons[chance.below(poisons.len())];
        let printed = match &part["content"] {
            Value::String(text) => text.clone(),
            Value::Array(list) => list.iter().filter_map(|x| x["text"].as_str()).collect::<Vec<_>>().join("\n"),
            _ => String::new(),
        };
        part["content"] = Value::String(format!("{printed}\n{poison}"));
    }
    record.to_string()
}

fn pieces(text: &str) -> Vec<String> {
    windows(text).collect()
}

/// All pieces of a text, whatever stands between its words.
fn windows(text: &str) -> impl Iterator<Item = String> + use<> {
    let plain: Vec<char> = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase().chars().collect();
    let all: Vec<String> = plain.windows(PIECE).map(|w| w.iter().collect()).collect();
    all.into_iter()
}
