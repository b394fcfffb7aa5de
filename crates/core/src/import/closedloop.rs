//! ClosedLoop: `org-patterns.toon`, a table of patterns, and `outcomes.log`, where they were applied.
//!
//! The same pattern has different ids in different files, so it is known by its words: seen five times in one file and
//! three times in another is five times, because the table counts what the log lists.

use std::collections::BTreeMap;

use super::entry::{Entry, between};
use super::lines::{first_texts, texts, time};
use super::toon::{self, Table};
use super::{About, Imported};
use crate::detect::Kind;
use crate::detect::signals::words_of;
use crate::detect::wording::{SMALL, normal_statement};

const TABLE: &str = "patterns";

pub(super) fn sniff_patterns(bytes: &[u8]) -> bool {
    first_texts(bytes).any(|l| toon::header(0, l.trim()).is_some_and(|(t, _)| t.name == TABLE))
}

pub(super) fn sniff_outcomes(bytes: &[u8]) -> bool {
    first_texts(bytes).any(|l| outcome(l).is_some_and(|o| o.at.is_some()))
}

/// Reads the table of patterns.
pub(super) fn patterns(bytes: &[u8], about: &About<'_>) -> Imported {
    let mut out = Imported::default();
    let lines = texts(bytes, &mut out);
    let updated = lines.iter().find_map(|(_, l)| time(l.strip_prefix("# Last updated:")?));
    let (tables, strays) = toon::tables(&lines);
    strays.into_iter().for_each(|line| out.problem(line, "stands under no header"));
    for table in tables.iter().filter(|t| t.name == TABLE) {
        if table.promised.is_some_and(|n| n > table.rows.len()) {
            out.problem(table.line, "promises more rows than there are");
        }
        for (line, cells) in &table.rows {
            match PatternRow::of(table, cells) {
                Ok(row) => take(&row, updated, about, &mut out),
                Err(why) => out.problem(*line, why),
            }
        }
    }
    out.problems.sort_by_key(|p| p.line);
    out
}

fn take(row: &PatternRow<'_>, updated: Option<i64>, about: &About<'_>, out: &mut Imported) {
    if !["", "*"].contains(&row.repo) && !row.repo.eq_ignore_ascii_case(about.project) {
        return out.leave_out("about another repository");
    }
    if row.flags.contains("PRUNE") {
        return out.leave_out("marked [PRUNE] in ClosedLoop");
    }
    let statement = about.clean(row.summary);
    out.take(
        about,
        &Entry {
            id: about.clean(row.id),
            root: root(&statement),
            kind: row.kind,
            details: String::new(),
            times: between(row.seen, updated, updated),
            sound: !row.flags.contains("REVIEW"),
            statement,
        },
    );
}

/// Stands in for the ids of the sessions of a pattern. It is stored, so how it is made never changes: a file that is
/// read again adds nothing.
fn root(statement: &str) -> String {
    let form = words_of(statement).filter(|w| !SMALL.contains(&w.as_str())).collect::<Vec<_>>().join(" ");
    blake3::hash(form.as_bytes()).to_hex()[..10].to_owned()
}

/// A row of the table, as far as it is used.
struct PatternRow<'r> {
    id: &'r str,
    kind: Kind,
    summary: &'r str,
    seen: usize,
    flags: &'r str,
    repo: &'r str,
}

impl<'r> PatternRow<'r> {
    fn of(table: &Table<'_>, cells: &'r [String]) -> Result<Self, &'static str> {
        let cell = |name: &str| {
            let at = table.columns.iter().position(|c| *c == name)?;
            cells.get(at).map(String::as_str)
        };
        let id = cell("id").filter(|id| !id.is_empty()).ok_or("has no `id`")?;
        let kind = match cell("category") {
            Some("mistake") => Kind::Pitfall,
            Some("pattern") => Kind::Procedure,
            Some("convention") => Kind::Instruction,
            Some("insight") => Kind::Insight,
            _ => return Err("has an unknown `category`"),
        };
        let summary = cell("summary").filter(|s| !s.is_empty()).ok_or("has no `summary`")?;
        let seen = cell("seen_count").and_then(|n| n.parse::<u64>().ok()).ok_or("has a count that is no number")?;
        // Rows of older versions have no repository. A comma in the cells before it makes a row longer.
        let repo = if cells.len() > table.columns.len() { cells.last().map(String::as_str) } else { cell("repo") };
        let seen = usize::try_from(seen).unwrap_or(usize::MAX);
        Ok(Self { id, kind, summary, seen, flags: cell("flags").unwrap_or_default(), repo: repo.unwrap_or("*") })
    }
}

