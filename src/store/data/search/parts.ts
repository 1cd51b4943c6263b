import type { Slots } from "#domain/data/compile.ts";
import { hiddenSteps } from "#domain/data/parts.ts";
import type { ShownBy } from "#domain/search/tree.ts";
import type { SearchValues } from "./search-values.ts";
import { balancedSql, type Measure } from "./cost.ts";

/**
 * SQL for the sizes of the two parts into which a narrow caller's view divides an item `i`. It reads the item's data.
 */

/** D1 limits a function to 32 arguments. */
const maxPaths = 30;

const pathOf = (slot: string) => `'$."${slot}"'`;

/** SQL for the values in these slots of a JSON text, as lists. Each list depends on nothing else in the JSON. */
function valuesSql(json: string, slots: readonly string[]): string[] {
  const lists = [];
  for (let start = 0; start < slots.length; start += maxPaths) {
    // With several paths, `json_extract` always returns a list. The extra path never exists.
    const paths = [...slots.slice(start, start + maxPaths).map(pathOf), "'$.no'"];
    lists.push(`json_extract(${json}, ${paths.join(", ")})`);
  }
  return lists;
}

const lengthsSql = (texts: readonly string[]) =>
  balancedSql(
    "+",
    texts.map((text) => `octet_length(${text})`),
  );

/** The length of the result of `valuesSql` if no slot has a value. */
const emptyLength = (count: number) =>
  Math.ceil(count / maxPaths) * "[null]".length + count * "null,".length;

const rowsSql = (slot: string) => `json_each(i.data, ${pathOf(slot)}) r`;

/** SQL for the bytes of the values in these slots of an item `i`. */
function slotBytesSql(slots: Slots): string {
  const whole = [...slots].filter(([, columns]) => columns === null).map(([slot]) => slot);
  const lists = [...slots].flatMap(([slot, columns]) => {
    if (!columns) return [];
    const inRow = `${lengthsSql(valuesSql("r.value", columns))} - ${emptyLength(columns.length)}`;
    return [`(select cast(total(${inRow}) as integer) from ${rowsSql(slot)})`];
  });
  const values = whole.length > 0 ? [lengthsSql(valuesSql("i.data", whole))] : [];
  return `(${balancedSql("+", [...values, ...lists])})`;
}

function partMeasure(slots: Slots): Measure {
  return {
    bytes: slotBytesSql(slots),
    counts: (slot) => slots.has(slot),
    listText(slot) {
      const columns = slots.get(slot);
      if (!columns) return `coalesce(i.data -> ${pathOf(slot)}, '')`;
      const inRow = valuesSql("r.value", columns).join(" || ");
      return `coalesce((select group_concat(${inRow}) from ${rowsSql(slot)}), '')`;
    },
  };
}

/** The part of an item that the caller sees. */
export const shownMeasure = ({ parts }: ShownBy): Measure => partMeasure(parts.shown);

/** The part of an item that the caller does not see. */
const hiddenMeasure = ({ parts }: ShownBy): Measure => partMeasure(parts.hidden);

/** SQL for the data of an item `i`, reduced to the fields that the caller sees. */
export const shownDataSql = ({ parts }: ShownBy, values: SearchValues): string =>
  `(select json_group_object(d.key, json(i.data -> d.key)) from json_each(i.data) d
    where d.key in ${values.list([...parts.shown.keys()])})`;

/** SQL for the bytes of the result of `shownDataSql`, without its names and punctuation. */
export function shownDataBytesSql({ parts }: ShownBy, values: SearchValues): string {
  const slots = [...parts.shown];
  const whole = slots.flatMap(([slot, shownColumns]) => (shownColumns ? [] : [slot]));
  const lists = slots.flatMap(([slot, shownColumns]) =>
    shownColumns
      ? [
          `(select total(octet_length(d.value)) from ${rowsSql(slot)} cross join json_each(r.value) d
            where d.key in ${values.list([...shownColumns])})`,
        ]
      : [],
  );
  const inWhole = `(select total(octet_length(i.data -> d.key)) from json_each(i.data) d
    where d.key in ${values.list(whole)})`;
  return `cast(${balancedSql("+", [inWhole, ...lists])} as integer)`;
}

/** SQL for the bytes that the caller does not see, rounded as the limits count them (`inHiddenSteps`). */
export const hiddenBytesSql = (shownBy: ShownBy): string =>
  `(${hiddenMeasure(shownBy).bytes} / ${hiddenSteps.bytes} * ${hiddenSteps.bytes})`;
