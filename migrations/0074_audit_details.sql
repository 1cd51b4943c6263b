-- What else an entry says, as JSON: the names of saved views, or a former and a new name. Null for most entries.
ALTER TABLE audit_entry ADD COLUMN detail TEXT;
