//! `uptake card`.

use crate::artifacts::{accept_all, opted, read};

#[test]
fn the_card_says_what_holds_here_and_its_file_is_the_projects() {
    let world = opted();
    accept_all(&world);
    world.run_in("shop", &["add", "Never push to main"]).ok();
    let card = world.run_in("shop", &["card"]).ok().out;
    assert!(card.lines().count() <= 31, "{card}");
    for words in ["Commands that work:\n- To release", "Do not:\n- ", "Never push to main [", "Conventions:\n- "] {
        assert!(card.contains(words), "{words}: {card}");
    }
    let object = world.run_in("shop", &["card", "--json"]).ok().objects().remove(0);
    assert_eq!(object["lines"].as_array().map(Vec::len), Some(5), "{object}");
    world.run_in("shop", &["card", "--write"]).ok();
    let path = world.path("shop/.uptake/card.md");
    assert!(read(&path).contains("## Do not\n\n- "), "{}", read(&path));
    world.run_in("shop", &["card", "--write"]).ok();
    std::fs::write(&path, "mine").expect("written");
    let run = world.run_in("shop", &["card", "--write"]);
    assert!(run.code == 1 && run.err.contains("left alone") && read(&path) == "mine", "{}", run.err);
}

#[test]
fn an_empty_card_says_what_to_do() {
    let world = crate::world::World::new();
    assert_eq!(world.run(&["card"]).ok().out, "Nothing is approved for this project yet: uptake review\n");
}
