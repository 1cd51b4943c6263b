-- Data: items that members deleted. They can be restored until the schedule erases them. The columns of an item, and when it
-- was deleted, by whom, and what people recognize it by. The data comes last, so that a list of the items does not read it.
CREATE TABLE deleted_item (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  collection_id INTEGER NOT NULL,
  receipt_number TEXT,
  status TEXT,
  version INTEGER NOT NULL,
  definition_version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  updated_by TEXT NOT NULL,
  -- The number of the deletion. The history of the item continues from it.
  last_change INTEGER NOT NULL,
  deleted_at INTEGER NOT NULL,
  deleted_by TEXT NOT NULL,
  -- From this time on the schedule erases it.
  erase_at INTEGER NOT NULL,
  title TEXT,
  data TEXT NOT NULL
) STRICT;
-- Orders the list of a collection, and finds what is due in each collection.
CREATE INDEX deleted_item_by_time ON deleted_item (collection_id, erase_at);

-- The action that members see if it differs from `action`, which the feed, webhooks and the former version of the service
-- read. A restore is a creation for them, and the deletion of a record that can be restored is its erasure.
ALTER TABLE change ADD COLUMN audit_action TEXT;
