//! The user's settings: one file, `config.toml`, with defaults in code. Nothing in a repository can change them.

pub mod goals;
pub mod reader;
pub mod retention;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};
use toml_edit::{DocumentMut, Item, Table, Value};
use uptake_core::learn::evidence::{BARS, Bars};
use uptake_core::learn::trust::Mode;
use uptake_core::project::below;

pub use self::goals::GoalSetting;
pub use self::reader::{READER_KEYS, ReaderSettings, Who};
pub use self::retention::{RETENTION_KEYS, Retention};
use crate::env_vars;
use crate::project::one_spelling;

/// Everything that can be set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Whether agents hear anything and new sessions are read.
    pub enabled: bool,
    /// Whose yes is needed.
    pub mode: Mode,
    /// Projects and folders that are left alone.
    pub exclude: Vec<String>,
    /// How many suggestions `learn` shows.
    pub shown: usize,
    /// How long a lesson that was put away stays away.
    pub snooze_days: u32,
    /// How often a day sessions are learned from in the background.
    pub background_runs: u32,
    /// Of a hundred sessions, in how many a lesson is withheld to see whether it helps.
    pub holdout: u32,
    /// Whether a command that always failed here is denied, once, with its fix.
    pub guard: bool,
    /// Whether agents are told before a call what holds for its file or program.
    pub before_calls: bool,
    /// Subagents that are asked for what they learned when they are done.
    pub learning_agents: Vec<String>,
    /// How much evidence a lesson needs, where that is not the usual.
    pub thresholds: Bars,
    /// Which model may read digests of sessions, and how much.
    pub reader: ReaderSettings,
    /// How much is kept of what can be had again.
    pub retention: Retention,
    /// What is to get better, by project.
    pub goals: BTreeMap<String, GoalSetting>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            mode: Mode::Review,
            exclude: Vec::new(),
            shown: 5,
            snooze_days: 30,
            background_runs: 5,
            holdout: 20,
            guard: false,
            before_calls: false,
            learning_agents: Vec::new(),
            thresholds: Bars::default(),
            reader: ReaderSettings::default(),
            retention: Retention::default(),
            goals: BTreeMap::new(),
        }
    }
}

/// A setting, for people who look for one.
pub struct Setting {
    /// Its name in the file and in commands.
    pub name: &'static str,
    /// What it does.
    pub what: &'static str,
    /// What it may be.
    pub values: &'static str,
    /// Turns what a person typed into what stands in the file; `None` if it does not fit.
    fits: fn(&str) -> Option<Value>,
}

/// The settings, in the order they are shown.
pub const KEYS: &[Setting] = &[
    Setting {
        name: "enabled",
        what: "agents hear lessons, new sessions are read",
        values: "true, false",
        fits: |text| text.parse::<bool>().ok().map(Value::from),
    },
    Setting {
        name: "mode",
        what: "whose yes a lesson needs",
        values: "review (yours), auto (plain ones pass)",
        fits: |text| [Mode::Review, Mode::Auto].iter().find(|m| m.as_str() == text).map(|m| m.as_str().into()),
    },
    Setting {
        name: "exclude",
        what: "projects and folders left alone",
        values: "names, keys, /paths, separated by commas",
        fits: |text| Some(entries(text)),
    },
    Setting {
        name: "shown",
        what: "suggestions `uptake learn` shows",
        values: "1 to 50",
        fits: |text| whole(text, SHOWN),
    },
    Setting {
        name: "snooze-days",
        what: "days a lesson stays put away",
        values: "1 to 365",
        fits: |text| whole(text, SNOOZE_DAYS),
    },
    Setting {
        name: "background-runs",
        what: "times a day sessions are learned from in the background",
        values: "0 to 100",
        fits: |text| whole(text, BACKGROUND_RUNS),
    },
    Setting {
        name: "holdout",
        what: "of 100 sessions, in how many a lesson is withheld to see if it helps",
        values: "0 (never) to 20",
        fits: |text| whole(text, HOLDOUT),
    },
    Setting {
        name: "guard",
        what: "a command that always failed here is denied, once, with its fix (run uptake init after a change)",
        values: "true, false",
        fits: |text| text.parse::<bool>().ok().map(Value::from),
    },
    Setting {
        name: "before-calls",
        what: "agents are told before a call what holds for its file or program (run uptake init after a change)",
        values: "true, false",
        fits: |text| text.parse::<bool>().ok().map(Value::from),
    },
    Setting {
        name: "learning-agents",
        what: "subagents that are asked what they learned (run uptake init after a change)",
        values: "kinds of agents, separated by commas",
        fits: |text| Some(entries(text)),
    },
];

fn entries(text: &str) -> Value {
    text.split(',').map(str::trim).filter(|e| !e.is_empty()).collect()
}

