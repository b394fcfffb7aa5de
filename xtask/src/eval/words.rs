//! What the user's words are: do they push back, do they last? Beside readers who judged message by message.

use std::collections::{BTreeMap, HashMap};

use uptake_core::detect::signals::{LASTING, PUSHBACK, Sign, Signs, Turn};
use uptake_core::normal::english::{Class, English};
use uptake_core::session::Session;

use super::corpus::{Corpus, TurnLabel};
use super::fit::left_out;
use super::report::Table;
use super::score::{Score, number};

/// What is asked of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Does it reject, undo, stop or redirect what the agent did?
    Pushback,
    /// Should it be known to sessions after this one?
    Lasting,
}

impl Question {
    /// What speaks for and against it.
    pub fn signs(self) -> &'static [Sign] {
        match self {
            Self::Pushback => &PUSHBACK,
            Self::Lasting => &LASTING,
        }
    }

    /// The share of what is found that has to be right, where the fit draws its line. A lasting word that is none is shown to
    /// a person; a pushback that is none is only counted.
    pub fn aim(self) -> f64 {
        match self {
            Self::Pushback => 0.75,
            Self::Lasting => 1.0,
        }
    }
}

/// A judged message and the signs it has; none if nobody typed it.
#[derive(Clone, Copy)]
pub struct Judged<'c> {
    /// Where it is from.
    pub repository: &'c str,
    label: &'c TurnLabel,
    place: Option<(&'c Session, usize)>,
    signs: Option<Signs>,
}

impl Judged<'_> {
    /// What a reader said.
    pub fn truth(&self, question: Question) -> bool {
        match question {
            Question::Pushback => self.label.correction == "pushback",
            Question::Lasting => self.label.durable,
        }
    }

    /// The signs it has, as bits.
    pub fn bits(&self, question: Question) -> Option<u8> {
        self.signs.map(|signs| match question {
            Question::Pushback => signs.pushback,
            Question::Lasting => signs.lasting,
        })
    }

    fn said(&self, question: Question) -> bool {
        says(self.signs, question)
    }
}

fn says(signs: Option<Signs>, question: Question) -> bool {
    signs.is_some_and(|signs| match question {
        Question::Pushback => signs.pushes_back(),
        Question::Lasting => signs.lasts(),
    })
}

/// All judged messages that are in the sessions.
pub fn judged(corpus: &Corpus) -> Vec<Judged<'_>> {
    let mut places: HashMap<(&str, &str), (&Session, usize)> = HashMap::new();
    for repository in &corpus.repositories {
        for session in &repository.sessions {
            for (at, event) in session.events.iter().enumerate() {
                places.entry((repository.name.as_str(), event.id.as_str())).or_insert((session, at));
            }
        }
    }
    let all = corpus.typed.iter().map(|label| {
        let place = places.get(&(label.repo.as_str(), label.id.as_str())).copied();
        let signs = place.and_then(|(session, at)| Turn::at(session, at)).map(|turn| turn.signs);
        Judged { repository: label.repo.as_str(), label, place, signs }
    });
    all.filter(|j| j.place.is_some()).collect()
}

/// The tables of pushback and of what lasts.
pub fn tables(corpus: &Corpus) -> Vec<Table> {
    let judged = judged(corpus);
    if judged.is_empty() {
        return Vec::new();
    }
    let table = |question, title: &str, about: &str| {
        let mut table = Table::new(
            title,
            about,
            &["repository", "left out: precision", "recall", "tp/fp/fn/tn", "in use: precision, recall, tp/fp/fn"],
        );
        let (mut out_all, mut use_all, mut out_held) = (Score::default(), Score::default(), Score::default());
        for (repository, out) in left_out(corpus, &judged, question) {
            let mut used = Score::default();
            judged
                .iter()
                .filter(|j| j.repository == repository)
                .for_each(|j| used.add(j.said(question), j.truth(question)));
            table.row(repository, cells(out, used));
            (out_all, use_all) = (out_all.plus(out), use_all.plus(used));
            if corpus.is_held_back(repository) {
                out_held = out_held.plus(out);
            }
        }
        let met = match question {
            Question::Pushback => out_all.precision() >= 0.70 && out_all.recall() >= 0.35,
            Question::Lasting => out_all.tp >= 12 && out_all.fp <= 5,
        };
        table.row(if met { "**all**" } else { "**all** (**missed**)" }, cells(out_all, use_all));
        if out_held.tp + out_held.fp + out_held.fn_ > 0 {
            table.row("*of these, held back until the rules were done*", cells(out_held, Score::default()));
        }
        table
    };
    vec![
        table(
            Question::Pushback,
            "Pushback",
            "Messages that reject, undo, stop or redirect what the agent did, versus readers who judged message by message. \
             Left out: with weights fitted to the other repositories (`cargo xtask fit`), held-back ones never among them. \
             Bars, left out: precision ≥ .70 at recall ≥ .35.",
        ),
        table(
            Question::Lasting,
            "What lasts",
            "Messages that sessions after this one should know, versus the same readers: a twentieth of what is typed. What \
             plain code cannot tell is left to the reader. Bars, left out: at least 12 found with at most 5 false.",
        ),
    ]
}

