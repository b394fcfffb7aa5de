//! A disk that cannot be written: everything that only looks still works, and what would write says so.
//!
//! Two ways to have one: a read-only mount (in a namespace of its own), and a folder that the user running uptake has no
//! right to write. A way that this machine does not allow is skipped, visibly.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use uptake_testkit::database;

use crate::world::{Run, World, copy, finish, fixtures, learned, text};

/// The user who owns nothing.
const NOBODY: u32 = 65_534;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// `mount -o ro`, seen by this command alone.
    Mount,
    /// No right to write.
    Rights,
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|m| m.uid() == 0)
}

/// The words before a command that make a folder read-only for it.
fn before(way: Way, folder: &Path) -> Vec<OsString> {
    let words: Vec<&str> = match way {
        Way::Mount => {
            let line = "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" && exec \"$@\"";
            let user: &[&str] = if is_root() { &[] } else { &["-r"] };
            [&["unshare", "-m"][..], user, &["sh", "-c", line]].concat()
        }
        Way::Rights if is_root() => vec!["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"],
        Way::Rights => vec!["env"],
    };
    let mut out: Vec<OsString> = words.into_iter().map(OsString::from).collect();
    if way == Way::Mount {
        out.push(folder.into());
    }
    out
}

/// Whether a command run this way really cannot write there.
fn works(way: Way, folder: &Path) -> bool {
    let words = before(way, folder);
    let run = |program: &[&str]| {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).args(program).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|s| s.success())
    };
    let probe = folder.join("probe").to_string_lossy().into_owned();
    run(&[env!("CARGO_BIN_EXE_uptake"), "--version"]) && !run(&["touch", &probe])
}

fn for_all(folder: &Path, act: &dyn Fn(&Path, &std::fs::Metadata)) {
    let entries: Vec<PathBuf> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    act(folder, &folder.metadata().expect("there"));
    for path in entries {
        let about = path.metadata().expect("there");
        if about.is_dir() { for_all(&path, act) } else { act(&path, &about) }
    }
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("its own");
}

/// A world whose data folder cannot be written.
struct ReadOnly<'w> {
    world: &'w World,
    way: Way,
}

impl<'w> ReadOnly<'w> {
    /// `None` where this machine does not allow it.
    fn new(world: &'w World, way: Way) -> Option<Self> {
        if way == Way::Rights {
            chmod(&world.path(""), 0o755);
            // Files of nobody, in folders that not even nobody may write.
            for_all(&world.data(), &|path, about| {
                if is_root() {
                    std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).expect("root may");
                }
                chmod(path, if about.is_dir() { 0o500 } else { 0o400 });
            });
        }
        if works(way, &world.data()) {
            return Some(Self { world, way });
        }
        let _ = writeln!(std::io::stderr(), "skipped: this machine has no read-only disk to try by {way:?}");
        None
    }

    fn run(&self, args: &[&str], input: &str) -> Run {
        let words = before(self.way, &self.world.data());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg(env!("CARGO_BIN_EXE_uptake")).args(args);
        finish(command.env_clear().envs(self.world.environment()), input)
    }
}

impl Drop for ReadOnly<'_> {
    fn drop(&mut self) {
        for_all(&self.world.data(), &|path, about| chmod(path, if about.is_dir() { 0o700 } else { 0o600 }));
    }
}

/// What a data folder holds, byte for byte.
fn bytes(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = crate::world::files(folder);
    files.into_iter().map(|f| (f.clone(), std::fs::read(&f).expect("read"))).collect()
}

/// How the database lies there when its disk becomes read-only.
#[derive(Clone, Copy, Debug)]
enum State {
    /// Nobody has it open.
    AtRest,
    /// The last word is in the log, as a killed writer leaves it.
    WithLog,
    /// The same without the index of the log.
    WithLogAlone,
    /// Its format is an older one.
    Older,
}

/// A world with lessons, one of them approved, in that state.
fn world(state: State) -> World {
    if matches!(state, State::Older) {
        let world = World::new();
        std::fs::create_dir(world.data()).expect("made");
        for name in ["lessons", "sessions"] {
            let dump = std::fs::read_to_string(fixtures().join("stores/each-shell").join(format!("{name}.sql")));
            database::from_sql(&world.data().join(format!("{name}.db")), &dump.expect("a dump"));
        }
        world.keep_data_private();
        return world;
    }
    let world = learned();
    let rows = world.run(&["review", "--json"]).ok().objects();
    world.run(&["review", "--accept", text(&rows[0], "id")]).ok();
    let with_log = match state {
        State::WithLog => &["", "-wal", "-shm"][..],
        State::WithLogAlone => &["", "-wal"],
        State::AtRest | State::Older => return world,
    };
    let kept = world.path("kept");
    std::fs::create_dir(&kept).expect("made");
    let database = world.data().join("lessons.db");
    database::held_open(&database, "UPDATE verdicts SET verdict = 'rejected'", || {
        for part in with_log {
            let name = format!("lessons.db{part}");
            std::fs::copy(world.data().join(&name), kept.join(&name)).expect("copied");
        }
    });
    for part in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(world.data().join(format!("lessons.db{part}")));
    }
    copy(&kept, &world.data());
    // The change was not made by uptake: its journal would take it back.
    for name in ["lessons.journal", "lessons.seal"] {
        std::fs::remove_file(world.data().join(name)).expect("removed");
    }
    world.keep_data_private();
    world
}

