-- What a member chose for the administration area. Null before the first choice, and empty if the browser decides.
ALTER TABLE member ADD COLUMN language TEXT;
ALTER TABLE member ADD COLUMN zone TEXT;
