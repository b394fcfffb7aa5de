//! Any text as a command line: it is read, its commands lie inside it, and nothing is made up.
#![no_main]

use libfuzzer_sys::fuzz_target;
use uptake_core::normal::{command, error, reading, shell};
use uptake_core::outcome;
use uptake_core::session::Excerpt;

fuzz_target!(|text: &str| {
    let script = shell::parse(text);
    for simple in &script.commands {
        assert!(text.get(simple.start..simple.end).is_some(), "{}..{} of {}", simple.start, simple.end, text.len());
        for word in simple.words.iter().chain(&simple.assigns) {
            assert!(word.text.len() <= text.len(), "a word is no longer than its line");
        }
        let _ = (command::program(simple), command::subcommand(simple), command::inner_script(simple));
        let _ = (command::edits(simple), reading::only_looks(simple), command::normalise_simple(simple));
    }
    let words: usize = script.commands.iter().map(|c| c.words.len() + c.assigns.len()).sum();
    assert!(words <= text.len(), "{words} words in {} bytes", text.len());
    let normal = command::normalise(text);
    let _ = (command::topic(text), command::task(text), command::everyday(&normal));
    // The same text as what a command printed.
    let output = Excerpt::new(text);
    if let Some(signature) = error::signature(&output) {
        error::speaker(&script, &signature.line);
    }
    outcome::from_output(text, &output);
});
