-- What is not added up yet, by what it is about: only that is read again. An empty key means the runs of a project's
-- procedures, which are looked at together.
ALTER TABLE unfolded RENAME TO old_unfolded;
CREATE TABLE unfolded (
  project TEXT NOT NULL,
  kind    TEXT NOT NULL,
  key     TEXT NOT NULL,
  PRIMARY KEY (project, kind, key)
) WITHOUT ROWID;
INSERT OR IGNORE INTO unfolded (project, kind, key)
  SELECT project, kind, CASE detector WHEN 'multi-step' THEN '' ELSE key END FROM observations
  WHERE project IN (SELECT project FROM old_unfolded);
DROP TABLE old_unfolded;

ALTER TABLE lessons ADD COLUMN detector TEXT NOT NULL DEFAULT '';
UPDATE lessons SET detector = coalesce(json_extract(body, '$.detector'), '') WHERE json_valid(body);

-- Lists are made without reading the lessons themselves.
CREATE INDEX lessons_in_order ON lessons (ready, project, kind, rank, last_seen, detector, sha256);
CREATE INDEX artifacts_by_lesson ON artifacts (lesson);
CREATE INDEX trials_by_lesson ON trials (lesson);
CREATE INDEX ledger_by_undone ON ledger (undone);

-- Who said it: a person, or the rules of mode `auto`.
ALTER TABLE verdicts ADD COLUMN by TEXT NOT NULL DEFAULT 'person' CHECK (by IN ('person', 'auto'));

-- Lessons whose file the user deleted; only a new approval ends that.
CREATE TABLE deletions (lesson TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;

-- Projects whose settings the user agreed to, in exactly these bytes.
CREATE TABLE trusted (folder TEXT PRIMARY KEY, sha256 TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;

-- Projects that are another project by another name.
CREATE TABLE aliases (name TEXT PRIMARY KEY, project TEXT NOT NULL) WITHOUT ROWID;

-- Rows a person cleared away, so that it can be undone.
CREATE TABLE cleared (
  change INTEGER NOT NULL,
  tbl    TEXT NOT NULL,
  row    TEXT NOT NULL
);
CREATE INDEX cleared_by_change ON cleared (change);

-- What the lessons were added up with, and by which rules they were seen.
CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
