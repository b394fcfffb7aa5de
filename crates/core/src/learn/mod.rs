//! Observations → lessons: identity across sessions, counts over root sessions and days, rank, the payload a yes binds.
//!
//! Comes in: all observations of one project. Goes out: its lessons, best first. The same observations give the same
//! lessons in whatever order they come. Deliberately absent: a person's verdicts; those are the store's and the binary's.

pub mod capability;
#[cfg(test)]
mod documented;
pub mod evidence;
pub mod facts;
pub mod former;
mod lesson;
mod loosening;
mod plain;
mod procedures;
pub mod staging;
pub mod status;
pub mod supersede;
pub mod trust;

use std::collections::{BTreeMap, BTreeSet};

use self::evidence::{Bars, DAY};
use crate::detect::quote::short;
use crate::detect::{Basis, Kind, Leap, Observation, REPEATED, REQUESTS, Seen, Sure, TALLIES, WRITTEN_WHOLE};
use crate::normal::notes::is_said;
use crate::session::Origin;

pub use lesson::{Evidence, Holds, Lesson, Payload, Provenance, Sighting, Spent, Worth, sha256_hex};

/// Raised when the same observations add up to something else: then all are added up anew.
pub const VERSION: u32 = 6;

/// The detector whose observations are runs of steps: they are looked at together.
pub const RUNS: &str = "multi-step";

/// Specific enough to be shown: suggested by itself, said by the user, or a fix that says something and came up again.
fn has_quality(best: &Observation, suggested: bool, sessions: usize) -> bool {
    let soft = matches!(best.claim.kind, Kind::Recovery | Kind::Correction) || best.head.detector == "rule";
    let again = soft && sessions >= 2;
    let said = matches!(best.claim.kind, Kind::Decision | Kind::Workflow) || best.head.detector == "pitfall";
    // Where a script lies is told by facts, which can be checked; this is evidence only.
    let evidence_only = best.head.detector == "context-confusion";
    best.claim.telling && (suggested || again || said) && !evidence_only
}

/// Whether what a reader takes from one task, one correction, or from being asked again and again, stands in one session only.
fn is_guessed(best: &Observation, basis: Option<Basis>, sessions: usize) -> bool {
    let task = best.seen.proposed().is_some_and(|p| p.leaps.contains(&Leap::OneTask));
    (task || basis.is_some_and(Basis::needs_another)) && sessions < 2
}

/// What a reader's statement rests on: the firmest that any session gave.
fn basis(group: &[&Observation]) -> Option<Basis> {
    group.iter().filter_map(|o| o.seen.proposed()?.rests_on()).min()
}

/// Adds up observations of one project: all of them, or all that are about one thing.
pub fn fold(project: &str, observations: &[Observation]) -> Vec<Lesson> {
    fold_by(project, observations, &Bars::default())
}

/// The same with other bars than the usual ones.
pub fn fold_by(project: &str, observations: &[Observation], bars: &Bars) -> Vec<Lesson> {
    fold_knowing(project, observations, bars, &|_| Vec::new())
}

/// The same, knowing what worked in the project.
pub fn fold_knowing(
    project: &str,
    observations: &[Observation],
    bars: &Bars,
    worked: &facts::Worked<'_>,
) -> Vec<Lesson> {
    let mut groups: BTreeMap<(Kind, &str), Vec<&Observation>> = BTreeMap::new();
    let (whole, others): (Vec<&Observation>, Vec<&Observation>) =
        observations.iter().partition(|o| o.claim.key == WRITTEN_WHOLE);
    for o in others.into_iter().filter(|o| o.head.detector != RUNS && o.head.detector != TALLIES) {
        groups.entry((o.claim.kind, &o.claim.key)).or_default().push(o);
    }
    let one = |(kind, _), group: Vec<&Observation>| match kind {
        Kind::Fact => facts::fold(project, &group, bars, worked),
        _ => told(project, &group, &whole, bars),
    };
    let mut lessons: Vec<Lesson> = groups.into_iter().filter_map(|(of, group)| one(of, group)).collect();
    lessons.extend(procedures::shared(project, observations, bars));
    rank(&mut lessons);
    lessons
}

