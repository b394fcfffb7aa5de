//! Files of entries: `decisions.md` and `pitfalls.md`. What stands in them, how one is added, and the index agents read.
//!
//! The files are the user's: whatever is not an entry of ours stays as it is, byte for byte, with its line ends.

use std::fmt::Write as _;

use super::skill::cut;
use crate::learn::sha256_hex;

/// One of the two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryFile {
    /// Decisions, `ADR-001`.
    Decisions,
    /// Pitfalls, `PF-001`.
    Pitfalls,
}

impl EntryFile {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Decisions, Self::Pitfalls];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Decisions => "decisions.md",
            Self::Pitfalls => "pitfalls.md",
        }
    }

    /// What it holds, for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Decisions => "Decisions",
            Self::Pitfalls => "Pitfalls",
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            Self::Decisions => "ADR",
            Self::Pitfalls => "PF",
        }
    }

    /// How the entry with a number is called.
    pub fn id(self, number: u32) -> String {
        format!("{}-{number:03}", self.prefix())
    }

    /// The file of an entry's name.
    pub fn of_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.number(id).is_some())
    }

    /// The number in an entry's name.
    pub fn number(self, id: &str) -> Option<u32> {
        let digits = id.strip_prefix(self.prefix())?.strip_prefix('-')?;
        let plain = digits.len() >= 3 && digits.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| digits.parse().ok()).flatten()
    }

    fn head(self) -> &'static str {
        match self {
            Self::Decisions => {
                "# Architectural Decisions\n\nAppend-only. Status changes allowed; deletions prohibited.\n"
            }
            Self::Pitfalls => "# Known Pitfalls\n\nArea-specific gotchas, fragile areas, and past bugs.\n",
        }
    }

    /// The entries of a text, in order.
    pub fn entries(self, text: &str) -> Vec<Entry> {
        let mut out: Vec<Entry> = Vec::new();
        let (mut at, mut fenced) = (0, false);
        for line in text.split_inclusive('\n') {
            let bare = line.trim_end();
            fenced ^= bare.trim_start().starts_with("```");
            if !fenced && (bare.starts_with("## ") || bare.starts_with("# ")) {
                if let Some(open) = out.last_mut().filter(|e| e.end == usize::MAX) {
                    open.end = at;
                }
                out.extend(self.heading(bare, at));
            }
            at += line.len();
        }
        for entry in &mut out {
            entry.end = entry.end.min(text.len());
            entry.read(&text[entry.start..entry.end]);
        }
        out
    }

    fn heading(self, line: &str, at: usize) -> Option<Entry> {
        let (id, title) = line.strip_prefix("## ")?.split_once(':')?;
        let number = self.number(id.trim())?;
        let (id, title) = (id.trim().to_owned(), title.trim().to_owned());
        Some(Entry { id, number, title, start: at, end: usize::MAX, ..Entry::default() })
    }

    /// The highest number in a text.
    pub fn highest(self, text: &str) -> u32 {
        self.entries(text).iter().map(|e| e.number).max().unwrap_or(0)
    }

    /// A text with one entry more at its end; a new file if there is none.
    pub fn with(self, text: Option<&str>, entry: &str) -> String {
        let head = || format!("{}\n{}", self.counted(&[]), self.head());
        let mut out = text.map_or_else(head, str::to_owned);
        let end = if out.contains("\r\n") { "\r\n" } else { "\n" };
        while !out.is_empty() && !out.ends_with(&end.repeat(2)) {
            out.push_str(end);
        }
        out.push_str(&entry.replace('\n', end));
        self.recounted(&out)
    }

    /// A text without an entry.
    pub fn without(self, text: &str, id: &str) -> String {
        let Some(entry) = self.entries(text).into_iter().find(|e| e.id == id) else { return text.to_owned() };
        let mut out = text[..entry.start].to_owned();
        if entry.end == text.len() {
            out.truncate(out.trim_end().len());
            out.push_str(if text.contains("\r\n") { "\r\n" } else { "\n" });
        }
        out.push_str(&text[entry.end..]);
        self.recounted(&out)
    }

    /// Whether nothing is left but what we put at the top.
    pub fn is_bare(self, text: &str) -> bool {
        let plain = |t: &str| t.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let body = text.split_once("-->").map_or(text, |(top, rest)| if is_count(top) { rest } else { text });
        plain(body) == plain(self.head())
    }

    /// The first line says how many entries there are. Who took it out wants none.
    fn recounted(self, text: &str) -> String {
        let first = text.lines().next().unwrap_or_default();
        if !is_count(first) {
            return text.to_owned();
        }
        format!("{}{}", self.counted(&self.entries(text)), &text[first.len()..])
    }

    fn counted(self, entries: &[Entry]) -> String {
        let active: Vec<&str> = entries.iter().filter(|e| e.is_active()).map(|e| e.id.as_str()).collect();
        let key = active[active.len().saturating_sub(KEY)..].join(", ");
        format!("<!-- TL;DR: {} {}. Key: {key} -->", active.len(), self.title().to_lowercase())
    }
}

