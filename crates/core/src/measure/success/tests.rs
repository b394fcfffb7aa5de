use super::*;
use crate::measure::rates::Chance;

const APPLIED: Use = Use { applied: true, verified: true, passed: None, goal: None, relevance: None, at: 0 };
const UNVERIFIED: Use = Use { verified: false, ..APPLIED };
const SHOWN: Use = Use { applied: false, ..APPLIED };

fn record(uses: &[Use]) -> Record {
    let mut record = Record::default();
    uses.iter().for_each(|one| record.add(one));
    record
}

fn check(uses: &[Use], since: u32, rate: Option<&str>, bin: Option<&str>, flag: Option<Flag>) {
    let r = record(uses);
    assert_eq!(r.rate().map(|r| format!("{r:.2}")).as_deref(), rate, "{uses:?}");
    assert_eq!((r.bin(), r.flag(since)), (bin, flag), "{uses:?}");
    assert_eq!(record(uses), r, "running twice gives the same");
}

#[test]
fn the_cases_of_closedloop_hold() {
    let goal = |met, relevance| Use { goal: Some(met), relevance: Some(relevance), ..APPLIED };
    check(&[], 0, None, None, Some(Flag::Untested));
    check(&[APPLIED], 0, Some("1.00"), Some("high"), None);
    check(&[APPLIED, UNVERIFIED, APPLIED], 0, Some("0.67"), Some("medium"), None);
    check(&[APPLIED, UNVERIFIED, UNVERIFIED], 0, Some("0.33"), Some("low"), Some(Flag::Review));
    check(&[goal(true, 900), goal(false, 600)], 0, Some("0.65"), Some("medium"), None);
    check(&[APPLIED, SHOWN, SHOWN], 0, Some("0.33"), Some("low"), Some(Flag::Review));
    check(&[UNVERIFIED; 3], 0, Some("0.00"), Some("low"), Some(Flag::Review));
    check(&[APPLIED], 10, Some("1.00"), Some("high"), Some(Flag::Stale));
    check(&[APPLIED], 9, Some("1.00"), Some("high"), None);
    check(&[UNVERIFIED], 10, Some("0.00"), Some("low"), Some(Flag::Stale));
    check(&[UNVERIFIED; 21], 0, Some("0.00"), Some("low"), Some(Flag::Prune));
    check(&[UNVERIFIED; 20], 0, Some("0.00"), Some("low"), Some(Flag::Review));
    let nine: Vec<Use> = [vec![APPLIED; 9], vec![UNVERIFIED; 12]].concat();
    check(&nine, 0, Some("0.43"), Some("medium"), None);
}

/// Where theirs gave 1.00: nothing read the build's result.
#[test]
fn a_build_that_failed_counts() {
    let failed = Use { passed: Some(false), ..APPLIED };
    check(&[failed; 4], 0, Some("0.00"), Some("low"), Some(Flag::Review));
    check(&[failed, Use { passed: Some(true), ..APPLIED }], 0, Some("0.50"), Some("medium"), None);
    let met = Use { goal: Some(true), ..failed };
    check(&[met], 0, Some("0.00"), Some("low"), Some(Flag::Review));
}

/// Where theirs was always 0.5: scores had ids, outcomes had words.
#[test]
fn relevance_reaches_the_rate() {
    let missed = |relevance| record(&[Use { goal: Some(false), relevance, ..APPLIED }]).rate();
    assert_eq!((missed(Some(1_000)), missed(Some(200)), missed(None)), (Some(0.5), Some(0.1), Some(0.25)));
}

/// What it should be, written slowly: all uses of all lessons in one list, looked through for each lesson.
fn slow(all: &[(String, Use)], lesson: &str) -> (u32, Option<f64>, Option<Flag>) {
    let mine: Vec<&Use> = all.iter().filter(|(id, _)| id == lesson).map(|(_, u)| u).collect();
    let goal_mode = mine.iter().any(|u| u.goal.is_some());
    let mut sum = 0.0;
    for u in &mine {
        let good = u.applied && u.verified && u.passed.unwrap_or(true);
        let relevance = u.relevance.map_or(0.5, |r| f64::from(r) / 1_000.0);
        sum += match (good, goal_mode, u.goal) {
            (false, _, _) => 0.0,
            (true, true, Some(false)) => relevance * 0.5,
            _ => 1.0,
        };
    }
    let n = mine.len() as u32;
    let rate = (n > 0).then(|| sum / f64::from(n));
    let last = mine.iter().map(|u| u.at).max();
    let newest = all.iter().map(|(_, u)| u.at).max();
    let since = last.zip(newest).map_or(0, |(l, n)| (n - l) as u32);
    let flag = match rate {
        None => Some(Flag::Untested),
        Some(r) if n > 20 && r < 0.4 - 1e-9 => Some(Flag::Prune),
        Some(_) if since >= 10 => Some(Flag::Stale),
        Some(r) if r < 0.4 - 1e-9 => Some(Flag::Review),
        Some(_) => None,
    };
    (n, rate, flag)
}

#[test]
fn rates_equal_a_slow_reference_over_ten_thousand_histories() {
    let mut chance = Chance::new(21);
    for _ in 0..10_000 {
        let (lessons, uses) = (1 + chance.below(4), chance.below(60));
        let all: Vec<(String, Use)> = (0..uses)
            .map(|_| {
                let maybe = |chance: &mut Chance| [None, Some(true), Some(false)][chance.below(3)];
                let (passed, goal) = (maybe(&mut chance), maybe(&mut chance));
                let one = Use {
                    applied: chance.below(4) > 0,
                    verified: chance.below(4) > 0,
                    passed,
                    goal,
                    relevance: [None, Some(chance.below(1_001) as u16)][chance.below(2)],
                    at: chance.below(30) as i64,
                };
                (format!("l{}", chance.below(lessons)), one)
            })
            .collect();
        let newest = all.iter().map(|(_, u)| u.at).max().unwrap_or(0);
        for n in 0..lessons {
            let id = format!("l{n}");
            let mine: Vec<Use> = all.iter().filter(|(l, _)| *l == id).map(|(_, u)| *u).collect();
            let r = record(&mine);
            let since = r.last.map_or(0, |last| (newest - last) as u32);
            let (uses, rate, flag) = slow(&all, &id);
            assert_eq!((r.uses, r.flag(since), r.rate().is_some()), (uses, flag, rate.is_some()), "{mine:?}");
            let apart = r.rate().zip(rate).map_or(0.0, |(a, b)| (a - b).abs());
            assert!(apart < 1e-9, "{apart}: {mine:?}");
        }
    }
}
