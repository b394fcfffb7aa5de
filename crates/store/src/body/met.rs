//! Failures as they are kept in the body of an observation: what failed, how, and what got past it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use uptake_core::detect::{Met, WayOut};
use uptake_core::failure::Family;

use super::Text;

/// Calls that failed in one way; the error stands beside it.
#[derive(Serialize, Deserialize)]
pub(super) struct MetBody<'b> {
    #[serde(borrow)]
    family: Text<'b>,
    #[serde(borrow)]
    subject: Text<'b>,
    #[serde(borrow)]
    tool: Text<'b>,
    #[serde(borrow)]
    tried: Text<'b>,
    #[serde(default, borrow, skip_serializing_if = "str::is_empty")]
    folder: Text<'b>,
    /// How often, further calls, tokens.
    spent: (u32, u32, u32),
    #[serde(default, borrow, skip_serializing_if = "WayBody::is_none")]
    way: WayBody<'b>,
}

/// What got past a failure.
#[derive(Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
enum WayBody<'b> {
    #[default]
    None,
    Again,
    Edited,
    Instead(#[serde(borrow)] Text<'b>, #[serde(borrow)] Text<'b>),
    After(Cow<'b, [String]>),
    Path(#[serde(borrow)] Text<'b>),
}

impl WayBody<'_> {
    fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }
}

impl<'b> MetBody<'b> {
    pub(super) fn of(met: &'b Met) -> Self {
        let Met { family, subject, tool, tried, folder, error: _, times, calls, tokens, way } = met;
        let way = match way {
            WayOut::None => WayBody::None,
            WayOut::Again => WayBody::Again,
            WayOut::Edited => WayBody::Edited,
            WayOut::Instead { run, change } => WayBody::Instead(Cow::from(run), Cow::from(change)),
            WayOut::After(via) => WayBody::After(Cow::from(via)),
            WayOut::Path(path) => WayBody::Path(Cow::from(path)),
        };
        Self {
            family: Cow::from(family.as_str()),
            subject: Cow::from(subject),
            tool: Cow::from(tool),
            tried: Cow::from(tried),
            folder: Cow::from(folder),
            spent: (*times, *calls, *tokens),
            way,
        }
    }

    pub(super) fn met(self, error: String) -> Met {
        let (times, calls, tokens) = self.spent;
        let way = match self.way {
            WayBody::None => WayOut::None,
            WayBody::Again => WayOut::Again,
            WayBody::Edited => WayOut::Edited,
            WayBody::Instead(run, change) => WayOut::Instead { run: run.into_owned(), change: change.into_owned() },
            WayBody::After(via) => WayOut::After(via.into_owned()),
            WayBody::Path(path) => WayOut::Path(path.into_owned()),
        };
        Met {
            family: Family::parse(&self.family),
            subject: self.subject.into_owned(),
            tool: self.tool.into_owned(),
            tried: self.tried.into_owned(),
            folder: self.folder.into_owned(),
            error,
            times,
            calls,
            tokens,
            way,
        }
    }
}
