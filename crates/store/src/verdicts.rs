//! What was said of lessons, and what follows from it: the approved bytes, and what hooks may look up.

use rusqlite::{OptionalExtension as _, Transaction, params};
use uptake_core::detect::Kind;
use uptake_core::learn::Lesson;
use uptake_core::learn::status::{By, Verdict};
use uptake_core::learn::supersede::marks;
use uptake_core::recall::{self, before_call, prompt, skills};
use uptake_core::session::Origin;

use crate::Result;
use crate::artifacts::{self, Finished};
use crate::body::{self, LESSON};
use crate::ledger::{self, Action};
use crate::lessons::{Lessons, Stored, WORD, insert_lesson, stored};

/// Lessons whose words are made at a time.
const PAGE: usize = 2_000;
/// Under which it is noted how the words of all lessons were made, and how far a new way has come.
const WORDS_OF: &str = "prompt words";
const WORDS_AT: &str = "prompt words, made up to";

impl Lessons {
    /// What was said of a lesson.
    pub fn verdict(&self, lesson: &str) -> Result<Option<Verdict>> {
        let word: rusqlite::Result<Option<String>> = self
            .db
            .connection
            .query_row("SELECT verdict FROM verdicts WHERE lesson = ?1", [lesson], |r| r.get(0))
            .optional();
        Ok(word.map_err(|e| self.db.err(e))?.and_then(|w| Verdict::parse(&w)))
    }

    /// Writes a person's verdict, bound to the bytes shown.
    pub fn decide(&mut self, lesson: &Lesson, verdict: Verdict, at: i64) -> Result<()> {
        self.decide_all(std::slice::from_ref(lesson), verdict, at)
    }

    /// The same verdict on several lessons, all or none.
    pub fn decide_all(&mut self, lessons: &[Lesson], verdict: Verdict, at: i64) -> Result<()> {
        self.db.write(|t| {
            lessons.iter().try_for_each(|lesson| {
                ledger::note_word(t, Action::of(verdict), lesson, at)?;
                say(t, lesson, verdict, By::Person, None, at)
            })
        })
    }

    /// Approves lessons, and notes what was written of them, all or none; also whether they are wanted as skills.
    pub fn approve_all(&mut self, lessons: &[&Lesson], kept: &[Finished], skills: bool, at: i64) -> Result<()> {
        self.db.write(|t| {
            artifacts::keep(t, kept, at)?;
            lessons.iter().try_for_each(|lesson| {
                if skills {
                    artifacts::wish_skill(t, &lesson.id)?;
                }
                ledger::note_word(t, Action::of(Verdict::Approved), lesson, at)?;
                say(t, lesson, Verdict::Approved, By::Person, None, at)
            })
        })
    }

    /// Approves a lesson by the rules of mode `auto`, unless a person had a word on it meanwhile. Answers whether it did.
    pub fn approve_by_rules(&mut self, lesson: &Lesson, at: i64) -> Result<bool> {
        self.db.write(|t| {
            let said: bool = t
                .prepare_cached("SELECT EXISTS (SELECT 1 FROM verdicts WHERE lesson = ?1)")?
                .query_row([&lesson.id], |r| r.get(0))?;
            if !said {
                ledger::note_word(t, Action::AutoApproved, lesson, at)?;
                say(t, lesson, Verdict::Approved, By::Auto, None, at)?;
            }
            Ok(!said)
        })
    }

    /// Approves other words than those that were shown: the user's own.
    pub fn edit(&mut self, lesson: &Lesson, statement: &str, at: i64) -> Result<Lesson> {
        let mut edited = lesson.clone();
        edited.payload.statement = statement.to_owned();
        (edited.origin.trust, edited.origin.alone) = (Origin::User, true);
        self.db.write(|t| {
            ledger::note(t, Action::Edited, &lesson.id, at)?;
            say(t, &edited, Verdict::Approved, By::Person, None, at)
        })?;
        Ok(edited)
    }

    /// Puts a lesson away until a time.
    pub fn snooze(&mut self, lesson: &Lesson, until: i64, at: i64) -> Result<()> {
        self.db.write(|t| {
            ledger::note_word(t, Action::Snoozed, lesson, at)?;
            say(t, lesson, Verdict::Snoozed, By::Person, Some(until), at)
        })
    }

    /// Adds a lesson a person wrote; it is approved at once, and takes the place of others.
    pub fn add(&mut self, lesson: &Lesson, instead_of: &[Lesson], at: i64) -> Result<()> {
        self.db.write(|t| {
            ledger::note(t, Action::Added, &lesson.id, at)?;
            insert_lesson(t, lesson)?;
            say(t, lesson, Verdict::Approved, By::Person, None, at)?;
            instead_of.iter().try_for_each(|old| supersede(t, old, at))
        })
    }