/// So many entries are named in the first line.
const KEY: usize = 5;

fn is_count(line: &str) -> bool {
    line.starts_with("<!-- TL;DR: ")
}

/// An entry of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its name, such as `ADR-001`.
    pub id: String,
    /// Its number.
    pub number: u32,
    /// Its title.
    pub title: String,
    /// What stands behind `Status`.
    pub status: String,
    /// What stands behind `Area`.
    pub area: String,
    /// What stands behind `Issue`.
    pub issue: String,
    /// The lesson it was made of; none if a person wrote it.
    pub lesson: Option<String>,
    /// The sum of its text, whatever white space and line ends stand around it.
    pub sha256: String,
    start: usize,
    end: usize,
}

impl Entry {
    fn read(&mut self, text: &str) {
        let value = |name| field(text, name).unwrap_or_default().to_owned();
        (self.status, self.area, self.issue) = (value("Status"), value("Area"), value("Issue"));
        let source = value("Source");
        self.lesson = source.strip_prefix("self-learning:").map(|id| id.trim().to_owned());
        self.sha256 = entry_sum(text);
    }

    /// Its own words in the text it was read from.
    pub fn text<'t>(&self, whole: &'t str) -> &'t str {
        whole.get(self.start..self.end).unwrap_or_default()
    }

    /// Whether it still holds.
    pub fn is_active(&self) -> bool {
        !["deprecated", "superseded", "retired"].iter().any(|w| self.status.to_lowercase().starts_with(w))
    }
}

/// The sum of an entry's text, whatever white space and line ends stand around it.
pub fn entry_sum(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    sha256_hex(lines.join("\n").trim().as_bytes())
}

/// What stands behind a name in an entry.
pub(super) fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix("- ").unwrap_or(line.trim_start());
        let rest = rest.strip_prefix("**")?.strip_prefix(name)?;
        Some(rest.strip_prefix("**:").or_else(|| rest.strip_prefix(":**"))?.trim())
    })
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Longest title and area in the index.
const TITLE: usize = 60; // characters
const AREA: usize = 80; // characters

/// The index of what is known, as agents and people read it; `(none)` if there is nothing. Each file comes with the place
/// where it lies, as it is to be shown.
pub fn index(files: &[(EntryFile, String, Vec<Entry>)]) -> String {
    let mut out = String::new();
    for (file, _, entries) in files {
        let active: Vec<&Entry> = entries.iter().filter(|e| e.is_active()).collect();
        if active.is_empty() {
            continue;
        }
        let _ = writeln!(out, "{} ({}):", file.title(), active.len());
        for entry in active {
            let area = if entry.area.is_empty() { String::new() } else { format!("  —  {}", cut(&entry.area, AREA)) };
            let _ = writeln!(out, "  {}  {}  [{}]{area}", entry.id, cut(&entry.title, TITLE), status(entry));
        }
    }
    if out.is_empty() {
        return "(none)\n".to_owned();
    }
    for (file, place, entries) in files.iter().filter(|(.., entries)| entries.iter().any(Entry::is_active)) {
        let first = entries.iter().find(|e| e.is_active()).map_or("", |e| e.id.as_str());
        let _ = writeln!(out, "{} are in {place}; one entry begins at its heading `## {first}:`", file.title());
    }
    out.push_str(CITE);
    out
}

