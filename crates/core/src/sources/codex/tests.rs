//! Cases for Codex that recorded sessions do not show: exit codes and outputs in any order, cut anywhere.

use super::super::{Reader, read_all, source};
use crate::session::Session;

const CALL: &str = r#"{"timestamp":"2026-03-01T10:00:00Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","call_id":"call_1","arguments":"{\"cmd\":\"make\"}"}}"#;
const CODE: &str = r#"{"timestamp":"2026-03-01T10:00:01Z","type":"event_msg","payload":{"type":"exec_command_end","call_id":"call_1","exit_code":5}}"#;
const OUTPUT: &str = r#"{"timestamp":"2026-03-01T10:00:02Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"half done"}}"#;

fn outcome(session: &Session) -> String {
    session.events[0].call().map(|c| format!("{} {:?}", c.outcome, c.output.to_text())).unwrap_or_default()
}

#[test]
fn an_exit_code_counts_before_and_after_the_output_and_however_often_that_comes() {
    let codex = source("codex").expect("a source");
    for order in
        [&[CALL, CODE, OUTPUT][..], &[CALL, OUTPUT, CODE], &[CALL, OUTPUT, CODE, OUTPUT], &[CALL, CODE, OUTPUT, CODE]]
    {
        let text = order.join("\n") + "\n";
        let whole = read_all(codex, "x", text.as_bytes());
        assert_eq!(outcome(&whole.session), "failed(5) \"half done\"");
        for cut in text.match_indices('\n').map(|(end, _)| end + 1) {
            let first = read_all(codex, "x", &text.as_bytes()[..cut]);
            let mut reader = Reader::resume(codex, "x", first.session, first.resume_at);
            reader.feed(&text.as_bytes()[cut..]);
            assert_eq!(reader.finish().session, whole.session, "cut at {cut}");
        }
    }
}
