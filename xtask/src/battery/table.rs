//! Figures and the one table they stand in.

use std::fmt::Write as _;

use serde_json::json;

/// What became of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It has no bar, or keeps it.
    Ok,
    /// It misses its bar.
    Failed,
    /// It was not measured.
    NotRun,
}

/// One row.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The check it belongs to.
    pub check: &'static str,
    /// What was done.
    pub what: String,
    /// What came out.
    pub value: String,
    /// What must come out.
    pub bar: String,
    /// What others or we had before.
    pub baseline: String,
    /// Whether the bar is kept.
    pub state: State,
    /// Why it was not run, or what to look at.
    pub why: String,
}

impl Figure {
    /// A figure without a bar.
    pub fn new(what: impl Into<String>, value: impl ToString) -> Self {
        Self {
            check: "",
            what: what.into(),
            value: value.to_string(),
            bar: String::new(),
            baseline: String::new(),
            state: State::Ok,
            why: String::new(),
        }
    }

    /// A count that must be zero.
    pub fn none(what: impl Into<String>, count: usize) -> Self {
        Self::new(what, count).bar("0", count == 0)
    }

    /// A check that could not be run.
    pub fn not_run(check: &'static str, why: impl Into<String>) -> Self {
        Self { check, state: State::NotRun, why: why.into(), ..Self::new("", "") }
    }

    /// Says what the bar is and whether it is kept.
    pub fn bar(mut self, bar: impl Into<String>, kept: bool) -> Self {
        self.bar = bar.into();
        self.state = if kept { State::Ok } else { State::Failed };
        self
    }

    /// Says what it stands beside.
    pub fn baseline(mut self, baseline: impl Into<String>) -> Self {
        self.baseline = baseline.into();
        self
    }

    /// Says what to look at.
    pub fn why(mut self, why: impl Into<String>) -> Self {
        self.why = why.into();
        self
    }

    /// Misses its bar.
    pub fn failed(mut self, why: impl Into<String>) -> Self {
        self.state = State::Failed;
        self.why(why)
    }

    fn state(&self) -> String {
        let word = match self.state {
            State::Ok => "ok",
            State::Failed => "FAILED",
            State::NotRun => "not run",
        };
        if self.why.is_empty() { word.to_owned() } else { format!("{word}: {}", self.why) }
    }

    /// One line of `--json`.
    pub fn json(&self, seed: u64) -> String {
        let state = match self.state {
            State::Ok => "ok",
            State::Failed => "failed",
            State::NotRun => "not_run",
        };
        json!({ "v": 1, "check": self.check, "what": self.what, "figure": self.value, "bar": self.bar,
            "baseline": self.baseline, "state": state, "why": self.why, "seed": seed })
        .to_string()
    }
}

/// All rows, columns aligned; the last column is as long as it is.
pub fn table(figures: &[Figure]) -> String {
    const HEAD: [&str; 6] = ["check", "what was done", "figure", "bar", "baseline", "result"];
    let mut rows: Vec<[String; 6]> = vec![HEAD.map(str::to_owned)];
    rows.extend(
        figures.iter().map(|f| {
            [f.check.to_owned(), f.what.clone(), f.value.clone(), f.bar.clone(), f.baseline.clone(), f.state()]
        }),
    );
    let width = |column: usize| rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(width).collect();
    let mut out = String::new();
    for row in &rows {
        for (cell, width) in row.iter().zip(&widths) {
            // A string takes everything.
            let _ = write!(out, "{cell:width$}  ");
        }
        out.push_str(row[5].trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_a_missed_bar_shouts() {
        let figures = [
            Figure { check: "one", ..Figure::none("things lost", 0) },
            Figure { check: "two", ..Figure::none("a longer description", 12).baseline("26.7 %") },
            Figure::not_run("three", "needs --corpus DIR"),
        ];
        let text = table(&figures);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[2].find("FAILED"), lines[1].find("ok"), "{text}");
        assert!(lines[3].ends_with("not run: needs --corpus DIR"), "{text}");
    }
}
