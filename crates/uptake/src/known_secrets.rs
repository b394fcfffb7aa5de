//! Secrets that are known beforehand: what the environment and the `.env` files of a project hold.
//!
//! A password has no shape by which it could be recognised. These can be looked up, and are then taken out wherever they
//! occur. A redactor holds keyed hashes of the values, not the values.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use uptake_core::redact::{self, Redactor};

use crate::project;

/// Environment files larger than this hold something else.
const FILE_LIMIT: u64 = 256 * 1024;
/// Folders that are looked into, and how deep: the parts of a project have their own files.
const FOLDERS: usize = 400;
const DEPTH: usize = 3;
/// Folders that hold what others wrote.
const PASSED_OVER: &[&str] = &["node_modules", "target", "vendor", "dist", "build", "venv", "__pycache__"];
/// Endings of files that show how an environment file looks.
const EXAMPLES: &[&str] = &["example", "sample", "template", "dist", "tpl", "defaults", "schema"];

/// Redactors by folder, made once each.
pub struct KnownSecrets {
    environment: Vec<String>,
    plain: Arc<Redactor>,
    folders: Mutex<HashMap<PathBuf, Arc<Redactor>>>,
}

impl KnownSecrets {
    /// Knows the values of secret-named variables.
    pub fn from_env() -> Self {
        let environment = environment();
        let plain = Arc::new(Redactor::with_known(environment.iter().map(String::as_str)));
        Self { environment, plain, folders: Mutex::default() }
    }

    /// What takes secrets out of the texts of a session in this folder.
    pub fn redactor(&self, folder: Option<&str>) -> Arc<Redactor> {
        let Some(folder) = folder.map(Path::new).filter(|f| f.is_absolute() && f.is_dir()) else {
            return Arc::clone(&self.plain);
        };
        let folder = project::top(folder).unwrap_or_else(|| folder.to_owned());
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let redactor = folders.entry(folder).or_insert_with_key(|folder| {
            let files = dotenv(folder);
            if files.is_empty() {
                return Arc::clone(&self.plain);
            }
            Arc::new(Redactor::with_known(self.environment.iter().chain(&files).map(String::as_str)))
        });
        Arc::clone(redactor)
    }
}

/// Values of secret-named variables.
fn environment() -> Vec<String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, value)| redact::secret_name(name) && value.len() >= 8)
        .map(|(_, value)| value)
        .collect()
}

/// Secrets in the environment files of a project.
fn dotenv(project: &Path) -> Vec<String> {
    let mut out = Vec::new();
    let mut waiting = vec![(project.to_owned(), 0)];
    let mut looked = 0;
    while let Some((folder, depth)) = waiting.pop() {
        looked += 1;
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            match entry.file_type() {
                Ok(t) if t.is_dir() => {
                    let wanted = !name.starts_with('.') && !PASSED_OVER.contains(&name.as_str());
                    if wanted && depth < DEPTH && looked + waiting.len() < FOLDERS {
                        waiting.push((entry.path(), depth + 1));
                    }
                }
                Ok(_) if is_dotenv(&name) => out.extend(values(&entry.path())),
                _ => {}
            }
        }
    }
    out
}

fn is_dotenv(name: &str) -> bool {
    let ending = name.rsplit('.').next().unwrap_or_default();
    name.starts_with(".env") && !EXAMPLES.contains(&ending)
}

fn values(path: &Path) -> Vec<String> {
    let small = std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.len() <= FILE_LIMIT);
    let bytes = if small { std::fs::read(path).unwrap_or_default() } else { Vec::new() };
    redact::dotenv_values(&String::from_utf8_lossy(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_in_an_environment_file_is_found_everywhere() {
        let home = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(home.path().join("apps/web")).expect("a folder");
        std::fs::create_dir(home.path().join(".git")).expect("a folder");
        std::fs::write(home.path().join("apps/web/.env.local"), "DB_PASSWORD='horse battery 7'\n").expect("a file");
        std::fs::write(home.path().join(".env.example"), "DB_PASSWORD=staple-staple\n").expect("a file");
        let known = KnownSecrets::from_env();
        let inside = home.path().join("apps");
        let redactor = known.redactor(inside.to_str());
        let clean = redactor.clean("I tried horse battery 7 and staple-staple there");
        assert!(!clean.contains("battery") && clean.contains("staple-staple"), "{clean}");
        assert!(known.redactor(Some("/nowhere/at/all")).clean("horse battery 7").contains("battery"));
    }
}
