//! The texts a script printed → what they tell of each call in it.
//!
//! Each `text(…)` of the script gives one text of the output. Texts are laid beside the prints of the script; if that can
//! be done in one way only, the pieces of each are cut out. What could be cut in two ways is left alone.

use serde_json::Value;

use super::values::is_number;
use super::{Piece, Print, Shape, Times, expressions};

/// What an output tells of one call.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::sources::codex) struct Told {
    /// What it printed.
    pub(in crate::sources::codex) output: Option<String>,
    /// Its exit code.
    pub(in crate::sources::codex) code: Option<i32>,
    /// The output shows where a code would be, and none is there: it still runs.
    pub(in crate::sources::codex) without_code: bool,
    /// The number under which it goes on.
    pub(in crate::sources::codex) session: Option<String>,
    /// How long it took, or was waited for.
    pub(in crate::sources::codex) seconds: Option<f64>,
}

impl Told {
    fn print(&mut self, text: &str) {
        match &mut self.output {
            Some(before) => {
                before.push('\n');
                before.push_str(text);
            }
            None => self.output = Some(text.to_owned()),
        }
    }

    /// Printed texts that tell of this call alone, in a way that is not known: a whole result is still recognised.
    pub(in crate::sources::codex) fn printed_somehow(&mut self, parts: &[&str]) {
        for part in parts {
            match json(part) {
                Some(value) if value.get("chunk_id").is_some() => self.result(&value),
                _ => self.print(part),
            }
        }
    }

    fn field(&mut self, name: &str, text: &str) {
        match name {
            "exit_code" => {
                self.code = text.parse().ok();
                self.without_code = self.code.is_none();
            }
            "session_id" => self.session = text.parse::<u64>().ok().map(|n| n.to_string()),
            "wall_time_seconds" => self.seconds = text.parse().ok(),
            "chunk_id" | "original_token_count" => {}
            _ => self.print(text),
        }
    }

    /// The whole result, as JSON.
    fn result(&mut self, value: &Value) {
        let Value::Object(fields) = value else { return self.print(&plain(value)) };
        if !["output", "exit_code", "chunk_id", "wall_time_seconds"].iter().any(|f| fields.contains_key(*f)) {
            return self.print(&value.to_string());
        }
        fields.iter().for_each(|(name, value)| self.field(name, &plain(value)));
        self.without_code |= !fields.contains_key("exit_code");
    }
}

/// A text as it is, anything else as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Whether more will be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sources::codex) enum Portion {
    Last,
    /// The script goes on, or came to a bad end.
    Some,
}

/// Reads printed texts; adds to what is known of each call, and gives back how many prints were used up. `None` if it
/// cannot be said which print gave which text.
pub(in crate::sources::codex) fn parts_told(
    prints: &[Print],
    parts: &[&str],
    portion: Portion,
    told: &mut [Told],
) -> Option<usize> {
    if let [only] = parts
        && let Some(whole) = untruncated(only)
        && prints.len() > 1
        && prints.iter().all(|p| p.times == Times::Once)
    {
        // What is too long altogether becomes one text. Its middle is cut out, and perhaps a place where two texts meet.
        let pieces = all_in_one(prints);
        if pieces.iter().filter(|p| is_free(p) && !matches!(p, Piece::Json(_))).count() <= 1 {
            take(&pieces, whole, told);
        }
        return Some(prints.len());
    }
    let pairs = pairs(prints, parts, portion)?;
    let used = pairs.iter().map(|(print, _)| print + 1).max().unwrap_or(0);
    for (print, part) in pairs {
        take(&prints[print].pieces, untruncated(parts[part]).unwrap_or(parts[part]), told);
    }
    Some(used)
}

/// A text that was cut in the middle, without the client's head.
fn untruncated(part: &str) -> Option<&str> {
    let rest = part.strip_prefix("Warning: truncated output (original token count: ")?;
    rest.split_once("\n\n").map(|(_, body)| body)
}

