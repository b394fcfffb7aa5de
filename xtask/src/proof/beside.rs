//! Our judgement beside one from outside, on failures that both can judge.
//!
//! Outside: a person said for groups of failures what a right hint must contain, and a program asked the real binary through its
//! hooks. Here: the words of the change that the session itself made.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Result;
use regex::bytes::{Regex, RegexBuilder};
use serde_json::Value;

/// A group of failures, judged by a person.
struct Group {
    name: String,
    must: Vec<Regex>,
}

impl Group {
    fn is_in(&self, text: &str) -> bool {
        !self.must.is_empty() && self.must.iter().all(|m| m.is_match(text.to_lowercase().as_bytes()))
    }
}

pub fn run(said: &[Value], gold: &Path, dump: &Path) -> Result<()> {
    let mut groups: HashMap<String, usize> = HashMap::new();
    let mut all = Vec::new();
    for line in std::fs::read_to_string(gold)?.lines() {
        let group: Value = serde_json::from_str(line)?;
        if group["lesson"] == "no" {
            continue;
        }
        let must = texts(&group["must"])
            .iter()
            .map(|m| RegexBuilder::new(m).unicode(false).build())
            .collect::<Result<Vec<Regex>, _>>()?;
        groups.extend(texts(&group["ids"]).into_iter().map(|id| (id, all.len())));
        all.push(Group { name: group["group"].as_str().unwrap_or_default().to_owned(), must });
    }
    // Which groups the outside judge saw a right hint or start line for, by session.
    let mut outside: HashMap<(String, String), bool> = HashMap::new();
    let mut starts: HashMap<String, Vec<String>> = HashMap::new();
    for line in std::fs::read_to_string(dump)?.lines() {
        let row: Value = serde_json::from_str(line)?;
        let session = row["session"].as_str().unwrap_or_default().to_owned();
        if row["moment"] == "start" {
            starts.entry(session).or_default().push(row["hint"].as_str().unwrap_or_default().to_owned());
        } else if let Some(group) = row["group"].as_str() {
            *outside.entry((session, group.to_owned())).or_default() |= row["right"] == true;
        }
    }
    let mut table = [[0_u32; 2]; 2];
    println!("\nDisagreements (ours, theirs, group, change that the session made):");
    for row in said.iter().filter(|r| r["way"] == "all" && r["judged"] == true) {
        let Some(group) = row["call"].as_str().and_then(|id| groups.get(id)).map(|n| &all[*n]) else { continue };
        let session = row["session"].as_str().unwrap_or_default().to_owned();
        let warned = starts.get(&session).is_some_and(|lines| lines.iter().any(|l| group.is_in(l)));
        let theirs = warned || outside.get(&(session, group.name.clone())).copied().unwrap_or(false);
        let ours = row["right"] == true || row["warned"] == true;
        table[usize::from(ours)][usize::from(theirs)] += 1;
        if ours != theirs {
            println!("- {ours} {theirs} {} `{}`", group.name, row["change"].as_str().unwrap_or_default());
        }
    }
    println!("\n| | outside: right | outside: not |\n|---|---|---|");
    println!(
        "| here: prevented | {} | {} |\n| here: not | {} | {} |",
        table[1][1], table[1][0], table[0][1], table[0][0]
    );
    Ok(())
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|t| t.as_str()).map(str::to_owned).collect()
}
