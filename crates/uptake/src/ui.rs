//! The only place that prints: colour, progress, questions, pages, JSON lines.

mod pager;

use std::fmt;
use std::io::{self, BufRead as _, IsTerminal as _, Write};

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use ratatui::crossterm::terminal;
use serde::Serialize;
use uptake_core::learn::{Evidence, Lesson, Provenance, Spent};
use uptake_store::StoreError;

use self::pager::Pager;
use crate::env_vars;

/// Where output goes.
pub struct Ui {
    out: Out,
    /// One JSON object a line instead of text.
    pub json: bool,
}

enum Out {
    Plain(Box<dyn Write>),
    Paged(Box<Pager>),
}

impl Out {
    fn get(&mut self) -> &mut dyn Write {
        match self {
            Self::Plain(out) => out,
            Self::Paged(pager) => pager,
        }
    }
}

/// Emphasis.
pub const BOLD: Style = Style::new().bold();
/// Side remarks.
pub const DIM: Style = Style::new().dimmed();
/// Good news.
pub const GREEN: Style = AnsiColor::Green.on_default();
/// Warnings.
pub const YELLOW: Style = AnsiColor::Yellow.on_default();

impl Ui {
    /// Prints to standard output.
    pub fn stdout(json: bool) -> Self {
        Self { out: Out::Plain(Box::new(io::BufWriter::new(anstream::stdout()))), json }
    }

    /// Prints nothing: nobody reads it.
    pub fn nowhere() -> Self {
        Self { out: Out::Plain(Box::new(io::sink())), json: true }
    }

    /// Prints to standard output, page by page where a person reads and it is long. Must be ended.
    pub fn paged() -> Self {
        match Pager::wanted() {
            Some(pager) => Self { out: Out::Paged(Box::new(pager)), json: false },
            None => Self::stdout(false),
        }
    }

    /// Prints what is still held back, and waits for the pager, so that notes on standard error come after it.
    pub fn end(mut self) -> io::Result<()> {
        match &mut self.out {
            Out::Plain(out) => out.flush(),
            Out::Paged(pager) => pager.end(),
        }
    }

    /// One line of text.
    pub fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.out.get(), "{}", text.as_ref())
    }

    /// Text without a line end.
    pub fn part(&mut self, text: &str) -> io::Result<()> {
        write!(self.out.get(), "{text}")?;
        self.flush()
    }

    /// One JSON object, with the version of its shape.
    pub fn object(&mut self, value: &impl Serialize) -> io::Result<()> {
        #[derive(Serialize)]
        struct Versioned<'v, T: Serialize> {
            v: u8,
            #[serde(flatten)]
            value: &'v T,
        }
        serde_json::to_writer(self.out.get(), &Versioned { v: 1, value })?;
        self.out.get().write_all(b"\n")
    }

    /// Hands everything to the terminal.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.get().flush()
    }

    /// Columns of the terminal a person reads on; none if nobody does.
    pub fn columns() -> Option<usize> {
        let size = io::stdout().is_terminal().then(terminal::size)?;
        size.ok().map(|(columns, _)| usize::from(columns)).filter(|n| *n > 0)
    }

    /// A line for the person, beside the output proper.
    pub fn note(text: impl AsRef<str>) {
        let _ = writeln!(anstream::stderr(), "{}", text.as_ref());
    }

    /// Whether a person can answer questions.
    pub fn can_ask() -> bool {
        io::stdin().is_terminal() && io::stdout().is_terminal()
    }

    /// Whether the whole screen may be used.
    pub fn has_screen() -> bool {
        let able = cfg!(windows) || env_vars::get(env_vars::TERM).is_some_and(|t| t != "dumb");
        able && Self::can_ask()
    }

    /// Reads one line from the person; `None` at the end of input.
    pub fn answer(&mut self, question: &str) -> io::Result<Option<String>> {
        self.part(question)?;
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line)?;
        Ok((read > 0).then(|| line.trim().to_owned()))
    }

    /// Whether the person says yes; anything else is no.
    pub fn agrees(&mut self, question: &str) -> io::Result<bool> {
        Ok(matches!(self.answer(&format!("{question} [y/N]: "))?.as_deref(), Some("y" | "Y" | "yes")))
    }

    /// A progress bar over bytes, shown only where a person watches.
    pub fn bytes_bar(total: u64, what: &'static str) -> ProgressBar {
        Self::bar(total, what, "{msg} {bar:32} {done}/{all} {elapsed}")
    }

    /// The same over things that are counted.
    pub fn count_bar(total: u64, what: &'static str) -> ProgressBar {
        Self::bar(total, what, "{msg} {bar:32} {pos}/{len} {elapsed}")
    }

    fn bar(total: u64, what: &'static str, template: &str) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10));
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.with_key("done", done).with_key("all", all));
        }
        bar.set_message(what);
        bar
    }

    /// The same beside output: shown only if the output goes elsewhere, so that the bar does not draw over it.
    pub fn bytes_bar_beside_output(total: u64, what: &'static str) -> ProgressBar {
        if io::stdout().is_terminal() { ProgressBar::hidden() } else { Self::bytes_bar(total, what) }
    }
}

