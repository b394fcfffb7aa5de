//! What messages of users are.

use std::collections::{BTreeMap, HashMap};

use uptake_core::detect::signals::{Message, Signal, Turn};

use super::corpus::{Corpus, Label};
use super::report::Table;
use super::score::{Score, number};

/// A judged message and what we say about it.
struct Judged<'c> {
    label: &'c Label,
    turn: Option<Turn>,
}

/// How many messages of the labels are not in the sessions, and the others.
fn judged(corpus: &Corpus) -> (usize, Vec<Judged<'_>>) {
    let mut places: HashMap<&str, (&uptake_core::session::Session, usize)> = HashMap::new();
    for session in corpus.sessions() {
        for (at, event) in session.events.iter().enumerate() {
            places.entry(&event.id).or_insert((session, at));
        }
    }
    let mut missing = 0;
    let mut out = Vec::new();
    for label in &corpus.turns {
        match places.get(label.uuid.as_str()) {
            Some((session, at)) => out.push(Judged { label, turn: Turn::at(session, *at) }),
            None => missing += 1,
        }
    }
    (missing, out)
}

/// The tables of corrections and of the other signals.
pub fn tables(corpus: &Corpus) -> Vec<Table> {
    let (missing, judged) = judged(corpus);
    vec![corrections(&judged, missing), others(&judged)]
}

fn corrections(judged: &[Judged<'_>], missing: usize) -> Table {
    let mut table = Table::new(
        "Corrections",
        "Messages in which the user puts the agent right. Bars: precision ≥ .80, recall ≥ .50. The rules were written by \
         hand; what is set by measuring is how many points are enough, so each repository is also scored with the number \
         that is best on the others.",
        &["repository", "precision", "recall", "F1", "tp/fp/fn/tn", "left out: points, precision, recall"],
    );
    let mut by: BTreeMap<&str, Vec<&Judged<'_>>> = BTreeMap::new();
    for one in judged {
        by.entry(one.label.repository()).or_default().push(one);
    }
    let score = |list: &mut dyn Iterator<Item = &Judged<'_>>, enough: u32| {
        let mut score = Score::default();
        for one in list {
            let said = one.turn.as_ref().is_some_and(|t| t.correcting >= enough);
            score.add(said, one.label.correction == Some(true));
        }
        score
    };
    let mut left_out = Score::default();
    for (repository, list) in &by {
        let others = |enough| score(&mut judged.iter().filter(|j| j.label.repository() != *repository), enough).f1();
        let best = (3..=8).rev().max_by(|a, b| others(*a).total_cmp(&others(*b))).unwrap_or(Turn::CORRECTING);
        let out = score(&mut list.iter().copied(), best);
        left_out = left_out.plus(out);
        let mut cells = score(&mut list.iter().copied(), Turn::CORRECTING).cells();
        cells.push(format!("{best}: {}, {}", number(out.precision()), number(out.recall())));
        table.row(repository, cells);
    }
    let all = score(&mut judged.iter(), Turn::CORRECTING);
    let met = if all.precision() >= 0.80 && all.recall() >= 0.50 { "" } else { " (**missed**)" };
    let mut cells = all.cells();
    cells.push(format!("{}, {}", number(left_out.precision()), number(left_out.recall())));
    table.row(&format!("**all**{met}"), cells);
    let mut words = Score::default();
    let mut parts = Score::default();
    for one in judged {
        let truth = one.label.correction == Some(true);
        let message = one.turn.as_ref().map(|t| &t.message);
        words.add(message.is_some_and(|m| KEYWORDS.iter().any(|k| says(m, k))), truth);
        parts.add(message.is_some_and(|m| KEYWORDS.iter().any(|k| m.text.to_lowercase().contains(k))), truth);
    }
    table.row("*baseline: seven keywords as words*", words.cells());
    table.row("*baseline: the same as substrings*", parts.cells());
    if missing > 0 {
        table.notes.push(format!("{missing} judged messages are not in the sessions"));
    }
    table
}

/// The words by which an earlier tool knew corrections.
const KEYWORDS: &[&str] = &["no", "instead", "try", "actually", "wrong", "not what", "different"];

fn says(message: &Message, phrase: &str) -> bool {
    let wanted: Vec<&str> = phrase.split(' ').collect();
    message.words.windows(wanted.len()).any(|w| w.iter().zip(&wanted).all(|(a, b)| a == b))
}

fn others(judged: &[Judged<'_>]) -> Table {
    let mut table = Table::new(
        "Rules, requests to keep, decisions, pitfalls, workflows",
        "Bar: pooled precision ≥ .70 with at least 12 true positives.",
        &["signal", "precision", "recall", "F1", "tp/fp/fn/tn"],
    );
    let truth = |label: &Label, signal: Signal| match signal {
        Signal::Correction => label.correction,
        Signal::Rule => label.durable_rule,
        Signal::Save => label.explicit_save,
        Signal::Decision => label.decision,
        Signal::Pitfall => label.pitfall,
        Signal::Workflow => label.workflow,
        Signal::Procedural => None,
    };
    let mut pooled = Score::default();
    let mut by: BTreeMap<&str, Score> = BTreeMap::new();
    for signal in [Signal::Rule, Signal::Save, Signal::Decision, Signal::Pitfall, Signal::Workflow] {
        let mut score = Score::default();
        for one in judged {
            let said = one.turn.as_ref().is_some_and(|t| t.signals().contains(&signal));
            let truth = truth(one.label, signal) == Some(true);
            score.add(said, truth);
            by.entry(one.label.repository()).or_default().add(said, truth);
        }
        table.row(signal.as_str(), score.cells());
        pooled = pooled.plus(score);
    }
    let met = if pooled.precision() >= 0.70 && pooled.tp >= 12 { "" } else { " (**missed**)" };
    table.row(&format!("**pooled**{met}"), pooled.cells());
    for (repository, score) in by {
        table.row(&format!("pooled, {repository}"), score.cells());
    }
    table
}
