//! The daily run: the line that has it started, for the user to run or add, and whether what they added still works.
//!
//! Comes in: which scheduler the system has. Goes out: words; nothing is added here, and no scheduler is asked. Deliberately
//! absent: a look at a crontab, which only a program can read; there it is noticed that the run is late.

use std::path::{Path, PathBuf};

use crate::env_vars;
use crate::install::link;
use crate::world::World;

/// What starts programs at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduler {
    /// Of macOS: a property list in the user's folder of agents.
    Launchd,
    /// Of most Linux systems: a timer and a service of the user.
    Systemd,
    /// A line in a table.
    Cron,
    /// Of Windows.
    Tasks,
}

/// The name of the job for launchd, and of its file.
const LABEL: &str = "dev.uptake.daily";
/// The name of the timer and its service.
const UNIT: &str = "uptake-daily";
/// The hour at which it is started.
const HOUR: u32 = 7;

impl Scheduler {
    /// The one of this system.
    pub fn here() -> Self {
        if cfg!(windows) {
            Self::Tasks
        } else if cfg!(target_vendor = "apple") {
            Self::Launchd
        } else if Path::new("/run/systemd/system").exists() {
            Self::Systemd
        } else {
            Self::Cron
        }
    }

    /// What to do with the line.
    pub fn how(self) -> &'static str {
        match self {
            Self::Cron => "add with `crontab -e`",
            _ => "run once",
        }
    }

    /// The line that has the daily run started.
    pub fn line(self, world: &World) -> String {
        let job = Job::of(world);
        match self {
            Self::Launchd => job.launchd(&plist(&world.home)),
            Self::Systemd => job.systemd(&units(world)),
            Self::Cron => format!("0 {HOUR} * * * {}", job.shell().replace('%', "\\%")),
            Self::Tasks => format!("schtasks /create /sc daily /tn uptake /tr \"{} retro --daily\"", job.program),
        }
    }
}

/// Where launchd looks for jobs of the user.
fn plist(home: &Path) -> PathBuf {
    home.join("Library/LaunchAgents").join(format!("{LABEL}.plist"))
}

/// Where systemd looks for units of the user.
fn units(world: &World) -> PathBuf {
    let config = world.config.ancestors().nth(2).map_or_else(|| world.home.join(".config"), Path::to_owned);
    config.join("systemd/user")
}

/// What is to be started.
struct Job {
    program: String,
    /// The data folder, if it is not the usual one.
    data: Option<String>,
}

impl Job {
    fn of(world: &World) -> Self {
        let moved = [env_vars::UPTAKE_HOME, env_vars::XDG_DATA_HOME].iter().any(|name| env_vars::get(name).is_some());
        let text = |path: &Path| path.to_string_lossy().into_owned();
        Self { program: text(&link(&world.data)), data: moved.then(|| text(&world.data)) }
    }

    /// For a shell.
    fn shell(&self) -> String {
        let home = self.data.iter().map(|data| format!("{}={} ", env_vars::UPTAKE_HOME, quoted(data)));
        format!("{}{} retro --daily", home.collect::<String>(), quoted(&self.program))
    }

    /// The property list, on one line.
    fn property_list(&self) -> String {
        let arguments = [self.program.as_str(), "retro", "--daily"].map(|a| format!("<string>{}</string>", xml(a)));
        let home = self.data.iter().map(|data| {
            let (name, data) = (env_vars::UPTAKE_HOME, xml(data));
            format!("<key>EnvironmentVariables</key><dict><key>{name}</key><string>{data}</string></dict>")
        });
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
             \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\"><plist version=\"1.0\"><dict><key>Label</key>\
             <string>{LABEL}</string><key>ProgramArguments</key><array>{}</array>{}<key>StartCalendarInterval</key><dict>\
             <key>Hour</key><integer>{HOUR}</integer><key>Minute</key><integer>0</integer></dict></dict></plist>",
            arguments.concat(),
            home.collect::<String>()
        )
    }

    fn launchd(&self, file: &Path) -> String {
        let (folder, file) = (file.parent().unwrap_or(file), quoted(&file.to_string_lossy()));
        let (folder, list) = (quoted(&folder.to_string_lossy()), quoted(&self.property_list()));
        format!("mkdir -p {folder} && printf '%s\\n' {list} > {file} && launchctl load -w {file}")
    }

    fn systemd(&self, folder: &Path) -> String {
        let home =
            self.data.iter().map(|data| format!("Environment={}", unit(&format!("{}={data}", env_vars::UPTAKE_HOME))));
        let start = format!("ExecStart={} retro --daily", in_command(&self.program));
        let service: Vec<String> =
            ["[Service]".to_owned(), "Type=oneshot".to_owned()].into_iter().chain(home).chain([start]).collect();
        let timer = ["[Timer]", "OnCalendar=daily", "Persistent=true", "[Install]", "WantedBy=timers.target"];
        let write = |lines: Vec<&str>, kind: &str| {
            let lines: Vec<String> = lines.into_iter().map(quoted).collect();
            let file = quoted(&folder.join(format!("{UNIT}.{kind}")).to_string_lossy());
            format!("printf '%s\\n' {} > {file}", lines.join(" "))
        };
        format!(
            "mkdir -p {} && {} && {} && systemctl --user enable --now {UNIT}.timer",
            quoted(&folder.to_string_lossy()),
            write(service.iter().map(String::as_str).collect(), "service"),
            write(timer.to_vec(), "timer")
        )
    }
}

