-- Former values older than `history_days` are erased up to this change. Who changed what, and when, stays for a year.
ALTER TABLE collection ADD COLUMN erased_through INTEGER NOT NULL DEFAULT 0;
