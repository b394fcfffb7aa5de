//! The shell calls of a session and the messages of its user, taken apart once for all detectors.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::problem_solution::{Solved, solved};
use super::signals::Turn;
use crate::failure::{self, Failure};
use crate::normal::command::{self, program, working};
use crate::normal::error::{self, Signature};
use crate::normal::reading::only_looks;
use crate::normal::shell::{self, Script, Simple};
use crate::session::{Call, Outcome, Session};

/// A shell call, parsed.
pub(super) struct Step<'s> {
    /// Its place among the session's events.
    pub at: usize,
    /// The call.
    pub call: &'s Call,
    /// Its id.
    pub id: &'s str,
    /// The command line.
    pub line: &'s str,
    /// The parsed line.
    pub script: Script<'s>,
    /// The words of its working commands, without wrappers and options of the shell.
    pub words: Vec<String>,
    /// Its canonical form.
    pub normal: String,
    /// The program of its first working command.
    pub program: String,
    shown: OnceCell<String>,
    only_reads: OnceCell<bool>,
    signature: OnceCell<Option<Signature>>,
}

impl<'s> Step<'s> {
    fn new(session: &'s Session, at: usize, call: &'s Call, line: &'s str) -> Self {
        let script = shell::parse(line);
        let doing = working(&script);
        Self {
            at,
            call,
            id: &session.events[at].id,
            line,
            words: words_of(&doing),
            normal: command::normalise_working(&doing),
            program: doing.first().map(|c| program(c).to_owned()).unwrap_or_default(),
            script,
            shown: OnceCell::new(),
            only_reads: OnceCell::new(),
            signature: OnceCell::new(),
        }
    }

    /// The command as shown to people.
    pub(super) fn shown(&self) -> String {
        self.shown.get_or_init(|| shown(self.line, &self.script)).clone()
    }

    /// The line that says what went wrong, if one does.
    pub(super) fn signature(&self) -> Option<&Signature> {
        self.signature.get_or_init(|| error::signature(&self.call.output)).as_ref()
    }

    /// Whether it did what it should.
    pub(super) fn ok(&self) -> bool {
        self.call.outcome == Outcome::Ok
    }

    /// Whether the work went wrong.
    pub(super) fn failed(&self) -> bool {
        self.call.outcome.is_failure()
    }

    /// Whether it only looks at things.
    pub(super) fn only_reads(&self) -> bool {
        *self.only_reads.get_or_init(|| working(&self.script).iter().all(|c| only_looks(c)))
    }

    /// Whether it writes a file itself (`cat > f <<`, `sed -i`).
    pub(super) fn edits(&self) -> bool {
        self.script.commands.iter().any(command::edits)
    }
}

/// All shell calls of a session, and what its user said.
pub(super) struct Steps<'s> {
    /// In order.
    pub all: Vec<Step<'s>>,
    /// The messages a person typed, in order.
    pub turns: Vec<Turn>,
    /// Why calls failed, by the place of the call.
    pub causes: HashMap<usize, Failure>,
    /// The problems that were solved, in order.
    pub solved: Vec<Solved<'s>>,
}

impl<'s> Steps<'s> {
    /// Parses every shell call once.
    pub(super) fn new(session: &'s Session) -> Self {
        let all: Vec<Step<'_>> = session.shells().map(|(at, call, line)| Step::new(session, at, call, line)).collect();
        let turns = (0..session.events.len()).filter_map(|at| Turn::at(session, at)).collect();
        let mut steps = Self { all, turns, causes: HashMap::new(), solved: solved(session) };
        steps.causes = steps.causes_in(session);
        steps
    }

    /// The shell call at a place of the session.
    pub(super) fn at(&self, at: usize) -> Option<&Step<'s>> {
        self.all.binary_search_by_key(&at, |step| step.at).ok().map(|n| &self.all[n])
    }

    fn causes_in(&self, session: &Session) -> HashMap<usize, Failure> {
        let root = session.root_folder();
        let cause = |at: usize, call: &Call| match self.at(at) {
            Some(step) => failure::cause_parsed(call, &step.script, root),
            None => failure::cause(call, root),
        };
        let went_wrong = session.events.iter().enumerate().filter_map(|(at, event)| Some((at, event.call()?)));
        let went_wrong = went_wrong.filter(|(_, call)| call.outcome != Outcome::Ok);
        went_wrong.filter_map(|(at, call)| Some((at, cause(at, call)?))).collect()
    }
}

fn words_of(doing: &[&Simple<'_>]) -> Vec<String> {
    let mut out = Vec::new();
    for command in doing {
        match command::inner_script(command) {
            Some(inner) => {
                let inner = shell::parse(inner);
                for c in working(&inner) {
                    out.extend(command::core(c).iter().map(|w| w.text.to_string()));
                }
            }
            None => {
                // Assignments are part of what makes a command work.
                out.extend(command.assigns.iter().map(|w| w.text.to_string()));
                out.extend(command::core(command).iter().map(|w| w.text.to_string()));
            }
        }
    }
    out.truncate(200);
    out
}

/// A command as shown to people: one line, the way into the project's folder and trailing filters left out, cut if long.
fn shown(line: &str, script: &Script<'_>) -> String {
    const LIMIT: usize = 240;
    let text = essential(line, script).unwrap_or(line);
    let mut one = String::with_capacity(text.len().min(LIMIT + 64));
    for word in text.split_whitespace() {
        if !one.is_empty() {
            one.push(' ');
        }
        one.push_str(word);
        if one.len() > LIMIT + 8 {
            break; // the rest is cut off
        }
    }
    let one = one.strip_suffix("2>&1").map_or(one.as_str(), str::trim_end);
    if one.len() <= LIMIT { one.to_owned() } else { format!("{}…", &one[..one.floor_char_boundary(LIMIT)]) }
}

/// `cd /somewhere && make 2>&1 | tail -5` → `make`: where the project lies and how much was looked at is not part of it.
fn essential<'l>(line: &'l str, script: &Script<'_>) -> Option<&'l str> {
    let commands = &script.commands;
    let entered =
        |c: &Simple<'_>| program(c) == "cd" && c.words.get(1).is_some_and(|w| w.text.starts_with(['/', '~', '$']));
    let first = commands.iter().position(|c| !entered(c))?;
    let last = commands.iter().rposition(|c| !command::filters(c))?;
    // Only filters at the very end may go, and only a single pipeline's.
    let plain = last >= first && commands[last].end <= line.len() && commands[first].start < commands[last].end;
    plain.then(|| line.get(commands[first].start..commands[last].end)).flatten()
}
