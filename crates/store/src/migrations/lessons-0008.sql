-- The marks of what a lesson tells to do, by which those are found that a new lesson may end. Empty: nothing can take its
-- place; most are so, and the index does not hold them. Null: nobody looked yet.
ALTER TABLE lessons ADD COLUMN advice TEXT;
CREATE INDEX lessons_by_advice ON lessons (project, advice, id) WHERE advice IS NOT '';

-- What decides the standing of a lesson, in the order in which verdicts, deletions and files are kept: counting them reads
-- each of these once, from its beginning to its end.
CREATE INDEX lessons_by_standing ON lessons (id, ready, substr(sha256, 1, 8));
