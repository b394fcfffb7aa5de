//! Reads tables in TOON's form: `name[2]{a,b}:` and then one row a line.
//!
//! Tolerant: cells may be quoted as in CSV (`""`) or as TOON itself says (`\"`), rows may be shorter or longer than the
//! header. Deliberately absent: every other form of TOON.

/// A table of a file.
#[derive(Debug, PartialEq)]
pub(super) struct Table<'t> {
    /// The line of its header.
    pub line: usize,
    /// What it is called.
    pub name: &'t str,
    /// How many rows the header promises.
    pub promised: Option<usize>,
    /// The names of its columns.
    pub columns: Vec<&'t str>,
    /// Its rows, each with its line.
    pub rows: Vec<(usize, Vec<String>)>,
}

/// Longest row header we believe in.
const COLUMNS: usize = 64;

/// The tables in these lines, and the lines that belong to none.
pub(super) fn tables<'t>(lines: &[(usize, &'t str)]) -> (Vec<Table<'t>>, Vec<usize>) {
    let (mut tables, mut strays) = (Vec::<(Table<'t>, char)>::new(), Vec::new());
    for (line, text) in lines.iter().map(|(n, t)| (*n, t.trim())).filter(|(_, t)| !t.starts_with('#')) {
        if let Some(table) = header(line, text) {
            tables.push(table);
        } else if let Some((table, delimiter)) = tables.last_mut() {
            table.rows.push((line, cells(text, *delimiter, table.columns.len())));
        } else {
            strays.push(line);
        }
    }
    (tables.into_iter().map(|(table, _)| table).collect(), strays)
}

/// `patterns[2]{id,category}:`; the delimiter may stand behind the count.
pub(super) fn header(line: usize, text: &str) -> Option<(Table<'_>, char)> {
    let (name, rest) = text.split_once('[')?;
    let (count, rest) = rest.split_once(']')?;
    let columns = rest.strip_prefix('{')?.strip_suffix("}:")?;
    let word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    let delimiter = count.chars().last().filter(|c| matches!(c, '|' | '\t')).unwrap_or(',');
    let promised = count.trim_start_matches('#').trim_end_matches(delimiter).parse().ok();
    let columns: Vec<&str> = columns.split(delimiter).map(str::trim).take(COLUMNS).collect();
    word.then(|| (Table { line, name, promised, columns, rows: Vec::new() }, delimiter))
}

fn cells(row: &str, delimiter: char, wanted: usize) -> Vec<String> {
    let plain = split(row, delimiter, Quotes::Doubled);
    if plain.len() == wanted || !row.contains("\\\"") {
        return plain;
    }
    let escaped = split(row, delimiter, Quotes::Escaped);
    if escaped.len() == wanted { escaped } else { plain }
}

/// How a quote stands inside quotes.
#[derive(Clone, Copy, PartialEq)]
enum Quotes {
    Doubled,
    Escaped,
}

fn split(row: &str, delimiter: char, quotes: Quotes) -> Vec<String> {
    let mut out = Vec::new();
    let mut cell = String::new();
    let mut chars = row.chars().peekable();
    let mut quoted = false;
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if cell.trim().is_empty() => {
                cell.clear();
                quoted = true;
            }
            '\\' if quoted && quotes == Quotes::Escaped => cell.extend(chars.next()),
            c if c == delimiter && !quoted => out.push(std::mem::take(&mut cell).trim().to_owned()),
            c => cell.push(c),
        }
    }
    out.push(cell.trim().to_owned());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(row: &str, expect: &[&str]) {
        assert_eq!(cells(row, ',', expect.len()), expect, "{row}");
    }

    #[test]
    fn cells_may_be_quoted_in_two_ways() {
        check(r#"P-001,pattern,"a, b",,x"#, &["P-001", "pattern", "a, b", "", "x"]);
        check(r#"1,"Use ""strict"" mode",2"#, &["1", "Use \"strict\" mode", "2"]);
        check(r#"1,"Use \"strict\", always",2"#, &["1", "Use \"strict\", always", "2"]);
        check(r#"1,"ends with C:\",2"#, &["1", "ends with C:\\", "2"]);
        check(r#"1,12" wide,2"#, &["1", "12\" wide", "2"]);
        check(r#"1,"never ended, 2"#, &["1", "never ended, 2"]);
        check("", &[""]);
    }

    #[test]
    fn rows_belong_to_the_header_above() {
        let text = "stray\n# note\na[2]{x,y}:\n  1,2\n\nb[#1|]{x|y}:\n  1|2,3\n[3]{}:";
        let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).filter(|(_, l)| !l.is_empty()).collect();
        let (tables, strays) = tables(&lines);
        assert_eq!(strays, [1]);
        assert_eq!((tables[0].name, tables[0].promised, tables[0].rows.len()), ("a", Some(2), 1));
        assert_eq!((tables[1].name, tables[1].promised, tables[1].line), ("b", Some(1), 6));
        assert_eq!(tables[1].rows[0], (7, vec!["1".to_owned(), "2,3".to_owned()]));
    }
}
