//! A store in which something was decided, ways to damage its files, and what must hold afterwards: used by the tests of
//! the binary and, for many more damages, by `cargo xtask battery`.
//!
//! The measure is what commands print: what they say of lessons, decisions and changes before the damage they must say
//! after it, and every command works.

use std::path::{Path, PathBuf};

use crate::{Rng, database, folders};

/// What a run of uptake gave.
pub struct Run {
    /// Whether it ended well.
    pub ok: bool,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// Runs uptake in a world whose data are in a known folder.
pub type Runner<'r> = &'r dyn Fn(&[&str]) -> Run;

/// What is wrong after a damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// A decision or a lesson of the user's own is not there, or not as it was.
    Lost,
    /// Something else is not as it was, and nobody said so.
    Silent,
    /// A command fails.
    DeadEnd,
    /// What was forgotten can be read.
    Trace,
}

/// Which files are damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The database.
    Database,
    /// Its journal.
    Journal,
    /// The log beside the database, of a command that was cut short.
    Log,
    /// The database, with a log beside it.
    DatabaseWithLog,
    /// The database and the journal: what was lost must be told.
    Both,
}

/// How often each is chosen.
const TARGETS: [(Target, usize); 5] =
    [(Target::Database, 13), (Target::Journal, 3), (Target::Log, 2), (Target::DatabaseWithLog, 1), (Target::Both, 1)];

/// A text that was forgotten before any damage.
pub const FORGOTTEN: &str = "never feed the purple heron";

/// Two states of a store to begin with, and what commands say of each.
pub struct Before {
    closed: (PathBuf, Picture),
    cut_short: (PathBuf, Picture),
}

/// What commands say.
#[derive(PartialEq)]
struct Picture {
    /// Decisions, own lessons and changes.
    decided: Vec<String>,
    /// Everything.
    all: Vec<String>,
}

impl Before {
    /// Decides this and that in a world in which something was learned, and keeps its data and the user's home in a folder.
    pub fn new(data: &Path, home: &Path, kept: &Path, run: Runner<'_>) -> Self {
        let keep = |name: &str| {
            folders::copy(data, &kept.join(name).join("data"));
            folders::copy(home, &kept.join(name).join("home"));
            kept.join(name)
        };
        decide(run);
        let closed = (keep("closed"), picture(run));
        let cut_short = database::while_read(&data.join("lessons.db"), || {
            must(run, &["add", "Ask before a deploy", "--project", "shop"]);
            must(run, &["add", "Tag every release", "--project", "shop"]);
            keep("cut short")
        });
        Self { closed, cut_short: (cut_short, picture(run)) }
    }

    /// Damages the store once, and says what was done and what is wrong then.
    pub fn damage(
        &self,
        data: &Path,
        home: &Path,
        rng: &mut Rng,
        run: Runner<'_>,
    ) -> (Target, String, Vec<(Wrong, String)>) {
        let shares: Vec<Target> = TARGETS.iter().flat_map(|(t, n)| std::iter::repeat_n(*t, *n)).collect();
        let target = *rng.pick(&shares);
        let (from, before) = match target {
            Target::Log | Target::DatabaseWithLog => &self.cut_short,
            _ => &self.closed,
        };
        put_back(&from.join("data"), data);
        put_back(&from.join("home"), home);
        let names: &[&str] = match target {
            Target::Database | Target::DatabaseWithLog => &["lessons.db"],
            Target::Journal => &["lessons.journal"],
            Target::Log => &["lessons.db-wal"],
            Target::Both => &["lessons.db", "lessons.journal"],
        };
        let done: Vec<String> = names.iter().map(|name| harm(&data.join(name), rng)).collect();
        let first = *rng.pick(LOOKS);
        (target, format!("{} then `{}`", done.join(", "), first.join(" ")), wrong(data, before, first, target, run))
    }
}

