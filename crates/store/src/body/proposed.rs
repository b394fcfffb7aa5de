//! What is kept of a statement that a reader made, beside what every observation has.

use serde::{Deserialize, Serialize};
use uptake_core::detect::{Basis, Proposed, Second};

use super::is_false;

/// What is known of a reader's statement; whether it is all of a message stands beside it.
#[derive(Serialize, Deserialize)]
pub(super) struct ProposedBody {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    leaps: Vec<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    user: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    basis: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cost: Option<u64>,
    /// The messages that hold for later work by a second reading; nothing if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lasts: Option<Vec<String>>,
}

impl ProposedBody {
    pub(super) fn of(p: &Proposed) -> Self {
        Self {
            leaps: p.leaps.iter().map(|l| l.as_str().to_owned()).collect(),
            user: p.about_user,
            basis: p.basis.map(|b| b.as_str().to_owned()),
            cost: (p.cost > 0).then_some(p.cost),
            lasts: match &p.second {
                Second::NotYet => None,
                Second::Lasts(events) => Some(events.clone()),
                Second::Passes => Some(Vec::new()),
            },
        }
    }

    pub(super) fn proposed(self, alone: bool) -> Proposed {
        Proposed {
            leaps: super::leaps_of(&self.leaps),
            alone,
            about_user: self.user,
            basis: self.basis.as_deref().and_then(Basis::parse),
            cost: self.cost.unwrap_or(0),
            second: match self.lasts {
                None => Second::NotYet,
                Some(events) if events.is_empty() => Second::Passes,
                Some(events) => Second::Lasts(events),
            },
        }
    }
}
