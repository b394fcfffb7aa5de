//! `plants`: secrets of every kind, in every notation, in every place of a session of every client, through the real
//! binary; then every byte it left or said is searched for them.

mod gitleaks;
pub(super) mod script;
pub(super) mod write;
mod write_more;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::json;
use uptake_testkit::plants::formats::FORMATS;
use uptake_testkit::plants::kinds::{KINDS, KnownBy};
use uptake_testkit::plants::scan::Scanner;

use self::script::{Case, PLACES, Script};
use self::write::{WRITERS, Writer};
use super::world::{Said, World, binary, files};
use super::{Figure, Options, Rng, say, two_at_a_time};

/// Cases in one world: enough that starting processes costs little, few enough that skills can be compared.
const IN_A_WORLD: usize = 120;
/// Cases in one session.
const IN_A_SESSION: usize = 3;
/// Leaks that are told one by one, unless `--verbose`.
const TOLD: usize = 12;
/// Sessions begin here: 1 March 2026.
const BEGIN: i64 = 1_772_359_200_000;

/// A client, the number of a world, and the kinds and notations planted in it.
type Job<'a> = (&'a Writer, usize, &'a [(usize, usize)]);

/// What one world gave.
#[derive(Default)]
struct Given {
    cases: usize,
    lessons: usize,
    skills: usize,
    hints: usize,
    leaks: Vec<Leak>,
    broken: Vec<String>,
}

/// Something of a secret that came out.
struct Leak {
    kind: &'static str,
    known_by: KnownBy,
    format: &'static str,
    source: &'static str,
    place: &'static str,
    file: String,
    context: String,
    case: usize,
}

/// Runs the check.
pub fn run(options: &Options) -> Result<Vec<Figure>> {
    let binary = binary(options)?;
    let cases: Vec<(usize, usize)> = (0..KINDS.len())
        .flat_map(|k| (0..FORMATS.len()).map(move |f| (k, f)))
        .filter(|(k, f)| FORMATS[*f].holds(KINDS[*k].known_by))
        .step_by(options.every.max(1))
        .collect();
    say(&format!("plants: {} cases × {} sources × {} places", cases.len(), WRITERS.len(), PLACES.len()));
    let jobs: Vec<Job<'_>> =
        WRITERS.iter().flat_map(|w| cases.chunks(IN_A_WORLD).enumerate().map(move |(n, c)| (w, n, c))).collect();
    let results = two_at_a_time(&jobs, |(writer, n, chunk)| {
        let result = world(&binary, options.seed, writer, *n, chunk);
        if n % 8 == 0 {
            say(&format!("plants: {} world {}", writer.name, n + 1));
        }
        result
    })?;
    let mut figures = figures(&results, cases.len(), options.verbose);
    figures.push(gitleaks::baseline(options, &cases)?);
    Ok(figures)
}

fn world(binary: &Path, seed: u64, writer: &Writer, n: usize, chunk: &[(usize, usize)]) -> Result<Given> {
    let mut rng = Rng::new(seed, &format!("plants {} {n}", writer.name));
    let cases: Vec<Case> = chunk
        .iter()
        .enumerate()
        .map(|(i, (k, f))| Case::new(&KINDS[*k], &FORMATS[*f], n * IN_A_WORLD + i, &mut rng))
        .collect();
    let world = World::new(binary)?;
    let by_hand = (writer.write)(&world, &scripts(&world, &cases))?;
    let before: BTreeSet<PathBuf> = files(&world.home()).into_iter().collect();
    let mut result = Given { cases: cases.len(), ..Given::default() };
    let said = run_all(&world, writer, &by_hand, &cases, &mut result)?;
    search(&world, writer, &cases, &before, &said, &mut result)?;
    Ok(result)
}

/// A few planted sessions as each source writes them: material for other checks.
pub fn synthetic(seed: u64) -> Vec<(&'static str, Vec<u8>)> {
    let mut rng = Rng::new(seed, "synthetic");
    let mut out = Vec::new();
    for n in 0..6 {
        let (kind, format) = (&KINDS[rng.below(KINDS.len())], &FORMATS[rng.below(FORMATS.len())]);
        let case = Case::new(kind, format, n, &mut rng);
        let script = Script {
            id: format!("5e55000{n}-0000-4000-8000-000000000000"),
            at: BEGIN,
            cwd: "/home/dev/ledger".to_owned(),
            remote: "https://git.example.com/dev/ledger.git".to_owned(),
            steps: case.steps(),
        };
        out.extend(write::transcripts(&script));
    }
    out
}

