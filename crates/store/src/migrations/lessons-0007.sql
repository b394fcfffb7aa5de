-- What was learned of folders that are or were in a repository. It outlives the folder, and the sessions that were read.
CREATE TABLE folders (
  folder TEXT PRIMARY KEY,
  -- The top of the main checkout, if it was seen on disk.
  top    TEXT,
  -- The project: of the remote, or of the first commit.
  key    TEXT,
  -- The branch that a session's record named.
  branch TEXT
) WITHOUT ROWID;