/// A lesson a person wrote.
pub fn by_hand(project: &str, text: &str, at: i64) -> Lesson {
    let key = crate::detect::normal_statement(text);
    let mut lesson = Lesson {
        id: lesson_id(Kind::Instruction, &key, project),
        kind: Kind::Instruction,
        key,
        payload: Payload {
            statement: text.to_owned(),
            commands: Vec::new(),
            trigger: None,
            scope: project.to_owned(),
            name: crate::detect::wording::name(text),
            title: "Added by hand".to_owned(),
        },
        origin: Provenance { alone: true, ..Provenance::of("by-hand", Origin::User) },
        evidence: Evidence {
            sure: Sure::High,
            first: Some(at),
            last: Some(at),
            quality: true,
            worth: Worth { confidence: evidence::confidence(1, 1), ready: true, rank: 0.0 },
            ..Evidence::default()
        },
    };
    lesson.evidence.worth.rank = weight(&lesson).max(0.0);
    lesson
}

/// After one session: what would be suggested, as lessons.
pub fn of_one_session(project: &str, best: &[&Observation]) -> Vec<Lesson> {
    let mut lessons: Vec<Lesson> = best.iter().map(|o| lesson(project, &[*o], &Bars::default())).collect();
    lessons.iter_mut().for_each(|l| l.evidence.worth.ready = true);
    lessons
}

fn rank(lessons: &mut [Lesson]) {
    lessons.sort_by(|a, b| b.evidence.worth.rank.total_cmp(&a.evidence.worth.rank).then_with(|| a.id.cmp(&b.id)));
}

/// The id of a lesson: the same for the same kind, key and project.
pub fn lesson_id(kind: Kind, key: &str, project: &str) -> String {
    let mut hash = blake3::Hasher::new();
    for part in [kind.as_str(), key, project] {
        hash.update(part.as_bytes());
        hash.update(&[0]);
    }
    hash.finalize().to_hex()[..10].to_owned()
}

/// One lesson of observations that say the same, if anybody still does: what was taken out of a file again says nothing.
fn told(project: &str, group: &[&Observation], whole: &[&Observation], bars: &Bars) -> Option<Lesson> {
    let (gone, said): (Vec<&Observation>, Vec<&Observation>) = group.iter().copied().partition(|o| o.seen.is_gone());
    if said.is_empty() {
        return None;
    }
    let mut lesson = lesson(project, &said, bars);
    if says_nothing(&lesson) {
        return None;
    }
    let last = gone.iter().map(|o| o.head.at).max();
    let taken_out = last.is_some_and(|last| said.iter().all(|o| o.head.at <= last));
    if taken_out || said.iter().all(|o| is_left_out(o, whole)) {
        (lesson.evidence.quality, lesson.evidence.worth.ready) = (false, false);
        lesson.evidence.tally = Some(WITHDRAWN.to_owned());
    }
    Some(lesson)
}

/// Whether all files that words were written into were written whole later, the last time without these words.
fn is_left_out(said: &Observation, whole: &[&Observation]) -> bool {
    let Seen::Noted { files, .. } = &said.seen else { return false };
    let last = |name: &String| {
        let of_file = |o: &&Observation| match &o.seen {
            Seen::Whole { file, says } if file == name => Some((o.head.at, says.clone())),
            _ => None,
        };
        whole.iter().filter_map(of_file).max_by_key(|(at, _)| *at)
    };
    let left_out = |(at, says): (Option<i64>, Vec<String>)| at > said.head.at && !is_said(&said.claim.text, &says);
    files.iter().all(|file| last(file).is_some_and(left_out))
}

/// What is said of a lesson whose words were taken out of the file again.
pub const WITHDRAWN: &str = "withdrawn: the file says it no longer";

