//! Cases for the reader of records.

use super::*;
use expect_test::{Expect, expect};

/// Takes objects that have an `id`.
#[derive(Default)]
struct Ids(Vec<String>);

impl Taker for Ids {
    fn take(&mut self, record: &[u8], place: RecordPlace) -> RecordVerdict {
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(record) else { return RecordVerdict::Broken };
        let Some(id) = value.get("id") else { return RecordVerdict::Foreign };
        self.0.push(format!("{id}@{}", place.offset));
        RecordVerdict::Taken
    }
}

fn read(input: &[u8], chunk: usize) -> (String, u64) {
    let mut records = Records::default();
    let mut ids = Ids::default();
    for part in input.chunks(chunk) {
        records.feed(part, &mut ids);
    }
    records.finish(&mut ids);
    (format!("{} {:?}", ids.0.join(" "), records.problems.flaws), records.resume_at())
}

fn check(input: &[u8], expect: Expect) {
    let whole = read(input, input.len().max(1));
    expect.assert_eq(&whole.0);
    for chunk in [1, 3, 16] {
        assert_eq!(read(input, chunk), whole, "in chunks of {chunk}");
    }
}

#[test]
fn healthy_lines() {
    check(b"{\"id\":1}\n{\"id\":2}\r\n\n{\"id\":3}", expect![[r#"1@0 2@9 3@20 {}"#]]);
}

#[test]
fn a_lost_newline_loses_nothing() {
    check(b"{\"id\":1}{\"id\":2}\n{\"id\":3}\n", expect![[r#"1@0 2@8 3@17 {}"#]]);
}

#[test]
fn a_truncated_record_does_not_eat_the_next() {
    check(
        b"{\"id\":1,\"t\":\"abc{\"id\":2}\n{\"id\":3}\n",
        expect!["2@16 3@25 {Damaged: Tally { count: 1, bytes: 16 }}"],
    );
    check(
        b"{\"id\":1,\"t\":[\n{\"id\":2}\n{\"id\":3}\n",
        expect![[r#"2@14 3@23 {Damaged: Tally { count: 1, bytes: 13 }}"#]],
    );
}

#[test]
fn what_is_skipped_is_counted_in_the_bytes_of_the_file() {
    check(b"\xFF\xFF\xFF{\"id\":1}\n", expect![[r#"1@3 {Damaged: Tally { count: 1, bytes: 3 }}"#]]);
    check(b"{\"id\":1}junk \0{\"id\":2}\n", expect![[r#"1@0 2@14 {Damaged: Tally { count: 1, bytes: 4 }}"#]]);
    check(b" {\"a\":1} \r\n", expect![[r#" {Foreign: Tally { count: 1, bytes: 7 }}"#]]);
    check("{\"id\":1}\u{feff}\n".as_bytes(), expect![[r#"1@0 {}"#]]);
    let long = "x".repeat(3 << 20);
    let input = format!("{{\"id\":1,\"t\":\"{long}\"}}junk{{\"id\":2}}\n");
    let second = input.len() - 9;
    let (told, _) = read(input.as_bytes(), 1 << 16);
    assert_eq!(told, format!("1@0 2@{second} {{Damaged: Tally {{ count: 1, bytes: 4 }}}}"));
}

#[test]
fn padding_and_marks_are_no_damage() {
    check(b"\xEF\xBB\xBF{\"id\":1}\n\0\0\0\0{\"id\":2}\n", expect![[r#"1@0 2@12 {}"#]]);
}

#[test]
fn pretty_printed_records_are_put_together() {
    check(b"{\n  \"id\": 1,\n  \"x\": {\n    \"y\": 2\n  }\n}\n{\"id\":2}\n", expect!["1@0 2@39 {}"]);
}

#[test]
fn broken_characters_are_replaced() {
    check(
        b"{\"id\":\"\xFF\"}\n{\"id\":\"\\ud800\"}\n",
        expect![[r#""�"@0 "�"@11 {Repaired: Tally { count: 2, bytes: 25 }}"#]],
    );
}

#[test]
fn a_record_found_inside_damage_is_repaired_as_a_whole_line_is() {
    check(b"x{\"id\":\"\xFF\xFE\"}\n", expect![[r#""��"@1 {Damaged: Tally { count: 1, bytes: 1 }}"#]]);
}

#[test]
fn an_unfinished_line_is_left_for_the_next_reading() {
    let input = b"{\"id\":1}\n{\"id\":2,\"te";
    assert_eq!(read(input, 100).1, 9);
    check(input, expect![[r#"1@0 {Unfinished: Tally { count: 1, bytes: 11 }}"#]]);
}

#[test]
fn a_line_of_many_megabytes_needs_little_memory() {
    let mut records = Records::default();
    let mut ids = Ids::default();
    records.feed(b"{\"id\":7,\"text\":\"", &mut ids);
    let part = vec![b'x'; 1 << 20];
    for _ in 0..64 {
        records.feed(&part, &mut ids);
        let held = records.carry.capacity() + records.shrinker.as_ref().map_or(0, |s| s.out.capacity());
        assert!(held < 8 << 20, "{held}");
    }
    records.feed(b"\"}\n{\"id\":8}\n", &mut ids);
    assert_eq!(ids.0, ["7@0", "8@67108883"]);
}

#[test]
fn a_record_too_large_to_hold_is_passed_over_and_reported() {
    let mut records = Records::default();
    let mut ids = Ids::default();
    records.feed(b"{\"id\":1,\"x\":[", &mut ids);
    let part = b"\"abcdefgh\",".repeat(100_000);
    for _ in 0..70 {
        records.feed(&part, &mut ids);
    }
    records.feed(b"0]}\n{\"id\":2}\n", &mut ids);
    assert_eq!(ids.0.len(), 1);
    assert_eq!(records.problems.flaws.get(&Flaw::TooLarge).map(|t| t.count), Some(1));
}
