//! Events of old sessions: what can be read again, or has been learned from, goes first.
//!
//! A session keeps its row, so that it is still counted; its transcript is read from the start if it goes on. Deliberately
//! absent: everything of `lessons.db`.

use rusqlite::params;

use crate::Result;
use crate::events;
use crate::sessions::Sessions;

impl Sessions {
    /// Sessions whose events are beyond the newest so many, and that ended before a time: numbers, oldest first.
    pub fn beyond(&self, most: u32, before: i64) -> Result<Vec<i64>> {
        let sql = "SELECT number, ended FROM
                     (SELECT number, coalesce(ended, started, 0) AS ended FROM sessions
                      WHERE EXISTS (SELECT 1 FROM events WHERE place BETWEEN number << 32 AND (number << 32) + 0xffffffff)
                      ORDER BY 2 DESC, number DESC LIMIT -1 OFFSET ?1)
                   WHERE ended < ?2 ORDER BY ended, number";
        self.db.rows(sql, params![most, before], |r| r.get("number"))
    }

    /// Removes the events of sessions, all or none. A session that another process read on meanwhile stays.
    pub fn drop_events(&mut self, numbers: &[i64], before: i64) -> Result<usize> {
        self.db.write(|t| {
            let mut old =
                t.prepare_cached("SELECT 1 FROM sessions WHERE number = ?1 AND coalesce(ended, started, 0) < ?2")?;
            let mut drop_events = t.prepare_cached("DELETE FROM events WHERE place BETWEEN ?1 AND ?2")?;
            let mut from_start =
                t.prepare_cached("UPDATE transcripts SET resume_at = 0, print = '' WHERE session = ?1")?;
            let mut dropped = 0;
            for number in numbers {
                if old.exists(params![number, before])? {
                    let (first, last) = events::places(*number);
                    drop_events.execute([first, last])?;
                    from_start.execute([number])?;
                    dropped += 1;
                }
            }
            Ok(dropped)
        })
    }

    /// Gives the space of what was removed back to the disk.
    pub fn give_back_space(&mut self) -> Result<()> {
        self.db.squeeze()
    }
}
