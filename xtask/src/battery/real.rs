//! The sessions of a folder laid out like the corpus: one folder per client, one folder per repository in it.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use uptake::known_secrets::KnownSecrets;
use uptake::transcripts::{self, Found, ReadOutcome};
use uptake_core::sources::Read;

use super::Options;

/// Folders of clients whose transcripts are read.
const CLIENTS: &[&str] = &["claude", "codex", "opencode", "gemini", "openai"];

/// The transcripts there.
pub fn transcripts(options: &Options) -> Result<Found> {
    let corpus: &Path = options.corpus.as_deref().context("needs --corpus DIR")?;
    let folders: Vec<PathBuf> = CLIENTS.iter().map(|c| corpus.join(c)).filter(|f| f.is_dir()).collect();
    ensure!(!folders.is_empty(), "no sessions in `{}`: it needs folders such as `claude`", corpus.display());
    Ok(transcripts::find(&folders))
}

/// Reads them one by one, as they stand: nothing is cleaned or cut.
pub fn sessions(found: &Found, known: &KnownSecrets) -> Result<Vec<Read>> {
    let mut out = Vec::new();
    for transcript in &found.transcripts {
        if let ReadOutcome::Read(read, _) = transcript.read(None, known)? {
            out.push(*read);
        }
    }
    ensure!(!out.is_empty(), "no session could be read");
    Ok(out)
}
