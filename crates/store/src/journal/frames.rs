//! The records of the journal: how they are written, and which of them count.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use rusqlite::types::Value;
use rusqlite::{Connection, Row};
use serde_json::json;
use serde_json::value::RawValue;

use super::io as at;
use crate::atomic_file::{self, Over, Readers};
use crate::open::version;
use crate::tables::{self, Table};
use crate::{Result, StoreError};

/// The table a record names that says in which columns the rows after it are.
const FORMAT: &str = "format";

/// A sum of 64 bits, in hexadecimal.
fn sum(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

/// What a record says, as JSON: the table, the key, what else is in the row. A row that is gone is `null`.
pub(crate) fn record(table: &Table, key: &str, row: Option<&[Value]>) -> String {
    let row = row.map_or("null".to_owned(), |row| {
        let rest = table.columns.iter().zip(row).filter(|(column, _)| !table.key.contains(column));
        format!("[{}]", rest.map(|(_, value)| to_json(value)).collect::<Vec<_>>().join(","))
    });
    format!("[{},{key},{row}]", json!(table.name))
}

/// The row that a record tells, in the columns that were written then.
fn row_in(table: &Table, columns: &[String], key: &RawValue, row: &RawValue) -> Option<Vec<Value>> {
    let key: Vec<&RawValue> = serde_json::from_str(key.get()).ok()?;
    let rest: Vec<&RawValue> = serde_json::from_str(row.get()).ok()?;
    let mut rest = rest.into_iter();
    let row = columns.iter().map(|column| {
        let place = table.key.iter().position(|k| k == column);
        from_json(place.map_or_else(|| rest.next(), |n| key.get(n).copied())?)
    });
    let row: Vec<Value> = row.collect::<Option<_>>()?;
    rest.next().is_none().then_some(row)
}

/// A record as it stands in the file. A line end comes first: what was torn before it costs only itself.
pub(super) fn line(number: i64, record: &str) -> String {
    let text = format!("{number} {record}");
    format!("\n{:x} {} {text}", text.len(), sum(&text))
}

/// Reals as their bits, so that they come back exactly; a text that is JSON itself without a second pair of quotes.
fn to_json(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Integer(n) => n.to_string(),
        Value::Real(n) => json!({ "r": format!("{:x}", n.to_bits()) }).to_string(),
        Value::Text(text) if is_object(text) => format!("{OBJECT}{text}}}"),
        Value::Text(text) => json!(text).to_string(),
        Value::Blob(bytes) => json!({ "b": bytes.iter().map(|b| format!("{b:02x}")).collect::<String>() }).to_string(),
    }
}

/// Opens a text that is JSON.
const OBJECT: &str = "{\"j\":";

/// Whether a text can stand in a line as it is.
fn is_object(text: &str) -> bool {
    text.starts_with('{')
        && text.ends_with('}')
        && !text.contains(['\n', '\r'])
        && serde_json::from_str::<&RawValue>(text).is_ok()
}

fn from_json(raw: &RawValue) -> Option<Value> {
    if let Some(text) = raw.get().strip_prefix(OBJECT).and_then(|rest| rest.strip_suffix('}')) {
        return Some(Value::Text(text.to_owned()));
    }
    let value: serde_json::Value = serde_json::from_str(raw.get()).ok()?;
    let hex = |name: &str| value.get(name).and_then(|v| v.as_str());
    Some(match &value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::String(text) => Value::Text(text.clone()),
        serde_json::Value::Number(n) => Value::Integer(n.as_i64()?),
        _ => match (hex("r"), hex("b")) {
            (Some(bits), _) => Value::Real(f64::from_bits(u64::from_str_radix(bits, 16).ok()?)),
            (_, Some(bytes)) => Value::Blob(
                (0..bytes.len())
                    .step_by(2)
                    .map(|n| bytes.get(n..n + 2).and_then(|b| u8::from_str_radix(b, 16).ok()))
                    .collect::<Option<Vec<u8>>>()?,
            ),
            _ => return None,
        },
    })
}

/// Reads the first columns of a row.
pub(crate) fn columns_of(row: &Row<'_>, from: usize, width: usize) -> rusqlite::Result<Vec<Value>> {
    (from..from + width).map(|n| row.get(n)).collect()
}

/// A record that counts.
struct Place {
    number: i64,
    at: u64,
    /// The sum of what it says.
    says: String,
    gone: bool,
}

/// The journal of a home, read once: which records count.
#[derive(Default)]
pub(crate) struct Journal {
    path: PathBuf,
    /// By table and key.
    places: HashMap<(String, String), Place>,
    columns: HashMap<String, Vec<String>>,
    /// The format of the database it was written from.
    pub format: Option<i64>,
    /// Records that cannot be read.
    pub flawed: usize,
    /// Whether only the last record cannot be read, as after a kill.
    pub torn: bool,
}

