//! Every change a person made to a lesson, and the way back.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, Type, ValueRef};
use rusqlite::{OptionalExtension as _, Row, Transaction, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uptake_core::learn::Lesson;
use uptake_core::learn::status::Verdict;
use uptake_core::learn::supersede::marks;

use crate::Result;
use crate::body::{self, LESSON};
use crate::clearing::{cleared_body, put_back};
use crate::lessons::{Lessons, insert_lesson};
use crate::observations::folded_under;
use crate::open::json;
use crate::projects::{Merge, unmerge};
use crate::splits::{Split, unsplit};
use crate::verdicts::set_triggers;

/// A change that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its number, for `undo`.
    pub id: i64,
    /// The change that took it back, if one did.
    pub undone: Option<i64>,
    /// When.
    pub at: i64,
    /// What was done.
    pub action: Action,
    /// To which lesson, or project.
    pub lesson: String,
    /// What moved, if projects were made one.
    pub merge: Option<Merge>,
    /// What moved, if a part became a project.
    pub split: Option<Split>,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A person said yes.
    Approved,
    /// The rules of mode `auto` said yes.
    AutoApproved,
    /// A person said no.
    Rejected,
    /// A person put it away.
    Snoozed,
    /// A person let the agent write it up.
    Released,
    /// An agent wrote it up.
    WrittenUp,
    /// A person approved other words.
    Edited,
    /// A person wrote it.
    Added,
    /// A newer lesson took its place.
    Superseded,
    /// Trials showed that it is of no help.
    Retired,
    /// A person deleted what was made of it.
    Deleted,
    /// A person cleared everything away.
    Cleared,
    /// Two projects were made one.
    Merged,
    /// A person made a part of a project one of its own.
    Split,
    /// An earlier change was taken back.
    Undone,
}

impl Action {
    const ALL: [Self; 15] = [
        Self::Approved,
        Self::AutoApproved,
        Self::Rejected,
        Self::Snoozed,
        Self::Released,
        Self::WrittenUp,
        Self::Edited,
        Self::Added,
        Self::Superseded,
        Self::Retired,
        Self::Deleted,
        Self::Cleared,
        Self::Merged,
        Self::Split,
        Self::Undone,
    ];

    /// The word used in the store and in `--json` output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::AutoApproved => "auto-approved",
            Self::Rejected => "rejected",
            Self::Snoozed => "snoozed",
            Self::Released => "released",
            Self::WrittenUp => "written-up",
            Self::Edited => "edited",
            Self::Added => "added",
            Self::Superseded => "superseded",
            Self::Retired => "retired",
            Self::Deleted => "deleted",
            Self::Cleared => "cleared",
            Self::Merged => "merged",
            Self::Split => "split",
            Self::Undone => "undone",
        }
    }

    /// Of a verdict that was given.
    pub(crate) fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Approved => Self::Approved,
            Verdict::Rejected => Self::Rejected,
            Verdict::Snoozed => Self::Snoozed,
            Verdict::Released => Self::Released,
            Verdict::Superseded => Self::Superseded,
            Verdict::Retired => Self::Retired,
        }
    }
}

impl FromSql for Action {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        action(value.as_str()?).ok_or(FromSqlError::InvalidType)
    }
}

fn action(word: &str) -> Option<Action> {
    Action::ALL.into_iter().find(|a| a.as_str() == word)
}

/// Whether the store knows this word for a change.
pub(crate) fn is_action(word: &str) -> bool {
    action(word).is_some()
}

/// What a change was about, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// A lesson: its statement, if anything is left of it.
    Lesson(Option<String>),
    /// So many lessons that were cleared away.
    Cleared(usize),
    /// Projects that were made one.
    Merged(Merge),
    /// A part that became a project.
    Split(Split),
}

/// What a change replaced.
#[derive(Default, Serialize, Deserialize)]
struct Before {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verdict: Option<VerdictBefore>,
    /// The lesson's bytes; none if it was not there, or if its words stayed as they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// Whether it was there, nobody had said anything of it, and its words stayed as they were.
    #[serde(default, skip_serializing_if = "is_false")]
    untold: bool,
    /// Whether it was ready.
    #[serde(default, skip_serializing_if = "is_false")]
    ready: bool,
    /// When the user deleted what was made of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deleted: Option<i64>,
}

