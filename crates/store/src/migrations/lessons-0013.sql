-- A lesson in a session in which it was told, or was withheld to see what happens without it; and what happened. `chance` is
-- that of being withheld, in thousandths; 0 if nothing was drawn. What followed is empty as long as the session was not read.
-- A row without a session has, as its moment, what all trials say of the lesson; a hook looks there how often it is withheld.
CREATE TABLE outcomes (
  lesson   TEXT NOT NULL,
  source   TEXT NOT NULL,
  session  TEXT NOT NULL,
  moment   TEXT NOT NULL,
  at       INTEGER NOT NULL,
  withheld INTEGER NOT NULL,
  chance   INTEGER NOT NULL,
  failed   INTEGER,
  pushed   INTEGER,
  reached  INTEGER,
  calls    INTEGER,
  tokens   INTEGER,
  PRIMARY KEY (lesson, source, session)
) WITHOUT ROWID;

-- A lesson that retired itself has a word of its own.
CREATE TABLE new_verdicts (
  lesson  TEXT PRIMARY KEY,
  verdict TEXT NOT NULL CHECK (verdict IN ('approved', 'rejected', 'snoozed', 'released', 'superseded', 'retired')),
  sha256  TEXT NOT NULL,
  at      INTEGER NOT NULL,
  until   INTEGER,
  by      TEXT NOT NULL DEFAULT 'person' CHECK (by IN ('person', 'auto'))
) WITHOUT ROWID;
INSERT INTO new_verdicts (lesson, verdict, sha256, at, until, by) SELECT lesson, verdict, sha256, at, until, by FROM verdicts;
DROP TABLE verdicts;
ALTER TABLE new_verdicts RENAME TO verdicts;
