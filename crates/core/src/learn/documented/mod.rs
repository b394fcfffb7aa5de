//! What is documented of earlier learning tools, case by case: their own cases where ours is the same, ours where theirs
//! went wrong or where we decided otherwise.
//!
//! | case | test |
//! |---|---|
//! | filter: isMeta, sourceToolUseID, toolUseResult, tags, answers to calls | `filter::what_the_client_wrote_is_nobodys_words` |
//! | filter: one noisy and one clean text | `filter::the_clean_text_beside_a_noisy_one_is_kept` |
//! | filter: `   ok  `, empty texts | `filter::a_word_of_consent_says_nothing` |
//! | filter: bad JSON line | `filter::a_broken_line_costs_only_itself` |
//! | filter: 2,000 x's, 90 turns | `filter::long_texts_are_cut_and_long_sessions_are_not` |
//! | filter: user after user, noisy assistant, two alternations | `filter::a_pitfall_needs_what_it_objects_to` |
//! | confidence by count | `evidence::tests::the_documented_confidences_hold`, `adding_up::there_is_no_unknown_kind` |
//! | promotion: count, quality, days | `evidence::tests::promotion_needs_count_quality_and_days`, `adding_up::a_workflow_…`, `adding_up::a_decision_…` |
//! | promotion: created stays created, count + 1 | `adding_up::more_sights_change_counts_and_nothing_else` |
//! | promotion: missing pattern, invalid type, bad id | `import::tests::damage_is_listed_and_the_rest_is_taken` |
//! | decay: 35 d, 200 d, fresh, nothing there, mixed | `evidence::tests::decay_is_counted_…`, `adding_up::age_takes_rank_and_nothing_else` |
//! | merge: same, different, evidence cap, id clash, sticky quality, pitfalls | `adding_up::the_same_words_…` and those below it |
//! | reconcile: missing file .90 → .27 | `adding_up::a_deletion_holds_after_it_is_seen_again` |
//! | bugs: log destroyed above 100 entries | `adding_up::nothing_is_lost_above_a_hundred` |
//! | bugs: deletion does not hold; decay compounds | `adding_up::a_deletion_…`, `adding_up::age_takes_…` |
//! | bugs: slugs collide; ids of other types; reported id; reinforcement by another name | `adding_up::a_name_is_no_identity` |
//! | bugs: oldest evidence kept | `adding_up::the_newest_twenty_places_are_kept_and_all_are_counted` |
//! | bugs: `;` truncates; divergence goes unseen | `adding_up::a_semicolon_is_a_character`, `adding_up::other_wordings_stay_to_be_read` |
//! | staging: lost in the second session | `candidates::what_was_not_shown_is_not_lost` |
//! | staging: only the latest 20 are read | `candidates::a_fix_is_found_however_much_follows` |
//! | staging: unrelated events, substrings | `candidates::chance_and_substrings_pair_nothing` |
//! | staging: a fix that names the error | `problem_solution::tests::a_fix_that_names_the_error_is_not_a_problem_of_its_own` |
//! | staging: equal timestamps | `error_fix::tests::equal_times_pair_by_their_order`, `candidates::order_counts_and_not_the_clock` |
//! | runs: control trio, two observations, five on one file, two non-obvious, 12 problems | `candidates::the_documented_runs_hold` |
//!
//! Files of artifacts (render, reconcile, capacity, indexes) are no matter of lessons and not here.

mod adding_up;
mod candidates;
mod filter;

use super::evidence::DAY;
use crate::detect::tests::session;
use crate::detect::{Observation, detect};

/// What is seen in a session of its own that begins at a time.
fn seen(root: &str, at: i64, script: &str) -> Vec<Observation> {
    let mut s = session(script);
    (s.id, s.root) = (root.to_owned(), root.to_owned());
    for (n, e) in (0..).zip(s.events.iter_mut()) {
        e.id = format!("{root}-{n}");
        e.at = Some(at + n);
    }
    detect(&s)
}

/// The same with a day for each session.
fn on_days(days: &[i64], script: &str) -> Vec<Observation> {
    days.iter().enumerate().flat_map(|(n, day)| seen(&format!("s{n}"), day * DAY, script)).collect()
}
