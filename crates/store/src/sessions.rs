//! `sessions.db`: what was read.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use rusqlite::{OptionalExtension as _, Row, params};
use uptake_core::session::{
    Agent, Author, Body, Call, Event, Excerpt, Origin, Outcome, Session, SourceName, Span, ToolKind,
};

use crate::Result;
use crate::open::{Db, Which, open, open_read_only};

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

/// A session in a list.
#[derive(Clone, Debug)]
pub struct SessionRow {
    /// Which source wrote it.
    pub source: SourceName,
    /// Its id.
    pub id: String,
    /// Its root.
    pub root: String,
    /// Which agent worked in it.
    pub agent: Agent,
    /// Its project.
    pub project: String,
    /// Its transcript.
    pub path: String,
    /// First event.
    pub started: Option<i64>,
    /// Last event.
    pub ended: Option<i64>,
    /// Messages of people.
    pub messages: i64,
    /// Tool calls.
    pub calls: i64,
    /// Failed or masked ones.
    pub failures: i64,
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

/// The database of sessions.
pub struct Sessions {
    pub(crate) db: Db,
}

impl Sessions {
    /// Opens it under the home folder.
    pub fn open(home: &Path) -> Result<Self> {
        Ok(Self { db: open(home, Which::Sessions)? })
    }

    /// Opens it for reading; `None` if nothing was read yet.
    pub fn open_read_only(home: &Path) -> Result<Option<Self>> {
        Ok(open_read_only(home, Which::Sessions)?.map(|db| Self { db }))
    }

    /// How far each known transcript was read.
    pub fn cursors(&self) -> Result<HashMap<String, Cursor>> {
        let run = || -> rusqlite::Result<HashMap<String, Cursor>> {
            let mut query =
                self.db.connection.prepare("SELECT path, size, modified, resume_at, print FROM transcripts")?;
            let rows = query.query_map([], |r| {
                let number = |i: usize| r.get::<_, i64>(i).map(i64::cast_unsigned);
                Ok((
                    r.get(0)?,
                    Cursor { size: number(1)?, modified: r.get(2)?, resume_at: number(3)?, print: r.get(4)? },
                ))
            })?;
            rows.collect()
        };
        run().map_err(|e| self.db.err(e))
    }

    /// The compact session that was read from a transcript.
    pub fn session_of(&self, path: &str) -> Result<Option<Session>> {
        let run = || -> rusqlite::Result<Option<Session>> {
            let head = self
                .db
                .connection
                .query_row("SELECT number, source, id, root, agent, version, cwd, remote, injected FROM sessions WHERE path = ?1", [path], |r| {
                    let injected: String = r.get(8)?;
                    let session = Session {
                        source: source_at(r, 1)?,
                        id: r.get(2)?,
                        root: r.get(3)?,
                        agent: agent_at(r, 4)?,
                        version: r.get(5)?,
                        cwd: r.get(6)?,
                        remote: r.get(7)?,
                        events: Vec::new(),
                        injected: serde_json::from_str(&injected).unwrap_or_default(),
                    };
                    Ok((r.get::<_, i64>(0)?, session))
                })
                .optional()?;
            let Some((number, mut session)) = head else { return Ok(None) };
            let mut query = self.db.connection.prepare_cached(
                "SELECT id, at, byte, bytes, kind, author, tool, tool_kind, input, outcome, code, head, tail, size FROM events WHERE session = ?1 ORDER BY seq",
            )?;
            session.events = query.query_map([number], event)?.collect::<rusqlite::Result<_>>()?;
            Ok(Some(session))
        };
        run().map_err(|e| self.db.err(e))
    }

    /// The root of the first session, other than this one, that has one of these events.
    pub fn root_of_events<'e>(&self, path: &str, ids: impl Iterator<Item = &'e str>) -> Result<Option<String>> {
        let run = || -> rusqlite::Result<Option<String>> {
            let mut query = self.db.connection.prepare_cached(
                "SELECT s.root FROM events e JOIN sessions s ON s.number = e.session WHERE e.id = ?1 AND s.path <> ?2 ORDER BY s.number LIMIT 1",
            )?;
            for id in ids {
                if let Some(root) = query.query_row(params![id, path], |r| r.get(0)).optional()? {
                    return Ok(Some(root));
                }
            }
            Ok(None)
        };
        run().map_err(|e| self.db.err(e))
    }

