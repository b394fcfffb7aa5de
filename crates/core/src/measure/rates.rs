//! Shares and differences with intervals, for small numbers.
//!
//! Wilson's interval for a share, Newcombe's for a difference of two, and a bootstrap over sessions for the difference of
//! two ways of working that were asked the same questions. Failures of one session belong together: sessions are drawn,
//! not failures.

/// How sure an interval is: 90 %.
pub const SURE: f64 = 0.90;
/// The normal quantile of it.
pub(super) const Z: f64 = 1.644_853_626_951_472_2;

/// A number and where it may lie.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// From here.
    pub low: f64,
    /// To here.
    pub high: f64,
}

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How many it was.
    pub hits: u32,
    /// Of how many.
    pub of: u32,
}

impl Share {
    /// Counts one more.
    pub fn count(&mut self, hit: bool) {
        self.of += 1;
        self.hits += u32::from(hit);
    }

    /// The share; 0 of nothing.
    pub fn value(self) -> f64 {
        if self.of == 0 { 0.0 } else { f64::from(self.hits) / f64::from(self.of) }
    }

    /// Wilson's interval.
    pub fn estimate(self) -> Estimate {
        if self.of == 0 {
            return Estimate { value: 0.0, low: 0.0, high: 1.0 };
        }
        let (n, p) = (f64::from(self.of), self.value());
        let centre = (p + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
        let half = Z / (1.0 + Z * Z / n) * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        Estimate { value: p, low: (centre - half).max(0.0), high: (centre + half).min(1.0) }
    }
}

/// How much larger one share is than another: Newcombe's interval, made of Wilson's two.
pub fn difference(a: Share, b: Share) -> Estimate {
    let (one, two) = (a.estimate(), b.estimate());
    let value = one.value - two.value;
    let down = ((one.value - one.low).powi(2) + (two.high - two.value).powi(2)).sqrt();
    let up = ((one.high - one.value).powi(2) + (two.value - two.low).powi(2)).sqrt();
    Estimate { value, low: (value - down).max(-1.0), high: (value + up).min(1.0) }
}

/// How often sessions are drawn.
const DRAWS: usize = 2_000;

/// What two ways did in one session: hits of the one, hits of the other, and of how many.
pub type Pair = (u32, u32, u32);

/// By how much the first way is better than the second, over all sessions; drawn again and again, always in the same way.
pub fn paired(sessions: &[Pair]) -> Estimate {
    let share = |all: &[Pair]| {
        let (a, b, of) = all.iter().fold((0, 0, 0), |(a, b, n), p| (a + p.0, b + p.1, n + p.2));
        if of == 0 { 0.0 } else { (f64::from(a) - f64::from(b)) / f64::from(of) }
    };
    let asked: Vec<Pair> = sessions.iter().copied().filter(|p| p.2 > 0).collect();
    let value = share(&asked);
    if asked.len() < 2 {
        return Estimate { value, low: -1.0, high: 1.0 };
    }
    let mut chance = Chance::new(asked.len() as u64);
    let mut drawn: Vec<f64> = (0..DRAWS)
        .map(|_| share(&(0..asked.len()).map(|_| asked[chance.below(asked.len())]).collect::<Vec<_>>()))
        .collect();
    drawn.sort_by(f64::total_cmp);
    let at = |q: f64| drawn[((DRAWS - 1) as f64 * q).round() as usize];
    Estimate { value, low: at((1.0 - SURE) / 2.0), high: at(1.0 - (1.0 - SURE) / 2.0) }
}

/// Numbers that look drawn and are the same every time (splitmix64).
pub struct Chance(u64);

impl Chance {
    /// Begins somewhere.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to 1, without 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// One of so many.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_shares_are_those_of_the_books() {
        let e = Share { hits: 8, of: 10 }.estimate();
        assert!((e.low - 0.541).abs() < 0.001 && (e.high - 0.932).abs() < 0.001, "{e:?}");
        let e = Share { hits: 0, of: 20 }.estimate();
        assert!(e.low.abs() < 1e-9 && (e.high - 0.119).abs() < 0.001, "{e:?}");
        assert_eq!(Share::default().estimate(), Estimate { value: 0.0, low: 0.0, high: 1.0 });
    }

    #[test]
    fn sessions_are_drawn_not_failures() {
        // One session with many failures must not make the difference sure.
        let one_large = paired(&[(50, 0, 50), (0, 1, 1), (0, 1, 1), (0, 1, 1)]);
        assert!(one_large.low < 0.0, "{one_large:?}");
        let many = paired(&[(2, 1, 3); 40]);
        assert!(many.low > 0.0, "{many:?}");
        assert_eq!(paired(&[(2, 1, 3); 40]), many);
    }
}