#[derive(Serialize, Deserialize)]
struct VerdictBefore {
    verdict: String,
    sha256: String,
    at: i64,
    until: Option<i64>,
    #[serde(default = "person")]
    by: String,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Older notes do not say who spoke: then only people could.
fn person() -> String {
    "person".to_owned()
}

/// Notes a change before it is made. Answers its number.
pub(crate) fn note(t: &Transaction<'_>, action: Action, lesson: &str, at: i64) -> rusqlite::Result<i64> {
    let before = before(t, lesson)?;
    write_note(t, action, lesson, at, &before)
}

/// The same for a word on a lesson. Where it is the first word, and about the bytes that are there, these are not noted:
/// they stay, and very many are decided like this.
pub(crate) fn note_word(t: &Transaction<'_>, action: Action, lesson: &Lesson, at: i64) -> rusqlite::Result<i64> {
    let sum: Option<String> = t
        .prepare_cached(
            "SELECT sha256 FROM lessons WHERE id = ?1
             AND NOT EXISTS (SELECT 1 FROM verdicts WHERE lesson = ?1)
             AND NOT EXISTS (SELECT 1 FROM deletions WHERE lesson = ?1)",
        )?
        .query_row([&lesson.id], |r| r.get("sha256"))
        .optional()?;
    if sum.is_none_or(|sum| sum != lesson.sha256()) {
        return note(t, action, &lesson.id, at);
    }
    let before = Before { untold: true, ready: true, ..Before::default() };
    write_note(t, action, &lesson.id, at, &before)
}

fn write_note(t: &Transaction<'_>, action: Action, lesson: &str, at: i64, before: &Before) -> rusqlite::Result<i64> {
    t.prepare_cached("INSERT INTO ledger (at, action, lesson, before) VALUES (?1, ?2, ?3, ?4)")?.execute(params![
        at,
        action.as_str(),
        lesson,
        json(before)?
    ])?;
    Ok(t.last_insert_rowid())
}

fn before(t: &Transaction<'_>, lesson: &str) -> rusqlite::Result<Before> {
    let verdict = t
        .prepare_cached("SELECT verdict, sha256, at, until, by FROM verdicts WHERE lesson = ?1")?
        .query_row([lesson], |r| {
            Ok(VerdictBefore {
                verdict: r.get("verdict")?,
                sha256: r.get("sha256")?,
                at: r.get("at")?,
                until: r.get("until")?,
                by: r.get("by")?,
            })
        })
        .optional()?;
    let there = t
        .prepare_cached(&format!("SELECT {LESSON}, l.ready FROM lessons l WHERE l.id = ?1"))?
        .query_row([lesson], |r| Ok((whole_body(r)?, r.get("ready")?)))
        .optional()?;
    let (body, ready) = there.map_or((None, false), |(body, ready)| (Some(body), ready));
    let deleted =
        t.prepare_cached("SELECT at FROM deletions WHERE lesson = ?1")?.query_row([lesson], |r| r.get(0)).optional()?;
    Ok(Before { verdict, body, untold: false, ready, deleted })
}

/// A lesson's bytes, to be read without its row. Those that are no lesson stay as they are.
fn whole_body(r: &Row<'_>) -> rusqlite::Result<String> {
    match body::lesson_in(r)? {
        Some(lesson) => body::of_lesson(&lesson),
        None => r.get("body"),
    }
}

impl Lessons {
    /// Changes of a lesson, or all, newest first.
    pub fn changes(&self, lesson: Option<&str>) -> Result<Vec<Change>> {
        let all = "SELECT id, at, action, lesson, undone FROM ledger";
        match lesson {
            Some(lesson) => self.db.rows(&format!("{all} WHERE lesson = ?1 ORDER BY id DESC"), [lesson], change),
            None => self.db.rows(&format!("{all} ORDER BY id DESC"), [], change),
        }
    }

    /// What was retired by the same command as a change, behind it, and still is.
    pub fn retired_with(&self, change: &Change) -> Result<Vec<Change>> {
        let sql = "SELECT id, at, action, lesson, undone FROM ledger
                   WHERE id > ?1 AND at = ?2 AND action = 'superseded' AND undone IS NULL ORDER BY id";
        self.db.rows(sql, [change.id, change.at], self::change)
    }

