//! `[goals."PROJECT"]` of the user's `config.toml`: what is to get better in a project. Its commands are the user's own: nothing
//! in a repository can name one.

use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use toml_edit::{DocumentMut, Item, Table, Value};
use uptake_core::measure::goal::Goal;

use super::{Settings, put, text_of};

const SECTION: &str = "goals";
/// Failing calls in a session, if no number is given.
const FAILURES: f64 = 3.0;
/// New tokens of a session, if no number is given.
const TOKENS: f64 = 50_000.0;

/// What sort of goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// Fewer failing calls.
    Failures,
    /// Fewer new tokens.
    Tokens,
    /// A command that passes.
    Green,
    /// A command that prints a number, which is to rise.
    Number,
}

/// A goal as it stands in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GoalSetting {
    /// What sort.
    pub kind: Sort,
    /// At most, or at least, so much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<f64>,
    /// The command that measures it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

impl GoalSetting {
    /// What it says, if it fits together.
    pub fn goal(&self) -> Result<Goal> {
        let target = self.target;
        ensure!(target.is_none_or(|t| t.is_finite() && t >= 0.0), "the number of a goal must be 0 or more");
        let command = self.command.as_deref().map(str::trim).filter(|c| !c.is_empty()).map(str::to_owned);
        Ok(match (self.kind, command) {
            (Sort::Failures, None) => Goal::Failures(target.unwrap_or(FAILURES)),
            (Sort::Tokens, None) => Goal::Tokens(target.unwrap_or(TOKENS)),
            (Sort::Green, Some(command)) if target.is_none() => Goal::Green(command),
            (Sort::Number, Some(command)) => {
                Goal::Number(command, target.context("the goal `number` needs a number to reach: --target N")?)
            }
            (Sort::Failures | Sort::Tokens, Some(_)) => bail!("the goals `failures` and `tokens` take no command"),
            (Sort::Green, Some(_)) => bail!("the goal `green` takes no number"),
            (Sort::Green | Sort::Number, None) => bail!("the goals `green` and `number` need a command"),
        })
    }
}

impl Settings {
    /// The goal of a project.
    pub fn goal_of(&self, project: &str) -> Option<Goal> {
        self.goals.get(project).and_then(|g| g.goal().ok())
    }
}

/// Sets or ends the goal of a project; everything else in the file stays.
pub fn set(path: &Path, project: &str, goal: Option<&GoalSetting>) -> Result<Settings> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let path = real.as_path();
    Settings::read(path)?;
    let mut document: DocumentMut =
        text_of(path)?.parse().with_context(|| format!("cannot read `{}`", path.display()))?;
    let goals = document.entry(SECTION).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let goals = goals.as_table_mut().context("`goals` is no table")?;
    match goal {
        Some(goal) => {
            goal.goal()?;
            let mut table = Table::new();
            let kind = serde_json::to_value(goal.kind)?;
            put(&mut table, "kind", kind.as_str().unwrap_or_default().into());
            if let Some(target) = goal.target {
                put(&mut table, "target", Value::from(target));
            }
            if let Some(command) = &goal.command {
                put(&mut table, "command", command.as_str().into());
            }
            goals.insert(project, Item::Table(table));
        }
        None => drop(goals.remove(project)),
    }
    if goals.is_empty() {
        document.remove(SECTION);
    }
    let text = document.to_string();
    let after = Settings::parse(&text).context("the goal was not changed")?;
    uptake_store::open::write_private(path, &text)?;
    Ok(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_written_read_and_ended_and_the_rest_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("config.toml");
        std::fs::write(&path, "# mine\nshown = 7\n").expect("written");
        let green = GoalSetting { kind: Sort::Green, target: None, command: Some("make test".into()) };
        let after = set(&path, "git.example.com/dev/ledger", Some(&green)).expect("set");
        assert_eq!(after.goal_of("git.example.com/dev/ledger"), Some(Goal::Green("make test".into())));
        assert_eq!(Settings::read(&path).expect("read"), after);
        set(&path, "git.example.com/dev/ledger", None).expect("ended");
        assert_eq!(std::fs::read_to_string(&path).expect("there"), "# mine\nshown = 7\n");
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        for (kind, target, command) in [
            (Sort::Green, None, None),
            (Sort::Green, Some(1.0), Some("x")),
            (Sort::Number, None, Some("x")),
            (Sort::Failures, None, Some("x")),
            (Sort::Tokens, Some(-1.0), None),
            (Sort::Tokens, Some(f64::NAN), None),
        ] {
            let goal = GoalSetting { kind, target, command: command.map(str::to_owned) };
            assert!(goal.goal().is_err(), "{goal:?}");
        }
    }
}
