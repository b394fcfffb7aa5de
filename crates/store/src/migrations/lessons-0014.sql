-- A lesson in a session in which it was told, or was withheld to see what happens without it; and what happened.
CREATE TABLE outcomes (
  lesson   TEXT NOT NULL,
  source   TEXT NOT NULL,
  session  TEXT NOT NULL,
  moment   TEXT NOT NULL,
  at       INTEGER NOT NULL,
  withheld INTEGER NOT NULL,
  -- The chance of that, in thousandths; 0 if nothing was drawn.
  chance   INTEGER NOT NULL,
  -- What followed; nothing as long as the session was not read.
  failed   INTEGER,
  pushed   INTEGER,
  reached  INTEGER,
  calls    INTEGER,
  tokens   INTEGER,
  PRIMARY KEY (lesson, source, session)
) WITHOUT ROWID;

-- What trials say of a lesson; a hook looks here how often it is withheld.
CREATE TABLE fates (lesson TEXT PRIMARY KEY, fate TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;

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
