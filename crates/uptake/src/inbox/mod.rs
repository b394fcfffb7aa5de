//! The review inbox: a full screen, driven by keys. It works for a [`Desk`] and knows no store.
//!
//! Every decision is handed to the desk at once, so nothing is lost if the terminal goes away.

pub mod action;
pub mod draw;
pub mod item;
mod line;
pub mod state;

use std::io;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{
    self, DisableBracketedPaste, EnableBracketedPaste, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers,
};
use ratatui::crossterm::execute;
use uptake_core::learn::Lesson;

use self::action::{Action, Choice, Key};
use self::draw::Colour;
use self::item::{Item, Part, Preview, Twins, details};
use self::state::{Editor, InboxState};
use crate::env_vars;

/// Who carries out what was decided; each answer says what happened.
pub trait Desk {
    /// The next lessons, best first; `None` when there are no more.
    fn more(&mut self) -> Result<Option<Vec<Item>>>;
    /// Approves a lesson, in other words if they were edited.
    fn accept(&mut self, id: &str, edited: Option<String>) -> Result<String>;
    /// Rejects a lesson for ever.
    fn reject(&mut self, id: &str) -> Result<String>;
    /// Puts a lesson away for as long as the settings say.
    fn snooze(&mut self, id: &str) -> Result<String>;
    /// Lets the agent write a lesson up.
    fn release(&mut self, id: &str) -> Result<String>;
    /// Takes back the last decision made at this desk.
    fn undo(&mut self) -> Result<String>;
    /// Where and as what text a lesson would be used.
    fn preview(&mut self, lesson: &Lesson) -> Result<Preview>;
}

/// Shows the lessons until the person leaves. Answers what was decided, as `2 accepted, 1 rejected`; nothing if there
/// are no lessons.
pub fn run(desk: &mut impl Desk) -> Result<Option<String>> {
    let Some(items) = first_lessons(desk)? else { return Ok(None) };
    let editor = if editor().is_some() { Editor::Theirs } else { Editor::Ours };
    let colour = if env_vars::get(env_vars::NO_COLOR).is_some() { Colour::No } else { Colour::Yes };
    let mut twins = Twins::of(&items);
    let mut state = InboxState::new(items).with_editor(editor);
    let mut all_here = false;
    let ended = watch_for_the_end()?;
    let mut screen = Screen::open()?;
    // The details of the selected lesson are made once, not at every key.
    let mut shown: Option<(usize, Vec<Part>)> = None;
    loop {
        let at = state.selected();
        if shown.as_ref().map(|(at, _)| *at) != at {
            shown = at.map(|at| (at, look(&state, at, &twins, desk)));
        }
        let parts = shown.as_ref().map_or(&[][..], |(_, parts)| parts);
        screen.terminal.draw(|frame| draw::draw(frame, &mut state, parts, colour))?;
        if !all_here && !event::poll(Duration::ZERO)? {
            all_here = !take_more(desk, &mut state, &mut twins)?;
            continue;
        }
        // Ended from outside: the terminal is given back first, and nothing decided is lost.
        if ended.load(Ordering::Relaxed) {
            break;
        }
        if !event::poll(PATIENCE)? {
            continue;
        }
        let Some(action) = next(&mut state)? else { continue };
        if action == Action::Quit {
            break;
        }
        if carry_out(action, &mut state, desk, &mut screen)? {
            shown = None;
        }
    }
    let tally: Vec<String> = state.tally().iter().map(|(said, n)| format!("{n} {}", said.as_str())).collect();
    Ok(Some(tally.join(", ")))
}

/// The first lessons that wait; the others come while the person reads.
fn first_lessons(desk: &mut impl Desk) -> Result<Option<Vec<Item>>> {
    loop {
        match desk.more()? {
            Some(more) if more.is_empty() => {}
            other => return Ok(other),
        }
    }
}

/// Takes in the next lessons; `false` when there are no more.
fn take_more(desk: &mut impl Desk, state: &mut InboxState, twins: &mut Twins) -> Result<bool> {
    let Some(more) = desk.more()? else { return Ok(false) };
    twins.add(state.items().len(), &more);
    state.extend(more);
    Ok(true)
}

/// How long a request to end may go unnoticed.
const PATIENCE: Duration = Duration::from_millis(200);

