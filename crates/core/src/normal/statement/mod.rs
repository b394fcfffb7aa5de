//! A statement in somebody's words → its canonical form: the same for the same statement, said politely or shortly.
//!
//! Comes in: a sentence or two. Goes out: its words in their order, without case, punctuation, quotes, politeness and
//! filler, all ways of saying "don't" as one `not`. What would make it another statement stays: polarity, order,
//! numbers, flags, paths, names, conditions.
//!
//! Deliberately absent: likeness of two statements. A form is a function of one statement alone, so that it does not
//! matter which came first. Where it is not certain that a word says nothing, the word stays: two lessons that say the
//! same are a blemish, one lesson of two that do not is a lie. For the same reason plurals stay (`make test` and `make
//! tests` are two commands), and so does `just`, which is a program, too.

mod tables;
#[cfg(test)]
mod tests;
mod tokens;

use self::tables::{ANSWERS, FILLER, GERUNDS, GREETINGS, IDLE, LIMITED, NEGATIONS, NUMBERS, OPENINGS};
use self::tokens::{Token, tokens};

/// The canonical form: words joined by single spaces. Empty only if the text has no word in it.
pub(crate) fn canonical(text: &str) -> String {
    words(text).join(" ")
}

/// The words of the canonical form.
pub(crate) fn words(text: &str) -> Vec<String> {
    let all = tokens(text);
    let kept = settle(all.clone());
    let kept = if kept.is_empty() { all } else { kept };
    kept.into_iter().map(|t| t.text).filter(|t| !t.is_empty()).collect()
}

fn settle(tokens: Vec<Token>) -> Vec<Token> {
    let mut tokens = rewrite(without_greeting(spelt_out(tokens)), NEGATIONS);
    for token in tokens.iter_mut().filter(|t| !t.code) {
        if let Some((_, plain)) = GERUNDS.iter().chain(NUMBERS).find(|(said, _)| *said == token.text) {
            token.text = (*plain).to_owned();
        }
    }
    let tokens = without_idle(without_opening(rewrite(tokens, FILLER)));
    one_way_round(tokens)
}

/// Contractions as the words they stand for.
fn spelt_out(tokens: Vec<Token>) -> Vec<Token> {
    let mut out = Vec::with_capacity(tokens.len());
    for token in tokens {
        let whole = if token.code { None } else { expanded(&token.text) };
        match whole {
            Some((first, second)) => {
                out.push(Token { text: first, pause: false, ..token });
                out.push(Token { text: second.to_owned(), code: false, pause: token.pause });
            }
            None => out.push(token),
        }
    }
    out
}

fn expanded(word: &str) -> Option<(String, &'static str)> {
    let bare = |first: &str, second| Some((first.to_owned(), second));
    match word {
        "won't" | "wont" => return bare("will", "not"),
        "can't" | "cant" | "cannot" => return bare("can", "not"),
        "dont" => return bare("do", "not"),
        "doesnt" => return bare("does", "not"),
        "shouldnt" => return bare("should", "not"),
        "mustnt" => return bare("must", "not"),
        "let's" | "lets" => return bare("let", "us"),
        "it's" | "that's" | "there's" | "what's" => return bare(&word[..word.len() - 2], "is"),
        _ => {}
    }
    const ENDS: &[(&str, &str)] =
        &[("n't", "not"), ("'re", "are"), ("'ll", "will"), ("'d", "would"), ("'ve", "have"), ("'m", "am")];
    ENDS.iter().find_map(|(end, second)| {
        let first = word.strip_suffix(end).filter(|f| !f.is_empty())?;
        Some((first.to_owned(), *second))
    })
}

/// "no, …", "ok …", "…, ok?": what only answers or asks for an answer is left out. "no tabs" says something.
fn without_greeting(mut tokens: Vec<Token>) -> Vec<Token> {
    while let [.., before, last] = &tokens[..]
        && before.pause
        && !last.code
        && matches!(last.text.as_str(), "ok" | "okay" | "thanks")
    {
        tokens.pop();
    }
    let greets =
        |t: &Token| !t.code && (GREETINGS.contains(&t.text.as_str()) || t.pause && ANSWERS.contains(&t.text.as_str()));
    let idle = tokens.iter().take_while(|t| greets(t)).count();
    if idle < tokens.len() {
        tokens.drain(..idle);
    }
    tokens
}

