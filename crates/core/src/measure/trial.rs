//! Did a lesson help? Trials with a known chance of being withheld → lift, harm, and whether it should go.
//!
//! A trial is a lesson in a session in which it would have been told. With a known chance, drawn per lesson and session, it
//! was withheld instead. What is compared is how often its failure came (again) afterwards. `docs/proof.md` says why
//! these formulas, and not the obvious ones.

use super::rates::{Estimate, Share, Z, difference};

/// One lesson in one session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// Whether it was withheld.
    pub withheld: bool,
    /// The chance of that, as it was when it was drawn.
    pub chance: f64,
    /// Whether the failure came, or came again, afterwards.
    pub failed: bool,
    /// Whether the user pushed back, or called it wrong.
    pub harmed: bool,
}

/// The largest chance of being withheld.
pub const MOST_WITHHELD: f64 = 0.2;
/// The chance for a lesson that is proven to help: a few are withheld for ever, to see if it still does.
pub const PROVEN_WITHHELD: f64 = 0.05;
/// The least lift a lesson must not be shown to fall short of. What prevents fewer than one failure in ten sessions does not
/// earn the tokens it costs.
pub const WORTH: f64 = 0.1;
/// The chance, over all looks for all times, that a lesson is retired whose lift is [`WORTH`] or more.
const ALPHA: f64 = 0.05;
/// After so many showings, each followed by the failure, a lesson goes at once.
const IN_VAIN: usize = 3;
/// Bets against a lesson, as shares of the largest that can never lose all. Several at once: which is best depends on a lift
/// that nobody knows.
const BETS: [f64; 6] = [0.02, 0.05, 0.1, 0.2, 0.35, 0.5];

/// What is to become of a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Nothing is shown yet.
    Open,
    /// It helps: withheld less often from now on.
    Proven,
    /// It does not help enough.
    Useless,
    /// The failure came again after each of its first showings.
    InVain,
}

/// What trials of one lesson say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// Failures where it was shown.
    pub shown: Share,
    /// Failures where it was withheld.
    pub withheld: Share,
    /// By how much it lowers the share of failures.
    pub lift: Estimate,
    /// By how much it raises the share of push-backs.
    pub harm: Estimate,
    /// What is to become of it.
    pub fate: Fate,
}

/// Judges a lesson by its trials, in the order they happened. May be looked at after every trial.
pub fn judge(trials: &[Trial]) -> Judgement {
    let share = |withheld: bool, of: fn(&Trial) -> bool| {
        let mut share = Share::default();
        trials.iter().filter(|t| t.withheld == withheld).for_each(|t| share.count(of(t)));
        share
    };
    let (shown, withheld) = (share(false, |t| t.failed), share(true, |t| t.failed));
    Judgement {
        shown,
        withheld,
        lift: difference(withheld, shown),
        harm: difference(share(false, |t| t.harmed), share(true, |t| t.harmed)),
        fate: fate(trials),
    }
}

fn fate(trials: &[Trial]) -> Fate {
    let first: Vec<bool> = trials.iter().filter(|t| !t.withheld).take(IN_VAIN).map(|t| t.failed).collect();
    if first.len() == IN_VAIN && first.iter().all(|failed| *failed) {
        return Fate::InVain;
    }
    if wealth(trials, Against::Worth) >= 1.0 / ALPHA {
        return Fate::Useless;
    }
    if wealth(trials, Against::Nothing) >= 1.0 / ALPHA { Fate::Proven } else { Fate::Open }
}

/// What is bet against.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Against {
    /// That the lift is [`WORTH`] or more.
    Worth,
    /// That there is no lift.
    Nothing,
}

/// The most that somebody would ever have had who began with 1 and bet against a claim on the lift. If the claim holds, the chance
/// that this ever reaches 1/α is α at most, however often it is looked at (Ville). Each trial gives a number whose mean
/// is the lift, whatever the rates are and however they drift: only the chance of being withheld must be known.
fn wealth(trials: &[Trial], against: Against) -> f64 {
    let mut purses = BETS.map(|bet| (bet, 1.0_f64));
    let mut most = 1.0_f64;
    // Failures so far, with one of each beforehand.
    let (mut failed, mut all) = (1.0, 2.0);
    for trial in trials.iter().filter(|t| t.chance > 0.0 && t.chance < 1.0) {
        let expected: f64 = failed / all;
        let weight = if trial.withheld { 1.0 / trial.chance } else { -1.0 / (1.0 - trial.chance) };
        let lift = (f64::from(u8::from(trial.failed)) - expected) * weight;
        // The farthest that one trial can be on the losing side.
        let (gain, worst) = match against {
            Against::Worth => (WORTH - lift, largest(expected, trial.chance) - WORTH),
            Against::Nothing => (lift, largest(1.0 - expected, trial.chance)),
        };
        for (bet, purse) in &mut purses {
            *purse *= 1.0 + *bet / worst * gain;
        }
        most = most.max(purses.iter().map(|(_, purse)| purse).sum::<f64>() / BETS.len() as f64);
        failed += f64::from(u8::from(trial.failed));
        all += 1.0;
    }
    most
}

/// The largest lift that one trial can give where so many failures are expected.
fn largest(expected: f64, chance: f64) -> f64 {
    ((1.0 - expected) / chance).max(expected / (1.0 - chance))
}

/// The chance with which a lesson is withheld, by what is known of it.
pub fn chance(fate: Fate, most: f64) -> f64 {
    let most = most.clamp(0.0, MOST_WITHHELD);
    if fate == Fate::Proven { most.min(PROVEN_WITHHELD) } else { most }
}

/// Whether a lesson is withheld in a session: the same answer for the same two, however often it is asked for.
pub fn is_withheld(lesson: &str, session: &str, chance: f64) -> bool {
    let hash = blake3::hash(format!("hold-out\0{lesson}\0{session}").as_bytes());
    let first: [u8; 8] = std::array::from_fn(|n| hash.as_bytes()[n]);
    ((u64::from_le_bytes(first) >> 11) as f64 / (1_u64 << 53) as f64) < chance
}

/// The lift of several lessons together: differences within each lesson, weighted by how much each tells (Mantel–Haenszel). Lessons
/// of other base rates do not mix.
pub fn pooled(lessons: &[(Share, Share)]) -> Option<Estimate> {
    let (mut sum, mut weights, mut spread) = (0.0, 0.0, 0.0);
    for (shown, withheld) in lessons.iter().filter(|(s, w)| s.of > 0 && w.of > 0) {
        let (n, m) = (f64::from(shown.of), f64::from(withheld.of));
        let weight = n * m / (n + m);
        let (p, q) = (tamed(*shown), tamed(*withheld));
        sum += weight * (withheld.value() - shown.value());
        spread += weight * weight * (p * (1.0 - p) / n + q * (1.0 - q) / m);
        weights += weight;
    }
    (weights > 0.0).then(|| {
        let (value, half) = (sum / weights, Z * spread.sqrt() / weights);
        Estimate { value, low: (value - half).max(-1.0), high: (value + half).min(1.0) }
    })
}

/// A share drawn a little to the middle: none of two is not never.
fn tamed(share: Share) -> f64 {
    (f64::from(share.hits) + 0.5) / (f64::from(share.of) + 1.0)
}

#[cfg(test)]
mod tests;
