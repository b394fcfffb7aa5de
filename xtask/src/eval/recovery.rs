//! Failures and what fixed them.

use std::collections::{BTreeMap, HashMap};

use uptake_core::detect;
use uptake_core::session::Session;

use super::corpus::{Corpus, Label};
use super::report::Table;
use super::score::{ratio, share};

/// What was reported on labelled failures.
#[derive(Clone, Copy, Default)]
struct Pairs {
    reported: u32,
    right: u32,
    lessons: u32,
    wanted: u32,
    found: u32,
}

impl Pairs {
    fn add(&mut self, fixed: Option<&str>, label: &Label) {
        let right = fixed.is_some() && fixed == label.fixed_by.as_deref();
        if fixed.is_some() {
            self.reported += 1;
            self.right += u32::from(right);
            self.lessons += u32::from(label.lesson == Some(true));
        }
        if matches!(label.fix_type.as_deref(), Some("command" | "setup")) {
            self.wanted += 1;
            self.found += u32::from(right);
        }
    }

    fn cells(&self) -> Vec<String> {
        vec![
            share(self.right, self.reported),
            share(self.found, self.wanted),
            share(self.lessons, self.reported),
            format!("{}/{}/{}", self.right, self.reported, self.wanted),
        ]
    }

    fn meets_bars(&self) -> bool {
        ratio(self.right, self.reported) >= 0.85
            && ratio(self.found, self.wanted) >= 0.65
            && ratio(self.lessons, self.reported) >= 0.80
    }
}

/// Recovery pairs, beside the next successful shell call.
pub fn table(corpus: &Corpus) -> Table {
    let mut found: HashMap<String, String> = HashMap::new();
    let mut next: HashMap<&str, &str> = HashMap::new();
    for session in corpus.repositories.iter().filter(|r| r.client == "claude").flat_map(|r| &r.sessions) {
        for o in detect::detect(session).into_iter().filter(|o| o.head.detector == "error-recovery") {
            if let (Some(failed), Some(fixed)) = (o.seen.failed(), o.seen.fixed()) {
                found.entry(failed.to_owned()).or_insert_with(|| fixed.to_owned());
            }
        }
        next_success(session, &mut next);
    }
    let mut ours: BTreeMap<String, Pairs> = BTreeMap::new();
    let (mut all, mut baseline) = (Pairs::default(), Pairs::default());
    for label in &corpus.failures {
        let fixed = found.get(&label.call_id).map(String::as_str);
        ours.entry(label.repository().to_owned()).or_default().add(fixed, label);
        all.add(fixed, label);
        baseline.add(next.get(label.call_id.as_str()).copied(), label);
    }
    let mut table = Table::new(
        "Recovery pairs",
        "On failures a reader judged: a pair is right if it names the call the reader named; recall is over failures fixed \
         by another command or a set-up; worth it is the share of reported pairs the reader called a lesson. \
         Bars: precision ≥ .85, recall ≥ .65, worth it ≥ .80.",
        &["repository", "precision", "recall", "worth it", "right/reported/wanted"],
    );
    for (repository, pairs) in &ours {
        table.row(repository, pairs.cells());
    }
    let met = if all.meets_bars() { "" } else { " (**missed**)" };
    table.row(&format!("**all**{met}"), all.cells());
    table.row("*baseline: the next successful shell call*", baseline.cells());
    table
}

fn next_success<'s>(session: &'s Session, next: &mut HashMap<&'s str, &'s str>) {
    let mut open: Vec<&str> = Vec::new();
    for (at, call, _) in session.shells() {
        let id = session.events[at].id.as_str();
        if call.outcome.is_failure() {
            open.push(id);
        } else if call.outcome == uptake_core::session::Outcome::Ok {
            open.drain(..).for_each(|failed| {
                next.entry(failed).or_insert(id);
            });
        }
    }
}
