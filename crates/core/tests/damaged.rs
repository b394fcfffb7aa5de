//! Damaged transcripts: whatever happens to some bytes, nothing panics or hangs, and every record whose own bytes
//! are whole is read as if nothing had happened.
//!
//! The material is every recorded session and synthetic message arrays in the style of the OpenAI chat API. What a
//! healthy reading gives is the measure: an event must be found again with the same id, kind, tool, command and
//! outcome if all records it depends on are untouched.
#![allow(clippy::disallowed_methods, reason = "the core does no I/O; its tests read fixtures and watch the clock")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests stand outside of tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::sample::Index;
use uptake_core::session::{Event, Excerpt, Session};
use uptake_core::sources::{Flaw, Read, Reader, read_all, recognise, source};

use uptake_testkit::damage::{self, Edit, Sample, by_id, facts, lines, skipped};

/// Far more than any reading here needs; a hang is what it finds.
const PATIENCE: Duration = Duration::from_secs(5);

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// Every recorded session, then message arrays: one array on one line, and one message a line.
static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
    let files = [damage::recorded(&fixtures().join("recorded")), damage::recorded(&fixtures().join("hooks"))].concat();
    let mut samples: Vec<Sample> = files.iter().filter_map(|f| recorded(f)).collect();
    assert!(samples.len() >= 40, "only {} recorded sessions found", samples.len());
    samples.push(by_lines("codex", "rollout-x", POLLED.join("\n").into_bytes(), "polled command".to_owned()));
    samples.push(by_lines("codex", "rollout-y", SCRIPTED.join("\n").into_bytes(), "commands in scripts".to_owned()));
    samples.push(message_array());
    samples.push(message_lines());
    samples
});

/// A file of one record a line. Documents of several lines are damaged by the battery.
fn recorded(path: &Path) -> Option<Sample> {
    let bytes = fs::read(path).unwrap();
    let source = recognise(&bytes).filter(|_| damage::is_lines(&bytes))?;
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let sample = Sample::of_lines(source, &name, bytes, path.display().to_string());
    // A client may write a session in which nothing happened.
    (!sample.healthy.events.is_empty()).then_some(sample)
}

fn by_lines(client: &str, name: &str, bytes: Vec<u8>, label: String) -> Sample {
    checked(Sample::of_lines(source(client).unwrap(), name, bytes, label))
}

fn checked(sample: Sample) -> Sample {
    assert!(!sample.healthy.events.is_empty(), "{}: nothing was read", sample.label);
    sample
}

/// A command that is polled to its end by a version that writes no end records, one whose exit code comes in a record
/// of its own before an output that tells none, and one that never came back.
const POLLED: &[&str] = &[
    r#"{"timestamp":"2026-01-01T00:00:00.000Z","type":"session_meta","payload":{"id":"s-1","cwd":"/home/dev/ledger","cli_version":"0.60.0"}}"#,
    r#"{"timestamp":"2026-01-01T00:00:01.000Z","type":"response_item","payload":{"type":"message","id":"u1","role":"user","content":[{"type":"input_text","text":"Run the slow check."}]}}"#,
    r#"{"timestamp":"2026-01-01T00:00:02.000Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"make slow\"}","call_id":"call_a"}}"#,
    r#"{"timestamp":"2026-01-01T00:00:03.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_a","output":"Chunk ID: 1\nWall time: 0.3 seconds\nProcess running with session ID 4711\nOutput:\n1\n"}}"#,
    r#"{"timestamp":"2026-01-01T00:00:04.000Z","type":"response_item","payload":{"type":"function_call","name":"write_stdin","arguments":"{\"session_id\":4711,\"chars\":\"\"}","call_id":"call_b"}}"#,
    r#"{"timestamp":"2026-01-01T00:00:05.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_b","output":"Chunk ID: 2\nWall time: 2.5 seconds\nProcess exited with code 3\nOutput:\n2\n"}}"#,
    r#"{"timestamp":"2026-01-01T00:00:06.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"make lint\"]}","call_id":"call_c"}}"#,
    r#"{"timestamp":"2026-01-01T00:00:07.000Z","type":"event_msg","payload":{"type":"exec_command_end","call_id":"call_c","exit_code":2}}"#,
    r#"{"timestamp":"2026-01-01T00:00:08.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_c","output":"lint: 2 findings"}}"#,
    r#"{"timestamp":"2026-01-01T00:00:09.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"sleep\",\"99\"]}","call_id":"call_d"}}"#,
    r#"{"timestamp":"2026-01-01T00:00:10.000Z","type":"event_msg","payload":{"type":"turn_aborted","reason":"interrupted"}}"#,
    r#"{"timestamp":"2026-01-01T00:00:11.000Z","type":"response_item","payload":{"type":"message","id":"a1","role":"assistant","content":[{"type":"output_text","text":"The check failed: 3."}]}}"#,
    "",
];

