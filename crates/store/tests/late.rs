//! What people write to a file while it is replaced, through what they opened before.
#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, clippy::panic, reason = "tests say what they expect")]

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use uptake_store::late::{self, Going, Late};
use uptake_store::rooted::{self, Replaced};

const FILE: &str = "notes.md";

/// A folder with a file, and one for our data.
fn scene(text: &str) -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, data) = (folder.path().join(FILE), folder.path().join("data"));
    std::fs::write(&file, text).expect("written");
    (folder, file, data)
}

fn opened(file: &Path) -> File {
    OpenOptions::new().append(true).open(file).expect("there")
}

fn replace(folder: &TempDir, was: &str, text: &str) -> Replaced {
    let data = folder.path().join("data");
    rooted::replace_shared(folder.path(), Path::new(FILE), was.as_bytes(), text, &data).expect("looked at")
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).expect("text")
}

/// Waits until the new text has the name.
fn wait_for(file: &Path, text: &str) {
    for _ in 0..100_000 {
        if read(file).starts_with(text) {
            return;
        }
        std::thread::sleep(Duration::from_micros(50));
    }
    panic!("the new text never came");
}

fn kept(data: &Path) -> usize {
    std::fs::read_dir(data.join(late::LATE)).expect("a folder").count()
}

// This process is the one whose open files are not looked at: it stands for somebody who is not seen.

#[test]
fn what_is_added_long_after_the_file_lost_its_name_comes_back_once() {
    let (folder, file, data) = scene("a\n");
    let mut late = opened(&file);
    assert_eq!(replace(&folder, "a\n", "a\nentry\n"), Replaced::Yes);
    assert_eq!(late::settle(&data, Going::Quiet).expect("settled"), []);
    late.write_all(b"typed\n").expect("written");
    assert_eq!(read(&file), "a\nentry\n");
    assert_eq!(late::settle(&data, Going::Quiet).expect("settled"), [Late::Added(file.clone())]);
    assert_eq!(late::settle(&data, Going::Quiet).expect("settled"), []);
    assert_eq!(read(&file), "a\nentry\ntyped\n");
    late.write_all(b"more\n").expect("written");
    assert_eq!(late::settle(&data, Going::All).expect("settled").len(), 1);
    assert_eq!((read(&file).as_str(), kept(&data)), ("a\nentry\ntyped\nmore\n", 0));
}

#[test]
fn a_text_that_was_written_anew_is_kept_and_told() {
    let (folder, file, data) = scene("a\n");
    let mut editor = OpenOptions::new().write(true).open(&file).expect("there");
    assert_eq!(replace(&folder, "a\n", "a\nentry\n"), Replaced::Yes);
    editor.set_len(0).expect("emptied");
    assert_eq!(late::settle(&data, Going::Quiet).expect("settled"), [], "nothing is there yet");
    editor.rewind().expect("at its start");
    editor.write_all(b"quite another text\n").expect("written");
    let told = late::settle(&data, Going::All).expect("settled");
    let [Late::Kept { path, copy }] = &told[..] else { panic!("{told:?}") };
    assert_eq!((path, read(copy).as_str(), read(path).as_str()), (&file, "quite another text\n", "a\nentry\n"));
    assert_eq!(late::written_anew(&data), [(path.clone(), copy.clone())]);
}

/// The only old file that is kept: its folder.
fn only(data: &Path) -> PathBuf {
    std::fs::read_dir(data.join(late::LATE)).expect("a folder").flatten().next().expect("one").path()
}

fn make_old(path: &Path) {
    let open = File::open(path).expect("there");
    let before = open.metadata().and_then(|m| m.modified()).expect("dated") - Duration::from_secs(90);
    open.set_modified(before).expect("set");
}

#[test]
fn what_was_added_before_a_kill_is_not_added_again() {
    for done in ["typed\nmore\n", "typ", ""] {
        let (folder, file, data) = scene("a\n");
        let mut late = opened(&file);
        assert_eq!(replace(&folder, "a\n", "a\nentry\n"), Replaced::Yes);
        late.write_all(b"typed\nmore\n").expect("written");
        // A run began to take it over, and was killed on the way.
        let about = only(&data).join("about.json");
        let mut noted: serde_json::Value = serde_json::from_str(&read(&about)).expect("JSON");
        noted["appending"] = "a\nentry\n".len().into();
        std::fs::write(&about, noted.to_string()).expect("noted");
        opened(&file).write_all(done.as_bytes()).expect("written");
        late::settle(&data, Going::Quiet).expect("settled");
        assert_eq!(late::settle(&data, Going::Quiet).expect("settled"), [], "{done:?}");
        assert_eq!(read(&file), "a\nentry\ntyped\nmore\n", "{done:?}");
    }
}

