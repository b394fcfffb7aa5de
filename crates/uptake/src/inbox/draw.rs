//! The inbox on a screen: the list, the details of one lesson, a line for what happened, a line of keys.
//!
//! Only the rows that are seen are formatted. Everything makes sense without colour.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph};

use super::action::Choice;
use uptake_core::redact::{spelled_char, spelled_out};

use super::item::{Item, Part, Tone};
use super::line::LineEdit;
use super::state::{InboxState, KeyMode};

/// Whether colours may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// They may.
    Yes,
    /// Bold, dim and reversed only.
    No,
}

impl Colour {
    fn of(self, colour: Color) -> Style {
        if self == Self::Yes { Style::new().fg(colour) } else { Style::new() }
    }

    fn tone(self, tone: Tone) -> Style {
        match tone {
            Tone::Plain => Style::new(),
            Tone::Strong => Style::new().add_modifier(Modifier::BOLD),
            Tone::Quoted => self.of(Color::Cyan),
            Tone::Dim => Style::new().add_modifier(Modifier::DIM),
            Tone::Warning => self.of(Color::Yellow).add_modifier(Modifier::BOLD),
        }
    }
}

/// Draws everything, and tells the state how much room there is.
pub fn draw(frame: &mut Frame<'_>, state: &mut InboxState, details: &[Part], colour: Colour) {
    let area = frame.area();
    // A short list leaves its room to the details.
    let all = u16::try_from(state.items().len()).unwrap_or(u16::MAX);
    let list_rows = (area.height.saturating_sub(4) * 2 / 5).min(all).max(1);
    let [head, list, rule, body, message, keys] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(list_rows),
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(area);
    let lines = wrapped(details, body.width, colour);
    let most = lines.len().saturating_sub(usize::from(body.height));
    state.fit(usize::from(list.height), most);
    put(frame, head, header(state));
    let rows: Vec<Line<'_>> = state.window().map(|(selected, item)| row(item, selected, list.width, colour)).collect();
    frame.render_widget(Paragraph::new(rows), list);
    put(frame, rule, divider(state, rule.width));
    let seen: Vec<Line<'_>> = lines.into_iter().skip(state.scroll.0).take(usize::from(body.height)).collect();
    frame.render_widget(Paragraph::new(seen), body);
    bottom(frame, state, message, keys, colour);
    if state.mode == KeyMode::Help {
        help(frame, area);
    }
}

fn put(frame: &mut Frame<'_>, area: Rect, line: Line<'_>) {
    frame.render_widget(Paragraph::new(line), area);
}

fn header(state: &InboxState) -> Line<'static> {
    let (at, of) = state.position();
    let mut text = format!("uptake review: {at}/{}", crate::ui::count(of as u64, "lesson"));
    if !state.filter.is_empty() && state.mode != KeyMode::Filter {
        text.push_str(&format!(" with \"{}\"", spelled_out(&state.filter)));
    }
    if of < state.items().len() {
        text.push_str(&format!(", {} in all", state.items().len()));
    }
    for (said, n) in state.tally() {
        text.push_str(&format!(", {n} {}", said.as_str()));
    }
    Line::styled(text, Style::new().add_modifier(Modifier::BOLD))
}

fn row(item: &Item, selected: bool, width: u16, colour: Colour) -> Line<'static> {
    let (mark, style) = match item.said {
        None => (' ', Style::new()),
        Some(Choice::Accepted) => ('✓', colour.of(Color::Green)),
        Some(Choice::Rejected) => ('✗', colour.of(Color::Red)),
        Some(Choice::Snoozed) => ('z', Style::new().add_modifier(Modifier::DIM)),
        Some(Choice::Released) => ('→', colour.of(Color::Blue)),
    };
    let lesson = &item.lesson;
    let cursor = if selected { '>' } else { ' ' };
    let said = format!("{cursor}{mark} {:<11} {:>3}× ", item.kind(), lesson.evidence.sessions);
    let room = usize::from(width).saturating_sub(Span::raw(said.as_str()).width());
    // Enough of a long statement for any screen; the rest would be spelled out for nothing.
    let start: String = lesson.payload.statement.chars().take(room).collect();
    let more = start.len() < lesson.payload.statement.len();
    let text = format!("{said}{}", cut(&spelled_out(&start), room, more));
    let style = if selected { style.add_modifier(Modifier::REVERSED) } else { style };
    Line::styled(format!("{text:<0$}", usize::from(width)), style)
}

/// At most so many columns of a text; a cut is shown.
fn cut(text: &str, room: usize, more: bool) -> String {
    if !more && Span::raw(text).width() <= room {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        used += Span::raw(c.to_string()).width();
        if used + 1 > room {
            break;
        }
        out.push(c);
    }
    if room > 0 {
        out.push('…');
    }
    out
}

fn divider(state: &InboxState, width: u16) -> Line<'static> {
    let mut text = match state.selected().map(|at| &state.items()[at]) {
        Some(item) => format!("── {} {} of {} ", item.lesson.id, item.lesson.payload.name, item.project),
        None => "── nothing found ".to_owned(),
    };
    let (at, most) = state.scroll;
    let more = if most > at { " more: Space ──" } else { "──" };
    let used = Span::raw(text.as_str()).width() + Span::raw(more).width();
    text.push_str(&"─".repeat(usize::from(width).saturating_sub(used)));
    text.push_str(more);
    Line::styled(text, Style::new().add_modifier(Modifier::DIM))
}

