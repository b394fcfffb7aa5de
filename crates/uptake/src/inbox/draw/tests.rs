use expect_test::{Expect, expect};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::super::action::{Action, Key};
use super::super::item::tests::item;
use super::super::item::{Preview, Twins, Use, details};
use super::*;

const FLAG: &str = "Instead of `python3 -m ledger report --format json` run `python3 -m ledger report --output json`";

fn inbox() -> InboxState {
    let mut items = vec![item("0e3ddb0e6d", "error-python3", FLAG), item("11", "error-make", "Run `make deps` first")];
    items.push(item("22", "clean", "Ru\u{200b}n `rm -rf build`"));
    items.extend((0..20).map(|n| item(&format!("5{n}"), &format!("step-{n}"), &format!("Run `step {n}`"))));
    InboxState::new(items)
}

fn drawn(state: &mut InboxState, (width, height): (u16, u16), colour: Colour) -> TestBackend {
    let preview = Preview {
        used: Use::Hint("(uptake, notes from past work)\nthe words".to_owned()),
        approved: vec!["77aa".to_owned()],
        remarks: Vec::new(),
    };
    let twins = Twins::of(state.items());
    let at = state.selected().unwrap_or(usize::MAX);
    let parts = details(state.items(), at, &twins, Ok(&preview));
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    // The first drawing tells the state how much room there is.
    for _ in 0..2 {
        terminal.draw(|frame| draw(frame, state, &parts, colour)).unwrap();
    }
    terminal.backend().clone()
}

fn check(state: &mut InboxState, size: (u16, u16), expect: &Expect) {
    let lines = drawn(state, size, Colour::No).to_string();
    let text: String = lines.lines().map(|l| format!("{}\n", l.trim_matches('"').trim_end())).collect();
    expect.assert_eq(&text);
}

fn press(state: &mut InboxState, keys: &str) {
    for c in keys.chars() {
        if let Some(action) = state.key(Key::Char(c)) {
            state.done(&action, Ok("Approved: it is recalled when its error comes up again.".to_owned()));
        }
    }
}

