//! `uptake purge`.

use expect_test::expect;

use crate::world::{learned, rows, sql, text};

#[test]
fn a_store_that_cannot_be_read_is_mended_first_and_nothing_is_left_to_throw_out() {
    let world = learned();
    expect![[r#"
        exit code 0
        --- stdout ---
        Everything can be read; there is nothing to throw out.
    "#]]
    .assert_eq(&world.snapshot(&["purge"]));
    let before = rows(&world);
    let id = text(&before[0], "id").to_owned();
    sql(&world, &format!("UPDATE lessons SET body = '{{\"half\":' WHERE id = '{id}'"));
    expect![[r#"
        exit code 0
        --- stdout ---
        Everything can be read; there is nothing to throw out.
        --- stderr ---
        `$DATA/lessons.db` is damaged: a row of lessons cannot be read: 0e3ddb0e6d
          it was kept as `$DATA/lessons.damaged-1794830400000.db`
          saved from it: 7 lessons, 1 folder of a project, 20 observations
          brought back from the journal: nothing
          suggestions are made again from the sessions that were read
    "#]]
    .assert_eq(&world.snapshot(&["purge"]));
    assert_eq!(rows(&world), before, "it was added up again from what was seen");
    let orphan = "INSERT INTO triggers (program, error, project, lesson) VALUES ('p', 'e', 'p', 'gone')";
    sql(&world, orphan);
    expect![[r#"
        exit code 0
        --- stdout ---
        1 pointer to lessons that are not there
        ✓ Threw out 1 entry
    "#]]
    .assert_eq(&world.snapshot(&["purge", "--yes"]));
}