fn all_in_one(prints: &[Print]) -> Vec<Piece> {
    let mut out = Vec::new();
    for print in prints {
        if !out.is_empty() {
            out.push(Piece::Text("\n".to_owned()));
        }
        out.extend(print.pieces.iter().cloned());
    }
    out
}

/// More pairs than this are not compared.
const MOST_PAIRS: usize = 20_000;

/// Which print gave which text; `None` if there is no way, or more than one.
fn pairs(prints: &[Print], parts: &[&str], portion: Portion) -> Option<Vec<(usize, usize)>> {
    if prints.len() * parts.len() > MOST_PAIRS {
        return None;
    }
    let width = parts.len() + 1;
    // In how many ways the rest fits, up to two: for each print and each text.
    let mut ways = vec![0_u8; (prints.len() + 1) * width];
    let at = |print: usize, part: usize| print * width + part;
    for print in (0..=prints.len()).rev() {
        for part in (0..=parts.len()).rev() {
            let done = part == parts.len();
            ways[at(print, part)] = if done && (print == prints.len() || portion == Portion::Some) {
                1
            } else if print == prints.len() {
                0
            } else {
                let taken = if done || !fits(&prints[print], parts[part]) { 0 } else { ways[at(print + 1, part + 1)] };
                let skipped = ways[at(print + 1, part)];
                let again = if done { 0 } else { ways[at(print, part + 1)] };
                match prints[print].times {
                    Times::Once => taken,
                    Times::Maybe => (taken + skipped).min(2),
                    Times::Any => (again + skipped).min(2),
                }
            };
        }
    }
    if ways[0] != 1 {
        return None;
    }
    let (mut print, mut part, mut out) = (0, 0, Vec::new());
    while print < prints.len() && part < parts.len() {
        let next = at(print + 1, part + 1);
        match prints[print].times {
            Times::Any if ways[at(print, part + 1)] == 1 => part += 1,
            Times::Any => print += 1,
            _ if fits(&prints[print], parts[part]) && ways[next] == 1 => {
                out.push((print, part));
                (print, part) = (print + 1, part + 1);
            }
            _ => print += 1,
        }
    }
    Some(out)
}

fn fits(print: &Print, part: &str) -> bool {
    untruncated(part).is_some() || !matches!(cut(&print.pieces, part), Cut::No)
}

/// What stands at the place of each piece.
enum Cut<'t> {
    /// The text is not made of these pieces.
    No,
    /// It may be, but in more than one way.
    Vague,
    At(Vec<(usize, &'t str)>),
}

fn take(pieces: &[Piece], text: &str, told: &mut [Told]) {
    let Cut::At(found) = cut(pieces, text) else { return };
    for (piece, text) in found {
        match &pieces[piece] {
            Piece::Field(call, name) => told.get_mut(*call).into_iter().for_each(|t| t.field(name, text)),
            Piece::About(call) => told.get_mut(*call).into_iter().for_each(|t| t.print(text)),
            Piece::Json(shape) => match json(text) {
                Some(value) => take_json(shape, &value, told),
                None => take_text(shape, text, told),
            },
            Piece::Text(_) | Piece::Unknown => {}
        }
    }
}

fn cut<'t>(pieces: &[Piece], text: &'t str) -> Cut<'t> {
    let mut found = Vec::new();
    let mut rest = text;
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Text(known) => match rest.strip_prefix(known.as_str()) {
                Some(after) => rest = after,
                None => return Cut::No,
            },
            Piece::Field(_, name) if is_number(name) => {
                let end = number_end(rest);
                found.push((at, &rest[..end]));
                rest = &rest[end..];
            }
            _ if !pieces[at + 1..].iter().any(is_free) => {
                let Some((inside, mut behind)) = cut_from_the_end(&pieces[at + 1..], rest) else { return Cut::No };
                found.push((at, inside));
                behind.iter_mut().for_each(|(piece, _)| *piece += at + 1);
                found.extend(behind);
                return Cut::At(found);
            }
            Piece::Json(_) => match json_end(rest) {
                Some(end) => {
                    found.push((at, &rest[..end]));
                    rest = &rest[end..];
                }
                None => return Cut::Vague,
            },
            _ => match pieces.get(at + 1) {
                Some(Piece::Text(known)) => {
                    let mut places = rest.match_indices(known.as_str()).map(|(i, _)| i);
                    let (Some(first), None) = (places.next(), places.next()) else { return Cut::Vague };
                    found.push((at, &rest[..first]));
                    rest = &rest[first..];
                }
                _ => return Cut::Vague,
            },
        }
    }
    if rest.is_empty() { Cut::At(found) } else { Cut::No }
}

