import { foldsToOthers } from "../../../domain/search/text";
import type { Anywhere, SearchField } from "../../../domain/search/tree";
import { mostAtOnce } from "../plan/cost";
import { balanced } from "./balanced";
import { folded, systemColumns } from "./value";
import type { Values } from "./values";

/** That an item `i` has a text, an id or a receipt number that contains this, without case. */
export function anywhereSql(condition: Anywhere, values: Values): string {
  const { anywhere, plain, fields } = condition;
  const sought = values.scalar(anywhere);
  const system = fields.flatMap(({ source }) =>
    source.in === "system"
      ? [`coalesce(instr(lower(${systemColumns[source.name]}), ${sought}), 0) > 0`]
      : [],
  );
  const texts = textsSql(condition, sought, values);
  const inData = plain === "" ? texts : `(${mayHave(condition, values)} and ${texts})`;
  return balanced("or", [...system, inData]);
}

/**
 * All texts of the item are gone through once, however many fields there are. What is ASCII folds as SQLite does it; others
 * are looked up.
 */
function textsSql({ fields, plain }: Anywhere, sought: string, values: Values): string {
  const slots = fields.flatMap(slotOf);
  const base = fields.flatMap((field) => slotOf(field).map((slot) => field.number - Number(slot)));
  const lookedUp = `(select instr(${folded}, ${sought}) from search_entry e
      where e.field = ${base[0] ?? 0} + t.key and e.value = t.atom and e.item = i.number)`;
  const few = plain === "" ? "" : ` and ${plainSql("t.atom", plain, values)}`;
  return `exists (select 1 from json_tree(i.data) t
    where t.type = 'text' and t.key in ${values.list(slots)}${few}
      and iif(octet_length(t.atom) = length(t.atom), instr(lower(t.atom), ${sought}), ${lookedUp}) > 0)`;
}

/**
 * Told of all texts at once, and of many fields by all data: D1 counts each text that is gone through as a row that is
 * read, and few items have it.
 */
function mayHave({ plain, fields, lists }: Anywhere, values: Values): string {
  const own = [...fields.filter(({ source }) => source.in === "data"), ...lists].flatMap(slotOf);
  const paths = own.map((slot) => `'$."${slot}"'`);
  // With one path more than there are, so that the texts always are a list.
  const texts =
    own.length > mostAtOnce
      ? "i.data"
      : `json_extract(${["i.data", ...paths, "'$.no'"].join(", ")})`;
  return plainSql(texts, plain, values);
}

function plainSql(text: string, plain: string, values: Values): string {
  return `(instr(lower(${text}), ${values.scalar(plain)}) > 0 or ${text} glob '*[${foldsToOthers}]*')`;
}

function slotOf({ source }: SearchField): string[] {
  return source.in === "system" ? [] : [source.slot];
}
