//! `recurring-failure`: what failed in a session, in every tool, by family and subject, and what got past it.
//!
//! One observation for each cause in a session, however often it was met. What a missing path or a wrong folder has in
//! common with others of its kind is an observation of its own: the folder it was looked for in, and `*` for all of them.
//! Whether any of this comes up again, and what to say then, is decided over all sessions in `learn`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::recovery::way_out;
use super::steps::{Step, Steps};
use super::tallies::where_it_runs;
use super::{FAILURES, Kind, Met, Observation, Seen, Sure, Tally, WayOut};
use crate::failure::{self, Cost, Failure, Family, UNTOUCHED};
use crate::normal::command::normalise;
use crate::normal::error;
use crate::session::{Author, Body, Call, Origin, Outcome, Session, ToolKind};
use crate::sources::tool_names;

/// How many calls after a failure the same file is looked for.
const REACH: usize = 12;
/// How many calls after a failure another tool of the same server counts.
const SOON: usize = 3;
/// Longest text of a call and of an error that is kept.
const LIMIT: usize = 160;

/// Finds what failed.
pub(super) fn failures(session: &Session, steps: &Steps<'_>) -> Vec<Observation> {
    let costs = failure::costs_by(session, |at, line| match steps.at(at) {
        Some(step) => Cow::Borrowed(&step.normal),
        None => Cow::Owned(normalise(line)),
    });
    let mut causes: BTreeMap<(Family, String, String), Cause> = BTreeMap::new();
    let mut step = 0;
    // Also what is changed later: somebody took it for theirs.
    let edits = session.events.iter().filter_map(|e| e.call()).filter(|c| c.kind == ToolKind::Edit);
    let changed: BTreeSet<String> = edits.filter_map(|c| failure::from_root(&c.input, session.root_folder())).collect();
    for (at, event) in session.events.iter().enumerate() {
        let Some(call) = event.call() else { continue };
        while steps.all.get(step).is_some_and(|s| s.at < at) {
            step += 1;
        }
        let Some(first) = steps.causes.get(&at) else { continue };
        let tried = Tried { session, steps, step, at, call };
        let cost = costs.get(&at).copied().unwrap_or_default();
        if first.family == Family::CheckFinding && call.kind == ToolKind::Shell {
            for file in tried.untouched(&changed) {
                let subject = format!("{UNTOUCHED}{file}");
                let key = (first.family, subject.clone(), String::new());
                let met = || Met {
                    error: tried.line_with(base(&file)).unwrap_or_default(),
                    ..tried.met(first.family, subject)
                };
                let cause = causes.entry(key).or_insert_with(|| Cause { events: Vec::new(), last: at, met: met() });
                cause.count(&event.id, at, Cost::default());
            }
        }
        for Failure { family, subject } in met_as(session, call, first) {
            let rule = rule_of(family, &subject);
            let key = (family, subject.clone(), String::new());
            let cause = causes.entry(key).or_insert_with(|| Cause {
                events: Vec::new(),
                last: at,
                met: tried.met(family, subject),
            });
            cause.count(&event.id, at, cost);
            if rank(&cause.met.way) == 0 {
                cause.met.way = tried.way(family);
            }
            // All rules of a checker together; the rule is what was tried.
            if let Some((checker, rule)) = rule {
                let error = tried.line_with(&format!("({rule})")).unwrap_or_default();
                let met = || Met { tried: rule.clone(), error: error.clone(), ..tried.met(family, checker.clone()) };
                let key = (family, checker.clone(), rule.clone());
                let cause = causes.entry(key).or_insert_with(|| Cause { events: Vec::new(), last: at, met: met() });
                cause.count(&event.id, at, Cost::default());
            }
        }
    }
    let kept = causes.into_values().filter(|cause| !is_told_by_its_fix(&cause.met));
    kept.map(|cause| observe(session, cause)).collect()
}

/// What a failure is about. Where a session was started below the root, paths seen from there are meant so; where the shell
/// went elsewhere, they may be told from where it was.
fn met_as(session: &Session, call: &Call, first: &Failure) -> Vec<Failure> {
    let folder = failure::folder(session, call);
    let stayed = session.folder_of(call) == session.cwd.as_deref();
    let meant = failure::causes_from_root(first, call, session.root_folder().filter(|_| stayed), folder.as_deref());
    if meant.is_empty() { failure::causes_of(first.clone(), call, folder.as_deref()) } else { meant }
}

