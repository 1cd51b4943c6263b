-- Pages of these origins may call with the credential from a browser: JSON.
ALTER TABLE credential ADD COLUMN origins TEXT NOT NULL DEFAULT '[]';
