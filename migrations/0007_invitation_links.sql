-- The secret of the link, sealed with a key of the deployment: whoever may invite can copy the link again.
-- Null in invitations that were made before it was kept.
ALTER TABLE invitation ADD COLUMN sealed TEXT;
