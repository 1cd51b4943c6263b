-- What happened to items, in the order of commit: number = collection_id * 2^32 + sequence in the collection, so that
-- the table itself is each collection's feed. The last row of a collection always stays, so that sequences never restart.
CREATE TABLE change (
  number INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  -- credential:ID, member:ID, or system.
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  -- The item's number and id, and the version that the change made, or removed.
  item INTEGER NOT NULL,
  item_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  -- The item's change before this one: its history follows these.
  previous INTEGER,
  -- Ids of the fields that changed, JSON; 0 stands for the status.
  fields TEXT NOT NULL,
  -- What these fields held before, JSON by id; null at the creation, and once the item is deleted.
  former TEXT,
  session TEXT,
  request_id TEXT NOT NULL,
  sent_request_id TEXT
) STRICT;

ALTER TABLE item ADD COLUMN last_change INTEGER;

-- How long changes are kept.
ALTER TABLE collection ADD COLUMN history_days INTEGER NOT NULL DEFAULT 365;

-- Deleted items whose former values are erased in steps: the change to go on from.
CREATE TABLE erasure (
  change INTEGER PRIMARY KEY
) STRICT;
