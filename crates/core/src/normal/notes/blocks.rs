//! A text of notes → its blocks: list items and paragraphs that can stand alone, each with the heading above it.
//!
//! Code, tables and rows of links are left out, but for rows of two cells. A line that ends in a colon and the short list, table
//! or code below it are one block: neither says anything without the other.

use super::markdown::{self, Line, cells, plain};

/// Longest list or table that is one with the line above it.
pub(super) const LONGEST_LIST: usize = 720; // characters
const MOST_ITEMS: usize = 6;
/// A line with more links to other notes only points at them.
const MOST_LINKS: usize = 2;

/// Most commands that are one with the line above them, and the longest of them.
const COMMANDS: usize = 2;
const COMMAND: usize = 100; // bytes

/// Lines of code as words, if they are few and short. Comments are left out.
pub(super) fn few_commands<'l>(code: impl Iterator<Item = &'l str>) -> Option<String> {
    let lines: Vec<&str> = code.map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("# ")).collect();
    let plain = |l: &&str| l.len() <= COMMAND && !l.contains('`') && !l.ends_with(['\\', '{', '(', '[']);
    let few = (1..=COMMANDS).contains(&lines.len()) && lines.iter().all(plain);
    few.then(|| lines.iter().map(|l| format!("`{l}`")).collect::<Vec<_>>().join(", then "))
}

/// What a file of notes holds.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// The line `description` of its head.
    pub(super) about: Option<String>,
    /// The word `type` of its head: what kind of memory it is.
    pub(super) kind: Option<String>,
    /// Its blocks in order.
    pub(super) blocks: Vec<Block>,
}

/// A list item or a paragraph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Block {
    /// The heading above it; empty if there is none.
    pub(super) heading: String,
    /// Its words on one line, without marks.
    pub(super) text: String,
    /// Whether it is an item of a list.
    pub(super) item: bool,
    /// Whether it only points at other notes, or stands in a table.
    pub(super) points: bool,
    /// The file of notes that it opens with a link to: then it is a line of an index.
    pub(super) of: Option<String>,
    /// Whether it is a line with the list below it.
    pub(super) listed: bool,
    /// Whether it is a row of a table of two columns.
    pub(super) row: bool,
}

/// Reads a text, whole or in parts.
pub(super) fn page(text: &str) -> Page {
    let mut page = Page::default();
    let body = head(text, &mut page);
    let mut reading = Reading::default();
    body.lines().for_each(|line| reading.line(line));
    reading.close_list();
    page.blocks = reading.out;
    page
}

/// Reads what stands between `---` at the start; the rest of the text.
fn head<'t>(text: &'t str, page: &mut Page) -> &'t str {
    let Some(inside) = text.trim_start().strip_prefix("---\n") else { return text };
    let Some((head, body)) = inside.split_once("\n---") else { return text };
    let mut lines = head.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((key, value)) = line.split_once(':') else { continue };
        let mut value = value.trim().trim_start_matches(['>', '|']).trim_start_matches('-').trim().to_owned();
        if key.trim() == "description" {
            while let Some(more) = lines.next_if(|l| l.starts_with(' ')) {
                value = format!("{value} {}", more.trim());
            }
        }
        let value = value.trim().trim_matches(['"', '\'']).to_owned();
        match key.trim() {
            "description" => page.about = Some(plain(&value)),
            "type" => page.kind = Some(value),
            _ => {}
        }
    }
    body
}

#[derive(Default)]
struct Reading {
    out: Vec<Block>,
    heading: String,
    /// The block that the next line may go on with.
    open: Option<Block>,
    /// A line that ends in a colon, and what is listed below it.
    list: Option<(Block, Vec<Block>)>,
    fenced: bool,
    /// The code of the fence that is open, and the line above it that ends in a colon.
    code: Option<(Block, Vec<String>)>,
    /// Rows of this table that were taken so far.
    rows: usize,
}

