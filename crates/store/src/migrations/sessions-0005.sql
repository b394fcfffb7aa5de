-- What a call changed in files that tell agents how to work, as a small patch.
ALTER TABLE events ADD COLUMN written TEXT;
