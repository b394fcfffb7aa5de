//! Observations → lessons: identity across sessions, counts over root sessions and days, rank, the payload a yes binds.
//!
//! Comes in: all observations of one project. Goes out: its lessons, best first. The same observations give the same
//! lessons in whatever order they come. Deliberately absent: a person's verdicts; those are the store's and the binary's.

pub mod capability;
#[cfg(test)]
mod documented;
pub mod evidence;
pub mod former;
pub mod plain;
mod procedures;
pub mod staging;
pub mod supersede;
pub mod trust;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use self::evidence::{Bars, Weight};
use crate::detect::{Kind, Observation, Sure, Trigger};
use crate::session::Origin;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// Raised when the same observations add up to something else: then all are added up anew.
pub const VERSION: u32 = 1;

/// The detector whose observations are runs of steps: they are looked at together.
pub const RUNS: &str = "multi-step";

/// What observations add up to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// Hash of kind, key and project.
    pub id: String,
    /// What it is about.
    pub kind: Kind,
    /// The same for the same lesson.
    pub key: String,
    /// The project it holds for.
    pub project: String,
    /// A safe short name.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// What an agent would be told.
    pub statement: String,
    /// The commands shown with it.
    pub commands: Vec<String>,
    /// The error at which to recall it.
    pub trigger: Option<Trigger>,
    /// The detector that saw it first.
    pub detector: String,
    /// The lowest origin of the bytes it shows.
    pub trust: Origin,
    /// Whether its words were all there was of a message of the user.
    #[serde(default)]
    pub alone: bool,
    /// How sure the surest observation is.
    pub sure: Sure,
    /// Number of root sessions it was seen in.
    pub sessions: usize,
    /// Number of root sessions in which exactly these commands succeeded.
    #[serde(default)]
    pub same: usize,
    /// Number of days it was seen on.
    pub days: usize,
    /// First time seen.
    pub first: Option<i64>,
    /// Last time seen.
    pub last: Option<i64>,
    /// Sources it was seen in.
    pub sources: Vec<String>,
    /// What the tool printed, as evidence for a person.
    pub error: Option<String>,
    /// Where it was seen: source, session, events.
    pub evidence: Vec<Evidence>,
    /// How sure the evidence makes it, 0 to 1.
    #[serde(default)]
    pub confidence: f64,
    /// Whether it is specific, can be acted on and carries its reason.
    #[serde(default)]
    pub quality: bool,
    /// Whether it is worth showing.
    pub ready: bool,
    /// Order among lessons: higher first.
    pub rank: f64,
}

/// Where an observation stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The observation.
    pub observation: String,
    /// Which source.
    pub source: String,
    /// Which session.
    pub session: String,
    /// Which events.
    pub events: Vec<String>,
    /// When.
    pub at: Option<i64>,
    /// A few words of it.
    #[serde(default)]
    pub quote: String,
}

impl Lesson {
    /// The bytes a person says yes to: statement, commands, trigger and scope, and what else is shown of it; nothing that
    /// changes with more evidence.
    pub fn payload(&self) -> String {
        #[derive(Serialize)]
        struct Payload<'l> {
            statement: &'l str,
            commands: &'l [String],
            trigger: Option<&'l Trigger>,
            scope: &'l str,
            name: &'l str,
            title: &'l str,
        }
        let payload = Payload {
            statement: &self.statement,
            commands: &self.commands,
            trigger: self.trigger.as_ref(),
            scope: &self.project,
            name: &self.name,
            title: &self.title,
        };
        serde_json::to_string(&payload).unwrap_or_default()
    }

    /// The id with the start of the payload's sum: a yes to it is a yes to these bytes.
    pub fn shown_id(&self) -> String {
        format!("{}-{}", self.id, &self.sha256()[..8])
    }

    /// The sha256 of the payload, in hex.
    pub fn sha256(&self) -> String {
        sha256_hex(self.payload().as_bytes())
    }
}

/// The sha256 of bytes, in hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// Specific enough to be shown: suggested by itself, said by the user, or a fix that says something and came up again.
fn has_quality(best: &Observation, suggested: bool, sessions: usize) -> bool {
    let again = best.kind == Kind::Recovery && sessions >= 2;
    let said = matches!(best.kind, Kind::Decision | Kind::Workflow) || best.detector == "pitfall";
    best.telling && (suggested || again || said)
}

