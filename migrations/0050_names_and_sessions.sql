-- The name of a member, which the administration area shows instead of the address. Empty: the address is shown.
ALTER TABLE member ADD COLUMN name TEXT NOT NULL DEFAULT '';

-- What members see of their sessions: browser and system, and the last request (null before the first update).
ALTER TABLE session ADD COLUMN device TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN seen_at INTEGER;
