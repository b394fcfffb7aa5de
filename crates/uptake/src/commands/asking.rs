//! The one question about a lesson. `learn` and `review` ask it in the same words, and the same answer does the same.

use anyhow::Result;

use crate::approve::{Decision, UsedAs, Wish};
use crate::ui::Ui;

/// What a person answered.
pub enum Answer {
    /// This is decided.
    Decided(Decision),
    /// Nothing is decided about this lesson.
    Skip,
    /// Nothing is decided about this lesson and those after it.
    Stop,
}

/// What may be answered; said once, before the first question.
pub const LEGEND: &str = "Answer y for yes, n for no and never again, s to skip, q to stop, ? for help.";

/// Asks until there is an answer. The end of the input stops.
pub fn ask(ui: &mut Ui, used_as: &UsedAs) -> Result<Answer> {
    let question = match used_as {
        UsedAs::Skill => "   Save as skill? [Y/n]: ",
        UsedAs::Command => "   Save as slash command? [Y/n]: ",
        UsedAs::Entry(_) => "   Add to what is known of the project? [Y/n]: ",
        UsedAs::Start(_) => "   Tell agents at the start of a session? [Y/n]: ",
        UsedAs::Hint(_) => "   Tell agents when this error comes up again? [Y/n]: ",
    };
    loop {
        let Some(given) = ui.answer(question)? else { return Ok(Answer::Stop) };
        match given.to_lowercase().as_str() {
            "" | "y" | "yes" => return Ok(Answer::Decided(Decision::Yes(Wish::Usual))),
            "k" | "skill" => return Ok(Answer::Decided(Decision::Yes(Wish::Skill))),
            "n" | "no" => return Ok(Answer::Decided(Decision::No)),
            "s" | "skip" => return Ok(Answer::Skip),
            "q" | "quit" => return Ok(Answer::Stop),
            "?" | "h" | "help" => {}
            _ => ui.line(format!("   `{given}` is no answer."))?,
        }
        help(ui, used_as)?;
    }
}

fn help(ui: &mut Ui, used_as: &UsedAs) -> Result<()> {
    ui.line("   y  yes; so does Enter")?;
    if *used_as != UsedAs::Skill {
        ui.line("   k  yes, as a skill file instead: of the project if it wants files, else for all your projects")?;
    }
    ui.line("   n  no, for ever: it is not offered again (`uptake undo` takes that back)")?;
    ui.line("   s  skip: nothing is decided, it is offered again")?;
    ui.line("   q  stop here: nothing more is decided")?;
    Ok(())
}
