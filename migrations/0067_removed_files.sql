-- Data: files whose rows are gone. An upload that a removal overtook can still store the object. The schedule deletes the
-- object again when no upload can be under way anymore, and then this row.
CREATE TABLE removed_file (
  removed_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (removed_at, id)
) STRICT, WITHOUT ROWID;