/// What the journal says of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Live {
    /// Exactly this.
    Same,
    /// Something else.
    Other,
    /// Nothing.
    Unknown,
}

impl Journal {
    /// Reads it; `None` if there is none.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(at(path)(e)),
        };
        let mut journal = Self { path: path.to_owned(), ..Self::default() };
        let mut last_is_flawed = false;
        each_line(file, |at, bytes| {
            let sound = parse(bytes).map(|(number, record)| journal.take(at, number, record));
            last_is_flawed = sound.is_none();
            journal.flawed += usize::from(last_is_flawed);
        })
        .map_err(at(path))?;
        journal.torn = last_is_flawed && journal.flawed == 1;
        Ok(Some(journal))
    }

    /// Whether every record can be read, but perhaps one that a kill tore.
    pub fn is_whole(&self) -> bool {
        self.flawed == 0 || self.torn
    }

    fn take(&mut self, at: u64, number: i64, record: &str) {
        let Some((table, key, row)) = parts(record) else { return };
        if table == FORMAT {
            self.columns = serde_json::from_str(row.get()).unwrap_or_default();
            self.format = serde_json::from_str::<[i64; 1]>(key.get()).ok().map(|[format]| format);
            return;
        }
        let place = Place { number, at, says: sum(record), gone: row.get() == "null" };
        let slot = self.places.entry((table, key.get().to_owned()));
        let slot = slot.or_insert(Place { number: i64::MIN, at, says: String::new(), gone: true });
        if place.number >= slot.number {
            *slot = place;
        }
    }

    /// What it says of a row.
    pub fn says(&self, table: &Table, key: &str, row: &[Value]) -> Live {
        match self.places.get(&(table.name.to_owned(), key.to_owned())) {
            Some(place) if place.gone => Live::Unknown,
            Some(place) if place.says == sum(&record(table, key, Some(row))) => Live::Same,
            Some(_) => Live::Other,
            None => Live::Unknown,
        }
    }

    /// Tables and keys of the rows that are there by what it says.
    pub fn live(&self) -> impl Iterator<Item = (&str, &str)> {
        self.places.iter().filter(|(_, p)| !p.gone).map(|((table, key), _)| (table.as_str(), key.as_str()))
    }

    /// Gives the rows that count, with the columns they are in. What cannot be read is left out.
    pub fn each(&self, mut take: impl FnMut(&'static Table, &str, &[String], Vec<Value>)) -> Result<()> {
        let file = File::open(&self.path).map_err(at(&self.path))?;
        each_line(file, |at, bytes| {
            let Some((table, key, row)) = parse(bytes).and_then(|(_, record)| parts(record)) else { return };
            let counts = self.places.get(&(table.clone(), key.get().to_owned())).is_some_and(|p| p.at == at && !p.gone);
            let Some(known) = tables::of_lessons().find(|t| counts && t.name == table) else { return };
            let columns = self.columns.get(&table).cloned();
            let columns = columns.unwrap_or_else(|| known.columns.iter().map(|&c| c.to_owned()).collect());
            if let Some(values) = row_in(known, &columns, key, row) {
                take(known, key.get(), &columns, values);
            }
        })
        .map_err(at(&self.path))
    }
}

/// Every line that is not empty, with where it begins.
fn each_line(file: File, mut take: impl FnMut(u64, &[u8])) -> io::Result<()> {
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let (mut at, mut line) = (0, Vec::new());
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        if !text.is_empty() {
            take(at, text);
        }
        at += read as u64;
    }
}

/// Number and record of a line; `None` if it is not as it was written.
fn parse(line: &[u8]) -> Option<(i64, &str)> {
    let line = std::str::from_utf8(line).ok()?;
    let (len, rest) = line.split_once(' ')?;
    let (said, text) = rest.split_once(' ')?;
    if usize::from_str_radix(len, 16).ok()? != text.len() || said != sum(text) {
        return None;
    }
    let (number, record) = text.split_once(' ')?;
    Some((number.parse().ok()?, record))
}

fn parts(record: &str) -> Option<(String, &RawValue, &RawValue)> {
    serde_json::from_str(record).ok()
}

/// A journal to which lines are appended.
pub(super) struct Appending<'p> {
    path: &'p Path,
    file: File,
}

impl<'p> Appending<'p> {
    /// Opens it.
    pub fn to(path: &'p Path) -> Result<Self> {
        let file = OpenOptions::new().append(true).open(path).map_err(at(path))?;
        Ok(Self { path, file })
    }

    /// Appends lines.
    pub fn add(&mut self, lines: &str) -> Result<()> {
        self.file.write_all(lines.as_bytes()).map_err(at(self.path))
    }

    /// Waits until the disk has them.
    pub fn finish(self) -> Result<()> {
        self.file.sync_data().map_err(at(self.path))
    }
}

