//! Many lessons: what is done for one is not done again for each of the others.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::world::{World, files, learn, messages, skills};

/// Fixes of one program, each another lesson, ten a session.
fn with_fixes(world: &World, count: usize) {
    for session in 0..count.div_ceil(10) {
        let mut script = "u reports please\n".to_owned();
        for n in session * 10..count.min(session * 10 + 10) {
            let _ = writeln!(
                script,
                "$ tool report --format{n} json => error: unexpected argument '--format{n}' found\n\
                 $ tool report --output{n} json => {{\"total\": {n}}}"
            );
        }
        let text = messages(&script).replace("id\":\"c", &format!("id\":\"s{session}c"));
        world.write(&format!("h/shop/s{session}.json"), &text);
    }
}

#[test]
fn many_lessons_about_one_thing_become_few_skills() {
    let world = World::new();
    with_fixes(&world, 30);
    world.run_on(&["learn", "--skill", "--yes", "--all"], &[&world.path("h")]).ok();
    let folder =
        |path: std::path::PathBuf| path.parent().and_then(|p| p.file_name()).map(|n| n.to_string_lossy().into_owned());
    let names: BTreeSet<String> = skills(&world).into_iter().filter_map(folder).collect();
    let ours: Vec<&String> = names.iter().filter(|n| n.starts_with("error-tool")).collect();
    assert_eq!(ours, ["error-tool", "error-tool-2", "error-tool-3"]);
}

#[test]
fn the_whole_data_folder_takes_less_than_three_kilobytes_a_lesson() {
    let world = World::new();
    with_fixes(&world, 1_000);
    let lessons = learn(&world).len() as u64;
    assert!(lessons >= 1_000, "{lessons}");
    let bytes: u64 = files(&world.data()).iter().map(|f| f.metadata().expect("a file").len()).sum();
    assert!(bytes / lessons <= 3_000, "{bytes} bytes for {lessons} lessons");
}

#[test]
fn a_review_of_very_many_lessons_leaves_none_out() {
    let world = World::new();
    with_fixes(&world, 620);
    let known = learn(&world).iter().filter(|l| l["status"] == "ready").count();
    assert!(known > 600, "{known}");
    assert_eq!(world.run(&["review", "--json"]).ok().objects().len(), known);
    let shown = world.run_on(&["learn", "--all", "--json"], &[&world.path("h")]).ok().objects();
    assert_eq!(shown.len(), known);
}
