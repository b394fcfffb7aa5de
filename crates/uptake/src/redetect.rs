//! Sessions that were read with older detectors: newer ones look at what is kept of them.
//!
//! Comes in: compact events in `sessions.db`. Goes out: observations in the place of those the older detectors made. The
//! transcript is not read, and may be gone; what was seen in a session of which nothing is kept stays as it is. In a
//! session that lost texts when a lesson was forgotten nothing new is seen: half of it may look like something else.
//! Deliberately absent: hooks and readers do not do this, only `learn`.
//!
//! Observations are written before the session is marked: a kill in between costs a second look, never an observation.

use std::collections::HashSet;

use anyhow::Result;
use rayon::prelude::*;
use uptake_core::detect::{self, Observation, TALLIES};
use uptake_core::session::{Body, Event, Session};
use uptake_store::{Outdated, SeenIn};

use crate::folding::Tombstones;
use crate::ingest::leaves_alone;
use crate::project::Cache;
use crate::settings::Settings;
use crate::stores::Stores;
use crate::ui::Ui;
use crate::world::World;

/// Events that are held in memory at a time; one session may have more.
const EVENTS: usize = 10_000;

/// Looks again at what is kept of sessions that were read with older detectors. Answers how many that were.
pub fn detect_again(
    stores: &mut Stores,
    cache: &mut Cache,
    tombstones: &Tombstones,
    world: &World,
    settings: &Settings,
) -> Result<usize> {
    let detectors = detect::version();
    let outdated = wanted(stores, &detectors, world, settings)?;
    if outdated.is_empty() {
        return Ok(0);
    }
    // An older release did not ask for it; of others the folder was gone.
    let tops = outdated.iter().filter_map(|o| Some((o, cache.top_of(o.cwd.as_deref()?)?)));
    stores.sessions.give_tops(&tops.collect::<Vec<_>>())?;
    let bar = Ui::count_bar(outdated.len() as u64, "looking again");
    for batch in batches(&outdated) {
        one_batch(stores, batch, tombstones, &detectors)?;
        bar.inc(batch.len() as u64);
    }
    bar.finish_and_clear();
    Ok(outdated.len())
}

/// Leaves out what was cleared away, which would come back, and what is excluded.
fn wanted(stores: &Stores, detectors: &str, world: &World, settings: &Settings) -> Result<Vec<Outdated>> {
    let mut outdated = stores.sessions.outdated(detectors)?;
    if !outdated.is_empty() {
        let cleared = stores.lessons.cleared_paths()?;
        let aliases = stores.lessons.aliases()?;
        outdated.retain_mut(|o| {
            if let Some(project) = aliases.get(&o.project) {
                o.project.clone_from(project);
            }
            let alone = leaves_alone(&o.project, o.cwd.as_deref(), settings, &world.home, &stores.lessons);
            !alone && !cleared.contains(&o.path)
        });
    }
    Ok(outdated)
}

fn batches(outdated: &[Outdated]) -> impl Iterator<Item = &[Outdated]> {
    let mut rest = outdated;
    std::iter::from_fn(move || {
        let mut events = 0;
        let fits = |o: &&Outdated| {
            events += o.events;
            events <= EVENTS
        };
        let length = rest.iter().take_while(fits).count().max(1).min(rest.len());
        let (batch, later) = rest.split_at(length);
        rest = later;
        (!batch.is_empty()).then_some(batch)
    })
}

/// A session, what is seen in it today, and its events of forgotten lessons.
struct Again<'o> {
    outdated: &'o Outdated,
    session: Session,
    /// What older detectors saw in it, if it lost texts.
    before: Option<Vec<Observation>>,
    observations: Vec<Observation>,
    forgotten: HashSet<String>,
}