/// As one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// As one word of a unit, in which percent signs mean something.
fn unit(text: &str) -> String {
    let text = text.replace('\\', r"\\").replace('"', "\\\"").replace('%', "%%");
    format!("\"{text}\"")
}

/// The same in a command, in which dollars do, too.
fn in_command(text: &str) -> String {
    unit(text).replace('$', "$$")
}

/// What is wrong with what the user added, in words; nothing if they added nothing or all is well.
pub fn troubles(world: &World) -> Vec<String> {
    let (job, mut out) = (Job::of(world), Vec::new());
    let renew = |which: Scheduler| format!("renew it with: {}", which.line(world));
    let plist = plist(&world.home);
    if let Ok(text) = std::fs::read_to_string(&plist)
        && let Some(what) = job.wrong_in_list(&text)
    {
        out.push(format!("`{}` {what}; {}", plist.display(), renew(Scheduler::Launchd)));
    }
    let folder = units(world);
    let at = |kind: &str| folder.join(format!("{UNIT}.{kind}"));
    if let Ok(text) = std::fs::read_to_string(at("service"))
        && let Some(what) = job.wrong_in_units(&text, &at("timer"))
    {
        out.push(format!("`{}` {what}; {}", at("service").display(), renew(Scheduler::Systemd)));
    }
    out
}

impl Job {
    /// A list that was written by hand may look otherwise; what counts is what it starts, and that it starts it.
    fn wrong_in_list(&self, text: &str) -> Option<String> {
        let starts = |word: &str| text.contains(&format!("<string>{}</string>", xml(word)));
        let timed = text.contains("<key>StartCalendarInterval</key>") || text.contains("<key>StartInterval</key>");
        if !text.trim_end().ends_with("</plist>") {
            return Some("is no whole property list".to_owned());
        }
        if !timed {
            return Some("says no time".to_owned());
        }
        self.wrong_start(starts(&self.program), starts("retro") && starts("--daily"))
    }

    fn wrong_in_units(&self, service: &str, timer: &Path) -> Option<String> {
        let timed = std::fs::read_to_string(timer).is_ok_and(|text| text.lines().any(|l| l.starts_with("OnCalendar=")));
        if !timed {
            return Some("has no timer beside it that says a time".to_owned());
        }
        let wanted = timer.parent().map(|f| f.join("timers.target.wants").join(format!("{UNIT}.timer")));
        if wanted.is_some_and(|w| w.symlink_metadata().is_err()) {
            return Some(format!("is not enabled (systemctl --user enable --now {UNIT}.timer)"));
        }
        let start = service.lines().find(|l| l.starts_with("ExecStart=")).unwrap_or_default();
        let program = start.contains(&in_command(&self.program)) || start.contains(&self.program);
        self.wrong_start(program, start.contains("retro --daily"))
    }

