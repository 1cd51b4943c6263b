-- Home: finds the credentials that have neither expired nor been revoked, however many others there are. 9007199254740991
-- stands for credentials that never expire.
CREATE INDEX credential_by_expiry ON credential (coalesce(expires_at, 9007199254740991))
  WHERE revoked_at IS NULL;
