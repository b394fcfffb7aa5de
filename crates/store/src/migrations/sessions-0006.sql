-- Questions to a reader that are not answered yet, with all that is needed to check the answer.
CREATE TABLE requests (
  id   TEXT PRIMARY KEY,
  at   INTEGER NOT NULL,
  body TEXT NOT NULL
) WITHOUT ROWID;
