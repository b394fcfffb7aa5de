//! Forgetting: a lesson and all that only it supported, without a trace but a keyed hash.

use std::collections::HashSet;
use std::path::Path;

use rusqlite::{Transaction, params};
use uptake_core::detect::Kind;
use uptake_core::detect::former::FORMER;
use uptake_core::learn::facts::cause_of;
use uptake_core::learn::{Lesson, RUNS, former};

use crate::clearing::forget_cleared;
use crate::journal;
use crate::lessons::Lessons;
use crate::observations::group;
use crate::open::{make_home, write_private};
use crate::sessions::Sessions;
use crate::tables::{self, OnForget};
use crate::{Result, StoreError};

/// What was forgotten.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Observations that are gone.
    pub observations: usize,
}

/// The key of the tombstones: 32 random bytes in a file of their own.
pub struct TombstoneKey([u8; 32]);

impl TombstoneKey {
    /// The key of a home; made if there is none.
    pub fn of(home: &Path) -> Result<Self> {
        let path = home.join("tombstone.key");
        match std::fs::read_to_string(&path) {
            Ok(text) => return Ok(Self(*blake3::hash(text.trim().as_bytes()).as_bytes())),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            // A key that cannot be read now is still the key: with another one, what was forgotten would come back.
            Err(e) => return Err(StoreError::Open { path, why: e.to_string() }),
        }
        make_home(home)?;
        let seed = random(home)?;
        write_private(&path, &seed)?;
        Ok(Self(*blake3::hash(seed.trim().as_bytes()).as_bytes()))
    }

    /// The tombstone of what a lesson says. Not of its project: that may get another name.
    pub fn hash(&self, kind: Kind, key: &str) -> String {
        let said = format!("{} {key}", kind.as_str());
        blake3::keyed_hash(&self.0, said.as_bytes()).to_hex()[..32].to_owned()
    }
}

/// The key of this machine, as lessons have it: made once, and kept in the home.
pub fn machine_key(home: &Path) -> Result<String> {
    if let Some(key) = known_machine(home) {
        return Ok(key);
    }
    make_home(home)?;
    write_private(&home.join(MACHINE), &random(home)?[..16])?;
    Ok(known_machine(home).unwrap_or_default())
}

/// The key of this machine, if it was made; for those who only look.
pub fn known_machine(home: &Path) -> Option<String> {
    let id = std::fs::read_to_string(home.join(MACHINE)).ok()?;
    Some(format!("machine:{}-{}", id.trim(), std::env::consts::OS))
}

/// The file in which the machine's id is kept.
const MACHINE: &str = "machine";

/// 32 bytes of the system's randomness, in hexadecimal.
fn random(home: &Path) -> Result<String> {
    let mut seed = [0_u8; 32];
    getrandom::fill(&mut seed).map_err(|e| StoreError::Io { path: home.to_owned(), source: e.into() })?;
    Ok(seed.iter().map(|b| format!("{b:02x}")).collect())
}

impl Lessons {
    /// Removes a lesson, what it was made of, its verdicts, its trials and its history; leaves a tombstone.
    pub fn forget(&mut self, lesson: &Lesson, key: &TombstoneKey, at: i64) -> Result<Forgotten> {
        let forgotten = self.db.write(|t| {
            let keys = all_keys(t, lesson)?;
            let mut observations = 0;
            for said in &keys {
                observations += forget_saying(t, lesson, said)?;
                t.execute(
                    "INSERT OR REPLACE INTO tombstones (hash, at) VALUES (?1, ?2)",
                    params![key.hash(lesson.kind, said), at],
                )?;
            }
            // A procedure is made of runs with keys of their own.
            for sighting in &lesson.evidence.sightings {
                observations += t.execute("DELETE FROM observations WHERE id = ?1", [&sighting.observation])?;
            }
            observations += forget_met(t, lesson)?;
            forget_read(t, lesson, &keys)?;
            for table in tables::of_lessons() {
                if let (OnForget::OfLesson, Some(column)) = (table.forget, table.lesson) {
                    t.execute(&format!("DELETE FROM {} WHERE {column} = ?1", table.name), [&lesson.id])?;
                }
            }
            forget_cleared(t, lesson, &keys)?;
            // The journal must not hold it either.
            journal::due_all(t)?;
            Ok(Forgotten { observations })
        })?;
        self.db.settle_journal()?;
        self.db.squeeze()?;
        Ok(forgotten)
    }

    /// The tombstones that stand.
    pub fn tombstones(&self) -> Result<HashSet<String>> {
        Ok(self.db.rows("SELECT hash FROM tombstones", [], |r| r.get("hash"))?.into_iter().collect())
    }
}

/// The key of a lesson, and those it had under older key functions: what is kept under them is forgotten as well.
fn all_keys(t: &Transaction<'_>, lesson: &Lesson) -> rusqlite::Result<Vec<String>> {
    let of = if lesson.origin.detector == RUNS { "" } else { &lesson.key };
    let seen = group(t, lesson.project(), lesson.kind.as_str(), of)?;
    let mut keys = former::keys_of(lesson, &seen, FORMER);
    keys.insert(0, lesson.key.clone());
    // What was seen of a fact is kept under its cause.
    if lesson.kind == Kind::Fact {
        keys.push(cause_of(&lesson.key).to_owned());
    }
    Ok(keys)
}

