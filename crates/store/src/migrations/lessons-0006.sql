-- What changed and is not in the journal beside the database yet: written with the change, removed once it is there.
-- Numbers are never used twice. A row with the table '*' says that the whole journal is to be written anew.
CREATE TABLE journal_due (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  tbl    TEXT NOT NULL,
  key    TEXT NOT NULL
);

-- Rows that were cleared away get a number that stays: the journal names them by it.
CREATE TABLE new_cleared (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  change INTEGER NOT NULL,
  tbl    TEXT NOT NULL,
  row    TEXT NOT NULL
);
INSERT INTO new_cleared (change, tbl, row) SELECT change, tbl, row FROM cleared ORDER BY rowid;
DROP TABLE cleared;
ALTER TABLE new_cleared RENAME TO cleared;
CREATE INDEX cleared_by_change ON cleared (change);