    /// Changes that can be taken back, newest first, with what each was about.
    pub fn standing_changes(&self) -> Result<Vec<(Change, About)>> {
        // A lesson's words: those it has now, else those noted with the nearest change, else those that were cleared away.
        let cleared = cleared_body().unwrap_or_else(|| "SELECT NULL WHERE NULL".to_owned());
        let sql = format!(
            "WITH told AS (SELECT id, lesson, CASE WHEN json_valid(before) THEN before ->> 'body' END AS body FROM ledger)
             SELECT g.id, g.at, g.action, g.lesson, g.undone, g.before,
                    coalesce((SELECT body FROM lessons WHERE id = g.lesson),
                             (SELECT body FROM told WHERE lesson = g.lesson AND body IS NOT NULL
                              ORDER BY abs(id - g.id) LIMIT 1),
                             ({cleared} = g.lesson LIMIT 1)) AS body,
                    (SELECT count(*) FROM cleared c WHERE c.change = g.id AND c.tbl = 'lessons') AS cleared
             FROM ledger g WHERE g.undone IS NULL ORDER BY g.id DESC"
        );
        self.db.rows(&sql, [], |r| {
            let change = change(r)?;
            let about = match change.action {
                Action::Cleared => About::Cleared(usize::try_from(r.get::<_, i64>("cleared")?).unwrap_or(0)),
                Action::Merged => {
                    let merge = serde_json::from_str(&r.get::<_, String>("before")?).ok();
                    merge.map_or(About::Lesson(None), About::Merged)
                }
                Action::Split => {
                    let split = serde_json::from_str(&r.get::<_, String>("before")?).ok();
                    split.map_or(About::Lesson(None), About::Split)
                }
                _ => About::Lesson(r.get::<_, Option<String>>("body")?.as_deref().and_then(body::statement)),
            };
            Ok((change, about))
        })
    }

    /// Takes a change back: the one with this number, or the last one that still stands. Answers what was taken back;
    /// nothing if there is no such change. Taking back is a change itself and can be taken back.
    pub fn undo(&mut self, id: Option<i64>, at: i64) -> Result<Option<Change>> {
        self.db.write(|t| {
            let which = if id.is_some() { "id = ?1" } else { "?1 IS NULL AND action <> 'undone'" };
            let found = t
                .prepare_cached(&format!(
                    "SELECT id, at, action, lesson, undone, before FROM ledger
                     WHERE undone IS NULL AND {which} ORDER BY id DESC LIMIT 1"
                ))?
                .query_row([id], |r| Ok((change(r)?, r.get::<_, String>("before")?)))
                .optional()?;
            let Some((mut change, before)) = found else { return Ok(None) };
            let number = note(t, Action::Undone, &change.lesson, at)?;
            match change.action {
                Action::Cleared => put_back(t, change.id)?,
                Action::Merged => {
                    let merge: Merge = noted(&before)?;
                    unmerge(t, change.id, &merge)?;
                    change.merge = Some(merge);
                }
                Action::Split => {
                    let split: Split = noted(&before)?;
                    unsplit(t, change.id, &split)?;
                    change.split = Some(split);
                }
                _ => restore(t, &change.lesson, &noted(&before)?)?,
            }
            t.execute("UPDATE ledger SET undone = ?2 WHERE id = ?1", params![change.id, number])?;
            // Where an undo is taken back, the first change stands again, and can be taken back again.
            t.execute("UPDATE ledger SET undone = NULL WHERE undone = ?1 AND id <> ?1", [change.id])?;
            // No undo brings these back, only the command that did them.
            if matches!(change.action, Action::Cleared | Action::Merged | Action::Split) {
                // Sessions that came since are put into projects again.
                t.execute("UPDATE notes SET value = 'again' WHERE name = 'projects'", [])?;
                t.execute("UPDATE ledger SET undone = id WHERE id = ?1", [number])?;
            } else {
                change.undone = Some(number);
            }
            Ok(Some(change))
        })
    }
}

/// What a change replaced, as it was noted. Without that it cannot be taken back: nothing would be put in its place.
fn noted<T: DeserializeOwned>(before: &str) -> rusqlite::Result<T> {
    serde_json::from_str(before).map_err(|e| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(e)))
}

fn change(r: &Row<'_>) -> rusqlite::Result<Change> {
    Ok(Change {
        id: r.get("id")?,
        at: r.get("at")?,
        action: r.get("action")?,
        lesson: r.get("lesson")?,
        undone: r.get("undone")?,
        merge: None,
        split: None,
    })
}

/// Marks a lesson that is there to be folded again.
pub(crate) fn mark(t: &Transaction<'_>, lesson: &str) -> rusqlite::Result<()> {
    t.prepare_cached(&format!(
        "INSERT OR IGNORE INTO unfolded (project, kind, key) SELECT project, kind, {} FROM lessons WHERE id = ?1",
        folded_under("detector", "key")
    ))?
    .execute([lesson])
    .map(drop)
}

/// The sum of bytes that are no lesson: no approval has it.
const NO_SUM: &str = "";

