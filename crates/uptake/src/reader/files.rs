//! A folder as the reader: requests are written as files, answers are read from files. To see exactly what would be sent, to have it
//! answered by hand or by a program of one's own, and to measure.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::Path;

use uptake_core::reader::Trouble;
use uptake_store::atomic_file::{self, Over, Readers};

use super::transport::ANSWER_LIMIT;
use super::trouble;

/// The answer to a request, if it is there; otherwise the request is.
pub(super) fn ask(folder: &Path, id: &str, request: &str) -> Result<String, Trouble> {
    if !is_name(id) {
        return Err(Trouble::Unavailable(format!("`{id}` is no name of a file")));
    }
    if let Some(answer) = read(&folder.join(format!("{id}.answer.json")))? {
        return Ok(answer);
    }
    let path = folder.join(format!("{id}.request.md"));
    if std::fs::read_to_string(&path).is_ok_and(|there| there == request) {
        return Err(awaited(&path));
    }
    std::fs::create_dir_all(folder).map_err(|e| trouble::of_file(folder, &e))?;
    atomic_file::write(&path, request, Readers::User, Over::Replace).map_err(|e| trouble::of_file(&path, &e))?;
    Err(awaited(&path))
}

fn awaited(request: &Path) -> Trouble {
    let request = request.to_string_lossy();
    let answer = request.replace(".request.md", ".answer.json");
    Trouble::NotReady(format!("`{request}` waits for its answer in `{answer}`"))
}

/// An answer; one that is being written is none yet.
fn read(path: &Path) -> Result<Option<String>, Trouble> {
    let unreadable = |e: std::io::Error| Trouble::Unavailable(format!("cannot read `{}`: {e}", path.display()));
    let file = match File::open(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.map_err(unreadable)?,
    };
    let mut bytes = Vec::new();
    file.take(ANSWER_LIMIT as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > ANSWER_LIMIT {
        return Err(Trouble::TooLong);
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok((!text.trim().is_empty()).then_some(text))
}

fn is_name(id: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    (1..=100).contains(&id.len()) && id.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_waits_until_its_answer_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().join("new");
        let ask = || ask(&folder, "ab-12", "what?\n");
        let waits = ask().expect_err("not yet");
        assert!(matches!(&waits, Trouble::NotReady(w) if w.contains("ab-12.answer.json")), "{waits}");
        assert_eq!(std::fs::read_to_string(folder.join("ab-12.request.md")).expect("written"), "what?\n");
        let answer = folder.join("ab-12.answer.json");
        std::fs::write(&answer, "").expect("written");
        assert_eq!(ask(), Err(waits), "an empty file is no answer yet");
        std::fs::write(&answer, "{\"a\": 1}\n").expect("written");
        assert_eq!(ask().as_deref(), Ok("{\"a\": 1}\n"));
        std::fs::write(&answer, "x".repeat(ANSWER_LIMIT + 1)).expect("written");
        assert_eq!(ask(), Err(Trouble::TooLong));
    }

    #[test]
    fn an_id_stays_in_the_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        for id in ["", "../x", "a/b", ".hidden", "a b", &"x".repeat(101)] {
            assert!(matches!(ask(folder.path(), id, "?"), Err(Trouble::Unavailable(_))), "{id}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}
