import type { Comparable } from "#domain/search/tree.ts";
import type { PageStatement } from "./batch.ts";

const storedText = "coalesce(folded, value)";

/**
 * SQL that folds the letters of the languages that have a dotless `ı`. Entries that were written before full case
 * folding have an `i` instead of it, and a final sigma (`ς`) at the end of words.
 */
const turkicText = ["Çç", "Ğğ", "Öö", "Şş", "Üü", "Əə"].reduce(
  (text, [upper, lower]) => `replace(${text}, '${upper}', '${lower}')`,
  "replace(lower(value), 'İ', 'i̇')",
);
/** SQL for the folded text of an entry that may have an earlier folding. */
const correctedText = `iif(instr(value, 'ı') > 0 and instr(${storedText}, 'ı') = 0,
  ${turkicText}, replace(${storedText}, 'ς', 'σ'))`;

/**
 * The entries of the search index with their folded text. While the table `refolding` has a row, some entries still
 * have an earlier folding. Each statement defines this table only once, because D1 limits its length.
 */
const entryTextTable = `entry_text(field, value, item, text) as not materialized (
      select field, value, item, iif(exists (select 1 from refolding), ${correctedText}, ${storedText}) from search_entry)`;

/** Adds a table to the `with` clause of a statement. */
export function withTable(table: string, text: string): string {
  return text.startsWith("with ") ? `with ${table}, ${text.slice(5)}` : `with ${table} ${text}`;
}

/**
 * Collects all values of a search in one JSON parameter, `?1`, because D1 takes only 100 parameters.
 * In JSON, 1 stays an integer and '1' a string. A bound number would arrive as a float.
 */
export class SearchValues {
  readonly #values: unknown[];
  readonly #indexes = new Map<unknown, number>();
  readonly #tables = new Map<string, string>();

  /** Starts from the values of an existing statement, so that conditions can be added to it. */
  constructor(json = "[]") {
    this.#values = JSON.parse(json) as unknown[];
  }

  scalar(value: Comparable | null): string {
    return `(?1 ->> ${this.#add(value)})`;
  }

  /** Returns SQL for a table with the values in its column `value`. Stores the same object once. */
  table(values: object): string {
    const index = this.#indexes.get(values) ?? this.#add(values);
    this.#indexes.set(values, index);
    return `json_each(?1, '$[${index}]')`;
  }

  /** Returns the name of the table `entry_text`. */
  entryTexts(): string {
    return this.define("entry_text", () => entryTextTable);
  }

  /** Returns the name of a table that `statement` defines once. */
  define(name: string, build: () => string): string {
    if (!this.#tables.has(name)) this.#tables.set(name, build());
    return name;
  }

  /** Returns the statement with these values and the tables that its SQL uses. */
  statement(text: string): PageStatement {
    const tables = [...this.#tables.values()].join(", ");
    return { text: tables === "" ? text : withTable(tables, text), values: this.json };
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
