//! Enums whose variants have a word each: in the store, in `--json` output, in answers.

/// Gives an enum its words: every variant, the word of each, and the way back.
macro_rules! worded {
    ($name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $name {
            /// Every one, in order.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// The word used in `--json` output and in the store.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }

            /// Reads the word back.
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.as_str() == word)
            }
        }
    };
}

pub(crate) use worded;
