import { numbersOf, placesPerCollection } from "../../../domain/item/item";
import { receiptPlaces } from "../../../domain/item/receipt";
import type { Comparable, Condition, Search } from "../../../domain/search/tree";
import { firstCreated } from "../../items/first-created";
import { rangeOf, requiredConditions, type EntryDriver } from "./driver";
import type { Values } from "../sql/values";

/** Where a search can start from. */
export type Driver = EntryDriver | NamedItems;

/** Items that a condition names, as many as it has values: so few that they are read whatever else is asked. */
export interface NamedItems {
  by: "id" | "receiptNumber" | "createdAt";
  these: Comparable[];
}

/** The items that the first condition names which names any. */
export function findNamed(search: Search): NamedItems | null {
  return (
    requiredConditions(search.conditions)
      .map(namedBy)
      .find((each) => each !== null) ?? null
  );
}

function namedBy(condition: Condition): NamedItems | null {
  if (!("op" in condition)) return null;
  const { source } = condition.field;
  if (source.in !== "system" || source.name === "status" || source.name === "updatedAt")
    return null;
  const range = rangeOf(condition);
  if (range && "at" in range) return { by: source.name, these: [range.at] };
  return range && "among" in range ? { by: source.name, these: range.among } : null;
}

/** Their numbers as rows of one column `item`, and of others beside them: the conditions tell which are meant. */
export function namedSql({ by, these }: NamedItems, collectionId: number, values: Values): string {
  const own = numbersOf(collectionId);
  switch (by) {
    case "id":
      // `+`, so that their range is no reason to go through the items of the range.
      return `select +number as item from item where id in ${values.list(these)}`;
    case "receiptNumber": {
      const places = these.flatMap((receipt) => receiptPlaces(String(receipt)));
      const numbers = places.filter((at) => at < placesPerCollection).map((at) => own.above + at);
      return `select value as item from ${values.table([...new Set(numbers)])}`;
    }
    case "createdAt":
      return `select (select min(number) from item where number >= ${firstCreated(own, "< e.value")}) as item
        from ${values.table(these)} e`;
  }
}
