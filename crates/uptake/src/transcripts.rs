//! Files → sessions: finds transcripts, reads them in chunks, several at a time.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use uptake_core::session::{Session, SourceName};
use uptake_core::sources::{self, Ids, Outline, Read, Reader, Source};
use uptake_store::foreign::opencode;

use crate::agents::{AGENTS, Agent};
use crate::env_vars;
use crate::known_secrets::KnownSecrets;

/// Bytes read at once; one such buffer per file in work.
const CHUNK: usize = 256 * 1024;
/// Bytes looked at to recognise a file.
const SNIFF: usize = 64 * 1024;

/// A transcript on disk. A user may have a million of them, so each holds only what the others in its folder do not share.
#[derive(Clone, Debug)]
pub struct Transcript {
    place: Arc<Place>,
    /// Where its name stands among the names of its place.
    name: Range<u32>,
    /// Size in bytes; 0 in a database, where it costs too much to know.
    pub size: u64,
    /// Last change, in nanoseconds since 1970; in a database a number that changes with the session.
    pub modified: i64,
}

/// What the transcripts of one folder, or of one database, share.
#[derive(Debug)]
struct Place {
    path: PathBuf,
    is: PlaceKind,
    /// The source it belongs to, if its place tells; otherwise the bytes of each transcript decide.
    source: Option<&'static str>,
    /// The project it belongs to, if its place tells (a folder given by hand).
    project: Option<String>,
    /// The names of all its transcripts, one behind the other.
    names: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlaceKind {
    /// Names are those of files in it.
    Folder,
    /// Names are ids of sessions in it.
    Database,
    /// It is a transcript itself, whose name is no UTF-8.
    File,
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

impl Found {
    fn in_order(mut self) -> Self {
        self.transcripts.sort_by(Transcript::by_path);
        self.transcripts.dedup_by(|a, b| a.by_path(b).is_eq());
        self
    }
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
    found.in_order()
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
            // Opening a pipe would wait for its writer.
            Ok(meta) if !meta.is_file() => found.unreadable.push(irregular(path)),
            // What is in a file that was named decides, not how the file is called.
            Ok(_) => {
                let folder = path.parent().unwrap_or(path);
                let mut listed = Listed::new(folder, None, folder_name(folder));
                listed.add_any(path, &mut found);
                listed.end(&mut found);
            }
        }
    }
    found.in_order()
}

fn folder_by_hand(path: &Path, found: &mut Found) {
    let Ok(entries) = std::fs::read_dir(path) else {
        found.unreadable.push(Unreadable { path: path.to_owned(), why: "cannot list this folder".into() });
        return;
    };
    let mut listed = Listed::new(path, None, folder_name(path));
    for entry in entries.flatten() {
        let child = entry.path();
        if child.is_dir() {
            let project = folder_name(&child);
            walk(&child, &Looking { agent: None, project, depth: DEPTH }, 0, found);
        } else if !is_irregular(&child) {
            listed.add(&child, ENDINGS, found);
        }
    }
    listed.end(found);
}

/// Whether something is there that is neither a file nor a folder: a pipe, a socket, a device.
fn is_irregular(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir())
}

fn irregular(path: &Path) -> Unreadable {
    Unreadable { path: path.to_owned(), why: "it is not a regular file".to_owned() }
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
    let mut listed = Listed::new(folder, looking.agent, looking.project.clone());
    let endings = looking.agent.map_or(ENDINGS, |a| a.endings);
    for entry in entries.flatten() {
        let path = entry.path();
        // Links are not followed: a loop would never end, and nothing a client writes is behind one.
        match entry.file_type() {
            Ok(t) if t.is_dir() => walk(&path, looking, depth + 1, found),
            Ok(t) if t.is_file() && looking.wants(&path) => listed.add(&path, endings, found),
            _ => {}
        }
    }
    listed.end(found);
}

/// Endings of transcripts that are given by hand.
const ENDINGS: &[&str] = &["jsonl", "json", "db"];

/// The transcripts of one folder while it is listed.
struct Listed {
    place: Place,
    files: Vec<(Range<u32>, u64, i64)>,
}

impl Listed {
    fn new(folder: &Path, agent: Option<&Agent>, project: Option<String>) -> Self {
        let (path, source) = (folder.to_owned(), agent.map(|a| a.source));
        Self { place: Place { path, is: PlaceKind::Folder, source, project, names: String::new() }, files: Vec::new() }
    }

    /// Adds a file that has one of these endings.
    fn add(&mut self, path: &Path, endings: &[&str], found: &mut Found) {
        let named = path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending));
        let side = path.file_name().is_some_and(|n| n.to_string_lossy().ends_with(".meta.json"));
        if named && !side {
            self.add_any(path, found);
        }
    }

    fn add_any(&mut self, path: &Path, found: &mut Found) {
        if path.extension().is_some_and(|e| e == "db") {
            return add_database(path, self.place.project.as_deref(), found);
        }
        let meta = match std::fs::metadata(path) {
            Ok(meta) => meta,
            Err(e) => return found.unreadable.push(Unreadable { path: path.to_owned(), why: e.to_string() }),
        };
        let since = meta.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok());
        let modified = since.map_or(0, |d| i64::try_from(d.as_nanos()).unwrap_or(i64::MAX));
        match path.file_name().and_then(OsStr::to_str).and_then(|name| push_name(&mut self.place.names, name)) {
            Some(name) => self.files.push((name, meta.len(), modified)),
            None => {
                let Place { source, project, .. } = &self.place;
                let (path, project) = (path.to_owned(), project.clone());
                let place = Place { path, is: PlaceKind::File, source: *source, project, names: String::new() };
                let place = Arc::new(place);
                found.transcripts.push(Transcript { place, name: 0..0, size: meta.len(), modified });
            }
        }
    }

    fn end(self, found: &mut Found) {
        let place = Arc::new(self.place);
        let of = |(name, size, modified)| Transcript { place: Arc::clone(&place), name, size, modified };
        found.transcripts.extend(self.files.into_iter().map(of));
    }
}