    /// Retires lessons because a newer one takes their place, all or none.
    pub fn supersede(&mut self, old: &[Lesson], at: i64) -> Result<()> {
        self.db.write(|t| old.iter().try_for_each(|lesson| supersede(t, lesson, at)))
    }

    /// Makes anew what hooks find lessons by, if that is made in another way than before: a page at a time, as long as `goes_on`
    /// says so. The next call goes on where this one ended.
    pub fn word_again(&mut self, mut goes_on: impl FnMut() -> bool) -> Result<()> {
        let version = prompt::WORDS.to_string();
        if self.note(WORDS_OF)? == Some(version.clone()) {
            return Ok(());
        }
        // The cursor is of this version, or the work begins at the start.
        let noted = self.note(WORDS_AT)?.unwrap_or_default();
        let mut after = noted.strip_prefix(&format!("{version} ")).unwrap_or_default().to_owned();
        while goes_on() {
            let page = self.said_after(&after, PAGE)?;
            let Some(last) = page.last().map(|s| s.lesson.id.clone()) else {
                return self.renote(WORDS_OF, &version).map(drop);
            };
            self.db.write(|t| {
                for s in &page {
                    set_triggers(t, &s.lesson.id, Some(&s.lesson), s.verdict())?;
                }
                let at = format!("{version} {last}");
                t.execute("INSERT OR REPLACE INTO notes (name, value) VALUES (?1, ?2)", [WORDS_AT, &at]).map(drop)
            })?;
            after = last;
        }
        Ok(())
    }

    /// Lessons that were approved or released, in the order of their ids, behind one.
    fn said_after(&self, id: &str, most: usize) -> Result<Vec<Stored>> {
        let sql = format!(
            "SELECT {LESSON}, v.sha256, {WORD}, FALSE AS rendered FROM verdicts v CROSS JOIN lessons l ON l.id = v.lesson
             LEFT JOIN deletions d ON d.lesson = l.id
             WHERE v.lesson > ?1 AND v.verdict IN ('approved', 'released') ORDER BY v.lesson LIMIT ?2"
        );
        self.db.rows(&sql, params![id, most as i64], stored)
    }

    /// Notes whether the skill of a lesson is to be told at every start.
    pub fn load_at_start(&mut self, lesson: &Lesson, wanted: bool) -> Result<()> {
        self.db.write(|t| {
            if wanted {
                return add_trigger(t, LOADED, &lesson.id, lesson);
            }
            t.execute(
                "DELETE FROM triggers WHERE lesson = ?1 AND program = ?2 AND error = ?3",
                [&lesson.id, LOADED.0, LOADED.1],
            )
            .map(drop)
        })
    }

    /// Notes that the user deleted what was made of a lesson: it is retired until it is approved anew.
    pub fn retire_deleted(&mut self, lesson: &str, at: i64) -> Result<()> {
        self.db.write(|t| {
            ledger::note(t, Action::Deleted, lesson, at)?;
            t.execute("DELETE FROM verdicts WHERE lesson = ?1", [lesson])?;
            t.execute("DELETE FROM artifacts WHERE lesson = ?1", [lesson])?;
            t.execute("INSERT OR REPLACE INTO deletions (lesson, at) VALUES (?1, ?2)", params![lesson, at])?;
            t.execute("UPDATE lessons SET ready = 0 WHERE id = ?1", [lesson])?;
            set_triggers(t, lesson, None, None)
        })
    }
}

fn supersede(t: &Transaction<'_>, old: &Lesson, at: i64) -> rusqlite::Result<()> {
    ledger::note_word(t, Action::Superseded, old, at)?;
    say(t, old, Verdict::Superseded, By::Person, None, at)
}

