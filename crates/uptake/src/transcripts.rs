//! Files → sessions: finds transcripts, reads them in chunks, several at a time.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use uptake_core::session::{Session, SourceName};
use uptake_core::sources::{self, Ids, Read, Reader, Source};
use uptake_store::foreign::opencode;

use crate::agents::{AGENTS, Agent};
use crate::env_vars;
use crate::known_secrets::KnownSecrets;

/// Bytes read at once; one such buffer per file in work.
const CHUNK: usize = 256 * 1024;
/// Bytes looked at to recognise a file.
const SNIFF: usize = 64 * 1024;

/// A transcript on disk.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// Where it is; of a session in a database the database, `#` and the session's id.
    pub path: PathBuf,
    /// The database it is in and its id there.
    pub database: Option<(PathBuf, String)>,
    /// The source it belongs to, if its place tells; otherwise its bytes decide.
    pub source: Option<&'static str>,
    /// The project it belongs to, if its place tells (a folder given by hand).
    pub folder_project: Option<String>,
    /// Size in bytes; 0 in a database, where it costs too much to know.
    pub size: u64,
    /// Last change, in nanoseconds since 1970; in a database a number that changes with the session.
    pub modified: i64,
}

/// A file that could not be read, and why.
#[derive(Clone, Debug)]
pub struct Unreadable {
    /// Where it is.
    pub path: PathBuf,
    /// What went wrong.
    pub why: String,
}

/// Transcripts and what could not be looked at.
#[derive(Default)]
pub struct Found {
    /// In a stable order.
    pub transcripts: Vec<Transcript>,
    /// Folders and files that could not be opened.
    pub unreadable: Vec<Unreadable>,
}

/// Finds the transcripts of all agents of this user.
pub fn find_all(home: &Path) -> Found {
    let mut found = Found::default();
    for agent in AGENTS {
        for folder in agent.transcript_folders(home) {
            walk(&folder, &Looking { agent: Some(agent), project: None, depth: agent.depth }, 0, &mut found);
        }
    }
    for variable in AGENTS.iter().filter_map(|agent| agent.database) {
        if let Some(database) = env_vars::get(variable).map(PathBuf::from).filter(|d| d.is_absolute()) {
            add_database(&database, None, &mut found);
        }
    }
    found.transcripts.sort_by(|a, b| a.path.cmp(&b.path));
    found.transcripts.dedup_by(|a, b| a.path == b.path);
    found
}

/// Finds transcripts under paths given by hand. In such a folder each first-level folder is a project.
pub fn find(paths: &[PathBuf]) -> Found {
    let mut found = Found::default();
    for path in paths {
        // The same file must have the same name, however it was typed.
        let path = &path.canonicalize().unwrap_or_else(|_| path.clone());
        match std::fs::metadata(path) {
            Err(e) => found.unreadable.push(Unreadable { path: path.clone(), why: e.to_string() }),
            Ok(meta) if meta.is_dir() => folder_by_hand(path, &mut found),
            // What is in a file that was named decides, not how the file is called.
            Ok(_) => add_any(path, None, path.parent().and_then(folder_name), &mut found),
        }
    }
    found.transcripts.sort_by(|a, b| a.path.cmp(&b.path));
    found.transcripts.dedup_by(|a, b| a.path == b.path);
    found
}

fn folder_by_hand(path: &Path, found: &mut Found) {
    let Ok(entries) = std::fs::read_dir(path) else {
        found.unreadable.push(Unreadable { path: path.to_owned(), why: "cannot list this folder".into() });
        return;
    };
    for entry in entries.flatten() {
        let child = entry.path();
        if child.is_dir() {
            let project = folder_name(&child);
            walk(&child, &Looking { agent: None, project, depth: DEPTH }, 0, found);
        } else {
            add(&child, None, folder_name(path), found);
        }
    }
}

fn folder_name(path: &Path) -> Option<String> {
    path.file_name().map(|n| n.to_string_lossy().into_owned())
}

/// Deeper than any client nests its folders.
const DEPTH: usize = 12;

/// What a folder is searched for.
struct Looking {
    /// Whose transcripts they are, if that is known.
    agent: Option<&'static Agent>,
    project: Option<String>,
    depth: usize,
}

