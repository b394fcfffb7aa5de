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
    /// What a second reading says; nothing if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lasting: Option<bool>,
}

impl ProposedBody {
    pub(super) fn of(p: &Proposed) -> Self {
        Self {
            leaps: p.leaps.iter().map(|l| l.as_str().to_owned()).collect(),
            user: p.about_user,
            basis: p.basis.map(|b| b.as_str().to_owned()),
            cost: (p.cost > 0).then_some(p.cost),
            lasting: match p.second {
                Second::NotYet => None,
                Second::Lasts => Some(true),
                Second::Passes => Some(false),
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
            second: match self.lasting {
                None => Second::NotYet,
                Some(true) => Second::Lasts,
                Some(false) => Second::Passes,
            },
        }
    }
}
