//! Chance that can be repeated: SplitMix64, seeded.

/// A stream of numbers; the same seed gives the same stream on every machine.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A stream for one purpose: `what` keeps two purposes of one seed apart.
    pub fn new(seed: u64, what: &str) -> Self {
        let mut rng = Self(seed);
        for byte in what.bytes() {
            rng.0 = rng.0.wrapping_mul(0x0000_0100_0000_01B3) ^ u64::from(byte);
            rng.next();
        }
        rng
    }

    /// The next number.
    #[expect(clippy::should_implement_trait, reason = "a stream without an end is no iterator to loop over")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `count`; 0 if there is none.
    pub fn below(&mut self, count: usize) -> usize {
        if count == 0 { 0 } else { (self.next() >> 11) as usize % count }
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of a list that is not empty.
    pub fn pick<'l, T>(&mut self, list: &'l [T]) -> &'l T {
        &list[self.below(list.len())]
    }

    /// `count` bytes of an alphabet.
    pub fn bytes_of(&mut self, alphabet: &[u8], count: usize) -> Vec<u8> {
        (0..count).map(|_| *self.pick(alphabet)).collect()
    }

    /// The list in another order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let draw = |seed, what| {
            let mut rng = Rng::new(seed, what);
            [rng.next(), rng.next(), rng.below(10) as u64]
        };
        assert_eq!(draw(1, "a"), draw(1, "a"));
        assert_ne!(draw(1, "a"), draw(2, "a"));
        assert_ne!(draw(1, "a"), draw(1, "b"));
    }
}