/// Makes one folder a copy of another, for the user alone.
pub fn put_back(from: &Path, to: &Path) {
    let _ = std::fs::remove_dir_all(to);
    folders::copy(from, to);
    #[cfg(unix)]
    std::fs::set_permissions(to, std::os::unix::fs::PermissionsExt::from_mode(0o700)).expect("private");
}

fn must(run: Runner<'_>, args: &[&str]) -> String {
    let said = run(args);
    assert!(said.ok, "`{}` fails: {}", args.join(" "), said.err);
    said.out
}

/// Own lessons, a yes, a no, later, other words, something forgotten, something cleared away and brought back.
fn decide(run: Runner<'_>) {
    for text in ["Run make deps first", "Use tabs in Makefiles", FORGOTTEN] {
        must(run, &["add", text, "--project", "shop"]);
    }
    let waiting = objects(&must(run, &["review", "--json"]));
    let id = |n: usize| waiting[n]["id"].as_str().expect("an id").to_owned();
    must(run, &["review", "--accept", &id(0)]);
    must(run, &["review", "--reject", &id(1)]);
    must(run, &["clear", "--yes"]);
    must(run, &["undo"]);
    let forgotten = objects(&must(run, &["list", "--all", "--json"]));
    let forgotten = forgotten.iter().find(|r| r["text"] == FORGOTTEN).expect("the one to forget");
    must(run, &["forget", "--yes", forgotten["id"].as_str().expect("an id")]);
    must(run, &["learn", "--json"]);
}

