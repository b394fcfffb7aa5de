//! What a reader has read, what it saw, and what it says of lessons that are there.
//!
//! Comes in: observations of the detector `reader`, remarks, groups of statements that are one. Goes out: the same, and how
//! far each transcript was read. What a reader says never counts for an approved lesson: it becomes a remark on it.
//! Deliberately absent: whether an answer may be believed, which the core checks before it comes here.

use std::collections::{HashMap, HashSet};

use rusqlite::{OptionalExtension as _, Row, Transaction, params};
use uptake_core::detect::{Kind, Observation, Proposed, READER};
use uptake_core::learn::lesson_id;
use uptake_core::reader::VERSION;
use uptake_core::reader::check::Relation;

use crate::Result;
use crate::body::{OBSERVATION, observation_in};
use crate::lessons::Lessons;
use crate::observations::{SeenIn, add, count_seen, group};
use crate::sessions::Sessions;

/// How far a transcript was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadUpto {
    /// The transcript.
    pub path: String,
    /// The last event that was read.
    pub upto: String,
    /// When that was.
    pub at: Option<i64>,
}

/// What a reader says of a lesson that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The lesson.
    pub lesson: String,
    /// What the reader says of it.
    pub relation: Relation,
    /// The key of what it says.
    pub key: String,
    /// What it says.
    pub statement: String,
    /// The source of the session it quotes.
    pub source: String,
    /// That session.
    pub session: String,
    /// The event.
    pub event: String,
    /// The words.
    pub quote: String,
    /// When they were said.
    pub at: Option<i64>,
}

/// Where a proposal belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// It is a lesson of its own, or more evidence for the reader's lesson of this kind and key.
    Lesson,
    /// It is a remark on this lesson, and no lesson itself.
    Remark(Relation, String),
    /// It is a lesson of its own, and a remark on this one.
    Both(Relation, String),
}

/// A lesson that a reader put into better words before anybody decided on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reworded {
    /// The lesson.
    pub original: String,
    /// The reader's lesson that says it.
    pub words: String,
    /// Whether somebody decided on the original meanwhile.
    pub is_decided: bool,
    /// Whether the reader's is ready, and nobody said no to it.
    pub stands: bool,
}

/// What became of proposals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Kept as observations.
    pub observations: usize,
    /// Kept as remarks.
    pub remarks: usize,
}

impl Lessons {
    /// How far transcripts were read.
    pub fn read_upto(&self) -> Result<HashMap<String, ReadUpto>> {
        let rows = self.db.rows("SELECT path, upto, at FROM readings", [], |r| {
            Ok(ReadUpto { path: r.get("path")?, upto: r.get("upto")?, at: r.get("at")? })
        })?;
        Ok(rows.into_iter().map(|read| (read.path.clone(), read)).collect())
    }