impl Looking {
    fn wants(&self, path: &Path) -> bool {
        let among = self.agent.and_then(|a| a.among);
        among.is_none_or(|name| path.components().any(|c| c.as_os_str() == name))
    }
}

fn walk(folder: &Path, looking: &Looking, depth: usize, found: &mut Found) {
    if depth > looking.depth {
        return;
    }
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return,
        Err(e) => {
            found.unreadable.push(Unreadable { path: folder.to_owned(), why: e.to_string() });
            return;
        }
    };
    for entry in entries.flatten() {
        let path = entry.path();
        // Links are not followed: a loop would never end, and nothing a client writes is behind one.
        match entry.file_type() {
            Ok(t) if t.is_dir() => walk(&path, looking, depth + 1, found),
            Ok(t) if t.is_file() && looking.wants(&path) => {
                add(&path, looking.agent, looking.project.clone(), found);
            }
            _ => {}
        }
    }
}

/// Endings of transcripts that are given by hand.
const ENDINGS: &[&str] = &["jsonl", "json", "db"];

fn add(path: &Path, agent: Option<&Agent>, folder_project: Option<String>, found: &mut Found) {
    let endings = agent.map_or(ENDINGS, |a| a.endings);
    let named = path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending));
    let side = path.file_name().is_some_and(|n| n.to_string_lossy().ends_with(".meta.json"));
    if named && !side {
        add_any(path, agent, folder_project, found);
    }
}

fn add_any(path: &Path, agent: Option<&Agent>, folder_project: Option<String>, found: &mut Found) {
    if path.extension().is_some_and(|e| e == "db") {
        return add_database(path, folder_project.as_deref(), found);
    }
    match std::fs::metadata(path) {
        Ok(meta) => {
            let modified = meta
                .modified()
                .ok()
                .and_then(|t| t.duration_since(UNIX_EPOCH).ok())
                .map_or(0, |d| i64::try_from(d.as_nanos()).unwrap_or(i64::MAX));
            found.transcripts.push(Transcript {
                path: path.to_owned(),
                database: None,
                source: agent.map(|a| a.source),
                folder_project,
                size: meta.len(),
                modified,
            });
        }
        Err(e) => found.unreadable.push(Unreadable { path: path.to_owned(), why: e.to_string() }),
    }
}

/// The sessions in a database; one that is not OpenCode's is none of ours.
fn add_database(path: &Path, folder_project: Option<&str>, found: &mut Found) {
    match opencode::sessions(path) {
        Ok(sessions) => found.transcripts.extend(sessions.into_iter().flatten().map(|s| {
            let mut name = path.as_os_str().to_owned();
            name.push("#");
            name.push(&s.id);
            Transcript {
                path: PathBuf::from(name),
                database: Some((path.to_owned(), s.id)),
                source: Some(SourceName::OpenCode.as_str()),
                folder_project: folder_project.map(str::to_owned),
                size: 0,
                modified: s.stamp,
            }
        })),
        Err(e) => found.unreadable.push(Unreadable { path: path.to_owned(), why: e.to_string() }),
    }
}

/// Bytes of the transcripts that are read at once; one may have more.
const BATCH: u64 = 48 * 1024 * 1024;

/// Whether a batch is one transcript that is larger than a batch should be.
pub fn is_large(batch: &[&Transcript]) -> bool {
    batch.iter().any(|t| t.size > BATCH)
}

/// Transcripts to read at once: several small ones, or one large one, so that memory stays flat.
pub fn batches<'l, 't>(list: &'l [&'t Transcript]) -> Vec<&'l [&'t Transcript]> {
    const FILES: usize = 64;
    let mut out = Vec::new();
    let mut start = 0;
    let mut bytes = 0;
    for (n, t) in list.iter().enumerate() {
        if n > start && (n - start == FILES || bytes + t.size > BATCH) {
            out.push(&list[start..n]);
            (start, bytes) = (n, 0);
        }
        bytes += t.size;
    }
    if start < list.len() {
        out.push(&list[start..]);
    }
    out
}

