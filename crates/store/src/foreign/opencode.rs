//! OpenCode's database: tables `session`, `message` and `part`, the last two with their data as JSON.

use std::path::Path;

use rusqlite::{OptionalExtension as _, Row};

use super::open;
use crate::open::Db;
use crate::{Result, StoreError};

/// A session in OpenCode's database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StampedSession {
    /// Its id.
    pub id: String,
    /// Changes whenever the session does.
    pub stamp: i64,
}

/// The sessions of a database, by id; `None` if it is not OpenCode's.
pub fn sessions(path: &Path) -> Result<Option<Vec<StampedSession>>> {
    let db = open(path)?;
    if !is_opencode(&db)? {
        return Ok(None);
    }
    // Parts are counted on their index alone: they are most of the database, and this is asked at every `learn`.
    // A part that changes is followed by a new one, or by a change of its session.
    db.rows(
        "SELECT s.id, s.time_updated, coalesce(p.parts, 0), coalesce(p.last, 0) FROM session s
             LEFT JOIN (SELECT session_id, count(*) AS parts, max(rowid) AS last FROM part GROUP BY session_id) p
               ON p.session_id = s.id
             ORDER BY s.id",
        [],
        listed,
    )
    .map(Some)
}

fn is_opencode(db: &Db) -> Result<bool> {
    let tables = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('session', 'message', 'part')";
    db.connection.query_row(tables, [], |r| r.get::<_, i64>(0)).map(|n| n == 3).map_err(|e| db.err(e))
}

fn listed(row: &Row<'_>) -> rusqlite::Result<StampedSession> {
    let [updated, parts, last]: [i64; 3] = [row.get(1)?, row.get(2)?, row.get(3)?];
    let stamp = updated.wrapping_mul(0x9E37_79B9).wrapping_add(parts).wrapping_mul(0x85EB_CA6B).wrapping_add(last);
    Ok(StampedSession { id: row.get(0)?, stamp })
}

/// Gives `each` the rows of a session as lines of JSON, in the shape of the objects `opencode export` is made of:
/// the session, then each message followed by its parts. All of one moment, however long it takes.
pub fn read_session(path: &Path, id: &str, mut each: impl FnMut(&[u8])) -> Result<()> {
    let db = open(path)?;
    let found = rows(&db, id, &mut each).map_err(|e| db.err(e))?;
    if found {
        return Ok(());
    }
    Err(StoreError::Open { path: path.to_owned(), why: format!("the session `{id}` is no longer in it") })
}

fn rows(db: &Db, id: &str, each: &mut impl FnMut(&[u8])) -> rusqlite::Result<bool> {
    let moment = db.connection.unchecked_transaction()?;
    let mut line = Vec::new();
    let head = moment
        .query_row("SELECT directory, version, parent_id FROM session WHERE id = ?1", [id], |row| {
            let column = |n: usize| row.get_ref(n).ok().and_then(|v| v.as_bytes().ok());
            session_line(&mut line, id, [column(0), column(1), column(2)]);
            Ok(())
        })
        .optional()?;
    if head.is_none() {
        return Ok(false);
    }
    each(&line);
    let mut messages =
        moment.prepare_cached("SELECT id, data FROM message WHERE session_id = ?1 ORDER BY time_created, id")?;
    let mut parts = moment.prepare_cached("SELECT id, data FROM part WHERE message_id = ?1 ORDER BY id")?;
    let mut found = messages.query([id])?;
    while let Some(row) = found.next()? {
        let message = row.get_ref(0)?.as_bytes().unwrap_or_default().to_vec();
        line.clear();
        line.extend_from_slice(b"{\"info\":");
        object(&mut line, &[("id", &message)], row.get_ref(1)?.as_bytes().unwrap_or_default());
        line.extend_from_slice(b"}\n");
        each(&line);
        let mut found = parts.query([String::from_utf8_lossy(&message)])?;
        while let Some(row) = found.next()? {
            line.clear();
            let part = row.get_ref(0)?.as_bytes().unwrap_or_default();
            object(&mut line, &[("id", part), ("messageID", &message)], row.get_ref(1)?.as_bytes().unwrap_or_default());
            line.push(b'\n');
            each(&line);
        }
    }
    Ok(true)
}

fn session_line(line: &mut Vec<u8>, id: &str, [directory, version, parent]: [Option<&[u8]>; 3]) {
    let fields = [("directory", directory), ("version", version), ("parentID", parent)];
    let mut known: Vec<(&str, &[u8])> = vec![("id", id.as_bytes())];
    known.extend(fields.into_iter().filter_map(|(name, value)| Some((name, value?))));
    line.extend_from_slice(b"{\"info\":");
    object(line, &known, b"{}");
    line.extend_from_slice(b"}\n");
}

/// The JSON object in `data` with fields added before its own. Data that is none stays as it is, to be told as damage.
fn object(line: &mut Vec<u8>, fields: &[(&str, &[u8])], data: &[u8]) {
    let Some(own) = data.trim_ascii().strip_prefix(b"{") else {
        return line.extend(data.iter().map(|b| if *b == b'\n' { b' ' } else { *b }));
    };
    line.push(b'{');
    for (n, (name, value)) in fields.iter().enumerate() {
        let text = serde_json::Value::from(String::from_utf8_lossy(value));
        let comma = if n > 0 { "," } else { "" };
        line.extend_from_slice(format!("{comma}\"{name}\":{text}").as_bytes());
    }
    if own.trim_ascii() != b"}" {
        line.push(b',');
    }
    line.extend(own.iter().map(|b| if *b == b'\n' { b' ' } else { *b }));
}