impl Lesson {
    /// What speaks for it, as the evidence is judged.
    pub fn weight(&self, deleted: bool) -> Weight {
        let sessions = u32::try_from(self.sessions).unwrap_or(u32::MAX);
        Weight { sessions, first: self.first, last: self.last, quality: self.quality, deleted }
    }

    /// Takes a deletion into account: only a new approval ends it.
    pub fn penalise(&mut self, bars: &Bars) {
        let judged = evidence::judge(bars.of(self.kind, &self.detector), &self.weight(true), 0);
        (self.confidence, self.ready) = (judged.confidence, judged.ready);
    }

    /// Whether it came up again or is in the user's own words.
    pub fn is_grounded(&self) -> bool {
        self.sessions >= 2 || self.trust == Origin::User
    }
}

/// Adds up observations of one project: all of them, or all that are about one thing.
pub fn fold(project: &str, observations: &[Observation]) -> Vec<Lesson> {
    fold_by(project, observations, &Bars::default())
}

/// The same with other bars than the usual ones.
pub fn fold_by(project: &str, observations: &[Observation], bars: &Bars) -> Vec<Lesson> {
    let mut groups: BTreeMap<(Kind, &str), Vec<&Observation>> = BTreeMap::new();
    for o in observations.iter().filter(|o| o.detector != RUNS) {
        groups.entry((o.kind, &o.key)).or_default().push(o);
    }
    let mut lessons: Vec<Lesson> = groups.into_values().map(|group| lesson(project, &group, bars)).collect();
    lessons.extend(procedures::shared(project, observations, bars));
    rank(&mut lessons);
    lessons
}

/// A lesson a person wrote.
pub fn by_hand(project: &str, text: &str, at: i64) -> Lesson {
    let key = crate::detect::normal_statement(text);
    let words = crate::detect::wording::telling(text, 5);
    let mut lesson = Lesson {
        id: lesson_id(Kind::Instruction, &key, project),
        kind: Kind::Instruction,
        name: crate::normal::slug::slug(&words.join(" ")),
        key,
        project: project.to_owned(),
        title: "Added by hand".to_owned(),
        statement: text.to_owned(),
        commands: Vec::new(),
        trigger: None,
        detector: "by-hand".to_owned(),
        trust: Origin::User,
        alone: true,
        sure: Sure::High,
        sessions: 0,
        same: 0,
        days: 0,
        first: Some(at),
        last: Some(at),
        sources: Vec::new(),
        error: None,
        evidence: Vec::new(),
        confidence: evidence::confidence(1, 1),
        quality: true,
        ready: true,
        rank: 0.0,
    };
    lesson.rank = weight(&lesson).max(0.0);
    lesson
}

/// After one session: what would be suggested, as lessons.
pub fn of_one_session(project: &str, best: &[&Observation]) -> Vec<Lesson> {
    let mut lessons: Vec<Lesson> = best.iter().map(|o| lesson(project, &[*o], &Bars::default())).collect();
    lessons.iter_mut().for_each(|l| l.ready = true);
    lessons
}