/// What an earlier reading left.
pub struct Earlier {
    /// The session so far.
    pub session: Session,
    /// Where it ended.
    pub offset: u64,
    /// A print of the bytes before that place.
    pub print: String,
}

/// Bytes before the place of resuming that must still be the same.
const PRINTED: u64 = 4 * 1024;

fn print_before(file: &mut File, offset: u64) -> std::io::Result<String> {
    let from = offset.saturating_sub(PRINTED);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(offset - from).read_to_end(&mut bytes)?;
    Ok(blake3::hash(&bytes).to_hex()[..16].to_owned())
}

/// What became of reading one file.
pub enum ReadOutcome {
    /// It was read; with a print of the bytes before the place where the next reading begins.
    Read(Box<Read>, String),
    /// It is no transcript we know.
    Unknown,
}

/// Reads a session out of a database; always the whole of it.
fn read_rows(database: &Path, id: &str, source: &Source, known: &KnownSecrets) -> std::io::Result<ReadOutcome> {
    let mut reader = Reader::new(source, id);
    opencode::read_session(database, id, |line| {
        reader.feed_with(line, &|cwd, text| known.redactor(cwd).clean_up(text));
    })
    .map_err(std::io::Error::other)?;
    Ok(ReadOutcome::Read(Box::new(reader.finish()), String::new()))
}

impl Transcript {
    /// The file's name without its ending.
    pub fn name(&self) -> String {
        self.path.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Reads it, from the start or from where an earlier reading ended.
    pub fn read(&self, earlier: Option<Earlier>, known: &KnownSecrets) -> std::io::Result<ReadOutcome> {
        // One transcript that trips a defect of ours must not cost the others.
        let guarded = std::panic::AssertUnwindSafe(|| self.read_unguarded(earlier, known));
        std::panic::catch_unwind(guarded)
            .unwrap_or_else(|_| Err(std::io::Error::other("the reader failed on this file; please report it")))
    }

    fn read_unguarded(&self, earlier: Option<Earlier>, known: &KnownSecrets) -> std::io::Result<ReadOutcome> {
        if let (Some((database, id)), Some(source)) = (&self.database, self.source.and_then(sources::source)) {
            return read_rows(database, id, source, known);
        }
        let mut file = File::open(&self.path)?;
        let Some(source) = self.recognise(&mut file)? else { return Ok(ReadOutcome::Unknown) };
        let name = self.session_name(source);
        // A file that was rewritten since is read from its start.
        let same = |e: &Earlier, file: &mut File| print_before(file, e.offset).is_ok_and(|p| p == e.print);
        let (mut reader, offset) = match earlier {
            Some(e) if same(&e, &mut file) => (Reader::resume(source, &name, e.session, e.offset), e.offset),
            _ => (Reader::new(source, &name), 0),
        };
        file.seek(SeekFrom::Start(offset))?;
        let mut chunk = vec![0; CHUNK];
        loop {
            match file.read(&mut chunk) {
                Ok(0) => break,
                Ok(n) => reader.feed_with(&chunk[..n], &|cwd, text| known.redactor(cwd).clean_up(text)),
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        let mut read = reader.finish();
        if let Some(tells) = source.place {
            tells(&self.path, &mut read.session, &|file| std::fs::read_to_string(file).ok());
        }
        let print = print_before(&mut file, read.resume_at)?;
        Ok(ReadOutcome::Read(Box::new(read), print))
    }

    /// What a session without an id of its own is called: two files of one name in two folders are two sessions.
    fn session_name(&self, source: &Source) -> String {
        match source.ids {
            Ids::Unique => self.name(),
            Ids::Numbered => {
                format!("{}-{}", self.name(), &blake3::hash(self.path.to_string_lossy().as_bytes()).to_hex()[..8])
            }
        }
    }

    fn recognise(&self, file: &mut File) -> std::io::Result<Option<&'static Source>> {
        if let Some(source) = self.source.and_then(sources::source) {
            return Ok(Some(source));
        }
        let mut start = Vec::with_capacity(SNIFF);
        file.take(SNIFF as u64).read_to_end(&mut start)?;
        Ok(sources::recognise(&start))
    }
}
