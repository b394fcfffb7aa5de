//! The phrases a canonical form is made with. Longer ones stand before those they begin with; a test says so.

/// All ways to forbid are one `not`; what is merely not needed is `optional`.
#[rustfmt::skip]
pub(super) const NEGATIONS: &[(&str, &str)] = &[
    ("there is no need to", "optional"), ("do not have to", "optional"), ("does not have to", "optional"),
    ("do not need to", "optional"), ("does not need to", "optional"), ("not have to", "optional"),
    ("not need to", "optional"), ("no need to", "optional"), ("need not", "optional"),
    ("will not have to", "optional"), ("will not need to", "optional"), ("should not have to", "optional"),
    ("should not need to", "optional"), ("never have to", "optional"), ("never need to", "optional"),
    ("do not always", "not-always"), ("should not always", "not-always"), ("must not always", "not-always"),
    ("is not always", "not-always"), ("are not always", "not-always"), ("not always", "not-always"),
    ("do not really", "not-really"), ("not really", "not-really"), ("do not also", "not-also"), ("not also", "not-also"),
    ("do not ever", "not"), ("do not", "not"), ("does not", "not"), ("must not ever", "not"), ("must not", "not"),
    ("should not ever", "not"), ("should not", "not"), ("ought not to", "not"), ("shall not", "not"),
    ("is not", "not"), ("are not", "not"), ("will not", "not"), ("never ever", "not"), ("never", "not"),
    ("no longer", "not"), ("not ever", "not"), ("instead of", "not"), ("rather than", "not"), ("as opposed to", "not"),
    ("avoid using", "not use"), ("stop using", "not use"),
];

/// What asks politely, reminds, or says that it holds here and from now on.
#[rustfmt::skip]
pub(super) const FILLER: &[(&str, &str)] = &[
    ("not forget that", ""), ("not forget to", ""),
    ("make sure that you", ""), ("make sure that we", ""), ("make sure that", ""), ("make sure you", ""),
    ("make sure we", ""), ("make sure to", ""), ("make sure", ""),
    ("be sure that you", ""), ("be sure to", ""), ("be sure you", ""),
    ("ensure that you", ""), ("ensure that we", ""), ("ensure you", ""), ("ensure we", ""), ("ensure to", ""),
    ("remember that", ""), ("remember to", ""), ("note that", ""),
    ("keep in mind that", ""), ("keep in mind to", ""), ("keep in mind", ""),
    ("it is important that", ""), ("it is important to", ""),
    ("from now on", ""), ("going forward", ""), ("moving forward", ""), ("in the future", ""), ("in future", ""),
    ("as a general rule", ""), ("as a rule", ""), ("at all times", ""),
    ("in this repository", ""), ("in this repo", ""), ("in this project", ""), ("in this codebase", ""),
    ("in our repository", ""), ("in our repo", ""), ("in our project", ""), ("in our codebase", ""),
    ("for this repository", ""), ("for this repo", ""), ("for this project", ""),
    ("i want you to", ""), ("i need you to", ""), ("i would like you to", ""), ("i told you to", ""), ("i think", ""),
    ("i believe", ""), ("i guess", ""), ("i said", ""), ("go ahead and", ""), ("let us", ""),
    ("are supposed to", ""), ("are required to", ""), ("need to", ""), ("needs to", ""), ("have to", ""), ("has to", ""),
    ("ought to", ""), ("thank you", ""), ("and then", "then"),
    ("before you run", "before"), ("before we run", "before"), ("before run", "before"), ("after you run", "after"),
    ("after we run", "after"), ("after run", "after"),
];

/// Words that say nothing wherever they stand.
#[rustfmt::skip]
pub(super) const IDLE: &[&str] = &[
    "please", "pls", "plz", "kindly", "always", "simply", "also", "really", "actually", "basically", "definitely",
    "absolutely", "the", "a", "an", "is", "are", "be", "should", "must", "shall", "will", "thanks", "our", "your", "ever",
    "anymore",
];

/// Those of them that say something behind a `not`: "don't squash always".
pub(super) const LIMITED: &[&str] = &["always", "also", "really", "simply", "absolutely"];

/// Words a statement may begin with that only answer.
#[rustfmt::skip]
pub(super) const GREETINGS: &[&str] = &[
    "nope", "yes", "yeah", "yep", "ok", "okay", "hey", "hi", "hmm", "oh", "so", "and", "but", "also", "alright",
];

/// Those that do so only before a comma: "no tabs", "right align it" and "wait for the build" say something.
pub(super) const ANSWERS: &[&str] = &["no", "well", "wait", "right", "sure", "great", "fine", "good", "thanks"];

/// Questions that ask for what follows.
pub(super) const OPENINGS: &[&str] = &["can you", "could you", "would you", "will you"];

/// Verbs whose "-ing" is never a name.
#[rustfmt::skip]
pub(super) const GERUNDS: &[(&str, &str)] = &[
    ("using", "use"), ("uses", "use"), ("utilize", "use"), ("utilise", "use"), ("running", "run"), ("pushing", "push"),
    ("committing", "commit"), ("adding", "add"), ("calling", "call"), ("editing", "edit"), ("changing", "change"),
    ("deleting", "delete"), ("creating", "create"), ("writing", "write"), ("installing", "install"),
    ("merging", "merge"), ("importing", "import"), ("opening", "open"), ("starting", "start"), ("putting", "put"),
    ("keeping", "keep"), ("touching", "touch"), ("removing", "remove"), ("doing", "do"),
];

/// Numbers in letters. "one" is not one of them: "the other one".
#[rustfmt::skip]
pub(super) const NUMBERS: &[(&str, &str)] = &[
    ("two", "2"), ("three", "3"), ("four", "4"), ("five", "5"), ("six", "6"), ("seven", "7"), ("eight", "8"),
    ("nine", "9"), ("ten", "10"), ("eleven", "11"), ("twelve", "12"),
];
