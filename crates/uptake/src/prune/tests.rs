use std::collections::BTreeMap;
use std::time::Duration;

use uptake_core::measure::rates::Chance;
use uptake_core::session::{Author, Body, Event, Excerpt, Origin, Session, SourceName, Span};
use uptake_store::{Cursor, Kept, Lessons};

use super::*;

fn event(n: usize, at: i64) -> Event {
    let text = Excerpt::new(&format!("message {n} {}", "words ".repeat(20)));
    let spans = vec![Span { origin: Origin::User, text }];
    Event {
        id: format!("e{n}-{at}"),
        at: Some(at),
        offset: 0,
        len: 0,
        tokens: None,
        body: Body::User { author: Author::Human, spans },
    }
}

fn keep_session(sessions: &mut Sessions, name: &str, at: i64, events: usize) {
    let session = Session {
        source: SourceName::parse("claude"),
        id: name.to_owned(),
        root: name.to_owned(),
        events: (0..events).map(|n| event(n, at)).collect(),
        ..Session::default()
    };
    let path = format!("/t/{name}.jsonl");
    let cursor = Cursor { size: 10, modified: 1, resume_at: 10, print: "p".into() };
    let kept = Kept { path: &path, cursor, project: "p", session: &session, first_changed: 0, detectors: "" };
    sessions.keep(&[kept]).expect("kept");
}

/// Every file below a folder with its age in minutes.
fn files(folder: &Path, now: i64) -> BTreeMap<PathBuf, i64> {
    let mut out = BTreeMap::new();
    for entry in entries(folder) {
        if entry.is_dir() {
            out.extend(files(&entry, now));
        } else {
            let changed = entry.metadata().and_then(|m| m.modified()).expect("a time");
            let changed = changed.duration_since(UNIX_EPOCH).expect("after 1970").as_millis() as i64;
            out.insert(entry, (now - changed) / MINUTE);
        }
    }
    out
}

fn put(path: &Path, text: &str, now: i64, minutes_ago: i64) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    std::fs::write(path, text).expect("written");
    let at = UNIX_EPOCH + Duration::from_millis((now - minutes_ago * MINUTE) as u64);
    File::options().write(true).open(path).and_then(|f| f.set_modified(at)).expect("set");
}

/// Sessions with events, of those whose names begin so; each with its end.
fn with_events(sessions: &Sessions, names: impl Iterator<Item = String>) -> BTreeMap<String, i64> {
    let kept = |name: &String| sessions.session_of(&format!("/t/{name}.jsonl")).expect("read");
    let ended = |name: String| Some((name.clone(), kept(&name)?.ended()?));
    names.filter_map(ended).collect()
}

/// What must never be touched.
const SACRED: [&str; 6] =
    ["lessons.db", "lessons.journal", "tombstone.key", "lessons.db.before-13", "lessons.damaged-1.db", "bin/uptake"];

