//! Lessons behind the skills and slash commands that were used in a session.

use std::collections::{BTreeSet, HashMap};

use anyhow::Result;
use uptake_core::session::Session;
use uptake_core::sources::used_skills;
use uptake_store::{Artifact, Lessons};

/// Files that agents use by their name, and were made of lessons.
pub(super) struct Skills(HashMap<String, Vec<Artifact>>);

impl Skills {
    pub fn of(lessons: &Lessons) -> Result<Self> {
        let mut all: HashMap<String, Vec<Artifact>> = HashMap::new();
        for made in lessons.artifacts(None)? {
            if let Some(name) = name_of(made.place().0) {
                all.entry(name).or_default().push(made);
            }
        }
        Ok(Self(all))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The lessons behind what was used in a session. Where the client does not say which file it took, one of another project is
    /// not meant, unless it was made for all.
    pub fn used_in(&self, session: &Session, project: &str, lessons: &Lessons) -> Result<BTreeSet<String>> {
        let mut used = BTreeSet::new();
        for skill in used_skills(session) {
            for made in self.0.get(&skill.name).into_iter().flatten() {
                let is_it = match &skill.folder {
                    Some(folder) => {
                        made.place().0.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
                    }
                    None => {
                        let lesson = lessons.by_id(&made.lesson)?.pop();
                        lesson.is_some_and(|s| s.lesson.project() == project)
                            || lessons.is_wished_as_skill(&made.lesson)?
                    }
                };
                if is_it {
                    used.insert(made.lesson.clone());
                }
            }
        }
        Ok(used)
    }
}

/// How agents call a file: a skill by its folder, a command by its place below `commands`.
fn name_of(path: &str) -> Option<String> {
    if let Some(folder) = path.strip_suffix("/SKILL.md") {
        return folder.rsplit('/').next().map(str::to_owned);
    }
    let (_, below) = path.rsplit_once("/commands/")?;
    Some(below.strip_suffix(".md")?.replace('/', ":"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_by_its_folder_or_its_place_below_commands() {
        for (path, name) in [
            ("/h/.claude/skills/error-python3/SKILL.md", Some("error-python3")),
            ("/p/.claude/commands/uptake/ship-it.md", Some("uptake:ship-it")),
            ("/p/.claude/commands/ship.md", Some("ship")),
            ("/p/knowledge/decisions.md", None),
        ] {
            assert_eq!(name_of(path).as_deref(), name, "{path}");
        }
    }
}
