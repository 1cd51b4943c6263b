-- How many calls of a credential there were, by the hour for a day and by the day for 30, as its object last told, at
-- most once a minute: lists of credentials ask no object.
ALTER TABLE credential ADD COLUMN usage TEXT CHECK (usage IS NULL OR json_valid(usage));