/// Is set when the process is asked to end.
fn watch_for_the_end() -> Result<Arc<AtomicBool>> {
    let ended = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&ended)).context("cannot watch for signals")?;
    }
    Ok(ended)
}

fn look(state: &InboxState, at: usize, twins: &Twins, desk: &mut impl Desk) -> Vec<Part> {
    let preview = desk.preview(&state.items()[at].lesson).map_err(|e| format!("{e:#}"));
    details(state.items(), at, twins, preview.as_ref().map_err(String::as_str))
}

/// Waits for what the person does; a resize draws again by itself.
fn next(state: &mut InboxState) -> Result<Option<Action>> {
    match event::read().context("cannot read from the terminal")? {
        Event::Key(event) => Ok(key(event).and_then(|key| state.key(key))),
        Event::Paste(text) => {
            state.paste(&text);
            Ok(None)
        }
        _ => Ok(None),
    }
}

/// Answers whether something was decided.
fn carry_out(action: Action, state: &mut InboxState, desk: &mut impl Desk, screen: &mut Screen) -> Result<bool> {
    let action = match action {
        Action::Edit(text) => match screen.aside(|| edit(&text))? {
            Ok(text) => state.edited(&text),
            Err(why) => {
                state.message = format!("! {why:#}");
                None
            }
        },
        action => Some(action),
    };
    let Some(action) = action else { return Ok(false) };
    let outcome = match &action {
        Action::Say { id, said: Choice::Accepted, edited } => desk.accept(id, edited.clone()),
        Action::Say { id, said: Choice::Rejected, .. } => desk.reject(id),
        Action::Say { id, said: Choice::Snoozed, .. } => desk.snooze(id),
        Action::Say { id, said: Choice::Released, .. } => desk.release(id),
        Action::Undo => desk.undo(),
        Action::Edit(_) | Action::Quit => return Ok(false),
    };
    state.done(&action, outcome.map_err(|e| format!("{e:#}")));
    Ok(true)
}

fn key(event: KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    if event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
        return (event.code == KeyCode::Char('c')).then_some(Key::Interrupt);
    }
    Some(match event.code {
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Esc,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        _ => return None,
    })
}

/// The terminal as a full screen; closed again however this ends.
struct Screen {
    terminal: DefaultTerminal,
}

impl Screen {
    fn open() -> Result<Self> {
        Ok(Self { terminal: full_screen()? })
    }

    /// Gives the terminal to something else for a while.
    fn aside<T>(&mut self, work: impl FnOnce() -> T) -> Result<T> {
        close();
        let result = work();
        self.terminal = full_screen()?;
        Ok(result)
    }
}

/// Takes the whole terminal. On a panic, too, it is given back.
fn full_screen() -> Result<DefaultTerminal> {
    // Pasted text must not be taken for keys.
    let paste = |terminal| execute!(io::stdout(), EnableBracketedPaste).map(|()| terminal);
    ratatui::try_init().and_then(paste).inspect_err(|_| close()).context("cannot use the whole terminal")
}

impl Drop for Screen {
    fn drop(&mut self) {
        close();
    }
}

fn close() {
    let _ = execute!(io::stdout(), DisableBracketedPaste);
    let _ = ratatui::try_restore();
}

/// The person's editor, if one is set.
fn editor() -> Option<String> {
    env_vars::get(env_vars::VISUAL).or_else(|| env_vars::get(env_vars::EDITOR))
}

/// Lets the person edit a text in their editor.
fn edit(text: &str) -> Result<String> {
    let editor = editor().context("no editor is set")?;
    let mut words = editor.split_whitespace();
    let program = words.next().context("no editor is set")?;
    let folder = tempfile::tempdir().context("cannot make a folder for the editor")?;
    let path = folder.path().join("lesson.txt");
    std::fs::write(&path, format!("{text}\n")).with_context(|| format!("cannot write `{}`", path.display()))?;
    let status = Command::new(program).args(words).arg(&path).status();
    if !status.with_context(|| format!("cannot start the editor `{editor}`"))?.success() {
        bail!("the editor `{editor}` failed; nothing is decided");
    }
    std::fs::read_to_string(&path).context("cannot read what the editor wrote")
}
