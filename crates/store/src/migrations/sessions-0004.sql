-- Where a call ran if that is not the session's folder, how long (in milliseconds), and what its source has to remember
-- until its end is told.
ALTER TABLE events ADD COLUMN cwd TEXT;
ALTER TABLE events ADD COLUMN took INTEGER;
ALTER TABLE events ADD COLUMN pending TEXT;
-- New tokens of the model's step with this event.
ALTER TABLE events ADD COLUMN tokens INTEGER;
