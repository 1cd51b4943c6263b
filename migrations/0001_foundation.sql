-- Apps and forms. What the guard of a write compares stands in columns; the fields are one JSON document.
CREATE TABLE collection (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('app', 'form')),
  key TEXT NOT NULL,
  version INTEGER NOT NULL,
  -- Grows with every change of what writes have to obey, that which is pending included: what they are guarded by.
  revision INTEGER NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  time_zone TEXT NOT NULL,
  receipt_prefix TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'closed')),
  opens_at INTEGER,
  closes_at INTEGER,
  max_submissions INTEGER,
  fields TEXT NOT NULL,
  -- The version at which the fields last changed.
  fields_version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (kind, key)
) STRICT;

-- What a create counts: apart from the definition, so that a create rewrites few bytes.
CREATE TABLE tally (
  collection_id INTEGER PRIMARY KEY,
  last_place INTEGER NOT NULL,
  live INTEGER NOT NULL,
  last_created_at INTEGER NOT NULL,
  -- The bytes of data that the largest item ever took: what a page of any items can be at the most.
  largest INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Records and submissions. number = collection_id * 2^32 + place in the collection, so that the table itself
-- is the list of each collection in stored order and needs no index for it.
CREATE TABLE item (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  collection_id INTEGER NOT NULL,
  receipt_number TEXT,
  status TEXT,
  version INTEGER NOT NULL,
  -- The version of the definition that its data was last written under.
  definition_version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  -- credential:ID or member:ID.
  created_by TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  -- The same, or system: a recalculation.
  updated_by TEXT NOT NULL,
  data TEXT NOT NULL
) STRICT;

-- STRICT keeps the text '00123' from becoming the number 123 in an ANY column.
CREATE TABLE search_entry (
  field INTEGER NOT NULL,
  value ANY NOT NULL,
  item INTEGER NOT NULL,
  folded TEXT,
  PRIMARY KEY (field, value, item)
) STRICT, WITHOUT ROWID;

CREATE TABLE unique_value (
  field INTEGER NOT NULL,
  value ANY NOT NULL,
  item INTEGER NOT NULL,
  PRIMARY KEY (field, value)
) STRICT, WITHOUT ROWID;

-- The answers to creates with an Idempotency-Key, for 24 hours. key = SHA-256 of credential, route and key.
CREATE TABLE replay (
  key TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  item_id TEXT NOT NULL,
  place INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  answer TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX replay_by_expiry ON replay (expires_at);

-- Never holds a row: inserting a code aborts the batch, and the constraint's name says why.
CREATE TABLE guard (
  code INTEGER NOT NULL,
  CONSTRAINT definition_changed CHECK (code <> 1),
  CONSTRAINT not_open_yet CHECK (code <> 2),
  CONSTRAINT closed CHECK (code <> 3),
  CONSTRAINT full CHECK (code <> 4),
  CONSTRAINT item_changed CHECK (code <> 5),
  CONSTRAINT values_exist CHECK (code <> 6),
  CONSTRAINT taken CHECK (code <> 7),
  CONSTRAINT credential_changed CHECK (code <> 8),
  CONSTRAINT address_taken CHECK (code <> 9),
  CONSTRAINT link_used CHECK (code <> 10),
  CONSTRAINT last_owner CHECK (code <> 11),
  CONSTRAINT member_changed CHECK (code <> 12),
  CONSTRAINT members_exist CHECK (code <> 13)
) STRICT;

CREATE TABLE audit_entry (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  collection_id INTEGER,
  subject TEXT NOT NULL,
  version INTEGER,
  -- The start of the hash of the session in which a member did it.
  session TEXT,
  request_id TEXT NOT NULL,
  -- What the caller called the request (X-Request-Id).
  sent_request_id TEXT
) STRICT;

CREATE TABLE member (
  id TEXT PRIMARY KEY,
  -- Grows with every change: one that was made of an older state is refused.
  version INTEGER NOT NULL DEFAULT 1,
  email TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'editor', 'viewer')),
  password TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  disabled_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
  -- SHA-256 of the id in the cookie.
  hash TEXT PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES member (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_by_expiry ON session (expires_at);

CREATE TABLE credential (
  id TEXT PRIMARY KEY,
  -- Grows with every change, that of its member included: its object takes the newest, whatever arrives when.
  version INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('token', 'client')),
  name TEXT NOT NULL,
  permissions TEXT NOT NULL,
  resources TEXT NOT NULL,
  requests INTEGER NOT NULL,
  writes INTEGER NOT NULL,
  secrets TEXT NOT NULL,
  member_id TEXT NOT NULL REFERENCES member (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  -- The time zone in which the day ends that was chosen; null where no day was.
  expires_zone TEXT,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX credential_by_member ON credential (member_id);
