//! A subagent starts: what concerns it, mistakes first, and a share for what was never told.
//!
//! Comes in: approved lessons of the project, and which kind of agent it is. Goes out: few of them, in the order in which they are
//! told. What only agents of another kind handed in is left out.

use super::{Envelope, is_for_start, is_worth_telling, listed};
use crate::detect::Kind;
use crate::learn::Lesson;
use crate::submit;

/// Most lessons that a subagent is told.
pub const LESSONS: usize = 15;
/// Of them, for those that were never told: what nobody hears cannot show what it is worth.
const NEW: usize = 3;
/// Longest text that it is told.
const LIMIT: usize = 2_400; // bytes

/// The kinds of lessons that are told, mistakes first.
pub const KINDS: [Kind; 8] = [
    Kind::Recovery,
    Kind::Fact,
    Kind::Pitfall,
    Kind::Correction,
    Kind::Decision,
    Kind::Instruction,
    Kind::Procedure,
    Kind::Workflow,
];

/// Mistakes, conventions, patterns, insights.
fn order(kind: Kind) -> u8 {
    match kind {
        Kind::Recovery | Kind::Fact | Kind::Pitfall => 0,
        Kind::Correction | Kind::Decision | Kind::Instruction => 1,
        Kind::Procedure | Kind::Workflow => 2,
        Kind::Insight => 3,
    }
}

/// The lessons that an agent of a kind is told, in order. `was_told` says whether one ever was.
pub fn chosen(mut lessons: Vec<Lesson>, agent: &str, was_told: &dyn Fn(&str) -> bool) -> Vec<Lesson> {
    let worth = |l: &Lesson| if l.kind == Kind::Recovery { is_worth_telling(l) } else { is_for_start(l) };
    lessons.retain(|l| submit::concerns(&l.evidence.sources, agent) && worth(l));
    let rank = |l: &Lesson| l.evidence.worth.rank;
    let in_order = |a: &Lesson, b: &Lesson| {
        order(a.kind).cmp(&order(b.kind)).then_with(|| rank(b).total_cmp(&rank(a))).then_with(|| a.id.cmp(&b.id))
    };
    lessons.sort_by(in_order);
    lessons.dedup_by(|a, b| a.id == b.id);
    if lessons.len() <= LESSONS {
        return lessons;
    }
    let mut others = lessons.split_off(LESSONS - NEW);
    // The newest of them first.
    let mut new: Vec<Lesson> = others.extract_if(.., |l| !was_told(&l.id)).collect();
    new.sort_by_key(|l| std::cmp::Reverse(l.evidence.first));
    lessons.extend(new.into_iter().chain(others).take(NEW));
    lessons.sort_by(in_order);
    lessons
}

/// The words for a subagent: a line for each lesson, within the caps.
pub fn words(lines: &[&str], root: Option<&str>) -> Option<Envelope> {
    listed(lines, root, LESSONS, LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::by_hand;

    fn many() -> Vec<Lesson> {
        let lesson = |n: i64| {
            let mut lesson = by_hand("p", &format!("Module {n} keeps its state in `store{n}.rs`"), n);
            lesson.kind = [Kind::Instruction, Kind::Pitfall, Kind::Procedure][n as usize % 3];
            lesson.evidence.worth.rank = n as f64;
            lesson
        };
        (0..60).map(lesson).collect()
    }

    #[test]
    fn mistakes_come_first_and_new_ones_get_their_share() {
        let lessons = many();
        let newest: Vec<String> = lessons[..3].iter().map(|l| l.id.clone()).collect();
        let told = |id: &str| !newest.contains(&id.to_owned());
        let chosen = chosen(lessons.clone(), "builder", &told);
        assert_eq!(chosen.len(), LESSONS);
        let orders: Vec<u8> = chosen.iter().map(|l| order(l.kind)).collect();
        assert!(orders.is_sorted() && orders[0] == 0, "{orders:?}");
        assert!(newest.iter().all(|id| chosen.iter().any(|l| l.id == *id)), "what was never told is in it");
        assert!(chosen.iter().any(|l| l.evidence.worth.rank == 58.0), "and so is the best");
    }

    #[test]
    fn what_other_agents_handed_in_is_theirs() {
        let mut lessons = many();
        lessons.iter_mut().for_each(|l| l.evidence.sources = vec![submit::source_of(Some("tester"))]);
        assert!(chosen(lessons.clone(), "builder", &|_| true).is_empty());
        assert_eq!(chosen(lessons, "tester", &|_| true).len(), LESSONS);
    }

    #[test]
    fn a_text_has_its_caps() {
        let lines = vec!["a line that says something about the project and its many modules"; 30];
        let distinct: Vec<String> = lines.iter().enumerate().map(|(n, l)| format!("{l} {n}")).collect();
        let lines: Vec<&str> = distinct.iter().map(String::as_str).collect();
        let told = words(&lines, None).expect("a text");
        assert!(told.hints.len() == LESSONS && told.text.len() <= LIMIT);
    }
}
