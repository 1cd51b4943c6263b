-- Files that callers upload, each with an object in R2 under its id. The row comes before the object and goes after it.
CREATE TABLE file (
  id TEXT PRIMARY KEY,
  collection_id INTEGER NOT NULL,
  -- The id of the field in the definition.
  field INTEGER NOT NULL,
  -- The actor that may attach it.
  owner TEXT NOT NULL,
  name TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  -- Null until the object is stored.
  content_type TEXT,
  -- The number of the item to which it belongs. Null until it is attached.
  item INTEGER,
  -- The number of the change that removed it from its item. The history needs it as long as it keeps the values of that
  -- change.
  detached INTEGER,
  created_at INTEGER NOT NULL,
  -- When it is due for deletion. 0: it is being deleted and cannot come back. Null while its item or the history needs it.
  remove_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX file_by_removal ON file (remove_at) WHERE remove_at IS NOT NULL;
CREATE INDEX file_by_item ON file (item) WHERE item IS NOT NULL;
CREATE INDEX file_by_change ON file (detached) WHERE detached IS NOT NULL;
CREATE INDEX file_by_owner ON file (owner, bytes) WHERE item IS NULL;

-- Where the sweeps of files go on: the last object that was compared with the rows, and the last change.
CREATE TABLE file_sweep (
  name TEXT PRIMARY KEY,
  after TEXT NOT NULL
) STRICT, WITHOUT ROWID;