impl Reading {
    fn line(&mut self, raw: &str) {
        let line = markdown::line(raw);
        if line == Line::Fence {
            self.fenced = !self.fenced;
            if self.fenced { self.open_code() } else { self.close_code() }
        } else if self.fenced {
            let code = self.code.as_mut().map(|(_, code)| code);
            code.into_iter().for_each(|code| code.push(raw.trim().to_owned()));
        }
        if self.fenced || line == Line::Fence {
            return;
        }
        if !matches!(line, Line::Row(_)) {
            self.rows = 0;
        }
        match line {
            Line::Blank => self.close(),
            Line::Mark => self.close_list(),
            Line::Heading(text) => {
                self.close_list();
                self.heading = plain(text);
            }
            Line::Item(text) => {
                self.close();
                self.open = Some(self.block(text, true));
            }
            Line::Row(row) => self.row(row),
            Line::Words(text) => match &mut self.open {
                Some(block) => block.text = format!("{} {text}", block.text),
                None => self.open = Some(self.block(text, false)),
            },
            Line::Fence => {}
        }
    }

    fn block(&self, text: &str, item: bool) -> Block {
        let of = text.strip_prefix('[').and_then(|t| t.split_once("](")).and_then(|(_, t)| t.split_once(')'));
        let of = of.map(|(file, _)| file.to_owned()).filter(|file| file.ends_with(".md"));
        Block { heading: self.heading.clone(), text: text.to_owned(), item, of, ..Block::default() }
    }

    /// A line with a colon may be about the code below it.
    fn open_code(&mut self) {
        self.close();
        let lead = self.list.take().filter(|(_, items)| items.is_empty());
        self.code = lead.map(|(lead, _)| (lead, Vec::new()));
    }

    /// A line and the few commands below it are one block; of more code neither can be told.
    fn close_code(&mut self) {
        let Some((lead, code)) = self.code.take() else { return };
        let code = few_commands(code.iter().map(String::as_str));
        self.out.extend(code.map(|code| Block { text: format!("{} {code}.", lead.text), ..lead }));
    }

    /// Rows below a line with a colon are its list; of other tables, rows of two cells may stand alone.
    fn row(&mut self, row: &str) {
        self.close();
        let (heading, listed) = (self.heading.clone(), self.list.is_some());
        let taken = self.list.as_mut().map_or(&mut self.out, |(_, items)| items);
        let Some(cells) = cells(row) else {
            // What stands above this line is the head.
            if self.rows == 1 {
                taken.pop();
            }
            return;
        };
        let block = |text| Block { heading, text, item: true, ..Block::default() };
        let block = match (&cells[..], listed) {
            ([one], true) => Block { points: true, ..block((*one).to_owned()) },
            ([first, rest @ ..], true) => Block { points: true, ..block(format!("{first} ({})", rest.join(", "))) },
            ([label, says], false) => Block { row: true, ..block(plain(&format!("{label}: {says}"))) },
            _ => return,
        };
        self.rows += 1;
        taken.push(block);
    }

    /// The block ends here; a list may go on.
    fn close(&mut self) {
        let Some(mut block) = self.open.take() else { return };
        block.points |= block.text.matches("[[").count() > MOST_LINKS;
        block.text = plain(&block.text);
        if let Some((_, items)) = &mut self.list
            && block.item
        {
            items.push(block);
            return;
        }
        self.end_list();
        if block.text.ends_with(':') {
            self.list = Some((block, Vec::new()));
        } else {
            self.out.push(block);
        }
    }

    fn close_list(&mut self) {
        self.close();
        self.end_list();
    }

    /// A line and its list are one block if that is short; else the items stand alone.
    fn end_list(&mut self) {
        let Some((lead, items)) = self.list.take() else { return };
        let listed: Vec<&str> = items.iter().map(|i| i.text.trim_end_matches(['.', ';', ','])).collect();
        let whole = format!("{} {}.", lead.text, listed.join("; "));
        let short = (1..=MOST_ITEMS).contains(&items.len()) && whole.chars().count() <= LONGEST_LIST;
        if short {
            self.out.push(Block { text: whole, listed: true, ..lead });
        } else {
            self.out.extend(items);
        }
    }
}
