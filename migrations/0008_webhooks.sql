-- Who is told of changes, and where. Places in the feeds, and what was delivered, are kept by each webhook's object.
CREATE TABLE webhook (
  id TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  -- JSON: a list of types; a list of names, or "all".
  types TEXT NOT NULL,
  collections TEXT NOT NULL,
  include TEXT NOT NULL CHECK (include IN ('item', 'ids')),
  -- Deleted ones are there until their object has forgotten them.
  state TEXT NOT NULL CHECK (state IN ('active', 'paused', 'failing', 'disabled', 'deleted')),
  reason TEXT,
  -- Signing secrets, sealed: JSON.
  secrets TEXT NOT NULL,
  -- credential:ID or member:ID: it tells what that one may read.
  maker TEXT NOT NULL,
  -- JSON: the last change of each collection when it began to listen there. Collections that are not here were made later.
  starts TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- Whether some webhook listens: a write learns it from the row, and asks nothing where none does.
ALTER TABLE collection ADD COLUMN listened INTEGER NOT NULL DEFAULT 0;