fn one_batch(stores: &mut Stores, batch: &[Outdated], tombstones: &Tombstones, detectors: &str) -> Result<()> {
    let mut all = Vec::with_capacity(batch.len());
    for outdated in batch {
        if let Some(session) = stores.sessions.session_of(&outdated.path)? {
            let before = if session.events.iter().any(is_blank) { Some(seen_before(stores, outdated)?) } else { None };
            all.push(Again { outdated, session, before, observations: Vec::new(), forgotten: HashSet::new() });
        }
    }
    all.par_iter_mut().for_each(|a| {
        let today = detect::detect(&a.session);
        a.observations = match a.before.take() {
            Some(before) => seen_again(before, &today, tombstones),
            None => today,
        };
        a.forgotten = tombstones.leave_out(&mut a.observations);
    });
    let seen: Vec<SeenIn<'_>> = all
        .iter()
        .map(|a| SeenIn {
            source: a.session.source.as_str(),
            session: &a.session.id,
            path: &a.outdated.path,
            project: &a.outdated.project,
            observations: &a.observations,
        })
        .collect();
    stores.lessons.keep_observations(&seen)?;
    let done: Vec<(&Outdated, Vec<String>)> =
        all.into_iter().map(|a| (a.outdated, a.forgotten.into_iter().collect())).collect();
    Ok(stores.sessions.detected_again(&done, detectors)?)
}

fn seen_before(stores: &Stores, outdated: &Outdated) -> Result<Vec<Observation>> {
    Ok(stores.lessons.kept_of(&outdated.path)?.into_iter().map(|(_, o)| o).collect())
}

/// What was seen before, as it is told today where it is seen again. Counts stay as they are: what was lost counted, too.
fn seen_again(before: Vec<Observation>, today: &[Observation], tombstones: &Tombstones) -> Vec<Observation> {
    let told = || today.iter().filter(|o| o.head.detector != TALLIES);
    let again = |old: &Observation| told().find(|o| o.head.id == old.head.id && tombstones.same_lesson(o, old));
    before.into_iter().map(|old| again(&old).cloned().unwrap_or(old)).collect()
}

