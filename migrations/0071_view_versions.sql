-- For each view by its key, the versions at which its conditions and its conditions or fields last changed. A view that never
-- changed since this migration has none. Null in a row that a version of the service from before it has written.
ALTER TABLE collection ADD COLUMN view_versions TEXT;
UPDATE collection SET view_versions = '{}';
