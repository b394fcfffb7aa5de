//! Self-contained HTML pages with plots: no script, no font, no network.
//!
//! Comes in: headings, sentences, rows and series. Goes out: one document. Bars are HTML, so that labels wrap on a phone;
//! only lines over time are drawn. Every text is escaped.

mod plots;

pub use plots::{Bar, Series};

/// How all pages look.
const STYLE: &str = include_str!("style.css");

/// A page that is being written.
pub struct Page {
    title: String,
    body: String,
}

/// Text as it may stand in a page.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' => {}
            c => out.push(c),
        }
    }
    out
}

impl Page {
    /// Begins a page with a sentence on what it says.
    pub fn new(title: &str, lead: &str) -> Self {
        let body = format!("<header><h1>{}</h1><p class=\"lead\">{}</p></header>", escaped(title), escaped(lead));
        Self { title: title.to_owned(), body }
    }

    /// Large numbers with what they count.
    pub fn numbers(&mut self, numbers: &[(String, &str)]) {
        self.body.push_str("<dl class=\"numbers\">");
        for (number, what) in numbers {
            self.body.push_str(&format!("<div><dt>{}</dt><dd>{}</dd></div>", escaped(what), escaped(number)));
        }
        self.body.push_str("</dl>");
    }

    /// A part with a heading and a sentence on how to read it.
    pub fn part(&mut self, heading: &str, how: &str) {
        self.body.push_str(&format!("<h2>{}</h2><p>{}</p>", escaped(heading), escaped(how)));
    }

    /// A sentence.
    pub fn say(&mut self, text: &str) {
        self.body.push_str(&format!("<p>{}</p>", escaped(text)));
    }

    /// That there is not enough to say anything.
    pub fn too_little(&mut self, text: &str) {
        self.body.push_str(&format!("<p class=\"little\">{}</p>", escaped(text)));
    }

    /// Rows of a table; the first one is the heading.
    pub fn table(&mut self, rows: &[Vec<String>]) {
        self.body.push_str("<div class=\"scroll\"><table>");
        for (n, row) in rows.iter().enumerate() {
            let cell = if n == 0 { "th" } else { "td" };
            self.body.push_str("<tr>");
            for text in row {
                self.body.push_str(&format!("<{cell}>{}</{cell}>", escaped(text)));
            }
            self.body.push_str("</tr>");
        }
        self.body.push_str("</table></div>");
    }

    /// The whole document.
    pub fn finish(self) -> String {
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
             <meta name=\"color-scheme\" content=\"light dark\">\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\
             <link rel=\"icon\" href=\"data:,\"><title>{}</title><style>{STYLE}</style></head>\
             <body><main>{}<footer>Made by uptake on this machine; nothing was sent anywhere.</footer></main></body></html>\n",
            escaped(&self.title),
            self.body
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_cannot_become_part_of_the_page() {
        let mut page = Page::new("a <b>", "\"quoted\" & 'so'");
        page.table(&[vec!["<script>alert(1)</script>".to_owned()]]);
        page.bars(
            &[Bar {
                label: "<img src=x>".into(),
                value: 0.5,
                low: None,
                high: None,
                note: "</p>".into(),
                strong: true,
            }],
            0.0,
            1.0,
        );
        let text = page.finish();
        assert!(!text.contains("<script") && !text.contains("<img src") && !text.contains("a <b>"), "{text}");
        assert!(text.contains("&lt;script&gt;"));
    }
}
