-- Home: what each database last reported about itself, at most once a minute.
CREATE TABLE database_report (
  -- The name of the binding.
  name TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL,
  collections INTEGER NOT NULL,
  -- Changes of items so far. The next report subtracts it.
  changes INTEGER NOT NULL,
  writes_per_minute INTEGER NOT NULL,
  -- Where D1 runs it, as D1 says; null if it does not say.
  region TEXT,
  reported_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