fn rank(lessons: &mut [Lesson]) {
    lessons.sort_by(|a, b| b.rank.total_cmp(&a.rank).then_with(|| a.id.cmp(&b.id)));
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

/// One lesson of observations that say the same.
fn lesson(project: &str, group: &[&Observation], bars: &Bars) -> Lesson {
    let mut group = group.to_vec();
    // The shortest commands say it best; of equals the earliest. Another tool's words come last.
    group.sort_by_key(|o| {
        (
            o.trust == Origin::Imported,
            std::cmp::Reverse(o.sure),
            o.commands.iter().map(String::len).sum::<usize>(),
            o.at,
            o.id.clone(),
        )
    });
    let best = group[0];
    let sessions = group.iter().map(|o| (&o.source, &o.root)).collect::<BTreeSet<_>>().len();
    let days = group.iter().filter_map(|o| o.at).map(|at| at.div_euclid(DAY)).collect::<BTreeSet<_>>().len();
    let suggested = group.iter().any(|o| o.suggest);
    let mut lesson = Lesson {
        id: lesson_id(best.kind, &best.key, project),
        kind: best.kind,
        key: best.key.clone(),
        project: project.to_owned(),
        name: best.name.clone(),
        title: best.title.clone(),
        statement: best.text.clone(),
        commands: best.commands.clone(),
        trigger: best.trigger.clone(),
        detector: best.detector.clone().into_owned(),
        trust: best.trust,
        alone: best.alone,
        sure: best.sure,
        sessions,
        same: same(best, &group),
        days,
        first: group.iter().filter_map(|o| o.at).min(),
        last: group.iter().filter_map(|o| o.at).max(),
        sources: group.iter().map(|o| o.source.clone()).collect::<BTreeSet<_>>().into_iter().collect(),
        error: best.error.clone(),
        evidence: places(&group),
        confidence: 0.0,
        quality: has_quality(best, suggested, sessions),
        ready: false,
        rank: 0.0,
    };
    let judged = evidence::judge(bars.of(lesson.kind, &lesson.detector), &lesson.weight(false), 0);
    (lesson.confidence, lesson.ready) = (judged.confidence, judged.ready);
    lesson.rank = weight(&lesson);
    lesson
}

/// In how many root sessions exactly the commands of one observation succeeded. Of a fix the first one failed.
fn same(best: &Observation, group: &[&Observation]) -> usize {
    let worked = |o: &Observation| o.commands.get(usize::from(o.kind == Kind::Recovery)..).map(<[String]>::to_vec);
    let wanted = worked(best);
    let like = group.iter().filter(|o| worked(o) == wanted);
    like.map(|o| (&o.source, &o.root)).collect::<BTreeSet<_>>().len()
}

/// How many places are kept per lesson.
const EVIDENCE: usize = 20;

fn places(group: &[&Observation]) -> Vec<Evidence> {
    let mut all: Vec<&&Observation> = group.iter().collect();
    all.sort_by_key(|o| (std::cmp::Reverse(o.at), o.id.clone()));
    all.iter()
        .take(EVIDENCE)
        .map(|o| Evidence {
            observation: o.id.clone(),
            source: o.source.clone(),
            session: o.session.clone(),
            events: o.events.clone(),
            at: o.at,
            quote: quote(o),
        })
        .collect()
}

/// What the tool said, else what the observation says; short.
fn quote(o: &Observation) -> String {
    const LIMIT: usize = 160; // characters
    let said = o.error.as_deref().unwrap_or(&o.text);
    let one = said.split_whitespace().collect::<Vec<_>>().join(" ");
    if one.chars().count() <= LIMIT { one } else { format!("{}…", one.chars().take(LIMIT - 1).collect::<String>()) }
}

/// The user's own words first, then what came up again, then what is sure.
fn weight(lesson: &Lesson) -> f64 {
    let kind = match lesson.kind {
        Kind::Instruction => 6.0,
        Kind::Correction => 5.0,
        Kind::Recovery => 4.0,
        Kind::Decision | Kind::Pitfall | Kind::Workflow => 3.0,
        Kind::Procedure => 2.0,
        Kind::Insight => 1.0,
    };
    let again = if lesson.sessions >= 2 { 2.0 } else { 0.0 };
    let sure = if lesson.sure == Sure::High { 1.0 } else { 0.0 };
    kind + again + sure + (lesson.sessions.max(1) as f64).ln() + (lesson.days.max(1) as f64).ln() * 0.5
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
        assert_eq!((l.sessions, l.ready), (2, true));
        assert_eq!(l.statement, "Instead of `tool report --format json` run `tool report --output json`");
    }

    #[test]
    fn order_of_observations_does_not_matter_and_forks_count_once() {
        let mut all: Vec<Observation> = [seen("a", FLAG), seen("a", FLAG), seen("b", FLAG)].concat();
        let there = fold("p", &all);
        all.reverse();
        assert_eq!(there, fold("p", &all));
        assert_eq!(there[0].sessions, 2);
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
        assert!(fold("p", &seen("a", release)).iter().all(|l| !l.ready));
        let both = fold("p", &[seen("a", release), seen("b", release)].concat());
        let ready: Vec<&Lesson> = both.iter().filter(|l| l.ready).collect();
        assert_eq!(ready.len(), 1, "{ready:#?}");
        assert_eq!(ready[0].commands.len(), 5);
    }
}
