//! Did a call fail? Ours, beside the client's flag and the rule of thumb.

use std::collections::{BTreeMap, HashMap};

use uptake_core::failure::outcome;
use uptake_core::normal::shell;
use uptake_core::session::{Call, Outcome, Session};

use super::corpus::Corpus;
use super::report::Table;
use super::score::{Score, number};

/// The bar for F1.
const BAR: f64 = 0.95;

/// Failed or masked, versus not.
pub fn table(corpus: &Corpus) -> Table {
    let calls = calls(corpus.repositories.iter().flat_map(|r| &r.raw));
    let mut ours: BTreeMap<String, Score> = BTreeMap::new();
    let (mut all, mut flag, mut word) = (Score::default(), Score::default(), Score::default());
    for (labels, flagged) in [(&corpus.failures, true), (&corpus.masked, false)] {
        for label in labels {
            let Some(call) = calls.get(label.call_id.as_str()) else { continue };
            let truth = label.is_failure.or(label.really_failed).unwrap_or(false);
            let said = call.outcome.is_failure() || call.outcome == Outcome::TimedOut;
            ours.entry(label.repository().to_owned()).or_default().add(said, truth);
            all.add(said, truth);
            flag.add(flagged, truth);
            word.add(call.output.to_text().contains("error:"), truth);
        }
    }
    let mut table = Table::new(
        "Outcome of a call",
        "Failed, masked or timed out, versus not, on calls a reader judged. Bar: F1 ≥ .95.",
        &["repository", "precision", "recall", "F1", "tp/fp/fn/tn"],
    );
    for (repository, score) in &ours {
        table.row(repository, score.cells());
    }
    let met = if all.f1() >= BAR { "" } else { " (**missed**)" };
    table.row(&format!("**all**{met}"), all.cells());
    table.row("*baseline: the client's flag*", flag.cells());
    table.row("*baseline: `error:` in the output*", word.cells());
    for client in ["claude", "codex"] {
        table.notes.extend(masked_share(corpus, client));
    }
    table.notes.extend(marker_agreement(corpus));
    table
}

fn calls<'c>(sessions: impl Iterator<Item = &'c Session>) -> HashMap<&'c str, &'c Call> {
    sessions.flat_map(|s| &s.events).filter_map(|e| Some((e.id.as_str(), e.call()?))).collect()
}

fn masked_share(corpus: &Corpus, client: &'static str) -> Option<String> {
    let calls = calls(corpus.raw_of(client));
    let unflagged: Vec<_> = calls.values().filter(|c| !matches!(c.outcome, Outcome::Failed(_))).collect();
    let shell = unflagged.iter().filter(|c| c.command().is_some()).count();
    let masked = unflagged.iter().filter(|c| c.outcome == Outcome::Masked).count();
    (!unflagged.is_empty()).then(|| {
        format!(
            "{client}: {masked} of {} unflagged calls are masked ({:.2} %; {:.2} % of the {shell} shell calls)",
            unflagged.len(),
            100.0 * masked as f64 / unflagged.len() as f64,
            100.0 * masked as f64 / shell.max(1) as f64
        )
    })
}

/// What the output alone says, versus the exit code the client wrote down.
fn marker_agreement(corpus: &Corpus) -> Option<String> {
    let mut score = Score::default();
    for call in corpus.raw_of("codex").flat_map(|s| &s.events).filter_map(|e| e.call()) {
        // A script of several commands (`exec`) tells no exit code.
        let Some(command) = call.command().filter(|_| call.tool != "exec") else { continue };
        let truth = match call.outcome {
            Outcome::Failed(Some(_)) => true,
            Outcome::Ok => false,
            _ => continue,
        };
        // Where a pipe or a list hides it, the exit code is not the truth.
        if shell::parse(command).commands.iter().any(shell::Simple::hides_failure) {
            continue;
        }
        score.add(outcome::from_output(command, &call.output).is_failure(), truth);
    }
    let all = score.tp + score.fp + score.fn_ + score.tn;
    (all > 0).then(|| {
        let agree = f64::from(score.tp + score.tn) / f64::from(all);
        format!("codex: what the output alone says agrees with the exit code in {} of {all} calls", number(agree))
    })
}