/// One lesson of observations that say the same.
fn lesson(project: &str, group: &[&Observation], bars: &Bars) -> Lesson {
    let mut group = group.to_vec();
    // The shortest commands say it best; of equals the earliest. Another tool's words come last. Of what a reader found to be
    // the same, the words that gave the lesson its key were chosen.
    group.sort_by_key(|o| {
        (
            o.claim.trust == Origin::Imported,
            crate::detect::former::own_words(o).is_some_and(|key| key != o.claim.key),
            std::cmp::Reverse(o.claim.sure),
            o.claim.commands.iter().map(String::len).sum::<usize>(),
            o.head.at,
            o.head.id.clone(),
        )
    });
    let best = group[0];
    let mut lesson = Lesson {
        id: lesson_id(best.claim.kind, &best.claim.key, project),
        kind: best.claim.kind,
        key: best.claim.key.clone(),
        payload: Payload {
            statement: best.claim.text.clone(),
            commands: best.claim.commands.clone(),
            trigger: best.seen.trigger().cloned(),
            scope: project.to_owned(),
            name: best.claim.name.clone(),
            title: best.claim.title.clone(),
        },
        origin: Provenance {
            alone: best.seen.alone(),
            leaps: best.seen.proposed().map(|p| p.leaps.clone()).unwrap_or_default(),
            basis: basis(&group),
            ..Provenance::of(&best.head.detector, best.claim.trust)
        },
        evidence: counted(best, &group),
    };
    if best.head.detector == REQUESTS {
        asked_again(&mut lesson, &group);
    }
    let judged = evidence::judge(bars.for_lesson(&lesson), &lesson.weight(false), 0);
    lesson.evidence.worth = Worth { confidence: judged.confidence, ready: judged.ready, rank: weight(&lesson) };
    lesson
}

/// A request is worth knowing with what followed it each time: in the first two sessions that asked, so that more of them
/// do not change what a person said yes to.
fn asked_again(lesson: &mut Lesson, group: &[&Observation]) {
    let mut by_time = group.to_vec();
    by_time.sort_by_key(|o| (o.head.at, o.head.id.clone()));
    let first = by_time[0];
    let other = by_time.iter().find(|o| o.head.root != first.head.root);
    let common = |c: &&String| other.is_some_and(|o| o.claim.commands.contains(c));
    let commands: Vec<String> = first.claim.commands.iter().filter(common).cloned().collect();
    let run: Vec<String> = commands.iter().map(|c| format!("`{c}`")).collect();
    lesson.payload.statement = format!("Asked to “{}”: run {}", first.claim.text, run.join(", then "));
    (lesson.payload.title, lesson.payload.name) = (first.claim.title.clone(), first.claim.name.clone());
    lesson.evidence.quality &= !commands.is_empty();
    lesson.payload.commands = commands;
}

/// Whether there is nothing to tell yet: a request without a command that followed it twice, a command of one session that
/// could be anybody's, or one so long that it was written for the day. The observations stay: more of them may say something.
fn says_nothing(lesson: &Lesson) -> bool {
    match lesson.origin.detector.as_str() {
        REQUESTS => lesson.payload.commands.is_empty(),
        REPEATED => {
            let days_own = |c: &String| c.len() > LONGEST || c.contains("<<") || c.contains('\n');
            !lesson.evidence.quality && (lesson.evidence.sessions < 2 || lesson.payload.commands.iter().any(days_own))
        }
        _ => false,
    }
}

/// The longest command that may be a habit, in bytes.
const LONGEST: usize = 120;

/// What all observations of a lesson together say for it.
fn counted(best: &Observation, group: &[&Observation]) -> Evidence {
    let times = || group.iter().filter_map(|o| o.head.at);
    let sessions = root_sessions(group);
    let suggested = group.iter().any(|o| o.claim.suggest);
    Evidence {
        sure: best.claim.sure,
        sessions,
        same: same(best, group, sessions),
        days: different(times().map(|at| at.div_euclid(DAY)).collect()),
        first: times().min(),
        last: times().max(),
        sources: group.iter().map(|o| &o.head.source).collect::<BTreeSet<_>>().into_iter().cloned().collect(),
        error: best.seen.error().map(str::to_owned),
        sightings: sightings(group),
        spent: cost(group),
        tally: None,
        quality: has_quality(best, suggested, sessions) && !is_guessed(best, basis(group), sessions),
        worth: Worth::default(),
    }
}

/// What the failures cost that a reader's quotes tell of. One that several sessions quote was met in each of them.
fn cost(group: &[&Observation]) -> Spent {
    let costs = group.iter().filter_map(|o| o.seen.proposed()).map(|p| p.cost).filter(|cost| *cost > 0);
    let (times, tokens) = costs.fold((0, 0_u64), |(n, sum), cost| (n + 1, sum.saturating_add(cost)));
    Spent { times, calls: 0, tokens }
}

fn root_sessions(group: &[&Observation]) -> usize {
    different(group.iter().map(|o| (&o.head.source, &o.head.root)).collect())
}