const SHOWN: RangeInclusive<i64> = 1..=50;
const SNOOZE_DAYS: RangeInclusive<i64> = 1..=365;
const BACKGROUND_RUNS: RangeInclusive<i64> = 0..=100;
const HOLDOUT: RangeInclusive<i64> = 0..=20;

fn whole(text: &str, range: RangeInclusive<i64>) -> Option<Value> {
    text.parse::<i64>().ok().filter(|n| range.contains(n)).map(Value::from)
}

/// What of a bar can be set: `thresholds.<name>.<part>`.
pub const BAR_PARTS: &[&str] = &["required", "spread", "promote"];

/// Where the settings are: `$XDG_CONFIG_HOME/uptake/config.toml`, whatever the platform calls that.
pub fn path() -> Option<PathBuf> {
    use etcetera::BaseStrategy as _;
    let folder = match env_vars::get(env_vars::XDG_CONFIG_HOME).map(PathBuf::from).filter(|p| p.is_absolute()) {
        Some(folder) => folder,
        None => etcetera::base_strategy::choose_base_strategy().ok()?.config_dir(),
    };
    Some(folder.join("uptake").join("config.toml"))
}

/// What the file says; nothing if there is none.
fn text_of(path: &Path) -> Result<String> {
    match std::fs::read_to_string(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        other => other.with_context(|| format!("cannot read `{}`", path.display())),
    }
}

impl Settings {
    /// Reads them where they usually are; the usual ones if nobody knows where that is.
    pub fn of_user() -> Result<Self> {
        path().map_or_else(|| Ok(Self::default()), |path| Self::read(&path))
    }

    /// Reads them; the usual ones if there is no file.
    pub fn read(path: &Path) -> Result<Self> {
        Self::parse(&text_of(path)?)
            .with_context(|| format!("cannot use the settings in `{}`; correct the file or delete it", path.display()))
    }

    fn parse(text: &str) -> Result<Self> {
        let settings: Self = toml_edit::de::from_str(text)?;
        let shown = i64::try_from(settings.shown).unwrap_or(i64::MAX);
        ensure!(SHOWN.contains(&shown), "`shown` must be 1 to 50, not {shown}");
        let days = i64::from(settings.snooze_days);
        ensure!(SNOOZE_DAYS.contains(&days), "`snooze-days` must be 1 to 365, not {days}");
        let runs = i64::from(settings.background_runs);
        ensure!(BACKGROUND_RUNS.contains(&runs), "`background-runs` must be 0 to 100, not {runs}");
        let holdout = i64::from(settings.holdout);
        ensure!(HOLDOUT.contains(&holdout), "`holdout` must be 0 to 20, not {holdout}");
        settings.retention.check()?;
        for (project, goal) in &settings.goals {
            goal.goal().with_context(|| format!("`goals.{project}`"))?;
        }
        for (name, bar) in &settings.thresholds.0 {
            ensure!(BARS.iter().any(|(n, _)| n == name), "there is no threshold `{name}`; there are {}", bar_names());
            ensure!(
                bar.required >= 1 && (0.0..=0.95).contains(&bar.promote),
                "`thresholds.{name}`: `required` must be 1 or more, and `promote` between 0 and 0.95"
            );
        }
        Ok(settings)
    }

    /// Whether agents have to ask before they make a call.
    pub fn asks_before_calls(&self) -> bool {
        self.guard || self.before_calls
    }

    /// Whether a project or the folder a session ran in is left alone.
    pub fn excludes(&self, project: &str, folder: Option<&str>, home: &Path) -> bool {
        self.exclude.iter().any(|entry| {
            is_called(project, entry)
                || folder.is_some_and(|f| Path::new(f).starts_with(expanded(entry, home)) || is_in_project(f, entry))
        })
    }

    /// A setting by its name, as it would stand in the file.
    pub fn get(&self, name: &str) -> Result<String> {
        let list = |items: &[String]| items.join(", ");
        Ok(match name {
            "enabled" => self.enabled.to_string(),
            "mode" => self.mode.as_str().to_owned(),
            "exclude" => list(&self.exclude),
            "shown" => self.shown.to_string(),
            "snooze-days" => self.snooze_days.to_string(),
            "background-runs" => self.background_runs.to_string(),
            "holdout" => self.holdout.to_string(),
            "guard" => self.guard.to_string(),
            "before-calls" => self.before_calls.to_string(),
            "learning-agents" => list(&self.learning_agents),
            _ if reader::is_ours(name) => reader::get(&self.reader, name).ok_or_else(|| unknown(name))?,
            _ if retention::is_ours(name) => retention::get(&self.retention, name).ok_or_else(|| unknown(name))?,
            _ => {
                let (bar, part) = bar_part(name)?;
                let usual = BARS.iter().find(|(n, _)| n == &bar).map(|(_, b)| *b);
                let bar = self.thresholds.0.get(bar).copied().or(usual).ok_or_else(|| unknown(name))?;
                match part {
                    "required" => bar.required.to_string(),
                    "spread" => bar.spread.to_string(),
                    _ => bar.promote.to_string(),
                }
            }
        })
    }
}