/// Scripts of the code mode: two commands in one, one that is waited for, one that is looked at by a later script.
const SCRIPTED: &[&str] = &[
    r#"{"timestamp":"2026-01-01T00:00:00.000Z","type":"session_meta","payload":{"id":"s-2","cwd":"/home/dev/ledger","cli_version":"0.145.0"}}"#,
    r#"{"timestamp":"2026-01-01T00:00:01.000Z","type":"response_item","payload":{"type":"custom_tool_call","name":"exec","call_id":"script_a","input":"for (const cmd of [\"make a\", \"make b\"]) { const r = await tools.exec_command({cmd}); text(JSON.stringify(r)); }"}}"#,
    r#"{"timestamp":"2026-01-01T00:00:02.000Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"script_a","output":[{"type":"input_text","text":"Script completed\nWall time 0.2 seconds\nOutput:\n"},{"type":"input_text","text":"{\"exit_code\":0,\"output\":\"a\"}"},{"type":"input_text","text":"{\"session_id\":9,\"output\":\"b\"}"}]}}"#,
    r#"{"timestamp":"2026-01-01T00:00:03.000Z","type":"response_item","payload":{"type":"custom_tool_call","name":"exec","call_id":"script_b","input":"text(await tools.write_stdin({session_id: 9, chars: \"\"}))"}}"#,
    r#"{"timestamp":"2026-01-01T00:00:04.000Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"script_b","output":"Script running with cell ID 4\nWall time 10.0 seconds\nOutput:\n"}}"#,
    r#"{"timestamp":"2026-01-01T00:00:05.000Z","type":"response_item","payload":{"type":"function_call","name":"wait","call_id":"script_c","arguments":"{\"cell_id\":\"4\"}"}}"#,
    r#"{"timestamp":"2026-01-01T00:00:06.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"script_c","output":[{"type":"input_text","text":"Script completed\nWall time 0.2 seconds\nOutput:\n"},{"type":"input_text","text":"{\"exit_code\":3,\"output\":\"boom\"}"}]}}"#,
    r#"{"timestamp":"2026-01-01T00:00:07.000Z","type":"response_item","payload":{"type":"message","id":"a9","role":"assistant","content":[{"type":"output_text","text":"b failed: 3."}]}}"#,
    "",
];

const CHAT: &[&str] = &[
    r#"{"id":"m1","role":"system","content":"You help with a {small} \"ledger\"."}"#,
    r#"{"id":"m2","role":"user","content":"Run the tests, please. \u00e4\ud83d\ude00 [x] {y}"}"#,
    r#"{"id":"m3","role":"assistant","content":"Running.","tool_calls":[{"id":"c1","type":"function","function":{"name":"shell","arguments":"{\"command\":\"make test\"}"}}]}"#,
    r#"{"id":"m4","role":"tool","tool_call_id":"c1","content":"make: *** [Makefile:3: test] Error 1"}"#,
    r#"{"id":"m5","role":"assistant","content":null,"tool_calls":[{"id":"c2","type":"function","function":{"name":"shell","arguments":"{\"command\":[\"make\",\"deps\"]}"}},{"id":"c3","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"README.md\"}"}}]}"#,
    r#"{"id":"m6","role":"tool","tool_call_id":"c2","content":"copied"}"#,
    r##"{"id":"m7","role":"tool","tool_call_id":"c3","content":"# ledger\n\n{ \"a\": [1, 2] }\n"}"##,
    r#"{"id":"m8","role":"assistant","content":[{"type":"text","text":"Done: é, ü, 漢字."}]}"#,
    r#"{"id":"m9","role":"user","content":"No, use make check instead."}"#,
];

fn message_array() -> Sample {
    let mut bytes = b"[".to_vec();
    let mut records = Vec::new();
    for (i, message) in CHAT.iter().enumerate() {
        if i > 0 {
            bytes.extend_from_slice(b", ");
        }
        records.push(bytes.len()..bytes.len() + message.len());
        bytes.extend_from_slice(message.as_bytes());
    }
    bytes.extend_from_slice(b"]\n");
    checked(Sample::new(source("openai").unwrap(), "chat", bytes, "message array".to_owned(), records))
}

fn message_lines() -> Sample {
    by_lines("openai", "chat", format!("{}\n", CHAT.join("\n")).into_bytes(), "message lines".to_owned())
}

