-- What became of a lesson in an iteration, beside what followed it in a session: whether it was applied, whether a place that was
-- named for it is in the diff, how much it had to do with what changed, in thousandths, and the places. The success rates and the
-- trials are made of the same rows; those of `uptake cycle` have the source `cycle` and, as their session, run and iteration.
--
-- A row without a lesson is an iteration: a finished session, or a run of `uptake cycle`. Its moment is the project as it was
-- called then. Of it, `applied` is whether the build passed, `verified` whether the goal was met, `relevance` how nearly, and
-- `claims` the goal and what was measured. A table of its own would take a page where there are none.
ALTER TABLE outcomes ADD COLUMN applied INTEGER;
ALTER TABLE outcomes ADD COLUMN verified INTEGER;
ALTER TABLE outcomes ADD COLUMN relevance INTEGER;
ALTER TABLE outcomes ADD COLUMN claims TEXT;