/// Shorter texts stand everywhere.
const TELLING: usize = 8; // bytes

/// Forgets failures that show what the lesson shows: the same command is told by the fix and by what it fixed.
fn forget_met(t: &Transaction<'_>, lesson: &Lesson) -> rusqlite::Result<usize> {
    let shown = lesson.payload.commands.iter().chain(lesson.payload.trigger.iter().map(|t| &t.error));
    let mut gone = 0;
    for text in shown.filter(|text| text.len() >= TELLING) {
        let quoted = serde_json::Value::from(text.as_str()).to_string();
        let inside = &quoted[1..quoted.len() - 1];
        let of = "project = ?1 AND kind = 'fact' AND instr(body, ?2)";
        let which = params![lesson.project(), inside];
        t.execute(
            &format!("INSERT OR IGNORE INTO unfolded (project, kind, key) SELECT DISTINCT project, kind, key FROM observations WHERE {of}"),
            which,
        )?;
        gone += t.execute(&format!("DELETE FROM observations WHERE {of}"), which)?;
        let open = "NOT EXISTS (SELECT 1 FROM verdicts v WHERE v.lesson = lessons.id AND v.verdict = 'approved')";
        t.execute(&format!("DELETE FROM lessons WHERE {of} AND {open}"), which)?;
        t.execute(
            "DELETE FROM worked WHERE project = ?1 AND (instr(what, ?2) OR instr(place, ?2))",
            params![lesson.project(), text],
        )?;
    }
    Ok(gone)
}

/// Forgets what a reader said in the lesson's words, or with its quotes, of this lesson or another one.
fn forget_read(t: &Transaction<'_>, lesson: &Lesson, keys: &[String]) -> rusqlite::Result<()> {
    for key in keys {
        t.execute("DELETE FROM rewordings WHERE key = ?1 OR into_key = ?1", [key])?;
        t.execute("DELETE FROM remarks WHERE key = ?1", [key])?;
    }
    let quotes = lesson.evidence.sightings.iter().map(|s| &s.quote).filter(|q| q.len() >= TELLING);
    for text in quotes.chain([&lesson.payload.statement]) {
        t.execute(
            "DELETE FROM remarks WHERE instr(statement, ?1) OR instr(quote, ?1) OR quote <> '' AND instr(?1, quote)",
            [text],
        )?;
    }
    Ok(())
}

/// Forgets what was seen under a key. Answers how many observations that were.
fn forget_saying(t: &Transaction<'_>, lesson: &Lesson, key: &str) -> rusqlite::Result<usize> {
    let of = "WHERE project = ?1 AND kind = ?2 AND key = ?3";
    let which = params![lesson.project(), lesson.kind.as_str(), key];
    t.execute(&format!("DELETE FROM unfolded {of}"), which)?;
    t.execute("DELETE FROM worked WHERE project = ?1 AND place = ?2 AND sessions = 0", params![lesson.project(), key])?;
    let in_index = "substr(key, 1, 16) = substr(?3, 1, 16) AND substr(key, -16) = substr(?3, -16)";
    t.execute(&format!("DELETE FROM observations {of} AND {in_index}"), which)
}

impl Sessions {
    /// Blanks the texts of events that hold one of these texts.
    pub fn blank(&mut self, texts: &[String]) -> Result<usize> {
        let blanked = self.db.write(|t| {
            let mut blanked = 0;
            for text in texts.iter().filter(|text| text.len() >= 4) {
                blanked += t.execute(
                    "UPDATE events SET input = CASE WHEN input IS NULL THEN NULL ELSE '' END, head = '', tail = '',
                     cwd = NULL, pending = NULL, written = NULL
                     WHERE instr(coalesce(input, ''), ?1) OR instr(head, ?1) OR instr(tail, ?1)
                     OR instr(coalesce(cwd, ''), ?1) OR instr(coalesce(pending, ''), ?1)
                     OR instr(coalesce(written, ''), ?1)",
                    [text],
                )?;
                t.execute("UPDATE sessions SET injected = '[]' WHERE instr(injected, ?1)", [text])?;
            }
            // They are made again, of what is left.
            t.execute("DELETE FROM requests", [])?;
            Ok(blanked)
        })?;
        self.db.squeeze()?;
        Ok(blanked)
    }

    /// Blanks the texts of calls that wrote something down, by their ids: what they wrote is not worded as a lesson is.
    pub fn blank_calls(&mut self, ids: &[&str]) -> Result<usize> {
        let blanked = self.db.write(|t| {
            let mut blank = t.prepare_cached(
                "UPDATE events SET input = '', head = '', tail = '', cwd = NULL, pending = NULL, written = NULL
                 WHERE substr(id, -10) = substr(?1, -10) AND id = ?1 AND kind = 'call'",
            )?;
            ids.iter().try_fold(0, |n, id| Ok(n + blank.execute([id])?))
        })?;
        self.db.squeeze()?;
        Ok(blanked)
    }
}

