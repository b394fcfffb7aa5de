//! `uptake review` on a real terminal.

use crate::terminal::{Ended, Terminal};
use crate::world::{World, learned};

const LEAVES: &str = "\u{1b}[?1049l";

fn review(world: &World) -> Terminal {
    Terminal::start(world, &["review"], &[])
}

fn verdicts(world: &World) -> Vec<String> {
    let rows = world.run(&["review", "--all", "--json"]).ok().objects();
    rows.iter().filter_map(|r| r["verdict"].as_str()).map(str::to_owned).collect()
}

fn ended_well(run: &Ended) {
    assert_eq!(run.code, Some(0), "{run:?}");
    let raw = &run.raw;
    assert_eq!(raw.matches("\u{1b}[?1049h").count(), raw.matches(LEAVES).count(), "{raw:?}");
    assert!(raw.contains(LEAVES) && raw.contains("\u{1b}[?2004l") && raw.contains("\u{1b}[?25h"), "{raw:?}");
}

#[test]
fn lessons_are_seen_and_decided_with_keys() {
    let world = learned();
    let first = world.run(&["review", "--json"]).ok().objects()[0]["id"].as_str().expect("an id").to_owned();
    let run = review(&world)
        .wait("uptake review:")
        .wait(&first)
        .wait("Words by:")
        .wait("? keys")
        .send("j")
        .send("k")
        .send("a")
        .wait("1 accepted")
        .send("r")
        .wait("1 rejected")
        .send("q")
        .end();
    ended_well(&run);
    assert!(run.screen.contains("Decided: 1 accepted, 1 rejected."), "{run:?}");
    let mut said = verdicts(&world);
    said.sort();
    assert_eq!(said, ["approved", "rejected"]);
}

#[test]
fn a_decision_is_kept_when_the_terminal_dies_and_undone_when_asked() {
    let world = learned();
    let killed = review(&world).wait("Words by:").send("r").wait("1 rejected").signal(9).end();
    assert_eq!(killed.signal, Some(9));
    assert_eq!(verdicts(&world), ["rejected"]);
    let run = review(&world)
        .wait("Words by:")
        .send("s")
        .wait("Put")
        .send("u")
        .wait("Took back")
        .send("l")
        .wait("Released")
        .send("u")
        .wait("no longer released")
        .send("\u{3}")
        .end();
    ended_well(&run);
    assert_eq!(verdicts(&world), ["rejected"]);
}

#[test]
fn ended_from_outside_the_terminal_is_given_back() {
    let world = learned();
    let run = review(&world).wait("Words by:").send("r").wait("1 rejected").signal(15).end();
    ended_well(&run);
    assert_eq!(verdicts(&world), ["rejected"]);
}

#[test]
fn what_was_accepted_is_taken_back_after_undo() {
    let world = learned();
    let skills = || crate::world::files(&world.home()).into_iter().filter(|p| p.ends_with("SKILL.md")).count();
    let run = review(&world)
        .wait("Words by:")
        .send("/procedure\r")
        .wait("When a session starts")
        .send("a")
        .wait("start of a session")
        .send("u")
        .wait("Took back")
        .send("q")
        .end();
    ended_well(&run);
    assert_eq!((skills(), verdicts(&world).len()), (0, 0));
}

#[test]
fn words_are_edited_in_the_persons_editor_or_in_a_line() {
    let world = learned();
    let editor = world.write("editor.sh", "sed -i.old 's/^/Mind: /' \"$1\"\n");
    let editor = format!("sh {}", editor.display());
    let run = Terminal::start(&world, &["review"], &[("VISUAL", &editor)])
        .wait("Words by:")
        .send("e")
        .wait("Approved your words")
        .send("q")
        .end();
    ended_well(&run);
    let run = review(&world)
        .wait("Words by:")
        .send("e")
        .wait("Enter accept these words")
        .send(" (see docs)\r")
        .wait("Approved your words")
        .send("q")
        .end();
    ended_well(&run);
    let rows = world.run(&["review", "--all", "--json"]).ok().objects();
    let texts: Vec<&str> =
        rows.iter().filter(|r| r["verdict"] == "approved").filter_map(|r| r["text"].as_str()).collect();
    assert!(texts.len() == 2 && texts.iter().any(|t| t.starts_with("Mind: ")), "{texts:?}");
    assert!(texts.iter().any(|t| t.ends_with(" (see docs)")), "{texts:?}");
}

#[test]
fn a_resize_draws_again_and_no_color_is_honoured() {
    let world = learned();
    let run = Terminal::start(&world, &["review", "--all"], &[("NO_COLOR", "1")])
        .wait("q quit")
        .resize(15, 60)
        .wait("a accept  r reject  e edit  u undo  ? keys  q quit")
        .send("\u{1b}")
        .end();
    ended_well(&run);
    assert!(!has_colour(&run.raw), "{:?}", run.raw);
    let run = review(&world).wait("q quit").send("q").end();
    assert!(has_colour(&run.raw));
}

/// Whether one of the sequences `ESC[…m` sets a colour.
fn has_colour(raw: &str) -> bool {
    let styles = raw.split("\u{1b}[").filter_map(|s| s.split_once('m')).map(|(codes, _)| codes);
    styles
        .flat_map(|codes| codes.split(';'))
        .filter_map(|c| c.parse::<u32>().ok())
        .any(|c| matches!(c, 30..=38 | 40..=48 | 90..=107))
}

#[test]
fn a_dumb_terminal_gets_plain_questions() {
    let world = learned();
    let run = Terminal::start(&world, &["review"], &[("TERM", "dumb")]).wait("? [Y/n]").send("q\n").end();
    assert_eq!(run.code, Some(0));
    assert!(!run.raw.contains("\u{1b}[?1049h"), "{run:?}");
}