/// Two sessions that say the same, so that lessons are made, and a short one elsewhere for each case.
fn scripts(world: &World, cases: &[Case]) -> Vec<Script> {
    let project = world.project().to_string_lossy().into_owned();
    let mut out = Vec::new();
    for (n, cases) in cases.chunks(IN_A_SESSION).enumerate() {
        for round in 0..2 {
            let at = BEGIN + 86_400_000 * round + 1_000_000 * n as i64;
            out.push(Script {
                id: format!("5e55{n:04}-0000-4000-8000-00000000000{round}"),
                at,
                cwd: project.clone(),
                remote: "https://git.example.com/dev/ledger.git".to_owned(),
                steps: cases.iter().flat_map(Case::steps).collect(),
            });
        }
        for (i, case) in cases.iter().enumerate() {
            let at = BEGIN + 172_800_000 + 1_000_000 * n as i64;
            out.push(case.elsewhere(format!("e15e{n:04}-0000-4000-8000-00000000000{i}"), at));
        }
    }
    out
}

/// Every command, as a user and as an agent would run it.
fn run_all(
    world: &World,
    writer: &Writer,
    by_hand: &[PathBuf],
    cases: &[Case],
    result: &mut Given,
) -> Result<Vec<Said>> {
    let given = (writer.given)(world);
    let mut said = Vec::new();
    let mut run = |args: &[&str], paths: &[PathBuf], input: &[u8]| -> Result<usize> {
        let one = world.run(args, paths, input)?;
        if !one.ok {
            result.broken.push(format!("{} {}: {}", writer.name, one.by, String::from_utf8_lossy(&one.err).trim()));
        }
        said.push(one);
        Ok(said.len() - 1)
    };
    run(&["learn"], by_hand, b"")?;
    let learned = run(&["learn", "--all", "--json"], by_hand, b"")?;
    run(&["review"], &[], b"")?;
    let waiting = run(&["review", "--all", "--json"], &[], b"")?;
    run(&["events", "--json"], &given, b"")?;
    run(&["events"], &given, b"")?;
    run(&["detect", "--json"], &given, b"")?;
    run(&["detect"], &given, b"")?;
    run(&["learn", "--skill", "--yes", "--all"], by_hand, b"")?;
    run(&["sessions", "--json"], &[], b"")?;
    run(&["sessions"], &[], b"")?;
    // The hook reads what was learned, whatever it was learned from: all cases once, some for each source.
    let every = if writer.name == "claude" { 1 } else { 4 };
    let first_hook = hooked(&mut run, world, cases.iter().step_by(every))?;
    // One by one costs much; `learn --yes` took them all, so a part of them is enough.
    let ids: Vec<String> = objects(&said[waiting]).filter_map(|o| Some(o["id"].as_str()?.to_owned())).collect();
    let accept: Vec<&str> = ids.iter().step_by(24).flat_map(|id| ["--accept", id.as_str()]).collect();
    let mut more = vec![world.run(&[&["review", "--json"], &accept[..]].concat(), &[], b"")?];
    // What was approved after the first round of hooks is heard in a second one.
    for case in cases.iter().step_by(16) {
        more.push(world.run(&["hook", "claude"], &[], payload(world, case, "again").as_bytes())?);
    }
    result.lessons = objects(&said[learned]).count();
    result.hints =
        said[first_hook..].iter().chain(&more).filter(|s| s.by.starts_with("hook") && !s.out.is_empty()).count();
    said.extend(more);
    Ok(said)
}

/// The hook after each case's failure; answers which of the runs was the first of them.
fn hooked<'c>(
    run: &mut impl FnMut(&[&str], &[PathBuf], &[u8]) -> Result<usize>,
    world: &World,
    cases: impl Iterator<Item = &'c Case> + Clone,
) -> Result<usize> {
    let mut first = None;
    for case in cases.clone() {
        let at = run(&["hook", "claude"], &[], payload(world, case, "first").as_bytes())?;
        first.get_or_insert(at);
    }
    // What the hook cannot read goes to its log.
    for case in cases.step_by(16) {
        let text = payload(world, case, "broken");
        run(&["hook", "claude"], &[], &text.as_bytes()[..text.len() - 2])?;
    }
    Ok(first.unwrap_or(0))
}

fn payload(world: &World, case: &Case, session: &str) -> String {
    json!({
        "session_id": format!("hook-{session}"), "transcript_path": "/nowhere", "cwd": world.project(),
        "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": { "command": case.failing() },
        "tool_use_id": "t1", "error": format!("Exit code 2\n{}", case.error()), "is_interrupt": false
    })
    .to_string()
}

fn objects(said: &Said) -> impl Iterator<Item = serde_json::Value> {
    said.out.split(|b| *b == b'\n').filter_map(|l| serde_json::from_slice(l).ok())
}