    fn wrong_start(&self, program: bool, run: bool) -> Option<String> {
        if !program || !run {
            return Some(format!("does not start `{} retro --daily`", self.program));
        }
        (!Path::new(&self.program).exists()).then(|| format!("starts `{}`, which is not there", self.program))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(program: &str, data: Option<&str>) -> Job {
        Job { program: program.to_owned(), data: data.map(str::to_owned) }
    }

    #[test]
    fn a_property_list_is_one_line_of_xml() {
        let list = job("/Users/d/R&D/bin/uptake", Some("/Users/d/R&D")).property_list();
        assert_eq!(list.lines().count(), 1);
        for part in [
            "<key>Label</key><string>dev.uptake.daily</string>",
            "<array><string>/Users/d/R&amp;D/bin/uptake</string><string>retro</string><string>--daily</string></array>",
            "<key>EnvironmentVariables</key><dict><key>UPTAKE_HOME</key><string>/Users/d/R&amp;D</string></dict>",
            "<key>StartCalendarInterval</key><dict><key>Hour</key><integer>7</integer>",
        ] {
            assert!(list.contains(part), "{part}: {list}");
        }
    }

    #[test]
    fn what_a_shell_or_a_unit_would_read_is_quoted() {
        let odd = job("/home/d'o/50% $x/uptake", None);
        assert_eq!(odd.shell(), r"'/home/d'\''o/50% $x/uptake' retro --daily");
        assert_eq!(in_command("50% \"$x\""), "\"50%% \\\"$$x\\\"\"");
        assert_eq!(unit("UPTAKE_HOME=/srv/$x"), "\"UPTAKE_HOME=/srv/$x\"", "there a dollar is one");
    }

    #[test]
    fn a_list_that_starts_nothing_of_ours_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("uptake");
        let job = job(&program.to_string_lossy(), None);
        let list = job.property_list();
        let wrong = |text: &str| job.wrong_in_list(text).unwrap_or_default();
        assert!(wrong(&list).contains("which is not there"), "{}", wrong(&list));
        std::fs::write(&program, "").expect("written");
        assert_eq!(wrong(&list), "");
        assert_eq!(wrong(&list[..list.len() - 9]), "is no whole property list");
        assert_eq!(wrong(&list.replace("StartCalendarInterval", "Nothing")), "says no time");
        assert!(wrong(&list.replace("--daily", "--json")).starts_with("does not start"));
    }

    /// Runs a line as a user would, with schedulers that only note what they were told.
    #[cfg(unix)]
    fn run(world: &World, line: &str) -> String {
        use std::os::unix::fs::PermissionsExt as _;
        let bin = world.home.join("bin");
        std::fs::create_dir_all(&bin).expect("made");
        let wants = "\"$HOME/.config/systemd/user/timers.target.wants\"";
        let enable = format!("mkdir -p {wants} && ln -s ../$4 {wants}/$4");
        for (name, does) in [("launchctl", ""), ("systemctl", enable.as_str())] {
            let script = format!("#!/bin/sh\necho \"{name} $*\" >> \"$HOME/told\"\n{does}\n");
            std::fs::write(bin.join(name), script).expect("written");
            std::fs::set_permissions(bin.join(name), std::fs::Permissions::from_mode(0o755)).expect("set");
        }
        let path = format!("{}:/usr/bin:/bin", bin.display());
        let mut shell = std::process::Command::new("sh");
        let done = shell.args(["-c", line]).env("HOME", &world.home).env("PATH", path).status().expect("runs");
        assert!(done.success(), "{line}");
        std::fs::read_to_string(world.home.join("told")).unwrap_or_default()
    }

    #[cfg(unix)]
    #[test]
    fn what_the_line_adds_is_found_well_and_told_when_it_leads_nowhere() {
        for (which, told, part) in [
            (Scheduler::Launchd, "launchctl load -w ", "<key>StartCalendarInterval</key>"),
            (Scheduler::Systemd, "systemctl --user enable --now uptake-daily.timer", "OnCalendar=daily"),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let home = folder.path().join("it's 50% home");
            let data = home.join("data");
            let world = World { data, config: home.join(".config/uptake/config.toml"), home, now: 0 };
            assert!(troubles(&world).is_empty(), "nothing was added");
            let program = link(&world.data);
            std::fs::create_dir_all(program.parent().expect("a folder")).expect("made");
            std::fs::write(&program, "").expect("written");
            assert!(run(&world, &which.line(&world)).starts_with(told), "{which:?}");
            let files = [plist(&world.home), units(&world).join("uptake-daily.timer")];
            assert!(files.iter().any(|f| std::fs::read_to_string(f).is_ok_and(|t| t.contains(part))), "{which:?}");
            assert_eq!(troubles(&world), Vec::<String>::new(), "{which:?}");
            std::fs::remove_file(&program).expect("gone");
            let wrong = troubles(&world);
            assert!(wrong.len() == 1 && wrong[0].contains("which is not there; renew it with: mkdir -p"), "{wrong:?}");
            std::fs::write(&program, "").expect("written");
            let _ = std::fs::remove_file(units(&world).join("timers.target.wants/uptake-daily.timer"));
            assert_eq!(troubles(&world).len(), usize::from(which == Scheduler::Systemd));
        }
    }
}
