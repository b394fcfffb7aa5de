-- A file that a person changed is theirs for ever. On another branch of its repository a file may be missing without anybody
-- having deleted it.
ALTER TABLE artifacts ADD COLUMN edited INTEGER NOT NULL DEFAULT 0;
ALTER TABLE artifacts ADD COLUMN branch TEXT NOT NULL DEFAULT '';

-- Checkouts into which files may be written.
CREATE TABLE opted (folder TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;

-- The highest number that an entry of a file ever got: none is given twice.
CREATE TABLE numbers (file TEXT PRIMARY KEY, highest INTEGER NOT NULL) WITHOUT ROWID;

-- Sessions in which an entry was named.
CREATE TABLE citations (
  entry   TEXT NOT NULL,
  session TEXT NOT NULL,
  at      INTEGER,
  PRIMARY KEY (entry, session)
) WITHOUT ROWID;

-- What was approved and belongs to no error is told at the start of a session.
INSERT OR IGNORE INTO triggers (program, error, project, lesson)
  SELECT '', 'session start', l.project, l.id FROM lessons l JOIN verdicts v ON v.lesson = l.id
  WHERE v.verdict = 'approved' AND l.kind <> 'fact' AND json_valid(l.body) AND json_extract(l.body, '$.trigger') IS NULL;
