//! Weights of signs, fitted: logistic regression in which each sign can only speak one way.
//!
//! Messages are few and signs are bits, so equal messages are counted together and plain gradient descent is enough.

use std::collections::{BTreeMap, BTreeSet};
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

/// A message of which the truth is known: its repository, its signs, the truth.
type Known<'k> = (&'k str, u8, bool);

/// Fits weights to messages of which the truth is known. How much is enough is chosen on them as well: each of their
/// repositories is answered with weights of the others, and of all places to draw the line the one is taken that finds most while
/// the share `aim` of what is found is right.
pub fn fit(messages: &[Known<'_>], signs: &[Sign], aim: f64) -> Fitted {
    let repositories: BTreeSet<&str> = messages.iter().map(|m| m.0).collect();
    let mut sums: Vec<(f64, bool)> = Vec::new();
    for repository in repositories {
        let others = weights(messages.iter().filter(|m| m.0 != repository), signs);
        sums.extend(messages.iter().filter(|m| m.0 == repository).map(|(_, bits, truth)| (others.sum(*bits), *truth)));
    }
    Fitted { enough: line(sums, aim), ..weights(messages.iter(), signs) }.rounded()
}

/// Where to draw the line: the lowest at which enough of what is above is right. Where none is, above everything.
fn line(mut sums: Vec<(f64, bool)>, aim: f64) -> f64 {
    sums.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut best, mut right) = (f64::INFINITY, 0.0);
    for (n, (sum, truth)) in sums.iter().enumerate() {
        right += f64::from(u8::from(*truth));
        let next = sums.get(n + 1).map(|(next, _)| *next);
        if right >= aim * (n + 1) as f64 && next.is_none_or(|next| next < *sum) {
            // Half-way to the next that is left out: weights of all repositories differ a little from those of fewer.
            best = next.map_or(*sum, |next| f64::midpoint(*sum, next));
        }
    }
    best
}

/// The weights alone.
fn weights<'m>(messages: impl Iterator<Item = &'m Known<'m>>, signs: &[Sign]) -> Fitted {
    let mut counts = Counts::new();
    for (_, bits, truth) in messages {
        let (yes, no) = counts.entry(*bits).or_default();
        *(if *truth { yes } else { no }) += 1.0;
    }
    let all: f64 = counts.values().map(|(yes, no)| yes + no).sum::<f64>().max(1.0);
    let mut now = Fitted { bias: -1.0, each: vec![0.0; signs.len()], enough: 0.0 };
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
    now
}

/// What is known of messages that are asked this.
fn known<'j>(judged: impl Iterator<Item = &'j Judged<'j>>, question: Question) -> Vec<Known<'j>> {
    judged.filter_map(|j| Some((j.repository, j.bits(question)?, j.truth(question)))).collect()
}

/// Each repository answered with weights of all others that were read.
pub fn left_out<'j>(corpus: &Corpus, judged: &'j [Judged<'_>], question: Question) -> BTreeMap<&'j str, Score> {
    let mut out = BTreeMap::new();
    let repositories: BTreeSet<&str> = judged.iter().map(|j| j.repository).collect();
    for repository in repositories {
        let others = judged.iter().filter(|j| j.repository != repository && !corpus.is_held_back(j.repository));
        let fitted = fit(&known(others, question), question.signs(), question.aim());
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
        let fitted = fit(&known(read, question), signs, question.aim());
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
        let repository = |n: usize| if n.is_multiple_of(3) { "a" } else { "b" };
        let row = |n: usize| {
            if n.is_multiple_of(4) { (repository(n), 0b10_0001, true) } else { (repository(n), 0b10, false) }
        };
        let fitted = fit(&(0..200).map(row).collect::<Vec<_>>(), &PUSHBACK, 0.7);
        assert!(fitted.each[0] > 1.0 && fitted.each[5] == 0.0 && fitted.each[1] == 0.0, "{:?}", fitted.each);
        assert!(fitted.says(0b1) && !fitted.says(0) && !fitted.says(0b10));
    }

    #[test]
    fn the_line_is_drawn_where_enough_is_right_and_most_is_found() {
        let sums = vec![(0.0, false), (1.0, false), (2.0, true), (3.0, false), (4.0, true), (5.0, true)];
        assert!((line(sums.clone(), 0.7) - 1.5).abs() < 0.01, "three of four");
        assert!((line(sums.clone(), 0.8) - 3.5).abs() < 0.01, "two of two");
        assert_eq!(line(vec![(1.0, false)], 0.7), f64::INFINITY);
    }
}