/// Reads, and is impatient.
fn read(sample: &Sample, bytes: &[u8]) -> Read {
    let start = Instant::now();
    let read = read_all(sample.source, &sample.name, bytes);
    let took = start.elapsed();
    assert!(took < PATIENCE, "{}: {took:?} for {} bytes", sample.label, bytes.len());
    assert!(skipped(&read) <= bytes.len() as u64, "{}: {:?} of {} bytes", sample.label, read.problems, bytes.len());
    assert!(read.resume_at <= bytes.len() as u64, "{}: resume at {}", sample.label, read.resume_at);
    read
}

/// Every event whose records are all untouched is in what was read.
fn assert_recovered(sample: &Sample, found: &Session, touched: &BTreeSet<usize>, what: &str) {
    if let Some(lost) = sample.lost(found, touched) {
        panic!("{what} of {}: {lost}", sample.label);
    }
}

fn check_edits(sample: &Sample, edits: Vec<Edit>, what: &str) {
    let (bytes, touched) = sample.apply(edits);
    let found = read(sample, &bytes);
    assert_recovered(sample, &found.session, &touched, what);
}

fn any_sample() -> impl Strategy<Value = &'static Sample> {
    any::<Index>().prop_map(|i| &SAMPLES[i.index(SAMPLES.len())])
}

/// Bytes that JSON and text care about, and any others.
fn any_byte() -> impl Strategy<Value = u8> {
    prop_oneof![
        2 => proptest::sample::select(b"{}[],:\"\\\n\r\0 \xEF\xBB\xFF\xC3\xF0ux019-".to_vec()),
        1 => any::<u8>(),
    ]
}

fn any_edit() -> impl Strategy<Value = (Index, usize, Vec<u8>)> {
    let insert = prop_oneof![
        3 => proptest::collection::vec(any_byte(), 0..6),
        1 => (1usize..3000).prop_map(|n| vec![0; n]),
        1 => Just(b"\xEF\xBB\xBF".to_vec()),
        1 => Just(b"\r\n".to_vec()),
    ];
    let remove = prop_oneof![4 => 0usize..3, 2 => 0usize..300, 1 => 0usize..6000];
    (any::<Index>(), remove, insert)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn chopping_loses_only_what_was_chopped(sample in any_sample(), cut in any::<Index>()) {
        let cut = cut.index(sample.bytes.len() + 1);
        check_edits(sample, vec![Edit { at: cut, remove: usize::MAX / 2, insert: Vec::new() }], "end chopped off");
        check_edits(sample, vec![Edit { at: 0, remove: cut, insert: Vec::new() }], "start chopped off");
    }

    #[test]
    fn splicing_two_transcripts_loses_only_what_was_cut(a in any_sample(), b in any_sample(), i in any::<Index>(), j in any::<Index>()) {
        let b = if a.source.name == b.source.name { b } else { a };
        let (i, j) = (i.index(a.bytes.len() + 1), j.index(b.bytes.len() + 1));
        let spliced = [&a.bytes[..i], &b.bytes[j..]].concat();
        let found = read(a, &spliced).session;
        let of_a = a.records.iter().enumerate().filter(|(_, r)| r.end > i).map(|(n, _)| n).collect();
        let of_b: BTreeSet<usize> = b.records.iter().enumerate().filter(|(_, r)| r.start < j).map(|(n, _)| n).collect();
        if a.label == b.label {
            // Spliced with itself: what is missing from one half may be whole in the other.
            let both: BTreeSet<usize> = of_b.union(&of_a).copied().collect();
            assert_recovered(a, &found, &both, "splicing with itself");
        } else {
            assert_recovered(a, &found, &of_a, "first half of a splice");
            assert_recovered(b, &found, &of_b, "second half of a splice");
        }
    }

    #[test]
    fn lost_newlines_lose_nothing(sample in any_sample(), which in proptest::collection::vec(any::<Index>(), 1..5)) {
        let ends: Vec<usize> = (0..sample.bytes.len()).filter(|i| sample.bytes[*i] == b'\n').collect();
        let edits = which.iter().map(|w| Edit { at: ends[w.index(ends.len())], remove: 1, insert: Vec::new() });
        check_edits(sample, edits.collect(), "lost newlines");
    }

    #[test]
    fn changed_bytes_cost_only_their_records(sample in any_sample(), edits in proptest::collection::vec(any_edit(), 1..5)) {
        let edits = edits
            .into_iter()
            .map(|(at, remove, insert)| Edit { at: at.index(sample.bytes.len() + 1), remove, insert });
        check_edits(sample, edits.collect(), "random damage");
    }

    #[test]
    fn flipped_bytes_cost_only_their_records(sample in any_sample(), flips in proptest::collection::vec((any::<Index>(), any_byte()), 1..12)) {
        let edits = flips
            .into_iter()
            .map(|(at, byte)| Edit { at: at.index(sample.bytes.len()), remove: 1, insert: vec![byte] });
        check_edits(sample, edits.collect(), "flipped bytes");
    }

    #[test]
    fn bytes_between_records_cost_nothing(sample in any_sample(), which in any::<Index>(), end in any::<bool>(), junk in proptest::collection::vec(any_byte(), 1..4)) {
        let record = &sample.records[which.index(sample.records.len())];
        let at = if end { record.end } else { record.start };
        check_edits(sample, vec![Edit { at, remove: 0, insert: junk }], "junk between records");
    }

    #[test]
    fn noise_never_panics(sample in any_sample(), noise in proptest::collection::vec(any_byte(), 0..4000)) {
        read(sample, &noise);
    }

    #[test]
    fn chunks_of_any_size_give_the_same(sample in any_sample(), edits in proptest::collection::vec(any_edit(), 0..4), sizes in proptest::collection::vec(1usize..3000, 1..6)) {
        let edits = edits
            .into_iter()
            .map(|(at, remove, insert)| Edit { at: at.index(sample.bytes.len() + 1), remove, insert });
        let (bytes, _) = sample.apply(edits.collect());
        let whole = read_all(sample.source, &sample.name, &bytes);
        let chunked = in_chunks(sample, &bytes, &sizes);
        prop_assert_eq!(&chunked.session, &whole.session, "{}", sample.label);
        prop_assert_eq!(&chunked.problems, &whole.problems, "{}", sample.label);
        prop_assert_eq!(chunked.resume_at, whole.resume_at, "{}", sample.label);
    }

    #[test]
    fn a_reading_may_be_interrupted_anywhere(sample in any_sample(), cut in any::<Index>()) {
        resumed_is_whole(sample, &sample.bytes, cut.index(sample.bytes.len() + 1));
    }
}

