import type { Compiled } from "#domain/data/compile.ts";
import { etagOf } from "#domain/preconditions.ts";
import { isObject } from "#domain/json.ts";
import { stamp } from "#domain/time.ts";
import type { ItemView } from "#domain/item/item.ts";
import type { ChangeView, ItemHistory } from "#domain/item/change.ts";

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

/**
 * What an update tells a credential that may not read: what it sent, and what it needs to go on. Which formulas fail
 * tells of the values that they are made of, so that is for readers.
 */
export function writtenDocument(view: ItemView, { fields }: Compiled, body: unknown) {
  const { id, version, etag, updated_at, data } = itemDocument(view);
  const sent = isObject(body) && isObject(body["data"]) ? body["data"] : {};
  const computed = fields.list.flatMap(({ field }) => (field.type === "computed" ? field.key : []));
  const own = Object.fromEntries(
    Object.entries(data).filter(([key]) => Object.hasOwn(sent, key) && !computed.includes(key)),
  );
  const warnings = view.warnings.filter(({ code }) => code === "computed_value_ignored");
  const warned = warnings.length > 0 ? { warnings } : {};
  return { id, version, etag, updated_at, data: own, ...warned };
}

/** What `validate` tells of what a create would store. */
export function checkedDocument({
  key,
  status,
  data,
  warnings,
}: Pick<ItemView, "key" | "status" | "data" | "warnings">) {
  const warned = warnings.length > 0 ? { warnings } : {};
  return { valid: true, form: key, status, data, ...warned };
}

/** An entry of the changes feed (contract, section 13). */
export function changeDocument({ id, type, version, at, by, fields, item }: ChangeView) {
  const told = { id, type, version, etag: etagOf(version), at: stamp(at), by, fields };
  return item ? { ...told, item: itemDocument(item) } : told;
}

/** An item's history as the administration area tells it to scripts. */
export function historyDocument({ entries, older }: ItemHistory) {
  return {
    items: entries.map(({ version, at, by, action, fields }) => ({
      version,
      etag: etagOf(version),
      at: stamp(at),
      by,
      action,
      fields,
    })),
    older,
  };
}