/// Cuts pieces of known form off the end of a text; gives what stands before them, and them.
fn cut_from_the_end<'t>(pieces: &[Piece], text: &'t str) -> Option<(&'t str, Vec<(usize, &'t str)>)> {
    let mut found = Vec::new();
    let mut rest = text;
    for (at, piece) in pieces.iter().enumerate().rev() {
        if let Piece::Text(known) = piece {
            rest = rest.strip_suffix(known.as_str())?;
        } else {
            let start = rest.rfind(|c: char| !is_of_number(c)).map_or(0, |i| i + 1);
            let start = rest.char_indices().map(|(i, _)| i).find(|i| *i >= start).unwrap_or(rest.len());
            found.push((at, &rest[start..]));
            rest = &rest[..start];
        }
    }
    Some((rest, found))
}

fn is_free(piece: &Piece) -> bool {
    !matches!(piece, Piece::Text(_)) && !matches!(piece, Piece::Field(_, name) if is_number(name))
}

/// Digits, and the letters of `undefined` and `null`.
fn is_of_number(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '.')
}

fn number_end(text: &str) -> usize {
    for word in ["undefined", "null"] {
        if text.starts_with(word) {
            return word.len();
        }
    }
    text.find(|c: char| !c.is_ascii_digit() && c != '-' && c != '.').unwrap_or(text.len())
}

fn json_end(text: &str) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
    values.next()?.ok().map(|_| values.byte_offset())
}

/// A JSON value; one that was cut in the middle as far as it goes.
fn json(text: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let cut = text.trim_start().starts_with('{');
    cut.then(|| expressions::json(text)).flatten()
}

/// A value that is no JSON any more: whom it tells of is known if it is one call.
fn take_text(shape: &Shape, text: &str, told: &mut [Told]) {
    if let Shape::Result(call) | Shape::Field(call, _) | Shape::About(call) = shape {
        told.get_mut(*call).into_iter().for_each(|t| t.print(text));
    }
}

fn take_json(shape: &Shape, value: &Value, told: &mut [Told]) {
    match shape {
        Shape::Result(call) => told.get_mut(*call).into_iter().for_each(|t| t.result(value)),
        Shape::Field(call, name) => told.get_mut(*call).into_iter().for_each(|t| t.field(name, &plain(value))),
        Shape::About(call) => told.get_mut(*call).into_iter().for_each(|t| t.print(&plain(value))),
        Shape::List(shapes) => {
            let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
            shapes.iter().zip(items).for_each(|(shape, item)| take_json(shape, item, told));
        }
        // What is undefined is left out of JSON.
        Shape::Object(shapes) => {
            for (key, shape) in shapes {
                match (value.get(key), shape) {
                    (Some(value), _) => take_json(shape, value, told),
                    (None, Shape::Field(call, name)) if is_number(name) => {
                        told.get_mut(*call).into_iter().for_each(|t| t.field(name, "undefined"));
                    }
                    (None, _) => {}
                }
            }
        }
        Shape::Other => {}
    }
}
