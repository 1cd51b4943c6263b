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