fn in_chunks(sample: &Sample, bytes: &[u8], sizes: &[usize]) -> Read {
    sample.in_chunks(sample.source, bytes, sizes)
}

/// A prefix, then the rest from where the first reading said: the same session as in one go.
fn resumed_is_whole(sample: &Sample, bytes: &[u8], cut: usize) {
    let whole = read_all(sample.source, &sample.name, bytes);
    let first = read_all(sample.source, &sample.name, &bytes[..cut]);
    let from = usize::try_from(first.resume_at).unwrap();
    assert!(from <= cut, "{}: resume at {from} after {cut} bytes", sample.label);
    let stored = first.session.clone();
    // A file of which nothing was read is begun anew, as `ingest` does.
    let mut reader = match first.resume_at {
        0 => Reader::new(sample.source, &sample.name),
        at => Reader::resume(sample.source, &sample.name, first.session, at),
    };
    reader.feed(&bytes[from..]);
    let second = reader.finish();
    let at = format!("{} cut at {cut} of {}, resumed at {from}", sample.label, bytes.len());
    assert_eq!(second.session.events, whole.session.events, "{at}");
    assert_eq!(second.session, whole.session, "{at}");
    assert_eq!(second.resume_at, whole.resume_at, "{at}");
    let unchanged = if from == 0 { 0 } else { second.first_changed.min(stored.events.len()) };
    assert_eq!(second.session.events[..unchanged], stored.events[..unchanged], "{at}: changed before first_changed");
}

/// The cuts that matter most: every end of a record, one byte to either side, and a few inside it.
#[test]
fn a_reading_may_be_interrupted_at_every_record() {
    for sample in SAMPLES.iter() {
        let cuts: BTreeSet<usize> = sample
            .records
            .iter()
            .flat_map(|r| [r.start, r.start + 1, (r.start + r.end) / 2, r.end - 1, r.end, r.end + 1])
            .collect();
        for cut in cuts {
            resumed_is_whole(sample, &sample.bytes, cut.min(sample.bytes.len()));
        }
    }
}

#[test]
fn every_single_newline_may_be_lost() {
    for sample in SAMPLES.iter() {
        for (at, _) in sample.bytes.iter().enumerate().filter(|(_, b)| **b == b'\n') {
            check_edits(sample, vec![Edit { at, remove: 1, insert: Vec::new() }], "one lost newline");
        }
    }
}

#[test]
fn all_newlines_may_be_lost() {
    for sample in SAMPLES.iter() {
        let joined: Vec<u8> = sample.bytes.iter().copied().filter(|b| *b != b'\n').collect();
        let found = read(sample, &joined).session;
        assert_recovered(sample, &found, &BTreeSet::new(), "all newlines lost");
    }
}

/// A healthy file in another dress gives the very same events.
fn assert_same_events(sample: &Sample, bytes: &[u8], what: &str) {
    let found = read(sample, bytes);
    assert_recovered(sample, &found.session, &BTreeSet::new(), what);
    assert_eq!(found.session.events.len(), sample.healthy.events.len(), "{what} of {}", sample.label);
    assert_eq!(found.resume_at, bytes.len() as u64, "{what} of {}: read to its end", sample.label);
}

