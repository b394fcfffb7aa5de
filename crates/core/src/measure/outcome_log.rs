//! `outcomes.log`, as ClosedLoop writes it: a line per pattern and iteration, to which later steps add columns.
//!
//! Comes in: its lines. Goes out: outcomes, and the same line again, with all columns. Reading a line that was written and
//! writing it gives the same line: nothing is ever added twice.

use std::fmt::Write as _;

use super::places::{Place, places};

/// A line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Logged {
    /// When, as it is written.
    pub time: String,
    /// The run.
    pub run: String,
    /// Its iteration.
    pub iteration: u32,
    /// Who.
    pub agent: String,
    /// The pattern's words, commas, brackets and bars included.
    pub pattern: String,
    /// Whether it was applied; else it was only shown.
    pub applied: bool,
    /// What is named as proof.
    pub places: Vec<Place>,
    /// From 0 to 1000.
    pub relevance: Option<u16>,
    /// How that was found out.
    pub method: String,
    /// The goal's name, whether it was met, and how nearly.
    pub goal: Option<(String, bool, f64)>,
    /// Whether no place that was named is in the diff.
    pub unverified: bool,
    /// Whether the build passed.
    pub built: Option<bool>,
}

/// Reads a line; nothing of one that is none.
pub fn read(line: &str) -> Option<Logged> {
    let fields: Vec<&str> = line.trim_end().split('|').collect();
    // A pattern may hold the delimiter: it ends before the first word that is a status.
    let status = 5 + fields.get(5..)?.iter().position(|f| matches!(f.trim(), "applied" | "injected"))?;
    let mut out = Logged {
        time: fields[0].trim().to_owned(),
        run: fields[1].trim().to_owned(),
        iteration: fields[2].trim().parse().ok()?,
        agent: fields[3].trim().to_owned(),
        pattern: fields[4..status].join("|").trim().to_owned(),
        applied: fields[status].trim() == "applied",
        places: places(fields.get(status + 1).unwrap_or(&"")),
        ..Logged::default()
    };
    let later: Vec<&str> = fields.iter().skip(status + 2).map(|f| f.trim()).collect();
    out.unverified = later.contains(&"unverified");
    out.built = later.iter().find_map(|f| match *f {
        "build_passed" => Some(true),
        "build_failed" => Some(false),
        _ => None,
    });
    let mut columns = later.iter().filter(|f| !matches!(**f, "unverified" | "build_passed" | "build_failed"));
    if let Some(relevance) = columns.next().and_then(|f| share(f)) {
        out.relevance = Some(relevance);
        out.method = columns.next().map(|m| (*m).to_owned()).unwrap_or_default();
        if let (Some(name), Some(met)) = (columns.next().filter(|n| !n.is_empty()), columns.next()) {
            let score = columns.next().and_then(|s| s.parse().ok()).filter(|s: &f64| s.is_finite()).unwrap_or(0.0);
            out.goal = Some(((*name).to_owned(), *met == "1", score));
        }
    }
    // Nobody looked at how relevant it is: theirs writes this default in every line.
    if out.method == "default" {
        out.relevance = None;
    }
    (!out.pattern.is_empty()).then_some(out)
}

fn share(text: &str) -> Option<u16> {
    let share: f64 = text.parse().ok()?;
    (0.0..=1.0).contains(&share).then(|| (share * 1_000.0).round() as u16)
}

/// Writes a line, all columns that are known, in the order of the pipeline.
pub fn write(one: &Logged) -> String {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let places = one.places.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let status = if one.applied { "applied" } else { "injected" };
    let mut out = format!(
        "{}|{}|{}|{}|{}|{status}|{places}",
        one.time,
        one.run,
        one.iteration,
        one_line(&one.agent),
        one_line(&one.pattern)
    );
    if one.relevance.is_some() || one.goal.is_some() {
        let (share, method) = one.relevance.map_or((500, "default"), |r| (r, "context_tags"));
        let _ = write!(out, "|{}|{method}", f64::from(share) / 1_000.0);
    }
    if let Some((name, met, score)) = &one.goal {
        let _ = write!(out, "|{name}|{}|{score:.2}", u8::from(*met));
    }
    if one.unverified {
        out.push_str("|unverified");
    }
    match one.built {
        Some(true) => out.push_str("|build_passed"),
        Some(false) => out.push_str("|build_failed"),
        None => {}
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASIC: &str = "2026-02-01T10:00:00Z|20260201-100000|1|implementation-subagent|Always check token expiry before API calls|applied|src/auth/token.ts:10";

    #[test]
    fn the_cases_of_closedloop_hold() {
        let basic = read(BASIC).expect("a line");
        assert_eq!((basic.iteration, basic.applied, basic.unverified), (1, true, false));
        assert_eq!(basic.places[0].to_string(), "src/auth/token.ts:10");
        assert!(read(&format!("{BASIC}|unverified")).is_some_and(|l| l.unverified));
        assert!(read(&BASIC.replace("|applied|", "|injected|")).is_some_and(|l| !l.applied));
        let full = read(&format!("{BASIC}|0.8|context_tags|reduce-failures|1|0.75")).expect("a line");
        assert_eq!((full.relevance, full.goal), (Some(800), Some(("reduce-failures".into(), true, 0.75))));
        let six = read("2026-02-01T10:00:00Z|run|1|agent|words|applied").expect("six fields are enough");
        assert_eq!((six.pattern.as_str(), six.applied, six.places.len()), ("words", true, 0));
        for few in ["2026-02-01T10:00:00Z|run|1|agent|applied", "run|1|agent|words", "words", ""] {
            assert_eq!(read(few), None, "too few fields: {few}");
        }
    }

    /// Theirs appends the goal again with every run.
    #[test]
    fn a_line_that_was_written_is_written_the_same() {
        for tail in [
            "",
            "|0.8|context_tags",
            "|0.5|default|reduce-failures|1|0.67|unverified|build_failed",
            "|0.4|context_tags|green|0|0.00|build_passed",
            "|unverified",
        ] {
            let line = format!("{BASIC}{tail}");
            let once = write(&read(&line).expect("a line"));
            assert_eq!(once, line);
            assert_eq!(write(&read(&once).expect("a line")), once);
        }
    }

    #[test]
    fn commas_brackets_and_bars_are_part_of_a_pattern() {
        for pattern in ["Run unit tests first, then push", "[0e3dd] Use arr[0] not arr.first", "pipe a | b, not c"] {
            let line = BASIC.replace("Always check token expiry before API calls", pattern);
            assert_eq!(read(&line).map(|l| l.pattern).as_deref(), Some(pattern));
        }
    }
}
