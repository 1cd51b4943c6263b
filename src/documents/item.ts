import { etagOf } from "../domain/etag";
import { stamp } from "../domain/time";
import type { ItemView } from "../domain/item/item-view";

/** An item as the API shows it (contract, section 2). */
export function itemDocument(view: ItemView) {
  const { kind, key, version, warnings } = view;
  const created = stamp(view.createdAt);
  const updated = view.updatedAt === view.createdAt ? created : stamp(view.updatedAt);
  const { createdBy: created_by, updatedBy: updated_by } = view;
  const times = { created_at: created, created_by, updated_at: updated, updated_by };
  const tags = { version, etag: etagOf(version) };
  const { id, data } = view;
  const document =
    kind === "app"
      ? { id, app: key, receipt_number: view.receiptNumber, ...tags, ...times, data }
      : { id, form: key, status: view.status, ...tags, ...times, data };
  return warnings.length > 0 ? { ...document, warnings } : document;
}