fn restore(t: &Transaction<'_>, lesson: &str, before: &Before) -> rusqlite::Result<()> {
    t.execute("DELETE FROM verdicts WHERE lesson = ?1", [lesson])?;
    if let Some(said) = &before.verdict {
        t.execute(
            "INSERT INTO verdicts (lesson, verdict, sha256, at, until, by) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![lesson, said.verdict, said.sha256, said.at, said.until, said.by],
        )?;
    }
    t.execute("DELETE FROM deletions WHERE lesson = ?1", [lesson])?;
    if let Some(at) = before.deleted {
        t.execute("INSERT INTO deletions (lesson, at) VALUES (?1, ?2)", params![lesson, at])?;
    }
    // Any of this may decide whether it is ready: it is folded again.
    mark(t, lesson)?;
    if before.untold {
        return set_triggers(t, lesson, None, None);
    }
    let Some(body) = &before.body else {
        t.execute("DELETE FROM lessons WHERE id = ?1", [lesson])?;
        return set_triggers(t, lesson, None, None);
    };
    let was = body::lesson(body);
    let sha = was.as_ref().map_or_else(|| NO_SUM.to_owned(), Lesson::sha256);
    let advice = was.as_ref().map(marks);
    let there = t.execute(
        "UPDATE lessons SET body = ?2, sha256 = ?3, advice = ?4 WHERE id = ?1",
        params![lesson, body, sha, advice],
    )? > 0;
    // The row is gone because nothing supports it any more: it comes back in the words that were approved.
    if let Some(was) = was.as_ref().filter(|_| !there) {
        let mut was = was.clone();
        was.evidence.worth.ready = before.ready;
        insert_lesson(t, &was)?;
        mark(t, lesson)?;
    }
    let verdict = before.verdict.as_ref().and_then(|said| Verdict::parse(&said.verdict));
    set_triggers(t, lesson, was.as_ref(), verdict)
}

#[cfg(test)]
mod tests {
    use uptake_core::learn::by_hand;

    use super::*;

    #[test]
    fn a_first_word_on_a_lesson_notes_no_copy_of_it_and_can_be_taken_back() {
        let home = tempfile::tempdir().expect("a folder");
        let mut lessons = Lessons::open(home.path()).expect("open");
        let lesson = by_hand("shop", "run make deps first", 1);
        lessons.add_shown(std::slice::from_ref(&lesson)).expect("added");
        let note = |lessons: &Lessons| -> String {
            lessons
                .db
                .rows("SELECT before FROM ledger ORDER BY id DESC", [], |r| r.get("before"))
                .expect("read")
                .remove(0)
        };
        let now = |lessons: &Lessons| lessons.by_id(&lesson.id).expect("read").remove(0);
        for verdict in [Verdict::Approved, Verdict::Rejected] {
            lessons.decide(&lesson, verdict, 2).expect("decided");
            assert!(!note(&lessons).contains("make deps"), "{}", note(&lessons));
            lessons.undo(None, 3).expect("taken back");
            assert_eq!((now(&lessons).lesson, now(&lessons).standing.said), (lesson.clone(), None));
        }
        // Other words are a loss: they are noted.
        lessons.edit(&lesson, "run make first", 4).expect("edited");
        assert!(note(&lessons).contains("make deps"));
        lessons.undo(None, 5).expect("taken back");
        assert_eq!(now(&lessons).lesson, lesson);
        // So is what was approved.
        lessons.decide(&lesson, Verdict::Approved, 6).expect("approved");
        lessons.decide(&lesson, Verdict::Rejected, 7).expect("rejected");
        assert!(note(&lessons).contains("make deps"));
    }

    #[test]
    fn a_change_whose_note_cannot_be_read_is_not_taken_back_and_nothing_is_lost() {
        let home = tempfile::tempdir().expect("a folder");
        let mut lessons = Lessons::open(home.path()).expect("open");
        let lesson = by_hand("shop", "run make deps first", 1);
        lessons.add(&lesson, &[], 1).expect("added");
        lessons.decide(&lesson, Verdict::Rejected, 2).expect("rejected");
        lessons.db.connection.execute("UPDATE ledger SET before = 'torn'", []).expect("torn");
        assert!(lessons.undo(None, 3).is_err());
        assert_eq!(lessons.verdict(&lesson.id).expect("read"), Some(Verdict::Rejected));
        assert!(lessons.kept_bytes(&lesson.id).expect("read").is_some());
        assert_eq!(lessons.changes(None).expect("read").len(), 2);
    }
}
