//! One changed byte withdraws an approval: in what a person or the rules approved, and in the sum of it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use uptake_core::learn::status::{By, Status};
use uptake_core::learn::trust::Mode;
use uptake_store::{Artifact, Lessons, Stored, Wanted, Which};

use super::super::plants::script::{Script, Step};
use super::super::plants::write::WRITERS;
use super::super::world::{World, files};
use super::super::{Figure, Options, Rng, say};
use super::pen::Pen;
use super::{BEGIN, DAY, controls};

/// How often a change is also looked at through the binary.
const SHOWN: usize = 50;
/// Files that must be gone after the next `learn`.
const FILES: usize = 200;

/// A stored lesson and its row as it was.
struct Kept {
    stored: Stored,
    body: String,
    sha256: String,
}

/// Changes bytes, and says how many changes were not noticed.
pub fn figures(binary: &Path, options: &Options) -> Result<Vec<Figure>> {
    let world = approved_world(binary)?;
    let lessons = Lessons::open(&world.data())?;
    let kept = kept(&lessons)?;
    let mut pen = Pen::new(&world.data().join("lessons.db"))?;
    let mut rng = Rng::new(options.seed, "trust changes");
    let (mut missed, mut shown, mut unshown) = (Vec::new(), 0, 0);
    say(&format!("trust: {} changes of {} approved lessons", options.changes, kept.len()));
    for n in 0..options.changes {
        let one = rng.pick(&kept);
        let what = change(&mut pen, one, &mut rng)?;
        if !is_withdrawn(&lessons, one)? {
            missed.push(format!("{what} of {}", one.stored.lesson.id));
        }
        if n % (options.changes / SHOWN).max(1) == 0 {
            let said = world.run(&["show", &one.stored.lesson.id], &[], b"")?;
            shown += 1;
            unshown += usize::from(!String::from_utf8_lossy(&said.out).contains("quarantine"));
        }
        pen.write(&one.stored.lesson.id, &one.body, &one.sha256)?;
    }
    let all = lessons.may_leave(Mode::Auto)?.len();
    ensure!(all == kept.len(), "{all} of {} lessons are approved after all was put back", kept.len());
    drop((lessons, pen));
    let count = |by: By, trigger: bool| {
        kept.iter()
            .filter(|k| {
                k.stored.standing.said.is_some_and(|s| s.by == by)
                    && k.stored.lesson.payload.trigger.is_some() == trigger
            })
            .count()
    };
    let kinds = [count(By::Person, true), count(By::Person, false), count(By::Auto, true), count(By::Auto, false)];
    let files = files_gone(&world, &kept, &mut rng)?;
    Ok(vec![
        Figure::new("approved by a person with and without an error, by rules with and without", format!("{kinds:?}"))
            .bar("≥ 1 each", kinds.iter().all(|n| *n > 0)),
        Figure::none(format!("of {} one-byte changes, those that withdrew nothing", options.changes), missed.len())
            .why(missed.first().cloned().unwrap_or_default()),
        Figure::none(format!("of {shown} changed lessons, those `show` does not call withdrawn"), unshown),
        files,
    ])
}

/// A world with lessons of all sorts, approved by rules and by a person.
fn approved_world(binary: &Path) -> Result<World> {
    let world = World::new(binary)?;
    world.write(&world.home().join(".config/uptake/config.toml"), b"mode = \"auto\"\n")?;
    let script = |round: i64| Script {
        id: format!("c0de0000-0000-4000-8000-00000000000{round}"),
        at: BEGIN + DAY * round,
        cwd: world.project().to_string_lossy().into_owned(),
        remote: "https://git.example.com/dev/ledger.git".to_owned(),
        steps: [controls::steps(), waiting_steps()].concat(),
    };
    let writer = WRITERS.first().context("no writer")?;
    (writer.write)(&world, &[script(0), script(1), script(2)])?;
    let run = |args: &[&str]| -> Result<()> {
        let said = world.run(args, &[], b"")?;
        ensure!(said.ok, "{}: {}", said.by, String::from_utf8_lossy(&said.err));
        Ok(())
    };
    run(&["learn"])?;
    let wanted = Wanted { which: Which::Waiting, mode: Mode::Auto, ..Wanted::default() };
    for stored in Lessons::open(&world.data())?.list(&wanted)? {
        run(&["review", "--accept", &stored.lesson.shown_id()])?;
    }
    Ok(world)
}

/// What waits for a person in every mode: quotes, downloads, longer remarks.
fn waiting_steps() -> Vec<Step> {
    let mut steps = Vec::new();
    for n in 0..6 {
        let shell = |what: String, output: &str, code| Step::Shell { command: what, output: output.to_owned(), code };
        let error = format!("tool{n}: error: unrecognized arguments: --format json\n");
        steps.push(shell(format!("tool{n} sync --format json"), &error, 2));
        steps.push(shell(format!("tool{n} sync --output json --note 'from the week before'"), "done", 0));
        steps.push(Step::Assistant("That works.".to_owned()));
        steps.push(Step::User(format!("Good work. Never run tool{n} on main. It takes an hour.")));
        steps.push(Step::Assistant("I will not.".to_owned()));
    }
    steps
}

