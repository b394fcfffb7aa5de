//! All tables of both databases, and what becomes of each when rows are cleared, saved, forgotten or moved.
//!
//! A test holds this against the schema: a table or column that is not listed here fails the build. Deliberately
//! absent: SQL of its own. The rooms that clear, save, forget and move ask here which tables are theirs.

use rusqlite::Connection;

use crate::open::StoreFile;

/// A table.
pub(crate) struct Table {
    /// The database it is in.
    pub db: StoreFile,
    /// Its name.
    pub name: &'static str,
    /// In the order of the schema. Cleared rows are kept as lists of values, so a new column goes to the end.
    pub columns: &'static [&'static str],
    /// The column that says to which project a row belongs.
    pub project: Option<&'static str>,
    /// The column that says to which lesson a row belongs.
    pub lesson: Option<&'static str>,
    /// When a person clears away what was learned.
    pub clear: OnClear,
    /// When the database is damaged.
    pub salvage: OnDamage,
    /// When a lesson is forgotten.
    pub forget: OnForget,
    /// When two projects become one.
    pub merge: OnMerge,
}

/// What `clear` does with a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnClear {
    /// Its rows are put away, so that they can come back.
    PutAway,
    /// The same, but for rows of which this holds.
    PutAwayUnless(&'static str),
    /// Its rows go: they can be made again.
    Drop,
    /// It stays.
    Stays,
}

/// Whether the rows of a damaged database are saved.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnDamage {
    /// They cannot be had again.
    Saved,
    /// They are made again.
    MadeAgain,
}

/// How `forget` reaches a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnForget {
    /// Rows of the lesson are deleted.
    OfLesson,
    /// Rows are found by what they say, not by the lesson alone.
    BySaying,
    /// It says nothing of a lesson.
    Nothing,
}

/// What becomes of a table when one project becomes another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnMerge {
    /// Its rows get the other project.
    Moved,
    /// Rows of approved lessons are put away and made again for the other project.
    MadeAgain,
    /// Rows of approved lessons are put away.
    PutAway,
    /// It stays.
    Stays,
}

impl Table {
    /// All columns, as SQL.
    pub fn list(&self) -> String {
        self.columns.join(", ")
    }

    /// The place of a column in a row that was put away, as SQL.
    pub fn in_row(&self, column: &str) -> String {
        let place = self.columns.iter().position(|c| *c == column).unwrap_or(usize::MAX);
        format!("json_extract(row, '$[{place}]')")
    }

    /// Which rows belong to `:project`, as SQL.
    pub fn of_project(&self) -> String {
        match (self.project, self.lesson) {
            (Some(project), _) => format!("{project} = :project"),
            (None, Some(lesson)) => format!("{lesson} IN (SELECT id FROM lessons WHERE project = :project)"),
            (None, None) => "FALSE".to_owned(),
        }
    }

    /// Whether its rows can come back after `clear`.
    pub fn is_put_away(&self) -> bool {
        matches!(self.clear, OnClear::PutAway | OnClear::PutAwayUnless(_))
    }
}

/// The tables of the lessons' database.
pub(crate) fn of_lessons() -> impl Iterator<Item = &'static Table> {
    TABLES.iter().filter(|t| t.db == StoreFile::Lessons)
}

/// The table with this name, if `clear` puts its rows away.
pub(crate) fn put_away(name: &str) -> Option<&'static Table> {
    of_lessons().find(|t| t.name == name && t.is_put_away())
}

/// The columns a table has in a database, which may be of an older format.
pub(crate) fn columns(db: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    db.prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")?.query_map([table], |r| r.get("name"))?.collect()
}

/// A table of `lessons.db` that nothing of this concerns; each row says what differs.
const PLAIN: Table = Table {
    db: StoreFile::Lessons,
    name: "",
    columns: &[],
    project: None,
    lesson: None,
    clear: OnClear::Stays,
    salvage: OnDamage::Saved,
    forget: OnForget::Nothing,
    merge: OnMerge::Stays,
};

/// A table whose rows belong to a lesson, are put away with it and forgotten with it.
const OF_LESSON: Table = Table { lesson: Some("lesson"), clear: OnClear::PutAway, forget: OnForget::OfLesson, ..PLAIN };

/// A table of `sessions.db`: all of it can be read again.
const READ: Table = Table { db: StoreFile::Sessions, salvage: OnDamage::MadeAgain, ..PLAIN };

