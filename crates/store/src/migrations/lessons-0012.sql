-- Lessons that a person wants to have as a skill, whatever is usual. What was made a skill before this was known stays one.
CREATE TABLE skill_wishes (lesson TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT OR IGNORE INTO skill_wishes (lesson) SELECT lesson FROM artifacts WHERE path LIKE '%SKILL.md%';
