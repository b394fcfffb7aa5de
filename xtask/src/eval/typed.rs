//! Who typed a message: a person, or nobody.

use std::collections::{BTreeMap, HashMap};

use super::corpus::Corpus;
use super::report::Table;
use super::score::{Score, ratio, share};

/// The share that has to be right, in each repository.
const BAR: f64 = 0.99;

/// The table of typed messages.
pub fn table(corpus: &Corpus) -> Table {
    let mut table = Table::new(
        "Who typed it",
        "Messages of role \"user\": did a person type them? A third is notifications, skill texts, summaries and what one \
         agent tells another. Bar: right in ≥ .99, in each repository.",
        &["repository", "right", "typed, and said so", "of those said to be typed, typed", "judged"],
    );
    let mut places: HashMap<(&str, &str), (&str, bool)> = HashMap::new();
    for repository in &corpus.repositories {
        for event in repository.sessions.iter().flat_map(|s| &s.events) {
            let key = (repository.name.as_str(), event.id.as_str());
            places.entry(key).or_insert((repository.client, event.is_typed()));
        }
    }
    let (mut by, mut all, mut missing) = (BTreeMap::<String, Score>::new(), Score::default(), 0);
    let mut held = Score::default();
    for label in &corpus.typed {
        let Some((client, said)) = places.get(&(label.repo.as_str(), label.id.as_str())) else {
            missing += 1;
            continue;
        };
        by.entry(format!("{} ({client})", label.repo)).or_default().add(*said, label.typed);
        all.add(*said, label.typed);
        if corpus.is_held_back(&label.repo) {
            held.add(*said, label.typed);
        }
    }
    for (repository, score) in &by {
        table.row(repository, cells(score));
    }
    let missed = by.values().any(|s| right(s) < BAR);
    table.row(if missed { "**all** (**missed**)" } else { "**all**" }, cells(&all));
    if corpus.typed.iter().any(|label| corpus.is_held_back(&label.repo)) {
        table.row("*of these, held back until the rules were done*", cells(&held));
    }
    if missing > 0 {
        table.notes.push(format!("{missing} judged messages are not in the sessions"));
    }
    table
}

fn right(score: &Score) -> f64 {
    ratio(score.tp + score.tn, score.tp + score.tn + score.fp + score.fn_)
}

fn cells(score: &Score) -> Vec<String> {
    let judged = score.tp + score.tn + score.fp + score.fn_;
    vec![
        share(score.tp + score.tn, judged),
        share(score.tp, score.tp + score.fn_),
        share(score.tp, score.tp + score.fp),
        judged.to_string(),
    ]
}
