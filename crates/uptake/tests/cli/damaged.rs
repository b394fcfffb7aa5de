//! A damaged `lessons.db`, its log or its journal: nothing that was decided is lost, everything is told, and every command
//! works. The long form is `cargo xtask battery --only damage`.

use std::path::Path;

use serde_json::Value;
use uptake_testkit::store_damage::{Before, Run};
use uptake_testkit::{Rng, database};

use crate::world::{World, learned, rows, text};

/// Damages of one run; the battery does many more.
const DAMAGES: usize = 40;

#[test]
fn random_damages_lose_nothing_stay_not_silent_and_leave_no_dead_end() {
    let world = learned();
    let run = |args: &[&str]| {
        let run = world.run(args);
        Run { ok: run.code == 0, out: run.out, err: run.err }
    };
    let before = Before::new(&world.data(), &world.home(), &world.path("kept"), &run);
    let mut rng = Rng::new(7, "damaged stores");
    for n in 0..DAMAGES {
        let (target, how, wrong) = before.damage(&world.data(), &world.home(), &mut rng, &run);
        assert!(wrong.is_empty(), "damage {n} ({target:?}: {how}): {wrong:#?}");
    }
}

/// A world with an approved lesson, a rejected one and one of the user's own.
fn decided() -> (World, Vec<Value>) {
    let world = learned();
    let ids: Vec<String> = rows(&world).iter().map(|r| text(r, "id").to_owned()).collect();
    world.run(&["review", "--accept", &ids[0], "--reject", &ids[1]]).ok();
    world.run(&["add", "Run make deps first", "--project", "p"]).ok();
    let before = rows(&world);
    (world, before)
}

/// What a damage does to the file.
fn change(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(path).expect("a file");
    change(&mut bytes);
    std::fs::write(path, bytes).expect("damaged");
}

/// Damages the database; the next `list` says so and shows everything, and `learn` and `purge` work.
fn is_mended(damage: impl FnOnce(&mut Vec<u8>)) {
    let (world, before) = decided();
    change(&world.data().join("lessons.db"), damage);
    let run = world.run(&["list", "--all", "--json"]).ok();
    assert_eq!(run.objects(), before);
    assert!(run.err.contains("is damaged") && run.err.contains("brought back from the journal: "), "{}", run.err);
    for args in [&["learn", "--json"][..], &["purge"], &["doctor"]] {
        assert_eq!(world.run(args).ok().err, "", "{args:?}");
    }
    assert_eq!(rows(&world), before);
}

#[test]
fn a_damaged_header_costs_no_decision() {
    is_mended(|bytes| bytes[3] = b'X');
}

#[test]
fn a_cut_end_costs_no_decision() {
    is_mended(|bytes| bytes.truncate(bytes.len() - 5000));
}

#[test]
fn an_empty_file_costs_no_decision() {
    is_mended(Vec::clear);
}

#[test]
fn a_zeroed_page_is_no_dead_end() {
    is_mended(|bytes| {
        let body = memchr::memmem::find(bytes, b"Run make deps first").expect("a lesson") / 4096 * 4096;
        bytes[body..body + 4096].fill(0);
    });
}

#[test]
fn broken_utf8_is_no_dead_end() {
    is_mended(|bytes| {
        let at = memchr::memmem::find(bytes, b"Run make deps first").expect("a lesson");
        bytes[at] = 0xff;
    });
}

#[test]
fn one_unreadable_body_does_not_vanish() {
    is_mended(|bytes| {
        let at = memchr::memmem::find(bytes, b"\"statement\":\"Run make deps first").expect("a lesson");
        bytes[at + 11] = b'?';
    });
}

#[test]
fn a_letter_that_changed_in_an_approved_text_is_told_and_put_back() {
    is_mended(|bytes| {
        let at = memchr::memmem::find(bytes, b"\"statement\":\"Run make deps first").expect("a lesson");
        bytes[at + 13] = b'B';
    });
}

