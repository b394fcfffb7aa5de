-- How far a reader has read each transcript: every session is read once.
CREATE TABLE readings (
  path    TEXT PRIMARY KEY,
  -- The last event that was read, and its time.
  upto    TEXT NOT NULL,
  at      INTEGER,
  -- The rules by which answers were taken then.
  version INTEGER NOT NULL
) WITHOUT ROWID;

-- Statements that a reader found to be the same as another: what is seen under the key is kept under the other one.
CREATE TABLE rewordings (
  kind     TEXT NOT NULL,
  key      TEXT NOT NULL,
  into_key TEXT NOT NULL,
  PRIMARY KEY (kind, key)
) WITHOUT ROWID;

-- What a reader says of a lesson that is there: never more than a line beside it.
CREATE TABLE remarks (
  id        TEXT PRIMARY KEY,
  lesson    TEXT NOT NULL,
  relation  TEXT NOT NULL,
  -- What it says instead, and the key of that.
  key       TEXT NOT NULL,
  statement TEXT NOT NULL,
  source    TEXT NOT NULL,
  session   TEXT NOT NULL,
  event     TEXT NOT NULL,
  quote     TEXT NOT NULL,
  at        INTEGER
) WITHOUT ROWID;
CREATE INDEX remarks_by_lesson ON remarks (lesson);
CREATE INDEX remarks_by_key ON remarks (key);