#[test]
fn marks_line_ends_and_padding_change_nothing() {
    for sample in SAMPLES.iter() {
        let text = String::from_utf8(sample.bytes.clone()).unwrap();
        let dresses = [
            ("CRLF", text.replace('\n', "\r\n")),
            ("byte-order mark", format!("\u{feff}{text}")),
            ("byte-order mark on every line", text.replace('\n', "\n\u{feff}")),
            ("NULs before every record", text.replace('\n', &format!("\n{}", "\0".repeat(700)))),
            ("NULs after every record", text.replace('\n', &format!("{}\n", "\0".repeat(700)))),
            ("blank lines", text.replace('\n', "\n\n \r\n\n")),
            ("no last newline", text.trim_end().to_owned()),
        ];
        for (what, dressed) in dresses {
            assert_same_events(sample, dressed.as_bytes(), what);
        }
    }
}

fn pretty(json: &[u8]) -> String {
    let value: serde_json::Value = serde_json::from_slice(json).unwrap();
    serde_json::to_string_pretty(&value).unwrap()
}

#[test]
fn any_record_may_be_printed_over_several_lines() {
    for sample in SAMPLES.iter() {
        let lines = lines(&sample.bytes);
        for chosen in 0..lines.len() {
            let mut out = Vec::new();
            for (i, line) in lines.iter().enumerate() {
                let record = &sample.bytes[line.clone()];
                if i == chosen {
                    out.extend_from_slice(pretty(record).as_bytes());
                } else {
                    out.extend_from_slice(record);
                }
                out.push(b'\n');
            }
            assert_same_events(sample, &out, &format!("record {chosen} pretty-printed"));
        }
        let all: Vec<String> = lines.iter().map(|l| pretty(&sample.bytes[l.clone()])).collect();
        assert_same_events(sample, format!("{}\n", all.join("\n")).as_bytes(), "all records pretty-printed");
    }
}

#[test]
fn a_pretty_printed_file_may_be_interrupted_anywhere() {
    for sample in SAMPLES.iter().filter(|s| s.bytes.len() < 9_000) {
        let all: Vec<String> = lines(&sample.bytes).into_iter().map(|l| pretty(&sample.bytes[l])).collect();
        let text = format!("{}\n", all.join("\n"));
        for cut in (0..=text.len()).step_by(1 + text.len() / 60) {
            resumed_is_whole(sample, text.as_bytes(), cut);
        }
    }
}

/// Damage inside one message of a pretty-printed array costs that message only.
#[test]
fn a_damaged_pretty_printed_array_loses_only_what_was_damaged() {
    let chat = message_array();
    let values: Vec<serde_json::Value> = CHAT.iter().map(|m| serde_json::from_str(m).unwrap()).collect();
    let text = serde_json::to_string_pretty(&values).unwrap();
    for (i, junk) in [(4, "\u{1}"), (8, "}"), (4, "\""), (8, "{")] {
        let id = format!("\"id\": \"m{i}\"");
        let at = text.find(&id).unwrap() + id.len();
        let damaged = format!("{}{junk}{}\n", &text[..at], &text[at..]);
        let found = read(&chat, damaged.as_bytes()).session;
        assert_recovered(&chat, &found, &BTreeSet::from([i - 1]), &format!("{junk:?} in a pretty-printed array"));
    }
}

/// `[`, one message a line with a comma, `]`: sound JSON, and how many tools write arrays.
#[test]
fn an_array_with_one_message_a_line_is_read_whole() {
    let chat = message_lines();
    for (open, between, close) in [("[\n", ",\n", "\n]\n"), ("[", ",\n", "]\n"), ("[\n  ", ",\n  ", "\n]\n")] {
        let text = format!("{open}{}{close}", CHAT.join(between));
        let found = read(&chat, text.as_bytes());
        assert_recovered(&chat, &found.session, &BTreeSet::new(), &format!("array joined by {between:?}"));
        assert_eq!(skipped(&found), 0, "sound JSON, nothing was skipped: {:?}", found.problems);
    }
}

/// Messages of this style carry no ids in reality: then the position must tell them apart, also in a second reading.
#[test]
fn messages_without_ids_are_all_kept() {
    let ids: Vec<String> = (1..=CHAT.len()).map(|i| format!("\"id\":\"m{i}\",")).collect();
    let bare: Vec<String> = CHAT.iter().zip(&ids).map(|(m, id)| m.replace(id, "")).collect();
    let shape = |s: &Session| s.events.iter().map(facts).collect::<Vec<_>>();
    let healthy = message_lines().healthy;
    for text in [format!("{}\n", bare.join("\n")), format!("[{}]\n", bare.join(","))] {
        let sample = by_lines("openai", "chat", text.into_bytes(), "messages without ids".to_owned());
        assert_eq!(shape(&sample.healthy), shape(&healthy));
        for cut in 0..=sample.bytes.len() {
            resumed_is_whole(&sample, &sample.bytes, cut);
        }
    }
}