#[test]
fn a_thousand_random_settings_and_clocks_touch_nothing_that_is_protected() {
    let mut chance = Chance::new(210);
    let home = tempfile::tempdir().expect("a folder");
    let mut sessions = Sessions::open(home.path()).expect("a store");
    drop(Lessons::open(home.path()).expect("a store"));
    let mut removed = 0;
    for round in 0..1_000 {
        let now = 1_700_000_000_000 + chance.below(1_000_000_000) as i64 * 1_000;
        let keep = Retention {
            max_runs: 1 + chance.below(6) as u32,
            max_sessions: 1 + chance.below(6) as u32,
            max_log_lines: 1 + chance.below(20) as u32,
            max_archive_age_days: 1 + chance.below(40) as u32,
            lock_stale_hours: 1 + chance.below(48) as u32,
            protected_window_minutes: chance.below(3_000) as u32,
        };
        let window = i64::from(keep.protected_window_minutes);
        // Some from the future: a clock was wrong.
        let mut ago = || chance.below(100_000) as i64 - 2_000;
        for n in 0..4 {
            put(&home.path().join(format!("runs/r{round}-{n}/iteration-1/outcomes.log")), "x", now, ago());
            put(&home.path().join(format!("retro/{round}-{n}.jsonl")), "{}", now, ago());
            put(&home.path().join(format!("spool/asked-{}.rec", round * 4 + n)), &"\nrecord".repeat(9), now, ago());
            put(&home.path().join(format!(".hud.part-{round}{n}")), "half", now, ago());
            keep_session(&mut sessions, &format!("s{round}-{n}"), now - ago() * MINUTE, 2);
        }
        put(&home.path().join("hook.log"), &"line\n".repeat(30), now, ago());
        put(&home.path().join("sessions.damaged-1.db"), "x", now, ago());
        for name in SACRED.iter().skip(1) {
            put(&home.path().join(name), "x", now, 90_000);
        }
        let before = files(home.path(), now);
        let sacred = || SACRED.map(|name| std::fs::read(home.path().join(name)).expect("there"));
        let irreplaceable = sacred();
        let names = || (0..4).map(|n| format!("s{round}-{n}"));
        let had = with_events(&sessions, names());
        let looked = prune(home.path(), Some(&mut sessions), &keep, now, Act::Look).expect("looked");
        assert_eq!(files(home.path(), now).len(), before.len(), "looking removes nothing");
        let went = prune(home.path(), Some(&mut sessions), &keep, now, Act::Remove).expect("pruned");
        assert_eq!(went, looked, "what was said is what is done");
        let after = files(home.path(), now);
        let gone: Vec<(&PathBuf, &i64)> = before.iter().filter(|(p, _)| !after.contains_key(*p)).collect();
        assert!(gone.iter().all(|(_, age)| **age >= window), "{gone:?} {keep:?}");
        assert!(sacred() == irreplaceable, "{gone:?}");
        removed += gone.len();
        let has = with_events(&sessions, names());
        for (id, ended) in had.iter().filter(|(id, _)| !has.contains_key(*id)) {
            assert!((now - ended) / MINUTE >= window, "{id} {keep:?}");
        }
        let protected = has.values().filter(|ended| (now - **ended) < window * MINUTE).count();
        assert!(
            has.len() <= (keep.max_sessions as usize).max(protected + keep.max_sessions as usize),
            "{has:?} {keep:?}"
        );
        assert_eq!(prune(home.path(), Some(&mut sessions), &keep, now, Act::Remove).expect("again"), Pruned::default());
        // The next round has another clock.
        let all: Vec<i64> = sessions.beyond(0, i64::MAX).expect("numbers");
        sessions.drop_events(&all, i64::MAX).expect("dropped");
        for folder in ["runs", "retro", "spool"] {
            let _ = std::fs::remove_dir_all(home.path().join(folder));
        }
    }
    assert!(removed > 3_000, "{removed}: it does prune");
}

#[test]
fn a_year_of_sessions_stays_within_its_cap() {
    let home = tempfile::tempdir().expect("a folder");
    let mut sessions = Sessions::open(home.path()).expect("a store");
    let keep = Retention { max_sessions: 60, ..Retention::default() };
    let size = || std::fs::metadata(home.path().join("sessions.db")).map_or(0, |m| m.len());
    let mut at_summer = 0;
    for day in 0..365_i64 {
        let now = 1_790_000_000_000 + day * DAY;
        for n in 0..4 {
            keep_session(&mut sessions, &format!("d{day}-{n}"), now - (60 + n) * MINUTE, 40);
        }
        let asked = home.path().join(format!("spool/asked-{}.rec", now.div_euclid(DAY)));
        put(&asked, &"\n00001a 12345678 [1,\"claude\",\"start\",\"s\"]".repeat(200), now, 45);
        prune(home.path(), Some(&mut sessions), &keep, now, Act::Remove).expect("pruned");
        assert!(sessions.beyond(60, i64::MAX).expect("numbers").is_empty());
        let spool = entries(&home.path().join("spool")).len();
        assert!(spool <= 31, "{spool} days");
        if day == 180 {
            drop(sessions);
            sessions = Sessions::open(home.path()).expect("a store");
            at_summer = size();
        }
    }
    drop(sessions);
    // The rows of sessions stay, their events do not.
    assert!(size() < at_summer + at_summer / 2, "{at_summer} → {}", size());
}

