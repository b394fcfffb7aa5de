-- Rows of lessons and observations are long. A table WITHOUT ROWID puts all of a row behind its first kilobyte on pages of
-- its own: most of the file was empty. These tables keep rows one behind the other, and find them by short indices.
DROP VIEW IF EXISTS error_solutions;
DROP VIEW IF EXISTS skill_learnings;
DROP VIEW IF EXISTS execution_patterns;
DROP VIEW IF EXISTS decisions;

CREATE TABLE new_observations (
  id       TEXT NOT NULL UNIQUE,
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
);
INSERT INTO new_observations (id, detector, kind, key, project, source, session, path, root, at, body)
  SELECT id, detector, kind, key, project, source, session, path, root, at, body FROM observations;
DROP TABLE observations;
ALTER TABLE new_observations RENAME TO observations;
-- Paths and ids of sessions differ most at their end, keys at both.
CREATE INDEX observations_by_project ON observations (project, kind, substr(key, 1, 16), substr(key, -16));
CREATE INDEX observations_by_session ON observations (substr(session, -12));
CREATE INDEX observations_by_path ON observations (substr(path, -24));

CREATE TABLE new_lessons (
  id         TEXT NOT NULL UNIQUE,
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
  rank       REAL NOT NULL,
  detector   TEXT NOT NULL DEFAULT '',
  -- Whether it was seen in several sessions or said by the user; not known of what an older release kept.
  grounded   INTEGER
);
INSERT INTO new_lessons
    (id, project, kind, key, name, body, sha256, sessions, days, first_seen, last_seen, ready, rank, detector)
  SELECT id, project, kind, key, name, body, sha256, sessions, days, first_seen, last_seen, ready, rank, detector
  FROM lessons;
DROP TABLE lessons;
ALTER TABLE new_lessons RENAME TO lessons;
-- Lists are made without reading the lessons themselves, of one project or of all.
CREATE INDEX lessons_in_order
  ON lessons (project, ready, kind, rank, last_seen, grounded, detector, id, substr(sha256, 1, 8));

-- For people who ask with SQL.
CREATE VIEW error_solutions AS
  SELECT id, project, json_extract(body, '$.trigger.error') AS signature, json_extract(body, '$.trigger.program') AS type,
         json_extract(body, '$.statement') AS description, json_extract(body, '$.commands') AS code,
         sessions AS success_count,
         (SELECT count(*) FROM trials t WHERE t.lesson = lessons.id) AS times_shown
  FROM lessons WHERE kind = 'recovery';
CREATE VIEW skill_learnings AS
  SELECT id, project, CASE kind WHEN 'pitfall' THEN 'warning' WHEN 'procedure' THEN 'pattern' ELSE 'improvement' END AS type,
         json_extract(body, '$.statement') AS learning, json_extract(body, '$.confidence') AS confidence,
         (SELECT count(*) FROM trials t WHERE t.lesson = lessons.id) AS times_applied
  FROM lessons WHERE kind IN ('correction', 'instruction', 'pitfall', 'procedure', 'workflow', 'insight');
CREATE VIEW execution_patterns AS
  SELECT id, project, CASE kind WHEN 'pitfall' THEN 'anti-pattern' ELSE 'success' END AS type,
         json_extract(body, '$.commands') AS tool_sequence, sessions AS count, json_extract(body, '$.confidence') AS rate
  FROM lessons WHERE kind IN ('procedure', 'workflow', 'pitfall');
CREATE VIEW decisions AS
  SELECT id, project, json_extract(body, '$.title') AS title, json_extract(body, '$.statement') AS decision,
         first_seen, last_seen, sessions
  FROM lessons WHERE kind = 'decision';
