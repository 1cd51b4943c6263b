import type { Comparable } from "#domain/search/tree.ts";
import type { PageStatement } from "./batch.ts";

const storedFolding = "coalesce(folded, value)";

/**
 * Entries from before full case folding have another sigma at the end of words, and `i` for the dotless `ı`. Of a text with
 * a dotless `ı`, this folds the letters that are written together with it.
 */
const foldedDotless = ["Çç", "Ğğ", "Öö", "Şş", "Üü", "Əə"].reduce(
  (text, [upper, lower]) => `replace(${text}, '${upper}', '${lower}')`,
  "replace(lower(value), 'İ', 'i̇')",
);
const formerFolding = `iif(instr(value, 'ı') > 0 and instr(${storedFolding}, 'ı') = 0,
  ${foldedDotless}, replace(${storedFolding}, 'ς', 'σ'))`;

/**
 * The search index with the folded text of each entry, which only the index has. Until all former foldings are rewritten, an
 * entry may have one. A statement defines it once, because D1 limits the length of statements.
 */
const entryTextTable = `entry_text(field, value, item, text) as not materialized (
      select field, value, item, iif(exists (select 1 from refolding), ${formerFolding}, ${storedFolding}) from search_entry)`;

/** Adds a table to the `with` part of a statement. */
export function withTable(table: string, text: string): string {
  return text.startsWith("with ") ? `with ${table}, ${text.slice(5)}` : `with ${table} ${text}`;
}

/**
 * Collects all values of a search in one JSON parameter, `?1`, because D1 takes only 100 parameters.
 * JSON keeps 1 an integer and '1' a text. A bound number would arrive as a float.
 */
export class SearchValues {
  readonly #values: unknown[];
  #readsEntryTexts = false;

  /** Continues the values of a statement that gets further conditions. */
  constructor(json = "[]") {
    this.#values = JSON.parse(json) as unknown[];
  }

  scalar(value: Comparable | null): string {
    return `(?1 ->> ${this.#add(value)})`;
  }

  /** A table that has the values in its column `value`. */
  table(values: readonly unknown[]): string {
    return `json_each(?1, '$[${this.#add(values)}]')`;
  }

  /** The table `entry_text`, which `statement` then defines. */
  entryTexts(): string {
    this.#readsEntryTexts = true;
    return "entry_text";
  }

  /** The statement of SQL that has these values. */
  statement(text: string): PageStatement {
    return {
      text: this.#readsEntryTexts ? withTable(entryTextTable, text) : text,
      values: this.json,
    };
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
