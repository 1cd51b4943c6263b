-- The keys of the fields whose changes a webhook reports, JSON. Null for all fields.
ALTER TABLE webhook ADD COLUMN changed_fields TEXT;
