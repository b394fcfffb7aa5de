//! A text of notes → its blocks: list items and paragraphs that can stand alone, each with the heading above it.
//!
//! Code, tables and rows of links are left out. A line that ends in a colon and the short list or table below it are one
//! block: neither says anything without the other.

use super::markdown::{self, Line, cells, plain};

/// Longest list or table that is one with the line above it.
pub(super) const LONGEST_LIST: usize = 720; // characters
const MOST_ITEMS: usize = 6;
/// A line with more links to other notes only points at them.
const MOST_LINKS: usize = 2;

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
    /// The head of a table was passed.
    in_table: bool,
}

impl Reading {
    fn line(&mut self, raw: &str) {
        let line = markdown::line(raw);
        if line == Line::Fence {
            // What a colon points at is code: neither can be told.
            self.list = None;
            self.open = self.open.take().filter(|b| !b.text.ends_with(':'));
            self.close();
            self.fenced = !self.fenced;
        }
        if self.fenced || line == Line::Fence {
            return;
        }
        if !matches!(line, Line::Row(_)) {
            self.in_table = false;
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

    /// Rows below a line with a colon are its list; other tables are left out.
    fn row(&mut self, row: &str) {
        self.close();
        let Some(cells) = cells(row) else { return };
        let is_head = !std::mem::replace(&mut self.in_table, true);
        let Some((_, items)) = &mut self.list else { return };
        if !is_head && let [first, rest @ ..] = &cells[..] {
            let text = if rest.is_empty() { (*first).to_owned() } else { format!("{first} ({})", rest.join(", ")) };
            items.push(Block { heading: self.heading.clone(), text, item: true, points: true, ..Block::default() });
        }
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
