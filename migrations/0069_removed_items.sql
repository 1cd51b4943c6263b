-- Items that were deleted soon after their creation. A create that is sent again, or that runs late, finds its item here
-- and does not store it a second time. The schedule deletes the rows after an hour.
CREATE TABLE removed_item (
  id TEXT PRIMARY KEY,
  number INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