/// Rewrites one record as JSON.
fn rewritten(sample: &Sample, record: usize, change: impl FnOnce(&mut serde_json::Value)) -> Vec<u8> {
    let r = &sample.records[record];
    let mut value: serde_json::Value = serde_json::from_slice(&sample.bytes[r.clone()]).unwrap();
    change(&mut value);
    let new = serde_json::to_vec(&value).unwrap();
    [&sample.bytes[..r.start], &new, &sample.bytes[r.end..]].concat()
}

/// An extra field no one knows, with a value of any shape, changes nothing.
#[test]
fn strange_values_in_ignored_fields_change_nothing() {
    let deep = 10_000;
    let values = [
        ("deep arrays", format!("{}1{}", "[".repeat(deep), "]".repeat(deep))),
        ("deep objects", format!("{}1{}", "{\"a\":".repeat(deep), "}".repeat(deep))),
        ("deep and mixed", format!("{}1{}", "[{\"a\":".repeat(deep), "}]".repeat(deep))),
        ("a huge exponent", "1e99999".to_owned()),
        ("a huge integer", "9".repeat(50_000)),
        ("a huge negative", format!("-{}.5e-400", "8".repeat(400))),
        ("braces in a text", format!("\"{}\"", "}{][".repeat(500))),
        ("a long text", format!("\"{}\"", "x".repeat(3 << 20))),
        ("many values", format!("[{}0]", "{\"a\":[]},".repeat(20_000))),
    ];
    let lines = SAMPLES.last().unwrap();
    for sample in [scenario("claude", "outcomes"), scenario("codex", "long-running"), lines] {
        for (what, value) in &values {
            // Into some records only: large values in all of them take long.
            let every = if value.len() > 1 << 20 { 8 } else { 1 };
            let edits = sample.records.iter().step_by(every).map(|r| Edit {
                at: r.start + 1,
                remove: 0,
                insert: format!("\"zzIgnored\":{value},").into_bytes(),
            });
            let (bytes, _) = sample.apply(edits.collect());
            let found = read(sample, &bytes);
            assert_eq!(found.problems.flaws, BTreeMap::new(), "{what} in {}", sample.label);
            assert_recovered(sample, &found.session, &BTreeSet::new(), what);
        }
    }
}

/// A deep broken record costs nothing on other lines, and nothing on its own line unless it is deeper than any
/// client writes: the work of one line is bounded.
#[test]
fn a_deep_broken_record_does_not_cost_its_neighbours() {
    for (sample, record) in [(scenario("claude", "outcomes"), 2), (scenario("codex", "outcomes"), 3)] {
        for (depth, end) in [(3, ""), (40, ""), (40, "\"text"), (10_000, "\n"), (10_000, "\"text\n")] {
            for piece in ["{\"a\":", "[", "[{\"a\":"] {
                let broken = format!("{{\"type\":\"user\",\"zz\":{}{end}", piece.repeat(depth));
                let edit = Edit { at: sample.records[record].start, remove: 0, insert: broken.into_bytes() };
                check_edits(sample, vec![edit], &format!("a broken record {depth} deep in {piece:?}, then {end:?}"));
            }
        }
    }
}

/// The recorded session of a scenario, of the newest version of a client that has it.
fn scenario(client: &str, name: &str) -> &'static Sample {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(fixtures().join("recorded")).unwrap().map(|e| e.unwrap().path()).collect();
    folders.sort();
    for folder in folders.iter().rev().filter(|f| f.is_dir()) {
        let index = fs::read_to_string(folder.join("index.jsonl")).unwrap();
        let mut rows = index.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap());
        if let Some(row) = rows.find(|r| r["client"] == client && r["scenario"] == name) {
            let path = folder.join(row["files"][0].as_str().unwrap());
            return SAMPLES.iter().find(|s| Path::new(&s.label) == path).unwrap();
        }
    }
    panic!("no scenario {name} of {client}");
}

/// The same event in another reading: by its id or, where the id is made of the text, by its place.
fn find<'s>(session: &'s Session, event: &Event) -> Option<&'s Event> {
    let same_place = |e: &&Event| e.offset == event.offset && e.kind() == event.kind();
    session.events.iter().find(|e| e.id == event.id).or_else(|| session.events.iter().find(same_place))
}

