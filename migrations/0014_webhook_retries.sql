-- While a webhook waits to retry a failed message: the time of the next attempt and the last error. Otherwise null.
ALTER TABLE webhook ADD COLUMN retry_at INTEGER;
ALTER TABLE webhook ADD COLUMN last_error TEXT;
