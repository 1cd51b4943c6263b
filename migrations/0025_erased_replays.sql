-- Idempotency-Keys whose item was erased. Their stored responses are emptied in the same batch. KV may get a copy of the
-- response up to a minute later, so the schedule deletes it again after that time.
CREATE TABLE erased_replay (
  key TEXT PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