/// Prints the messages with any sign in repositories that were read, and what is answered wrong without one.
pub fn print_signs(corpus: &Corpus) {
    for one in judged(corpus).iter().filter(|j| !corpus.is_held_back(j.repository)) {
        for question in [Question::Pushback, Question::Lasting] {
            let (said, truth) = (one.said(question), one.truth(question));
            let text = one.place.and_then(|(session, at)| session.events[at].human_text()).unwrap_or_default();
            let bits = one.bits(question).unwrap_or_default();
            if said != truth || bits != 0 {
                let signs = question.signs().iter().enumerate().filter(|(n, _)| bits & (1 << n) != 0);
                let signs: Vec<&str> = signs.map(|(_, sign)| sign.name).collect();
                let start: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect();
                let what = match (said, truth) {
                    (true, true) => "right",
                    (true, false) => "false",
                    (false, true) => "missed",
                    (false, false) => "silent",
                };
                println!("{question:?}\t{what}\t{}\t{}\t{}\t{start}", one.repository, one.label.id, signs.join(", "));
            }
        }
    }
}

fn cells(out: Score, used: Score) -> Vec<String> {
    let mut cells = out.cells();
    cells.remove(2);
    let (p, r) = (number(used.precision()), number(used.recall()));
    cells.push(format!("{p}, {r}, {}/{}/{}", used.tp, used.fp, used.fn_));
    cells
}

/// What goes without each phrase and each class: repositories in which it helps, and in which it hurts.
pub fn ablate(corpus: &Corpus) -> Table {
    let judged: Vec<Judged<'_>> = judged(corpus).into_iter().filter(|j| !corpus.is_held_back(j.repository)).collect();
    let mut table = Table::new(
        "Without a phrase",
        "Signs that messages lose where a phrase is left out, by repository: it helps where these messages are what the sign \
         speaks for more often than all messages there, and hurts where less often. A phrase stays if it helps in two \
         repositories or more, or completes a closed class.",
        &["phrase", "helps in", "hurts in", "answers that turn wrong", "by repository"],
    );
    let mut classes: Vec<Class> = English::phrases().map(|(class, _)| class).collect();
    classes.dedup();
    for class in classes {
        table.row(&format!("**{class:?}**"), row(&judged, &English::of(|c, _| c != class)));
        for (_, phrase) in English::phrases().filter(|(c, _)| *c == class) {
            let without = English::of(|c, p| c != class || p != phrase);
            table.row(&format!("{class:?}: {phrase}"), row(&judged, &without));
        }
    }
    table
}

/// Messages of a repository that lose a sign: how many, and in how many the sign spoke the truth.
#[derive(Default)]
struct Lost {
    all: f64,
    right: f64,
    /// As many as would be right by chance.
    chance: f64,
}

fn row(judged: &[Judged<'_>], english: &English) -> Vec<String> {
    let mut lost: BTreeMap<&str, Lost> = BTreeMap::new();
    let mut turned = 0;
    for one in judged {
        let Some((session, at)) = one.place.filter(|_| one.signs.is_some()) else { continue };
        let signs = Turn::read(session, at, english).map(|turn| turn.signs);
        for question in [Question::Pushback, Question::Lasting] {
            let (was, is) = (one.said(question), says(signs, question));
            turned += i32::from(was != is) * if was == one.truth(question) { 1 } else { -1 };
            let now = Judged { signs, ..*one }.bits(question);
            let gone = one.bits(question).unwrap_or_default() & !now.unwrap_or_default();
            for (_, sign) in question.signs().iter().enumerate().filter(|(n, _)| gone & (1 << n) != 0) {
                let right = |j: &Judged<'_>| j.truth(question) == (sign.way > 0.0);
                let there: Vec<bool> =
                    judged.iter().filter(|j| j.repository == one.repository && j.signs.is_some()).map(right).collect();
                let entry = lost.entry(one.repository).or_default();
                entry.all += 1.0;
                entry.right += f64::from(u8::from(right(one)));
                entry.chance += there.iter().filter(|r| **r).count() as f64 / there.len().max(1) as f64;
            }
        }
    }
    let helps = lost.values().filter(|l| l.right > l.chance).count();
    let hurts = lost.values().filter(|l| l.right < l.chance).count();
    let list: Vec<String> = lost.iter().map(|(name, l)| format!("{name} {} of {}", l.right, l.all)).collect();
    vec![helps.to_string(), hurts.to_string(), turned.to_string(), list.join(", ")]
}
