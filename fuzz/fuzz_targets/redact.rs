//! A secret of any kind, in any notation, between any texts: nothing of it is left, and cleaning again changes nothing.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use uptake_core::redact::{clean, visible};
use uptake_testkit::Rng;
use uptake_testkit::plants::formats::FORMATS;
use uptake_testkit::plants::kinds::{KINDS, KnownBy};
use uptake_testkit::plants::scan::Scanner;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    kind: u8,
    format: u8,
    seed: u16,
    joint: u8,
    before: &'a str,
    after: &'a str,
}

/// What stands between the surroundings and the notation: without any, a notation may be another one.
const JOINTS: &[&str] = &[" ", "\n", "\t", "\r\n", " | ", " ; "];

fuzz_target!(|input: Input<'_>| {
    let kind = &KINDS[usize::from(input.kind) % KINDS.len()];
    let formats: Vec<_> = FORMATS.iter().filter(|f| f.holds(kind.known_by)).collect();
    let format = formats[usize::from(input.format) % formats.len()];
    let secret = kind.draw(&mut Rng::new(u64::from(input.seed), kind.name));
    let joint = JOINTS[usize::from(input.joint) % JOINTS.len()];
    let text = format!("{}{joint}{}{joint}{}", input.before, (format.write)(&secret.text), input.after);
    let once = clean(&text);
    assert_eq!(clean(&once), once, "twice");
    assert_eq!(visible(&once), once, "invisible characters are left");
    // What only its name gives away is not known if the surroundings take the name apart.
    if kind.known_by == KnownBy::Name {
        return;
    }
    let mut scanner = Scanner::default();
    scanner.add(&secret, 0);
    scanner.search(once.as_bytes(), &mut |_, left| {
        panic!("{} as {}: {left} is left\n  of {text:?}\n  in {once:?}", kind.name, format.name);
    });
});
