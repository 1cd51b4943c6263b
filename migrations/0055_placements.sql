-- Home: the database of each collection that was created with or moved to a data database. Rows are never deleted, so
-- that no id is given again. A collection without a row is in the home database.
CREATE TABLE placement (
  collection_id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  -- The name of the binding.
  database TEXT NOT NULL,
  -- Grows with each move.
  epoch INTEGER NOT NULL,
  -- 'creating' until the collection is stored.
  state TEXT NOT NULL CHECK (state IN ('creating', 'placed')),
  UNIQUE (kind, key)
) STRICT;
-- Home: what `npm run databases -- add` added. New collections are placed in it from `used_from` on.
CREATE TABLE data_database (
  name TEXT PRIMARY KEY,
  -- A location hint or a jurisdiction; null for none.
  location TEXT,
  used_from INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Data: the placed collections that this database owns or once owned.
CREATE TABLE owner (
  collection_id INTEGER PRIMARY KEY,
  epoch INTEGER NOT NULL,
  -- 'frozen' refuses writes. 'moved' refuses everything.
  state TEXT NOT NULL CHECK (state IN ('owned', 'frozen', 'moved')),
  -- A fence inserts a negative epoch to abort its batch.
  CONSTRAINT not_owner CHECK (epoch >= 0)
) STRICT;
-- Where the maker of a collection wanted it; null for anywhere.
ALTER TABLE collection ADD COLUMN location TEXT;
