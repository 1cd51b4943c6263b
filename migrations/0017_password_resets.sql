-- Links with which a member sets a new password, once. A change of the member ends its link.
CREATE TABLE password_reset (
  member_id TEXT PRIMARY KEY REFERENCES member(id),
  hash TEXT NOT NULL UNIQUE, -- SHA-256 of the link's secret
  version INTEGER NOT NULL, -- of the member
  creator_id TEXT NOT NULL REFERENCES member(id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
