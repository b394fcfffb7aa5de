//! What the user wants to get better at in a project, and whether an iteration met it.
//!
//! Comes in: a goal, and a number that somebody measured. Goes out: met or not, and how nearly. Deliberately absent:
//! running commands, and reading settings.

/// What is wanted.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// At most so many failing calls in a session, or iterations of a run.
    Failures(f64),
    /// At most so many new tokens.
    Tokens(f64),
    /// A command that ends with 0.
    Green(String),
    /// A command that prints at least this number.
    Number(String, f64),
}

impl Goal {
    /// Its name in settings, logs and `--json`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Failures(_) => "reduce-failures",
            Self::Tokens(_) => "reduce-tokens",
            Self::Green(_) => "keep-green",
            Self::Number(..) => "raise-number",
        }
    }

    /// What it says, for people.
    pub fn words(&self) -> String {
        match self {
            Self::Failures(most) => format!("at most {most} failing calls a session"),
            Self::Tokens(most) => format!("at most {most} new tokens a session"),
            Self::Green(command) => format!("`{command}` passes"),
            Self::Number(command, least) => format!("`{command}` prints {least} or more"),
        }
    }

    /// The command that measures it.
    pub fn command(&self) -> Option<&str> {
        match self {
            Self::Green(command) | Self::Number(command, _) => Some(command),
            Self::Failures(_) | Self::Tokens(_) => None,
        }
    }

    /// Whether a measured number meets it. For `Green` that is the exit code.
    pub fn judge(&self, value: f64) -> Judged {
        let (met, score) = match self {
            Self::Failures(most) | Self::Tokens(most) => (value <= *most, 1.0 - value / (2.0 * most.max(0.5))),
            Self::Green(_) => (value == 0.0, f64::from(u8::from(value == 0.0))),
            Self::Number(_, least) => {
                let reached = if *least > 0.0 { value / least } else { f64::from(u8::from(value >= *least)) };
                (value >= *least, reached)
            }
        };
        Judged { value, met, score: if score.is_finite() { score.clamp(0.0, 1.0) } else { 0.0 } }
    }
}

/// How an iteration did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// What was measured.
    pub value: f64,
    /// Whether the goal was met.
    pub met: bool,
    /// How nearly, from 0 to 1.
    pub score: f64,
}

/// The number that a command printed: the last one of its output, also with a `%` or commas.
pub fn printed_number(output: &str) -> Option<f64> {
    let word = |w: &str| w.trim_matches(|c: char| !c.is_ascii_digit() && c != '-').replace(',', "").parse::<f64>().ok();
    output.split(|c: char| c.is_whitespace() || "=:()[]".contains(c)).rev().find_map(word).filter(|n| n.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_met_or_nearly() {
        for (goal, value, met, score) in [
            (Goal::Failures(3.0), 2.0, true, 0.666_666_666_666_666_7),
            (Goal::Failures(3.0), 4.0, false, 0.333_333_333_333_333_4),
            (Goal::Failures(0.0), 0.0, true, 1.0),
            (Goal::Failures(3.0), 100.0, false, 0.0),
            (Goal::Tokens(50_000.0), 25_000.0, true, 0.75),
            (Goal::Green("make test".into()), 0.0, true, 1.0),
            (Goal::Green("make test".into()), 2.0, false, 0.0),
            (Goal::Number("cov".into(), 80.0), 60.0, false, 0.75),
            (Goal::Number("cov".into(), 80.0), 81.0, true, 1.0),
        ] {
            let judged = goal.judge(value);
            assert_eq!((judged.met, judged.value), (met, value), "{goal:?}");
            assert!((judged.score - score).abs() < 1e-9, "{goal:?} {judged:?}");
        }
    }

    #[test]
    fn the_last_number_counts() {
        for (text, number) in [
            ("TOTAL 120 30 75%\n", Some(75.0)),
            ("coverage: 81.5 %", Some(81.5)),
            ("1,234 tests", Some(1_234.0)),
            ("delta=-3", Some(-3.0)),
            ("none", None),
        ] {
            assert_eq!(printed_number(text), number, "{text}");
        }
    }
}
