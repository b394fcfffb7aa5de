//! Precision and recall on a folder of labelled real sessions, beside baselines, per repository and overall.
//!
//! Expects `claude/<repository>/*.jsonl`, `codex/<repository>/*.jsonl` and `labels/{failures,masked,turns}.jsonl`.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use uptake::{pipeline, transcripts};
use uptake_core::detect::{self, Signal, signals_of};
use uptake_core::normal::shell;
use uptake_core::outcome;
use uptake_core::session::{Outcome, Session};

#[derive(Deserialize)]
struct Label {
    file: String,
    #[serde(default)]
    call_id: String,
    #[serde(default)]
    uuid: String,
    #[serde(default)]
    is_failure: Option<bool>,
    #[serde(default)]
    really_failed: Option<bool>,
    #[serde(default)]
    fixed_by: Option<String>,
    #[serde(default)]
    fix_type: Option<String>,
    #[serde(default)]
    lesson: Option<bool>,
    #[serde(default)]
    correction: Option<bool>,
    #[serde(default)]
    explicit_save: Option<bool>,
    sure: u8,
}

/// True and false positives and negatives.
#[derive(Clone, Copy, Default)]
struct Score {
    tp: u32,
    fp: u32,
    fn_: u32,
    tn: u32,
}

impl Score {
    fn add(&mut self, said: bool, truth: bool) {
        match (said, truth) {
            (true, true) => self.tp += 1,
            (true, false) => self.fp += 1,
            (false, true) => self.fn_ += 1,
            (false, false) => self.tn += 1,
        }
    }

    fn line(&self) -> String {
        let ratio = |a: u32, b: u32| if b == 0 { f64::NAN } else { f64::from(a) / f64::from(b) };
        let (p, r) = (ratio(self.tp, self.tp + self.fp), ratio(self.tp, self.tp + self.fn_));
        let f1 = ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn_);
        let (low, high) = wilson(self.tp, self.tp + self.fp);
        format!(
            "P {p:.3} [{low:.2}–{high:.2}]  R {r:.3}  F1 {f1:.3}  (tp {} fp {} fn {} tn {})",
            self.tp, self.fp, self.fn_, self.tn
        )
    }
}

/// 95 % interval of a share.
fn wilson(k: u32, n: u32) -> (f64, f64) {
    if n == 0 {
        return (0.0, 1.0);
    }
    let (k, n, z) = (f64::from(k), f64::from(n), 1.96);
    let p = k / n;
    let centre = p + z * z / (2.0 * n);
    let spread = z * ((p * (1.0 - p) + z * z / (4.0 * n)) / n).sqrt();
    let scale = 1.0 + z * z / n;
    ((centre - spread) / scale, (centre + spread) / scale)
}

fn labels(corpus: &Path, name: &str) -> Result<Vec<Label>> {
    let path = corpus.join("labels").join(name);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read labels `{}`", path.display()))?;
    let mut seen = std::collections::HashSet::new();
    text.lines()
        .map(|l| serde_json::from_str::<Label>(l).with_context(|| format!("odd label in `{}`", path.display())))
        .filter(|l| l.as_ref().map_or(true, |l| l.sure >= 2 && seen.insert(format!("{}{}", l.call_id, l.uuid))))
        .collect()
}

fn sessions(folder: &Path) -> Result<Vec<Session>> {
    let found = transcripts::find(&[folder.to_owned()]);
    let mut out = Vec::new();
    pipeline::for_each(&found, &uptake::known::Known::from_env(), |item| -> Result<()> {
        out.push(item.read.session);
        Ok(())
    })?;
    Ok(out)
}

/// Runs every measurement.
pub fn run(corpus: &Path, verbose: bool) -> Result<()> {
    let claude = sessions(&corpus.join("claude"))?;
    outcomes(corpus, &claude)?;
    masked_share(&claude, "claude");
    if corpus.join("codex").is_dir() {
        let codex = sessions(&corpus.join("codex"))?;
        masked_share(&codex, "codex");
        marker_agreement(&codex, verbose);
    }
    recoveries(corpus, &claude)?;
    turns(corpus, &claude)
}

fn repository(file: &str) -> String {
    file.split('/').next().unwrap_or(file).to_owned()
}

