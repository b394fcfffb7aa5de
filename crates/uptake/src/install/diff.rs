//! Two texts → the lines that differ, as people read them.

/// Lines around a change that are shown.
const AROUND: usize = 2;
/// Longer texts are not compared line by line.
const LONGEST: usize = 3_000;

/// The lines that differ, each behind `+`, `-` or a space.
pub fn diff(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - start;
    let end = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let (old_mid, new_mid) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    let mut lines: Vec<(char, &str)> = old[..start].iter().map(|l| (' ', *l)).collect();
    if old_mid.len() * new_mid.len() <= LONGEST * LONGEST {
        lines.extend(compared(old_mid, new_mid));
    } else {
        lines.extend(old_mid.iter().map(|l| ('-', *l)).chain(new_mid.iter().map(|l| ('+', *l))));
    }
    lines.extend(old[old.len() - end..].iter().map(|l| (' ', *l)));
    shown(&lines)
}

/// By the longest common run of lines.
fn compared<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(char, &'t str)> {
    let mut common = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] =
                if old[i] == new[j] { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
        }
    }
    let (mut i, mut j, mut lines) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push((' ', old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || i < old.len() && common[i + 1][j] >= common[i][j + 1] {
            lines.push(('-', old[i]));
            i += 1;
        } else {
            lines.push(('+', new[j]));
            j += 1;
        }
    }
    lines
}

fn shown(lines: &[(char, &str)]) -> Vec<String> {
    let near =
        |n: usize| lines[n.saturating_sub(AROUND)..(n + AROUND + 1).min(lines.len())].iter().any(|(c, _)| *c != ' ');
    let mut out = Vec::new();
    let mut skipped = false;
    for (n, (mark, line)) in lines.iter().enumerate() {
        if near(n) {
            if skipped && !out.is_empty() {
                out.push("  …".to_owned());
            }
            out.push(format!("{mark} {line}"));
        }
        skipped = !near(n);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_shown_with_a_little_around_it() {
        assert_eq!(diff("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nx\nd\ne\nf\n"), ["  b", "  c", "+ x", "  d", "  e"]);
        assert_eq!(diff("a\nb\n", "a\nc\n"), ["  a", "- b", "+ c"]);
        assert_eq!(diff("", "a\n"), ["+ a"]);
        assert!(diff("a\n", "a\n").is_empty());
    }
}
