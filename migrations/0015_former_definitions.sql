-- The definitions that a later version replaced, so that the audit can compare them. Each collection keeps its newest 100.
CREATE TABLE former_definition (
  collection_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  definition TEXT NOT NULL, -- JSON
  PRIMARY KEY (collection_id, version)
) STRICT, WITHOUT ROWID;
