//! The commands that are harmed.

use super::sessions;
use super::stage::{DECIDED, FORGOTTEN, NEW, Stage};

/// What a command promises should it be cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// Nothing that was there is lost; the next run goes on.
    GoesOn,
    /// A decision is made or not, never by half.
    Whole,
}

/// A command in a state of the stage.
pub struct Act {
    /// What figures call it.
    pub name: &'static str,
    /// The state it begins with.
    pub from: &'static str,
    /// Its arguments.
    pub args: Vec<String>,
    /// What it promises.
    pub promise: Promise,
    /// A text that must be nowhere afterwards.
    pub forgets: Option<String>,
}

impl Act {
    /// Whether the second run says that it was done before: nothing can be forgotten or taken back twice.
    pub fn is_done_already(&self, words: &str) -> bool {
        ["no lesson has the id", "there is no change"].iter().any(|w| words.contains(w))
    }
}

/// All of them; `learn` first.
pub fn acts(stage: &Stage) -> Vec<Act> {
    let act = |name, from, args: &[&str], promise| Act {
        name,
        from,
        args: args.iter().map(|a| (*a).to_owned()).collect(),
        promise,
        forgets: None,
    };
    let ids = &stage.ids;
    let shop = stage.world.path("shop").to_string_lossy().into_owned();
    let session = sessions::first(&stage.world).to_string_lossy().into_owned();
    vec![
        act("learn", FORGOTTEN, &["learn", "--json"], Promise::GoesOn),
        act("learn, the first", NEW, &["learn", "--json"], Promise::GoesOn),
        // One session: over a history every run would go on with the next best five.
        act("learn --yes", NEW, &["learn", "--skill", "--yes", &session], Promise::GoesOn),
        act("import", DECIDED, &["import", &shop], Promise::GoesOn),
        act("review --accept, a skill", DECIDED, &["review", "--skill", "--accept", &ids.new_skill], Promise::Whole),
        act("review --accept, a fix", DECIDED, &["review", "--accept", &ids.new_fix], Promise::Whole),
        // The second change is the rejection.
        act("undo", DECIDED, &["undo", "2"], Promise::Whole),
        Act {
            forgets: Some(ids.skill_text.clone()),
            ..act("forget", DECIDED, &["forget", "--yes", &ids.skill], Promise::Whole)
        },
    ]
}
