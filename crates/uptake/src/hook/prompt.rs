//! A prompt: what was said before on what is asked, else silence.
//!
//! Comes in: what a person typed. Goes out: at most two approved lessons that share enough words with it, or skills whose
//! triggers match, that were not told in this session yet.

use std::path::Path;

use anyhow::Result;
use uptake_core::learn::Lesson;
use uptake_core::moment::{Answer, Asked};
use uptake_core::recall::prompt::{self, shared, words_in};
use uptake_core::recall::{self, skills};
use uptake_core::sources::Source;

use super::hints::{self, Hint};
use super::place::Place;

/// Most lessons that are looked at.
const LOOKED_AT: usize = 24;

pub(super) fn answer(source: &Source, data: &Path, asked: &Asked, text: &str) -> Result<Answer> {
    if words_in(text).is_empty() {
        return Ok(Answer::Silence);
    }
    let Some(place) = Place::of(data, asked)? else { return Ok(Answer::Silence) };
    let hints: Vec<Hint> = known_about(&place, text)?.into_iter().map(|(hint, _)| hint).collect();
    if hints.is_empty() || place.is_left_alone()? {
        return Ok(Answer::Silence);
    }
    hints::tell(source, data, asked, &place, hints, "prompt")
}

/// What has to do with a prompt, and why: lessons first, then skills.
pub(super) fn known_about(place: &Place, text: &str) -> Result<Vec<(Hint, String)>> {
    let (words, said) = (words_in(text), skills::said_in(text));
    let list: Vec<&str> = words.keys().map(String::as_str).collect();
    let mut known: Vec<(Hint, String)> = Vec::new();
    for scope in place.scopes() {
        for lesson in place.lessons.approved_at_prompt(&list, scope, place.settings.mode, LOOKED_AT)? {
            let own = prompt::words_of(&lesson);
            // What was said once, of one task, waits until it comes up again.
            let lasts = lesson.evidence.worth.ready || lesson.evidence.sessions > 1;
            if let Some(by) = shared(&words, &own).filter(|_| lasts) {
                let why = format!("both speak of {}", by.join(", "));
                known.push((Hint::plain(&lesson), why));
            }
        }
    }
    for scope in place.scopes() {
        for (lesson, file) in place.lessons.approved_skills(&list, scope, place.settings.mode)? {
            let told = known.iter().any(|(hint, _)| hint.lesson == lesson.id);
            if let Some((topic, action)) =
                skills::asked_for(&words, &said, &skills::triggers_of(&lesson)).filter(|_| !told)
            {
                let file = file.split_once(".md#").map_or(file.clone(), |(file, _)| format!("{file}.md"));
                known.extend(skill(&lesson, &file).map(|hint| (hint, format!("a skill for {topic}, {action}"))));
            }
        }
    }
    Ok(known)
}

/// The line of a skill, if its file is there. What stands in the file anyone may have written: only what was approved is told.
fn skill(lesson: &Lesson, file: &str) -> Option<Hint> {
    let path = Path::new(file);
    let name = path.parent()?.file_name()?.to_string_lossy().into_owned();
    let text = format!("Skill `{name}` (`{file}`) is made for this: {}", recall::hint(lesson));
    path.is_file().then(|| Hint::of(lesson, &text, SKILL.to_owned()))
}

/// What a hint is about that names a skill.
const SKILL: &str = "skill";
