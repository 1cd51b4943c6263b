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
