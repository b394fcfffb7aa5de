//! uptake in a terminal of its own: keys go in, a screen comes out.

use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Command as InTerminal, Pty, open};

use crate::world::World;

/// How long a screen may take to show something.
const PATIENCE: Duration = Duration::from_secs(30);
/// How a question to the person ends.
pub const QUESTION: &str = "]: ";

/// A program on a terminal of 24 rows and 80 columns.
pub struct Terminal {
    terminal: Arc<Pty>,
    child: Child,
    output: Receiver<Vec<u8>>,
    raw: Vec<u8>,
}

/// One that ended.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    /// Everything it wrote.
    pub raw: String,
    /// What can be seen at the end.
    pub screen: String,
}

impl Terminal {
    /// uptake, with further variables.
    pub fn start(world: &World, args: &[&str], env: &[(&str, &str)]) -> Self {
        Self::of(world.command().args(args), env)
    }

    /// Of any command.
    pub fn of(command: &Command, env: &[(&str, &str)]) -> Self {
        let (terminal, its_end) = open().expect("a terminal");
        terminal.resize(Size::new(24, 80)).expect("a size");
        let variables = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
        let mut inside = InTerminal::new(command.get_program()).args(command.get_args()).env_clear().envs(variables);
        if let Some(folder) = command.get_current_dir() {
            inside = inside.current_dir(folder);
        }
        let inside = inside.env("TERM", "xterm-256color").envs(env.iter().copied());
        let child = inside.spawn(its_end).expect("it starts");
        let terminal = Arc::new(terminal);
        let output = listen(Arc::clone(&terminal));
        Self { terminal, child, output, raw: Vec::new() }
    }

    /// Until the screen shows a text.
    pub fn wait(&mut self, text: &str) -> &mut Self {
        if !self.until(|raw| screen(raw).contains(text)) {
            let _ = self.child.kill();
            panic!("never saw {text:?} on\n{}", screen(&self.raw));
        }
        self
    }

    pub fn send(&mut self, keys: &str) -> &mut Self {
        (&*self.terminal).write_all(keys.as_bytes()).expect("keys are taken");
        self
    }

    /// One answer for each question, as long as there are questions.
    pub fn answer(&mut self, answers: &[&str]) -> &mut Self {
        for (asked, answer) in answers.iter().enumerate() {
            if !self.until(|raw| String::from_utf8_lossy(raw).matches(QUESTION).count() > asked) {
                break;
            }
            self.send(answer).send("\n");
        }
        self
    }

    pub fn resize(&mut self, rows: u16, columns: u16) -> &mut Self {
        self.terminal.resize(Size::new(rows, columns)).expect("a size");
        self
    }

    pub fn signal(&mut self, number: i32) -> &mut Self {
        let kill = Command::new("kill").args([format!("-{number}"), self.child.id().to_string()]).status();
        assert!(kill.expect("kill runs").success());
        self
    }

    /// Waits for the end.
    pub fn end(&mut self) -> Ended {
        self.until(|_| false);
        let status = self.child.wait().expect("it ends");
        let raw = String::from_utf8_lossy(&self.raw).into_owned();
        Ended { code: status.code(), signal: status.signal(), screen: screen(&self.raw), raw }
    }

    /// Reads until there is enough; false at the end of the output or of the patience.
    fn until(&mut self, enough: impl Fn(&[u8]) -> bool) -> bool {
        let end = Instant::now() + PATIENCE;
        while !enough(&self.raw) {
            match self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.raw.extend(bytes),
                Err(_) => return false,
            }
        }
        true
    }
}

/// Reads in a thread of its own, as a read from a terminal knows no patience.
fn listen(terminal: Arc<Pty>) -> Receiver<Vec<u8>> {
    let (sender, output) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 65536];
        // A terminal whose other end is gone is an error, and the end.
        while let Ok(count @ 1..) = (&*terminal).read(&mut buffer) {
            if sender.send(buffer[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    output
}

/// What can be seen. Knows what uptake uses: move, clear, erase, print.
fn screen(raw: &[u8]) -> String {
    let mut screen = Screen::default();
    let raw = String::from_utf8_lossy(raw);
    let mut rest = &*raw;
    while let Some(letter) = rest.chars().next() {
        rest = match letter {
            '\u{1b}' => screen.control(&rest[1..]),
            _ => {
                screen.print(letter);
                &rest[letter.len_utf8()..]
            }
        };
    }
    screen.text()
}

#[derive(Default)]
struct Screen {
    lines: Vec<Vec<char>>,
    row: usize,
    column: usize,
}

impl Screen {
    fn print(&mut self, letter: char) {
        match letter {
            '\n' => self.row += 1,
            '\r' => self.column = 0,
            ' '.. => {
                self.lines.resize(self.lines.len().max(self.row + 1), Vec::new());
                let line = &mut self.lines[self.row];
                line.resize(line.len().max(self.column + 1), ' ');
                line[self.column] = letter;
                self.column += 1;
            }
            _ => {}
        }
    }

    /// What follows an escape; answers what follows that.
    fn control<'t>(&mut self, text: &'t str) -> &'t str {
        let Some(sequence) = text.strip_prefix('[') else {
            let skip = if text.starts_with(['(', ')']) { 2 } else { 1 };
            return text.get(skip..).unwrap_or_default();
        };
        let Some(end) = sequence.find(|c: char| ('@'..='~').contains(&c)) else { return "" };
        let (parameters, rest) = sequence.split_at(end);
        match &rest[..1] {
            "H" => {
                let mut numbers = parameters.split(';').map(|n| n.parse::<usize>().unwrap_or(1) - 1);
                (self.row, self.column) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
            }
            "J" => self.lines.clear(),
            "K" => self.erase(parameters),
            _ if parameters == "?1049" => self.lines.clear(),
            _ => {}
        }
        &rest[1..]
    }

    fn erase(&mut self, parameters: &str) {
        let from = if parameters == "2" { 0 } else { self.column };
        if let Some(line) = self.lines.get_mut(self.row) {
            line.truncate(from);
        }
    }

    fn text(&self) -> String {
        let lines = self.lines.iter().map(|l| l.iter().collect::<String>().trim_end().to_owned());
        lines.collect::<Vec<_>>().join("\n")
    }
}
