//! Values of a given shape: made when the test runs, so that no file holds anything that looks
//! like a secret.

/// Draws from the shapes that the rule table uses: literals, classes, groups, counts.
pub(super) struct Samples {
    state: u64,
}

const MORE: usize = 6; // repeats beyond the least, where there is no most

impl Samples {
    pub fn seeded(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1 }
    }

    /// A value of the shape `pattern`, different on each call, the same on each run.
    pub fn of(&mut self, pattern: &str) -> String {
        let mut value = String::new();
        let mut rest = pattern.as_bytes();
        self.either(&mut rest, &mut value);
        assert!(rest.is_empty(), "what is {:?}?", String::from_utf8_lossy(rest));
        value
    }

    fn below(&mut self, count: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 33) as usize % count
    }

    // One of several alternatives, up to the end or to a closing parenthesis.
    fn either(&mut self, rest: &mut &[u8], out: &mut String) {
        let mut choices = vec![String::new()];
        while let Some(&byte) = rest.first() {
            match byte {
                b')' => break,
                b'|' => {
                    *rest = &rest[1..];
                    choices.push(String::new());
                }
                _ => {
                    let mut piece = String::new();
                    self.repeated(rest, &mut piece);
                    if let Some(last) = choices.last_mut() {
                        last.push_str(&piece);
                    }
                }
            }
        }
        let choice = self.below(choices.len());
        out.push_str(&choices[choice]);
    }

    // One atom as often as its count says; each time anew.
    fn repeated(&mut self, rest: &mut &[u8], out: &mut String) {
        let atom = *rest;
        let mut first = String::new();
        self.atom(rest, &mut first);
        let (least, most) = count(rest);
        for turn in 0..least + self.below(most - least + 1) {
            if turn == 0 {
                out.push_str(&first);
            } else {
                self.atom(&mut { atom }, out);
            }
        }
    }

    fn atom(&mut self, rest: &mut &[u8], out: &mut String) {
        let (&byte, after) = rest.split_first().expect("an atom");
        *rest = after;
        match byte {
            b'(' => {
                *rest = rest.strip_prefix(b"?:").expect("a group that captures nothing");
                self.either(rest, out);
                *rest = &rest[1..];
            }
            b'[' => {
                let class = class(rest);
                out.push(char::from(class[self.below(class.len())]));
            }
            b'\\' => {
                out.push(char::from(rest[0]));
                *rest = &rest[1..];
            }
            literal => out.push(char::from(literal)),
        }
    }
}

fn class(rest: &mut &[u8]) -> Vec<u8> {
    let end = rest.iter().position(|b| *b == b']').expect("the end of a class");
    let (mut inside, after) = (&rest[..end], &rest[end + 1..]);
    *rest = after;
    let mut bytes = Vec::new();
    while let Some(&from) = inside.first() {
        if let [_, b'-', to, ..] = inside {
            bytes.extend(from..=*to);
            inside = &inside[3..];
        } else {
            bytes.push(from);
            inside = &inside[1..];
        }
    }
    bytes
}

fn count(rest: &mut &[u8]) -> (usize, usize) {
    let (len, least, most) = match rest.first() {
        Some(b'?') => (1, 0, 1),
        Some(b'*') => (1, 0, MORE),
        Some(b'{') => {
            let end = rest.iter().position(|b| *b == b'}').expect("the end of a count");
            let text = String::from_utf8_lossy(&rest[1..end]).into_owned();
            let number = |text: &str| text.parse().expect("a number");
            let (least, most) = match text.split_once(',') {
                None => (number(&text), number(&text)),
                Some((least, "")) => (number(least), number(least) + MORE),
                Some((least, most)) => (number(least), number(most)),
            };
            (end + 1, least, most)
        }
        _ => (0, 1, 1),
    };
    *rest = &rest[len..];
    (least, most)
}