#[test]
fn a_changed_word_of_a_person_is_told_and_put_back() {
    is_mended(|bytes| {
        let at = memchr::memmem::find(bytes, b"rejected").expect("a verdict");
        bytes[at] = b'q';
    });
}

#[test]
fn a_damaged_journal_is_written_anew_and_told() {
    let (world, before) = decided();
    let journal = world.data().join("lessons.journal");
    let damages: [fn(&mut Vec<u8>); 3] =
        [|bytes| bytes[900] ^= 1, |bytes| bytes.truncate(700), |bytes| bytes.extend(b"garbage")];
    for damage in damages {
        change(&journal, damage);
        let run = world.run(&["list", "--all", "--json"]).ok();
        assert_eq!(run.objects(), before);
        assert!(run.err.contains("lessons.journal` is damaged") && run.err.contains("written anew"), "{}", run.err);
        assert_eq!(world.run(&["doctor"]).ok().err, "");
    }
    std::fs::remove_file(&journal).expect("gone");
    assert!(world.run(&["status"]).ok().err.contains("it is gone"));
    change(&world.data().join("lessons.db"), |bytes| bytes[3] = b'X');
    assert_eq!(rows(&world), before, "from the journal that was written anew");
}

#[test]
fn a_store_without_a_journal_gets_one_from_the_next_command_that_writes() {
    let (world, before) = decided();
    let db = world.data().join("lessons.db");
    database::without_second_copy(&db);
    assert_eq!(world.run(&["learn", "--json"]).ok().err, "");
    change(&db, |bytes| bytes[3] = b'X');
    assert_eq!(rows(&world), before);
}

#[test]
fn what_a_killed_command_did_not_write_down_is_written_down_by_the_next() {
    let (world, _) = decided();
    let db = world.data().join("lessons.db");
    // The decision is in the log of the database, and not in the journal yet.
    let journal = std::fs::read(world.data().join("lessons.journal")).expect("a journal");
    database::while_read(&db, || {
        world.run(&["add", "Tag every release", "--project", "p"]).ok();
        std::fs::write(world.data().join("lessons.journal"), &journal).expect("as before");
        uptake_testkit::folders::copy(&world.data(), &world.path("cut"));
    });
    let all = rows(&world);
    uptake_testkit::store_damage::put_back(&world.path("cut"), &world.data());
    assert_eq!(rows(&world), all);
    world.run(&["add", "Ask first", "--project", "p"]).ok();
    change(&db, |bytes| bytes[3] = b'X');
    let after = rows(&world);
    assert!(all.iter().all(|row| after.contains(row)) && after.len() == all.len() + 1);
}

#[test]
fn what_is_forgotten_is_in_no_journal_and_in_no_damaged_file() {
    let (world, before) = decided();
    let own = before.iter().find(|r| r["text"] == "Run make deps first").expect("own");
    change(&world.data().join("lessons.db"), |bytes| bytes[3] = b'X');
    world.run(&["forget", "--yes", text(own, "id")]).ok();
    for file in crate::world::files(&world.data()) {
        let bytes = std::fs::read(&file).expect("a file");
        assert!(memchr::memmem::find(&bytes, b"Run make deps first").is_none(), "{}", file.display());
    }
    change(&world.data().join("lessons.db"), |bytes| bytes[3] = b'X');
    assert!(rows(&world).iter().all(|r| r["id"] != own["id"]), "a damage does not bring it back");
}

#[test]
fn a_format_that_only_the_disk_changed_is_no_newer_release() {
    for format in [1, 3, 0x3805] {
        is_mended(|bytes| bytes[60..64].copy_from_slice(&u32::to_be_bytes(format)));
    }
    // The same beside the log of a command that was cut short: there is no seal then.
    let (world, before) = decided();
    std::fs::remove_file(world.data().join("lessons.seal")).expect("no seal");
    change(&world.data().join("lessons.db"), |bytes| bytes[62] = 0x38);
    assert_eq!(rows(&world), before);
}
