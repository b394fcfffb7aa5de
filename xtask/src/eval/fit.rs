//! Weights of signs, fitted: logistic regression in which each sign can only speak one way.
//!
//! Messages are few and signs are bits, so equal messages are counted together and plain gradient descent is enough.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use uptake_core::detect::signals::{LASTING, PUSHBACK, Sign};

use super::corpus::Corpus;
use super::score::Score;
use super::words::{Judged, Question, judged};
use crate::battery::root;

/// Steps of the descent, and how far each goes.
const STEPS: usize = 20_000;
const PACE: f64 = 0.5;
/// How strongly weights are held near nought: few messages must not make a sign loud.
const HELD: f64 = 0.3;

/// How loud each sign is, and how much is enough.
pub struct Fitted {
    /// Without any sign.
    pub bias: f64,
    /// What each adds.
    pub each: Vec<f64>,
    /// From which sum on the answer is yes.
    pub enough: f64,
}

impl Fitted {
    /// The answer for a message with these signs.
    pub fn says(&self, signs: u8) -> bool {
        self.sum(signs) >= self.enough
    }

    fn sum(&self, signs: u8) -> f64 {
        let each = self.each.iter().enumerate().filter(|(n, _)| signs & (1 << n) != 0).map(|(_, w)| w);
        self.bias + each.sum::<f64>()
    }

    fn rounded(mut self) -> Self {
        let round = |x: &mut f64| *x = (*x * 100.0).round() / 100.0 + 0.0;
        round(&mut self.bias);
        round(&mut self.enough);
        self.each.iter_mut().for_each(round);
        self
    }
}

/// How many messages with the same signs are, and are not.
type Counts = BTreeMap<u8, (f64, f64)>;

/// Fits weights to messages of which the truth is known; from a chance of `chance` on the answer is yes.
pub fn fit(messages: impl Iterator<Item = (u8, bool)>, signs: &[Sign], chance: f64) -> Fitted {
    let mut counts = Counts::new();
    for (bits, truth) in messages {
        let (yes, no) = counts.entry(bits).or_default();
        *(if truth { yes } else { no }) += 1.0;
    }
    let all: f64 = counts.values().map(|(yes, no)| yes + no).sum::<f64>().max(1.0);
    let mut now = Fitted { bias: -1.0, each: vec![0.0; signs.len()], enough: (chance / (1.0 - chance)).ln() };
    for _ in 0..STEPS {
        let (mut bias, mut each) = (0.0, vec![0.0; signs.len()]);
        for (bits, (yes, no)) in &counts {
            let off = (yes + no) / (1.0 + (-now.sum(*bits)).exp()) - yes;
            bias += off;
            each.iter_mut().enumerate().filter(|(n, _)| bits & (1 << n) != 0).for_each(|(_, e)| *e += off);
        }
        now.bias -= PACE * bias / all;
        for (n, sign) in signs.iter().enumerate() {
            let weight = &mut now.each[n];
            *weight -= PACE * (each[n] + HELD * *weight) / all;
            *weight = (*weight * sign.way).max(0.0) * sign.way;
        }
    }
    now.rounded()
}

/// Each repository answered with weights of all others that were read.
pub fn left_out<'j>(corpus: &Corpus, judged: &'j [Judged<'_>], question: Question) -> BTreeMap<&'j str, Score> {
    let mut out = BTreeMap::new();
    let repositories: std::collections::BTreeSet<&str> = judged.iter().map(|j| j.repository).collect();
    for repository in repositories {
        let others = judged.iter().filter(|j| j.repository != repository && !corpus.is_held_back(j.repository));
        let fitted = fit(
            others.filter_map(|j| Some((j.bits(question)?, j.truth(question)))),
            question.signs(),
            question.chance(),
        );
        let mut score = Score::default();
        for one in judged.iter().filter(|j| j.repository == repository) {
            score.add(one.bits(question).is_some_and(|bits| fitted.says(bits)), one.truth(question));
        }
        out.insert(repository, score);
    }
    out
}

/// Fits the weights in use to all repositories that were read, and writes their table.
pub fn write(corpus: &Corpus) -> Result<()> {
    let judged = judged(corpus);
    let mut text = String::from(
        "//! How loud each sign is, and how much is enough. Made by `cargo xtask fit FOLDER`; not written by hand.\n\n\
         use super::features::Weights;\n",
    );
    for (name, question, signs) in
        [("PUSHBACK", Question::Pushback, &PUSHBACK[..]), ("LASTING", Question::Lasting, &LASTING[..])]
    {
        let read = judged.iter().filter(|j| !corpus.is_held_back(j.repository));
        let fitted = fit(read.filter_map(|j| Some((j.bits(question)?, j.truth(question)))), signs, question.chance());
        let _ = writeln!(
            text,
            "\n/// In the order of the signs.\npub(super) const {name}: Weights<{}> = Weights {{",
            signs.len()
        );
        let _ = writeln!(text, "    bias: {:?},\n    each: [", fitted.bias);
        for (sign, weight) in signs.iter().zip(&fitted.each) {
            let _ = writeln!(text, "        {weight:?}, // {}", sign.name);
            println!("{weight:6.2}  {}", sign.name);
        }
        let _ = writeln!(text, "    ],\n    enough: {:?},\n}};", fitted.enough);
        println!("{:6.2}  without any; {:.2} is enough\n", fitted.bias, fitted.enough);
    }
    let page = root().join("crates/core/src/detect/signals/weights.rs");
    std::fs::write(&page, text).with_context(|| format!("cannot write `{}`", page.display()))?;
    println!("written: {}", page.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_speaks_one_way_or_not_at_all() {
        // The first sign goes with the truth, the sixth may only speak against and goes with it as well.
        let rows = (0..200).map(|n| if n % 4 == 0 { (0b10_0001, true) } else { (0b00_0010, false) });
        let fitted = fit(rows, &PUSHBACK, 0.5);
        assert!(fitted.each[0] > 1.0 && fitted.each[5] == 0.0 && fitted.each[1] == 0.0, "{:?}", fitted.each);
        assert!(fitted.says(0b1) && !fitted.says(0) && !fitted.says(0b10));
    }
}
