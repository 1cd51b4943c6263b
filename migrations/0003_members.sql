-- One-time links: whoever opens one chooses a password, and is a member with that role.
CREATE TABLE invitation (
  -- SHA-256 of the secret in the link.
  hash TEXT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'editor', 'viewer')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX session_by_member ON session (member_id);

-- Where members have signed in from: guesses made elsewhere do not lock them out there.
CREATE TABLE known_address (
  member_id TEXT NOT NULL REFERENCES member (id),
  -- SHA-256 of the member's id and the address.
  address TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (member_id, address)
) STRICT, WITHOUT ROWID;
