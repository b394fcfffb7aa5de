-- The top folder of the working tree a session was started in: what its paths are told from.
ALTER TABLE sessions ADD COLUMN top TEXT;
