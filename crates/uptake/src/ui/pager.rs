//! A long list on a terminal, page by page.
//!
//! Lines come in. While they fit on the screen they are held back; once they do not, a pager is started and gets them
//! all. What fits is printed as it is. Without a pager everything is printed. No shell is asked: the pager is a program
//! and its words.

use std::io::{self, IsTerminal as _, Write};
use std::process::{Child, ChildStdin, Command, Stdio};

use anstream::{AutoStream, ColorChoice, StripStream};
use ratatui::crossterm::terminal;

use crate::env_vars::{self, LESS, PAGER, UPTAKE_PAGER};

/// Leaves at once what fits, shows colours, leaves the text on the screen.
const LESS_OPTIONS: &str = "FRX";

/// Holds lines back until it is known whether they fit.
pub(super) struct Pager {
    /// The program and its words.
    words: Vec<String>,
    screen: Screen,
    held: Vec<u8>,
    to: To,
}

/// Where lines go.
enum To {
    /// Nowhere yet.
    Held,
    /// They fit, or the pager could not be started.
    Terminal,
    /// They do not fit.
    Program(Child, Box<dyn Write>),
}

/// Columns and rows.
#[derive(Clone, Copy)]
struct Screen {
    columns: usize,
    rows: usize,
}

impl Pager {
    /// The person's pager; none if nobody watches or none is wanted.
    pub(super) fn wanted() -> Option<Self> {
        let able = env_vars::get(env_vars::TERM).is_some_and(|t| t != "dumb");
        if !able || !io::stdout().is_terminal() {
            return None;
        }
        let (columns, rows) = terminal::size().ok()?;
        let screen = Screen { columns: usize::from(columns).max(1), rows: usize::from(rows) };
        let told = env_vars::even_empty(UPTAKE_PAGER).or_else(|| env_vars::even_empty(PAGER));
        Some(Self { words: words(told.as_deref())?, screen, held: Vec::new(), to: To::Held })
    }

    /// Shows what was held back, and waits until the person is done.
    pub(super) fn end(&mut self) -> io::Result<()> {
        if matches!(self.to, To::Held) {
            self.to = To::Terminal;
            let held = std::mem::take(&mut self.held);
            return self.write_all(&held).and_then(|()| self.flush());
        }
        if let To::Program(mut program, input) = std::mem::replace(&mut self.to, To::Terminal) {
            drop(input);
            program.wait()?;
        }
        Ok(())
    }

    fn start(&mut self) -> io::Result<()> {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).stdin(Stdio::piped());
        if env_vars::get(LESS).is_none() {
            command.env(LESS, LESS_OPTIONS);
        }
        self.to = match command.spawn() {
            Ok(mut program) => match program.stdin.take() {
                Some(input) => {
                    keep_running_when_interrupted();
                    To::Program(program, self.coloured(input))
                }
                None => To::Terminal,
            },
            // A list must not be lost because a pager is.
            Err(_) => To::Terminal,
        };
        let held = std::mem::take(&mut self.held);
        self.write_all(&held)
    }

    /// Pagers other than `less` may show the codes of colours as they are.
    fn coloured(&self, input: ChildStdin) -> Box<dyn Write> {
        let is_less = self.words[0].rsplit('/').next() == Some("less");
        if is_less && AutoStream::choice(&io::stdout()) != ColorChoice::Never {
            Box::new(input)
        } else {
            Box::new(StripStream::new(Box::new(input) as Box<dyn Write>))
        }
    }
}

impl Write for Pager {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.to {
            To::Terminal => return anstream::stdout().write_all(bytes).map(|()| bytes.len()),
            To::Program(_, input) => return input.write_all(bytes).map(|()| bytes.len()),
            To::Held => self.held.extend_from_slice(bytes),
        }
        if !self.screen.holds(&self.held) {
            self.start()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Held => Ok(()),
            To::Terminal => anstream::stdout().flush(),
            To::Program(_, input) => input.flush(),
        }
    }
}

/// What was printed before something failed is shown, too.
impl Drop for Pager {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

impl Screen {
    /// Whether a text fits; the last row is left for what the person types next.
    fn holds(self, text: &[u8]) -> bool {
        let text = String::from_utf8_lossy(text);
        let rows: usize = text
            .lines()
            .map(|line| anstream::adapter::strip_str(line).to_string().chars().count().div_ceil(self.columns).max(1))
            .sum();
        rows < self.rows
    }
}

/// The words of a pager that was named; `less` if none was, nothing if none is wanted.
fn words(told: Option<&str>) -> Option<Vec<String>> {
    let words: Vec<String> = told.unwrap_or("less -FRX").split_whitespace().map(str::to_owned).collect();
    (!words.is_empty() && words != ["cat"]).then_some(words)
}

/// Ctrl-C is for the pager: if we went away, it would be left alone with the terminal.
fn keep_running_when_interrupted() {
    #[cfg(unix)]
    {
        let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, std::sync::Arc::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_person_named_is_the_pager_and_cat_is_none() {
        for (told, expected) in [
            (None, Some(vec!["less", "-FRX"])),
            (Some("most -s"), Some(vec!["most", "-s"])),
            (Some("cat"), None),
            (Some(""), None),
            (Some(" "), None),
        ] {
            let expected = expected.map(|e| e.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(words(told), expected, "{told:?}");
        }
    }

    #[test]
    fn a_text_fits_by_the_rows_it_takes_not_by_its_codes() {
        let screen = Screen { columns: 10, rows: 4 };
        for (text, fits) in [
            ("", true),
            ("a\nb\nc\n", true),
            ("a\nb\nc\nd\n", false),
            ("aaaaaaaaaaa\nb\n", true),
            ("aaaaaaaaaaa\nb\nc\n", false),
            ("\u{1b}[1maaaaaaaaaa\u{1b}[0m\nb\nc\n", true),
            ("ääääääääää\nb\nc\n", true),
        ] {
            assert_eq!(screen.holds(text.as_bytes()), fits, "{text:?}");
        }
    }
}
