//! What is folded as it comes is what a fold of everything gives.
#![allow(clippy::expect_used, reason = "tests say what they expect")]

use uptake_core::detect::{Kind, detect};
use uptake_core::learn::trust::Mode;
use uptake_core::session::{Body, Call, Event, Excerpt, Outcome, Session, ToolKind};
use uptake_store::{Moved, SeenIn, Wanted, Which};

use super::*;

/// Two that speak for the machine, and one that does not.
const PROJECTS: &[&str] = &["git.example.com/dev/shop", "git.example.com/dev/mill", "folder:/home/dev/notes"];
const ROOT: &str = "/home/dev/work";
/// Increments, and new sessions in each.
const STEPS: usize = 10;
const NEW: usize = 6;

/// A session as it is known so far.
#[derive(Clone)]
struct Told {
    number: usize,
    project: &'static str,
    /// How many of its calls were made.
    calls: usize,
}

impl Told {
    fn id(&self) -> String {
        format!("session-{}", self.number)
    }

    fn session(&self) -> Session {
        let id = self.id();
        let mut session = Session { cwd: Some(ROOT.to_owned()), root: id.clone(), id, ..Session::default() };
        for n in 0..self.calls {
            let at = Some(1_700_000_000_000 + (self.number * 7_000_000 + n * 60_000) as i64);
            let body = Body::Call(call(self.number * 5 + n));
            let id = format!("{}-{n}", session.id);
            session.events.push(Event { id, at, offset: 0, len: 0, tokens: Some(90), body });
        }
        session
    }
}

/// Calls of many kinds, two of three of which fail.
fn call(n: usize) -> Call {
    let failed = |tool, kind, input: String, output: &str| Call {
        outcome: Outcome::Failed(Some(1)),
        output: Excerpt::new(output),
        ..Call::new(tool, kind, &input)
    };
    let shell = |line: String, output: &str| failed("Bash", ToolKind::Shell, line, output);
    match n % 11 {
        0 => failed("Edit", ToolKind::Edit, format!("{ROOT}/a{n}.rs"), "File has not been read yet. Read it first."),
        1 => failed("Read", ToolKind::Read, format!("{ROOT}/lib/part{}.rs", n % 4), "File does not exist."),
        2 => shell("golangci-lint run".into(), &format!("a.go:1:2: not as it should be (rule{})", n % 4)),
        3 => {
            let said = format!("tool{}: error: unrecognized arguments: --format json", n % 3);
            shell(format!("tool{} report --format json", n % 3), &said)
        }
        4 => shell("echo ===".into(), "zsh:1: == not found"),
        5 => shell(format!("cat docs/page{}.md", n % 3), "cat: docs/page.md: No such file or directory"),
        6 => {
            Call { outcome: Outcome::Ok, ..Call::new("Read", ToolKind::Read, &format!("{ROOT}/src/part{}.rs", n % 4)) }
        }
        7 => Call { outcome: Outcome::Ok, ..Call::new("Bash", ToolKind::Shell, "cd core && go test ./...") },
        // Only early sessions meet it; later ones still say where it works.
        8 if n < 90 => {
            let said = "go: go.mod file not found in current directory or any parent directory; see 'go help modules'";
            shell("cd web && go test ./...".into(), said)
        }
        8 | 9 => Call { outcome: Outcome::Ok, ..Call::new("Bash", ToolKind::Shell, "cd core && go test -run Cart") },
        _ => Call { outcome: Outcome::Ok, ..Call::new("Bash", ToolKind::Shell, &format!("tool{} report", n % 3)) },
    }
}

struct Home {
    folder: tempfile::TempDir,
    lessons: Lessons,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let lessons = Lessons::open(folder.path()).expect("open");
        Self { folder, lessons }
    }

    fn keep(&mut self, told: &[Told]) {
        for one in told {
            let path = self.folder.path().join(format!("home/{}.jsonl", one.id()));
            let (id, path, observations) = (one.id(), path.display().to_string(), detect(&one.session()));
            let seen = SeenIn {
                source: "claude",
                session: &id,
                path: &path,
                project: one.project,
                observations: &observations,
            };
            self.lessons.keep_observations(&[seen]).expect("kept");
        }
    }

    fn fold(&mut self) {
        let data = self.folder.path();
        let world = World { home: data.join("home"), data: data.to_owned(), config: data.join("config.toml"), now: 2 };
        let tombstones = Tombstones::of(&self.lessons, data).expect("read");
        fold_changed(&mut self.lessons, &tombstones, &world, &Settings::default()).expect("folded");
        assert!(self.lessons.unfolded().expect("read").is_empty(), "marks are left");
    }

    /// All lessons with their evidence. Every home has its own key for the machine: it is left out.
    fn all(&self) -> Vec<Lesson> {
        let wanted = Wanted { project: None, kind: None, which: Which::Any, now: 0, mode: Mode::Review };
        let mut all: Vec<Lesson> =
            self.lessons.list(&wanted).expect("read").into_iter().map(|stored| stored.lesson).collect();
        for lesson in all.iter_mut().filter(|l| l.payload.scope.starts_with("machine:")) {
            (lesson.id, lesson.payload.scope) = (String::new(), "machine".to_owned());
        }
        all.sort_by(|a, b| (&a.payload.scope, a.kind, &a.key).cmp(&(&b.payload.scope, b.kind, &b.key)));
        all
    }
}

#[test]
fn ten_increments_give_the_lessons_of_one_fold_over_everything() {
    let (mut grown, mut known) = (Home::new(), Vec::<Told>::new());
    for step in 0..STEPS {
        let from = known.len();
        known.extend((from..from + NEW).map(|n| Told { number: n, project: PROJECTS[n % 3], calls: 4 + n % 3 }));
        let mut changed = known[from..].to_vec();
        if step > 0 {
            // One that was known goes on; another one lost its end.
            known[step].calls += 3;
            known[step + 4].calls -= 1;
            changed.extend([known[step].clone(), known[step + 4].clone()]);
        }
        grown.keep(&changed);
        if step % 4 == 3 {
            // The project of a session becomes known.
            let moved = Moved {
                source: "claude".to_owned(),
                session: known[step].id(),
                from: known[step].project.to_owned(),
                to: PROJECTS[0].to_owned(),
            };
            known[step].project = PROJECTS[0];
            grown.lessons.move_observations(&[moved]).expect("moved");
        }
        grown.fold();
    }
    let mut fresh = Home::new();
    fresh.keep(&known);
    fresh.fold();
    let (grown, fresh) = (grown.all(), fresh.all());
    let facts_of = |scope: &str| fresh.iter().filter(|l| l.kind == Kind::Fact && l.project() == scope).count();
    for scope in PROJECTS.iter().chain(&["machine"]) {
        assert!(facts_of(scope) >= 3, "{scope}: {}", facts_of(scope));
    }
    assert_eq!(grown.len(), fresh.len());
    for (ours, wanted) in grown.iter().zip(&fresh) {
        assert_eq!(ours, wanted);
    }
}
