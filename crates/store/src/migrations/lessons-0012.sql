-- Which sums a fact was made with: when they change, it is made again.
CREATE TABLE leaned (
  project TEXT NOT NULL,
  what    TEXT NOT NULL,
  cause   TEXT NOT NULL,
  PRIMARY KEY (project, what, cause)
) WITHOUT ROWID;