/// What agents are asked to do with the index.
const CITE: &str = "Read an entry before you work on what it is about. Where you follow one, say so in these words: \
                    `applies ADR-NNN` or `avoids PF-NNN`, with ids from this list only.\n";

fn status(entry: &Entry) -> &str {
    // Written so by older tools; it means the same.
    match entry.status.as_str() {
        "Active" | "Accepted" => "Active",
        _ => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::by_hand;
    use crate::render::entry;
    use expect_test::expect;

    fn decision(n: u32, text: &str) -> String {
        entry(&by_hand("path:/x/shop", text, 1), EntryFile::Decisions, n, "2026-11-16")
    }

    #[test]
    fn an_entry_is_added_counted_and_taken_out_again() {
        let one = EntryFile::Decisions.with(None, &decision(1, "Use Postgres because SQLite locks"));
        expect![[r#"
            <!-- TL;DR: 1 decisions. Key: ADR-001 -->
            # Architectural Decisions

            Append-only. Status changes allowed; deletions prohibited.

            ## ADR-001: Use Postgres because SQLite locks

            - **Date**: 2026-11-16
            - **Status**: Active
            - **Context**: because SQLite locks
            - **Decision**: Use Postgres
            - **Consequences**: New work follows it; who has a reason not to says so first.
            - **Source**: self-learning:d6184b539c
        "#]]
        .assert_eq(&one);
        let two = EntryFile::Decisions.with(Some(&one), &decision(2, "Serve HTML"));
        assert!(two.starts_with("<!-- TL;DR: 2 decisions. Key: ADR-001, ADR-002 -->"), "{two}");
        assert_eq!(EntryFile::Decisions.without(&two, "ADR-002"), one);
        let none = EntryFile::Decisions.without(&one, "ADR-001");
        assert!(EntryFile::Decisions.is_bare(&none) && !EntryFile::Decisions.is_bare(&one), "{none}");
    }

    #[test]
    fn what_people_wrote_stays_as_it_is_with_its_line_ends() {
        let own = "# Ours\r\n\r\n## ADR-007: By hand\r\n\r\n- **Status**: Active\r\ntext\r\n";
        let with = EntryFile::Decisions.with(Some(own), &decision(8, "Serve HTML"));
        assert!(with.starts_with(own) && !with.replace("\r\n", "").contains('\n'), "{with:?}");
        assert_eq!(EntryFile::Decisions.without(&with, "ADR-008"), own);
        let entries = EntryFile::Decisions.entries(&with);
        assert_eq!((entries.len(), entries[0].lesson.is_none(), EntryFile::Decisions.highest(&with)), (2, true, 8));
        assert_eq!(entries[1].sha256, entry_sum(&decision(8, "Serve HTML")), "line ends do not matter");
    }

    #[test]
    fn the_index_lists_what_holds() {
        let text = EntryFile::Decisions.with(None, &decision(1, "Use Postgres"));
        let text = EntryFile::Decisions.with(Some(&text), &decision(2, "Serve HTML"));
        let text = text.replacen("Active", "Superseded", 1);
        let entries = EntryFile::Decisions.entries(&text);
        expect![[r#"
            Decisions (1):
              ADR-002  Serve HTML  [Active]
            Decisions are in k/decisions.md; one entry begins at its heading `## ADR-002:`
            Read an entry before you work on what it is about. Where you follow one, say so in these words: `applies ADR-NNN` or `avoids PF-NNN`, with ids from this list only.
        "#]]
        .assert_eq(&index(&[(EntryFile::Decisions, "k/decisions.md".to_owned(), entries)]));
        assert_eq!(index(&[]), "(none)\n");
    }

    #[test]
    fn headings_in_code_and_of_other_files_are_no_entries() {
        let text = "## PF-001: x\n```\n## ADR-002: y\n```\n## ADR-12: short\n## ADR-003: z\n";
        let ids: Vec<String> = EntryFile::Decisions.entries(text).into_iter().map(|e| e.id).collect();
        assert_eq!(ids, ["ADR-003"]);
    }
}
