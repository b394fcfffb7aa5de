//! A line of text under a cursor.

use super::action::Key;

/// A line being edited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineEdit {
    chars: Vec<char>,
    cursor: usize,
}

impl LineEdit {
    /// With the cursor at the end of a text.
    pub fn new(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        Self { cursor: chars.len(), chars }
    }

    /// The text.
    pub fn text(&self) -> String {
        self.chars.iter().collect()
    }

    /// The characters, and where the cursor stands among them.
    pub fn parts(&self) -> (&[char], usize) {
        (&self.chars, self.cursor)
    }

    /// Puts a character in.
    pub fn insert(&mut self, c: char) {
        self.chars.insert(self.cursor, if c.is_control() { ' ' } else { c });
        self.cursor += 1;
    }

    /// What a key does to the line.
    pub fn key(&mut self, key: Key) {
        match key {
            Key::Char(c) => self.insert(c),
            Key::Left => self.cursor = self.cursor.saturating_sub(1),
            Key::Right => self.cursor = (self.cursor + 1).min(self.chars.len()),
            Key::Home | Key::Up => self.cursor = 0,
            Key::End | Key::Down => self.cursor = self.chars.len(),
            Key::Backspace if self.cursor > 0 => {
                self.cursor -= 1;
                self.chars.remove(self.cursor);
            }
            Key::Delete if self.cursor < self.chars.len() => {
                self.chars.remove(self.cursor);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_go_in_and_out_where_the_cursor_stands() {
        let mut line = LineEdit::new("make tset");
        for key in [Key::Left, Key::Left, Key::Backspace, Key::Backspace, Key::Char('e'), Key::Char('s')] {
            line.key(key);
        }
        assert_eq!(line.text(), "make eset");
        for key in [Key::Home, Key::Backspace, Key::Delete, Key::Char('f'), Key::End, Key::Delete, Key::Char('!')] {
            line.key(key);
        }
        assert_eq!(line.text(), "fake eset!");
    }
}
