import type { CollectionKind } from "../../domain/definition/collection";
import type { Schema } from "./field-schema";

/** How the things of an app or a form are called, in paths and in names that generators make types of. */
export interface Noun {
  kind: CollectionKind;
  /** The prefix of schema names: `Record`, `RecordCreate`, … */
  one: "Record" | "Submission";
  many: "records" | "submissions";
  /** The paths of the list and of one item. */
  list: string;
  item: string;
  /** Path parameters that the list and an item need besides the item's own id. */
  listParameters: Schema[];
  itemParameters: Schema[];
}

/** Names for one app or form; without a key, for whichever the path names. */
export function nounOf(kind: CollectionKind, key?: string): Noun {
  const within = key ?? `{${kind}}`;
  const parameters = key === undefined ? [{ $ref: `#/components/parameters/${kind}` }] : [];
  return kind === "app"
    ? {
        kind,
        one: "Record",
        many: "records",
        list: `/apps/${within}/records`,
        item: `/apps/${within}/records/{id}`,
        listParameters: parameters,
        itemParameters: parameters,
      }
    : {
        kind,
        one: "Submission",
        many: "submissions",
        list: `/forms/${within}/submissions`,
        item: "/submissions/{id}",
        listParameters: parameters,
        itemParameters: [],
      };
}
