use super::*;

/// A database of lessons in an older format, with one approved lesson.
fn older(home: &Path, format: usize) -> (Connection, uptake_core::learn::Lesson) {
    let connection = Connection::open(home.join("lessons.db")).expect("opened");
    for sql in &StoreFile::Lessons.migrations()[..format] {
        connection.execute_batch(sql).expect("made");
    }
    let lesson = uptake_core::learn::by_hand("p", "run make deps first", 1);
    connection
        .execute(
            "INSERT INTO lessons (id, project, kind, key, name, body, sha256, sessions, days, ready, rank)
             VALUES (?1, 'p', 'instruction', 'k', 'n', ?2, ?3, 1, 1, 1, 1.0)",
            [&lesson.id, &crate::body::of_lesson(&lesson).expect("JSON"), &lesson.sha256()],
        )
        .expect("inserted");
    connection
        .execute(
            "INSERT INTO verdicts (lesson, verdict, sha256, at) VALUES (?1, 'approved', ?2, 1)",
            [&lesson.id, &lesson.sha256()],
        )
        .expect("approved");
    connection.pragma_update(None, "user_version", format as i64).expect("marked");
    (connection, lesson)
}

fn older_home(format: usize) -> (tempfile::TempDir, uptake_core::learn::Lesson) {
    let home = tempfile::tempdir().expect("a folder");
    let (_, lesson) = older(home.path(), format);
    (home, lesson)
}

/// The newest format of `lessons.db`.
fn newest() -> usize {
    StoreFile::Lessons.migrations().len()
}

fn names(home: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(home).expect("a folder").flatten();
    let mut names: Vec<String> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !["-wal", "-shm", ".journal", ".seal", ".lock"].iter().any(|end| name.ends_with(end)));
    names.sort();
    names
}

#[test]
fn a_store_of_each_older_format_is_migrated_by_readers_too() {
    for old in 1..newest() {
        let home = tempfile::tempdir().expect("a folder");
        let (connection, lesson) = older(home.path(), old);
        drop(connection);
        let lessons = crate::Lessons::open_read_only(home.path()).expect("opened").expect("there");
        let kept = lessons.may_leave(uptake_core::learn::trust::Mode::Review).expect("read");
        assert_eq!(kept.as_slice(), std::slice::from_ref(&lesson), "format {old}");
        let marks = lessons.db.rows("SELECT advice FROM lessons", [], |r| r.get::<_, String>("advice")).expect("made");
        assert_eq!(marks, [uptake_core::learn::supersede::marks(&lesson)], "format {old}");
    }
}

#[test]
fn a_hook_leaves_a_store_of_another_format_as_it_is() {
    let newest = StoreFile::Lessons.migrations().len();
    for format in (1..newest).chain([newest + 1]) {
        let (home, _) = older_home(format.min(newest));
        let path = home.path().join("lessons.db");
        let connection = Connection::open(&path).expect("opened");
        connection.pragma_update(None, "user_version", format as i64).expect("marked");
        drop(connection);
        let before = std::fs::read(&path).expect("read");
        let refused = crate::Lessons::open_for_hook(home.path()).err().expect("refused");
        assert!(matches!(refused, StoreError::OtherFormat { found, .. } if found == format as i64), "{refused}");
        assert!(refused.hint().contains("run `uptake learn` once"), "{}", refused.hint());
        assert_eq!(std::fs::read(&path).expect("read"), before, "format {format}");
    }
    let (home, _) = older_home(newest);
    assert!(crate::Lessons::open_for_hook(home.path()).expect("opened").is_some());
}

#[test]
fn lessons_are_copied_as_they_were_before_their_format_changes() {
    for old in 1..newest() {
        let home = tempfile::tempdir().expect("a folder");
        let (connection, lesson) = older(home.path(), old);
        // The last word is still in the log beside the file.
        let late = "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE lessons SET name = 'late'";
        connection.execute_batch(late).expect("written");
        drop(open(home.path(), StoreFile::Lessons).expect("migrated"));
        let name = format!("lessons.db.before-{}", newest());
        assert_eq!(names(home.path()), ["lessons.db", &name], "format {old}");
        let path = home.path().join(name);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(path.metadata().expect("there").permissions().mode() & 0o777, 0o600);
        }
        let copy = Connection::open(path).expect("opened");
        assert_eq!(version(&copy).expect("read"), old as i64);
        let kept: (String, String) =
            copy.query_row("SELECT id, name FROM lessons", [], |r| Ok((r.get("id")?, r.get("name")?))).expect("one");
        assert_eq!(kept, (lesson.id, "late".to_owned()));
    }
}

#[test]
fn only_a_change_of_format_makes_a_copy() {
    let home = tempfile::tempdir().expect("a folder");
    for _ in 0..2 {
        drop(open(home.path(), StoreFile::Lessons).expect("opened"));
    }
    let sessions = Connection::open(home.path().join("sessions.db")).expect("opened");
    sessions.execute_batch(StoreFile::Sessions.migrations()[0]).expect("made");
    sessions.pragma_update(None, "user_version", 1).expect("marked");
    drop(open(home.path(), StoreFile::Sessions).expect("migrated"));
    assert_eq!(names(home.path()), ["lessons.db", "sessions.db"], "what can be read again is not copied");
}

#[test]
fn the_latest_two_copies_stay() {
    let home = tempfile::tempdir().expect("a folder");
    drop(older(home.path(), 1));
    let found = [newest() - 1, newest() - 2].map(|n| format!("lessons.db.before-{n}"));
    found.iter().for_each(|name| std::fs::write(home.path().join(name), "").expect("written"));
    drop(open(home.path(), StoreFile::Lessons).expect("migrated"));
    let latest = format!("lessons.db.before-{}", newest());
    let mut wanted = ["lessons.db", &found[0], &latest];
    wanted.sort_unstable();
    assert_eq!(names(home.path()), wanted);
}

#[test]
fn without_a_copy_the_format_stays() {
    let home = tempfile::tempdir().expect("a folder");
    drop(older(home.path(), 1));
    let taken = home.path().join(format!("lessons.db.before-{}", newest()));
    std::fs::create_dir_all(taken.join("something")).expect("made");
    assert!(open(home.path(), StoreFile::Lessons).is_err());
    assert_eq!(version(&Connection::open(home.path().join("lessons.db")).expect("opened")).expect("read"), 1);
}

#[test]
fn a_reader_rolls_back_what_a_killed_writer_left() {
    let (live, dead) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let connection = Connection::open(live.path().join("sessions.db")).expect("opened");
    let half = "CREATE TABLE t (x); PRAGMA cache_size = 1; BEGIN;
                INSERT INTO t VALUES (zeroblob(100000)); INSERT INTO t VALUES (zeroblob(100000));";
    connection.pragma_update(None, "user_version", StoreFile::Sessions.newest()).expect("marked");
    connection.execute_batch(half).expect("written");
    for name in ["sessions.db", "sessions.db-journal"] {
        std::fs::copy(live.path().join(name), dead.path().join(name)).expect("copied");
    }
    let db = open_read_only(dead.path(), StoreFile::Sessions).expect("opened").expect("there");
    let rows: i64 = db.connection.query_row("SELECT count(*) FROM t", [], |r| r.get(0)).expect("read");
    assert_eq!(rows, 0);
}

#[test]
fn a_database_without_tables_is_as_good_as_none() {
    let home = tempfile::tempdir().expect("a folder");
    make_private(&home.path().join("lessons.db")).expect("made");
    assert!(open_read_only(home.path(), StoreFile::Lessons).expect("opened").is_none());
}
