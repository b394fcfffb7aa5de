//! The folder a session was started in → the top of its working tree, which its paths are told from.
//!
//! The disk tells it, as it tells a hook. Of a folder that is gone an earlier session in it may tell, what was learned of
//! folders, or the repository that still lies above it. Where none does it is not known: nothing is guessed.

use std::collections::HashMap;
use std::path::Path;

use uptake_core::session::Session;

use super::{Cache, one_spelling, top};

/// Tops of working trees, by the folder in which sessions were started.
#[derive(Default)]
pub(super) struct Tops {
    /// As sessions had them that are kept.
    kept: HashMap<String, String>,
    /// Those that were asked for in this run.
    asked: HashMap<String, Option<String>>,
}

impl Cache {
    /// Counts on what kept sessions say of folders that are gone.
    pub fn count_on_tops(&mut self, kept: HashMap<String, String>) {
        self.tops.kept = kept;
    }

    /// Gives a session its top folder, if it has none yet and it can be told.
    pub fn give_top(&mut self, session: &mut Session) {
        if session.top.is_none() {
            session.top = session.cwd.as_deref().and_then(|cwd| self.top_of(cwd));
        }
    }

    /// The top of the working tree that a folder is or was in.
    pub fn top_of(&mut self, folder: &str) -> Option<String> {
        if let Some(known) = self.tops.asked.get(folder) {
            return known.clone();
        }
        let found = self.find_top(folder);
        self.tops.asked.insert(folder.to_owned(), found.clone());
        found
    }

    fn find_top(&self, folder: &str) -> Option<String> {
        let path = Path::new(folder);
        // Above any other lies the folder in which we run.
        if !path.is_absolute() {
            return None;
        }
        if path.is_dir() {
            return top(path).map(|top| top.to_string_lossy().into_owned());
        }
        self.tops.kept.get(folder).cloned().or_else(|| self.top_of_gone(path))
    }

    /// Spelled as the folder is: so it is met in the session's commands.
    fn top_of_gone(&self, folder: &Path) -> Option<String> {
        let place = one_spelling(&folder.to_string_lossy());
        let learned = self.map.top_of(&place);
        let above =
            || folder.ancestors().find(|a| a.is_dir()).and_then(top).map(|t| one_spelling(&t.to_string_lossy()));
        let told = learned.or_else(|| above().filter(|top| self.map.may_be_top(top, &place)))?;
        folder.ancestors().map(|a| a.to_string_lossy().into_owned()).find(|a| one_spelling(a) == told)
    }
}

#[cfg(test)]
mod tests {
    use uptake_core::project::Fact;

    use super::*;

    #[test]
    fn the_top_is_told_by_the_disk_and_of_a_folder_that_is_gone_by_what_is_left() {
        let world = tempfile::tempdir().expect("a folder");
        for folder in ["shop/.git", "shop/pkg/.trees", "plain/pkg", "wt/.git"] {
            std::fs::create_dir_all(world.path().join(folder)).expect("made");
        }
        let at = |folder: &str| world.path().join(folder).to_string_lossy().into_owned();
        let mut cache = Cache::default();
        cache.count_on_tops(HashMap::from([(at("sold/lib/a"), at("sold"))]));
        // Seen once, and gone with all around it: a checkout, and a worktree of it that lay elsewhere.
        for folder in ["farm/lib", "farm", "field/lib", "field"] {
            let top = Some(one_spelling(&at("farm")));
            cache.note(Fact { folder: one_spelling(&at(folder)), top, ..Fact::default() });
        }
        for (folder, top) in [
            ("shop", Some("shop")),
            ("shop/pkg", Some("shop")),
            // Gone, below what is there.
            ("shop/old/deep", Some("shop")),
            // Gone, and by its name it was a tree of its own.
            ("shop/.claude/worktrees/x", None),
            ("shop/.claude/worktrees/x/pkg", None),
            ("plain/pkg", None),
            ("plain/gone", None),
            // All of it is gone, and an earlier session knew.
            ("sold/lib/a", Some("sold")),
            ("sold/lib/b", None),
            ("farm/lib/deep", Some("farm")),
            ("field/lib", Some("field")),
            ("field/lib/deep", Some("field")),
        ] {
            assert_eq!(cache.top_of(&at(folder)), top.map(&at), "{folder}");
        }
        assert_eq!(cache.top_of("pkg"), None, "not from where we run");
        assert_eq!(cache.top_of("C:\\code\\shop"), None);
    }
}