/// What only looks, with an id of a lesson.
fn looks(id: &str) -> Vec<Vec<&str>> {
    vec![
        vec!["list", "--all", "--json"],
        vec!["list"],
        vec!["status"],
        vec!["review"],
        vec!["review", "--all", "--json"],
        vec!["show", id],
        vec!["why", id],
        vec!["query", "make"],
        vec!["sessions", "--json"],
        vec!["undo", "--list"],
    ]
}

#[test]
fn what_only_looks_reads_a_disk_that_cannot_be_written() {
    let mut tried = 0;
    for way in [Way::Mount, Way::Rights] {
        for state in [State::AtRest, State::WithLog, State::WithLogAlone, State::Older] {
            let world = world(state);
            // What a disk that can be written shows. Looking may migrate: it is done in a copy.
            let twin = World::new();
            copy(&world.data(), &twin.data());
            twin.keep_data_private();
            let rows = twin.run(&["list", "--all", "--json"]).ok().objects();
            let id = text(&rows[0], "id").to_owned();
            let late = rows.iter().any(|r| r["status"] == "rejected");
            assert_eq!(late, matches!(state, State::WithLog | State::WithLogAlone | State::Older), "{state:?}");
            let Some(disk) = ReadOnly::new(&world, way) else { continue };
            tried += 1;
            let there = bytes(&world.data());
            for args in looks(&id) {
                let (wanted, run) = (twin.run(&args), disk.run(&args, ""));
                // What was read lies in the first world, whoever tells it.
                let (wanted, shown) = (world.with_names(&twin.shown(&wanted)), world.shown(&run));
                assert_eq!(shown, wanted, "{way:?} {state:?} {args:?}");
                assert!(shown.starts_with("exit code 0"), "{shown}");
            }
            assert!(bytes(&world.data()) == there, "{way:?} {state:?}: a file changed or came");
        }
    }
    let _ = writeln!(std::io::stderr(), "read-only disks tried: {tried} of 8");
}

#[test]
fn a_hook_still_tells_what_it_knows() {
    for way in [Way::Mount, Way::Rights] {
        let world = learned();
        world.write("work/.git/config", "[remote \"origin\"]\n\turl = git@git.example.com:dev/ledger.git\n");
        let rows = crate::world::rows(&world);
        let fix =
            rows.iter().find(|r| r["text"].as_str().is_some_and(|t| t.contains("--output json"))).expect("the fix");
        world.run(&["review", "--accept", text(fix, "id")]).ok();
        let payload = |session: &str| {
            serde_json::json!({
                "session_id": session, "cwd": world.path("work"), "hook_event_name": "PostToolUseFailure",
                "tool_name": "Bash", "tool_input": { "command": "python3 -m ledger report --format json" },
                "error": "Exit code 2\nledger: error: unrecognized arguments: --format json",
            })
            .to_string()
        };
        let told = world.run_with(&["hook", "claude"], &payload("a")).ok().out;
        assert!(told.contains("--output json"), "{told}");
        let Some(disk) = ReadOnly::new(&world, way) else { continue };
        let there = bytes(&world.data());
        let run = disk.run(&["hook", "claude"], &payload("b"));
        assert_eq!((run.code, run.err.as_str(), &run.out), (0, "", &told), "{way:?}");
        assert!(bytes(&world.data()) == there, "{way:?}");
    }
}

#[test]
fn what_would_write_names_the_folder_and_changes_nothing() {
    for way in [Way::Mount, Way::Rights] {
        let world = world(State::AtRest);
        let rows = world.run(&["review", "--json"]).ok().objects();
        let id = text(&rows[0], "id").to_owned();
        let Some(disk) = ReadOnly::new(&world, way) else { continue };
        let (there, home) = (bytes(&world.data()), bytes(&world.home()));
        for args in [
            &["learn"][..],
            &["learn", "--yes", "--all"],
            &["add", "Run make deps first", "--project", "p"],
            &["review", "--accept", &id],
            &["review", "--reject", &id],
            &["forget", "--yes", &id],
            &["undo"],
            &["clear", "--yes"],
            &["purge", "--yes"],
        ] {
            let run = disk.run(args, "");
            let data = world.data().to_string_lossy().into_owned();
            assert_eq!(run.code, 1, "{way:?} {args:?}: {}", run.err);
            let clear = run.err.contains(&format!("error: `{data}` cannot be written")) && run.err.contains("hint: ");
            assert!(clear && run.out.is_empty(), "{way:?} {args:?}: {}{}", run.out, run.err);
        }
        assert!(bytes(&world.data()) == there && bytes(&world.home()) == home, "{way:?}: a file changed or came");
    }
}