fn outcomes(corpus: &Path, sessions: &[Session]) -> Result<()> {
    let calls: HashMap<&str, &uptake_core::session::Call> =
        sessions.iter().flat_map(|s| &s.events).filter_map(|e| Some((e.id.as_str(), e.call()?))).collect();
    let mut ours: BTreeMap<String, Score> = BTreeMap::new();
    let (mut flag, mut seed) = (Score::default(), Score::default());
    for (list, flagged) in [("failures.jsonl", true), ("masked.jsonl", false)] {
        for label in labels(corpus, list)? {
            let Some(call) = calls.get(label.call_id.as_str()) else { continue };
            let truth = label.is_failure.or(label.really_failed).unwrap_or(false);
            for key in [repository(&label.file), "all".to_owned()] {
                ours.entry(key).or_default().add(call.outcome.is_failure(), truth);
            }
            flag.add(flagged, truth);
            seed.add(call.output.to_text().contains("error:"), truth);
        }
    }
    println!("## Outcome: failed or masked, versus not");
    for (repository, score) in &ours {
        println!("{repository:40} {}", score.line());
    }
    println!("{:40} {}", "baseline: the client's flag", flag.line());
    println!("{:40} {}\n", "baseline: `error:` in the output", seed.line());
    Ok(())
}

fn masked_share(sessions: &[Session], name: &str) {
    let calls: HashMap<&str, &uptake_core::session::Call> =
        sessions.iter().flat_map(|s| &s.events).filter_map(|e| Some((e.id.as_str(), e.call()?))).collect();
    let unflagged: Vec<_> = calls.values().filter(|c| !matches!(c.outcome, Outcome::Failed(_))).collect();
    let shell = unflagged.iter().filter(|c| c.command().is_some()).count();
    let masked = unflagged.iter().filter(|c| c.outcome == Outcome::Masked).count();
    println!(
        "{name}: {masked} masked of {} unflagged calls ({:.2} %), {shell} of them shell ({:.2} %)",
        unflagged.len(),
        100.0 * masked as f64 / unflagged.len() as f64,
        100.0 * masked as f64 / shell as f64
    );
}

/// What the output alone says, versus the exit code the client wrote down.
fn marker_agreement(sessions: &[Session], verbose: bool) {
    let mut score = Score::default();
    for call in sessions.iter().flat_map(|s| &s.events).filter_map(|e| e.call()) {
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
        let said = outcome::from_output(command, &call.output).is_failure();
        if said != truth && verbose {
            println!(
                "{} {} {:?}",
                if said { "FP" } else { "FN" },
                command.chars().take(120).collect::<String>().replace('\n', "⏎"),
                call.output.tail().chars().rev().take(150).collect::<String>().chars().rev().collect::<String>()
            );
        }
        score.add(said, truth);
    }
    let all = score.tp + score.fp + score.fn_ + score.tn;
    println!(
        "codex: markers alone agree with the exit code in {:.4} of {all} calls; {}\n",
        f64::from(score.tp + score.tn) / f64::from(all),
        score.line()
    );
}

fn recoveries(corpus: &Path, sessions: &[Session]) -> Result<()> {
    let mut found: HashMap<String, (String, bool)> = HashMap::new();
    for o in sessions.iter().flat_map(detect::detect).filter(|o| o.detector == "error-recovery") {
        if let (Some(failed), Some(fixed)) = (o.failed, o.fixed) {
            found.entry(failed).or_insert((fixed, o.suggest));
        }
    }
    let (mut pairs, mut right, mut worth, mut wanted, mut got) = (0, 0, 0, 0, 0);
    for label in labels(corpus, "failures.jsonl")? {
        let said = found.get(&label.call_id);
        let correct = said.is_some_and(|(fixed, _)| Some(fixed) == label.fixed_by.as_ref());
        if said.is_some() {
            pairs += 1;
            right += u32::from(correct);
            worth += u32::from(label.lesson == Some(true));
        }
        if matches!(label.fix_type.as_deref(), Some("command" | "setup")) {
            wanted += 1;
            got += u32::from(correct);
        }
    }
    println!("## Recovery pairs (labelled failures)");
    let share = |a: u32, b: u32| if b == 0 { f64::NAN } else { f64::from(a) / f64::from(b) };
    println!(
        "reported {pairs}, right {right} (P {:.2}); of {wanted} command or set-up fixes {got} (R {:.2}); labelled a lesson {worth} ({:.2})\n",
        share(right, pairs),
        share(got, wanted),
        share(worth, pairs)
    );
    Ok(())
}

fn turns(corpus: &Path, sessions: &[Session]) -> Result<()> {
    let mut signals: HashMap<&str, Vec<Signal>> = HashMap::new();
    for session in sessions {
        for (at, event) in session.events.iter().enumerate() {
            signals.entry(&event.id).or_insert_with(|| signals_of(session, at));
        }
    }
    let (mut correction, mut save, mut missing) = (Score::default(), Score::default(), 0);
    for label in labels(corpus, "turns.jsonl")? {
        let Some(said) = signals.get(label.uuid.as_str()) else {
            missing += 1;
            continue;
        };
        correction.add(said.contains(&Signal::Correction), label.correction == Some(true));
        save.add(said.contains(&Signal::Save), label.explicit_save == Some(true));
    }
    println!("## Signals of user messages ({missing} labelled messages not found)");
    println!("correction {}\nsave       {}", correction.line(), save.line());
    Ok(())
}
