-- The views of a definition: named conditions, sort and fields, as one JSON document.
ALTER TABLE collection ADD COLUMN views TEXT NOT NULL DEFAULT '[]';
