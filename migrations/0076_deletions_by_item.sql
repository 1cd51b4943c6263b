-- Data: finds the deletion of an item by its ID, so that a repeated import does not give the ID to another item.
CREATE INDEX change_by_deleted_item ON change (item_id)
  WHERE action IN ('record.erase', 'submission.delete', 'submission.erase');
