-- Deleted apps and forms. While one can be restored, its row in `collection` has the negative id and a key that starts with
-- `~`, so nothing finds it, and its other rows stay. The row here remains for good: an id is never given again.
CREATE TABLE deletion (
  collection_id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  deleted_at INTEGER NOT NULL,
  deleted_by TEXT NOT NULL,
  -- From this time on the schedule erases it.
  erase_at INTEGER NOT NULL,
  -- Only `deleted` can be restored. The key is free once it is `erased`.
  state TEXT NOT NULL CHECK (state IN ('deleted', 'erasing', 'erased'))
) STRICT;

-- What credentials could reach before it was deleted. A restore gives it back.
CREATE TABLE former_access (
  name TEXT NOT NULL,
  credential_id TEXT NOT NULL,
  resource TEXT NOT NULL,
  PRIMARY KEY (name, credential_id, resource)
) STRICT, WITHOUT ROWID;
