-- Items that a member erased in the last 31 days, longer than Time Travel goes back: `npm run restore` reads them.
CREATE TABLE erased_item (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Erasures that came after the moment to which the database was restored. The schedule repeats them. A subject is the id
-- of an item, or the id and the name of a collection. The restore may create the table before this migration.
CREATE TABLE IF NOT EXISTS owed_erasure (
  subject TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
