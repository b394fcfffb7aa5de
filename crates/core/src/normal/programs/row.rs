//! What a row of the table can say.

use super::Language;

/// What a program, or one of its subcommands, is to those who read command lines.
///
/// Some come in pairs that differ in a program or two. Each stands for a question that is asked somewhere, and two
/// questions with mostly the same answers are still two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Its exit code is an answer: `grep` finding nothing, `diff` finding differences.
    Asker,
    /// May stand beside probes: `cd x && ls y 2>/dev/null` still only asks.
    BesideProbes,
    /// Mostly fails because of the work it checks, not because of how it was called.
    Checker,
    /// Hands a script to a shell in a container: `docker exec c sh -c '…'`.
    ContainerRunner,
    /// The shells looked for behind a container runner.
    ContainerShell,
    /// Fetches what somebody else wrote.
    Downloader,
    /// Writes files itself, whatever its arguments.
    Editor,
    /// Writes files if it is fed a text or a script: `python3 <<E`.
    EditorWhenFed,
    /// Runs its words as a line of the shell.
    Evaluator,
    /// Every agent runs it in every project: it says nothing about this one.
    Everyday,
    /// Prints what a server answers: words of others.
    Fetcher,
    /// Passes on what is piped into it.
    Filter,
    /// Repairs what a check complains about.
    Formatter,
    /// The same, with `-w` only.
    FormatterWithW,
    /// Between a failure and a success it only tidies up: it is no set-up worth telling.
    Housekeeper,
    /// Changes files with `-i`.
    InPlaceEditor,
    /// Runs what is piped into it.
    Interpreter,
    /// Has something run later, or again and again.
    Lasting,
    /// Leaves what it runs behind when the line ends.
    LeavesRunning,
    /// Another task or subcommand of it is another goal: `npm run lint` is no fix for `npm run test`.
    ManyGoals,
    /// The order of its flags means something.
    OrderMatters,
    /// Runs a package, which is fetched if it is not there.
    PackageRunner,
    /// Prints its arguments.
    Printer,
    /// Looks whether something is there.
    Probe,
    /// Says whether, or where, there is a program.
    ProgramFinder,
    /// Only looks: it changes nothing, and what it prints was written by others.
    Reader,
    /// The same, unless it is told to edit with `-i`.
    ReaderUnlessInPlace,
    /// Removes the files it is given.
    Remover,
    /// Asks for more rights.
    RightsRaiser,
    /// Its first argument is a script.
    ScriptRunner,
    /// Changes what the next command finds.
    SetsUp,
    /// Runs the script behind `-c`.
    Shell,
    /// Only sets the stage for other commands.
    StageSetter,
    /// Its first plain argument, after `run` or at once, names a task.
    TaskRunner,
    /// A wrapper whose first argument is a time limit.
    TimeLimit,
    /// Works on branches and commits, which hold for one session only.
    Versioning,
    /// A wrapper that changes nothing about what it runs.
    Watcher,
}

/// Roles as bits: asking for one costs nothing.
#[derive(Clone, Copy, Debug)]
struct Roles(u64);

impl Roles {
    const fn of(roles: &[Role]) -> Self {
        let (mut bits, mut at) = (0, 0);
        while at < roles.len() {
            bits |= 1 << roles[at] as u64;
            at += 1;
        }
        Self(bits)
    }

    fn hold(self, role: Role) -> bool {
        self.0 & 1 << role as u64 != 0
    }
}

/// A job that one program, or library, of a project does. Those with the same job take each other's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    BrowserTests,
    Ci,
    Containers,
    Databases,
    GoLint,
    Infrastructure,
    JsBundles,
    JsDatabases,
    JsDates,
    JsFormat,
    JsLint,
    JsPackages,
    JsRequests,
    JsServers,
    JsState,
    JsTests,
    JvmBuilds,
    PythonFormat,
    PythonLint,
    PythonPackages,
    PythonTests,
    PythonTypes,
    RubyTests,
    Tasks,
    Versions,
    Workspaces,
}

/// The exit codes by which a program says "no".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Codes {
    /// This one.
    Only(i32),
    /// This one and all below it.
    UpTo(i32),
}

impl Codes {
    /// Whether a code is one of them.
    pub(crate) fn hold(self, code: i32) -> bool {
        match self {
            Self::Only(one) => code == one,
            Self::UpTo(most) => code <= most,
        }
    }
}

/// All that is known of a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Program {
    /// Its name, without a folder.
    pub(super) name: &'static str,
    roles: Roles,
    /// For a program that runs another one: those of its options that take a value.
    pub(super) wraps: Option<&'static [&'static str]>,
    pub(super) subcommands: &'static [Subcommand],
    /// Which codes are an answer, if it or a subcommand is a [`Role::Asker`].
    pub(super) answers: Codes,
    /// Each line of words makes it delete or overwrite without asking.
    pub(super) destroys: &'static [&'static str],
    /// Each line of words makes it send something away.
    pub(super) sends: &'static [&'static str],
    pub(super) jobs: &'static [Job],
    pub(super) language: Option<Language>,
}

/// A subcommand that is something its program is not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subcommand {
    /// One word, or several of which all must be there: `pr checks`.
    pub(super) words: &'static str,
    roles: Roles,
}

/// Whatever its arguments.
pub(super) const ALWAYS: &[&str] = &[""];

/// Most programs that answer do so with a small code.
const SMALL: Codes = Codes::UpTo(4);

pub(super) const fn program(name: &'static str, roles: &'static [Role]) -> Program {
    Program {
        name,
        roles: Roles::of(roles),
        wraps: None,
        subcommands: &[],
        answers: SMALL,
        destroys: &[],
        sends: &[],
        jobs: &[],
        language: None,
    }
}

pub(super) const fn subcommand(words: &'static str, roles: &'static [Role]) -> Subcommand {
    Subcommand { words, roles: Roles::of(roles) }
}

impl Subcommand {
    pub(super) fn is(&self, role: Role) -> bool {
        self.roles.hold(role)
    }
}

impl Program {
    pub(super) fn is(&self, role: Role) -> bool {
        self.roles.hold(role)
    }

    pub(super) const fn wraps(self, valued: &'static [&'static str]) -> Self {
        Self { wraps: Some(valued), ..self }
    }

    pub(super) const fn with(self, subcommands: &'static [Subcommand]) -> Self {
        Self { subcommands, ..self }
    }

    pub(super) const fn answers(self, answers: Codes) -> Self {
        Self { answers, ..self }
    }

    pub(super) const fn destroys(self, destroys: &'static [&'static str]) -> Self {
        Self { destroys, ..self }
    }

    pub(super) const fn sends(self, sends: &'static [&'static str]) -> Self {
        Self { sends, ..self }
    }

    pub(super) const fn does(self, jobs: &'static [Job]) -> Self {
        Self { jobs, ..self }
    }

    pub(super) const fn of(self, language: Language) -> Self {
        Self { language: Some(language), ..self }
    }
}
