//! What only the place of a file of Gemini CLI says: the project's folder stands in a file above the chats, and the
//! sessions of subagents lie in a folder that has the name of the session they belong to.

use std::path::Path;

use super::super::ReadFile;
use crate::session::{Agent, Session};

/// Holds the folder of a project.
const PROJECT_ROOT: &str = ".project_root";

/// Adds it to the session.
pub(in crate::sources) fn tells(path: &Path, session: &mut Session, read: ReadFile<'_>) {
    if session.agent == Agent::Sub
        && session.root == session.id
        && let Some(parent) = path.parent().and_then(Path::file_name)
    {
        session.root = parent.to_string_lossy().into_owned();
    }
    if session.cwd.is_none() {
        let told = path.ancestors().skip(2).take(2).find_map(|folder| read(&folder.join(PROJECT_ROOT)));
        session.cwd = told.map(|t| t.trim().to_owned()).filter(|t| !t.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(agent: Agent) -> Session {
        Session { id: "s1".to_owned(), root: "s1".to_owned(), agent, ..Session::default() }
    }

    #[test]
    fn a_project_is_named_above_the_chats_and_a_parent_by_the_folder() {
        let read = |path: &Path| (path == Path::new("/g/tmp/p/.project_root")).then(|| "/home/dev/p\n".to_owned());
        for (path, agent, root, cwd) in [
            ("/g/tmp/p/chats/session-1.jsonl", Agent::Main, "s1", Some("/home/dev/p")),
            ("/g/tmp/p/chats/parent/s1.jsonl", Agent::Sub, "parent", Some("/home/dev/p")),
            ("/g/tmp/q/chats/session-1.jsonl", Agent::Main, "s1", None),
        ] {
            let mut session = session(agent);
            tells(Path::new(path), &mut session, &read);
            assert_eq!((session.root.as_str(), session.cwd.as_deref()), (root, cwd), "{path}");
        }
    }

    #[test]
    fn what_the_transcript_says_itself_counts() {
        let mut session = Session { cwd: Some("/a".to_owned()), root: "r".to_owned(), ..session(Agent::Sub) };
        tells(Path::new("/g/tmp/p/chats/parent/s1.jsonl"), &mut session, &|_| Some("/b".to_owned()));
        assert_eq!((session.root.as_str(), session.cwd.as_deref()), ("r", Some("/a")));
    }
}
