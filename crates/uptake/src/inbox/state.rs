//! The inbox as a state machine: a key in, at most one action out. It draws nothing and decides nothing itself.

use std::collections::BTreeMap;

use uptake_core::redact::clean;

use super::action::{Action, Choice, Key};
use super::item::Item;
use super::line::LineEdit;

/// What keys mean now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyMode {
    /// Commands.
    Browse,
    /// The filter is typed.
    Filter,
    /// The statement is edited in one line.
    Line(LineEdit),
    /// The keys are explained.
    Help,
}

/// Who edits a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Editor {
    /// The program in $VISUAL or $EDITOR.
    Theirs,
    /// One line of our own.
    Ours,
}

/// The inbox.
pub struct InboxState {
    items: Vec<Item>,
    /// Places of the items that pass the filter.
    view: Vec<usize>,
    /// Place in the view.
    selected: usize,
    /// First row shown.
    top: usize,
    /// Rows that fit.
    rows: usize,
    /// Lines of the details that are scrolled away, and how many may be.
    pub(super) scroll: (usize, usize),
    /// What keys mean.
    pub mode: KeyMode,
    /// What to look for.
    pub filter: String,
    /// What happened last.
    pub message: String,
    editor: Editor,
    /// What was said here: the place of the lesson, and how it was before.
    history: Vec<(usize, Item)>,
}

impl InboxState {
    /// An inbox of these lessons, best first.
    pub fn new(items: Vec<Item>) -> Self {
        let view = (0..items.len()).collect();
        Self {
            items,
            view,
            selected: 0,
            top: 0,
            rows: 1,
            scroll: (0, 0),
            mode: KeyMode::Browse,
            filter: String::new(),
            message: String::new(),
            editor: Editor::Ours,
            history: Vec::new(),
        }
    }

    /// Takes in more lessons, behind the others; nothing moves.
    pub fn extend(&mut self, more: Vec<Item>) {
        let filter = self.filter.to_lowercase();
        let words: Vec<&str> = filter.split_whitespace().collect();
        for item in more {
            if item.matches(&words) {
                self.view.push(self.items.len());
            }
            self.items.push(item);
        }
    }

    /// The same with another editor.
    pub fn with_editor(self, editor: Editor) -> Self {
        Self { editor, ..self }
    }

    /// All lessons.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The place of the selected lesson among all; none if no lesson passes the filter.
    pub fn selected(&self) -> Option<usize> {
        self.view.get(self.selected).copied()
    }

    /// The place of the selected lesson among those that pass the filter, from 1 on, and how many those are.
    pub fn position(&self) -> (usize, usize) {
        ((self.selected + 1).min(self.view.len()), self.view.len())
    }

    /// The rows on the screen: whether selected, and the lesson.
    pub fn window(&self) -> impl Iterator<Item = (bool, &Item)> {
        let rows = self.view.iter().enumerate().skip(self.top).take(self.rows);
        rows.map(|(n, at)| (n == self.selected, &self.items[*at]))
    }

    /// How often something was said here and still stands.
    pub fn tally(&self) -> BTreeMap<Choice, usize> {
        let mut places: Vec<usize> = self.history.iter().map(|(at, _)| *at).collect();
        places.sort_unstable();
        places.dedup();
        let mut out = BTreeMap::new();
        for said in places.iter().filter_map(|at| self.items[*at].said) {
            *out.entry(said).or_default() += 1;
        }
        out
    }

    /// Takes the sizes of the screen.
    pub fn fit(&mut self, rows: usize, most_scroll: usize) {
        self.rows = rows.max(1);
        self.scroll = (self.scroll.0.min(most_scroll), most_scroll);
        self.show_selected();
    }

    fn show_selected(&mut self) {
        self.top = self.top.min(self.selected).max((self.selected + 1).saturating_sub(self.rows));
        self.top = self.top.min(self.view.len().saturating_sub(self.rows));
    }

    /// What a key does.
    pub fn key(&mut self, key: Key) -> Option<Action> {
        self.message.clear();
        if key == Key::Interrupt {
            return Some(Action::Quit);
        }
        match &self.mode {
            KeyMode::Browse => return self.command(key),
            KeyMode::Help => self.mode = KeyMode::Browse,
            KeyMode::Filter => self.filter_key(key),
            KeyMode::Line(_) => return self.line_key(key),
        }
        None
    }

    /// Pasted text: only where text is asked for, never as commands.
    pub fn paste(&mut self, text: &str) {
        match &mut self.mode {
            KeyMode::Filter => {
                self.filter.extend(text.chars().filter(|c| !c.is_control()));
                self.look_again();
            }
            KeyMode::Line(line) => text.chars().for_each(|c| line.insert(c)),
            KeyMode::Browse | KeyMode::Help => self.message = "Pasted text is no command; it was ignored.".to_owned(),
        }
    }

