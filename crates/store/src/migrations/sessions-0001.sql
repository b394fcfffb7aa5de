-- What was read: rebuildable from the transcripts that still exist.
CREATE TABLE transcripts (
  path      TEXT PRIMARY KEY,
  size      INTEGER NOT NULL,
  modified  INTEGER NOT NULL,
  resume_at INTEGER NOT NULL,
  print     TEXT NOT NULL,
  session   INTEGER
) WITHOUT ROWID;

CREATE TABLE sessions (
  number   INTEGER PRIMARY KEY,
  source   TEXT NOT NULL,
  id       TEXT NOT NULL,
  root     TEXT NOT NULL,
  agent    TEXT NOT NULL,
  version  TEXT,
  cwd      TEXT,
  remote   TEXT,
  project  TEXT NOT NULL,
  path     TEXT NOT NULL UNIQUE,
  started  INTEGER,
  ended    INTEGER,
  messages INTEGER NOT NULL,
  calls    INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  injected TEXT NOT NULL
);
CREATE INDEX sessions_by_project ON sessions (project, started);

CREATE TABLE events (
  session   INTEGER NOT NULL,
  seq       INTEGER NOT NULL,
  id        TEXT NOT NULL,
  at        INTEGER,
  byte      INTEGER NOT NULL,
  bytes     INTEGER NOT NULL,
  kind      TEXT NOT NULL,
  author    TEXT,
  tool      TEXT,
  tool_kind TEXT,
  input     TEXT,
  outcome   TEXT,
  code      INTEGER,
  head      TEXT NOT NULL,
  tail      TEXT NOT NULL,
  size      INTEGER NOT NULL,
  PRIMARY KEY (session, seq)
) WITHOUT ROWID;
-- Forks and resumes repeat ids: this is how they find their root.
CREATE INDEX events_by_id ON events (id);
