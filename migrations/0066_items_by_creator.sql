-- Data: finds the items of one creator. Each entry ends with the item's number, so an actor's items of one collection are
-- neighbors, in stored order.
CREATE INDEX item_by_creator ON item (created_by);
