//! Names of projects, for people: the shortest end of the key that tells a project from the others.

use std::collections::BTreeMap;

use super::worktree::is_id;

/// A name for each of these projects. `folder_of` knows a folder of a project whose key says nothing to a person.
pub fn names(
    keys: impl IntoIterator<Item = String>,
    folder_of: impl Fn(&str) -> Option<String>,
) -> BTreeMap<String, String> {
    let parts: BTreeMap<String, Vec<String>> =
        keys.into_iter().map(|key| (key.clone(), parts(&key, &folder_of))).collect();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut lengths: BTreeMap<&String, usize> = parts.iter().map(|(key, parts)| (key, readable(parts))).collect();
    loop {
        let mut called: BTreeMap<String, Vec<&String>> = BTreeMap::new();
        for (key, parts) in &parts {
            let name = end(parts, lengths[key]);
            names.insert(key.clone(), name.clone());
            called.entry(name.to_lowercase()).or_default().push(key);
        }
        let mut longer = false;
        for key in called.values().filter(|keys| keys.len() > 1).flatten() {
            if let Some(length) = lengths.get_mut(key)
                && *length < parts[*key].len()
            {
                *length += 1;
                longer = true;
            }
        }
        if !longer {
            return names;
        }
    }
}

/// What a name is made of. The last resort is the key itself.
fn parts(key: &str, folder_of: &impl Fn(&str) -> Option<String>) -> Vec<String> {
    let path = match key.strip_prefix("root:") {
        Some(commit) => folder_of(key).unwrap_or_else(|| format!("repository {}", commit.get(..8).unwrap_or(commit))),
        None => key.strip_prefix("path:").or_else(|| key.strip_prefix("folder:")).unwrap_or(key).to_owned(),
    };
    let parts: Vec<String> = path.split(['/', '\\']).filter(|p| !p.is_empty()).map(str::to_owned).collect();
    if parts.is_empty() { vec![path] } else { parts }
}

/// How many parts a name needs so that one of them is no mere number or hash.
fn readable(parts: &[String]) -> usize {
    let ids = parts.iter().rev().take_while(|part| is_id(part)).count();
    (ids + 1).min(parts.len())
}

fn end(parts: &[String], length: usize) -> String {
    parts[parts.len().saturating_sub(length)..].join("/")
}
