//! Tables of figures, for the terminal and for the page of quality.

use std::fmt::Write as _;

/// A table with what it is about.
pub struct Table {
    /// Its heading.
    pub title: String,
    /// What is counted, in a sentence or two.
    pub about: String,
    /// Names of the columns.
    pub columns: Vec<&'static str>,
    /// Its rows; the bar and the baselines are rows as well.
    pub rows: Vec<Vec<String>>,
    /// What to know about it.
    pub notes: Vec<String>,
}

impl Table {
    /// An empty table.
    pub fn new(title: &str, about: &str, columns: &[&'static str]) -> Self {
        Self {
            title: title.to_owned(),
            about: about.to_owned(),
            columns: columns.to_vec(),
            rows: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row(&mut self, name: &str, cells: impl IntoIterator<Item = String>) {
        let mut row = vec![name.to_owned()];
        row.extend(cells);
        row.resize(self.columns.len(), String::new());
        self.rows.push(row);
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        let mut out = format!("## {}\n\n{}\n\n", self.title, self.about);
        if !self.rows.is_empty() {
            let _ = writeln!(out, "| {} |\n|{}", self.columns.join(" | "), "---|".repeat(self.columns.len()));
            for row in &self.rows {
                let _ = writeln!(out, "| {} |", row.join(" | "));
            }
            out.push('\n');
        }
        for note in &self.notes {
            let _ = writeln!(out, "- {note}");
        }
        out.trim_end().to_owned() + "\n"
    }

    /// In columns of equal width.
    pub fn plain(&self) -> String {
        let width = |i: usize| {
            let cells = self.rows.iter().map(|r| r[i].chars().count());
            cells.chain([self.columns[i].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let padded: Vec<String> = cells.zip(&widths).map(|(c, w)| format!("{c:w$}")).collect();
            padded.join("  ").trim_end().to_owned()
        };
        let mut out = format!("## {}\n", self.title);
        if !self.rows.is_empty() {
            let _ = writeln!(out, "{}", line(&mut self.columns.iter().copied()));
            for row in &self.rows {
                let _ = writeln!(out, "{}", line(&mut row.iter().map(String::as_str)));
            }
        }
        for note in &self.notes {
            let _ = writeln!(out, "- {note}");
        }
        out
    }
}
