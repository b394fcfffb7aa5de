-- A lesson whose place a newer one took was never rejected by anybody: it has a word of its own.
CREATE TABLE new_verdicts (
  lesson  TEXT PRIMARY KEY,
  verdict TEXT NOT NULL CHECK (verdict IN ('approved', 'rejected', 'snoozed', 'released', 'superseded')),
  sha256  TEXT NOT NULL,
  at      INTEGER NOT NULL,
  until   INTEGER,
  by      TEXT NOT NULL DEFAULT 'person' CHECK (by IN ('person', 'auto'))
) WITHOUT ROWID;
INSERT INTO new_verdicts (lesson, verdict, sha256, at, until, by)
  SELECT lesson,
         CASE WHEN verdict = 'rejected' AND 'superseded' =
                (SELECT action FROM ledger g WHERE g.lesson = verdicts.lesson AND g.undone IS NULL ORDER BY g.id DESC LIMIT 1)
              THEN 'superseded' ELSE verdict END,
         sha256, at, until, by FROM verdicts;
DROP TABLE verdicts;
ALTER TABLE new_verdicts RENAME TO verdicts;
