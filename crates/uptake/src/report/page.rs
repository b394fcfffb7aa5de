//! The report as a page.

use super::{BeforeAfter, LessonTrials, Report, Week};
use crate::backtest::rows::RangeRow;
use crate::page::{Bar, Page, Series};
use crate::ui;

/// Most lessons in a plot.
const MOST: usize = 25;

/// The page.
pub fn page(report: &Report) -> String {
    let lead = "What your coding agents got wrong, which lessons they were told about it, and whether that helped. To know \
                that, a lesson is now and then withheld: what then happens is what would have happened without it.";
    let mut page = Page::new("What learning earned", lead);
    page.numbers(&[
        (ui::grouped(report.sessions as u64), "sessions read"),
        (ui::grouped(report.failures.unsigned_abs()), "calls that failed in them"),
        (ui::grouped(report.approved as u64), "lessons in use"),
        (ui::grouped(report.trials.shown as u64), "times told, once a session"),
        (ui::grouped(report.trials.withheld as u64), "times withheld to compare"),
    ]);
    report.too_little.iter().for_each(|text| page.too_little(text));
    over_time(&mut page, &report.weeks);
    lift(&mut page, report);
    before_after(&mut page, &report.before_after);
    tokens(&mut page, report);
    page.finish()
}

fn over_time(page: &mut Page, weeks: &[Week]) {
    page.part(
        "Failures over time",
        "Of a hundred calls, how many failed, by week. Other things change, too: this shows what happened, not why.",
    );
    let [first, .., last] = weeks else {
        return page.too_little("Sessions of two weeks or more are needed to draw a line.");
    };
    let rate = |w: &Week| if w.calls == 0 { 0.0 } else { 100.0 * w.failures as f64 / w.calls as f64 };
    let series = [Series { label: "failed calls of 100".to_owned(), values: weeks.iter().map(rate).collect() }];
    page.lines(&series, &date(first.from), &date(last.from), "of 100 calls failed");
}

fn lift(page: &mut Page, report: &Report) {
    page.part(
        "Lift of each lesson",
        "How much less often its failure came in sessions in which it was told than in those in which it was withheld. Right of \
         the line: it helps. The thin line is where the truth may lie (90 %). Green: enough is known. Each lesson sees few sessions, so \
         lines are long; all lessons of one kind together say more.",
    );
    if report.lessons.is_empty() {
        return page.too_little("No lesson has a trial whose outcome is known.");
    }
    let mut bars: Vec<Bar> = Vec::new();
    bars.extend(report.lift.map(|lift| together("all lessons together", lift)));
    bars.extend(report.by_kind.iter().map(|(kind, lift)| together(&format!("kind: {kind}"), *lift)));
    bars.extend(report.by_family.iter().map(|(family, lift)| together(&format!("about: {family}"), *lift)));
    bars.extend(report.lessons.iter().take(MOST).map(one));
    page.bars(&bars, -1.0, 1.0);
    if report.lessons.len() > MOST {
        page.say(&format!("And {} more with fewer trials: uptake report --json", report.lessons.len() - MOST));
    }
}

fn together(label: &str, lift: RangeRow) -> Bar {
    Bar {
        label: label.to_owned(),
        value: lift.value,
        low: Some(lift.low),
        high: Some(lift.high),
        note: points(lift.value),
        strong: lift.low > 0.0,
    }
}

fn one(lesson: &LessonTrials) -> Bar {
    let (shown, withheld) = (lesson.shown, lesson.withheld);
    let fate = if lesson.fate == "open" { String::new() } else { format!(", {}", lesson.fate) };
    Bar {
        label: ui::cut(&lesson.text, 110),
        value: if withheld.1 == 0 || shown.1 == 0 { 0.0 } else { lesson.lift.value },
        low: Some(lesson.lift.low),
        high: Some(lesson.lift.high),
        note: format!("failed {} of {} told, {} of {} withheld{fate}", shown.0, shown.1, withheld.0, withheld.1),
        strong: lesson.lift.low > 0.0,
    }
}

fn points(lift: f64) -> String {
    format!("{}{:.0} points", if lift < 0.0 { "−" } else { "+" }, (lift * 100.0).abs())
}

fn before_after(page: &mut Page, rows: &[BeforeAfter]) {
    page.part(
        "Before and after a lesson",
        "In how many sessions of its project a failure was met, before and after its lesson was approved. No proof by itself: \
         projects change.",
    );
    if rows.is_empty() {
        return page.too_little("There is no lesson with sessions of its project before and after its approval.");
    }
    let mut bars = Vec::new();
    for row in rows.iter().take(MOST) {
        for (when, (hits, of), strong) in [("before", row.before, false), ("after", row.after, true)] {
            bars.push(Bar {
                label: if strong { "after".to_owned() } else { format!("{} — before", ui::cut(&row.text, 100)) },
                value: f64::from(hits) / f64::from(of.max(1)),
                low: None,
                high: None,
                note: format!("{when}: {hits} of {}", ui::count(u64::from(of), "session")),
                strong,
            });
        }
    }
    page.bars(&bars, 0.0, 1.0);
}

fn tokens(page: &mut Page, report: &Report) {
    let t = &report.tokens;
    page.part("What it cost and saved", "Tokens put in are counted by the length of the words. Tokens saved are those from a failure until its goal was reached, with the hint and without it.");
    let mean = |x: Option<f64>| x.map_or("–".to_owned(), |x| format!("{x:.0}"));
    let mut rows = vec![vec!["".to_owned(), "tokens".to_owned()]];
    rows.push(vec!["put in".to_owned(), ui::grouped(t.injected)]);
    rows.push(vec!["from failure to goal, told".to_owned(), mean(t.with_hint)]);
    rows.push(vec!["from failure to goal, withheld".to_owned(), mean(t.without)]);
    let saved = t.saved.map_or("too few trials to say".to_owned(), |s| {
        format!("{:.0} (between {:.0} and {:.0}, 90 %)", s.value, s.low, s.high)
    });
    rows.push(vec!["saved in all".to_owned(), saved]);
    page.table(&rows);
}

fn date(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).map_or_else(|_| "no date".to_owned(), |t| t.strftime("%Y-%m-%d").to_string())
}