#[test]
fn what_is_added_begins_a_line_unless_it_ends_one() {
    let (folder, file, data) = scene("a\n");
    let mut late = opened(&file);
    assert_eq!(replace(&folder, "a\n", "a\nentry"), Replaced::Yes);
    late.write_all(b"typed").expect("written");
    late::settle(&data, Going::Quiet).expect("settled");
    assert_eq!(read(&file), "a\nentry\ntyped");
    late.write_all(b" more\n").expect("written");
    late::settle(&data, Going::Quiet).expect("settled");
    assert_eq!(read(&file), "a\nentry\ntyped more\n", "the rest of a line stays with it");
}

#[test]
fn trouble_with_one_old_file_is_not_that_of_others() {
    let (folder, file, data) = scene("a\n");
    let mut late = opened(&file);
    assert_eq!(replace(&folder, "a\n", "a\nentry\n"), Replaced::Yes);
    late.write_all(b"typed\n").expect("written");
    // One that cannot be read, and one that cannot even be opened now.
    let [unread, unopened] = ["0", "1"].map(|name| data.join(late::LATE).join(name));
    std::fs::create_dir_all(unread.join("file")).expect("a folder");
    std::fs::create_dir(&unopened).expect("a folder");
    std::os::unix::fs::symlink("file", unopened.join("file")).expect("a loop");
    [&unread, &unopened].into_iter().for_each(|path| make_old(path));
    assert_eq!(late::settle(&data, Going::Quiet).expect("settled"), [Late::Added(file.clone())]);
    assert_eq!((read(&file).as_str(), unread.exists(), unopened.exists()), ("a\nentry\ntyped\n", true, true));
    assert!(late::settle(&data, Going::All).is_err(), "who wants to forget is told");
}

#[test]
fn an_old_file_goes_when_it_was_quiet_for_a_while() {
    let (folder, file, data) = scene("a\n");
    assert_eq!(replace(&folder, "a\n", "b\n"), Replaced::Yes);
    assert_eq!(replace(&folder, "b\n", "c\n"), Replaced::Yes);
    late::settle(&data, Going::Quiet).expect("settled");
    assert_eq!(kept(&data), 2);
    let one = only(&data);
    [&one.join("file"), &one].into_iter().for_each(|path| make_old(path));
    late::settle(&data, Going::Quiet).expect("settled");
    assert_eq!((kept(&data), read(&file).as_str()), (1, "c\n"));
}

#[test]
fn who_adds_to_a_shared_file_all_the_time_keeps_nobody_waiting_and_a_file_of_ours_is_theirs_then() {
    let (folder, file, _) = scene("a\nb\n");
    assert_eq!(replace(&folder, "a\n", "a\nentry\n"), Replaced::Yes);
    assert_eq!(read(&file), "a\nentry\nb\n");
    let ours = rooted::replace(folder.path(), Path::new(FILE), b"a\nentry\n", "other\n").expect("looked at");
    assert_eq!((ours, read(&file).as_str()), (Replaced::Changed, "a\nentry\nb\n"));
}

/// Another process that has the file open, and writes when it is told to.
struct Writer {
    child: Child,
    told: ChildStdout,
    tell: ChildStdin,
}

impl Writer {
    fn new(file: &Path, pieces: &[&str]) -> Self {
        let pieces: String = pieces.iter().map(|p| format!("read x; printf '{p}' >&3; echo; ")).collect();
        let script = format!("exec 3>>\"$0\"; echo; {pieces}");
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", &script]).arg(file).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = shell.spawn().expect("started");
        let (told, tell) = (child.stdout.take().expect("piped"), child.stdin.take().expect("piped"));
        let mut writer = Self { child, told, tell };
        writer.told.read_exact(&mut [0]).expect("it is open");
        writer
    }

    /// Has the next piece written.
    fn write(&mut self) {
        self.tell.write_all(b"\n").expect("told");
        self.told.read_exact(&mut [0]).expect("it is written");
    }

    fn end(mut self) {
        self.child.wait().expect("ended");
    }
}

#[test]
fn half_a_line_is_not_parted_from_its_rest() {
    let (folder, file, _) = scene("a\nhalf");
    let mut writer = Writer::new(&file, &[" line\\n"]);
    assert_eq!(replace(&folder, "a\nhalf", "a\nhalf\nentry\n"), Replaced::Changed, "its writer is let end it");
    writer.write();
    writer.end();
    assert_eq!(read(&file), "a\nhalf line\n");
    assert_eq!(replace(&folder, "a\nhalf line\n", "a\nhalf line\nentry\n"), Replaced::Yes);
}

#[test]
fn a_line_is_taken_over_when_it_is_whole() {
    let (folder, file, _) = scene("a\n");
    let mut writer = Writer::new(&file, &["one", " two\\n"]);
    std::thread::scope(|s| {
        s.spawn(|| {
            wait_for(&file, "a\nentry\n");
            writer.write();
            std::thread::sleep(Duration::from_millis(30));
            opened(&file).write_all(b"three\n").expect("written");
            writer.write();
        });
        assert_eq!(replace(&folder, "a\n", "a\nentry\n"), Replaced::Yes);
    });
    writer.end();
    assert_eq!(read(&file), "a\nentry\nthree\none two\n");
}
