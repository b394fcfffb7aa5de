//! Redact, then cut: a secret across any cap leaves nothing of itself in what is kept.
//!
//! A part of all places here; `cargo xtask battery --only caps` tries every one.

use uptake_testkit::Rng;
use uptake_testkit::plants::caps::{CAPS, left_of};
use uptake_testkit::plants::kinds::{KINDS, KnownBy};

/// Every so many places of a secret across a cap.
const STEP: usize = 43;

#[test]
fn a_secret_across_a_cap_is_not_kept_in_part() {
    let mut rng = Rng::new(12, "caps");
    let mut leaks = Vec::new();
    for (n, kind) in KINDS.iter().filter(|k| k.known_by != KnownBy::Name).enumerate() {
        for (c, cap) in CAPS.iter().enumerate() {
            // Huge lines take long: each kind meets one of them.
            if cap.name.starts_with("huge") && !(n + c).is_multiple_of(16) {
                continue;
            }
            let secret = kind.draw(&mut rng);
            for before in (1 + (n * 7 + c * 13) % STEP..secret.text.len() + 2).step_by(STEP) {
                let kept = cap.kept(&secret.text, before);
                leaks.extend(
                    left_of(&secret, &kept).map(|part| format!("{}, {}, {before}: {part}", cap.name, kind.name)),
                );
            }
        }
    }
    assert!(leaks.is_empty(), "{} leaks:\n{}", leaks.len(), leaks[..leaks.len().min(20)].join("\n"));
}

#[test]
fn the_search_itself_finds_half_a_secret() {
    let mut rng = Rng::new(12, "caps");
    let secret = KINDS[0].draw(&mut rng);
    assert!(left_of(&secret, &format!("x {} y", &secret.text[..secret.text.len() - 4])).is_some());
    assert!(left_of(&secret, "nothing of it").is_none());
}
