import type { CollectionAccess } from "#domain/data/narrow.ts";
import type { Warning } from "#domain/data/values.ts";
import type { StoredFile } from "#domain/files/file.ts";
import { attachedFileDocument } from "./files.ts";
import { etagOf } from "#domain/preconditions.ts";
import { isObject } from "#domain/json.ts";
import { formatTimestamp } from "#domain/time.ts";
import type { ItemView } from "#domain/item/item.ts";
import type { ChangeView, ItemHistory } from "#domain/item/change.ts";

/** The origin for documents of our own pages. It is empty, so the links in them are relative. */
export const relativeOrigin = "";

/** An item in an API response. */
export function itemDocument(view: ItemView, origin: string) {
  const { kind, key, version, warnings } = view;
  const createdAt = formatTimestamp(view.createdAt);
  const updatedAt = view.updatedAt === view.createdAt ? createdAt : formatTimestamp(view.updatedAt);
  const { createdBy: created_by, updatedBy: updated_by } = view;
  const times = { created_at: createdAt, created_by, updated_at: updatedAt, updated_by };
  const versionMembers = { version, etag: etagOf(version) };
  const { id } = view;
  const data = withFileLinks(view, origin);
  const document =
    kind === "app"
      ? { id, app: key, receipt_number: view.receiptNumber, ...versionMembers, ...times, data }
      : { id, form: key, status: view.status, ...versionMembers, ...times, data };
  return warnings.length > 0 ? { ...document, warnings } : document;
}

/** Returns the data with a content URL in each file. */
function withFileLinks(
  { data, fileKeys }: Pick<ItemView, "data" | "fileKeys">,
  origin: string,
): Record<string, unknown> {
  const linkedFiles = fileKeys.flatMap((key) => {
    const files = data[key] as StoredFile[] | undefined;
    return files ? [[key, files.map((file) => attachedFileDocument(file, origin))] as const] : [];
  });
  return linkedFiles.length > 0 ? { ...data, ...Object.fromEntries(linkedFiles) } : data;
}

/** Drops warnings that reveal stored values: a failing formula depends on fields that the caller may not read. */
export const withoutFormulaWarnings = (warnings: readonly Warning[]): Warning[] =>
  warnings.filter(({ code }) => code === "computed_value_ignored");

/**
 * The response to an update by a credential without read permission: the fields it sent, the version and the ETag.
 * Omits formula warnings, because a failing formula reveals facts about hidden values.
 */
export function writtenDocument(
  view: ItemView,
  { fields }: CollectionAccess,
  body: unknown,
  origin: string,
) {
  const { id, version, etag, updated_at, data } = itemDocument(view, origin);
  const sentData = isObject(body) && isObject(body["data"]) ? body["data"] : {};
  const computedKeys = fields.list.flatMap(({ field }) =>
    field.type === "computed" ? field.key : [],
  );
  const writtenData = Object.fromEntries(
    Object.entries(data).filter(
      ([key]) => Object.hasOwn(sentData, key) && !computedKeys.includes(key),
    ),
  );
  const warnings = withoutFormulaWarnings(view.warnings);
  const warningMembers = warnings.length > 0 ? { warnings } : {};
  return { id, version, etag, updated_at, data: writtenData, ...warningMembers };
}

/** The response of `validate`: the data that a create would store. */
export function checkedDocument(
  view: Pick<ItemView, "key" | "status" | "data" | "fileKeys" | "warnings">,
  origin: string,
) {
  const { key, status, warnings } = view;
  const data = withFileLinks(view, origin);
  const warningMembers = warnings.length > 0 ? { warnings } : {};
  return { valid: true, form: key, status, data, ...warningMembers };
}

/** An entry of the changes feed. */
export function changeDocument(
  { id, type, version, at, by, fields, item }: ChangeView,
  origin: string,
) {
  if (type === "left") return { id, type, version, etag: etagOf(version), at: formatTimestamp(at) };
  const entry = { id, type, version, etag: etagOf(version), at: formatTimestamp(at), by, fields };
  return item ? { ...entry, item: itemDocument(item, origin) } : entry;
}

/** An item's history as JSON, for the scripts of the admin pages. */
export function historyDocument({ entries, hasOlder }: ItemHistory) {
  return {
    items: entries.map(({ version, at, by, action, fields }) => ({
      version,
      etag: etagOf(version),
      at: formatTimestamp(at),
      by,
      action,
      fields,
    })),
    older: hasOlder,
  };
}
