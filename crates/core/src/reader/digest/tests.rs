use super::*;
use crate::detect::detect;
use crate::detect::tests::session;
use crate::session::ENVELOPE;
use expect_test::expect;

fn excerpt_of(id: &str, script: &str) -> Option<Excerpt> {
    let mut s = session(script);
    (s.id, s.root) = (id.to_owned(), id.to_owned());
    s.events.iter_mut().for_each(|e| e.id = format!("{id}-{}", e.id));
    let seen = detect(&s);
    excerpt(&Unread { session: &s, transcript: id, from: 0, seen: &seen })
}

fn of(sessions: &[(&str, &str)]) -> Vec<Request> {
    let all = sessions.iter().filter_map(|(id, script)| excerpt_of(id, script)).collect();
    requests("p", all, &[]).0
}

/// What is sent of sessions, without the instructions.
fn sent(request: &Request) -> &str {
    &request.prompt[INSTRUCTIONS.len()..]
}

#[test]
fn a_message_is_sent_with_a_line_of_what_came_before_and_after() {
    let requests = of(&[(
        "s1",
        "u add tests for the parser
         a I added three tests, one for each case.
         u why aren't we using table-driven tests here?
         a Good point, I will convert them.
         $ go test ./...
         u ok
         a Done.",
    )]);
    assert_eq!(requests.len(), 1);
    expect![[r#"

        Session 1 (test, 1970-01-01):
        u1 user: add tests for the parser
        a2 agent: I added three tests, one for each case.
        u3 user: why aren't we using table-driven tests here?
        a4 agent: Good point, I will convert them.
    "#]]
    .assert_eq(sent(&requests[0]));
    assert_eq!(requests[0].spans[2].event, "s1-e2");
    assert_eq!(requests[0].ends, [0]);
}

#[test]
fn a_failure_is_sent_as_its_error_line_with_what_settled_it() {
    let requests = of(&[(
        "s1",
        "u please run the report again for me
         ! tool report --format json => a lot of output\\nerror: unexpected argument '--format' found\\nmore of it
         $ tool report --output json
         u always check the report before you send it
         e docs/AGENTS.md",
    )]);
    expect![[r#"

        Session 1 (test, 1970-01-01):
        u1 user: please run the report again for me
        t2 tool: failed: tool report --format json: error: unexpected argument '--format' found
        a3 agent: then worked: tool report --output json
        u4 user: always check the report before you send it
        t5 tool: the agent changed AGENTS.md
    "#]]
    .assert_eq(sent(&requests[0]));
}

#[test]
fn secrets_and_our_own_words_are_not_sent() {
    let script = format!(
        "u never print the token ghp_{} in a log
         a {ENVELOPE}: use pnpm
         u why did you use npm and not pnpm again?",
        "a1B2c3D4".repeat(5)
    );
    let requests = of(&[("s1", &script)]);
    assert!(!requests[0].prompt.contains("a1B2c3D4") && !requests[0].prompt.contains(ENVELOPE));
    assert!(requests[0].prompt.contains("never print the token"));
}

#[test]
fn a_session_of_a_thousand_turns_costs_at_most_three_requests_and_each_is_bounded() {
    let turn = |n: usize| {
        format!(
            "u you should never use tool{n} for this, always prefer the other one because it is faster {n}\na ok {n}\n"
        )
    };
    let long: String = (0..1_000).map(turn).collect();
    for sessions in [vec![("s1", long.as_str())], vec![("s0", "u never ever do that again please"), ("s1", &long)]] {
        let requests = of(&sessions);
        let with: Vec<&Request> = requests.iter().filter(|r| r.sessions.iter().any(|t| t.session == "s1")).collect();
        assert!((2..=3).contains(&with.len()), "{}", with.len());
        assert_eq!(with.iter().map(|r| r.ends.len()).sum::<usize>() + 1, sessions.len() + 1);
        for request in &requests {
            assert!(tokens(&request.prompt) + tokens(SCHEMA) <= REQUEST, "{}", tokens(&request.prompt));
        }
        assert!(tokens(&requests[0].prompt) > REQUEST * 9 / 10, "requests are filled");
    }
}

#[test]
fn promising_sessions_come_first_and_a_fork_is_told_once() {
    let dull = "u please add a button to the page\na done";
    let good = "u why do you never use the helpers? always use our helpers instead\na ok";
    let requests = of(&[("dull", dull), ("good", good)]);
    let order: Vec<&str> = requests[0].sessions.iter().map(|t| t.session.as_str()).collect();
    assert_eq!(order, ["good", "dull"]);
    let fork = {
        let mut fork = excerpt_of("good", good).expect("something");
        fork.told.session = "fork".to_owned();
        fork
    };
    let (requests, nothing) = requests_of(vec![excerpt_of("good", good).expect("something"), fork]);
    assert_eq!((requests[0].sessions.len(), nothing.len()), (1, 1));
}

fn requests_of(excerpts: Vec<Excerpt>) -> (Vec<Request>, Vec<Told>) {
    requests("p", excerpts, &[])
}

#[test]
fn what_was_read_is_not_sent_again_and_nothing_new_is_nothing() {
    let s = session("u always use our helpers instead\na ok\nu never push to main without asking me\na ok");
    let from = |from| excerpt(&Unread { session: &s, transcript: "t", from, seen: &[] });
    let (requests, _) = requests_of(vec![from(2).expect("something")]);
    assert!(!requests[0].prompt.contains("our helpers") && requests[0].prompt.contains("never push"));
    assert!(from(4).is_none());
    assert!(excerpt_of("s", "u ok\na done\nu thanks").is_none());
    assert!(requests_of(Vec::new()).0.is_empty());
}

#[test]
fn lessons_that_exist_are_named_as_far_as_there_is_room() {
    let known: Vec<Known> = (0..500)
        .map(|n| Known { lesson: format!("l{n}"), statement: format!("Do {n} things before the others are done") })
        .collect();
    let excerpt = excerpt_of("s1", "u always use our helpers instead of your own\na ok").expect("something");
    let request = requests("p", vec![excerpt], &known).0.remove(0);
    assert!(request.prompt.contains("\nKnown lessons:\nK1 Do 0 things before the others are done\nK2 "));
    assert!((20..200).contains(&request.known.len()), "{}", request.known.len());
}

#[test]
fn the_same_sessions_give_the_same_requests_in_whatever_order_they_come() {
    let all = [("a", "u never use tabs in here please\na ok"), ("b", "u always run the linter before a commit\na ok")];
    let mut turned = all;
    turned.reverse();
    assert_eq!(of(&all), of(&turned));
}

#[test]
fn what_was_written_for_agents_is_sent_in_its_words() {
    let requests = of(&[(
        "s1",
        "u please keep that for later sessions
         a Noted.
         $ echo '- Start the database before the tests' >> AGENTS.md",
    )]);
    expect![[r#"

        Session 1 (test, 1970-01-01):
        u1 user: please keep that for later sessions
        a2 agent: Noted.
        a3 agent: wrote into AGENTS.md: - Start the database before the tests
    "#]]
    .assert_eq(sent(&requests[0]));
}

#[test]
fn what_the_agent_found_out_and_how_it_ended_is_sent() {
    let requests = of(&[(
        "s1",
        "u why does the import always hang here?
         a Let me look.
         $ tool import
         a I looked at the log. It turns out the queue must be drained first.
         $ tool drain
         $ tool import
         a The import works now: it needs a drained queue, and the runbook did not say so anywhere.",
    )]);
    expect![[r#"

        Session 1 (test, 1970-01-01):
        u1 user: why does the import always hang here?
        a2 agent: Let me look.
        a3 agent: It turns out the queue must be drained first.
        a4 agent: The import works now: it needs a drained queue, and the runbook did not say so anywhere.
    "#]]
    .assert_eq(sent(&requests[0]));
}

#[test]
fn what_comes_back_from_session_to_session_is_told_with_the_number_of_sessions() {
    let asks = |text: &str| format!("u {text}\na ok\nu now on to something else entirely\na ok");
    let scripts = [
        asks("update the release notes with the recent changes"),
        asks("also update the release notes with recent changes please"),
        asks("update release notes with the changes"),
        asks("draw a picture of the tree"),
    ];
    let sessions: Vec<(String, &String)> = scripts.iter().enumerate().map(|(n, s)| (format!("s{n}"), s)).collect();
    let sessions: Vec<(&str, &str)> = sessions.iter().map(|(id, s)| (id.as_str(), s.as_str())).collect();
    let requests = of(&sessions);
    let prompt = sent(&requests[0]);
    let told = prompt.split("Typed in 3 sessions:\n").nth(1).expect("told");
    assert_eq!(told.lines().take_while(|l| l.contains("release notes")).count(), 3, "{prompt}");
    assert!(!told.contains("picture"), "{prompt}");
    let request = &requests[0];
    let last = request.spans.last().expect("a span");
    assert!(request.sessions[last.session].session.starts_with('s') && last.event.starts_with('s'));
    assert_eq!(request.ends.len(), 4, "told twice, read once");
    assert!(!of(&sessions[..2])[0].prompt.contains("Typed in 2"));
}