/// Whether a project has this key, or its name is this end of the key.
fn is_called(project: &str, name: &str) -> bool {
    let before = project.strip_suffix(name).filter(|_| !name.is_empty());
    before.is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', ':', '\\']))
}

/// Whether a folder is that of a project that is known by its folder, or in it, however the two are written. A project may
/// have become part of another one since it was left alone.
fn is_in_project(folder: &str, key: &str) -> bool {
    key.strip_prefix("path:").is_some_and(|top| below(&one_spelling(folder), &one_spelling(top)).is_some())
}

fn expanded(entry: &str, home: &Path) -> PathBuf {
    entry.strip_prefix("~/").map_or_else(|| PathBuf::from(entry), |rest| home.join(rest))
}

fn bar_names() -> String {
    BARS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

fn unknown(name: &str) -> anyhow::Error {
    let names: Vec<&str> = KEYS.iter().chain(READER_KEYS).chain(RETENTION_KEYS).map(|k| k.name).collect();
    anyhow!(
        "there is no setting `{name}`; there are {}, and thresholds.KIND.{} for {}",
        names.join(", "),
        BAR_PARTS.join("|"),
        bar_names()
    )
}

fn bar_part(name: &str) -> Result<(&str, &str)> {
    let rest = name.strip_prefix("thresholds.").and_then(|r| r.split_once('.'));
    match rest {
        Some((bar, part)) if BAR_PARTS.contains(&part) && BARS.iter().any(|(n, _)| *n == bar) => Ok((bar, part)),
        _ => Err(unknown(name)),
    }
}

/// A change of one setting.
pub enum Change<'c> {
    /// To this value, as a person types it.
    Set(&'c str),
    /// Back to the usual.
    Unset,
    /// One more entry of a list.
    Add(&'c str),
    /// One entry less.
    Remove(&'c str),
}

/// Changes one setting in the file; comments and everything else stay as they are. Answers the settings after it.
pub fn change(path: &Path, name: &str, change: &Change<'_>) -> Result<Settings> {
    // Settings are often kept elsewhere and linked to: what the link points to is changed.
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let path = real.as_path();
    let before = Settings::read(path)?;
    let mut document: DocumentMut =
        text_of(path)?.parse().with_context(|| format!("cannot read `{}`", path.display()))?;
    match name.strip_prefix("thresholds.") {
        Some(_) => set_bar(&mut document, &before, name, change)?,
        None if reader::is_ours(name) => reader::set(&mut document, name, change)?,
        None if retention::is_ours(name) => retention::set(&mut document, name, change)?,
        None => set_key(&mut document, &before, name, change)?,
    }
    let text = document.to_string();
    let after = Settings::parse(&text).with_context(|| format!("`{name}` was not changed"))?;
    uptake_store::open::write_private(path, &text)?;
    Ok(after)
}

fn set_key(document: &mut DocumentMut, before: &Settings, name: &str, change: &Change<'_>) -> Result<()> {
    let key = KEYS.iter().find(|k| k.name == name).ok_or_else(|| unknown(name))?;
    let entries = |list: &[String]| Value::from_iter(list.iter().map(String::as_str));
    let value = match change {
        Change::Unset => {
            document.remove(name);
            return Ok(());
        }
        Change::Set(text) => (key.fits)(text.trim()).ok_or_else(|| refused(name, text, key.values))?,
        Change::Add(_) | Change::Remove(_) if name != "exclude" => bail!("`{name}` is no list"),
        Change::Add(entry) => {
            let mut list = before.exclude.clone();
            if !list.iter().any(|e| e == entry) {
                list.push((*entry).to_owned());
            }
            entries(&list)
        }
        Change::Remove(entry) => entries(&before.exclude.iter().filter(|e| e != entry).cloned().collect::<Vec<_>>()),
    };
    put(document.as_table_mut(), name, value);
    Ok(())
}

fn refused(name: &str, value: &str, values: &str) -> anyhow::Error {
    anyhow!("`{name}` cannot be `{value}`; it can be: {values}")
}

/// The comment behind a value stays where it is.
fn put(table: &mut Table, name: &str, value: Value) {
    let decor = table.get(name).and_then(Item::as_value).map(|v| v.decor().clone());
    table[name] = Item::Value(value);
    if let (Some(decor), Some(value)) = (decor, table[name].as_value_mut()) {
        *value.decor_mut() = decor;
    }
}

/// A part of a bar as it stands in the file; the error says what it may be.
fn bar_value(part: &str, text: &str) -> std::result::Result<Value, &'static str> {
    match part {
        "required" => whole(text, 1..=i64::from(u32::MAX)).ok_or("a number of sessions, 1 or more"),
        "spread" => whole(text, 0..=i64::from(u32::MAX)).ok_or("a number of days, 0 or more"),
        _ => text
            .parse::<f64>()
            .ok()
            .filter(|n| (0.0..=0.95).contains(n))
            .map(Value::from)
            .ok_or("a confidence from 0 to 0.95"),
    }
}

/// All parts of a bar are written: the others would change with the defaults of a release.
fn set_bar(document: &mut DocumentMut, before: &Settings, name: &str, change: &Change<'_>) -> Result<()> {
    let (bar, part) = bar_part(name)?;
    let thresholds = document.entry("thresholds").or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let thresholds = thresholds.as_table_mut().context("`thresholds` is no table")?;
    let Change::Set(text) = change else {
        thresholds.remove(bar);
        return Ok(());
    };
    if !thresholds.contains_key(bar) {
        thresholds.insert(bar, Item::Table(Table::new()));
    }
    let table = thresholds[bar].as_table_mut().with_context(|| format!("`thresholds.{bar}` is no table"))?;
    for p in BAR_PARTS {
        let name = format!("thresholds.{bar}.{p}");
        let text = if *p == part { text.trim().to_owned() } else { before.get(&name)? };
        put(table, p, bar_value(p, &text).map_err(|values| refused(&name, &text, values))?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("config.toml");
        std::fs::write(&path, text).expect("written");
        (folder, path)
    }

    #[test]
    fn what_is_left_alone_stays_so_however_its_project_is_called_now() {
        for (entry, project, folder, left_alone) in [
            ("shop", "github.com/acme/shop", "/w1/shop", true),
            ("acme/shop", "github.com/acme/shop", "/w1/shop", true),
            ("op", "github.com/acme/shop", "/w1/shop", false),
            ("path:/w1/shop/.worktrees/1", "path:/w1/shop", "/w1/shop/.worktrees/1/src", true),
            ("path:/w1/shop/.worktrees/1", "path:/w1/shop", "/w1/shop/.worktrees/2", false),
            (r"path:C:\Code\Shop", "path:c:/code/shop", r"c:\code\shop", true),
        ] {
            let settings = Settings { exclude: vec![entry.to_owned()], ..Settings::default() };
            assert_eq!(settings.excludes(project, Some(folder), Path::new("/home/me")), left_alone, "{entry} {folder}");
        }
    }

    #[test]
    fn a_change_keeps_comments_and_everything_else() {
        let (_folder, path) = file(
            "# mine\nmode = \"review\" # for now\n\n[thresholds.workflow]\nrequired = 2\nspread = 0\npromote = 0.5\n",
        );
        change(&path, "mode", &Change::Set("auto")).expect("changed");
        change(&path, "exclude", &Change::Add("~/private")).expect("changed");
        change(&path, "thresholds.decision.required", &Change::Set("5")).expect("changed");
        let text = std::fs::read_to_string(&path).expect("there");
        assert!(text.starts_with("# mine\nmode = \"auto\" # for now\n"), "{text}");
        let settings = Settings::read(&path).expect("sound");
        assert_eq!(settings.thresholds.0["workflow"].required, 2);
        assert_eq!((settings.thresholds.0["decision"].required, settings.thresholds.0["decision"].promote), (5, 0.65));
        assert!(settings.excludes("p", Some("/home/dev/private/x"), Path::new("/home/dev")));
        assert!(!settings.excludes("p", Some("/home/dev/privateer"), Path::new("/home/dev")));
        change(&path, "thresholds.decision.required", &Change::Unset).expect("changed");
        assert_eq!(Settings::read(&path).expect("sound").get("thresholds.decision.required").expect("known"), "2");
    }

    #[test]
    fn what_does_not_fit_is_refused_and_changes_nothing() {
        let (_folder, path) = file("shown = 3\n");
        for (name, value) in [
            ("mode", "yolo"),
            ("shown", "0"),
            ("shown", "many"),
            ("colour", "red"),
            ("thresholds.x.required", "1"),
            ("thresholds.workflow.promote", "2"),
        ] {
            assert!(change(&path, name, &Change::Set(value)).is_err(), "{name} = {value}");
        }
        assert_eq!(std::fs::read_to_string(&path).expect("there"), "shown = 3\n");
        let (_folder, path) = file("shown = \n");
        assert!(format!("{:#}", Settings::read(&path).expect_err("broken")).contains("line 1"));
        let (_folder, path) = file("modus = \"auto\"\n");
        assert!(format!("{:#}", Settings::read(&path).expect_err("unknown")).contains("modus"));
    }
}
