//! Transcripts → scripts and observations of all sessions; the sessions themselves are dropped.

use std::collections::HashSet;

use anyhow::Result;
use rayon::prelude::*;
use uptake_core::detect::{self, Observation};
use uptake_core::measure::script::{Script, script};
use uptake_core::roots::Roots;
use uptake_core::session::Session;

use crate::known_secrets::KnownSecrets;
use crate::pipeline::Report;
use crate::project::{self, Cache};
use crate::transcripts::{self, Found, ReadOutcome, Transcript, Unreadable};
use crate::ui::Ui;

/// A session that is over.
pub struct Past {
    /// What happened.
    pub script: Script,
    /// Its project.
    pub project: String,
    /// Whose it is: lessons of one person are not told to another.
    pub person: String,
    /// Its transcript.
    pub path: String,
    /// Its source.
    pub source: String,
    /// What detectors saw.
    pub observations: Vec<Observation>,
}

/// Whose sessions they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Persons {
    /// All of one person: this user's own history.
    One,
    /// Of the owners of the home folders that the transcripts name.
    ByHome,
}

/// Reads all transcripts, in the order they were found.
pub fn read(found: &Found, persons: Persons) -> Result<(Vec<Past>, Report)> {
    let known = KnownSecrets::from_env();
    let mut report = Report::of(found);
    let (mut roots, mut cache) = (Roots::default(), Cache::default());
    let mut all = Vec::new();
    let list: Vec<&Transcript> = found.transcripts.iter().collect();
    let bar = Ui::bytes_bar_beside_output(list.iter().map(|t| t.size).sum(), "reading");
    for batch in transcripts::batches(&list) {
        let read: Vec<std::io::Result<ReadOutcome>> = batch
            .par_iter()
            .map(|t| {
                let result = t.read(None, &known).map(|outcome| settled(outcome, &known));
                bar.inc(t.size);
                result
            })
            .collect();
        let mut sessions = Vec::new();
        for (transcript, result) in batch.iter().zip(read) {
            match result {
                Ok(ReadOutcome::Read(read, _)) => {
                    report.read += 1;
                    report.bytes += transcript.size.max(read.resume_at);
                    report.problems.add(&read.problems);
                    let mut session = read.session;
                    roots.settle(&mut session);
                    let project = project::of_session(&session, transcript.folder_project(), &mut cache).key;
                    cache.give_top(&mut session);
                    sessions.push((transcript.path().to_string_lossy().into_owned(), project, session));
                }
                Ok(ReadOutcome::Unknown) => report.unknown(transcript.path()),
                Err(e) => report.unreadable.push(Unreadable { path: transcript.path(), why: e.to_string() }),
            }
        }
        let one = |(path, project, session): (String, String, Session)| past(path, project, &session, persons);
        all.extend(sessions.into_par_iter().filter_map(one).collect::<Vec<_>>());
    }
    bar.finish_and_clear();
    forget_repeated(&mut all);
    Ok((all, report))
}

fn settled(outcome: ReadOutcome, known: &KnownSecrets) -> ReadOutcome {
    match outcome {
        ReadOutcome::Read(mut read, print) => {
            let redactor = known.redactor(read.session.cwd.as_deref());
            read.session.settle_from(0, |text| redactor.clean_up(text));
            ReadOutcome::Read(read, print)
        }
        other => other,
    }
}

fn past(path: String, project: String, session: &Session, persons: Persons) -> Option<Past> {
    let script = script(session)?;
    let person = match persons {
        Persons::One => String::new(),
        Persons::ByHome => session.cwd.as_deref().and_then(owner).unwrap_or_else(|| project.clone()),
    };
    // A folder given by hand is a project like any other here.
    let project = project.strip_prefix("folder:").map_or(project.clone(), |name| format!("path:{name}"));
    let observations = detect::detect(session);
    Some(Past { script, project, person, path, source: session.source.to_string(), observations })
}

/// The owner of the home folder that a path lies in.
fn owner(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split(['/', '\\']).filter(|p| !p.is_empty()).collect();
    let at = parts.iter().position(|p| matches!(*p, "Users" | "home"))?;
    parts.get(at + 1).map(|name| (*name).to_owned())
}

/// Forks and resumes repeat what happened before: each failure is met once, in the session that began first.
fn forget_repeated(all: &mut [Past]) {
    use uptake_core::measure::script::What;
    all.sort_by(|a, b| (a.script.from, &a.path).cmp(&(b.script.from, &b.path)));
    let mut met = HashSet::new();
    for past in all {
        past.script.scenes.retain(|scene| match &scene.what {
            What::Failed(failed) => met.insert(failed.id.clone()),
            _ => true,
        });
    }
}
