import type { TextSearch } from "../../domain/search/text";
import { Values } from "./value-sql";
import type { PageStatement } from "./page-statement";
import { sortedInMemory } from "./sorted";
import { behindAll } from "./start";
import type { Walk } from "./walk";

export type Starts = TextSearch["starts"];

/** Entries that are read to find what leads, and the items that do. */
const mostEntries = 200;
const mostLeading = 20;

/**
 * The newest items with a value that begins with one of the texts, of those that the index finds first. They are found
 * among however many items, where a walk would come to them late.
 */
export function leadingStatement(walk: Walk, { texts, fields }: Starts): PageStatement {
  const values = new Values();
  const ranges = texts.flatMap((text) => {
    const end = behindAll(text);
    return end === undefined ? [] : [[text, end]];
  });
  const numbers = values.table(fields.map(({ number }) => number));
  const entries = `select c.item from ${numbers} f cross join ${values.table(ranges)} r
      cross join search_entry c on c.field = f.value and c.value >= r.value ->> 0 and c.value < r.value ->> 1
      limit ${mostEntries}`;
  const candidates = `select distinct item from (${entries})`;
  const text = sortedInMemory(candidates, { ...walk, start: null }, mostLeading, values);
  return { text, values: values.json };
}