fn done(state: &ProgressState, out: &mut dyn fmt::Write) {
    let _ = out.write_str(&size(state.pos()));
}

fn all(state: &ProgressState, out: &mut dyn fmt::Write) {
    let _ = out.write_str(&size(state.len().unwrap_or(0)));
}

/// Text in a style.
pub fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// The word for what a lesson is: what an agent wrote down stands apart from what people said.
pub fn kind(lesson: &Lesson) -> &'static str {
    if lesson.is_note() { "written" } else { lesson.kind.as_str() }
}

/// What a failure cost so far, in words; `None` for lessons that are not about one.
pub fn cost(evidence: &Evidence) -> Option<String> {
    let Spent { times, calls, tokens } = evidence.spent;
    if times == 0 {
        return None;
    }
    let sessions = count(evidence.sessions as u64, "session");
    let price = match (tokens, calls) {
        (0, 0) => String::new(),
        (0, calls) => format!(", {} until it was over", count(calls, "further call")),
        (tokens, _) => format!(", about {} tokens until it was over", grouped(rounded(tokens))),
    };
    let tally = evidence.tally.as_ref().map(|t| format!("; {t}")).unwrap_or_default();
    Some(format!("Met {} in {sessions}{price}{tally}", count(times, "time")))
}

/// In which ways a reader's words go beyond their quotes; `None` if they do not.
pub fn inferred(origin: &Provenance) -> Option<String> {
    let ways: Vec<&str> = origin.leaps.iter().map(|leap| leap.what()).collect();
    (!ways.is_empty()).then(|| format!("Inferred: {}.", ways.join("; ")))
}

/// A number with two digits that count: nobody needs more.
pub fn rounded(n: u64) -> u64 {
    let unit = 10_u64.pow(n.checked_ilog10().unwrap_or(0).saturating_sub(1));
    n / unit * unit
}

/// `31000` → `31,000`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 session`, `2 sessions`.
pub fn count(n: u64, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

/// `a recovery`, `an instruction`.
pub fn a(word: &str) -> String {
    let article = if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {word}")
}

/// As much of a text as fits into so many columns; a cut is shown.
pub fn cut(text: &str, columns: usize) -> String {
    if text.chars().count() <= columns {
        return text.to_owned();
    }
    let start: String = text.chars().take(columns.saturating_sub(1)).collect();
    format!("{}…", start.trim_end())
}

/// `1.2 MB`: the one way to write a size, in powers of ten.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// What the person can do about an error of the store or a full disk.
pub fn hint(error: &anyhow::Error) -> Option<&'static str> {
    let full = |e: &io::Error| e.kind() == io::ErrorKind::StorageFull;
    let store = error.downcast_ref::<StoreError>().map(StoreError::hint);
    store.or_else(|| error.chain().any(|e| e.downcast_ref().is_some_and(full)).then_some(uptake_store::FULL))
}