/// Whether `error-recovery` says all there is to it: a command that was used wrongly, and another one that worked. It is not kept
/// twice. Where words only had to go, that holds for more than this one command; two long commands are not told.
fn is_told_by_its_fix(met: &Met) -> bool {
    let command = matches!(met.family, Family::WrongUsage | Family::ProgramError | Family::Unknown);
    match &met.way {
        WayOut::Instead { run, .. } if met.tried.len() + run.len() > FIX => false,
        WayOut::Instead { change, .. } => command && !change.starts_with('>') && !change.trim_end().ends_with('>'),
        WayOut::After(_) => command,
        _ => false,
    }
}

/// Longest fix that is told: both commands.
const FIX: usize = 220; // bytes

/// The checker, with a `*` for all its rules, and the rule that found something.
fn rule_of(family: Family, subject: &str) -> Option<(String, String)> {
    let (checker, rule) = subject.split_once(' ').filter(|_| family == Family::CheckFinding)?;
    // A subcommand of a runner is no rule of a checker.
    // What does not compile breaks no rule.
    let is_rule = rule != "typecheck"
        && !rule.contains(' ')
        && !crate::normal::programs::is(checker, crate::normal::programs::Role::ManyGoals);
    is_rule.then(|| (format!("{checker} *"), rule.to_owned()))
}

/// What was met once or more in a session.
struct Cause {
    events: Vec<String>,
    last: usize,
    met: Met,
}

/// Most further calls, and most tokens, that one failure is held to have cost.
const MOST_CALLS: u32 = 12;
const MOST_TOKENS: u32 = 6_000;

/// Events kept for each cause.
const EVENTS: usize = 4;

impl Cause {
    fn count(&mut self, id: &str, at: usize, cost: Cost) {
        self.met.times += 1;
        // What took longer was not only about this.
        self.met.calls = self.met.calls.saturating_add(cost.calls.min(MOST_CALLS));
        self.met.tokens = self.met.tokens.saturating_add(cost.tokens.min(MOST_TOKENS));
        self.last = at;
        if self.events.len() < EVENTS {
            self.events.push(id.to_owned());
        }
    }
}

/// How much a way out says.
fn rank(way: &WayOut) -> u8 {
    match way {
        WayOut::None => 0,
        WayOut::Edited | WayOut::Again => 1,
        WayOut::Instead { .. } | WayOut::After(_) | WayOut::Path(_) => 2,
    }
}

/// A call that failed, where it stands.
struct Tried<'t> {
    session: &'t Session,
    steps: &'t Steps<'t>,
    /// Its place among the shell calls, if it is one.
    step: usize,
    at: usize,
    call: &'t Call,
}

