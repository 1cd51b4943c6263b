import type { SystemField } from "../../../domain/data/field-number";
import { isStoredOrder } from "../../../domain/search/parse-sort";
import type { SearchField } from "../../../domain/search/tree";

export const systemColumns: Record<SystemField, string> = {
  id: "i.id",
  status: "i.status",
  receiptNumber: "i.receipt_number",
  createdAt: "i.created_at",
  updatedAt: "i.updated_at",
};

/** The value of a field in the form in which it compares; null where empty. `row` is `i`, or a row of line items. */
export function valueSql({ source, type }: SearchField, row = "i"): string {
  if (source.in === "system") return systemColumns[source.name];
  const at =
    source.in === "data" ? `i.data ->> '${source.slot}'` : `${row}.value ->> '${source.slot}'`;
  if (type === "date") return `substr(${at}, 1, 10)`;
  return type === "datetime" ? `rtrim(${at}, 'Z')` : `(${at})`;
}

/** What a sort key sorts by: what is in stored order, by the number of the item. */
export function sortSql(field: SearchField): string {
  return isStoredOrder(field) ? "i.number" : valueSql(field);
}

export function listSql({ source }: SearchField, row: string): string {
  if (source.in === "system") return "null";
  return source.in === "data" ? `i.data -> '${source.slot}'` : `${row}.value -> '${source.slot}'`;
}

/** Of an entry `e`: text without case, which stands in the search index alone. */
export const folded = "coalesce(e.folded, e.value)";
