-- The views that the item of a change matched before and after it, as marks in a JSON list. Null without views.
ALTER TABLE change ADD COLUMN views TEXT;