/// Half a character (`"\ud83d"`, from a text that was cut between two UTF-16 units) is repaired, not lost.
#[test]
fn half_a_character_costs_nothing_but_itself() {
    // The polled command's output has no words but those of the client's frame.
    for sample in SAMPLES.iter().filter(|s| s.label != "polled command") {
        for (event, needs) in sample.healthy.events.iter().zip(&sample.needs) {
            // the words of a message, the first word of a command's output
            let text = match &event.body {
                uptake_core::session::Body::Assistant { text } => text.to_text(),
                // Where words decide the outcome, half a character in them may change it.
                uptake_core::session::Body::Call(call) if call.outcome.code().is_some() => call.output.to_text(),
                uptake_core::session::Body::Call(_) => continue,
                uptake_core::session::Body::User { .. } => event.human_text().unwrap_or_default(),
            };
            let Some(word) = text.split(|c: char| !c.is_ascii_alphabetic()).find(|w| w.len() > 4) else { continue };
            let Some(&last) = needs.last() else { continue };
            let record = &sample.records[last];
            let Some(at) = memchr::memmem::find(&sample.bytes[record.clone()], word.as_bytes()) else { continue };
            let at = record.start + at + 2;
            for half in ["\\ud83d", "\\uDE00"] {
                let (bytes, _) = sample.apply(vec![Edit { at, remove: 0, insert: half.into() }]);
                let found = read(sample, &bytes).session;
                let found = find(&found, event);
                let what = format!("{half} in record {last} of {}", sample.label);
                let found = found.unwrap_or_else(|| panic!("{what}: event {} is lost", event.id));
                assert_eq!(facts(found), facts(event), "{what}");
            }
        }
    }
}

/// Bytes that are no UTF-8 inside a text are replaced; the record stays.
#[test]
fn bytes_that_are_no_text_cost_nothing_but_themselves() {
    for sample in SAMPLES.iter() {
        for (event, needs) in sample.healthy.events.iter().zip(&sample.needs) {
            let uptake_core::session::Body::Assistant { text } = &event.body else { continue };
            let Some(record) = needs.first().map(|n| &sample.records[*n]) else { continue };
            let Some(at) = memchr::memmem::find(&sample.bytes[record.clone()], text.head().as_bytes()) else {
                continue;
            };
            for junk in [&b"\xFF"[..], b"\xC3", b"\xED\xA0\xBD", b"\xF0\x9F\x98"] {
                let edit = Edit { at: record.start + at, remove: 0, insert: junk.to_vec() };
                let (bytes, _) = sample.apply(vec![edit]);
                let read = read(sample, &bytes);
                let found = find(&read.session, event);
                assert_eq!(found.map(facts), Some(facts(event)), "{junk:?} in {}", sample.label);
                assert!(read.problems.flaws.contains_key(&Flaw::Repaired), "{junk:?} in {} is told", sample.label);
            }
        }
    }
}

#[test]
fn no_more_is_skipped_than_there_is() {
    let sample = scenario("claude", "outcomes");
    let first = &sample.bytes[sample.records[0].clone()];
    for junk in [vec![0xFF; 5_000], vec![b'{'; 5_000], vec![0xC3; 5_000], b"{\"a\":\xFF\xFF\xFF\xFF{\"b\":".repeat(300)]
    {
        for bytes in [junk.clone(), [&junk[..], b"\n"].concat(), [first, &junk, first, b"\n", &junk, b"\n"].concat()] {
            let found = read(sample, &bytes); // asserts it
            assert!(skipped(&found) > 0, "something was skipped: {:?}", found.problems);
        }
    }
}

