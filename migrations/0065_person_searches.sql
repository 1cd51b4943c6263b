-- Home: searches for the data of a person in all collections. Rows are erased when they expire.
CREATE TABLE person_search (
  id TEXT PRIMARY KEY,
  -- What is searched: an email address or a name.
  text TEXT NOT NULL,
  actor TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'done')),
  -- Where the search goes on: a collection, its items or their history, and the last number that was searched.
  collection_id INTEGER NOT NULL,
  part TEXT NOT NULL CHECK (part IN ('items', 'changes')),
  after INTEGER NOT NULL,
  -- The items that were searched, and those that were found.
  searched INTEGER NOT NULL,
  found INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE person_hit (
  search_id TEXT NOT NULL,
  -- The number of the item.
  item INTEGER NOT NULL,
  -- 1 if only former values match.
  former INTEGER NOT NULL,
  PRIMARY KEY (search_id, item)
) STRICT, WITHOUT ROWID;
