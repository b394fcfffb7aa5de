-- What became of a lesson in an iteration, beside what followed it in a session: whether it was applied, whether a place that was
-- named for it is in the diff, the places, and how much it had to do with what changed, in thousandths. The success rates and the
-- trials are made of the same rows; those of `uptake cycle` have the source `cycle` and, as their session, run and iteration.
ALTER TABLE outcomes ADD COLUMN applied INTEGER;
ALTER TABLE outcomes ADD COLUMN verified INTEGER;
ALTER TABLE outcomes ADD COLUMN relevance INTEGER;
ALTER TABLE outcomes ADD COLUMN claims TEXT;

-- Iterations: finished sessions, and runs of `uptake cycle`. `belongs` is the project as it was called then. What the goal of
-- that time was, what was measured, whether it was met and how nearly, in thousandths.
CREATE TABLE iterations (
  source  TEXT NOT NULL,
  session TEXT NOT NULL,
  belongs TEXT NOT NULL,
  at      INTEGER NOT NULL,
  built   INTEGER,
  goal    TEXT,
  value   REAL,
  met     INTEGER,
  score   INTEGER,
  PRIMARY KEY (source, session)
) WITHOUT ROWID;
