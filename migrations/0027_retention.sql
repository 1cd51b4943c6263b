-- How long a form keeps its submissions: days, which ones (`only`) and from when on it applies (`appliesFrom`), JSON.
ALTER TABLE collection ADD COLUMN retain TEXT;
