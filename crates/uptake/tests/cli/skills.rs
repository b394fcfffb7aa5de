//! Skill files and approvals are kept together.

use crate::world::{World, learned, rows, skills, sql, text, with_skill};

#[test]
fn a_deleted_skill_retires_its_lesson_until_it_is_approved_anew() {
    let world = learned();
    let id = with_skill(&world);
    let status = |world: &World| {
        let found = rows(world).into_iter().find(|r| r["id"] == id.as_str());
        text(&found.expect("there"), "status").to_owned()
    };
    for skill in skills(&world) {
        std::fs::remove_file(skill).expect("deleted");
    }
    let run = world.run(&["learn"]).ok();
    assert!(run.out.contains("it is retired until you approve it anew"), "{}", run.out);
    assert_eq!(status(&world), "retired");
    // Seen again, whatever is read: it stays so.
    std::fs::remove_file(world.data().join("sessions.db")).expect("gone");
    world.run(&["learn", "--json"]).ok();
    assert_eq!(status(&world), "retired");
    assert!(world.run(&["why", &id]).ok().out.contains("You deleted what was made of it"));
    world.run(&["review", "--skill", "--accept", &id]).ok();
    assert_eq!(status(&world), "created");
    assert!(!skills(&world).is_empty());
}

#[test]
fn changed_bytes_withdraw_an_approval_and_its_skill() {
    let world = learned();
    let id = with_skill(&world);
    sql(&world, &format!("UPDATE lessons SET body = json_set(body, '$.title', 'Another') WHERE id = '{id}'"));
    assert!(world.run(&["show", &id]).ok().out.contains("it is in quarantine"));
    let run = world.run(&["learn"]).ok();
    assert!(run.out.contains("its lesson is not approved in these words"), "{}", run.out);
    assert!(skills(&world).is_empty());
}