/// The keys, as many as there is room for.
const KEYS: &[&str] = &[
    "a accept  e edit  r reject  s snooze  l release  u undo  / find  ? keys  q quit",
    "a accept  r reject  e edit  u undo  ? keys  q quit",
    "? keys  q quit",
];

fn bottom(frame: &mut Frame<'_>, state: &InboxState, message: Rect, keys: Rect, colour: Colour) {
    let style = if state.message.starts_with('!') { colour.tone(Tone::Warning) } else { colour.of(Color::Green) };
    put(frame, message, Line::styled(cut(&spelled_out(&state.message), usize::from(message.width), false), style));
    let dim = Style::new().add_modifier(Modifier::DIM);
    match &state.mode {
        KeyMode::Filter => {
            put(frame, message, Line::raw(format!("/{}", spelled_out(&state.filter))));
            put(frame, keys, Line::styled("Enter keep  Esc show all", dim));
            let at = Span::raw(spelled_out(&state.filter)).width() + 1;
            frame.set_cursor_position((message.x + column(at, message.width), message.y));
        }
        KeyMode::Line(line) => {
            let at = edit_line(frame, message, line);
            put(frame, keys, Line::styled("Enter accept these words  Esc leave them as they were", dim));
            frame.set_cursor_position((message.x + at, message.y));
        }
        KeyMode::Browse | KeyMode::Help => {
            let fits = KEYS.iter().find(|k| k.len() <= usize::from(keys.width)).copied();
            put(frame, keys, Line::styled(fits.unwrap_or_default(), dim));
        }
    }
}

fn column(at: usize, width: u16) -> u16 {
    u16::try_from(at).unwrap_or(u16::MAX).min(width.saturating_sub(1))
}

/// The part of the line around the cursor; answers the cursor's column.
fn edit_line(frame: &mut Frame<'_>, area: Rect, line: &LineEdit) -> u16 {
    let (chars, cursor) = line.parts();
    let room = usize::from(area.width).saturating_sub(1);
    let mut start = cursor;
    let mut before = 0;
    while start > 0 {
        let width = Span::raw(spelled_char(chars[start - 1])).width();
        if before + width > room {
            break;
        }
        (start, before) = (start - 1, before + width);
    }
    let seen: String = chars[start..].iter().take(room + 1).map(|c| spelled_char(*c)).collect();
    put(frame, area, Line::raw(seen));
    column(before, area.width)
}

/// Breaks the details into lines of a width, at spaces where there are some.
fn wrapped(parts: &[Part], width: u16, colour: Colour) -> Vec<Line<'static>> {
    let mut out = Vec::new();
    for part in parts {
        let (indent, style) = (if part.tone == Tone::Quoted { "  | " } else { "" }, colour.tone(part.tone));
        let room = usize::from(width).saturating_sub(indent.len()).max(1);
        out.extend(broken(&part.text, room).into_iter().map(|l| Line::styled(format!("{indent}{l}"), style)));
    }
    out
}

fn broken(text: &str, room: usize) -> Vec<String> {
    let mut out = Vec::new();
    let (mut line, mut used) = (String::new(), 0);
    for c in text.chars() {
        let width = Span::raw(c.to_string()).width();
        if used + width > room && !line.is_empty() {
            // A space at the very end would be lost at the break anyway.
            let rest = match line.rfind(' ').filter(|_| c != ' ') {
                Some(space) if space > 0 => line.split_off(space + 1),
                _ => String::new(),
            };
            out.push(std::mem::replace(&mut line, rest));
            used = Span::raw(line.as_str()).width();
            if c == ' ' {
                continue;
            }
        }
        line.push(c);
        used += width;
    }
    out.push(line);
    out
}

const HELP: &[&str] = &[
    "a y Enter  accept: it is used from now on",
    "e          edit, then accept your words",
    "r n        reject for ever",
    "s          snooze for a while",
    "l          let the agent write it up",
    "u          undo what you decided last",
    "j k arrows move; PgUp PgDn a page",
    "g G        first, last",
    "Space J K  scroll the details",
    "/          find; Esc shows all again",
    "q Esc      quit; decisions are kept",
    "Any key closes this.",
];

fn help(frame: &mut Frame<'_>, area: Rect) {
    let size = |n: usize, most: u16| u16::try_from(n).unwrap_or(most).min(most);
    let width = size(HELP.iter().map(|l| l.len()).max().unwrap_or(0) + 4, area.width);
    let height = size(HELP.len() + 2, area.height);
    let (x, y) = ((area.width - width) / 2, (area.height - height) / 2);
    let inner = Rect { x: area.x + x, y: area.y + y, width, height };
    frame.render_widget(Clear, inner);
    let lines: Vec<Line<'_>> = HELP.iter().map(|l| Line::raw(*l)).collect();
    frame.render_widget(Paragraph::new(lines).block(ratatui::widgets::Block::bordered().title("Keys")), inner);
}

#[cfg(test)]
mod tests;
