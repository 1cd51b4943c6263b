import type { SystemField } from "../../domain/data/field-number";
import { isStoredOrder } from "../../domain/search/parse-sort";
import type { Comparable, SearchField } from "../../domain/search/tree";

/**
 * All values of a search travel in one JSON parameter, `?1`: D1 takes 100 parameters, and JSON keeps 1 an integer
 * and '1' a text where a bound number would arrive as a float.
 */
export class Values {
  readonly #values: unknown[] = [];

  scalar(value: Comparable | null): string {
    return `(?1 ->> ${this.#add(value)})`;
  }

  /** A table whose column `value` has these. */
  table(values: readonly (Comparable | readonly Comparable[])[]): string {
    return `json_each(?1, '$[${this.#add(values)}]')`;
  }

  list(values: readonly Comparable[]): string {
    return `(select value from ${this.table(values)})`;
  }

  get json(): string {
    return JSON.stringify(this.#values);
  }

  #add(value: unknown): number {
    return this.#values.push(value) - 1;
  }
}

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

/** A tree of pairs and not a chain: SQLite takes expressions 100 deep. */
export function balanced(operator: "and" | "or", parts: readonly string[]): string {
  if (parts.length <= 1) return parts[0] ?? (operator === "and" ? "1" : "0");
  const middle = parts.length >> 1;
  const [left, right] = [parts.slice(0, middle), parts.slice(middle)];
  return `(${balanced(operator, left)} ${operator} ${balanced(operator, right)})`;
}
