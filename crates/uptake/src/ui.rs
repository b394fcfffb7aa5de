//! The only place that prints: colour, progress, questions, JSON lines.

use std::io::{self, BufRead as _, IsTerminal as _, Write};

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use uptake_store::StoreError;

use crate::env_vars;

/// Where output goes.
pub struct Ui {
    out: Box<dyn Write>,
    /// One JSON object a line instead of text.
    pub json: bool,
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
        Self { out: Box::new(io::BufWriter::new(anstream::stdout())), json }
    }

    /// One line of text.
    pub fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.out, "{}", text.as_ref())
    }

    /// Text without a line end.
    pub fn part(&mut self, text: &str) -> io::Result<()> {
        write!(self.out, "{text}")?;
        self.out.flush()
    }

    /// One JSON object, with the version of its shape.
    pub fn object(&mut self, value: &impl Serialize) -> io::Result<()> {
        #[derive(Serialize)]
        struct Versioned<'v, T: Serialize> {
            v: u8,
            #[serde(flatten)]
            value: &'v T,
        }
        serde_json::to_writer(&mut self.out, &Versioned { v: 1, value })?;
        self.out.write_all(b"\n")
    }

    /// Hands everything to the terminal.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
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
        Self::bar(total, what, "{msg} {bar:32} {bytes}/{total_bytes} {elapsed}")
    }

    /// The same over things that are counted.
    pub fn count_bar(total: u64, what: &'static str) -> ProgressBar {
        Self::bar(total, what, "{msg} {bar:32} {pos}/{len} {elapsed}")
    }

    fn bar(total: u64, what: &'static str, template: &str) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10));
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(what);
        bar
    }
}

/// Text in a style.
pub fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// `1 session`, `2 sessions`.
pub fn count(n: u64, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

/// `1.2 MB`.
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
