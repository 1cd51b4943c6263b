-- Of the fields that are indexed, those that became searchable with it, JSON. The entries of the others agree with their
-- items at any time, so searches use them meanwhile. Null means all fields.
ALTER TABLE indexing ADD COLUMN newly_searchable TEXT;
