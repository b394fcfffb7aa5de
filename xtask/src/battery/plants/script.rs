//! What happens in a planted session: things that are really learned from, with a secret in each of them.

use uptake_testkit::plants::formats::Format;
use uptake_testkit::plants::kinds::{Kind, KnownBy, Secret};

use crate::battery::Rng;

/// Where a secret is planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A message of the user: a task, a correction, "remember".
    User,
    /// A text of the model.
    Assistant,
    /// Commands: the failing one, its fix, a procedure.
    Command,
    /// What a failed call printed.
    Failed,
    /// What a successful call printed.
    Printed,
    /// The file of a read and of an edit.
    File,
    /// The folder of a session.
    Folder,
    /// The remote of a session's repository.
    Remote,
    /// Text that a hook put into the context.
    Injected,
}

/// All places.
pub const PLACES: [Place; 9] = [
    Place::User,
    Place::Assistant,
    Place::Command,
    Place::Failed,
    Place::Printed,
    Place::File,
    Place::Folder,
    Place::Remote,
    Place::Injected,
];

impl Place {
    /// The word in the list of leaks.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user text",
            Self::Assistant => "assistant text",
            Self::Command => "command",
            Self::Failed => "failed output",
            Self::Printed => "ok output",
            Self::File => "file path",
            Self::Folder => "cwd",
            Self::Remote => "remote",
            Self::Injected => "injected text",
        }
    }
}

/// Something that happens in a session, whatever client writes it down.
#[derive(Clone, Debug)]
pub enum Step {
    /// The user says something.
    User(String),
    /// The model says something.
    Assistant(String),
    /// A command, its output, its exit code.
    Shell { command: String, output: String, code: i32 },
    /// A file is read.
    Read { path: String, output: String },
    /// A file is changed.
    Edit { path: String },
    /// A hook puts text into the context.
    Injected(String),
}

/// A session to be written.
#[derive(Clone, Debug)]
pub struct Script {
    /// Its id, unique.
    pub id: String,
    /// Milliseconds since 1970.
    pub at: i64,
    /// The folder it runs in.
    pub cwd: String,
    /// The remote of the repository there.
    pub remote: String,
    /// What happens.
    pub steps: Vec<Step>,
}

/// One kind in one notation, with a value of its own for each place.
pub struct Case {
    /// The kind.
    pub kind: &'static Kind,
    /// The notation.
    pub format: &'static Format,
    /// One value per place, in the order of [`PLACES`].
    pub secrets: Vec<Secret>,
    /// Tells its commands from those of other cases.
    pub number: usize,
}

impl Case {
    /// Draws the values.
    pub fn new(kind: &'static Kind, format: &'static Format, number: usize, rng: &mut Rng) -> Self {
        Self { kind, format, secrets: PLACES.iter().map(|_| kind.draw(rng)).collect(), number }
    }

    fn secret(&self, place: Place) -> &str {
        PLACES.iter().position(|p| *p == place).map_or("", |at| &self.secrets[at].text)
    }

    fn text(&self, place: Place) -> String {
        (self.format.write)(self.secret(place))
    }

    /// As part of a path, which is one line: what would take several is written in another way.
    fn in_path(&self, place: Place) -> String {
        let (secret, text) = (self.secret(place), self.text(place));
        match self.kind.known_by {
            _ if !text.contains('\n') => text,
            KnownBy::Shape => secret.to_owned(),
            KnownBy::Name => format!("API_TOKEN={secret}"),
            KnownBy::Block => secret.replace('\n', " "),
        }
    }

    /// Behind some words: on the same line, or on lines of its own if it has several.
    fn after(&self, words: &str, place: Place) -> String {
        let text = self.text(place);
        let joint = if text.contains('\n') { '\n' } else { ' ' };
        format!("{words}{joint}{text}")
    }

    fn tool(&self) -> String {
        format!("tool{}", self.number)
    }

    /// The command that fails.
    pub fn failing(&self) -> String {
        format!("{} sync --format json {}", self.tool(), self.format.in_command(self.secret(Place::Command)))
    }

    /// What it prints.
    pub fn error(&self) -> String {
        let tool = self.tool();
        let error = self.after(&format!("{tool}: error: unrecognized arguments: --format json"), Place::Failed);
        format!("usage: {tool} sync [--output FORMAT]\n{error}\n")
    }

    /// The steps of this case in a session: a failure and its fix, a procedure, a correction, something to remember.
    pub fn steps(&self) -> Vec<Step> {
        let tool = self.tool();
        let secret = self.format.in_command(self.secret(Place::Command));
        let ok = |what: &str| Step::Shell {
            command: format!("{tool} {what} {secret}"),
            output: format!("{}\ndone", self.text(Place::Printed)),
            code: 0,
        };
        let notes = "uptake, notes from past work in this project:";
        vec![
            Step::User(self.after(&format!("Set up {tool} for the ledger, please."), Place::User)),
            Step::Injected(self.after(notes, Place::Injected)),
            Step::Shell { command: self.failing(), output: self.error(), code: 2 },
            ok("sync --output json"),
            Step::Assistant(self.after("The option is called --output.", Place::Assistant)),
            ok("fetch --all"),
            ok("build --fast"),
            ok("ship --now"),
            Step::Read { path: format!("/srv/app/{}", self.in_path(Place::File)), output: self.text(Place::Printed) },
            Step::Edit { path: format!("/srv/app/{}", self.in_path(Place::File)) },
            Step::Shell {
                command: format!("{tool} push --slow {secret}"),
                output: self.after(&format!("{tool}: error: too slow:"), Place::Failed),
                code: 1,
            },
            Step::User(self.after(&format!("no, use {tool} push --quick instead."), Place::User)),
            ok("push --quick"),
            Step::User(self.after(&format!("Remember: {tool} is always run with --output json."), Place::User)),
            Step::Assistant("Noted.".to_owned()),
        ]
    }

    /// A short session in a folder, and of a repository, whose names hold the secret.
    pub fn elsewhere(&self, id: String, at: i64) -> Script {
        let tool = self.tool();
        Script {
            id,
            at,
            cwd: format!("/srv/checkouts/{}", self.in_path(Place::Folder)),
            remote: format!("https://ann:{}@git.example.com/dev/{tool}.git", self.in_path(Place::Remote)),
            steps: vec![
                Step::User(format!("Sync {tool}.")),
                Step::Shell {
                    command: format!("{tool} sync --format json"),
                    output: format!("{tool}: error: unrecognized arguments: --format json\n"),
                    code: 2,
                },
                Step::Shell { command: format!("{tool} sync --output json"), output: "ok".to_owned(), code: 0 },
                Step::Assistant("Synced.".to_owned()),
            ],
        }
    }
}