#[cfg(test)]
mod tests {
    use uptake_core::detect::Trigger;
    use uptake_core::learn::by_hand;

    use super::*;
    use crate::spool::Shown;
    use uptake_core::learn::status::Verdict;

    use crate::copies;

    /// Words nobody says by chance, with what JSON writes in another way.
    const WORDS: &str = "say \"open sesame\" to the\\door";

    fn lesson(project: &str, text: &str) -> Lesson {
        let mut lesson = by_hand(project, text, 1);
        lesson.payload.trigger = Some(Trigger { program: "door".into(), error: text.to_owned() });
        lesson
    }

    /// Everything that may be known of a lesson: decided, made a file, shown, cleared away, brought back, cleared again.
    fn known(lessons: &mut Lessons, lesson: &Lesson) {
        lessons.add(lesson, &[], 1).expect("added");
        lessons.edit(lesson, &format!("{}, twice", lesson.payload.statement), 2).expect("edited");
        lessons.retire_deleted(&lesson.id, 3).expect("retired");
        lessons.decide(lesson, Verdict::Approved, 4).expect("approved");
        lessons.keep_artifact(&format!("/skills/{}", lesson.id), &lesson.id, "sum", 5).expect("noted");
        let shown = Shown { id: format!("t{}", lesson.id), lesson: lesson.id.clone(), ..shown() };
        lessons.keep_trials(&[shown]).expect("noted");
        lessons.clear(Some(lesson.project()), 6).expect("cleared");
        lessons.add(lesson, &[], 7).expect("added");
        lessons.db.settle_journal().expect("written down");
    }

    fn shown() -> Shown {
        let word = || "w".to_owned();
        Shown {
            id: word(),
            lesson: word(),
            about: word(),
            source: word(),
            session: word(),
            moment: word(),
            at: 1,
            chance: 0,
            withheld: false,
        }
    }

    /// The tables in which a text stands.
    fn holding(lessons: &Lessons, text: &str) -> Vec<&'static str> {
        let holds = |table: &&tables::Table| {
            let any: Vec<String> = table.columns.iter().map(|c| format!("instr({c}, ?1)")).collect();
            let sql = format!("SELECT count(*) AS n FROM {} WHERE {}", table.name, any.join(" OR "));
            lessons.db.rows(&sql, [text], |r| r.get::<_, i64>("n")).expect("read")[0] > 0
        };
        tables::of_lessons().filter(holds).map(|t| t.name).collect()
    }

    #[test]
    fn no_table_holds_a_forgotten_lesson_and_the_others_stay() {
        let home = tempfile::tempdir().expect("a folder");
        let mut lessons = Lessons::open(home.path()).expect("open");
        let (gone, stays) = (lesson("shop", WORDS), lesson("bank", "close the door"));
        known(&mut lessons, &gone);
        known(&mut lessons, &stays);
        let before = holding(&lessons, &stays.id);
        assert_eq!(before, ["verdicts", "triggers", "lessons", "ledger", "cleared", "trials"]);
        assert_eq!(holding(&lessons, &gone.id), before);
        let key = TombstoneKey::of(home.path()).expect("a key");
        lessons.forget(&gone, &key, 9).expect("forgotten");
        assert!(holding(&lessons, &gone.id).is_empty() && holding(&lessons, "sesame").is_empty());
        assert_eq!(holding(&lessons, &stays.id), before);
        assert!(lessons.tombstones().expect("read").contains(&key.hash(gone.kind, &gone.key)));
    }

    #[test]
    fn a_copy_that_holds_a_forgotten_lesson_goes_and_another_stays() {
        let home = tempfile::tempdir().expect("a folder");
        let of = |n: i64, lesson: &Lesson, cleared: bool| {
            let mut lessons = Lessons::open(&home.path().join(n.to_string())).expect("open");
            lessons.add(lesson, &[], 1).expect("added");
            if cleared {
                lessons.clear(None, 2).expect("cleared");
            }
            lessons.db.connection.execute_batch("DELETE FROM ledger").expect("done");
            let into = home.path().join(format!("lessons.db.before-{n}"));
            lessons.db.connection.execute("VACUUM INTO ?1", [into.to_string_lossy()]).expect("copied");
        };
        let (gone, stays) = (lesson("shop", WORDS), lesson("bank", "close the door"));
        // The same words under another id: only they tell, in a row and in a row that was cleared away.
        let alike = Lesson { id: "another".into(), ..gone.clone() };
        of(1, &stays, false);
        of(2, &gone, false);
        of(3, &alike, false);
        of(4, &alike, true);
        std::fs::write(home.path().join("lessons.db.before-5"), "no database").expect("written");
        let removed = copies::forget(home.path(), &gone, std::slice::from_ref(&gone.payload.statement)).expect("done");
        let wanted = [5, 4, 3, 2].map(|n| home.path().join(format!("lessons.db.before-{n}")));
        assert_eq!(removed, wanted);
        assert_eq!(copies::all_in(home.path()).expect("read"), [home.path().join("lessons.db.before-1")]);
    }
}
