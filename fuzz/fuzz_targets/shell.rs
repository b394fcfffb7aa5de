//! Any text as a command line: it is read, its commands lie inside it, and nothing is made up.
#![no_main]

use libfuzzer_sys::fuzz_target;
use uptake_core::normal::shell;
use uptake_core::session::{Body, Call, Event, Excerpt, Outcome, Session, ToolKind};
use uptake_core::failure::outcome;
use uptake_core::{detect, learn, recall};

fuzz_target!(|text: &str| {
    let script = shell::parse(text);
    for simple in &script.commands {
        assert!(text.get(simple.start..simple.end).is_some(), "{}..{} of {}", simple.start, simple.end, text.len());
        for word in simple.words.iter().chain(&simple.assigns) {
            assert!(word.text.len() <= text.len(), "a word is no longer than its line");
        }
    }
    let words: usize = script.commands.iter().map(|c| c.words.len() + c.assigns.len()).sum();
    assert!(words <= text.len(), "{words} words in {} bytes", text.len());
    // The same text as what a command printed.
    outcome::from_output(text, &Excerpt::new(text));
    recall::trigger(text, text);
    learn::capability::concerns(text, [text]);
    detect::detect(&session(text));
});

/// A session in which the line fails, printing itself, and then works, often enough for every detector to look at it.
fn session(line: &str) -> Session {
    let outcomes = [Outcome::Failed(None), Outcome::Ok].into_iter().cycle().take(8);
    Session { events: outcomes.enumerate().map(|(n, outcome)| event(n, line, outcome)).collect(), ..Session::default() }
}

fn event(n: usize, line: &str, outcome: Outcome) -> Event {
    // Two lines after one another make a run of steps.
    let input = if n % 4 < 2 { line.to_owned() } else { format!("make all && {line}") };
    let call = Call { outcome, output: Excerpt::new(line), ..Call::new("Bash", ToolKind::Shell, &input) };
    Event { id: n.to_string(), at: Some(n as i64), offset: 0, len: 0, tokens: None, body: Body::Call(call) }
}
