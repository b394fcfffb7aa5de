//! Where earlier tools went wrong: substrings, position, relatedness, chance. Each case is one of theirs.

use super::*;
use crate::normal::command::topic;

fn detectors(script: &str) -> Vec<String> {
    let seen = detect(&session(script));
    let patterns = seen.iter().filter(|o| o.claim.kind != Kind::Fact);
    patterns.map(|o| format!("{} {}", o.head.detector, o.claim.name)).collect()
}

#[test]
fn a_word_in_what_was_searched_for_is_no_failure() {
    let found = detectors("? grep -r 'error:' src => src/a.rs:3: error: not found\n$ make");
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_failure_that_does_not_say_error_is_one() {
    // Four calls, but the second failed: no procedure.
    let found = detectors(
        "$ ./configure
         ? make => Makefile:3: *** missing separator.  Stop.
         $ make clean
         $ make dist",
    );
    assert!(!found.iter().any(|f| f.starts_with("multi-step")), "{found:?}");
}

#[test]
fn know_is_not_no_and_position_counts() {
    for script in [
        "u I want to know the entry point\n$ npm run build\n$ npm run build:prod\n$ ls",
        "u build it\n$ npm run build:prod\n$ ls\nu no, npm run build:prod would have been right",
        "u no, do it differently, with npm run build:prod\n! npm run build => x\n$ npm run build:prod",
        // Three words are named, but the commands around the message have nothing to do with each other.
        "u go on\n$ mise run lint\nu no, move the overlap docs to requirement\n$ mkdir -p requirement && mv docs/overlap requirement",
    ] {
        assert!(detectors(script).iter().all(|f| !f.starts_with("user-correction user-correction-")), "{script}");
    }
}

#[test]
fn an_unrelated_success_is_no_fix() {
    for script in [
        "! docker ps => Cannot connect to the Docker daemon\n$ sed -i s/a/b/ README.md",
        "! npm test => 1 failing\n$ git commit -m 'docs: fix a typo'",
        "! pip install request => Error: No matching distribution\n$ pip list",
    ] {
        assert!(detectors(script).iter().all(|f| !f.starts_with("error-recovery")), "{script}");
    }
}

#[test]
fn topics_are_programs() {
    for (line, expect) in [
        ("sudo docker build .", "docker"),
        ("FOO=1 make all", "make"),
        ("/usr/bin/python3 manage.py migrate", "python3"),
        ("'quoted' command", "quoted"),
        ("docker build .", "docker"),
    ] {
        assert_eq!(topic(line), expect, "{line}");
    }
}

#[test]
fn a_request_is_not_any_use_of_its_words() {
    assert_eq!(detectors("u remember that the database has users\n$ ls"), [""; 0]);
    assert_eq!(detectors("u how are you\n$ make all"), [""; 0]);
    assert_eq!(detectors("u do it\n$ make all\nu save this as a skill please"), ["explicit-instruction all"]);
}

#[test]
fn equal_candidates_do_not_take_turns() {
    let script = "$ go test ./a\n$ go vet ./a\n$ go test ./b\n$ go vet ./b\n$ go test ./c\n$ go vet ./c";
    let first = detect(&session(script));
    for _ in 0..20 {
        assert_eq!(detect(&session(script)), first);
    }
}

#[test]
fn a_password_in_a_command_is_not_shown() {
    let mut s = session("$ docker run -e POSTGRES_PASSWORD=hunter22x db\n$ make a\n$ make b\n$ make c");
    s.settle_from(0, crate::redact::clean_up);
    let told = format!("{:?}", detect(&s));
    assert!(told.contains("POSTGRES_PASSWORD") && !told.contains("hunter22x"), "{told}");
}

#[test]
fn long_texts_are_cut_between_characters() {
    let long = "ä".repeat(3_000);
    let s = session(&format!("u no, {long}\n! tool --x {long} => error: unknown option --x\n$ tool --y {long}"));
    assert!(detect(&s).iter().all(|o| o.claim.text.chars().count() < 1_500));
}
