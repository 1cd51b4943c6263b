-- Collections whose items do not have all their search entries yet: fields that were made searchable, or came back.
CREATE TABLE indexing (
  collection_id INTEGER PRIMARY KEY,
  -- Ids of the fields, JSON.
  fields TEXT NOT NULL,
  -- The item number to go on from, and the last one; what was stored later has its entries.
  next INTEGER NOT NULL,
  last INTEGER NOT NULL,
  done INTEGER NOT NULL,
  total INTEGER NOT NULL
) STRICT;

-- A change of a definition that has to look at more items than one step can: it takes effect when all were seen.
CREATE TABLE pending_change (
  collection_id INTEGER PRIMARY KEY,
  -- What it makes of the definition, and asks of items: JSON.
  change TEXT NOT NULL,
  -- Who asked for it: the entry of the audit, JSON.
  act TEXT NOT NULL,
  next INTEGER NOT NULL,
  last INTEGER NOT NULL,
  done INTEGER NOT NULL,
  total INTEGER NOT NULL,
  -- Why it was dropped: the problem that it would have been, JSON; kept until the next change.
  problem TEXT
) STRICT;

-- Numbers of unique fields that are none any more; their values are swept in steps.
CREATE TABLE former_unique (
  field INTEGER PRIMARY KEY
) STRICT;

-- A check of a collection's search index, entry by entry: what no item has is removed. What is missing is made anew by
-- the indexing that is started beside it.
CREATE TABLE index_check (
  collection_id INTEGER PRIMARY KEY,
  -- The last entry that was looked at.
  field INTEGER NOT NULL,
  value ANY NOT NULL,
  item INTEGER NOT NULL,
  seen INTEGER NOT NULL,
  removed INTEGER NOT NULL
) STRICT;