#[test]
fn a_file_that_a_process_writes_is_not_removed() {
    let home = tempfile::tempdir().expect("a folder");
    let now = 1_790_000_000_000;
    let part = home.path().join(".config.part-abc");
    put(&part, "half", now, 60 * 24);
    let writer = File::options().write(true).open(&part).expect("opened");
    writer.lock().expect("locked");
    let keep = Retention::default();
    assert_eq!(prune(home.path(), None, &keep, now, Act::Remove).expect("pruned"), Pruned::default());
    drop(writer);
    assert_eq!(prune(home.path(), None, &keep, now, Act::Remove).expect("pruned").stale, [part]);
}

#[test]
fn a_lock_that_nobody_holds_goes_after_its_hours_and_one_that_is_held_or_young_stays() {
    let home = tempfile::tempdir().expect("a folder");
    let now = 1_790_000_000_000;
    let lock = |name: &str, hours: i64| {
        let path = home.path().join("projects").join(name);
        put(&path, "", now, hours * 60);
        path
    };
    let (old, held, young) = (lock("a.lock", 9), lock("b.lock", 9), lock("c.lock", 3));
    let other = lock("9f-root-commit", 90);
    let holder = crate::spots::locked(&held).expect("locked");
    let keep = Retention { lock_stale_hours: 8, ..Retention::default() };
    assert_eq!(prune(home.path(), None, &keep, now, Act::Look).expect("looked").stale, std::slice::from_ref(&old));
    assert_eq!(prune(home.path(), None, &keep, now, Act::Remove).expect("pruned").stale, std::slice::from_ref(&old));
    assert_eq!([&old, &held, &young, &other].map(|p| p.exists()), [false, true, true, true]);
    drop(holder);
    let hour = Retention { lock_stale_hours: 1, ..keep };
    assert_eq!(prune(home.path(), None, &hour, now, Act::Remove).expect("pruned").stale, [held, young]);
}

#[test]
fn who_waits_for_a_lock_that_is_removed_takes_the_next_one() {
    let home = tempfile::tempdir().expect("a folder");
    let path = home.path().join("p.lock");
    let inside = std::sync::atomic::AtomicUsize::new(0);
    let stop = std::sync::atomic::AtomicBool::new(false);
    let order = std::sync::atomic::Ordering::SeqCst;
    std::thread::scope(|s| {
        let workers: Vec<_> = (0..4)
            .map(|_| {
                s.spawn(|| {
                    for _ in 0..500 {
                        let _lock = crate::spots::locked(&path).expect("locked");
                        assert_eq!(inside.fetch_add(1, order), 0, "two at once");
                        std::thread::yield_now();
                        inside.fetch_sub(1, order);
                    }
                })
            })
            .collect();
        s.spawn(|| {
            while !stop.load(order) {
                remove_if_nobodys(&path);
            }
        });
        let ended: Vec<bool> = workers.into_iter().map(|w| w.join().is_ok()).collect();
        stop.store(true, order);
        assert_eq!(ended, [true; 4]);
    });
}

#[cfg(unix)]
#[test]
fn of_two_runs_at_once_the_second_removes_no_lock_that_was_taken_anew() {
    let home = tempfile::tempdir().expect("a folder");
    let path = home.path().join("p.lock");
    std::fs::write(&path, "").expect("a lock");
    let opened = File::options().write(true).open(&path).expect("opened by the second run");
    assert!(remove_if_nobodys(&path), "the first run is done");
    let _held = crate::spots::locked(&path).expect("somebody takes it");
    assert!(!remove_opened(&opened, &path) && path.exists());
}

#[cfg(unix)]
#[test]
fn a_lock_may_be_a_link() {
    let home = tempfile::tempdir().expect("a folder");
    let path = home.path().join("p.lock");
    std::os::unix::fs::symlink(home.path().join("elsewhere"), &path).expect("a link");
    let (done, ends) = std::sync::mpsc::channel();
    std::thread::spawn(move || done.send(crate::spots::locked(&path).is_ok()));
    assert_eq!(ends.recv_timeout(Duration::from_secs(20)), Ok(true));
}