/// Whether an event lost its texts.
fn is_blank(event: &Event) -> bool {
    match &event.body {
        Body::Call(call) => call.input.is_empty() && call.output.is_empty(),
        Body::Assistant { text } => text.is_empty(),
        Body::User { spans, .. } => spans.iter().all(|s| s.text.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use uptake_core::detect::Kind;
    use uptake_core::detect::former::KeyFunction;
    use uptake_core::learn::Lesson;
    use uptake_core::learn::status::Verdict;
    use uptake_core::learn::trust::Mode;
    use uptake_core::session::{Agent, Author, Call, Excerpt, Origin, Outcome, SourceName, Span, ToolKind};
    use uptake_store::{Cursor, Kept, TombstoneKey, Wanted, Which};

    use super::*;
    use crate::folding::fold_changed;

    const PROJECT: &str = "git.example.com/dev/shop";
    /// How many lessons were rejected, forgotten, approved, and left alone.
    const REJECTED: usize = 50;
    const FORGOTTEN: usize = 50;
    const APPROVED: usize = 10;
    const OPEN: usize = 10;

    /// The key function of the older detectors.
    fn older(o: &Observation) -> Option<String> {
        Some(o.claim.key.to_uppercase())
    }

    /// A session in which a tool of this number fails, and works after a change.
    fn session(id: &str, tool: usize) -> Session {
        let call = |n: usize, command: &str, outcome, output: &str| Event {
            id: format!("{id}-{n}"),
            at: Some(n as i64),
            offset: n as u64,
            len: 1,
            tokens: None,
            body: Body::Call(Call {
                outcome,
                output: Excerpt::new(output),
                ..Call::new("Bash", ToolKind::Shell, &format!("tool{tool} report {command}"))
            }),
        };
        let error = "error: unexpected argument '--format' found";
        let events =
            vec![call(0, "--format json", Outcome::Failed(Some(2)), error), call(1, "--output json", Outcome::Ok, "")];
        let (id, source, agent) = (id.to_owned(), SourceName::Claude, Agent::Main);
        Session { root: id.clone(), id, source, agent, events, ..Session::default() }
    }

    struct Home {
        folder: tempfile::TempDir,
        stores: Stores,
    }

    impl Home {
        fn new() -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let stores = Stores::open(folder.path()).expect("open");
            Self { folder, stores }
        }

        fn world(&self) -> World {
            let at = |name: &str| self.folder.path().join(name);
            World { home: at("home"), data: self.folder.path().to_owned(), config: at("config.toml"), now: 2 }
        }

        fn tombstones(&self, former: &'static [KeyFunction]) -> Tombstones {
            Tombstones::by(&self.stores.lessons, self.folder.path(), former).expect("read")
        }

        fn keep(&mut self, session: &Session, observations: &[Observation], detectors: &str) {
            let path = format!("/sessions/{}.jsonl", session.id);
            let (source, id) = (&session.source, &session.id);
            let seen = SeenIn { source: source.as_str(), session: id, path: &path, project: PROJECT, observations };
            self.stores.lessons.keep_observations(&[seen]).expect("kept");
            let cursor = Cursor { size: 1, modified: 1, resume_at: 1, print: String::new() };
            let kept = Kept { path: &path, cursor, project: PROJECT, session, first_changed: 0, detectors };
            self.stores.sessions.keep(&[kept]).expect("kept");
        }

        /// Reads two sessions per tool with the older detectors.
        fn read_with_older(&mut self, tools: usize) {
            for tool in 0..tools {
                for root in ["a", "b"] {
                    let session = session(&format!("{root}{tool}"), tool);
                    let mut observations = detect::detect(&session);
                    observations.iter_mut().for_each(|o| o.claim.key = older(o).expect("a key"));
                    self.keep(&session, &observations, "older");
                }
            }
            let tombstones = self.tombstones(&[]);
            self.fold(&tombstones);
        }

        fn fold(&mut self, tombstones: &Tombstones) {
            let (world, settings) = (self.world(), Settings::default());
            fold_changed(&mut self.stores.lessons, tombstones, &world, &settings).expect("added up");
        }

        /// As `learn` does, with these older key functions known.
        fn learn(&mut self, former: &'static [KeyFunction]) -> usize {
            let tombstones = self.tombstones(former);
            let (world, settings) = (self.world(), Settings::default());
            let again = detect_again(&mut self.stores, &mut Cache::default(), &tombstones, &world, &settings)
                .expect("looked again");
            self.fold(&tombstones);
            again
        }

        /// A new session per tool, read with today's detectors.
        fn read_new(&mut self, tools: usize, former: &'static [KeyFunction]) {
            let tombstones = self.tombstones(former);
            for tool in 0..tools {
                let session = session(&format!("c{tool}"), tool);
                let mut observations = detect::detect(&session);
                tombstones.leave_out(&mut observations);
                self.keep(&session, &observations, &detect::version());
            }
            self.fold(&tombstones);
        }

        fn fixes(&self, which: Which) -> Vec<Lesson> {
            let wanted = Wanted { which, kind: Some(Kind::Recovery), now: 2, ..Wanted::default() };
            self.stores.lessons.list(&wanted).expect("read").into_iter().map(|s| s.lesson).collect()
        }
    }

    fn statements(lessons: &[Lesson]) -> BTreeSet<String> {
        lessons.iter().map(|l| l.payload.statement.clone()).collect()
    }

    /// Which lessons that were decided are offered again after the key function changed, and new sessions came.
    fn back(former: &'static [KeyFunction]) -> (Home, usize) {
        let mut home = Home::new();
        let tools = REJECTED + FORGOTTEN + APPROVED + OPEN;
        home.read_with_older(tools);
        let all = home.fixes(Which::Waiting);
        assert_eq!(all.len(), tools);
        let (rejected, rest) = all.split_at(REJECTED);
        let (forgotten, rest) = rest.split_at(FORGOTTEN);
        let (approved, open) = rest.split_at(APPROVED);
        home.stores.lessons.decide_all(rejected, Verdict::Rejected, 1).expect("rejected");
        home.stores.lessons.decide_all(approved, Verdict::Approved, 1).expect("approved");
        let key = TombstoneKey::of(home.folder.path()).expect("a key");
        for lesson in forgotten {
            home.stores.lessons.forget(lesson, &key, 1).expect("forgotten");
        }
        assert_eq!(home.learn(former), 2 * tools);
        assert_eq!(home.learn(former), 0, "once is enough");
        home.read_new(tools, former);
        let offered = home.fixes(Which::Waiting);
        let came_back = offered.len() - open.len();
        assert!(statements(&offered).is_superset(&statements(open)), "what nobody decided is still offered");
        let leave = home.stores.lessons.may_leave(Mode::Review).expect("read");
        assert_eq!(statements(&leave), statements(approved), "what was approved still is, in its words");
        (home, came_back)
    }

    #[test]
    fn nothing_that_was_rejected_forgotten_or_approved_comes_back_when_a_key_function_changes() {
        let (home, came_back) = back(&[older]);
        assert_eq!(came_back, 0);
        assert_eq!(home.fixes(Which::Any).len(), REJECTED + APPROVED + OPEN, "nothing is there twice");
        let seen = |which| home.fixes(which).iter().map(|l| l.evidence.sessions).collect::<BTreeSet<usize>>();
        assert_eq!(seen(Which::Any), BTreeSet::from([3]), "all evidence counts, old and new");
        // What a forgotten lesson came from is not kept either.
        let held = |id: &str| home.stores.sessions.session_of(&format!("/sessions/{id}.jsonl")).expect("read");
        let blank = (0..REJECTED + FORGOTTEN + APPROVED + OPEN).filter_map(|n| held(&format!("a{n}")));
        let blank = blank.filter(|s| s.events.iter().all(|e| e.call().is_some_and(|c| c.input.is_empty()))).count();
        assert_eq!(blank, FORGOTTEN);
    }

    #[test]
    fn without_the_older_function_all_of_them_would_come_back() {
        assert_eq!(back(&[]).1, REJECTED + FORGOTTEN + APPROVED);
    }

    #[test]
    fn what_was_cleared_away_is_not_seen_again_before_it_is_brought_back() {
        let mut home = Home::new();
        home.read_with_older(2);
        let (change, _) = home.stores.lessons.clear(None, 1).expect("cleared");
        assert_eq!(home.learn(&[older]), 0);
        assert!(home.fixes(Which::Any).is_empty());
        home.stores.lessons.undo(Some(change), 2).expect("undone").expect("something");
        assert_eq!((home.learn(&[older]), home.fixes(Which::Any).len()), (4, 2));
    }

    #[test]
    fn a_look_that_is_cut_short_loses_nothing_and_goes_on() {
        let mut home = Home::new();
        home.read_with_older(3);
        let tombstones = home.tombstones(&[older]);
        let outdated = home.stores.sessions.outdated(&detect::version()).expect("read");
        // Killed after the first batch, and in the second one between the two databases.
        one_batch(&mut home.stores, &outdated[..2], &tombstones, &detect::version()).expect("looked");
        let cut = session("a1", 1);
        let seen = detect::detect(&cut);
        home.keep(&cut, &seen, "older");
        assert_eq!(home.learn(&[older]), 4);
        let found = home.fixes(Which::Any);
        assert_eq!((found.len(), found.iter().all(|l| l.evidence.sessions == 2)), (3, true));
    }

    #[test]
    fn sessions_are_taken_in_batches_of_bounded_size_and_none_is_left_out() {
        let mut home = Home::new();
        home.read_with_older(4);
        let mut all = home.stores.sessions.outdated("today").expect("read");
        for (o, events) in all.iter_mut().zip([1, EVENTS - 1, 1, EVENTS + 5, EVENTS, 0, 1, 1]) {
            o.events = events;
        }
        let sizes: Vec<usize> = batches(&all).map(<[Outdated]>::len).collect();
        assert_eq!(sizes, [2, 1, 1, 2, 2]);
        assert_eq!(batches(&[]).count(), 0);
    }

    /// A session in which a wish is to be kept with the commands before it, and another tool is mended.
    fn wish_and_fix() -> Session {
        let mut session = session("wish", 0);
        let said = |id: &str, text: &str| Event {
            id: id.to_owned(),
            at: Some(9),
            offset: 9,
            len: 1,
            tokens: None,
            body: Body::User {
                author: Author::Human,
                spans: vec![Span { origin: Origin::User, text: Excerpt::new(text) }],
            },
        };
        session.events.insert(0, said("first", "set it up"));
        session.events.push(said("last", "Save this as tool-setup."));
        session
    }

    #[test]
    fn in_a_session_that_lost_texts_nothing_new_is_seen_and_nothing_is_taken_away() {
        let session = wish_and_fix();
        let seen = |home: &Home| -> BTreeSet<String> {
            let kept = home.stores.lessons.kept_of("/sessions/wish.jsonl").expect("read");
            kept.into_iter().map(|(_, o)| o.claim.key).collect()
        };
        let all = detect::detect(&session);
        let wish = all.iter().position(|o| o.claim.kind == Kind::Instruction).expect("a wish");
        // The wish is forgotten: its commands go, the words that asked for it are still there.
        let mut blank = session.clone();
        blank.events.iter_mut().filter(|e| e.call().is_some()).for_each(Event::blank);
        assert!(
            detect::detect(&blank).iter().any(|o| o.claim.key != all[wish].claim.key),
            "half of it looks like another"
        );
        for key in [|o: &Observation| o.claim.key.clone(), |o: &Observation| older(o).expect("a key")] {
            let mut left = all.clone();
            left.remove(wish);
            left.iter_mut().for_each(|o| o.claim.key = key(o));
            let mut home = Home::new();
            home.keep(&blank, &left, "older");
            let before = seen(&home);
            assert!(!before.is_empty());
            assert_eq!(home.learn(&[older]), 1);
            assert_eq!(seen(&home), before);
        }
    }

    #[test]
    fn what_a_session_counted_still_counts_after_it_lost_texts() {
        let session = Session { cwd: Some("/home/dev/shop".to_owned()), ..wish_and_fix() };
        let counted = |all: &[Observation]| {
            all.iter().flat_map(|o| o.seen.worked()).map(|t| (t.ok, t.failed)).collect::<Vec<_>>()
        };
        let all = detect::detect(&session);
        let mut blank = session.clone();
        blank.events.iter_mut().filter(|e| e.call().is_some()).take(1).for_each(Event::blank);
        assert_ne!(counted(&detect::detect(&blank)), counted(&all), "half of it counts less");
        let mut home = Home::new();
        home.keep(&blank, &all, "older");
        assert_eq!(home.learn(&[]), 1);
        let kept = home.stores.lessons.kept_of("/sessions/wish.jsonl").expect("read");
        assert_eq!(counted(&kept.into_iter().map(|(_, o)| o).collect::<Vec<_>>()), counted(&all));
    }

    #[test]
    fn what_is_seen_again_in_a_session_that_lost_texts_is_told_in_todays_terms() {
        let mut session = wish_and_fix();
        session.events[0].blank();
        let today = detect::detect(&session);
        let mut old = today.clone();
        old.iter_mut().for_each(|o| o.claim.key = older(o).expect("a key"));
        let mut home = Home::new();
        home.keep(&session, &old, "older");
        assert_eq!(home.learn(&[older]), 1);
        let kept = home.stores.lessons.kept_of("/sessions/wish.jsonl").expect("read");
        let keys = |all: &[Observation]| all.iter().map(|o| o.claim.key.clone()).collect::<BTreeSet<_>>();
        assert_eq!(keys(&kept.into_iter().map(|(_, o)| o).collect::<Vec<_>>()), keys(&today));
    }
}