/// How many different ones there are.
fn different<T: Ord>(mut all: Vec<T>) -> usize {
    all.sort_unstable();
    all.dedup();
    all.len()
}

/// In how many root sessions exactly the commands of one observation succeeded. Of a fix the first one failed. All together
/// were seen in so many `sessions`.
fn same(best: &Observation, group: &[&Observation], sessions: usize) -> usize {
    fn worked(o: &Observation) -> Option<&[String]> {
        o.claim.commands.get(usize::from(o.claim.kind == Kind::Recovery)..)
    }
    let wanted = worked(best);
    // Of a reader's statement only those count in which the user typed these very words.
    let typed = |o: &Observation| {
        o.seen.proposed().is_none()
            || o.claim.text == best.claim.text && o.claim.trust == Origin::User && o.seen.alone()
    };
    let like: Vec<&Observation> = group.iter().copied().filter(|o| worked(o) == wanted && typed(o)).collect();
    if like.len() == group.len() { sessions } else { root_sessions(&like) }
}

/// How many places are kept per lesson.
const SIGHTINGS: usize = 20;

fn sightings(group: &[&Observation]) -> Vec<Sighting> {
    let mut all: Vec<&&Observation> = group.iter().collect();
    all.sort_by(|a, b| b.head.at.cmp(&a.head.at).then_with(|| a.head.id.cmp(&b.head.id)));
    all.iter()
        .take(SIGHTINGS)
        .map(|o| Sighting {
            observation: o.head.id.clone(),
            source: o.head.source.clone(),
            session: o.head.session.clone(),
            events: o.head.events.clone(),
            at: o.head.at,
            quote: quote(o),
        })
        .collect()
}

/// The session's own words. What was kept by an older release, or came from another tool, has none beside what it says.
fn quote(o: &Observation) -> String {
    if o.head.quote.is_empty() { short(o.seen.error().unwrap_or(&o.claim.text)) } else { o.head.quote.clone() }
}

/// What a statement loses that goes beyond its quotes: as much as coming up again is worth.
const LEAP: f64 = 2.0;

/// The user's own words first, then what came up again, then what is sure, then what would have been saved.
fn weight(lesson: &Lesson) -> f64 {
    let sessions = lesson.evidence.sessions;
    let kind = lesson.origin.basis.map_or_else(|| of_kind(lesson), |basis| of_basis(basis, lesson.kind, sessions));
    let sure = if lesson.evidence.sure == Sure::High { 1.0 } else { 0.0 };
    // That it was said of one task is in its basis.
    let leap = if lesson.origin.leaps.iter().any(|leap| *leap != Leap::OneTask) { LEAP } else { 0.0 };
    kind + came_again(sessions) + sure - leap
        + (lesson.evidence.days.max(1) as f64).ln() * 0.5
        + facts::saving(lesson.evidence.spent.tokens)
}

/// What it adds to a rank to have come up in so many sessions.
pub fn came_again(sessions: usize) -> f64 {
    let again = if sessions >= 2 { 2.0 } else { 0.0 };
    again + (sessions.max(1) as f64).ln()
}

/// What a reader's statement weighs: what the person says for all work before all that rules find, what they ask for again
/// beside it, what agents found behind.
fn of_basis(basis: Basis, kind: Kind, sessions: usize) -> f64 {
    let basis = match basis {
        Basis::Stated => 8.0,
        Basis::Corrected => 7.0,
        // What is said of one task in two sessions is asked for again.
        Basis::Repeated => 6.0,
        Basis::Task if sessions >= 2 => 6.0,
        Basis::Written => 5.0,
        Basis::Found | Basis::Task => 4.0,
    };
    // How to work comes before what is so, and before what was decided on the thing that is built.
    if matches!(kind, Kind::Insight | Kind::Decision) { basis - WHAT_IS_SO } else { basis }
}

/// What a statement on how things are loses against one on how to work.
const WHAT_IS_SO: f64 = 3.0;

