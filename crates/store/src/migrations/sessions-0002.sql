-- The detectors a session was read with; empty if that was before they had versions.
ALTER TABLE sessions ADD COLUMN detectors TEXT NOT NULL DEFAULT '';