/// A record type that is passed over says nothing of the record beside it.
#[test]
fn what_is_passed_over_does_not_take_its_neighbour_along() {
    let sample = scenario("claude", "outcomes");
    assert_eq!(sample.source.name, "claude");
    for kind in ["progress", "file-history-snapshot", "api-request-1", "file-history-delta"] {
        let passed = format!(r#"{{"type":"{kind}","uuid":"zz","sessionId":"s","data":{{"x":1}}}}"#);
        for (what, insert) in [
            ("whole", passed.clone()),
            ("chopped", passed[..passed.len() - 2].to_owned()),
            ("chopped early", passed[..passed.len() - 9].to_owned()),
        ] {
            for record in &sample.records {
                let edit = Edit { at: record.start, remove: 0, insert: insert.clone().into_bytes() };
                check_edits(sample, vec![edit], &format!("{kind} record, {what}, before another on its line"));
            }
        }
    }
}

/// The same words deeper inside a record are data.
#[test]
fn a_type_inside_a_tools_input_is_no_record_type() {
    let sample = scenario("claude", "outcomes");
    let (event, needs) = sample.healthy.events.iter().zip(&sample.needs).find(|(e, _)| e.shell().is_some()).unwrap();
    let call = *needs.first().unwrap();
    let bytes = rewritten(sample, call, |v| {
        v["message"]["content"][0]["input"]["extra"] = serde_json::json!({"type": "progress", "n": 1});
    });
    let found = read(sample, &bytes).session;
    assert_eq!(by_id(&found).get(event.id.as_str()), Some(&facts(event)), "a call whose input has a field `type`");
}

fn within(limit: Duration, what: &str, bytes: &[u8]) {
    for client in ["claude", "codex", "openai"] {
        let start = Instant::now();
        read_all(source(client).unwrap(), "x", bytes);
        let took = start.elapsed();
        assert!(took < limit, "{what}: {client} took {took:?} for {} KB", bytes.len() / 1024);
    }
}

/// Input made to be read again and again.
#[test]
fn work_grows_with_the_input_only() {
    let n = 20_000;
    let cases = [
        ("open braces", "{".repeat(n * 8)),
        ("open arrays", "[".repeat(n * 8)),
        ("open objects", "{\"a\":".repeat(n)),
        ("open objects on lines", "{\"a\":\n".repeat(n)),
        ("open pretty objects", "{\n\"a\":\n".repeat(n)),
        ("open texts", "{\"".repeat(n)),
        ("open long texts", format!("{{\"a\":\"{}", "{\\\"a\\\":\\\"".repeat(n))),
        ("half records", "{\"type\":\"user\",\"uuid\":\"x\",\"message\":{\"a\":[\n".repeat(n / 4)),
        ("half records on one line", "{\"type\":\"user\",\"uuid\":\"x\",\"message\":{\"a\":[".repeat(n / 4)),
        ("closing lines", format!("{{\n\"a\":[\n{}", "{\n},\n".repeat(n))),
        ("closing brackets", format!("[\n{}", "[\n],\n".repeat(n))),
        ("closing texts", format!("[\n{}", "\"x\",\n]\n".repeat(n))),
        ("commas", "{\"a\":1,\n".repeat(n)),
        ("NULs", "\0".repeat(n * 16)),
        ("blank lines", "\n".repeat(n * 16)),
        ("half characters", "\\ud800".repeat(n)),
    ];
    for (what, text) in &cases {
        within(Duration::from_secs(4), what, text.as_bytes());
    }
}

/// Long lines are shortened while they stream by: all but the length told of the text stays the same.
#[test]
fn a_very_long_line_is_one_record() {
    let sample = scenario("claude", "outcomes");
    let index = sample.healthy.events.iter().position(|e| e.shell().is_some()).unwrap();
    let (event, needs) = (&sample.healthy.events[index], &sample.needs[index]);
    let long = format!("head é\\\"{}tail é", "0123456789 \u{e9}\\\"\n\t".repeat(200_000));
    let bytes = rewritten(sample, *needs.last().unwrap(), |v| {
        v["message"]["content"][0]["content"] = long.clone().into();
    });
    assert!(bytes.len() > 3 << 20);
    let whole = read(sample, &bytes);
    assert_eq!(whole.problems.flaws, BTreeMap::new());
    assert_eq!(by_id(&whole.session).len(), sample.healthy.events.len());
    let output = &whole.session.events[index].call().unwrap().output;
    assert!(output.head().starts_with("head é\\\"") && output.tail().ends_with("tail é"), "{}", event.id);
    assert!(output.is_cut());
    let mut whole = whole.session;
    forget_lengths(&mut whole);
    for size in [4_096, 65_536, 1 << 20] {
        let mut chunked = in_chunks(sample, &bytes, &[size]).session;
        forget_lengths(&mut chunked);
        assert!(chunked == whole, "in chunks of {size}");
    }
}

fn forget_lengths(session: &mut Session) {
    for event in &mut session.events {
        if let uptake_core::session::Body::Call(call) = &mut event.body {
            let output = &call.output;
            let (head, tail) = (output.head().to_owned(), output.stored_tail().to_owned());
            call.output = Excerpt::from_parts(head, tail, 0);
        }
    }
}

/// A long broken line gives back the sound records in it, and costs nothing on other lines.
#[test]
fn a_very_long_broken_line_does_not_cost_its_neighbours() {
    let sample = scenario("claude", "outcomes");
    let at = sample.records[3].start;
    for (filler, len, end) in [
        ("x", 2 << 20, ""),
        ("\\\"", 2 << 20, ""),
        ("}", 2 << 20, ""),
        ("{", 2 << 20, "\n"),
        ("{\"a\":", 1 << 17, "\n"),
    ] {
        let broken = format!("{{\"type\":\"user\",\"text\":\"{}", filler.repeat(len / filler.len()));
        let edit = Edit { at, remove: 0, insert: format!("{broken}{end}").into_bytes() };
        check_edits(sample, vec![edit], &format!("{len} bytes of {filler:?} before a record"));
    }
}