fn of_kind(lesson: &Lesson) -> f64 {
    match lesson.kind {
        // What an agent wrote down waits behind what people said.
        Kind::Instruction if lesson.is_note() => 3.0,
        // Of rules that words alone tell, people keep two in five.
        Kind::Instruction if lesson.origin.detector == "rule" => 4.0,
        Kind::Instruction => 6.0,
        Kind::Correction => 5.0,
        Kind::Recovery => 4.0,
        Kind::Decision | Kind::Pitfall | Kind::Workflow => 3.0,
        Kind::Procedure => 2.0,
        Kind::Insight => 1.0,
        Kind::Fact => 3.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::detect;
    use crate::detect::tests::session;

    fn seen(root: &str, script: &str) -> Vec<Observation> {
        let mut s = session(script);
        (s.id, s.root) = (root.into(), root.into());
        for (n, e) in s.events.iter_mut().enumerate() {
            e.id = format!("{root}-{n}");
        }
        detect(&s)
    }

    const FLAG: &str =
        "! tool report --format json => error: unexpected argument '--format' found\n$ tool report --output json";

    #[test]
    fn the_same_mistake_in_two_sessions_is_one_lesson() {
        let all: Vec<Observation> = [seen("a", FLAG), seen("b", FLAG)].concat();
        let lessons = fold("p", &all);
        let l = lessons.iter().find(|l| l.kind == Kind::Recovery).expect("a lesson");
        assert_eq!((l.evidence.sessions, l.evidence.worth.ready), (2, true));
        assert_eq!(l.payload.statement, "Instead of `tool report --format json` run `tool report --output json`");
    }

    #[test]
    fn order_of_observations_does_not_matter_and_forks_count_once() {
        let mut all: Vec<Observation> = [seen("a", FLAG), seen("a", FLAG), seen("b", FLAG)].concat();
        let there = fold("p", &all);
        all.reverse();
        assert_eq!(there, fold("p", &all));
        assert_eq!(there[0].evidence.sessions, 2);
    }

    #[test]
    fn more_evidence_does_not_change_the_payload_and_another_fix_is_another_lesson() {
        let one = fold("p", &seen("a", FLAG));
        let two = fold("p", &[seen("a", FLAG), seen("b", FLAG)].concat());
        assert_eq!(one[0].sha256(), two[0].sha256());
        let other =
            "! tool report --format json => error: unexpected argument '--format' found\n$ tool report --as json";
        let mixed = fold("p", &[seen("a", FLAG), seen("b", other)].concat());
        assert_eq!(mixed.iter().filter(|l| l.kind == Kind::Recovery).count(), 2);
    }

    #[test]
    fn a_procedure_needs_two_sessions() {
        let release = "$ make deps\n$ make lint\n$ make test\n$ make dist V=1\n$ git tag v1";
        assert!(fold("p", &seen("a", release)).iter().all(|l| !l.evidence.worth.ready));
        let both = fold("p", &[seen("a", release), seen("b", release)].concat());
        let ready: Vec<&Lesson> = both.iter().filter(|l| l.evidence.worth.ready).collect();
        assert_eq!(ready.len(), 1, "{ready:#?}");
        assert_eq!(ready[0].payload.commands.len(), 5);
    }

    #[test]
    fn a_command_of_one_session_or_of_one_day_is_no_lesson_yet() {
        let often = |command: &str| format!("{}$ ls\n$ ls\n$ ls\n$ ls", format!("$ {command}\n").repeat(2));
        let told = |stories: &[Vec<Observation>]| {
            let lessons = fold("p", &stories.concat());
            lessons.into_iter().filter(|l| l.origin.detector == REPEATED).count()
        };
        let (build, long) = (often("make build"), often(&format!("make note TEXT={}", "x".repeat(200))));
        assert_eq!(told(&[seen("a", &build)]), 0);
        assert_eq!(told(&[seen("a", &build), seen("b", &build)]), 1);
        assert_eq!(told(&[seen("a", &long), seen("b", &long)]), 0);
    }

    #[test]
    fn how_to_work_comes_before_what_is_so_and_a_task_of_two_sessions_is_asked_again() {
        let (stated, corrected, found) = (Basis::Stated, Basis::Corrected, Basis::Found);
        assert!(of_basis(corrected, Kind::Instruction, 1) > of_basis(stated, Kind::Insight, 1));
        assert!(of_basis(corrected, Kind::Instruction, 1) > of_basis(stated, Kind::Decision, 1));
        assert!(of_basis(Basis::Task, Kind::Instruction, 1) > of_basis(found, Kind::Insight, 1));
        assert_eq!(of_basis(Basis::Task, Kind::Instruction, 2), of_basis(Basis::Repeated, Kind::Instruction, 2));
    }
}
