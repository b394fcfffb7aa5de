//! `sessions.db`: the sessions that were read, and how far each transcript was read.
//!
//! Comes in: compact, redacted sessions. Goes out: the same, and lists of them. All of it can be rebuilt from transcripts.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use rusqlite::{OptionalExtension as _, Row, Transaction, named_params, params};
use uptake_core::session::{Agent, Author, Body, Event, Session, SourceName};

use crate::Result;
use crate::events;
use crate::open::{Db, StoreFile, json, open, open_read_only};

/// The database of sessions.
pub struct Sessions {
    pub(crate) db: Db,
}

/// How far a transcript was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Its size then.
    pub size: u64,
    /// Its last change then, in nanoseconds.
    pub modified: i64,
    /// Where to go on.
    pub resume_at: u64,
    /// A print of the bytes before that place: a file that was rewritten has another.
    pub print: String,
}

/// The states in which transcripts were looked at: eight bytes for each, because there may be a million.
pub struct LookedAt {
    states: HashSet<u64>,
}

impl LookedAt {
    /// Whether nothing was looked at yet.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Whether a transcript is still as it was then.
    pub fn has(&self, path: &str, size: u64, modified: i64) -> bool {
        self.states.contains(&state_of(path, size, modified))
    }
}

fn state_of(path: &str, size: u64, modified: i64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (path, size, modified).hash(&mut hasher);
    hasher.finish()
}

/// A session in a list.
#[derive(Clone, Debug)]
pub struct SessionRow {
    /// Which source wrote it.
    pub source: SourceName,
    /// Its id.
    pub id: String,
    /// Its root.
    pub root: String,
    /// First event.
    pub started: Option<i64>,
    /// Last event.
    pub ended: Option<i64>,
    /// Which agent worked in it.
    pub agent: Agent,
    /// Its project.
    pub project: String,
    /// Its transcript.
    pub path: String,
    /// How much happened in it.
    pub counts: Counts,
}

/// How much happened in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Messages of people.
    pub messages: i64,
    /// Tool calls.
    pub calls: i64,
    /// Those that failed, also behind a pipe.
    pub failures: i64,
}

impl Counts {
    fn of(session: &Session) -> Self {
        let count = |counted: fn(&Event) -> bool| session.events.iter().filter(|e| counted(e)).count() as i64;
        Self {
            messages: count(|e| matches!(&e.body, Body::User { author: Author::Human, .. })),
            calls: count(|e| e.call().is_some()),
            failures: count(|e| e.call().is_some_and(|c| c.outcome.is_failure())),
        }
    }
}

/// A session whose project became known.
#[derive(Clone, Debug)]
pub struct Moved {
    /// Its source.
    pub source: String,
    /// Its id.
    pub session: String,
    /// The project it was in.
    pub from: String,
    /// The project it belongs to.
    pub to: String,
}

impl Sessions {
    /// Opens it under the home folder.
    pub fn open(home: &Path) -> Result<Self> {
        Ok(Self { db: open(home, StoreFile::Sessions)? })
    }

    /// Opens it for reading; `None` if nothing was read yet.
    pub fn open_read_only(home: &Path) -> Result<Option<Self>> {
        Ok(open_read_only(home, StoreFile::Sessions)?.map(|db| Self { db }))
    }

    /// Which transcripts were looked at, and in which state.
    pub fn looked_at(&self) -> Result<LookedAt> {
        let rows = self.db.rows("SELECT path, size, modified FROM transcripts", [], |r| {
            let path = r.get_ref("path")?.as_str().map_err(rusqlite::Error::from)?;
            Ok(state_of(path, r.get::<_, i64>("size")?.cast_unsigned(), r.get("modified")?))
        })?;
        Ok(LookedAt { states: rows.into_iter().collect() })
    }

    /// How far a transcript was read.
    pub fn cursor_of(&self, path: &str) -> Result<Option<Cursor>> {
        let run = || -> rusqlite::Result<Option<Cursor>> {
            let sql = "SELECT size, modified, resume_at, print FROM transcripts WHERE path = ?1";
            self.db.connection.prepare_cached(sql)?.query_row([path], cursor).optional()
        };
        run().map_err(|e| self.db.err(e))
    }

    /// The compact session that was read from a transcript.
    pub fn session_of(&self, path: &str) -> Result<Option<Session>> {
        let run = || -> rusqlite::Result<Option<Session>> {
            let sql = "SELECT number, source, id, root, agent, version, cwd, top, remote, injected FROM sessions WHERE path = ?1";
            let head = self.db.connection.prepare_cached(sql)?.query_row([path], head).optional()?;
            let Some((number, mut session)) = head else { return Ok(None) };
            let sql = format!("SELECT {} FROM events WHERE place BETWEEN ?1 AND ?2 ORDER BY place", events::COLUMNS);
            let mut query = self.db.connection.prepare_cached(&sql)?;
            session.events = query
                .query_map(<[i64; 2]>::from(events::places(number)), events::event)?
                .collect::<rusqlite::Result<_>>()?;
            Ok(Some(session))
        };
        run().map_err(|e| self.db.err(e))
    }

