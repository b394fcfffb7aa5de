//! What mode `auto` approves without a person.

use anyhow::Result;
use uptake_core::learn::Lesson;
use uptake_core::learn::trust::{self, Mode};
use uptake_store::{Wanted, Which};

use super::{Around, PAGE, Wish, files, turn, used_as};
use crate::stores::Stores;
use crate::world::World;

/// Approves what the rules let through, and writes its skills. Answers the lessons in the form that is used.
pub fn by_rules(world: &World, stores: &mut Stores) -> Result<Vec<Lesson>> {
    let wanted = Wanted { which: Which::Waiting, now: world.now, mode: Mode::Auto, ..Wanted::default() };
    let _turn = turn(world);
    let mut around = Around::default();
    let mut passed = Vec::new();
    for page in stores.lessons.order(&wanted)?.chunks(PAGE) {
        for stored in stores.lessons.at(page)? {
            if stored.verdict().is_some() {
                continue;
            }
            let Ok(form) = trust::auto_form(&stored.lesson) else { continue };
            if around.told(world, form.project())?.says(&form) {
                continue;
            }
            // Should this be cut short, the next run removes files nobody approved.
            if let Some(target) = used_as(world, &stores.lessons, &form, Wish::Usual)?.target() {
                files::write(world, &mut stores.lessons, &mut around, &form, target)?;
            }
            if stores.lessons.approve_by_rules(&form, world.now)? {
                passed.push(form);
            }
        }
    }
    Ok(passed)
}
