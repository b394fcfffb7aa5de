//! What an edit changed in notes for agents: clients name the texts of an edit in a few ways.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::raw;
use crate::normal::notes;
use crate::session::{Event, Outcome, ToolKind, WRITTEN_LIMIT};

/// The texts of an edit.
#[derive(Deserialize, Default)]
struct Edit<'a> {
    #[serde(borrow, default)]
    content: Option<Cow<'a, str>>,
    #[serde(borrow, default, alias = "oldString")]
    old_string: Option<Cow<'a, str>>,
    #[serde(borrow, default, alias = "newString")]
    new_string: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    edits: Option<Vec<Edit<'a>>>,
}

/// What an edit of a file changed, as a small patch; empty if that file holds no notes.
pub(super) fn in_edit(kind: ToolKind, path: &str, input: Option<&RawValue>) -> String {
    if kind != ToolKind::Edit || notes::place_of(path).is_none() {
        return String::new();
    }
    let edit: Edit<'_> = raw::value(input);
    if let Some(content) = &edit.content {
        return notes::of_edit(path, None, content);
    }
    let one = |e: &Edit<'_>| {
        let old = e.old_string.as_deref().unwrap_or_default();
        Some(notes::of_edit(path, Some(old), e.new_string.as_deref()?))
    };
    one(&edit).into_iter().chain(edit.edits.iter().flatten().filter_map(one)).collect()
}

/// A file of notes that is written whole was read before, if it was there: then it is known what is left out of it. Of what
/// is too long to be kept only the sums are.
pub(super) fn over_what_was_read(before: &[Event], patch: &str) -> String {
    let Some(path) = notes::written_whole(patch) else { return patch.to_owned() };
    if patch.len() >= WRITTEN_LIMIT {
        return notes::with_sums(patch, path);
    }
    let mut reads = before.iter().rev().filter_map(Event::call).filter(|c| c.kind == ToolKind::Read && c.input == path);
    let Some(output) = reads.find(|c| c.outcome == Outcome::Ok).map(|c| &c.output) else { return patch.to_owned() };
    let whole = [output.head(), output.stored_tail()].join("\n");
    notes::written_over(patch, path, &whole, output.is_cut())
}

/// A fact that a client was told to remember in its own file.
pub(super) fn remembered(file: &str, fact: &str) -> String {
    notes::of_edit(file, Some(""), &format!("- {fact}"))
}
