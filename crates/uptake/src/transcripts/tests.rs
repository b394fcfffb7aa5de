//! Where transcripts are found, and in which order.

use super::*;

fn write(folder: &Path, name: impl AsRef<OsStr>) -> PathBuf {
    let path = folder.join(name.as_ref());
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    std::fs::write(&path, "{}\n").expect("written");
    path
}

#[test]
fn transcripts_come_in_the_order_of_their_paths_once_each() {
    let home = tempfile::tempdir().expect("a folder");
    let home = home.path().canonicalize().expect("a folder");
    // A folder beside a file whose name begins alike, and files before and behind it.
    let names = ["p/b.jsonl", "p/b/x.jsonl", "p/a.jsonl", "p/b-c.json", "q/z.jsonl", "top.jsonl"];
    let mut expected: Vec<PathBuf> = names.iter().map(|n| write(&home, n)).collect();
    write(&home, "p/notes.txt");
    write(&home, "p/a.meta.json");
    expected.sort();
    let found = find(&[home.clone(), home.join("p"), home.join("p/a.jsonl")]);
    assert_eq!(found.transcripts.iter().map(Transcript::path).collect::<Vec<_>>(), expected);
    let projects: Vec<_> = found.transcripts.iter().map(Transcript::folder_project).collect();
    let top = home.file_name().and_then(OsStr::to_str);
    assert_eq!(projects, [Some("p"), Some("p"), Some("p"), Some("p"), Some("q"), top]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_utf_8_is_found_as_it_is() {
    use std::os::unix::ffi::OsStrExt as _;
    let home = tempfile::tempdir().expect("a folder");
    let home = home.path().canonicalize().expect("a folder");
    let odd = write(&home, OsStr::from_bytes(b"p/od\xffd.jsonl"));
    let plain = write(&home, "p/plain.jsonl");
    let found = find(&[home]);
    assert_eq!(found.transcripts.iter().map(Transcript::path).collect::<Vec<_>>(), [odd, plain]);
    assert!(found.transcripts.iter().all(|t| t.folder_project() == Some("p") && t.size == 3));
}