    /// Keeps sessions with their cursors, all or none. Events before `first_changed` are there already.
    pub fn keep(&mut self, batch: &[Kept<'_>]) -> Result<()> {
        self.db.write(|t| batch.iter().try_for_each(|kept| keep_one(t, kept)))
    }

    /// Notes that a file was looked at and holds no session.
    pub fn pass_over(&mut self, path: &str, cursor: &Cursor) -> Result<()> {
        let run = || {
            self.db.connection.execute(
                "INSERT OR REPLACE INTO transcripts (path, size, modified, resume_at, print, session) VALUES (?1, ?2, ?3, ?4, '', NULL)",
                params![path, cursor.size.cast_signed(), cursor.modified, cursor.resume_at.cast_signed()],
            )
        };
        run().map(drop).map_err(|e| self.db.err(e))
    }

    /// Sessions that are known only by a folder, with the project of a session that ran in the same folder and names
    /// its remote.
    pub fn shared_projects(&self) -> Result<Vec<Moved>> {
        self.db.rows(
            "SELECT a.source, a.id, a.project, min(b.project) FROM sessions a JOIN sessions b ON b.cwd = a.cwd
                 WHERE (a.project LIKE 'path:%' OR a.project LIKE 'folder:%')
                   AND b.project NOT LIKE 'path:%' AND b.project NOT LIKE 'folder:%' AND b.project NOT LIKE 'root:%'
                 GROUP BY a.number",
            [],
            |r| Ok(Moved { source: r.get(0)?, session: r.get(1)?, from: r.get(2)?, to: r.get(3)? }),
        )
    }

    /// Gives sessions their project.
    pub fn move_sessions(&mut self, moved: &[Moved]) -> Result<()> {
        self.db.write(|t| {
            let mut update = t.prepare_cached("UPDATE sessions SET project = ?3 WHERE source = ?1 AND id = ?2")?;
            moved.iter().try_for_each(|m| update.execute(params![m.source, m.session, m.to]).map(drop))
        })
    }

    /// Has every transcript read from its start again.
    pub fn read_all_again(&mut self) -> Result<()> {
        self.db.write(|t| t.execute("DELETE FROM transcripts", []).map(drop))
    }

    /// Has files looked at again in which there was nothing to keep.
    pub fn look_again(&mut self) -> Result<()> {
        self.db.write(|t| t.execute("DELETE FROM transcripts WHERE session IS NULL", []).map(drop))
    }

    /// Folders in which sessions of a project ran, latest first.
    pub fn folders_of(&self, project: &str) -> Result<Vec<String>> {
        self.db.rows(
            "SELECT cwd FROM sessions WHERE project = ?1 AND cwd IS NOT NULL GROUP BY cwd ORDER BY max(started) DESC LIMIT 5",
            [project],
            |r| r.get(0),
        )
    }

    /// The projects of transcripts.
    pub fn projects_of(&self, paths: impl Iterator<Item = impl AsRef<str>>) -> Result<BTreeSet<String>> {
        let run = || -> rusqlite::Result<BTreeSet<String>> {
            let mut query = self.db.connection.prepare_cached("SELECT project FROM sessions WHERE path = ?1")?;
            let mut out = BTreeSet::new();
            for path in paths {
                out.extend(query.query_row([path.as_ref()], |r| r.get::<_, String>(0)).optional()?);
            }
            Ok(out)
        };
        run().map_err(|e| self.db.err(e))
    }

    /// All sessions, newest first; of one project if named.
    pub fn list(&self, project: Option<&str>) -> Result<Vec<SessionRow>> {
        self.db.rows(
            "SELECT source, id, root, agent, project, path, started, ended, messages, calls, failures FROM sessions
                 WHERE ?1 IS NULL OR project = ?1 ORDER BY started DESC, id",
            [project],
            |r| {
                Ok(SessionRow {
                    source: source_at(r, 0)?,
                    id: r.get(1)?,
                    root: r.get(2)?,
                    agent: agent_at(r, 3)?,
                    project: r.get(4)?,
                    path: r.get(5)?,
                    started: r.get(6)?,
                    ended: r.get(7)?,
                    messages: r.get(8)?,
                    calls: r.get(9)?,
                    failures: r.get(10)?,
                })
            },
        )
    }
}

fn source_at(row: &Row<'_>, column: usize) -> rusqlite::Result<SourceName> {
    row.get_ref(column)?.as_str().map(SourceName::parse).map_err(rusqlite::Error::from)
}

fn agent_at(row: &Row<'_>, column: usize) -> rusqlite::Result<Agent> {
    row.get_ref(column)?.as_str().map(Agent::parse).map_err(rusqlite::Error::from)
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
}

fn keep_one(transaction: &rusqlite::Transaction<'_>, kept: &Kept<'_>) -> rusqlite::Result<()> {
    let s = kept.session;
    let messages = s.events.iter().filter(|e| matches!(&e.body, Body::User { author: Author::Human, .. })).count();
    let calls = s.events.iter().filter(|e| e.call().is_some()).count();
    let failures = s.events.iter().filter(|e| e.call().is_some_and(|c| c.outcome.is_failure())).count();
    let number: i64 = transaction
        .prepare_cached(
            "INSERT INTO sessions (source, id, root, agent, version, cwd, remote, project, path, started, ended, messages, calls, failures, injected)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
             ON CONFLICT (path) DO UPDATE SET source = excluded.source, id = excluded.id, root = excluded.root, agent = excluded.agent, version = excluded.version,
               cwd = excluded.cwd, remote = excluded.remote, project = excluded.project, started = excluded.started, ended = excluded.ended,
               messages = excluded.messages, calls = excluded.calls, failures = excluded.failures, injected = excluded.injected
             RETURNING number",
        )?
        .query_row(
            params![
                s.source.as_str(),
                s.id,
                s.root,
                s.agent.as_str(),
                s.version,
                s.cwd,
                s.remote,
                kept.project,
                kept.path,
                s.started(),
                s.ended(),
                messages as i64,
                calls as i64,
                failures as i64,
                serde_json::to_string(&s.injected).unwrap_or_default()
            ],
            |r| r.get(0),
        )?;
    transaction
        .prepare_cached("DELETE FROM events WHERE session = ?1 AND seq >= ?2")?
        .execute(params![number, kept.first_changed as i64])?;
    let mut insert = transaction.prepare_cached(
        "INSERT INTO events (session, seq, id, at, byte, bytes, kind, author, tool, tool_kind, input, outcome, code, head, tail, size)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
    )?;
    for (seq, event) in s.events.iter().enumerate().skip(kept.first_changed) {
        insert_event(&mut insert, number, seq, event)?;
    }
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO transcripts (path, size, modified, resume_at, print, session) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            kept.path,
            kept.cursor.size.cast_signed(),
            kept.cursor.modified,
            kept.cursor.resume_at.cast_signed(),
            kept.cursor.print,
            number
        ])?;
    Ok(())
}

