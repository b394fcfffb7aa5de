//! Long lists on a terminal, page by page.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use crate::terminal::Terminal;
use crate::world::{World, fixtures};

/// A pager that writes down what it is given, and whether it is to show colours.
fn pager(world: &World, name: &str) -> PathBuf {
    let out = world.path("paged");
    let path =
        world.write(name, &format!("#!/bin/sh\nshift $#; {{ echo \"LESS=$LESS\"; cat; }} > '{}'\n", out.display()));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
    path
}

fn paged(world: &World) -> Option<String> {
    std::fs::read_to_string(world.path("paged")).ok()
}

/// What the pager got of the demo's events, with this environment and these options.
fn events(env: &[(&str, &str)], options: &[&str]) -> (Option<String>, String) {
    let world = World::new();
    let mine = pager(&world, "mine");
    let demo = fixtures().join("demo");
    let env: Vec<(&str, String)> =
        env.iter().map(|(name, value)| (*name, value.replace("MINE", &mine.to_string_lossy()))).collect();
    let env: Vec<(&str, &str)> = env.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let args = [&["events", demo.to_str().expect("a path")], options].concat();
    let ended = Terminal::start(&world, &args, &env).end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    (paged(&world), ended.raw)
}

#[test]
fn a_list_that_does_not_fit_on_the_screen_goes_to_the_pager() {
    for env in [&[("PAGER", "MINE -x")][..], &[("UPTAKE_PAGER", "MINE"), ("PAGER", "false")]] {
        let (paged, raw) = events(env, &[]);
        let paged = paged.expect("the pager ran");
        assert!(paged.starts_with("LESS=FRX\nclaude ") && paged.lines().count() > 50, "{paged}");
        assert!(!paged.contains('\u{1b}'), "another pager may show the codes of colours: {paged}");
        assert!(!raw.contains("claude "), "{raw}");
    }
}

#[test]
fn nobody_is_paged_who_does_not_want_to_be() {
    let is_printed = |env: &[(&str, &str)], options: &[&str]| {
        let (paged, raw) = events(env, options);
        assert_eq!(paged, None, "{env:?} {options:?}");
        assert!(raw.lines().count() > 50, "{env:?} {options:?}: {raw}");
    };
    is_printed(&[("PAGER", "MINE")], &["--no-pager"]);
    is_printed(&[("PAGER", "MINE")], &["--json"]);
    is_printed(&[("PAGER", "MINE"), ("TERM", "dumb")], &[]);
    is_printed(&[("PAGER", "cat")], &[]);
    is_printed(&[("PAGER", "MINE"), ("UPTAKE_PAGER", "")], &[]);
    // A list must not be lost because a pager is.
    is_printed(&[("PAGER", "no-such-pager")], &[]);
    let world = World::new();
    let mine = pager(&world, "mine");
    let run = world.command().arg("events").arg(fixtures().join("demo")).env("PAGER", mine).output().expect("it ran");
    assert!(run.status.success() && run.stdout.len() > 1_000 && paged(&world).is_none());
}

#[test]
fn what_fits_on_the_screen_is_printed() {
    let world = World::new();
    let mine = pager(&world, "mine");
    let ended = Terminal::start(&world, &["list"], &[("PAGER", mine.to_str().expect("a path"))]).end();
    assert_eq!(ended.screen, "Nothing was learned yet: uptake learn");
    assert_eq!(paged(&world), None);
}

#[test]
fn less_is_the_pager_if_none_is_named_and_gets_the_colours() {
    let world = World::new();
    let less = pager(&world, "bin/less");
    let path = format!("{}:{}", less.parent().expect("a folder").display(), std::env::var("PATH").unwrap_or_default());
    let demo = fixtures().join("demo");
    Terminal::start(&world, &["events", demo.to_str().expect("a path")], &[("PATH", &path), ("LESS", "S")]).end();
    let paged = paged(&world).expect("less ran");
    assert!(paged.starts_with("LESS=S\nclaude ") && paged.contains('\u{1b}'), "{paged}");
}

#[test]
fn who_leaves_the_pager_early_gets_no_error() {
    let world = World::new();
    let demo = fixtures().join("recorded");
    let ended = Terminal::start(&world, &["events", demo.to_str().expect("a path")], &[("PAGER", "head -n 1")]).end();
    assert_eq!((ended.code, ended.screen.lines().count()), (Some(0), 1), "{ended:?}");
}
