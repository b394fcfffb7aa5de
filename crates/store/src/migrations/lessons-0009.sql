-- What worked where, over all sessions of a project: tallies of sessions, added up, so that a hook finds them at once.
CREATE TABLE worked (
  project  TEXT NOT NULL,
  what     TEXT NOT NULL,
  place    TEXT NOT NULL,
  sessions INTEGER NOT NULL,
  ok       INTEGER NOT NULL,
  failed   INTEGER NOT NULL,
  last     INTEGER,
  PRIMARY KEY (project, what, place)
) WITHOUT ROWID;

-- All facts of one cause.
CREATE INDEX facts_by_key ON lessons (project, key) WHERE kind = 'fact';
