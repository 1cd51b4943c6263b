-- Whether a move has been announced. Reads of the collection then use the primary, because a replica of the former
-- database may miss that it is over.
ALTER TABLE placement ADD COLUMN moving INTEGER NOT NULL DEFAULT 0;
-- Home: moves of collections to another database, with those that are linked to them.
CREATE TABLE collection_move (
  id INTEGER PRIMARY KEY,
  -- "form:purchase", for which the move was requested.
  name TEXT NOT NULL,
  -- The names of the bindings. The source is known once the move begins.
  source TEXT,
  target TEXT NOT NULL,
  phase TEXT NOT NULL CHECK (phase IN ('requested', 'copying', 'checking', 'following', 'flipping', 'retiring', 'kept',
    'done', 'stopping', 'stopped')),
  -- The collections: id, name and epoch before the move, JSON.
  collections TEXT NOT NULL DEFAULT '[]',
  -- Where copying or checking goes on, JSON.
  position TEXT,
  -- Of items: how many there were at the beginning, and how many are copied or checked.
  total INTEGER NOT NULL DEFAULT 0,
  done INTEGER NOT NULL DEFAULT 0,
  actor TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  announced_at INTEGER,
  moved_at INTEGER,
  -- When the source erases its copy.
  erase_at INTEGER,
  -- How long the last freeze took, in milliseconds.
  frozen_ms INTEGER,
  -- The restores of the installation when it began. A later one ends the move.
  restores INTEGER NOT NULL DEFAULT 0,
  -- Counts the runs. Only the latest one writes.
  run INTEGER NOT NULL DEFAULT 0,
  leased_until INTEGER NOT NULL DEFAULT 0,
  -- Why it waits or was stopped.
  problem TEXT
) STRICT;
-- Data: the collections that are moving out of or into this database, with the run that may write.
CREATE TABLE moving (
  collection_id INTEGER PRIMARY KEY,
  role TEXT NOT NULL CHECK (role IN ('source', 'target')),
  -- How IDs of items name the collection.
  digits TEXT NOT NULL,
  run INTEGER NOT NULL,
  -- A guard inserts a negative run to abort the batch of an earlier one.
  CONSTRAINT other_run CHECK (run >= 0)
) STRICT;
-- Data: the keys of rows that changed since a move began. Triggers, which exist only meanwhile, write them.
CREATE TABLE move_log (
  -- A number is never given again, so that a repeated deletion never takes what came later.
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  source TEXT NOT NULL,
  k1 ANY NOT NULL,
  k2 ANY,
  k3 ANY
) STRICT;
-- A freeze ends by itself, in case the move is interrupted.
ALTER TABLE owner ADD COLUMN frozen_until INTEGER NOT NULL DEFAULT 0;