fn insert_event(
    insert: &mut rusqlite::CachedStatement<'_>,
    number: i64,
    seq: usize,
    event: &Event,
) -> rusqlite::Result<()> {
    let call = event.call();
    let spans;
    let (author, head, tail, size) = match &event.body {
        Body::User { author, spans: parts } => {
            let list: Vec<(&str, String)> = parts.iter().map(|p| (p.origin.as_str(), p.text.to_text())).collect();
            spans = serde_json::to_string(&list).unwrap_or_default();
            (Some(if *author == Author::Human { "human" } else { "machine" }), spans.as_str(), "", 0)
        }
        Body::Assistant { text } => (None, text.head(), text.stored_tail(), text.full_len()),
        Body::Call(call) => (None, call.output.head(), call.output.stored_tail(), call.output.full_len()),
    };
    insert.execute(params![
        number,
        seq as i64,
        event.id,
        event.at,
        event.offset.cast_signed(),
        event.len.cast_signed(),
        event.kind(),
        author,
        call.map(|c| c.tool.as_str()),
        call.map(|c| c.kind.as_str()),
        call.map(|c| c.input.as_str()),
        call.map(|c| c.outcome.as_str()),
        call.and_then(|c| c.outcome.code()),
        head,
        tail,
        size.cast_signed()
    ])?;
    Ok(())
}

fn event(r: &Row<'_>) -> rusqlite::Result<Event> {
    let kind: String = r.get(4)?;
    let (head, tail, size): (String, String, i64) = (r.get(11)?, r.get(12)?, r.get(13)?);
    let body = match kind.as_str() {
        "user" => {
            let author: Option<String> = r.get(5)?;
            let list: Vec<(String, String)> = serde_json::from_str(&head).unwrap_or_default();
            let spans = list
                .into_iter()
                .map(|(origin, text)| Span { origin: Origin::parse(&origin), text: Excerpt::new(&text) })
                .collect();
            Body::User {
                author: if author.as_deref() == Some("human") { Author::Human } else { Author::Machine },
                spans,
            }
        }
        "assistant" => Body::Assistant { text: Excerpt::from_parts(head, tail, size.cast_unsigned()) },
        _ => {
            let tool_kind: Option<String> = r.get(7)?;
            let outcome: Option<String> = r.get(9)?;
            Body::Call(Call {
                tool: r.get::<_, Option<String>>(6)?.unwrap_or_default(),
                kind: ToolKind::parse(tool_kind.as_deref().unwrap_or_default()),
                input: r.get::<_, Option<String>>(8)?.unwrap_or_default(),
                outcome: Outcome::parse(outcome.as_deref().unwrap_or_default(), r.get(10)?),
                output: Excerpt::from_parts(head, tail, size.cast_unsigned()),
            })
        }
    };
    Ok(Event {
        id: r.get(0)?,
        at: r.get(1)?,
        offset: r.get::<_, i64>(2)?.cast_unsigned(),
        len: r.get::<_, i64>(3)?.cast_unsigned(),
        body,
    })
}