/// Adds a name; answers where it stands, or `None` if there is no room for more.
fn push_name(names: &mut String, name: &str) -> Option<Range<u32>> {
    let start = u32::try_from(names.len()).ok()?;
    let end = u32::try_from(names.len() + name.len()).ok()?;
    names.push_str(name);
    Some(start..end)
}

/// The sessions in a database; one that is not OpenCode's is none of ours.
fn add_database(path: &Path, folder_project: Option<&str>, found: &mut Found) {
    if is_irregular(path) {
        return found.unreadable.push(irregular(path));
    }
    let sessions = match opencode::sessions(path) {
        Ok(sessions) => sessions.unwrap_or_default(),
        Err(e) => return found.unreadable.push(Unreadable { path: path.to_owned(), why: e.to_string() }),
    };
    let mut names = String::new();
    let listed: Vec<_> = sessions.iter().filter_map(|s| Some((push_name(&mut names, &s.id)?, s.stamp))).collect();
    let (source, project) = (Some(SourceName::OpenCode.as_str()), folder_project.map(str::to_owned));
    let place = Arc::new(Place { path: path.to_owned(), is: PlaceKind::Database, source, project, names });
    let of = |(name, modified)| Transcript { place: Arc::clone(&place), name, size: 0, modified };
    found.transcripts.extend(listed.into_iter().map(of));
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
    fn own_name(&self) -> &str {
        &self.place.names[self.name.start as usize..self.name.end as usize]
    }

    /// Where it is; of a session in a database the database, `#` and the session's id.
    pub fn path(&self) -> PathBuf {
        match self.place.is {
            PlaceKind::Folder => self.place.path.join(self.own_name()),
            PlaceKind::File => self.place.path.clone(),
            PlaceKind::Database => {
                let mut name = self.place.path.as_os_str().to_owned();
                name.push("#");
                name.push(self.own_name());
                PathBuf::from(name)
            }
        }
    }

    /// The source it belongs to, if its place tells.
    pub fn source(&self) -> Option<&'static str> {
        self.place.source
    }

    /// The project it belongs to, if its place tells (a folder given by hand).
    pub fn folder_project(&self) -> Option<&str> {
        self.place.project.as_deref()
    }

    /// The stable order. Most are compared within one folder, which costs no path.
    pub fn by_path(&self, other: &Self) -> Ordering {
        if Arc::ptr_eq(&self.place, &other.place) {
            return self.own_name().cmp(other.own_name());
        }
        self.path().cmp(&other.path())
    }

    /// The file's name without its ending.
    pub fn name(&self) -> String {
        self.path().file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Reads it, from the start or from where an earlier reading ended.
    pub fn read(&self, earlier: Option<Earlier>, known: &KnownSecrets) -> std::io::Result<ReadOutcome> {
        // One transcript that trips a defect of ours must not cost the others.
        let guarded = std::panic::AssertUnwindSafe(|| self.read_unguarded(earlier, known));
        std::panic::catch_unwind(guarded)
            .unwrap_or_else(|_| Err(std::io::Error::other("the reader failed on this file; please report it")))
    }

    fn read_unguarded(&self, earlier: Option<Earlier>, known: &KnownSecrets) -> std::io::Result<ReadOutcome> {
        if let (PlaceKind::Database, Some(source)) = (self.place.is, self.place.source.and_then(sources::source)) {
            return read_rows(&self.place.path, self.own_name(), source, known);
        }
        let path = self.path();
        let mut file = File::open(&path)?;
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
            tells(&path, &mut read.session, &|file| std::fs::read_to_string(file).ok());
        }
        let print = print_before(&mut file, read.resume_at)?;
        Ok(ReadOutcome::Read(Box::new(read), print))
    }

    /// What a session without an id of its own is called: two files of one name in two folders are two sessions.
    fn session_name(&self, source: &Source) -> String {
        match source.ids {
            Ids::Unique => self.name(),
            Ids::Numbered => {
                format!("{}-{}", self.name(), &blake3::hash(self.path().to_string_lossy().as_bytes()).to_hex()[..8])
            }
        }
    }

    fn recognise(&self, file: &mut File) -> std::io::Result<Option<&'static Source>> {
        if let Some(source) = self.place.source.and_then(sources::source) {
            return Ok(Some(source));
        }
        let mut start = Vec::with_capacity(SNIFF);
        file.take(SNIFF as u64).read_to_end(&mut start)?;
        if start.len() < SNIFF || start.contains(&b'\n') {
            return Ok(sources::recognise(&start));
        }
        Ok(by_outline(&start, file)?.or_else(|| sources::recognise(&start)))
    }
}

/// The source of a file whose first line is long: what tells may stand at its end.
fn by_outline(start: &[u8], file: &mut File) -> std::io::Result<Option<&'static Source>> {
    let mut outline = Outline::default();
    let mut found = outline.feed(start);
    let mut chunk = vec![0; CHUNK];
    while found.is_none() && !outline.is_full() {
        match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(n) => found = outline.feed(&chunk[..n]),
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(found.or_else(|| outline.source()))
}

#[cfg(test)]
mod tests;
