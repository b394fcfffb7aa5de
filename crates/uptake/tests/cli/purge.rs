//! `uptake purge`.

use expect_test::expect;

use crate::world::{learned, rows, sql, text};

#[test]
fn what_cannot_be_read_is_listed_and_thrown_out_and_made_again() {
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
        lesson 0e3ddb0e6d cannot be read
        Throw them out with: uptake purge --yes
    "#]]
    .assert_eq(&world.snapshot(&["purge"]));
    assert_eq!(rows(&world).len(), before.len() - 1, "one that cannot be read breaks nothing else");
    expect![[r#"
        exit code 0
        --- stdout ---
        lesson 0e3ddb0e6d cannot be read
        ✓ Threw out 1 entry
    "#]]
    .assert_eq(&world.snapshot(&["purge", "--yes"]));
    assert_eq!(rows(&world), before, "it was added up again from what was seen");
}
