//! A session as text, for the cases of sources.

use crate::session::{Body, Session};

pub(super) fn shown(session: &Session) -> String {
    let mut out = format!("{} of {} in {:?} ({})\n", session.id, session.root, session.cwd, session.agent);
    for event in &session.events {
        let what = match &event.body {
            Body::User { author, spans } => {
                let spans: Vec<String> =
                    spans.iter().map(|s| format!("{}: {}", s.origin.as_str(), s.text.to_text())).collect();
                format!("{author:?} [{}]", spans.join("; "))
            }
            Body::Assistant { text } => text.to_text(),
            Body::Call(c) => format!("{} `{}` {} {:?}", c.tool, c.input, c.outcome, c.output.to_text()),
        };
        out += &format!("{} {what}\n", event.id);
    }
    out
}