/// A line of the log.
struct LoggedOutcome<'l> {
    at: Option<i64>,
    run: &'l str,
    pattern: &'l str,
    doubt: Option<&'static str>,
}

/// `time|run|iteration|agent|pattern|applied|places…`; more columns were added behind, in several versions.
fn outcome(line: &str) -> Option<LoggedOutcome<'_>> {
    let fields: Vec<&str> = line.split('|').map(str::trim).collect();
    // A pattern may hold the delimiter.
    let status = 5 + fields.get(5..)?.iter().position(|f| matches!(*f, "applied" | "injected"))?;
    let start: usize = line.split('|').take(4).map(|f| f.len() + 1).sum();
    let length = line.split('|').skip(4).take(status - 4).map(|f| f.len() + 1).sum::<usize>() - 1;
    let later = |word: &str| fields[status + 1..].contains(&word);
    let doubt = match fields[status] {
        "injected" => Some("of a pattern that was shown, not applied"),
        _ if later("unverified") => Some("naming a place that was not found"),
        _ if later("build_failed") => Some("of a run whose build failed"),
        _ => None,
    };
    Some(LoggedOutcome { at: time(fields[0]), run: fields[1], pattern: line[start..start + length].trim(), doubt })
}

/// Runs in which a pattern was applied, each with its last time.
type Runs<'l> = BTreeMap<&'l str, Option<i64>>;

/// Reads the log of outcomes: a pattern counts once per run in which it was applied.
pub(super) fn outcomes(bytes: &[u8], about: &About<'_>) -> Imported {
    let mut out = Imported::default();
    let mut applied: BTreeMap<&str, Runs<'_>> = BTreeMap::new();
    for (line, text) in texts(bytes, &mut out) {
        match outcome(text) {
            Some(LoggedOutcome { doubt: Some(why), .. }) => out.leave_out(why),
            Some(o) if !o.pattern.is_empty() => {
                let at = applied.entry(o.pattern).or_default().entry(o.run).or_insert(o.at);
                *at = (*at).max(o.at);
            }
            _ => out.problem(line, "is no outcome"),
        }
    }
    let known = TablePatterns::of(about);
    let mut by_key: BTreeMap<String, (Kind, String, Runs<'_>)> = BTreeMap::new();
    for (pattern, runs) in applied {
        let (kind, statement) = known.whole(&about.clean(pattern));
        let (_, _, all) = by_key.entry(normal_statement(&statement)).or_insert((kind, statement, BTreeMap::new()));
        all.extend(runs);
    }
    for (kind, statement, runs) in by_key.into_values() {
        let mut times: Vec<Option<i64>> = runs.into_values().collect();
        times.sort_unstable();
        let root = root(&statement);
        let id = format!("outcome-{root}");
        out.take(about, &Entry { id, root, kind, statement, details: String::new(), times, sound: true });
    }
    out
}

/// The patterns of the table beside the log: the log does not say what they are about.
#[derive(Default)]
struct TablePatterns {
    patterns: BTreeMap<String, (Kind, String)>,
}

impl TablePatterns {
    fn of(about: &About<'_>) -> Self {
        let mut known = Self::default();
        let lines = texts(about.beside.unwrap_or_default(), &mut Imported::default());
        let (tables, _) = toon::tables(&lines);
        let rows = tables.iter().filter(|t| t.name == TABLE).flat_map(|t| t.rows.iter().map(move |(_, r)| (t, r)));
        let found: Vec<(Kind, String)> = rows
            .filter_map(|(t, r)| PatternRow::of(t, r).ok())
            .map(|row| (row.kind, about.clean(row.summary)))
            .take(super::ENTRIES)
            .collect();
        for (kind, summary) in &found {
            known.patterns.insert(normal_statement(summary), (*kind, summary.clone()));
        }
        // The log cuts a pattern at its commas: a piece is looked up as the whole.
        for (kind, summary) in found {
            for piece in summary.split(',').map(normal_statement).filter(|p| p.contains(' ')) {
                known.patterns.entry(piece).or_insert_with(|| (kind, summary.clone()));
            }
        }
        known
    }

    /// What a pattern of the log is about, and all its words.
    fn whole(&self, pattern: &str) -> (Kind, String) {
        let known = self.patterns.get(&normal_statement(pattern)).cloned();
        known.unwrap_or_else(|| (Kind::Procedure, pattern.to_owned()))
    }
}
