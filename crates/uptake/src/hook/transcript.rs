//! The end of the transcript of the session that asks: what payloads do not say stands there.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use uptake_core::moment::{Asked, ToolUse};
use uptake_core::sources::Reply;

/// How much of the end is looked at.
const TAIL: u64 = 512 * 1024; // bytes

/// How many tools were used since a time, as far as the transcript tells.
pub(super) fn calls_since(at: i64, reply: Reply, asked: &Asked) -> usize {
    tail(asked).map_or(0, |text| (reply.calls_since)(&text, at))
}

/// The exit code of a call, for clients whose payloads have none; `None` if the transcript does not say it either.
pub(super) fn exit_code(call: &ToolUse, reply: Reply, asked: &Asked) -> Option<i32> {
    let (find, id) = (reply.exit_code?, call.id.as_deref()?);
    find(&tail(asked)?, id)
}

fn tail(asked: &Asked) -> Option<String> {
    tail_of(asked.transcript.as_deref()?)
}

/// The end of a transcript.
pub(super) fn tail_of(path: &str) -> Option<String> {
    let path = Path::new(path);
    // Opening a pipe would wait for its writer.
    let about = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let mut file = std::fs::File::open(path).ok()?;
    file.seek(SeekFrom::Start(about.len().saturating_sub(TAIL))).ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
