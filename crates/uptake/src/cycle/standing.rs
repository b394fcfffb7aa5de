//! How every lesson in use does: its record over all runs, its last days, and its flag.

use std::collections::HashMap;

use anyhow::Result;
use uptake_core::learn::Lesson;
use uptake_core::learn::trust::Mode;
use uptake_core::measure::health::Windows;
use uptake_core::measure::success::Flag;
use uptake_core::render::TableRow;
use uptake_store::Lessons;

/// A lesson in use.
pub struct Standing {
    /// The lesson.
    pub lesson: Lesson,
    /// Its uses.
    pub windows: Windows,
    /// What is to be looked at.
    pub flag: Option<Flag>,
}

impl Standing {
    /// Its row of a table.
    pub fn row(&self) -> TableRow<'_> {
        let all = &self.windows.all;
        let flag = self.flag.map_or("", Flag::as_str);
        TableRow { lesson: &self.lesson, uses: all.uses, rate: all.rate(), flag }
    }
}

/// The uses of all lessons, in one pass.
pub fn records(lessons: &Lessons, now: i64) -> Result<HashMap<String, Windows>> {
    let mut records: HashMap<String, Windows> = HashMap::new();
    lessons.each_use(|id, one| match records.get_mut(id) {
        Some(record) => record.add(one, now),
        None => records.entry(id.to_owned()).or_default().add(one, now),
    })?;
    Ok(records)
}

/// All lessons in use, of one project if named.
pub fn standings(lessons: &Lessons, mode: Mode, project: Option<&str>, now: i64) -> Result<Vec<Standing>> {
    let records = records(lessons, now)?;
    let mut ended: HashMap<String, Vec<i64>> = HashMap::new();
    let mut all_ended = Vec::new();
    // Oldest first, as they come.
    for iteration in lessons.iterations()? {
        all_ended.push(iteration.at);
        ended.entry(iteration.project).or_default().push(iteration.at);
    }
    let mut out: Vec<Standing> = lessons
        .may_leave(mode)?
        .into_iter()
        .filter(|l| project.is_none_or(|p| l.project() == p))
        .map(|lesson| {
            let windows = records.get(&lesson.id).copied().unwrap_or_default();
            // What holds on the whole machine may be used in any project.
            let of_project = ended.get(lesson.project());
            let times = if lesson.project().starts_with("machine:") { Some(&all_ended) } else { of_project };
            let since = windows.all.last.map_or(0, |last| after(times.map_or(&[][..], Vec::as_slice), last));
            Standing { flag: windows.all.flag(since), lesson, windows }
        })
        .collect();
    out.sort_by(|a, b| b.windows.all.uses.cmp(&a.windows.all.uses).then_with(|| a.lesson.id.cmp(&b.lesson.id)));
    Ok(out)
}

/// How many of these times, in order, come after another.
fn after(times: &[i64], last: i64) -> u32 {
    u32::try_from(times.len() - times.partition_point(|t| *t <= last)).unwrap_or(u32::MAX)
}