/// "can you …", "could you …" ask for what follows; in the middle "can" allows something.
fn without_opening(mut tokens: Vec<Token>) -> Vec<Token> {
    let opening = OPENINGS.iter().find(|o| matches(&tokens, o)).map_or(0, |o| o.split(' ').count());
    tokens.drain(..opening);
    tokens
}

/// Puts other words in place of phrases, longest first.
fn rewrite(tokens: Vec<Token>, table: &[(&str, &str)]) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut rest = &tokens[..];
    while let Some(first) = rest.first() {
        let Some((phrase, instead)) = table.iter().find(|(phrase, _)| matches(rest, phrase)) else {
            out.push(first.clone());
            rest = &rest[1..];
            continue;
        };
        let length = phrase.split(' ').count();
        let pause = rest[length - 1].pause;
        let new = instead.split(' ').filter(|w| !w.is_empty());
        out.extend(new.map(|word| Token { text: word.to_owned(), code: false, pause: false }));
        if let Some(last) = out.last_mut() {
            last.pause |= pause;
        }
        rest = &rest[length..];
    }
    out
}

fn matches(tokens: &[Token], phrase: &str) -> bool {
    let mut tokens = tokens.iter();
    phrase.split(' ').all(|word| tokens.next().is_some_and(|t| !t.code && t.text == word))
}

/// Without words that say nothing; `you` and `we` say something where both occur, `always` behind a `not`.
fn without_idle(tokens: Vec<Token>) -> Vec<Token> {
    let says = |word: &str| tokens.iter().any(|t| t.text == word);
    let told_apart = says("i") || says("they") || says("you") && says("we");
    let mut negated = false;
    let mut out = Vec::with_capacity(tokens.len());
    for token in &tokens {
        let word = token.text.as_str();
        let pronoun = !told_apart && matches!(word, "you" | "we");
        let scoped = negated && LIMITED.contains(&word);
        if token.code || !(pronoun || IDLE.contains(&word)) || scoped {
            out.push(token.clone());
        }
        negated = !token.pause && (negated || word == "not");
    }
    out
}

/// How many words may name one of two alternatives.
const NAME: usize = 4;

/// "not use A use B" and "use B not use A" as "use B not A".
fn one_way_round(mut tokens: Vec<Token>) -> Vec<Token> {
    let is = |t: Option<&Token>, word: &str| t.is_some_and(|t| !t.code && t.text == word);
    let negated = tokens.iter().filter(|t| is(Some(t), "not")).count();
    if negated != 1 {
        return tokens;
    }
    if tokens.len() > 2 && is(tokens.last(), "instead") {
        tokens.pop();
    }
    let uses: Vec<usize> = (0..tokens.len()).filter(|i| is(tokens.get(*i), "use")).collect();
    let not = tokens.iter().position(|t| is(Some(t), "not")).unwrap_or(0);
    match uses.as_slice() {
        // "use B not use A"
        [0, second] if *second == not + 1 && not > 1 => {
            tokens.remove(*second);
        }
        // "not use A use B", "not A use B"
        [.., last] if not == 0 && uses.len() <= 2 && (uses.len() == 1 || uses[0] == 1) && *last > 1 => {
            let joined = usize::from(matches!(tokens[*last - 1].text.as_str(), "but" | "and" | "then"));
            let (from, to) = (uses.len(), *last - joined);
            let (old, new) = (tokens.get(from..to).unwrap_or_default(), &tokens[*last..]);
            if !old.is_empty() && old.len() <= NAME && (2..=NAME + 1).contains(&new.len()) {
                return [new, &tokens[..1], old].concat();
            }
        }
        _ => {}
    }
    tokens
}
