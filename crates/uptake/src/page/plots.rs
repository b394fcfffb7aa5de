//! Bars with intervals, and lines over time.

use super::{Page, escaped};

/// A row of a bar chart.
pub struct Bar {
    /// What it is.
    pub label: String,
    /// How much.
    pub value: f64,
    /// Where it may lie: from.
    pub low: Option<f64>,
    /// To.
    pub high: Option<f64>,
    /// The number in words.
    pub note: String,
    /// Whether it is what the page is about.
    pub strong: bool,
}

/// A line over time.
pub struct Series {
    /// What it is.
    pub label: String,
    /// Its values, from left to right.
    pub values: Vec<f64>,
}

/// The drawing's own size; it is stretched to the page.
const WIDE: f64 = 1_000.0;
/// See `WIDE`.
const HIGH: f64 = 240.0;

impl Page {
    /// Bars from one number to another; 0 has a mark if it lies between.
    pub fn bars(&mut self, bars: &[Bar], from: f64, to: f64) {
        let place = |x: f64| ((x - from) / (to - from)).clamp(0.0, 1.0) * 100.0;
        let zero = place(0.0);
        self.body.push_str("<div class=\"bars\" role=\"list\">");
        for bar in bars {
            let (a, b) = (zero.min(place(bar.value)), zero.max(place(bar.value)));
            let whisker = match (bar.low, bar.high) {
                (Some(low), Some(high)) => {
                    let (low, high) = (place(low), place(high));
                    format!("<i class=\"range\" style=\"left:{low:.2}%;width:{:.2}%\"></i>", high - low)
                }
                _ => String::new(),
            };
            let zero_mark =
                if from < 0.0 { format!("<i class=\"zero\" style=\"left:{zero:.2}%\"></i>") } else { String::new() };
            self.body.push_str(&format!(
                "<div class=\"bar{}\" role=\"listitem\"><span class=\"label\">{}</span><span class=\"track\">\
                 <i class=\"fill\" style=\"left:{a:.2}%;width:{:.2}%\"></i>{whisker}{zero_mark}</span>\
                 <span class=\"note\">{}</span></div>",
                if bar.strong { " strong" } else { "" },
                escaped(&bar.label),
                b - a,
                escaped(&bar.note)
            ));
        }
        self.body.push_str("</div>");
    }

    /// Lines over time, with the first and the last date below.
    pub fn lines(&mut self, series: &[Series], first: &str, last: &str, unit: &str) {
        let top = series.iter().flat_map(|s| &s.values).copied().fold(0.0, f64::max).max(1e-9);
        self.body.push_str(&format!("<figure><div class=\"top\">{} {}</div>", escaped(&number(top)), escaped(unit)));
        self.body.push_str(&format!(
            "<svg viewBox=\"0 0 {WIDE} {HIGH}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\">",
            escaped(unit)
        ));
        for at in [0.0, 0.5, 1.0] {
            self.body.push_str(&format!("<path class=\"grid\" d=\"M0 {0:.1}H{WIDE}\"/>", 1.0 + (HIGH - 2.0) * at));
        }
        for (n, one) in series.iter().enumerate() {
            let step = WIDE / (one.values.len().max(2) - 1) as f64;
            let point =
                |(i, v): (usize, &f64)| format!("{:.1} {:.1}", i as f64 * step, HIGH - 2.0 - (HIGH - 6.0) * v / top);
            let points: Vec<String> = one.values.iter().enumerate().map(point).collect();
            self.body.push_str(&format!("<path class=\"line s{n}\" d=\"M{}\"/>", points.join("L")));
        }
        self.body.push_str("</svg><div class=\"dates\">");
        self.body.push_str(&format!("<span>{}</span><span>{}</span></div><figcaption>", escaped(first), escaped(last)));
        for (n, one) in series.iter().enumerate() {
            self.body.push_str(&format!("<span class=\"key s{n}\">{}</span>", escaped(&one.label)));
        }
        self.body.push_str("</figcaption></figure>");
    }
}

fn number(x: f64) -> String {
    if x >= 10.0 || (x - x.round()).abs() < 1e-9 { format!("{x:.0}") } else { format!("{x:.1}") }
}