    /// The root of the first session, other than this one, that has one of these events.
    pub fn root_of_events<'e>(&self, path: &str, ids: impl Iterator<Item = &'e str>) -> Result<Option<String>> {
        let run = || -> rusqlite::Result<Option<String>> {
            let mut query = self.db.connection.prepare_cached(
                "SELECT s.root AS root FROM events e JOIN sessions s ON s.number = e.place >> 32
                 WHERE substr(e.id, -10) = substr(?1, -10) AND e.id = ?1 AND s.path <> ?2 ORDER BY s.number LIMIT 1",
            )?;
            for id in ids {
                if let Some(root) = query.query_row([id, path], |r| r.get("root")).optional()? {
                    return Ok(Some(root));
                }
            }
            Ok(None)
        };
        run().map_err(|e| self.db.err(e))
    }

    /// Keeps sessions with their cursors, all or none. Events before `first_changed` are there already.
    pub fn keep(&mut self, batch: &[Kept<'_>]) -> Result<()> {
        self.keep_and_pass_over(batch, &[])
    }

    /// The same; notes in one go that these files were looked at and hold no session.
    pub fn keep_and_pass_over(&mut self, batch: &[Kept<'_>], without_session: &[(String, Cursor)]) -> Result<()> {
        self.db.write(|t| {
            batch.iter().try_for_each(|kept| keep_one(t, kept))?;
            without_session.iter().try_for_each(|(path, cursor)| set_cursor(t, path, cursor, None))
        })
    }

    /// Gives sessions their project.
    pub fn move_sessions(&mut self, moved: &[Moved]) -> Result<()> {
        self.db.write(|t| {
            let mut update = t.prepare_cached("UPDATE sessions SET project = ?3 WHERE source = ?1 AND id = ?2")?;
            moved.iter().try_for_each(|m| update.execute(params![m.source, m.session, m.to]).map(drop))
        })
    }

    /// Makes the next run read every transcript from its start.
    pub fn read_all_again(&mut self) -> Result<()> {
        self.db.write(|t| t.execute("DELETE FROM transcripts", []).map(drop))
    }

    /// The transcripts of each session, by its source and id.
    pub(crate) fn paths_by_session(&self) -> Result<HashMap<(String, String), HashSet<String>>> {
        let rows = self.db.rows("SELECT source, id, path FROM sessions", [], |r| {
            Ok(((r.get("source")?, r.get("id")?), r.get::<_, String>("path")?))
        })?;
        let mut paths: HashMap<(String, String), HashSet<String>> = HashMap::new();
        for (session, path) in rows {
            paths.entry(session).or_default().insert(path);
        }
        Ok(paths)
    }

    /// Makes the next run look again at what is kept of every session.
    pub fn detect_all_again(&mut self) -> Result<()> {
        self.db.write(|t| t.execute("UPDATE sessions SET detectors = ''", []).map(drop))
    }

    /// Makes the next run look again at files in which there was nothing to keep.
    pub fn look_again(&mut self) -> Result<()> {
        self.db.write(|t| t.execute("DELETE FROM transcripts WHERE session IS NULL", []).map(drop))
    }

    /// Folders in which sessions of a project ran, latest first.
    pub fn folders_of(&self, project: &str) -> Result<Vec<String>> {
        self.db.rows(
            "SELECT cwd FROM sessions WHERE project = ?1 AND cwd IS NOT NULL GROUP BY cwd ORDER BY max(started) DESC LIMIT 5",
            [project],
            |r| r.get("cwd"),
        )
    }

    /// The tops of working trees, by the folders that sessions were started in.
    pub fn tops(&self) -> Result<HashMap<String, String>> {
        let sql = "SELECT cwd, top FROM sessions WHERE cwd IS NOT NULL AND top IS NOT NULL GROUP BY cwd";
        Ok(self.db.rows(sql, [], |r| Ok((r.get("cwd")?, r.get("top")?)))?.into_iter().collect())
    }

    /// The projects of transcripts.
    pub fn projects_of(&self, paths: impl Iterator<Item = impl AsRef<str>>) -> Result<BTreeSet<String>> {
        let run = || -> rusqlite::Result<BTreeSet<String>> {
            let mut query = self.db.connection.prepare_cached("SELECT project FROM sessions WHERE path = ?1")?;
            let mut out = BTreeSet::new();
            for path in paths {
                out.extend(query.query_row([path.as_ref()], |r| r.get::<_, String>("project")).optional()?);
            }
            Ok(out)
        };
        run().map_err(|e| self.db.err(e))
    }

    /// How many sessions there are.
    pub fn count(&self) -> Result<usize> {
        let rows = self.db.rows("SELECT count(*) AS n FROM sessions", [], |r| r.get::<_, i64>("n"))?;
        Ok(rows.first().map_or(0, |n| usize::try_from(*n).unwrap_or(0)))
    }

    /// All sessions, newest first; of one project if named.
    pub fn list(&self, project: Option<&str>) -> Result<Vec<SessionRow>> {
        self.db.rows(
            "SELECT source, id, root, agent, project, path, started, ended, messages, calls, failures FROM sessions
                 WHERE ?1 IS NULL OR project = ?1 ORDER BY started DESC, id",
            [project],
            |r| {
                Ok(SessionRow {
                    source: source_of(r)?,
                    id: r.get("id")?,
                    root: r.get("root")?,
                    started: r.get("started")?,
                    ended: r.get("ended")?,
                    agent: agent_of(r)?,
                    project: r.get("project")?,
                    path: r.get("path")?,
                    counts: Counts {
                        messages: r.get("messages")?,
                        calls: r.get("calls")?,
                        failures: r.get("failures")?,
                    },
                })
            },
        )
    }
}

fn cursor(r: &Row<'_>) -> rusqlite::Result<Cursor> {
    let number = |column: &str| r.get::<_, i64>(column).map(i64::cast_unsigned);
    let (size, resume_at) = (number("size")?, number("resume_at")?);
    Ok(Cursor { size, modified: r.get("modified")?, resume_at, print: r.get("print")? })
}

fn source_of(row: &Row<'_>) -> rusqlite::Result<SourceName> {
    row.get_ref("source")?.as_str().map(SourceName::parse).map_err(rusqlite::Error::from)
}

fn agent_of(row: &Row<'_>) -> rusqlite::Result<Agent> {
    row.get_ref("agent")?.as_str().map(Agent::parse).map_err(rusqlite::Error::from)
}

/// A session to keep.
pub struct Kept<'s> {
    /// Its transcript.
    pub path: &'s str,
    /// How far it was read.
    pub cursor: Cursor,
    /// Its project.
    pub project: &'s str,
    /// Compact and redacted.
    pub session: &'s Session,
    /// The first event that is not there yet or has changed.
    pub first_changed: usize,
    /// The detectors that looked at it, as `detect::version` says.
    pub detectors: &'s str,
}

