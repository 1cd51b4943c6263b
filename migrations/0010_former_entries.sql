-- Ids, receipt numbers and times of creation are found by the items themselves. The entries that they had may be very
-- many: nothing reads them, and they are swept in steps, field by field.
CREATE TABLE former_entry (
  field INTEGER PRIMARY KEY
) STRICT;

-- The collection's id * 2^32, and the fields 2^31 + 1, + 3 and + 4.
INSERT INTO former_entry
SELECT collection.id * 4294967296 + 2147483648 + given.id
FROM collection, (SELECT 1 AS id UNION ALL SELECT 3 UNION ALL SELECT 4) AS given;