/// Searches all that was left and said.
fn search(
    world: &World,
    writer: &Writer,
    cases: &[Case],
    before: &BTreeSet<PathBuf>,
    said: &[Said],
    result: &mut Given,
) -> Result<()> {
    let mut scanner = Scanner::default();
    for (i, case) in cases.iter().enumerate() {
        for (p, secret) in case.secrets.iter().enumerate() {
            scanner.add(secret, (i * PLACES.len() + p) as u32);
        }
    }
    let mut found: BTreeMap<(u32, String), String> = BTreeMap::new();
    let mut look = |file: &str, bytes: &[u8]| {
        scanner.search(bytes, &mut |number, context| {
            found.entry((number, file.to_owned())).or_insert_with(|| context.to_owned());
        });
    };
    let made: Vec<PathBuf> = files(&world.home()).into_iter().filter(|f| !before.contains(f)).collect();
    result.skills = made.iter().filter(|f| f.ends_with("SKILL.md")).count();
    for path in files(&world.data()).iter().chain(&made) {
        let name = path.strip_prefix(world.path("")).unwrap_or(path).to_string_lossy().into_owned();
        // A name is written down, too.
        look(&format!("name of {name}"), name.as_bytes());
        look(&name, &std::fs::read(path)?);
    }
    for one in said {
        look(&format!("stdout of `{}`", short(&one.by)), &one.out);
        look(&format!("stderr of `{}`", short(&one.by)), &one.err);
    }
    for ((number, file), context) in found {
        let (case, place) = (number as usize / PLACES.len(), number as usize % PLACES.len());
        let at = &cases[case];
        result.leaks.push(Leak {
            kind: at.kind.name,
            known_by: at.kind.known_by,
            format: at.format.name,
            source: writer.name,
            place: PLACES[place].as_str(),
            file,
            context,
            case: at.number,
        });
    }
    Ok(())
}

fn short(by: &str) -> &str {
    by.split(" --accept").next().unwrap_or(by)
}

fn figures(results: &[Given], cases: usize, verbose: bool) -> Vec<Figure> {
    let leaks: Vec<&Leak> = results.iter().flat_map(|r| &r.leaks).collect();
    let (by_name, by_shape): (Vec<&Leak>, Vec<&Leak>) = leaks.iter().partition(|l| l.known_by == KnownBy::Name);
    let shaped = leaking(&by_shape);
    let named = leaking(&by_name);
    tell(&by_shape, verbose);
    tell(&by_name, verbose);
    let planted: usize = results.iter().map(|r| r.cases).sum();
    let names = KINDS.iter().filter(|k| k.known_by == KnownBy::Name).count();
    let telling = FORMATS.iter().filter(|f| f.tells).count();
    let lessons: usize = results.iter().map(|r| r.lessons).sum();
    let broken: Vec<&String> = results.iter().flat_map(|r| &r.broken).collect();
    let skills: usize = results.iter().map(|r| r.skills).sum();
    let hints: usize = results.iter().map(|r| r.hints).sum();
    vec![
        Figure::new(
            format!("kinds × notations that fit them, each through {} sources", WRITERS.len()),
            format!("{} × {} = {cases} cases; {planted} planted", KINDS.len(), FORMATS.len()),
        )
        .bar("≥ 1,500 cases", cases >= 1_500),
        Figure::new("lessons made of them, skills written, hints told", format!("{lessons}, {skills}, {hints}"))
            .bar("≥ 1 lesson a case", lessons >= planted && skills > 0 && hints > 0),
        Figure::none(format!("cases of the {} kinds with a shape that leak", KINDS.len() - names), shaped)
            .why(first_of(&by_shape)),
        Figure::none(format!("passwords and such in {telling} notations that name them: cases that leak"), named)
            .why(first_of(&by_name)),
        Figure::none("commands that failed", broken.len()).why(broken.first().map_or("", |b| b.as_str())),
    ]
}

/// Cases, each counted once per source.
fn leaking(leaks: &[&Leak]) -> usize {
    leaks.iter().map(|l| (l.source, l.case)).collect::<BTreeSet<_>>().len()
}

fn first_of(leaks: &[&Leak]) -> String {
    leaks
        .first()
        .map(|l| format!("{}, {}, {}, {}, {}", l.kind, l.format, l.source, l.place, l.file))
        .unwrap_or_default()
}

/// One line per leaking kind and notation: where it was planted, one example, the files it got into.
fn tell(leaks: &[&Leak], verbose: bool) {
    let mut groups: BTreeMap<(&str, &str), Vec<&Leak>> = BTreeMap::new();
    for leak in leaks {
        groups.entry((leak.format, leak.kind)).or_default().push(leak);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, list)| std::cmp::Reverse(list.len()));
    for (n, ((format, kind), list)) in groups.iter().enumerate() {
        if n == TOLD && !verbose {
            return say(&format!("leak: … and {} more kinds and notations (--verbose)", groups.len() - n));
        }
        let all = |word: fn(&Leak) -> &str| {
            list.iter().map(|l| word(l)).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
        };
        let (sources, places, files) = (all(|l| l.source), all(|l| l.place), all(|l| &l.file));
        say(&format!("leak: {kind} | {format} | {sources} | {places} | {} | {files}", list[0].context));
    }
}
