-- The position of the scan that rewrites the folded texts of entries from before full case folding: the last entry that
-- it looked at. The row is deleted at the end of the index. While it exists, searches compare former foldings too.
CREATE TABLE refolding (
  id INTEGER PRIMARY KEY,
  field INTEGER NOT NULL,
  value ANY NOT NULL,
  item INTEGER NOT NULL
) STRICT;

INSERT INTO refolding SELECT 1, 0, '', 0 WHERE EXISTS (SELECT 1 FROM search_entry);
