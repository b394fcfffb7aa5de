//! What the user agreed to beside lessons: settings that repositories carry, and projects that are one.

use std::collections::HashMap;

use rusqlite::{OptionalExtension as _, params};

use crate::Result;
use crate::lessons::Lessons;

impl Lessons {
    /// The sum of the settings the user agreed to for a folder.
    pub fn trusted(&self, folder: &str) -> Result<Option<String>> {
        let query = || {
            self.db
                .connection
                .prepare_cached("SELECT sha256 FROM trusted WHERE folder = ?1")?
                .query_row([folder], |r| r.get("sha256"))
                .optional()
        };
        query().map_err(|e| self.db.err(e))
    }

    /// All folders whose settings the user agreed to, with the sums.
    pub fn all_trusted(&self) -> Result<Vec<(String, String)>> {
        let sql = "SELECT folder, sha256 FROM trusted ORDER BY folder";
        self.db.rows(sql, [], |r| Ok((r.get("folder")?, r.get("sha256")?)))
    }

    /// Notes that the user agreed to a folder's settings.
    pub fn trust(&mut self, folder: &str, sha256: &str, at: i64) -> Result<()> {
        self.db.write(|t| {
            t.execute(
                "INSERT OR REPLACE INTO trusted (folder, sha256, at) VALUES (?1, ?2, ?3)",
                params![folder, sha256, at],
            )
            .map(drop)
        })
    }

    /// Takes that back. Answers whether there was anything to take back.
    pub fn distrust(&mut self, folder: &str) -> Result<bool> {
        self.db.write(|t| Ok(t.execute("DELETE FROM trusted WHERE folder = ?1", [folder])? > 0))
    }

    /// Checkouts into which files may be written.
    pub fn opted(&self) -> Result<Vec<String>> {
        self.db.rows("SELECT folder FROM opted ORDER BY folder", [], |r| r.get("folder"))
    }

    /// Notes that files may be written into a checkout.
    pub fn opt_in(&mut self, folder: &str, at: i64) -> Result<()> {
        self.db.write(|t| {
            t.execute("INSERT OR REPLACE INTO opted (folder, at) VALUES (?1, ?2)", params![folder, at]).map(drop)
        })
    }

    /// Takes that back. Answers whether there was anything to take back.
    pub fn opt_out(&mut self, folder: &str) -> Result<bool> {
        self.db.write(|t| Ok(t.execute("DELETE FROM opted WHERE folder = ?1", [folder])? > 0))
    }

    /// The value noted under a name.
    pub fn noted(&self, name: &str) -> Result<Option<String>> {
        let values = self.db.rows("SELECT value FROM notes WHERE name = ?1", [name], |r| r.get("value"))?;
        Ok(values.into_iter().next())
    }

    /// What is noted under a name.
    pub(crate) fn note(&self, name: &str) -> Result<Option<String>> {
        let found = self.db.rows("SELECT value FROM notes WHERE name = ?1", [name], |r| r.get("value"))?;
        Ok(found.into_iter().next())
    }

    /// Notes a value under a name. Answers whether another value stood there before.
    pub fn renote(&mut self, name: &str, value: &str) -> Result<bool> {
        let before = self.note(name)?;
        if before.as_deref() == Some(value) {
            return Ok(false);
        }
        self.db.write(|t| {
            t.execute("INSERT OR REPLACE INTO notes (name, value) VALUES (?1, ?2)", [name, value])?;
            Ok(before.is_some())
        })
    }

    /// Names of projects that were merged, and what they were merged into.
    pub fn aliases(&self) -> Result<HashMap<String, String>> {
        let rows =
            self.db.rows("SELECT name, project FROM aliases", [], |r| Ok((r.get("name")?, r.get("project")?)))?;
        Ok(rows.into_iter().collect())
    }

    /// The project a name stands for: itself, or the one it was merged into.
    pub fn project_of(&self, name: &str) -> Result<String> {
        let query = || -> rusqlite::Result<Option<String>> {
            self.db
                .connection
                .prepare_cached("SELECT project FROM aliases WHERE name = ?1")?
                .query_row([name], |r| r.get("project"))
                .optional()
        };
        Ok(query().map_err(|e| self.db.err(e))?.unwrap_or_else(|| name.to_owned()))
    }
}
