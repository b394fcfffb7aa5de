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
    /// The columns that tell its rows apart.
    pub key: &'static [&'static str],
    /// Which rows are also in the journal beside the database.
    pub twice: Twice,
}

/// Which rows of a table are kept twice: in the database, and in the journal from which they come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Twice {
    /// All: they cannot be had again.
    All,
    /// Those of which this holds; the row is called `r`.
    Rows(&'static str),
    /// None: they are made again.
    No,
}

impl Twice {
    /// Which rows, as SQL on a row with this name; `None` if there are none.
    pub fn condition(self, row: &str) -> Option<String> {
        match self {
            Self::All => Some("TRUE".to_owned()),
            Self::Rows(which) => Some(format!("({})", which.replace("r.", &format!("{row}.")))),
            Self::No => None,
        }
    }
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

    /// What tells a row with this name apart, as JSON, as SQL.
    pub fn key_as_json(&self, row: &str) -> String {
        let key: Vec<String> = self.key.iter().map(|c| format!("{row}.{c}")).collect();
        format!("json_array({})", key.join(", "))
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

/// The tables of which rows are kept twice, each with the condition on rows called `r`.
pub(crate) fn kept_twice() -> impl Iterator<Item = (&'static Table, String)> {
    of_lessons().filter_map(|table| Some((table, table.twice.condition("r")?)))
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
    key: &[],
    twice: Twice::All,
};

/// A table whose rows belong to a lesson, are put away with it and forgotten with it.
const OF_LESSON: Table =
    Table { lesson: Some("lesson"), clear: OnClear::PutAway, forget: OnForget::OfLesson, key: &["lesson"], ..PLAIN };

/// A table of `sessions.db`: all of it can be read again.
const READ: Table = Table { db: StoreFile::Sessions, salvage: OnDamage::MadeAgain, twice: Twice::No, ..PLAIN };

/// Lessons of which something was said.
const SPOKEN_OF: &str =
    "EXISTS (SELECT 1 FROM verdicts WHERE lesson = r.id) OR EXISTS (SELECT 1 FROM deletions WHERE lesson = r.id)";

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
    Table { name: "skill_wishes", columns: &["lesson"], merge: OnMerge::PutAway, ..OF_LESSON },
    Table { name: "deletions", columns: &["lesson", "at"], merge: OnMerge::PutAway, ..OF_LESSON },
    Table {
        name: "triggers",
        columns: &["program", "error", "project", "lesson"],
        project: Some("project"),
        merge: OnMerge::MadeAgain,
        key: &["program", "error", "project", "lesson"],
        ..OF_LESSON
    },
    Table {
        name: "artifacts",
        columns: &["path", "lesson", "sha256", "at", "edited", "branch"],
        merge: OnMerge::PutAway,
        key: &["path"],
        ..OF_LESSON
    },
    Table {
        name: "observations",
        columns: &["id", "detector", "kind", "key", "project", "source", "session", "path", "root", "at", "body"],
        project: Some("project"),
        clear: OnClear::PutAway,
        forget: OnForget::BySaying,
        merge: OnMerge::Moved,
        key: &["id"],
        // The others are seen again in the sessions that are kept.
        twice: Twice::Rows("r.detector IN ('import', 'reader', 'submitted')"),
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
            "grounded",
            "advice",
        ],
        project: Some("project"),
        lesson: Some("id"),
        merge: OnMerge::MadeAgain,
        key: &["id"],
        // What a person spoke of or wrote; the others are folded again.
        twice: Twice::Rows(SPOKEN_OF),
        ..OF_LESSON
    },
    Table {
        name: "remarks",
        columns: &["id", "lesson", "relation", "key", "statement", "source", "session", "event", "quote", "at"],
        key: &["id"],
        ..OF_LESSON
    },
    // To read again costs the user something.
    Table { name: "readings", columns: &["path", "upto", "at", "version"], key: &["path"], ..PLAIN },
    Table {
        name: "rewordings",
        columns: &["kind", "key", "into_key"],
        forget: OnForget::BySaying,
        key: &["kind", "key"],
        ..PLAIN
    },
    Table {
        name: "unfolded",
        columns: &["project", "kind", "key"],
        project: Some("project"),
        clear: OnClear::Drop,
        forget: OnForget::BySaying,
        merge: OnMerge::MadeAgain,
        key: &["project", "kind", "key"],
        twice: Twice::No,
        ..PLAIN
    },
    Table {
        name: "worked",
        columns: &["project", "what", "place", "sessions", "ok", "failed", "last"],
        project: Some("project"),
        clear: OnClear::Drop,
        salvage: OnDamage::MadeAgain,
        forget: OnForget::BySaying,
        merge: OnMerge::MadeAgain,
        key: &["project", "what", "place"],
        twice: Twice::No,
        ..PLAIN
    },
    Table {
        name: "ledger",
        columns: &["id", "at", "action", "lesson", "before", "undone"],
        clear: OnClear::Stays,
        key: &["id"],
        ..OF_LESSON
    },
    Table {
        name: "cleared",
        columns: &["id", "change", "tbl", "row"],
        forget: OnForget::BySaying,
        key: &["id"],
        ..PLAIN
    },
    Table {
        name: "trials",
        columns: &["id", "lesson", "source", "session", "moment", "at"],
        clear: OnClear::Stays,
        key: &["id"],
        ..OF_LESSON
    },
    Table {
        name: "outcomes",
        columns: &[
            "lesson",
            "source",
            "session",
            "moment",
            "at",
            "withheld",
            "chance",
            "failed",
            "pushed",
            "reached",
            "calls",
            "tokens",
            "applied",
            "verified",
            "relevance",
            "claims",
        ],
        clear: OnClear::Stays,
        key: &["lesson", "source", "session"],
        // Sessions are counted again.
        twice: Twice::Rows("r.lesson <> '' OR r.source = 'cycle'"),
        ..OF_LESSON
    },
    Table { name: "tombstones", columns: &["hash", "at"], key: &["hash"], ..PLAIN },
    Table { name: "opted", columns: &["folder", "at"], key: &["folder"], ..PLAIN },
    // A number is never given twice, whatever was cleared or forgotten.
    Table { name: "numbers", columns: &["file", "highest"], key: &["file"], ..PLAIN },
    Table { name: "citations", columns: &["entry", "session", "at"], key: &["entry", "session"], ..PLAIN },
    Table { name: "trusted", columns: &["folder", "sha256", "at"], key: &["folder"], ..PLAIN },
    Table {
        name: "aliases",
        columns: &["name", "project"],
        project: Some("project"),
        merge: OnMerge::Moved,
        key: &["name"],
        ..PLAIN
    },
    Table { name: "folders", columns: &["folder", "top", "key", "branch"], key: &["folder"], ..PLAIN },
    Table {
        name: "notes",
        columns: &["name", "value"],
        salvage: OnDamage::MadeAgain,
        key: &["name"],
        // How often something was seen: the journal knows more if the database lost what was seen last.
        twice: Twice::Rows("r.name = 'seen'"),
        ..PLAIN
    },
    Table {
        name: "journal_due",
        columns: &["number", "tbl", "key"],
        salvage: OnDamage::MadeAgain,
        forget: OnForget::BySaying,
        key: &["number"],
        twice: Twice::No,
        ..PLAIN
    },
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
            "top",
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
            "cwd",
            "took",
            "pending",
            "tokens",
            "written",
        ],
        forget: OnForget::BySaying,
        ..READ
    },
    Table { name: "requests", columns: &["id", "at", "body"], forget: OnForget::BySaying, ..READ },
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
    fn every_table_of_lessons_is_kept_twice_unless_it_is_made_again() {
        for table in of_lessons() {
            assert!(!table.key.is_empty() && table.key.iter().all(|k| table.columns.contains(k)), "{}", table.name);
        }
        let once: Vec<&str> = of_lessons().filter(|t| t.twice == Twice::No).map(|t| t.name).collect();
        assert_eq!(once, ["unfolded", "worked", "journal_due"]);
        let some: Vec<&str> = of_lessons().filter(|t| matches!(t.twice, Twice::Rows(_))).map(|t| t.name).collect();
        assert_eq!(some, ["observations", "lessons", "outcomes", "notes"]);
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