/// Writes a verdict and what follows from it.
pub(crate) fn say(
    t: &Transaction<'_>,
    lesson: &Lesson,
    verdict: Verdict,
    by: By,
    until: Option<i64>,
    at: i64,
) -> rusqlite::Result<()> {
    let sha = lesson.sha256();
    t.prepare_cached(
        "INSERT INTO verdicts (lesson, verdict, sha256, at, until, by) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (lesson) DO UPDATE SET verdict = excluded.verdict, sha256 = excluded.sha256, at = excluded.at,
           until = excluded.until, by = excluded.by",
    )?
    .execute(params![lesson.id, verdict.as_str(), sha, at, until, by.as_str()])?;
    // The bytes the person saw are the bytes that stay.
    let seen = &lesson.evidence;
    t.prepare_cached(
        "UPDATE lessons SET body = ?2, sha256 = ?3, detector = ?4, sessions = ?5, days = ?6, first_seen = ?7,
           last_seen = ?8, rank = ?9, advice = ?10 WHERE id = ?1",
    )?
    .execute(params![
        lesson.id,
        body::in_row(lesson)?,
        sha,
        lesson.origin.detector,
        seen.sessions as i64,
        seen.days as i64,
        seen.first,
        seen.last,
        seen.worth.rank,
        marks(lesson)
    ])?;
    if verdict == Verdict::Approved {
        t.prepare_cached("DELETE FROM deletions WHERE lesson = ?1")?.execute([&lesson.id])?;
    }
    set_triggers(t, &lesson.id, Some(lesson), Some(verdict))
}

/// Copies the approval of one lesson to another, with who gave it. Answers whether there was one for exactly these bytes.
pub(crate) fn copy_approval(t: &Transaction<'_>, old: &Lesson, new: &Lesson) -> rusqlite::Result<bool> {
    let copied = t
        .prepare_cached(
            "INSERT OR IGNORE INTO verdicts (lesson, verdict, sha256, at, until, by)
             SELECT ?1, verdict, ?2, at, until, by FROM verdicts WHERE lesson = ?3 AND verdict = 'approved' AND sha256 = ?4",
        )?
        .execute(params![new.id, new.sha256(), old.id, old.sha256()])?;
    if copied > 0 {
        set_triggers(t, &new.id, Some(new), Some(Verdict::Approved))?;
    }
    Ok(copied > 0)
}

/// Stands for program and error where a lesson is told at the start of a session. No failure has an empty program.
pub(crate) const AT_START: (&str, &str) = ("", "session start");

/// The same where an agent may write a lesson up.
pub(crate) const TO_WRITE_UP: (&str, &str) = ("", "write up");
/// The same where the user wants a skill to be told at every start. It stays whatever is said of the lesson: what may be told is
/// decided when it is.
pub(crate) const LOADED: (&str, &str) = ("", "auto load");

/// What hooks look up is there for approved lessons, at their error or at the start of a session, and for released ones.
pub(crate) fn set_triggers(
    t: &Transaction<'_>,
    id: &str,
    lesson: Option<&Lesson>,
    verdict: Option<Verdict>,
) -> rusqlite::Result<()> {
    t.prepare_cached("DELETE FROM triggers WHERE lesson = ?1 AND NOT (program = ?2 AND error = ?3)")?
        .execute([id, LOADED.0, LOADED.1])?;
    let Some(lesson) = lesson else { return Ok(()) };
    match verdict {
        Some(Verdict::Approved) => {
            let found_by = match &lesson.payload.trigger {
                Some(trigger) => Some((trigger.program.as_str(), trigger.error.as_str())),
                None => (lesson.kind != Kind::Fact && recall::is_for_start(lesson)).then_some(AT_START),
            };
            found_by.map_or(Ok(()), |found_by| add_trigger(t, found_by, id, lesson))?;
            add_words(t, id, lesson)
        }
        Some(Verdict::Released) => add_trigger(t, TO_WRITE_UP, id, lesson),
        _ => Ok(()),
    }
}

fn add_trigger(t: &Transaction<'_>, (program, error): (&str, &str), id: &str, lesson: &Lesson) -> rusqlite::Result<()> {
    t.prepare_cached("INSERT OR REPLACE INTO triggers (program, error, project, lesson) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![program, error, lesson.project(), id])
        .map(drop)
}

/// The words by which a lesson is found at a prompt, and by which its skill would be, beside the errors by which others are.
fn add_words(t: &Transaction<'_>, id: &str, lesson: &Lesson) -> rusqlite::Result<()> {
    let mut insert =
        t.prepare_cached("INSERT OR IGNORE INTO triggers (program, error, project, lesson) VALUES (?1, ?2, ?3, ?4)")?;
    for word in prompt::words_of(lesson).keys() {
        insert.execute(params![prompt::PROMPT, word, lesson.project(), id])?;
    }
    for mark in before_call::marks_of(lesson) {
        insert.execute(params![before_call::BEFORE_CALL, mark, lesson.project(), id])?;
    }
    // What is told after its error becomes a skill only if somebody wishes it.
    if lesson.payload.trigger.is_some() && !artifacts::is_wished(t, id)? {
        return Ok(());
    }
    for topic in skills::triggers_of(lesson).topics {
        insert.execute(params![skills::SKILL, topic, lesson.project(), id])?;
    }
    Ok(())
}