/// A session without its events, and its number.
fn head(r: &Row<'_>) -> rusqlite::Result<(i64, Session)> {
    let injected: String = r.get("injected")?;
    let session = Session {
        source: source_of(r)?,
        id: r.get("id")?,
        root: r.get("root")?,
        agent: agent_of(r)?,
        version: r.get("version")?,
        cwd: r.get("cwd")?,
        top: r.get("top")?,
        remote: r.get("remote")?,
        // It is kept as a fact on the folder.
        branch: None,
        events: Vec::new(),
        injected: serde_json::from_str(&injected).unwrap_or_default(),
    };
    Ok((r.get("number")?, session))
}

fn keep_one(t: &Transaction<'_>, kept: &Kept<'_>) -> rusqlite::Result<()> {
    let number = keep_head(t, kept)?;
    events::replace(t, number, &kept.session.events, kept.first_changed)?;
    set_cursor(t, kept.path, &kept.cursor, Some(number))
}

fn keep_head(t: &Transaction<'_>, kept: &Kept<'_>) -> rusqlite::Result<i64> {
    let s = kept.session;
    let counts = Counts::of(s);
    let row = named_params! {
        ":source": s.source.as_str(),
        ":id": s.id,
        ":root": s.root,
        ":agent": s.agent.as_str(),
        ":version": s.version,
        ":cwd": s.cwd,
        ":top": s.top,
        ":remote": s.remote,
        ":project": kept.project,
        ":path": kept.path,
        ":started": s.started(),
        ":ended": s.ended(),
        ":messages": counts.messages,
        ":calls": counts.calls,
        ":failures": counts.failures,
        ":injected": json(&s.injected)?,
        ":detectors": kept.detectors,
    };
    t.prepare_cached(
        "INSERT INTO sessions (source, id, root, agent, version, cwd, top, remote, project, path, started, ended, messages, calls, failures, injected, detectors)
         VALUES (:source, :id, :root, :agent, :version, :cwd, :top, :remote, :project, :path, :started, :ended, :messages, :calls, :failures, :injected, :detectors)
         ON CONFLICT (path) DO UPDATE SET source = excluded.source, id = excluded.id, root = excluded.root, agent = excluded.agent, version = excluded.version,
           cwd = excluded.cwd, top = excluded.top, remote = excluded.remote, project = excluded.project, started = excluded.started, ended = excluded.ended,
           messages = excluded.messages, calls = excluded.calls, failures = excluded.failures, injected = excluded.injected,
           detectors = excluded.detectors
         RETURNING number",
    )?
    .query_row(row, |r| r.get("number"))
}

fn set_cursor(t: &Transaction<'_>, path: &str, cursor: &Cursor, session: Option<i64>) -> rusqlite::Result<()> {
    let row = named_params! {
        ":path": path,
        ":size": cursor.size.cast_signed(),
        ":modified": cursor.modified,
        ":resume_at": cursor.resume_at.cast_signed(),
        ":print": cursor.print,
        ":session": session,
    };
    t.prepare_cached(
        "INSERT OR REPLACE INTO transcripts (path, size, modified, resume_at, print, session)
         VALUES (:path, :size, :modified, :resume_at, :print, :session)",
    )?
    .execute(row)
    .map(drop)
}
