-- Whether a webhook also sends events for items that the service recalculated.
ALTER TABLE webhook ADD COLUMN recalculations INTEGER NOT NULL DEFAULT 1;
