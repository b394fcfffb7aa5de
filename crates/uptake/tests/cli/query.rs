//! `uptake query`.

use crate::world::{learned};

#[test]
fn lessons_are_found_by_error_kind_language_and_words() {
    let world = learned();
    world.run(&["add", "Use tabs", "--project", "p"]).ok();
    let found = |args: &[&str]| world.run(args).ok().objects();
    let errors = found(&["query", "--errors", "unrecognized", "--json"]);
    assert!(!errors.is_empty() && errors.iter().all(|r| r["kind"] == "recovery" || r["kind"] == "pitfall"));
    assert_eq!(found(&["query", "--errors", "TypeError", "--json"]).len(), 0);
    assert_eq!(found(&["query", "tabs", "--json"]).len(), 1);
    assert!(found(&["query", "--patterns", "rust", "--json"]).iter().all(|r| r["kind"] != "recovery"));
    assert!(world.run(&["query", "nothing-like-that"]).ok().out.contains("Nothing was learned"));
    for (args, word) in [(&["query"][..], "say what"), (&["query", "--patterns", "klingon"], "is not known")] {
        let run = world.run(args);
        assert_eq!(run.code, 1);
        assert!(run.err.contains(word), "{}", run.err);
    }
}