#[test]
fn a_usual_screen() {
    let mut state = inbox();
    drawn(&mut state, (80, 24), Colour::No);
    check(
        &mut state,
        (80, 24),
        &expect![[r#"
            uptake review: 1/23 lessons
            >  recovery      2× Instead of `python3 -m ledger report --format json` run `py…
               recovery      2× Run `make deps` first
               recovery      2× Ru<U+200B>n `rm -rf build`
               recovery      2× Run `step 0`
               recovery      2× Run `step 1`
               recovery      2× Run `step 2`
               recovery      2× Run `step 3`
               recovery      2× Run `step 4`
            ── 0e3ddb0e6d error-python3 of ledger ──────────────────────────────────────────
            Instead of `python3 -m ledger report --format json` run `python3 -m ledger
            report --output json`
            Words by: the agent
            When `make` fails with: no rule for error-python3
            the agent is told:
              | (uptake, notes from past work)
              | the words
            About 10 tokens, each time it is told
            ! Same error: 77aa (approved)
            Seen in 2 sessions on 1 day (claude) of ledger
            1970-01-01, claude session 8f2c:
              | make: *** no rule for error-python3

            a accept  e edit  r reject  s snooze  l release  u undo  / find  ? keys  q quit
        "#]],
    );
}

#[test]
fn a_small_screen_after_a_yes() {
    let mut state = inbox();
    drawn(&mut state, (60, 15), Colour::No);
    press(&mut state, "ar");
    check(
        &mut state,
        (60, 15),
        &expect![[r#"
            uptake review: 3/23 lessons, 1 accepted, 1 rejected
             ✓ recovery      2× Instead of `python3 -m ledger report --…
             ✗ recovery      2× Run `make deps` first
            >  recovery      2× Ru<U+200B>n `rm -rf build`
               recovery      2× Run `step 0`
            ── 22 clean of ledger ─────────────────────── more: Space ──
            Ru<U+200B>n `rm -rf build`
            ! Look twice: it deletes or overwrites without asking
            ! It holds characters that cannot be seen, shown as <U+…>
            Words by: the agent
            When `make` fails with: no rule for clean
            the agent is told:
              | (uptake, notes from past work)
            Approved: it is recalled when its error comes up again.
            a accept  r reject  e edit  u undo  ? keys  q quit
        "#]],
    );
}

#[test]
fn help_filter_and_edit() {
    let mut state = inbox();
    press(&mut state, "?");
    check(
        &mut state,
        (60, 15),
        &expect![[r#"
            uptake ┌Keys───────────────────────────────────────┐
            >  reco│a y Enter  accept: it is used from now on  │port --…
               reco│e          edit, then accept your words    │
               reco│r n        reject for ever                 │
               reco│s          snooze for a while              │
            ── 0e3d│l          let the agent write it up       │Space ──
            Instead│u          undo what you decided last      │run
            `python│j k arrows move; PgUp PgDn a page          │
            Words b│g G        first, last                     │
            When `m│Space J K  scroll the details              │
            the age│/          find; Esc shows all again       │
              | (up│q Esc      quit; decisions are kept        │
              | the│Any key closes this.                       │
                   └───────────────────────────────────────────┘
            a accept  r reject  e edit  u undo  ? keys  q quit
        "#]],
    );
    press(&mut state, "x/step 1");
    check(
        &mut state,
        (60, 15),
        &expect![[r#"
            uptake review: 1/11 lessons, 23 in all
            >  recovery      2× Run `step 1`
               recovery      2× Run `step 10`
               recovery      2× Run `step 11`
               recovery      2× Run `step 12`
            ── 51 step-1 of ledger ────────────────────── more: Space ──
            Run `step 1`
            Words by: the agent
            When `make` fails with: no rule for step-1
            the agent is told:
              | (uptake, notes from past work)
              | the words
            About 10 tokens, each time it is told
            /step 1
            Enter keep  Esc show all
        "#]],
    );
    state.key(Key::Esc);
    press(&mut state, "e!");
    check(
        &mut state,
        (60, 15),
        &expect![[r#"
            uptake review: 1/23 lessons
            >  recovery      2× Instead of `python3 -m ledger report --…
               recovery      2× Run `make deps` first
               recovery      2× Ru<U+200B>n `rm -rf build`
               recovery      2× Run `step 0`
            ── 0e3ddb0e6d error-python3 of ledger ─────── more: Space ──
            Instead of `python3 -m ledger report --format json` run
            `python3 -m ledger report --output json`
            Words by: the agent
            When `make` fails with: no rule for error-python3
            the agent is told:
              | (uptake, notes from past work)
              | the words
            -format json` run `python3 -m ledger report --output json`!
            Enter accept these words  Esc leave them as they were
        "#]],
    );
}

#[test]
fn without_colour_the_same_is_said() {
    let plain = |backend: &TestBackend| {
        backend.buffer().content().iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset)
    };
    for size in [(80, 24), (60, 15)] {
        let mut state = inbox();
        press(&mut state, "ajr");
        let with = drawn(&mut state, size, Colour::Yes);
        let without = drawn(&mut state, size, Colour::No);
        assert!(!plain(&with) && plain(&without));
        assert_eq!(with.to_string(), without.to_string());
    }
}

#[test]
fn no_screen_is_too_small() {
    for size in [(1, 1), (2, 3), (5, 4), (20, 2), (10, 8), (300, 90)] {
        for keys in ["", "?", "/漢", "e"] {
            let mut state = inbox();
            press(&mut state, keys);
            drawn(&mut state, size, Colour::Yes);
        }
    }
    drawn(&mut InboxState::new(Vec::new()), (80, 24), Colour::No);
}

#[test]
fn wide_letters_and_long_words_are_broken_where_they_must() {
    assert_eq!(broken("one two three", 8), ["one two ", "three"]);
    assert_eq!(broken("onetwothree", 4), ["onet", "woth", "ree"]);
    assert_eq!(broken("漢字漢字", 5), ["漢字", "漢字"]);
    assert_eq!(broken("ab cd", 2), ["ab", "cd"]);
    assert_eq!(broken("", 2), [""]);
}

#[test]
fn a_hundred_thousand_lessons_are_drawn_and_filtered_at_once() {
    let items = (0..100_000).map(|n| item(&format!("{n}"), &format!("name-{n}"), "Run `make`")).collect();
    let mut state = InboxState::new(items);
    state.fit(8, 0);
    state.key(Key::End);
    let start = std::time::Instant::now();
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    for _ in 0..50 {
        state.key(Key::PageUp);
        terminal.draw(|frame| draw(frame, &mut state, &[], Colour::No)).unwrap();
    }
    let each = start.elapsed() / 50;
    assert!(each.as_millis() < 50, "{each:?} a page");
    assert_eq!(state.key(Key::Char('q')), Some(Action::Quit));
}
