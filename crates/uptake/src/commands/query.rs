//! `uptake query`: finds lessons by what they are about.

use anyhow::{Result, bail};
use clap::Args as ClapArgs;
use uptake_core::detect::Kind;
use uptake_core::normal::programs::{self, Language};
use uptake_store::{Lessons, ListPlace, Stored, Wanted};

use super::Listed;
use super::list::{of_project, show};
use crate::project::Names;
use crate::ui::{DIM, Ui, styled};
use crate::world::World;

/// Lessons that are read at a time.
const PAGE: usize = 500;

/// Find lessons by what they are about
///
/// All words must occur, in any order and case. For example: uptake query --errors TypeError
#[derive(ClapArgs)]
pub struct Args {
    /// Words to look for
    words: Vec<String>,
    /// Errors and what got past them; with TEXT only those that say so
    #[arg(long, value_name = "TEXT", num_args = 0..=1, default_missing_value = "")]
    errors: Option<String>,
    /// What was decided, and why
    #[arg(long)]
    decisions: bool,
    /// What is done here, and what goes wrong; with LANGUAGE only what uses its tools or files
    #[arg(long, value_name = "LANGUAGE", num_args = 0..=1, default_missing_value = "")]
    patterns: Option<String>,
    /// Only of this project (its name or key)
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// At most this many; 0 for all of them
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    #[command(flatten)]
    printed: Listed,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    if args.words.is_empty() && args.errors.is_none() && args.patterns.is_none() && !args.decisions {
        bail!("say what to look for, for example: uptake query docker, or uptake query --errors TypeError");
    }
    let asked = Asked::of(args)?;
    let world = World::from_env()?;
    let mut ui = args.printed.ui();
    let Some(lessons) = Lessons::open_read_only(&world.data)? else { return nothing(ui) };
    let names = Names::of(Some(&lessons), None)?;
    let places = lessons.order(&Wanted { now: world.now, ..Wanted::default() })?;
    let places: Vec<ListPlace> = of_project(places, args.project.as_deref(), &names);
    let mut found = 0;
    for page in places.chunks(PAGE) {
        for stored in lessons.at(page)?.iter().filter(|s| asked.fits(s)) {
            found += 1;
            if args.limit == 0 || found <= args.limit {
                show(&mut ui, stored, &names, world.now)?;
            }
        }
        ui.flush()?;
    }
    if found == 0 {
        return nothing(ui);
    }
    if args.limit > 0 && found > args.limit && !args.printed.json {
        ui.line(styled(DIM, &format!("{} more: --limit 0 shows all", found - args.limit)))?;
    }
    Ok(ui.end()?)
}

fn nothing(mut ui: Ui) -> Result<()> {
    if !ui.json {
        ui.line("Nothing was learned about that.")?;
    }
    Ok(ui.end()?)
}

/// What was asked for, ready to compare.
struct Asked {
    kinds: Vec<Kind>,
    words: Vec<String>,
    /// Must occur in the error.
    error: Vec<String>,
    /// A program or a file of this language must occur.
    language: Option<(Language, &'static [&'static str])>,
}

impl Asked {
    fn of(args: &Args) -> Result<Self> {
        let lower = |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_lowercase).collect() };
        let mut kinds = Vec::new();
        if args.errors.is_some() {
            kinds.extend([Kind::Recovery, Kind::Pitfall]);
        }
        if args.decisions {
            kinds.push(Kind::Decision);
        }
        if args.patterns.is_some() {
            kinds.extend([Kind::Procedure, Kind::Workflow, Kind::Pitfall]);
        }
        let language = match args.patterns.as_deref() {
            None | Some("") => None,
            Some(name) => Some(language_and_files(name)?),
        };
        let error = args.errors.as_deref().map(lower).unwrap_or_default();
        Ok(Self { kinds, words: args.words.iter().flat_map(|w| lower(w)).collect(), error, language })
    }

    fn fits(&self, stored: &Stored) -> bool {
        let l = &stored.lesson;
        if !self.kinds.is_empty() && !self.kinds.contains(&l.kind) {
            return false;
        }
        let trigger = l.payload.trigger.as_ref().map(|t| format!("{} {}", t.program, t.error)).unwrap_or_default();
        let error = format!("{trigger} {}", l.evidence.error.as_deref().unwrap_or_default()).to_lowercase();
        let commands = l.payload.commands.join("\n").to_lowercase();
        let text =
            format!("{} {} {} {commands} {error}", l.payload.name, l.payload.title, l.payload.statement).to_lowercase();
        self.words.iter().all(|w| text.contains(w))
            && self.error.iter().all(|w| error.contains(w) || text.contains(w))
            && self.language.is_none_or(|(language, files)| uses(&text, language, files))
    }
}

/// Whether a text names a program of a language, or one of these files or endings, as a whole word.
fn uses(text: &str, language: Language, files: &[&str]) -> bool {
    let word = |c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '+' | '.'));
    let is_file = |w: &str| files.iter().any(|f| w == *f || f.starts_with('.') && w.ends_with(f));
    text.split(word).any(|w| programs::language(w) == Some(language) || is_file(w))
}

/// Languages with their names, the first for people, and the endings and names of their files.
const LANGUAGES: &[(Language, &[&str], &[&str])] = &[
    (Language::Rust, &["rust", "rs"], &[".rs", "cargo.toml"]),
    (Language::Python, &["python", "py"], &[".py"]),
    (Language::JavaScript, &["javascript", "js", "typescript", "ts", "node"], &[".js", ".ts", ".tsx", ".jsx", ".mjs"]),
    (Language::Go, &["go", "golang"], &[".go", "go.mod"]),
    (Language::Java, &["java", "kotlin"], &[".java", ".kt"]),
    (Language::C, &["c", "c++", "cpp"], &[".c", ".cpp", ".h", ".hpp"]),
    (Language::Ruby, &["ruby", "rb"], &[".rb"]),
    (Language::Php, &["php"], &[".php"]),
    (Language::CSharp, &["csharp", "c#", "dotnet"], &[".cs", ".csproj"]),
    (Language::Swift, &["swift"], &[".swift"]),
    (Language::ShellScript, &["shell", "bash", "sh"], &[".sh"]),
    (Language::Sql, &["sql"], &[".sql"]),
];

fn language_and_files(name: &str) -> Result<(Language, &'static [&'static str])> {
    let wanted = name.to_lowercase();
    match LANGUAGES.iter().find(|(_, names, _)| names.contains(&wanted.as_str())) {
        Some((language, _, files)) => Ok((*language, files)),
        None => {
            let known: Vec<&str> = LANGUAGES.iter().map(|(_, names, _)| names[0]).collect();
            bail!("the language `{name}` is not known; there are {}", known.join(", "))
        }
    }
}