/// In the order in which they are cleared and saved: lessons after those that are found by them.
pub(crate) const TABLES: &[Table] = &[
    Table {
        name: "verdicts",
        columns: &["lesson", "verdict", "sha256", "at", "until", "by"],
        // What was rejected stays so.
        clear: OnClear::PutAwayUnless("verdict = 'rejected'"),
        merge: OnMerge::MadeAgain,
        ..OF_LESSON
    },
    Table { name: "deletions", columns: &["lesson", "at"], merge: OnMerge::PutAway, ..OF_LESSON },
    Table {
        name: "triggers",
        columns: &["program", "error", "project", "lesson"],
        project: Some("project"),
        merge: OnMerge::MadeAgain,
        ..OF_LESSON
    },
    Table { name: "artifacts", columns: &["path", "lesson", "sha256", "at"], merge: OnMerge::PutAway, ..OF_LESSON },
    Table {
        name: "observations",
        columns: &["id", "detector", "kind", "key", "project", "source", "session", "path", "root", "at", "body"],
        project: Some("project"),
        clear: OnClear::PutAway,
        forget: OnForget::BySaying,
        merge: OnMerge::Moved,
        ..PLAIN
    },
    Table {
        name: "lessons",
        columns: &[
            "id",
            "project",
            "kind",
            "key",
            "name",
            "body",
            "sha256",
            "sessions",
            "days",
            "first_seen",
            "last_seen",
            "ready",
            "rank",
            "detector",
        ],
        project: Some("project"),
        lesson: Some("id"),
        merge: OnMerge::MadeAgain,
        ..OF_LESSON
    },
    Table {
        name: "unfolded",
        columns: &["project", "kind", "key"],
        project: Some("project"),
        clear: OnClear::Drop,
        forget: OnForget::BySaying,
        merge: OnMerge::MadeAgain,
        ..PLAIN
    },
    Table {
        name: "ledger",
        columns: &["id", "at", "action", "lesson", "before", "undone"],
        clear: OnClear::Stays,
        ..OF_LESSON
    },
    Table { name: "cleared", columns: &["change", "tbl", "row"], forget: OnForget::BySaying, ..PLAIN },
    Table {
        name: "trials",
        columns: &["id", "lesson", "source", "session", "moment", "at"],
        clear: OnClear::Stays,
        ..OF_LESSON
    },
    Table { name: "tombstones", columns: &["hash", "at"], ..PLAIN },
    Table { name: "trusted", columns: &["folder", "sha256", "at"], ..PLAIN },
    Table { name: "aliases", columns: &["name", "project"], project: Some("project"), merge: OnMerge::Moved, ..PLAIN },
    Table { name: "notes", columns: &["name", "value"], salvage: OnDamage::MadeAgain, ..PLAIN },
    Table { name: "transcripts", columns: &["path", "size", "modified", "resume_at", "print", "session"], ..READ },
    Table {
        name: "sessions",
        columns: &[
            "number",
            "source",
            "id",
            "root",
            "agent",
            "version",
            "cwd",
            "remote",
            "project",
            "path",
            "started",
            "ended",
            "messages",
            "calls",
            "failures",
            "injected",
            "detectors",
        ],
        project: Some("project"),
        forget: OnForget::BySaying,
        merge: OnMerge::Moved,
        ..READ
    },
    Table {
        name: "events",
        columns: &[
            "place",
            "id",
            "at",
            "byte",
            "bytes",
            "kind",
            "author",
            "tool",
            "tool_kind",
            "input",
            "outcome",
            "code",
            "head",
            "tail",
            "size",
        ],
        forget: OnForget::BySaying,
        ..READ
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open::open;

    #[test]
    fn every_table_and_column_of_the_schema_is_listed() {
        for file in [StoreFile::Lessons, StoreFile::Sessions] {
            let home = tempfile::tempdir().expect("a folder");
            let db = open(home.path(), file).expect("made");
            let tables =
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name";
            let schema: Vec<(String, Vec<String>)> = db
                .rows(tables, [], |r| r.get::<_, String>("name"))
                .expect("read")
                .into_iter()
                .map(|table| (table.clone(), columns(&db.connection, &table).expect("read")))
                .collect();
            let of = TABLES.iter().filter(|t| t.db == file);
            let mut listed: Vec<(String, Vec<String>)> =
                of.map(|t| (t.name.to_owned(), t.columns.iter().map(|&c| c.to_owned()).collect())).collect();
            listed.sort();
            assert_eq!(schema, listed);
        }
    }

    #[test]
    fn a_row_with_a_lesson_is_forgotten_and_one_with_a_project_moves_along() {
        for table in TABLES {
            for column in table.project.iter().chain(&table.lesson) {
                assert!(table.columns.contains(column), "{}.{column}", table.name);
            }
            assert!(table.lesson.is_none() || table.forget == OnForget::OfLesson, "{}", table.name);
            assert!(table.project.is_none() || table.merge != OnMerge::Stays, "{}", table.name);
            assert!(table.columns.contains(&"project") == table.project.is_some(), "{}", table.name);
            assert!(table.columns.contains(&"lesson") == (table.lesson == Some("lesson")), "{}", table.name);
        }
    }
}