fn objects(out: &str) -> Vec<serde_json::Value> {
    out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// What commands say of everything.
fn picture(run: Runner<'_>) -> Picture {
    let list = must(run, &["list", "--all", "--json"]);
    let mut decided: Vec<String> = must(run, &["undo", "--list", "--json"]).lines().map(str::to_owned).collect();
    let mut all: Vec<String> = list.lines().map(str::to_owned).collect();
    for row in objects(&list) {
        let shown = must(run, &["show", "--json", row["id"].as_str().expect("an id")]);
        if !matches!(row["status"].as_str(), Some("ready" | "observing")) {
            decided.push(row.to_string());
            decided.push(shown.clone());
        }
        all.push(shown);
    }
    all.push(must(run, &["status", "--json"]));
    all.extend(decided.iter().cloned());
    Picture { decided, all }
}

/// Commands that may be the first to meet a damage and change nothing else.
const LOOKS: &[&[&str]] = &[
    &["list", "--all", "--json"],
    &["status", "--json"],
    &["review", "--json"],
    &["learn", "--json"],
    &["undo", "--list"],
    &["purge", "--json"],
    &["doctor", "--fix"],
];

/// Commands that must work afterwards.
const WORK: &[&[&str]] = &[
    &["learn", "--json"],
    &["list"],
    &["status"],
    &["review"],
    &["add", "Say what you changed", "--project", "shop"],
    &["undo"],
    &["purge", "--yes"],
    &["doctor", "--fix"],
    &["doctor"],
];

fn wrong(data: &Path, before: &Picture, first: &[&str], target: Target, run: Runner<'_>) -> Vec<(Wrong, String)> {
    let mut wrong = Vec::new();
    let said = run(first);
    if !said.ok {
        wrong.push((Wrong::DeadEnd, format!("`{}`: {}", first.join(" "), said.err)));
    }
    let looks = [&["list", "--all", "--json"][..], &["undo", "--list", "--json"], &["status", "--json"]];
    if let Some(fails) = looks.iter().map(|args| run(args)).find(|said| !said.ok) {
        wrong.push((Wrong::DeadEnd, fails.err));
        return wrong;
    }
    let after = picture(run);
    let told = said.err.contains("lost: ");
    let gone = |then: &[String], now: &[String]| then.iter().find(|row| !now.contains(row)).cloned();
    if let Some(row) = gone(&before.decided, &after.decided) {
        let excused = target == Target::Both && told;
        wrong.extend((!excused).then(|| (Wrong::Lost, format!("{row}; said was: {}", said.err))));
    } else if let Some(row) = gone(&before.all, &after.all).or_else(|| gone(&after.all, &before.all)) {
        wrong.extend((!told).then_some((Wrong::Silent, row)));
    }
    if folders::files(data).iter().any(|file| holds(file, FORGOTTEN)) {
        wrong.push((Wrong::Trace, FORGOTTEN.to_owned()));
    }
    for args in WORK {
        let said = run(args);
        if !said.ok {
            wrong.push((Wrong::DeadEnd, format!("`{}`: {}", args.join(" "), said.err)));
        }
    }
    wrong
}

fn holds(file: &Path, text: &str) -> bool {
    std::fs::read(file).is_ok_and(|bytes| memchr::memmem::find(&bytes, text.as_bytes()).is_some())
}

/// Damages a file in one of many ways; says how.
pub fn harm(path: &Path, rng: &mut Rng) -> String {
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    // A release that keeps no journal has none to damage.
    let Some(mut bytes) = std::fs::read(path).ok().filter(|bytes| !bytes.is_empty()) else {
        return format!("no {name}");
    };
    let len = bytes.len();
    let at = rng.below(len.max(1));
    let size = page_size(&bytes);
    let page = |n: usize| (n * size).min(len)..((n + 1) * size).min(len);
    let pages = len.div_ceil(size);
    let how = match rng.below(9) {
        0 => {
            bytes[at] ^= 1 << rng.below(8);
            format!("bit {at}")
        }
        1 => {
            bytes[at] = bytes[at].wrapping_add(1 + rng.below(255) as u8);
            format!("byte {at}")
        }
        2 => {
            let end = (at + 2 + rng.below(600)).min(len);
            let fill = *rng.pick(&[0, 0xff, b'x']);
            bytes[at..end].fill(fill);
            format!("bytes {at}..{end} are {fill}")
        }
        3 => {
            let n = rng.below(pages);
            bytes[page(n)].fill(0);
            format!("page {n} is zero")
        }
        4 => {
            let (a, b) = (page(rng.below(pages)), page(rng.below(pages)));
            let (one, other) = (bytes[a.clone()].to_vec(), bytes[b.clone()].to_vec());
            let short = one.len().min(other.len());
            bytes[a.start..a.start + short].copy_from_slice(&other[..short]);
            bytes[b.start..b.start + short].copy_from_slice(&one[..short]);
            format!("pages at {} and {} are swapped", a.start, b.start)
        }
        5 => {
            let at = rng.below(100.min(len));
            bytes[at] = bytes[at].wrapping_add(1 + rng.below(255) as u8);
            format!("byte {at} of the header")
        }
        6 => {
            let to = *rng.pick(&[0, at, len - 1, len / size / 2 * size]);
            bytes.truncate(to);
            format!("cut to {to}")
        }
        7 => {
            bytes.extend((0..1 + rng.below(5000)).map(|n| (n * 31 % 251) as u8));
            "garbage at the end".to_owned()
        }
        // A letter inside a text: SQLite notices nothing.
        _ => {
            let letters: Vec<usize> = (0..len).filter(|at| bytes[*at].is_ascii_lowercase()).collect();
            let at = letters.get(rng.below(letters.len().max(1))).copied().unwrap_or(at);
            bytes[at] = if bytes[at] == b'q' { b'k' } else { b'q' };
            format!("letter {at}")
        }
    };
    std::fs::write(path, bytes).expect("damaged");
    format!("{name}: {how}")
}

/// The bytes of a page, as a database says itself; other files have none, and are taken as if.
fn page_size(bytes: &[u8]) -> usize {
    match (bytes.starts_with(b"SQLite format 3"), bytes.get(16..18)) {
        (true, Some(&[high, low])) => usize::from(u16::from_be_bytes([high, low])).max(512),
        _ => 4096,
    }
}
