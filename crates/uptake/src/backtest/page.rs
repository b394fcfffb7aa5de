//! A backtest as a page.

use uptake_core::measure::script::Scope;

use super::Way;
use super::rows::{BacktestRow, FiguresRow, RangeRow};
use crate::page::{Bar, Page};
use crate::ui;

/// The page.
pub fn page(row: &BacktestRow) -> String {
    let all = &row.all;
    let lead = "Past sessions were gone through again, in the order they began. Before each one, only what had ended by then \
                was known. Would a hint have said what the agent found out only later?";
    let mut page = Page::new("What lessons would have done", lead);
    page.numbers(&[
        (ui::grouped(u64::from(all.sessions)), "sessions"),
        (ui::grouped(u64::from(all.failures)), "calls that failed"),
        (ui::grouped(u64::from(all.recurring)), "times a cause came back"),
        (ui::grouped(u64::from(all.judged)), "of them with a known fix"),
        (ui::grouped(u64::from(all.prevented)), "prevented"),
    ]);
    if all.judged < ENOUGH {
        page.too_little(&format!(
            "{} with a known fix: too few to say anything. The intervals below show how little is known.",
            ui::count(u64::from(all.judged), "failure")
        ));
    }
    page.part(
        "Prevented",
        "A failure that came back is prevented if a hint, at the start or right after the first failure, has all the words \
         that the session changed to get past it. Thin lines: where the true share may lie (90 %). Green: lessons; \
         grey: controls and simple memories for comparison.",
    );
    for (scope, what) in SCOPES {
        let found = |way: &Way| {
            let score = all.of_way(*way)?;
            let (rate, (hits, of)) = (score.of_scope(scope)?, score.scopes.get(scope.as_str())?);
            Some(bar(*way, rate, format!("{:.0} %, {hits} of {of}", rate.value * 100.0)))
        };
        let bars: Vec<Bar> = Way::EVERY.iter().filter_map(found).collect();
        if !bars.is_empty() {
            page.say(what);
            page.bars(&bars, 0.0, 1.0);
        }
    }
    hints(&mut page, all);
    tokens(&mut page, all);
    projects(&mut page, row);
    page.finish()
}

/// With fewer nothing can be said.
const ENOUGH: u32 = 20;

/// What failures are about, in the order shown.
const SCOPES: [(Scope, &str); 3] = [
    (Scope::Project, "About the project: family and subject of the failure occur in no other project."),
    (Scope::Machine, "About the machine: they occur in several projects, or are about the shell."),
    (
        Scope::Tool,
        "About the agent's own tools, which fail alike in every project: any general advice prevents these, so they say little \
         about learning.",
    ),
];

fn bar(way: Way, rate: RangeRow, note: String) -> Bar {
    let own = matches!(way, Way::All | Way::Shown | Way::Auto);
    Bar {
        label: way.title().to_owned(),
        value: rate.value,
        low: Some(rate.low),
        high: Some(rate.high),
        note,
        strong: own,
    }
}

/// Who speaks always is sometimes right: beside what was prevented stands how often a hint was worth reading.
fn hints(page: &mut Page, all: &FiguresRow) {
    page.part("Hints that were right", "Of the hints at failures with a known fix, how many say the change.");
    let right = |way: &Way| {
        let score = all.of_way(*way)?;
        let rate = score.right;
        let hints = ui::count(u64::from(score.hints), "hint");
        rate.map(|rate| bar(*way, rate, format!("{:.0} %, {hints} in all", rate.value * 100.0)))
    };
    page.bars(&Way::EVERY.iter().filter_map(right).collect::<Vec<Bar>>(), 0.0, 1.0);
}

fn tokens(page: &mut Page, all: &FiguresRow) {
    page.part(
        "Tokens",
        "Saved: what retries took up to the fix. Put in: the words of hints. A model reads its whole context with every \
         request, so words that were put in count once for each request that carries them; so do retries, in the last column.",
    );
    let head = ["", "saved", "put in", "with every request", "net", "net, retries carried too"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for way in [Way::All, Way::Shown, Way::Auto, Way::Other, Way::Constant] {
        let Some(s) = all.of_way(way) else { continue };
        rows.push(vec![
            way.title().to_owned(),
            ui::grouped(s.saved_tokens),
            ui::grouped(s.injected_tokens),
            ui::grouped(s.carried_tokens),
            signed(s.net_tokens),
            signed(s.net_tokens_if_retries_are_carried),
        ]);
    }
    page.table(&rows);
}

fn projects(page: &mut Page, row: &BacktestRow) {
    if row.projects.len() < 2 {
        return;
    }
    page.part("By project", "With all lessons accepted.");
    let head = ["", "sessions", "failed", "came back", "prevented", "hints right", "net, retries carried too"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for project in &row.projects {
        let f = &project.figures;
        let net = f.of_way(Way::All).map_or(0, |s| s.net_tokens_if_retries_are_carried);
        rows.push(vec![
            project.project.clone(),
            f.sessions.to_string(),
            f.failures.to_string(),
            f.recurring.to_string(),
            format!("{} of {}", f.prevented, f.judged),
            f.precision.map_or("–".to_owned(), |p| format!("{:.0} %", p * 100.0)),
            signed(net),
        ]);
    }
    page.table(&rows);
}

fn signed(n: i64) -> String {
    format!("{}{}", if n < 0 { "−" } else { "+" }, ui::grouped(n.unsigned_abs()))
}
