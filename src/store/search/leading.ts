import { numbersOf } from "../../domain/item/item";
import type { TextSearch } from "../../domain/search/text";
import { Values } from "./sql/values";
import type { PageStatement } from "./page-statement";
import { sortedInMemory } from "./sorted";
import { behindAll } from "./start";
import type { Walk } from "./walk";

export type Starts = TextSearch["starts"];

/** Entries, ids and receipt numbers that are each read to find what leads, and the items that do. */
const mostEntries = 200;
const mostLeading = 20;

/**
 * The newest items with a value that begins with one of the texts, of those that the index finds first. They are found
 * among however many items, where a walk would come to them late.
 */
export function leadingStatement(walk: Walk, starts: Starts): PageStatement {
  const values = new Values();
  const ways = [entriesSql(starts, values), idsSql(starts, values)];
  if (starts.places.length > 0) ways.push(receiptsSql(walk, starts, values));
  const found = ways.map((way) => `select item from (${way} limit ${mostEntries})`);
  const candidates = `select distinct item from (${found.join(" union all ")})`;
  const text = sortedInMemory(candidates, { ...walk, start: null }, mostLeading, values);
  return { text, values: values.json };
}

function entriesSql({ texts, fields }: Starts, values: Values): string {
  const indexed = fields.filter(({ source }) => source.in !== "system");
  const numbers = values.table(indexed.map(({ number }) => number));
  return `select c.item from ${numbers} f cross join ${rangesOf(texts, values)} r
      cross join search_entry c on c.field = f.value and c.value >= r.value ->> 0 and c.value < r.value ->> 1`;
}

/** Ids of all collections stand together; the first ones that begin so may be others'. */
function idsSql({ texts }: Starts, values: Values): string {
  return `select c.number as item from ${rangesOf(texts, values)} r
      cross join item c on c.id >= r.value ->> 0 and c.id < r.value ->> 1`;
}

function receiptsSql({ collectionId }: Walk, { places }: Starts, values: Values): string {
  const { above } = numbersOf(collectionId);
  return `select c.number as item from ${values.table(places)} r
      cross join item c on c.number >= ${above} + (r.value ->> 0) and c.number < ${above} + (r.value ->> 1)`;
}

/** The texts from where those begin that begin so, up to where they end. */
function rangesOf(texts: readonly string[], values: Values): string {
  const ranges = texts.flatMap((text) => {
    const end = behindAll(text);
    return end === undefined ? [] : [[text, end]];
  });
  return values.table(ranges);
}
