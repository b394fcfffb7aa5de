//! What was learned of folders, and where sessions ran: what projects are made of.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension as _, params_from_iter};
use uptake_core::project::{Fact, ancestors};

use crate::Result;
use crate::lessons::Lessons;
use crate::open::Db;
use crate::projects::BELOW;
use crate::sessions::{Moved, Sessions};

/// Sessions of one project that ran in one folder and name one remote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionGroup {
    /// Their project.
    pub project: String,
    /// The folder, as they write it.
    pub cwd: Option<String>,
    /// The remote, as they write it.
    pub remote: Option<String>,
    /// How many they are.
    pub sessions: usize,
    /// When the last of them began.
    pub last: Option<i64>,
}

impl Lessons {
    /// All that was learned of folders.
    pub fn folders(&self) -> Result<Vec<Fact>> {
        self.db.rows("SELECT folder, top, key, branch FROM folders ORDER BY folder", [], |r| {
            Ok(Fact { folder: r.get("folder")?, top: r.get("top")?, key: r.get("key")?, branch: r.get("branch")? })
        })
    }

    /// Keeps what was learned of folders; what is not said anew stays.
    pub fn keep_folders<'f>(&mut self, facts: impl IntoIterator<Item = &'f Fact>) -> Result<()> {
        let known: BTreeMap<String, Fact> = self.folders()?.into_iter().map(|f| (f.folder.clone(), f)).collect();
        let new: Vec<&Fact> = facts.into_iter().filter(|f| known.get(&f.folder) != Some(f)).collect();
        if new.is_empty() {
            return Ok(());
        }
        self.db.write(|t| {
            let mut insert = t.prepare_cached(
                "INSERT INTO folders (folder, top, key, branch) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (folder) DO UPDATE SET top = coalesce(excluded.top, top), key = coalesce(excluded.key, key),
                   branch = coalesce(excluded.branch, branch)",
            )?;
            new.iter().try_for_each(|f| insert.execute((&f.folder, &f.top, &f.key, &f.branch)).map(drop))
        })
    }

    /// What was learned of a folder and of those it is in: enough to place it, and little to read.
    pub fn folders_above(&self, folder: &str) -> Result<Vec<Fact>> {
        let places: Vec<&str> = ancestors(folder).collect();
        let sql = format!("SELECT folder, top, key, branch FROM folders WHERE folder IN ({})", marks(places.len()));
        self.db.rows(&sql, params_from_iter(places), |r| {
            Ok(Fact { folder: r.get("folder")?, top: r.get("top")?, key: r.get("key")?, branch: r.get("branch")? })
        })
    }

    /// The project a person gave a folder, or the nearest one it is in.
    pub fn split_off(&self, folder: &str) -> Result<Option<String>> {
        let names: Vec<String> = ancestors(folder).map(|place| format!("{BELOW}{place}")).collect();
        let sql = format!(
            "SELECT project FROM aliases WHERE name IN ({}) ORDER BY length(name) DESC LIMIT 1",
            marks(names.len())
        );
        let query = || -> rusqlite::Result<Option<String>> {
            self.db.connection.prepare(&sql)?.query_row(params_from_iter(&names), |r| r.get("project")).optional()
        };
        query().map_err(|e| self.db.err(e))
    }

    /// The keys of projects that anything was learned in.
    pub fn project_keys(&self) -> Result<Vec<String>> {
        keys(&self.db, "lessons")
    }
}

impl Sessions {
    /// The keys of projects that sessions ran in.
    pub fn project_keys(&self) -> Result<Vec<String>> {
        keys(&self.db, "sessions")
    }

    /// All sessions, by project, folder and remote; of one project if named.
    pub fn groups(&self, project: Option<&str>) -> Result<Vec<SessionGroup>> {
        self.db.rows(
            "SELECT project, cwd, remote, count(*) AS n, max(started) AS last FROM sessions
             WHERE ?1 IS NULL OR project = ?1 GROUP BY project, cwd, remote ORDER BY project, cwd, remote",
            [project],
            |r| {
                let sessions = usize::try_from(r.get::<_, i64>("n")?).unwrap_or(0);
                let (project, cwd, remote) = (r.get("project")?, r.get("cwd")?, r.get("remote")?);
                Ok(SessionGroup { project, cwd, remote, sessions, last: r.get("last")? })
            },
        )
    }

    /// The sessions of a group, on their way to another project.
    pub fn moving(&self, group: &SessionGroup, to: &str) -> Result<Vec<Moved>> {
        let sql = "SELECT source, id FROM sessions WHERE project = ?1 AND cwd IS ?2 AND remote IS ?3 ORDER BY number";
        self.db.rows(sql, (&group.project, &group.cwd, &group.remote), |r| {
            let (source, session) = (r.get("source")?, r.get("id")?);
            Ok(Moved { source, session, from: group.project.clone(), to: to.to_owned() })
        })
    }

    /// The transcripts of a group.
    pub fn paths_in(&self, group: &SessionGroup) -> Result<Vec<String>> {
        let sql = "SELECT path FROM sessions WHERE project = ?1 AND cwd IS ?2 AND remote IS ?3 ORDER BY path";
        self.db.rows(sql, (&group.project, &group.cwd, &group.remote), |r| r.get("path"))
    }
}

fn marks(count: usize) -> String {
    vec!["?"; count].join(", ")
}

/// The projects of a table, from one to the next along its index: the rows of each are not read.
fn keys(db: &Db, table: &str) -> Result<Vec<String>> {
    let sql = format!(
        "WITH RECURSIVE walk (at) AS (
           SELECT min(project) FROM {table}
           UNION ALL SELECT (SELECT min(t.project) FROM {table} t WHERE t.project > walk.at) FROM walk
             WHERE walk.at IS NOT NULL
         ) SELECT walk.at AS project FROM walk WHERE walk.at IS NOT NULL"
    );
    db.rows(&sql, [], |r| r.get("project"))
}
