//! Counting right and wrong.

/// True and false positives and negatives.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    /// Said and true.
    pub tp: u32,
    /// Said and not true.
    pub fp: u32,
    /// Not said and true.
    pub fn_: u32,
    /// Not said and not true.
    pub tn: u32,
}

impl Score {
    /// Counts one case.
    pub fn add(&mut self, said: bool, truth: bool) {
        match (said, truth) {
            (true, true) => self.tp += 1,
            (true, false) => self.fp += 1,
            (false, true) => self.fn_ += 1,
            (false, false) => self.tn += 1,
        }
    }

    /// Adds another count.
    pub fn plus(self, other: Self) -> Self {
        Self { tp: self.tp + other.tp, fp: self.fp + other.fp, fn_: self.fn_ + other.fn_, tn: self.tn + other.tn }
    }

    /// Share of what was said that is true.
    pub fn precision(&self) -> f64 {
        ratio(self.tp, self.tp + self.fp)
    }

    /// Share of what is true that was said.
    pub fn recall(&self) -> f64 {
        ratio(self.tp, self.tp + self.fn_)
    }

    /// The harmonic mean of both.
    pub fn f1(&self) -> f64 {
        ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn_)
    }

    /// Precision, recall, F1 and the counts, as cells of a table.
    pub fn cells(&self) -> Vec<String> {
        vec![
            share(self.tp, self.tp + self.fp),
            share(self.tp, self.tp + self.fn_),
            number(self.f1()),
            format!("{}/{}/{}/{}", self.tp, self.fp, self.fn_, self.tn),
        ]
    }
}

/// `a / b`; not a number if there is nothing to divide by.
pub fn ratio(a: u32, b: u32) -> f64 {
    if b == 0 { f64::NAN } else { f64::from(a) / f64::from(b) }
}

/// A share as people read it.
pub fn number(share: f64) -> String {
    if share.is_nan() { "–".to_owned() } else { format!("{share:.3}") }
}

/// A share with its 95 % interval.
pub fn share(a: u32, b: u32) -> String {
    if b == 0 {
        return "–".to_owned();
    }
    let (low, high) = wilson(a, b);
    let low = low.abs(); // no minus before a nought
    format!("{} [{low:.2}–{high:.2}]", number(ratio(a, b)))
}

/// 95 % interval of a share (Wilson).
pub fn wilson(k: u32, n: u32) -> (f64, f64) {
    if n == 0 {
        return (0.0, 1.0);
    }
    let (k, n, z) = (f64::from(k), f64::from(n), 1.96);
    let p = k / n;
    let centre = p + z * z / (2.0 * n);
    let spread = z * ((p * (1.0 - p) + z * z / (4.0 * n)) / n).sqrt();
    let scale = 1.0 + z * z / n;
    ((centre - spread) / scale, (centre + spread) / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_become_shares() {
        let mut score = Score::default();
        for (said, truth) in [(true, true), (true, true), (true, false), (false, true), (false, false)] {
            score.add(said, truth);
        }
        assert_eq!(score.cells(), ["0.667 [0.21–0.94]", "0.667 [0.21–0.94]", "0.667", "2/1/1/1"]);
        assert_eq!(Score::default().cells()[0], "–");
    }
}