/// Writes the whole journal anew from the database.
pub(super) fn rewrite(db: &Connection, path: &Path, number: i64) -> Result<()> {
    let part = atomic_file::begin(path).map_err(at(path))?;
    let _ = part.as_file().try_lock();
    let mut out = BufWriter::with_capacity(1 << 16, part.as_file());
    let columns: serde_json::Map<String, serde_json::Value> =
        tables::kept_twice().map(|(t, _)| (t.name.to_owned(), json!(t.columns))).collect();
    let format = version(db).map_err(|e| StoreError::from_sql(path, e))?;
    let head = format!("[{},[{format}],{}]", json!(FORMAT), serde_json::Value::Object(columns));
    let mut write = |record: &str| out.write_all(line(number, record).as_bytes()).map_err(at(path));
    write(&head)?;
    each_row(db, |table, key, row| write(&record(table, key, Some(&row)))).map_err(|e| match e {
        Trouble::Sql(e) => StoreError::from_sql(db.path().map_or(path, Path::new), e),
        Trouble::Store(e) => e,
    })?;
    out.flush().map_err(at(path))?;
    drop(out);
    atomic_file::finish(part, path, Readers::User, Over::Replace).map_err(at(path))
}

/// What stops a walk over rows.
pub(crate) enum Trouble {
    /// The database.
    Sql(rusqlite::Error),
    /// Whoever takes the rows.
    Store(StoreError),
}

impl From<rusqlite::Error> for Trouble {
    fn from(e: rusqlite::Error) -> Self {
        Self::Sql(e)
    }
}

/// Every row of a database that is kept twice, with its key.
pub(crate) fn each_row(
    db: &Connection,
    mut take: impl FnMut(&'static Table, &str, Vec<Value>) -> Result<()>,
) -> std::result::Result<(), Trouble> {
    for (table, which) in tables::kept_twice() {
        let sql = format!("SELECT {}, {} FROM {} r WHERE {which}", table.key_as_json("r"), table.list(), table.name);
        let mut query = db.prepare(&sql)?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let key: String = row.get(0)?;
            take(table, &key, columns_of(row, 1, table.columns.len())?).map_err(Trouble::Store)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Journal, Vec<(String, Vec<Value>)>) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        std::fs::write(&path, text).expect("written");
        let journal = Journal::read(&path).expect("read").expect("there");
        let mut rows = Vec::new();
        journal.each(|table, key, _, row| rows.push((format!("{} {key}", table.name), row))).expect("read");
        (journal, rows)
    }

    fn aliases() -> &'static Table {
        tables::of_lessons().find(|t| t.name == "aliases").expect("a table")
    }

    fn alias(number: i64, name: &str, project: &str) -> String {
        let row = [Value::Text(name.into()), Value::Text(project.into())];
        line(number, &record(aliases(), &json!([name]).to_string(), Some(&row)))
    }

    #[test]
    fn a_damaged_record_costs_only_itself() {
        let text = [alias(1, "a", "one"), alias(2, "b", "two"), alias(3, "c", "three")].concat();
        let (journal, rows) = read(&text.replace("two", "tvo"));
        assert_eq!((journal.flawed, journal.is_whole(), rows.len()), (1, false, 2));
        let (journal, rows) = read(&text[..text.len() - 3]);
        assert_eq!((journal.flawed, journal.torn, journal.is_whole(), rows.len()), (1, true, true, 2));
    }

    #[test]
    fn the_record_with_the_higher_number_counts_wherever_it_stands() {
        let gone = line(9, &record(aliases(), "[\"b\"]", None));
        let text = [alias(5, "a", "new"), alias(2, "a", "old"), gone, alias(3, "b", "back")].concat();
        let (_, rows) = read(&text);
        let wanted = vec![Value::Text("a".into()), Value::Text("new".into())];
        assert_eq!(rows, [("aliases [\"a\"]".to_owned(), wanted)]);
    }

    #[test]
    fn every_value_comes_back_exactly() {
        let row = vec![
            Value::Null,
            Value::Integer(i64::MIN),
            Value::Real(0.1 + 0.2),
            Value::Text("line\nend \u{0} \"quoted\"".into()),
            Value::Blob(vec![0, 255, 10]),
            Value::Text("{\"a\": {\"j\":[1,\"}\\n\"]} }".into()),
            Value::Text("{\"a\":1}\n".into()),
            Value::Text("{not JSON}".into()),
            Value::Text("{\"j\":1}".into()),
        ];
        let text = format!("[{}]", row.iter().map(to_json).collect::<Vec<_>>().join(","));
        assert!(!text.contains('\n'));
        let back: Vec<&RawValue> = serde_json::from_str(&text).expect("JSON");
        assert_eq!(back.into_iter().map(from_json).collect::<Option<Vec<Value>>>(), Some(row));
    }
}