    fn command(&mut self, key: Key) -> Option<Action> {
        match key {
            Key::Char('a' | 'y') | Key::Enter => return self.say(Choice::Accepted),
            Key::Char('r' | 'n') => return self.say(Choice::Rejected),
            Key::Char('s') => return self.say(Choice::Snoozed),
            Key::Char('l') => return self.say(Choice::Released),
            Key::Char('e') => return self.edit(),
            Key::Char('u') if self.history.is_empty() => {
                self.message = "Nothing was decided here yet.".to_owned();
            }
            Key::Char('u') => return Some(Action::Undo),
            Key::Char('q') => return Some(Action::Quit),
            Key::Esc if self.filter.is_empty() => return Some(Action::Quit),
            Key::Esc => self.set_filter(""),
            Key::Char('/') => self.mode = KeyMode::Filter,
            Key::Char('?') => self.mode = KeyMode::Help,
            Key::Char('j') | Key::Down => self.go(self.selected.saturating_add(1)),
            Key::Char('k') | Key::Up => self.go(self.selected.saturating_sub(1)),
            Key::PageDown => self.go(self.selected.saturating_add(self.rows)),
            Key::PageUp => self.go(self.selected.saturating_sub(self.rows)),
            Key::Char('g') | Key::Home => self.go(0),
            Key::Char('G') | Key::End => self.go(usize::MAX),
            Key::Char('J' | ' ') | Key::Right => self.scroll.0 = (self.scroll.0 + 3).min(self.scroll.1),
            Key::Char('K') | Key::Left => self.scroll.0 = self.scroll.0.saturating_sub(3),
            _ => {}
        }
        None
    }

    fn go(&mut self, to: usize) {
        self.selected = to.min(self.view.len().saturating_sub(1));
        self.scroll.0 = 0;
        self.show_selected();
    }

    fn say(&mut self, said: Choice) -> Option<Action> {
        let item = &self.items[self.selected()?];
        if item.said == Some(said) {
            self.message = format!("It is {} already.", said.as_str());
            return None;
        }
        Some(Action::Say { id: item.id(), said, edited: None })
    }

    fn edit(&mut self) -> Option<Action> {
        let text = self.items[self.selected()?].lesson.payload.statement.clone();
        if self.editor == Editor::Theirs {
            return Some(Action::Edit(text));
        }
        self.mode = KeyMode::Line(LineEdit::new(&text));
        None
    }

    /// The statement in the person's words; the same words or none decide nothing.
    pub fn edited(&mut self, text: &str) -> Option<Action> {
        // What may be kept: no secrets, nothing that hides.
        let text = clean(text.trim());
        let item = &self.items[self.selected()?];
        if text.is_empty() || text == item.lesson.payload.statement.trim() {
            self.message = "The text was not changed; nothing is decided.".to_owned();
            return None;
        }
        Some(Action::Say { id: item.id(), said: Choice::Accepted, edited: Some(text) })
    }

    fn line_key(&mut self, key: Key) -> Option<Action> {
        let KeyMode::Line(line) = &mut self.mode else { return None };
        match key {
            Key::Enter => {
                let text = line.text();
                self.mode = KeyMode::Browse;
                return self.edited(&text);
            }
            Key::Esc => self.mode = KeyMode::Browse,
            key => line.key(key),
        }
        None
    }

    fn filter_key(&mut self, key: Key) {
        match key {
            Key::Enter => self.mode = KeyMode::Browse,
            Key::Esc => {
                self.mode = KeyMode::Browse;
                self.set_filter("");
            }
            Key::Backspace => {
                self.filter.pop();
                self.look_again();
            }
            Key::Char(c) => {
                self.filter.push(c);
                // A longer filter finds less: what it left out stays out.
                self.keep_matches();
            }
            _ => {}
        }
    }

    fn set_filter(&mut self, filter: &str) {
        filter.clone_into(&mut self.filter);
        self.look_again();
    }

    fn look_again(&mut self) {
        self.view = (0..self.items.len()).collect();
        self.keep_matches();
    }

    fn keep_matches(&mut self) {
        let filter = self.filter.to_lowercase();
        let words: Vec<&str> = filter.split_whitespace().collect();
        if !words.is_empty() {
            self.view.retain(|at| self.items[*at].matches(&words));
        }
        self.top = 0;
        self.go(0);
    }

    /// What became of an action.
    pub fn done(&mut self, action: &Action, outcome: Result<String, String>) {
        let ok = outcome.is_ok();
        self.message = outcome.unwrap_or_else(|why| format!("! {why}"));
        match action {
            Action::Say { said, edited, .. } if ok => self.was_said(*said, edited.as_deref()),
            Action::Undo if ok => self.was_undone(),
            _ => {}
        }
    }

    fn was_said(&mut self, said: Choice, edited: Option<&str>) {
        let Some(at) = self.selected() else { return };
        let item = &mut self.items[at];
        self.history.push((at, item.clone()));
        item.said = Some(said);
        if let Some(text) = edited {
            text.clone_into(&mut item.lesson.payload.statement);
        }
        let next = (self.selected + 1..self.view.len()).find(|n| self.items[self.view[*n]].said.is_none());
        self.go(next.unwrap_or(self.selected));
    }

    fn was_undone(&mut self) {
        let Some((at, before)) = self.history.pop() else { return };
        self.items[at] = before;
        match self.view.iter().position(|n| *n == at) {
            Some(place) => self.go(place),
            None => self.set_filter(""),
        }
    }
}

#[cfg(test)]
mod tests;