fn kept(lessons: &Lessons) -> Result<Vec<Kept>> {
    let mut out = Vec::new();
    for lesson in lessons.may_leave(Mode::Auto)? {
        let stored = stored(lessons, &lesson.id)?;
        let body = lessons.kept_bytes(&lesson.id)?.context("a lesson is gone")?;
        out.push(Kept { stored, body, sha256: lesson.sha256() });
    }
    ensure!(!out.is_empty(), "nothing was approved");
    Ok(out)
}

fn stored(lessons: &Lessons, id: &str) -> Result<Stored> {
    lessons.by_id(id)?.into_iter().find(|s| s.lesson.id == id).context("a lesson is gone")
}

/// Changes one byte of what was approved; answers which.
fn change(pen: &mut Pen, kept: &Kept, rng: &mut Rng) -> Result<String> {
    if rng.once_in(10) {
        let sum = other_byte(&kept.sha256, b"0123456789abcdef", rng);
        pen.write(&kept.stored.lesson.id, &kept.body, &sum)?;
        return Ok("the sum".to_owned());
    }
    let mut body: Value = serde_json::from_str(&kept.body)?;
    let commands = body["commands"].as_array().map_or(0, Vec::len);
    let mut places: Vec<String> = ["statement", "project", "name", "title", "trigger/program", "trigger/error"]
        .into_iter()
        .map(|p| format!("/{p}"))
        .chain((0..commands).map(|n| format!("/commands/{n}")))
        .collect();
    places.retain(|p| body.pointer(p).and_then(Value::as_str).is_some_and(|t| t.bytes().any(|b| b.is_ascii())));
    let place = rng.pick(&places).clone();
    let text = body.pointer(&place).and_then(Value::as_str).unwrap_or_default();
    let printable: Vec<u8> = (b' '..=b'~').collect();
    let text = other_byte(text, &printable, rng);
    if let Some(field) = body.pointer_mut(&place) {
        *field = text.into();
    }
    pen.write(&kept.stored.lesson.id, &body.to_string(), &kept.sha256)?;
    Ok(place)
}

/// The text with one of its ASCII bytes replaced.
fn other_byte(text: &str, alphabet: &[u8], rng: &mut Rng) -> String {
    let places: Vec<usize> = text.bytes().enumerate().filter(|(_, b)| b.is_ascii()).map(|(n, _)| n).collect();
    let at = *rng.pick(&places);
    let others: Vec<u8> = alphabet.iter().copied().filter(|b| *b != text.as_bytes()[at]).collect();
    let mut bytes = text.as_bytes().to_vec();
    bytes[at] = *rng.pick(&others);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether a lesson is in nothing that leaves.
fn is_withdrawn(lessons: &Lessons, kept: &Kept) -> Result<bool> {
    let was = &kept.stored.lesson;
    let now = stored(lessons, &was.id)?;
    for mode in [Mode::Review, Mode::Auto] {
        let mut out = lessons.may_leave(mode)?;
        for lesson in [was, &now.lesson] {
            if let Some(trigger) = &lesson.payload.trigger {
                out.extend(lessons.approved_for(trigger, lesson.project(), mode)?);
            }
        }
        if out.iter().any(|l| l.id == was.id) || now.may_leave(mode) {
            return Ok(false);
        }
    }
    Ok(now.standing.status(0) == Status::Quarantined)
}

/// Changes half of the lessons with files, again and again: the next `learn` removes their files and no others.
fn files_gone(world: &World, kept: &[Kept], rng: &mut Rng) -> Result<Figure> {
    let before = snapshot(world)?;
    let (mut looked, mut wrong) = (0, 0);
    while looked < FILES {
        let artifacts = Lessons::open(&world.data())?.artifacts(None)?;
        ensure!(!artifacts.is_empty(), "no skill was written");
        let mut pen = Pen::new(&world.data().join("lessons.db"))?;
        let mut changed = BTreeSet::new();
        for one in kept.iter().filter(|k| artifacts.iter().any(|a| a.lesson == k.stored.lesson.id)) {
            if rng.once_in(2) {
                change(&mut pen, one, rng)?;
                changed.insert(one.stored.lesson.id.as_str());
            }
        }
        drop(pen);
        let said = world.run(&["learn"], &[], b"")?;
        let right = |a: &Artifact| Path::new(&a.path).exists() != changed.contains(a.lesson.as_str());
        wrong += artifacts.iter().filter(|a| !right(a)).count() + usize::from(!said.ok);
        looked += changed.len();
        restore(world, &before)?;
    }
    Ok(Figure::none(
        format!("of {looked} skill files of changed lessons and those beside them, wrong after `learn`"),
        wrong,
    ))
}

fn snapshot(world: &World) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let all = [files(&world.data()), files(&world.home())].concat();
    all.into_iter().map(|p| Ok((p.clone(), std::fs::read(p)?))).collect()
}

fn restore(world: &World, before: &[(PathBuf, Vec<u8>)]) -> Result<()> {
    for path in files(&world.data()) {
        std::fs::remove_file(path)?;
    }
    before.iter().try_for_each(|(path, bytes)| world.write(path, bytes))
}
