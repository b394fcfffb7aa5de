use super::super::item::tests::item;
use super::*;

fn inbox(n: usize) -> InboxState {
    let mut state =
        InboxState::new((0..n).map(|n| item(&format!("{n}"), &format!("name-{n}"), &format!("Run `{n}`"))).collect());
    state.fit(4, 10);
    state
}

fn keys(state: &mut InboxState, keys: &str) -> Vec<Action> {
    keys.chars().filter_map(|c| state.key(Key::Char(c))).collect()
}

/// Presses keys; whatever they ask for works.
fn press(state: &mut InboxState, keys: &str) {
    for c in keys.chars() {
        if let Some(action) = state.key(Key::Char(c)) {
            state.done(&action, Ok("done".to_owned()));
        }
    }
}

#[test]
fn a_decision_is_asked_for_and_shown_only_when_it_worked() {
    let mut state = inbox(3);
    let asked = keys(&mut state, "a");
    let Some(action @ Action::Say { id, said: Choice::Accepted, edited: None }) = asked.first() else {
        panic!("{asked:?}")
    };
    assert!(id.starts_with("0-") && id.len() > 60, "bound to the bytes: {id}");
    state.done(action, Err("the disk is full".to_owned()));
    assert_eq!((state.items()[0].said, state.message.as_str()), (None, "! the disk is full"));
    state.done(action, Ok("Approved".to_owned()));
    assert_eq!((state.items()[0].said, state.selected()), (Some(Choice::Accepted), Some(1)));
}

#[test]
fn every_key_of_a_decision_says_what_it_should() {
    for (key, expect) in [
        (Key::Char('a'), Choice::Accepted),
        (Key::Char('y'), Choice::Accepted),
        (Key::Enter, Choice::Accepted),
        (Key::Char('r'), Choice::Rejected),
        (Key::Char('n'), Choice::Rejected),
        (Key::Char('s'), Choice::Snoozed),
        (Key::Char('l'), Choice::Released),
    ] {
        let action = inbox(1).key(key);
        assert!(matches!(&action, Some(Action::Say { said, .. }) if *said == expect), "{key:?}: {action:?}");
    }
}

#[test]
fn the_selection_moves_within_the_list_and_stays_on_the_screen() {
    let mut state = inbox(10);
    keys(&mut state, "jjjjk");
    assert_eq!(state.selected(), Some(3));
    state.key(Key::PageDown);
    assert_eq!(state.selected(), Some(7));
    assert!(state.window().any(|(selected, item)| selected && item.lesson.id == "7"));
    assert_eq!(state.window().count(), 4);
    state.key(Key::End);
    state.key(Key::Down);
    assert_eq!(state.selected(), Some(9));
    state.fit(20, 0);
    assert_eq!(state.window().count(), 10, "a larger screen shows all");
    state.key(Key::Home);
    state.key(Key::Up);
    assert_eq!(state.selected(), Some(0));
}

#[test]
fn a_filter_narrows_and_escape_widens_before_it_leaves() {
    let mut state = inbox(20);
    keys(&mut state, "/name-1");
    assert_eq!(state.position().1, 11);
    state.key(Key::Char('9'));
    assert_eq!((state.position().1, state.selected()), (1, Some(19)));
    state.key(Key::Backspace);
    assert_eq!(state.position().1, 11);
    keys(&mut state, "xx");
    assert_eq!((state.position().1, state.selected()), (0, None));
    assert_eq!(state.key(Key::Enter), None);
    assert_eq!(keys(&mut state, "aresl"), [], "nothing is selected, nothing is decided");
    assert_eq!(state.key(Key::Esc), None);
    assert_eq!(state.position().1, 20);
    assert_eq!(state.key(Key::Esc), Some(Action::Quit));
}

#[test]
fn undo_takes_back_what_was_said_here_last() {
    let mut state = inbox(3);
    assert_eq!(keys(&mut state, "u"), []);
    assert!(state.message.contains("Nothing"));
    press(&mut state, "ar");
    assert_eq!(state.tally(), BTreeMap::from([(Choice::Accepted, 1), (Choice::Rejected, 1)]));
    press(&mut state, "u");
    assert_eq!((state.items()[1].said, state.selected()), (None, Some(1)));
    press(&mut state, "u");
    assert_eq!((state.items()[0].said, state.selected()), (None, Some(0)));
    assert!(state.tally().is_empty());
}

#[test]
fn the_same_thing_is_not_said_twice() {
    let mut state = inbox(1);
    press(&mut state, "a");
    assert_eq!(keys(&mut state, "a"), []);
    assert_eq!(state.message, "It is accepted already.");
    assert_eq!(keys(&mut state, "r").len(), 1, "but the mind can be changed");
}

#[test]
fn an_edit_in_one_line_is_a_yes_to_the_new_words() {
    let mut state = inbox(1);
    keys(&mut state, "e");
    keys(&mut state, " aq");
    let action = state.key(Key::Enter);
    assert!(matches!(&action, Some(Action::Say { said: Choice::Accepted, edited: Some(t), .. }) if t == "Run `0` aq"));
    keys(&mut state, "e");
    assert_eq!(state.key(Key::Enter), None);
    assert!(state.message.contains("not changed"));
    keys(&mut state, "ex");
    assert_eq!(state.key(Key::Esc), None);
    assert_eq!(state.mode, KeyMode::Browse);
}

#[test]
fn their_editor_is_opened_where_there_is_one() {
    let mut state = inbox(1).with_editor(Editor::Theirs);
    assert_eq!(state.key(Key::Char('e')), Some(Action::Edit("Run `0`".to_owned())));
    assert_eq!(state.edited("Run `0`\n"), None);
    assert!(matches!(state.edited("Run `7`\n"), Some(Action::Say { edited: Some(t), .. }) if t == "Run `7`"));
}

#[test]
fn pasted_text_decides_nothing() {
    let mut state = inbox(2);
    state.paste("yes\nyes\n");
    assert!(state.items().iter().all(|i| i.said.is_none()));
    keys(&mut state, "/");
    state.paste("name-1\n");
    assert_eq!(state.position().1, 1);
}

#[test]
fn help_ends_with_any_key_and_ctrl_c_leaves_from_everywhere() {
    let mut state = inbox(1);
    keys(&mut state, "?");
    assert_eq!(state.mode, KeyMode::Help);
    assert_eq!(keys(&mut state, "a"), []);
    assert_eq!(state.mode, KeyMode::Browse);
    for mode in ["", "/", "e", "?"] {
        keys(&mut state, mode);
        assert_eq!(state.key(Key::Interrupt), Some(Action::Quit));
        state.mode = KeyMode::Browse;
    }
}

#[test]
fn an_empty_inbox_is_no_trouble() {
    let mut state = inbox(0);
    assert_eq!(keys(&mut state, "jkaresluJK"), []);
    assert_eq!(state.selected(), None);
}
