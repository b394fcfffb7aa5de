-- More words a person may say: later, and "let the agent write it up".
CREATE TABLE new_verdicts (
  lesson  TEXT PRIMARY KEY,
  verdict TEXT NOT NULL CHECK (verdict IN ('approved', 'rejected', 'snoozed', 'released')),
  sha256  TEXT NOT NULL,
  at      INTEGER NOT NULL,
  until   INTEGER
) WITHOUT ROWID;
INSERT INTO new_verdicts (lesson, verdict, sha256, at) SELECT lesson, verdict, sha256, at FROM verdicts;
DROP TABLE verdicts;
ALTER TABLE new_verdicts RENAME TO verdicts;

-- Every change a person made, with what was there before: undo works from here.
CREATE TABLE ledger (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  at     INTEGER NOT NULL,
  action TEXT NOT NULL,
  lesson TEXT NOT NULL,
  before TEXT NOT NULL,
  undone INTEGER
);
CREATE INDEX ledger_by_lesson ON ledger (lesson);

-- What must never come back; a keyed hash, so that nobody can read it from here.
CREATE TABLE tombstones (hash TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;

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
