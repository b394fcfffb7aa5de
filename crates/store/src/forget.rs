//! Forgetting: a lesson and all that only it supported, without a trace but a keyed hash.

use std::collections::HashSet;
use std::path::Path;

use rusqlite::params;
use uptake_core::detect::Kind;
use uptake_core::learn::Lesson;

use crate::clearing::forget_cleared;
use crate::lessons::Lessons;
use crate::open::{make_home, write_private};
use crate::sessions::Sessions;
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
            let mut observations = t.execute(
                "DELETE FROM observations WHERE project = ?1 AND kind = ?2 AND key = ?3",
                params![lesson.project(), lesson.kind.as_str(), lesson.key],
            )?;
            // A procedure is made of runs with keys of their own.
            for sighting in &lesson.evidence.sightings {
                observations += t.execute("DELETE FROM observations WHERE id = ?1", [&sighting.observation])?;
            }
            for table in ["verdicts", "triggers", "artifacts", "trials", "ledger", "deletions"] {
                t.execute(&format!("DELETE FROM {table} WHERE lesson = ?1"), [&lesson.id])?;
            }
            t.execute("DELETE FROM lessons WHERE id = ?1", [&lesson.id])?;
            forget_cleared(t, lesson)?;
            t.execute(
                "INSERT OR REPLACE INTO tombstones (hash, at) VALUES (?1, ?2)",
                params![key.hash(lesson.kind, &lesson.key), at],
            )?;
            Ok(Forgotten { observations })
        })?;
        self.db.squeeze()?;
        Ok(forgotten)
    }

    /// The tombstones that stand.
    pub fn tombstones(&self) -> Result<HashSet<String>> {
        Ok(self.db.rows("SELECT hash FROM tombstones", [], |r| r.get(0))?.into_iter().collect())
    }
}

impl Sessions {
    /// Blanks the texts of events that hold one of these texts.
    pub fn blank(&mut self, texts: &[String]) -> Result<usize> {
        let blanked = self.db.write(|t| {
            let mut blanked = 0;
            for text in texts.iter().filter(|text| text.len() >= 4) {
                blanked += t.execute(
                    "UPDATE events SET input = CASE WHEN input IS NULL THEN NULL ELSE '' END, head = '', tail = ''
                     WHERE instr(coalesce(input, ''), ?1) OR instr(head, ?1) OR instr(tail, ?1)",
                    [text],
                )?;
                t.execute("UPDATE sessions SET injected = '[]' WHERE instr(injected, ?1)", [text])?;
            }
            Ok(blanked)
        })?;
        self.db.squeeze()?;
        Ok(blanked)
    }
}
