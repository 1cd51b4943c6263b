-- For each view by its key, the versions at which its conditions and its conditions or fields last changed. A view that never
-- changed since this migration has none.
ALTER TABLE collection ADD COLUMN view_versions TEXT NOT NULL DEFAULT '{}';
