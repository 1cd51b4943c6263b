-- Data: the numbers in search entries with more than six decimals. Where a field has none, its sum needs no check of each
-- value. The condition equals `hasMoreDecimalsSql` (src/store/data/aggregate/sums.ts). Adding and subtracting
-- 6755399441055744 rounds to an integer.
CREATE INDEX search_entry_by_decimals ON search_entry (field) WHERE typeof(value) = 'real'
  AND ((value * 1000000.0 + 6755399441055744.0) - 6755399441055744.0) / 1000000.0 <> value;
