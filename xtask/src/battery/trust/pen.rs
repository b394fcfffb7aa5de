//! Writes into `lessons.db` behind uptake's back, as somebody with an editor for databases would. Only `store` speaks SQL
//! here, and it has no door for this: so Python's own module does it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::json;
use uptake_testkit::database::without_second_copy;

const SCRIPT: &str = r#"
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)
db.execute("PRAGMA synchronous = OFF")
for line in sys.stdin:
    lesson, body, total = json.loads(line)
    db.execute("BEGIN IMMEDIATE")
    rows = db.execute("UPDATE lessons SET body = ? WHERE id = ?", (body, lesson)).rowcount
    rows += db.execute("UPDATE verdicts SET sha256 = ? WHERE lesson = ?", (total, lesson)).rowcount
    db.execute("COMMIT")
    print(rows, flush=True)
"#;

/// A writer that stays open.
pub struct Pen {
    child: Child,
    asked: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    database: PathBuf,
}

impl Pen {
    /// Opens a database.
    pub fn new(database: &Path) -> Result<Self> {
        let mut child = Command::new("python3")
            .args(["-c", SCRIPT])
            .arg(database)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("needs python3 to change bytes in a database")?;
        let asked = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().context("no standard output")?);
        Ok(Self { child, asked, answers, database: database.to_owned() })
    }

    /// Replaces what is kept of a lesson, and the sum beside its verdict.
    pub fn write(&mut self, lesson: &str, body: &str, sum: &str) -> Result<()> {
        let asked = self.asked.as_mut().context("the writer is closed")?;
        writeln!(asked, "{}", json!([lesson, body, sum]))?;
        let mut rows = String::new();
        self.answers.read_line(&mut rows)?;
        ensure!(rows.trim() == "2", "a row of `{lesson}` could not be changed");
        // What uptake would bring the lesson back from.
        without_second_copy(&self.database);
        Ok(())
    }
}

impl Drop for Pen {
    fn drop(&mut self) {
        // It ends with its input; until then it keeps the database open.
        self.asked.take();
        let _ = self.child.wait();
    }
}