impl Tried<'_> {
    fn met(&self, family: Family, subject: String) -> Met {
        Met {
            family,
            subject,
            tool: self.call.tool.clone(),
            tried: self.shown(),
            folder: self.met_folder().unwrap_or_default(),
            error: self.error(),
            times: 0,
            calls: 0,
            tokens: 0,
            way: WayOut::None,
        }
    }

    fn shown(&self) -> String {
        let shown = match self.steps.all.get(self.step).filter(|s| s.at == self.at) {
            Some(step) => step.shown(),
            None => failure::from_root(&self.call.input, self.session.root_folder())
                .unwrap_or_else(|| self.call.input.clone()),
        };
        cut(&here(&shown, self.session.root_folder())).to_owned()
    }

    /// The line in which a checker names something.
    fn line_with(&self, named: &str) -> Option<String> {
        self.call.output.lines().find(|l| l.contains(named)).map(|l| cut(error::strip_ansi(l).trim()).to_owned())
    }

    /// Files that a check finds fault with and that were not changed in this session; none where there are many: then
    /// something else is broken.
    fn untouched(&self, changed: &BTreeSet<String>) -> BTreeSet<String> {
        // What a shell changed cannot be told.
        if self.steps.all[..self.step].iter().any(Step::edits) {
            return BTreeSet::new();
        }
        let root = self.session.root_folder();
        let files = failure::files_at_fault(&self.call.output, self.met_folder(), root);
        let edited = |file: &String| changed.iter().any(|c| c.ends_with(file.as_str()) || file.ends_with(c.as_str()));
        if files.len() > failure::FEW_FILES || files.iter().any(edited) { BTreeSet::new() } else { files }
    }

    fn met_folder(&self) -> Option<String> {
        where_it_runs(self.session, self.call)
    }

    fn error(&self) -> String {
        let told = match self.steps.all.get(self.step).filter(|s| s.at == self.at) {
            Some(step) => step.signature().map(|s| s.line.clone()),
            None => error::signature(&self.call.output).map(|s| s.line),
        };
        let first = || self.call.output.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or_default().to_owned();
        cut(&told.unwrap_or_else(first)).to_owned()
    }

    fn way(&self, family: Family) -> WayOut {
        if family == Family::MissingPath
            && let Some(path) = self.same_name()
        {
            return WayOut::Path(path);
        }
        match self.steps.all.get(self.step).filter(|s| s.at == self.at) {
            Some(_) => from_here(way_out(self.session, self.steps, self.step), self.session.root_folder()),
            None => self.sibling().unwrap_or_else(|| self.other_tool()),
        }
    }

    /// The calls after it, until a person speaks.
    fn next(&self) -> impl Iterator<Item = &Call> {
        let own = |body: &Body| !matches!(body, Body::User { author: Author::Human, .. });
        self.session.events[self.at + 1..].iter().take_while(move |e| own(&e.body)).filter_map(|e| e.call()).take(REACH)
    }

    /// A file of the same name that was opened soon after.
    fn same_name(&self) -> Option<String> {
        let root = self.session.root_folder();
        let wanted = failure::from_root(&self.call.input, root).filter(|_| self.call.kind != ToolKind::Shell)?;
        let name = Tally::of_file(&wanted);
        let opened = self.next().filter(|c| c.kind != ToolKind::Shell && c.outcome == Outcome::Ok);
        opened
            .filter_map(|c| failure::from_root(&c.input, root))
            .find(|path| *path != wanted && Tally::of_file(path) == name)
    }

    /// Another tool of the same server that worked soon after: what the one cannot do here, the other may.
    fn sibling(&self) -> Option<WayOut> {
        let server = tool_names::server(&self.call.tool)?;
        // It was called again with something else: what came in between was a look at what to say.
        if self.next().any(|c| c.tool == self.call.tool && c.outcome == Outcome::Ok) {
            return None;
        }
        let other = self.next().take(SOON).find(|c| {
            c.outcome == Outcome::Ok && c.tool != self.call.tool && tool_names::server(&c.tool) == Some(server)
        })?;
        Some(WayOut::Instead { run: other.tool.clone(), change: format!("> {}", other.tool) })
    }

    /// The shell command that was run right after another tool failed.
    fn other_tool(&self) -> WayOut {
        let next = self.session.events[self.at + 1..].iter().position(|e| e.call().is_some()).map(|n| self.at + 1 + n);
        let Some(at) = next else { return WayOut::None };
        if self.session.events[self.at + 1..at]
            .iter()
            .any(|e| matches!(e.body, Body::User { author: Author::Human, .. }))
        {
            return WayOut::None;
        }
        match self.steps.at(at).filter(|s| s.ok()) {
            Some(step) => WayOut::Instead { run: cut(&step.shown()).to_owned(), change: format!("> {}", step.normal) },
            None => WayOut::None,
        }
    }
}

/// The name of a file.
fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A way out in which the root of the project is not named.
fn from_here(way: WayOut, root: Option<&str>) -> WayOut {
    match way {
        WayOut::Instead { run, change } => WayOut::Instead { run: here(&run, root), change },
        WayOut::After(via) => WayOut::After(via.iter().map(|c| here(c, root)).collect()),
        other => other,
    }
}

/// A command as it is told from the root: where the project lies holds for one checkout only.
fn here(command: &str, root: Option<&str>) -> String {
    let Some(root) = root.filter(|r| r.len() > 3) else { return command.to_owned() };
    command.replace(&format!("{}/", root.trim_end_matches('/')), "").replace(root, ".")
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LIMIT)]
}

fn observe(session: &Session, cause: Cause) -> Observation {
    let Cause { events, last, met } = cause;
    let key = key(met.family, &met.subject);
    let what = if met.subject.ends_with(" *") { format!("{key} {}", met.tried) } else { key.clone() };
    let mut o = Observation::about(&what, FAILURES, Kind::Fact, session, events, last);
    o.claim.key = key;
    (o.claim.name, o.claim.text) = (met.name(), met.text());
    (o.claim.sure, o.claim.telling) = (Sure::High, false);
    o.claim.trust = Origin::Tool;
    o.seen = Seen::Met(met);
    o
}

