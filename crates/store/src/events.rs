//! Events as rows: a session's compact events, written and read back.

use rusqlite::{CachedStatement, Row, Transaction, params};
use uptake_core::session::{Author, Body, Call, Event, Excerpt, Origin, Outcome, Span, ToolKind};

use crate::open::json;

/// The first and the last place that events of a session can have.
pub(crate) fn places(session: i64) -> (i64, i64) {
    let first = session << 32;
    (first, first + i64::from(u32::MAX))
}

/// Writes the events of a session from `first` on; what was there from then on goes.
pub(crate) fn replace(t: &Transaction<'_>, session: i64, events: &[Event], first: usize) -> rusqlite::Result<()> {
    let (start, end) = places(session);
    t.prepare_cached("DELETE FROM events WHERE place BETWEEN ?1 AND ?2")?.execute([start + first as i64, end])?;
    let mut insert = t.prepare_cached(
        "INSERT INTO events (place, id, at, byte, bytes, kind, author, tool, tool_kind, input, outcome, code, head, tail, size,
         cwd, took, pending, tokens, written)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)",
    )?;
    for (seq, event) in events.iter().enumerate().skip(first) {
        insert_event(&mut insert, start + seq as i64, event)?;
    }
    Ok(())
}

fn insert_event(insert: &mut CachedStatement<'_>, place: i64, event: &Event) -> rusqlite::Result<()> {
    let call = event.call();
    let spans;
    let (author, head, tail, size) = match &event.body {
        Body::User { author, spans: parts } => {
            let list: Vec<(&str, String)> = parts.iter().map(|p| (p.origin.as_str(), p.text.to_text())).collect();
            spans = json(&list)?;
            (Some(if *author == Author::Human { "human" } else { "machine" }), spans.as_str(), "", 0)
        }
        Body::Assistant { text } => (None, text.head(), text.stored_tail(), text.full_len()),
        Body::Call(call) => (None, call.output.head(), call.output.stored_tail(), call.output.full_len()),
    };
    // By number, in the order of the columns: names would be looked up again for every row.
    let row = params![
        place,
        event.id,
        event.at,
        event.offset.cast_signed(),
        event.len.cast_signed(),
        event.kind(),
        author,
        call.map(|c| c.tool.as_str()),
        call.map(|c| c.kind.as_str()),
        call.map(|c| c.input.as_str()),
        call.map(|c| c.outcome.as_str()),
        call.and_then(|c| c.outcome.code()),
        head,
        tail,
        size.cast_signed(),
        call.and_then(|c| c.cwd.as_deref()),
        call.and_then(|c| c.took),
        call.and_then(|c| c.pending.as_deref()),
        event.tokens,
        call.and_then(|c| c.written.as_deref()),
    ];
    insert.execute(row).map(drop)
}

/// What [`event`] reads.
pub(crate) const COLUMNS: &str =
    "id, at, byte, bytes, kind, author, tool, tool_kind, input, outcome, code, head, tail, size, cwd, took, pending,
     tokens, written";

/// Reads an event back.
pub(crate) fn event(r: &Row<'_>) -> rusqlite::Result<Event> {
    let kind: String = r.get("kind")?;
    let body = match kind.as_str() {
        "user" => message(r)?,
        "assistant" => Body::Assistant { text: text(r)? },
        _ => Body::Call(call(r)?),
    };
    Ok(Event {
        id: r.get("id")?,
        at: r.get("at")?,
        offset: r.get::<_, i64>("byte")?.cast_unsigned(),
        len: r.get::<_, i64>("bytes")?.cast_unsigned(),
        tokens: r.get("tokens")?,
        body,
    })
}

fn text(r: &Row<'_>) -> rusqlite::Result<Excerpt> {
    Ok(Excerpt::from_parts(r.get("head")?, r.get("tail")?, r.get::<_, i64>("size")?.cast_unsigned()))
}

fn message(r: &Row<'_>) -> rusqlite::Result<Body> {
    let author: Option<String> = r.get("author")?;
    // A text that was forgotten is empty: a message without parts.
    let list: Vec<(String, String)> = serde_json::from_str(&r.get::<_, String>("head")?).unwrap_or_default();
    let span = |(origin, text): (String, String)| Span { origin: Origin::parse(&origin), text: Excerpt::new(&text) };
    Ok(Body::User {
        author: if author.as_deref() == Some("human") { Author::Human } else { Author::Machine },
        spans: list.into_iter().map(span).collect(),
    })
}

fn call(r: &Row<'_>) -> rusqlite::Result<Call> {
    let word = |column: &str| Ok::<_, rusqlite::Error>(r.get::<_, Option<String>>(column)?.unwrap_or_default());
    Ok(Call {
        tool: word("tool")?,
        kind: ToolKind::parse(&word("tool_kind")?),
        input: word("input")?,
        outcome: Outcome::parse(&word("outcome")?, r.get("code")?),
        output: text(r)?,
        cwd: r.get("cwd")?,
        took: r.get("took")?,
        pending: r.get("pending")?,
        written: r.get("written")?,
    })
}
