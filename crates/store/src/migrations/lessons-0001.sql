-- What was learned and decided: irreplaceable, because clients delete transcripts.
CREATE TABLE observations (
  id       TEXT PRIMARY KEY,
  detector TEXT NOT NULL,
  kind     TEXT NOT NULL,
  key      TEXT NOT NULL,
  project  TEXT NOT NULL,
  source   TEXT NOT NULL,
  session  TEXT NOT NULL,
  path     TEXT NOT NULL,
  root     TEXT NOT NULL,
  at       INTEGER,
  body     TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX observations_by_project ON observations (project, kind, key);
CREATE INDEX observations_by_session ON observations (source, session);
CREATE INDEX observations_by_path ON observations (path);

CREATE TABLE lessons (
  id         TEXT PRIMARY KEY,
  project    TEXT NOT NULL,
  kind       TEXT NOT NULL,
  key        TEXT NOT NULL,
  name       TEXT NOT NULL,
  body       TEXT NOT NULL,
  sha256     TEXT NOT NULL,
  sessions   INTEGER NOT NULL,
  days       INTEGER NOT NULL,
  first_seen INTEGER,
  last_seen  INTEGER,
  ready      INTEGER NOT NULL,
  rank       REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX lessons_by_project ON lessons (project, rank DESC);

-- Projects with observations that are not added up yet: written with them, removed with the adding up.
CREATE TABLE unfolded (project TEXT PRIMARY KEY) WITHOUT ROWID;

-- A person's word on a lesson. It outlives the lesson's rows, so that a rejected one never comes back.
CREATE TABLE verdicts (
  lesson  TEXT PRIMARY KEY,
  verdict TEXT NOT NULL CHECK (verdict IN ('approved', 'rejected')),
  sha256  TEXT NOT NULL,
  at      INTEGER NOT NULL
) WITHOUT ROWID;

-- What a hook looks up: one row per approved lesson and error.
CREATE TABLE triggers (
  program TEXT NOT NULL,
  error   TEXT NOT NULL,
  project TEXT NOT NULL,
  lesson  TEXT NOT NULL,
  PRIMARY KEY (program, error, project, lesson)
) WITHOUT ROWID;
CREATE INDEX triggers_by_lesson ON triggers (lesson);

CREATE TABLE artifacts (
  path   TEXT PRIMARY KEY,
  lesson TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  at     INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE trials (
  id      TEXT PRIMARY KEY,
  lesson  TEXT NOT NULL,
  source  TEXT NOT NULL,
  session TEXT NOT NULL,
  moment  TEXT NOT NULL,
  at      INTEGER NOT NULL
) WITHOUT ROWID;
