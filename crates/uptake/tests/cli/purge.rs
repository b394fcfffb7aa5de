//! `uptake purge`.

use crate::world::{learned, rows, sql, text};

#[test]
fn what_cannot_be_read_is_listed_and_thrown_out_and_made_again() {
    let world = learned();
    assert!(world.run(&["purge"]).ok().out.contains("nothing to throw out"));
    let before = rows(&world);
    let id = text(&before[0], "id").to_owned();
    sql(&world, &format!("UPDATE lessons SET body = '{{\"half\":' WHERE id = '{id}'"));
    let listed = world.run(&["purge"]).ok();
    assert!(listed.out.contains(&format!("lesson {id} cannot be read")), "{}", listed.out);
    assert_eq!(rows(&world).len(), before.len() - 1, "one that cannot be read breaks nothing else");
    world.run(&["purge", "--yes"]).ok();
    assert_eq!(rows(&world), before, "it was added up again from what was seen");
}