    /// Keeps what a reader saw, and notes what it has read, all or nothing. Each session comes with where its observation
    /// belongs.
    pub fn keep_read(&mut self, seen: &[(SeenIn<'_>, Place)], read: &[ReadUpto]) -> Result<Taken> {
        self.db.write(|t| {
            count_seen(t)?;
            let mut taken = Taken::default();
            for (seen, place) in seen {
                for o in seen.observations {
                    take(t, seen, place, o, &mut taken)?;
                }
            }
            let mut note =
                t.prepare_cached("INSERT OR REPLACE INTO readings (path, upto, at, version) VALUES (?1, ?2, ?3, ?4)")?;
            read.iter().try_for_each(|r| note.execute(params![r.path, r.upto, r.at, VERSION]).map(drop))?;
            Ok(taken)
        })
    }

    /// Makes statements of one kind one lesson, in the words of the last key: what was and will be seen under the others
    /// belongs to it.
    pub fn make_one(&mut self, kind: Kind, keys: &[String], into: &str) -> Result<()> {
        self.db.write(|t| {
            let kind = kind.as_str();
            for key in keys.iter().filter(|key| *key != into) {
                t.execute(
                    "UPDATE rewordings SET into_key = ?3 WHERE kind = ?1 AND into_key = ?2",
                    params![kind, key, into],
                )?;
                t.execute(
                    "INSERT OR REPLACE INTO rewordings (kind, key, into_key) VALUES (?1, ?2, ?3)",
                    params![kind, key, into],
                )?;
                t.execute("UPDATE remarks SET key = ?2 WHERE key = ?1 AND relation = 'rewords'", [key.as_str(), into])?;
                reword(t, kind, key, into)?;
            }
            // What was chosen is no longer part of something else.
            t.execute("DELETE FROM rewordings WHERE kind = ?1 AND key = ?2", params![kind, into]).map(drop)
        })
    }

    /// What a reader saw in a project that quotes messages as the person's own word, and where these were not read a second time;
    /// each with its transcript, the newest first.
    pub fn waits_for_second(&self, project: &str) -> Result<Vec<(String, Observation)>> {
        let sql = format!(
            "SELECT {OBSERVATION}, path FROM observations WHERE detector = '{READER}' AND project = ?1
             AND json_extract(body, '$.proposed.basis') IN ('stated', 'corrected')
             AND json_extract(body, '$.proposed.lasts') IS NULL ORDER BY at DESC, id"
        );
        let rows = self.db.rows(&sql, [project], |r| Ok((r.get("path")?, observation_in(r)?)))?;
        let rows = rows.into_iter().filter_map(|(path, o): (String, Option<Observation>)| Some((path, o?)));
        Ok(rows.filter(|(_, o)| o.seen.proposed().is_some_and(Proposed::waits_for_second)).collect())
    }

    /// Notes what a second reading says of observations of a project: by their ids, the messages of each that hold for later work.
    pub fn note_second(&mut self, project: &str, said: &[(String, Vec<String>)]) -> Result<()> {
        self.db.write(|t| {
            for (id, lasts) in said {
                let lasts = serde_json::Value::from(lasts.as_slice()).to_string();
                t.prepare_cached(
                    "UPDATE observations SET body = json_set(body, '$.proposed.lasts', json(?3))
                     WHERE detector = ?4 AND project = ?1 AND id = ?2",
                )?
                .execute(params![project, id, lasts, READER])?;
                t.prepare_cached(
                    "INSERT OR IGNORE INTO unfolded (project, kind, key)
                     SELECT project, kind, key FROM observations WHERE detector = ?3 AND project = ?1 AND id = ?2",
                )?
                .execute(params![project, id, READER])?;
            }
            Ok(())
        })
    }

    /// Notes that what a reader saw under a key puts a lesson into better words. Both stay.
    pub fn note_rewords(&mut self, project: &str, kind: Kind, key: &str, lesson: &str) -> Result<()> {
        self.db.write(|t| {
            let seen = group(t, project, kind.as_str(), key)?;
            let read = seen.iter().filter(|o| o.head.detector == READER);
            read.into_iter().try_for_each(|o| remark(t, Relation::Rewords, lesson, o))
        })
    }

    /// The lessons that a reader put into better words.
    pub fn reworded(&self) -> Result<Vec<Reworded>> {
        let sql = "SELECT DISTINCT r.lesson AS original, l.id AS words, l.ready AS ready, w.verdict AS word,
                          v.verdict IN ('approved', 'rejected', 'superseded') AS decided
                   FROM remarks r JOIN lessons t ON t.id = r.lesson
                   JOIN lessons l ON l.project = t.project AND l.key = r.key AND l.detector = 'reader'
                   LEFT JOIN verdicts v ON v.lesson = t.id LEFT JOIN verdicts w ON w.lesson = l.id
                   WHERE r.relation = 'rewords' ORDER BY 1, 2";
        self.db.rows(sql, [], |r| {
            let word: Option<String> = r.get("word")?;
            Ok(Reworded {
                original: r.get("original")?,
                words: r.get("words")?,
                is_decided: r.get::<_, Option<bool>>("decided")?.unwrap_or(false),
                stands: r.get("ready")? && word.as_deref() != Some("rejected"),
            })
        })
    }

    /// Turns what a reader saw under a key into remarks on a lesson that says the same.
    pub fn make_remarks(&mut self, project: &str, kind: Kind, key: &str, lesson: &str) -> Result<()> {
        self.db.write(|t| {
            let seen = group(t, project, kind.as_str(), key)?;
            for o in seen.iter().filter(|o| o.head.detector == READER) {
                remark(t, Relation::Same, lesson, o)?;
                t.execute("DELETE FROM observations WHERE id = ?1", [&o.head.id])?;
            }
            t.execute(
                "INSERT OR IGNORE INTO unfolded (project, kind, key) VALUES (?1, ?2, ?3)",
                params![project, kind.as_str(), key],
            )
            .map(drop)
        })
    }

    /// What the reader says of a lesson.
    pub fn remarks_on(&self, lesson: &str) -> Result<Vec<Remark>> {
        self.db.rows(&format!("{REMARKS} WHERE lesson = ?1 ORDER BY at, id"), [lesson], remark_in).map(flat)
    }

    /// What it says of others in the words of this key.
    pub fn remarks_in_words_of(&self, key: &str) -> Result<Vec<Remark>> {
        self.db.rows(&format!("{REMARKS} WHERE key = ?1 ORDER BY at, id"), [key], remark_in).map(flat)
    }

    /// What the reader saw in a transcript.
    pub fn read_in(&self, path: &str) -> Result<Vec<Observation>> {
        let all = self.kept_of(path)?;
        Ok(all.into_iter().map(|(_, o)| o).filter(|o| o.head.detector == READER).collect())
    }
}

impl Sessions {
    /// Questions that were asked and not answered yet, oldest first.
    pub fn open_requests(&self) -> Result<Vec<(String, String)>> {
        self.db.rows("SELECT id, body FROM requests ORDER BY at, id", [], |r| Ok((r.get("id")?, r.get("body")?)))
    }

    /// Remembers a question until it is answered.
    pub fn keep_request(&mut self, id: &str, body: &str, at: i64) -> Result<()> {
        self.db.write(|t| {
            t.execute("INSERT OR REPLACE INTO requests (id, at, body) VALUES (?1, ?2, ?3)", params![id, at, body])
                .map(drop)
        })
    }

    /// Forgets a question.
    pub fn drop_request(&mut self, id: &str) -> Result<()> {
        self.db.write(|t| t.execute("DELETE FROM requests WHERE id = ?1", [id]).map(drop))
    }
}

const REMARKS: &str = "SELECT lesson, relation, key, statement, source, session, event, quote, at FROM remarks";

fn flat(rows: Vec<Option<Remark>>) -> Vec<Remark> {
    rows.into_iter().flatten().collect()
}

/// Reads a remark; `None` if its relation is of a later release.
fn remark_in(r: &Row<'_>) -> rusqlite::Result<Option<Remark>> {
    let relation: String = r.get("relation")?;
    let Some(relation) = Relation::parse(&relation) else { return Ok(None) };
    Ok(Some(Remark {
        lesson: r.get("lesson")?,
        relation,
        key: r.get("key")?,
        statement: r.get("statement")?,
        source: r.get("source")?,
        session: r.get("session")?,
        event: r.get("event")?,
        quote: r.get("quote")?,
        at: r.get("at")?,
    }))
}

fn take(
    t: &Transaction<'_>,
    seen: &SeenIn<'_>,
    place: &Place,
    o: &Observation,
    taken: &mut Taken,
) -> rusqlite::Result<()> {
    let mut o = o.clone();
    let kind = o.claim.kind.as_str();
    if let Some(into) = reworded(t, kind, &o.claim.key)? {
        o.claim.key = into;
    }
    let (on, own) = match place {
        Place::Remark(relation, lesson) => (Some((*relation, lesson.clone())), false),
        Place::Both(relation, lesson) => (Some((*relation, lesson.clone())), true),
        Place::Lesson => (None, true),
    };
    let said = match on {
        Some(on) => Some(on),
        // An approved lesson in the same words, or one that these words were found to repeat.
        None => said_already(t, seen.project, &o)?.map(|lesson| (Relation::Same, lesson)),
    };
    if let Some((relation, lesson)) = &said {
        remark(t, *relation, lesson, &o)?;
        taken.remarks += 1;
    }
    if own && said.is_none_or(|(relation, _)| relation != Relation::Same) {
        add(t, seen, &o)?;
        taken.observations += 1;
    }
    Ok(())
}

/// The lesson of this project that says it already, and that a reader's evidence must not count for.
fn said_already(t: &Transaction<'_>, project: &str, o: &Observation) -> rusqlite::Result<Option<String>> {
    let own = lesson_id(o.claim.kind, &o.claim.key, project);
    let approved = "SELECT lesson FROM verdicts WHERE lesson = ?1 AND verdict = 'approved'";
    if let Some(lesson) = t.prepare_cached(approved)?.query_row([&own], |r| r.get(0)).optional()? {
        return Ok(Some(lesson));
    }
    t.prepare_cached(
        "SELECT r.lesson FROM remarks r JOIN lessons l ON l.id = r.lesson
         WHERE r.key = ?1 AND r.relation = 'same' AND l.project = ?2 LIMIT 1",
    )?
    .query_row([&o.claim.key, project], |r| r.get(0))
    .optional()
}

fn reworded(t: &Transaction<'_>, kind: &str, key: &str) -> rusqlite::Result<Option<String>> {
    t.prepare_cached("SELECT into_key FROM rewordings WHERE kind = ?1 AND key = ?2")?
        .query_row([kind, key], |r| r.get(0))
        .optional()
}

fn remark(t: &Transaction<'_>, relation: Relation, lesson: &str, o: &Observation) -> rusqlite::Result<()> {
    let event = o.head.events.first().map(String::as_str).unwrap_or_default();
    let id =
        blake3::hash(format!("{lesson}\0{}\0{}", relation.as_str(), o.head.id).as_bytes()).to_hex()[..20].to_owned();
    t.prepare_cached(
        "INSERT OR IGNORE INTO remarks (id, lesson, relation, key, statement, source, session, event, quote, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?
    .execute(params![
        id,
        lesson,
        relation.as_str(),
        o.claim.key,
        o.claim.text,
        o.head.source,
        o.head.session,
        event,
        o.head.quote,
        o.head.at
    ])
    .map(drop)
}

/// Gives what was seen under one key another one. Both are to be folded again, wherever they were seen.
fn reword(t: &Transaction<'_>, kind: &str, key: &str, into: &str) -> rusqlite::Result<()> {
    let projects: HashSet<String> = t
        .prepare_cached("SELECT DISTINCT project FROM observations WHERE detector = ?1 AND kind = ?2 AND key = ?3")?
        .query_map([READER, kind, key], |r| r.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut mark = t.prepare_cached("INSERT OR IGNORE INTO unfolded (project, kind, key) VALUES (?1, ?2, ?3)")?;
    for project in &projects {
        for key in [key, into] {
            mark.execute([project.as_str(), kind, key])?;
        }
    }
    t.prepare_cached("UPDATE observations SET key = ?4 WHERE detector = ?1 AND kind = ?2 AND key = ?3")?
        .execute([READER, kind, key, into])
        .map(drop)
}
