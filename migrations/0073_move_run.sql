-- Data: the latest run of any move that has written to this database, and the number of its last batch. The row stays
-- after the move, so that an earlier batch changes nothing, however late D1 runs it.
CREATE TABLE move_run (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  run INTEGER NOT NULL,
  step INTEGER NOT NULL,
  -- An earlier batch stores a negative run, which aborts it.
  CONSTRAINT other_run CHECK (run >= 0)
) STRICT;
