//! OpenCode's database, read beside its owner: a real SQLite in WAL mode with a second connection that writes.
#![expect(clippy::disallowed_methods, reason = "stands in for the program that owns the database")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests stand outside of tests")]

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use uptake_store::foreign::opencode::{read_session, sessions};

const LAYOUT: &str = r#"PRAGMA journal_mode = WAL;
    CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text NOT NULL, version text NOT NULL, time_updated integer NOT NULL);
    CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, data text NOT NULL);
    CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, data text NOT NULL);
    CREATE INDEX part_session_idx ON part (session_id);
    INSERT INTO session VALUES ('ses_1', NULL, '/home/dev/a "b"', '1.18.33', 5), ('ses_2', 'ses_1', '/home/dev/a', '1.18.33', 6);
    INSERT INTO message VALUES ('msg_1', 'ses_1', 1, '{"role":"user"}'), ('msg_2', 'ses_1', 2, ' {"role":"assistant"} ');
    INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', '{"type":"text","text":"hi"}'), ('prt_2', 'msg_2', 'ses_1', '{}'),
      ('prt_3', 'msg_2', 'ses_1', 'not json');"#;

fn made(folder: &Path) -> (PathBuf, Connection) {
    let path = folder.join("open code #1.db");
    let owner = Connection::open(&path).unwrap();
    owner.execute_batch(LAYOUT).unwrap();
    (path, owner)
}

fn lines(path: &Path, id: &str) -> Vec<String> {
    let mut out = Vec::new();
    read_session(path, id, |line| out.push(String::from_utf8_lossy(line).into_owned())).unwrap();
    out
}

#[test]
fn rows_come_as_the_objects_of_an_export() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _owner) = made(folder.path());
    let expected = [
        r#"{"info":{"id":"ses_1","directory":"/home/dev/a \"b\"","version":"1.18.33"}}"#,
        r#"{"info":{"id":"msg_1","role":"user"}}"#,
        r#"{"id":"prt_1","messageID":"msg_1","type":"text","text":"hi"}"#,
        r#"{"info":{"id":"msg_2","role":"assistant"}}"#,
        r#"{"id":"prt_2","messageID":"msg_2"}"#,
        "not json",
    ];
    assert_eq!(lines(&path, "ses_1"), expected.map(|l| format!("{l}\n")));
    assert_eq!(lines(&path, "ses_2").len(), 1);
    assert!(lines(&path, "ses_2")[0].contains(r#""parentID":"ses_1""#));
}

#[test]
fn what_the_owner_has_just_written_is_seen_and_told_by_the_stamp() {
    let folder = tempfile::tempdir().unwrap();
    let (path, owner) = made(folder.path());
    let before = sessions(&path).unwrap().unwrap();
    assert_eq!(sessions(&path).unwrap().unwrap(), before, "nothing new, nothing changed");
    owner.execute(r#"INSERT INTO part VALUES ('prt_4', 'msg_2', 'ses_1', '{"type":"text"}')"#, []).unwrap();
    let after = sessions(&path).unwrap().unwrap();
    assert_ne!(before[0], after[0]);
    assert_eq!(before[1], after[1]);
    assert_eq!(lines(&path, "ses_1").len(), 7);
    // A writer in the middle of its work neither waits for us nor is seen.
    owner.execute_batch("BEGIN IMMEDIATE; DELETE FROM part;").unwrap();
    assert_eq!(lines(&path, "ses_1").len(), 7);
    owner.execute_batch("COMMIT").unwrap();
    assert_eq!(lines(&path, "ses_1").len(), 3);
}

#[test]
fn nothing_is_left_beside_a_database_at_rest() {
    let folder = tempfile::tempdir().unwrap();
    let (path, owner) = made(folder.path());
    owner.close().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(sessions(&path).unwrap().unwrap().len(), 2);
    assert_eq!(lines(&path, "ses_1").len(), 6);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_log_that_a_killed_owner_left_is_read_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (path, owner) = made(folder.path());
    let copy = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(folder.path()).unwrap().flatten() {
        std::fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    drop(owner);
    let path = copy.path().join(path.file_name().unwrap());
    assert_eq!(lines(&path, "ses_1").len(), 6, "all of it is in the log so far");
    let logs = std::fs::read_dir(copy.path()).unwrap().flatten();
    assert!(
        logs.filter(|e| e.file_name().to_string_lossy().ends_with("-wal")).all(|e| e.metadata().unwrap().len() > 0)
    );
}

#[test]
fn other_files_are_none_of_ours() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.db");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE t (a)").unwrap();
    assert_eq!(sessions(&other).unwrap(), None);
    let text = folder.path().join("text.db");
    std::fs::write(&text, "no database at all, but long enough to be looked at by SQLite".repeat(20)).unwrap();
    assert!(sessions(&text).unwrap_err().to_string().contains("text.db"));
    assert!(sessions(&folder.path().join("missing.db")).is_err());
    let (path, owner) = made(folder.path());
    drop(owner);
    let gone = read_session(&path, "ses_9", |_| {}).unwrap_err().to_string();
    assert!(gone.contains("no longer in it"), "{gone}");
}

#[test]
fn a_damaged_database_is_an_error_not_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let (path, owner) = made(folder.path());
    owner.close().unwrap();
    let sound = std::fs::read(&path).unwrap();
    let mut heard = 0;
    for at in (100..sound.len()).step_by(37) {
        let mut bytes = sound.clone();
        bytes.iter_mut().skip(at).take(64).for_each(|b| *b ^= 0xA5);
        std::fs::write(&path, &bytes).unwrap();
        let listed = sessions(&path);
        heard += usize::from(listed.is_err());
        for one in listed.ok().flatten().into_iter().flatten() {
            heard += usize::from(read_session(&path, &one.id, |_| {}).is_err());
        }
        std::fs::write(&path, &sound[..at]).unwrap();
        assert!(sessions(&path).is_err() || at >= sound.len() - 4096);
    }
    assert!(heard > 0, "no damage was heard of");
}