/// The key of all observations of one cause.
pub(crate) fn key(family: Family, subject: &str) -> String {
    format!("{} {subject}", family.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::detect;
    use crate::session::{Event, Excerpt};

    /// `tool § input § output`; an output makes it a failure, `+` a success. `>` is a person.
    fn session(story: &[&str]) -> Session {
        let mut session = Session { cwd: Some("/home/dev/shop".into()), ..Session::default() };
        (session.id, session.root) = ("s".into(), "s".into());
        for (n, line) in story.iter().enumerate() {
            let parts: Vec<&str> = line.split(" § ").collect();
            let (tool, input, output) = (parts[0], parts[1], parts[2]);
            let kind = match tool {
                "Bash" => ToolKind::Shell,
                "Edit" => ToolKind::Edit,
                _ => ToolKind::Read,
            };
            let (outcome, output) = if output == "+" { (Outcome::Ok, "") } else { (Outcome::Failed(Some(1)), output) };
            let call = Call { outcome, output: Excerpt::new(output), ..Call::new(tool, kind, input) };
            let (id, body) = (format!("e{n}"), Body::Call(call));
            session.events.push(Event { id, at: Some(n as i64), offset: 0, len: 0, tokens: Some(100), body });
        }
        session
    }

    fn met(story: &[&str]) -> Vec<Met> {
        detect(&session(story)).iter().filter_map(|o| o.seen.met().cloned()).collect()
    }

    #[test]
    fn a_missing_path_is_met_by_itself_in_its_folder_and_as_one_of_many() {
        let seen =
            met(&["Read § /home/dev/shop/src/cart.rs § File does not exist.", "Read § /home/dev/shop/app/cart.rs § +"]);
        let told: Vec<(&str, &WayOut)> = seen.iter().map(|m| (m.subject.as_str(), &m.way)).collect();
        let way = WayOut::Path("app/cart.rs".into());
        assert_eq!(told, [("*", &way), ("src/", &way), ("src/cart.rs", &way)]);
    }

    #[test]
    fn what_is_met_twice_in_a_session_is_one_observation_with_its_cost() {
        let fails = "Edit § /home/dev/shop/a.rs § File has not been read yet. Read it first before writing to it.";
        let seen = met(&[fails, fails, "Edit § /home/dev/shop/a.rs § +"]);
        assert_eq!(seen.len(), 1);
        assert_eq!((seen[0].subject.as_str(), seen[0].times, seen[0].calls), ("file not-read", 2, 2));
        assert!(seen[0].tokens >= 200, "{}", seen[0].tokens);
    }

    #[test]
    fn tests_that_fail_and_calls_that_work_are_no_causes() {
        assert_eq!(met(&["Bash § go test ./... § --- FAIL: TestA\nFAIL", "Bash § ls § +"]), []);
    }

    #[test]
    fn the_rules_of_a_checker_are_counted_together_too() {
        let seen = met(&["Bash § golangci-lint run § a.go:1:2: Error return value is not checked (errcheck)"]);
        let told: Vec<(&str, &str)> = seen.iter().map(|m| (m.subject.as_str(), m.tried.as_str())).collect();
        let run = "golangci-lint run";
        assert_eq!(told, [("golangci-lint *", "errcheck"), ("golangci-lint errcheck", run), ("untouched a.go", run)]);
    }

    #[test]
    fn a_finding_is_old_if_its_file_was_not_changed() {
        let finds = "Bash § cd src && go vet ./... § a.go:1:2: possible misuse of unsafe.Pointer";
        let old = |story: &[&str]| -> Vec<String> {
            met(story).iter().filter_map(|m| m.subject.strip_prefix(UNTOUCHED).map(str::to_owned)).collect()
        };
        assert_eq!(old(&[finds]), ["src/a.go"]);
        assert_eq!(old(&["Edit § /home/dev/shop/src/a.go § +", finds]), [""; 0]);
        assert_eq!(old(&[finds, "Edit § /home/dev/shop/src/a.go § +"]), [""; 0]);
        assert_eq!(old(&["Bash § sed -i s/x/y/ src/a.go § +", finds]), [""; 0]);
    }

    #[test]
    fn another_tool_of_the_same_server_is_a_way_out() {
        let fails = "mcp__browser__shot § x § screenshot failed: the pane is not displayed";
        let way = |story: &[&str]| met(story).first().map(|m| m.way.clone());
        let told = way(&[fails, "mcp__browser__text § x § +"]);
        let run = "mcp__browser__text";
        assert_eq!(told, Some(WayOut::Instead { run: run.into(), change: format!("> {run}") }));
        assert_eq!(way(&[fails, "mcp__other__text § x § +"]), Some(WayOut::None));
        let asked_first = way(&[fails, "mcp__browser__text § x § +", "mcp__browser__shot § y § +"]);
        assert_eq!(asked_first, Some(WayOut::None));
    }

    #[test]
    fn the_folder_of_a_checkout_is_not_part_of_what_was_tried() {
        let seen = met(&["Bash § rm /home/dev/shop/build/x § rm: /home/dev/shop/build/x: No such file or directory"]);
        assert!(seen.iter().all(|m| m.tried == "rm build/x"), "{seen:?}");
    }
}
