import type { CollectionKind } from "../../domain/definition/collection";
import { keyName, ref, type Schema } from "./schemas/schema";

/** How the things of an app or a form are called, in paths and in names that generators make types of. */
export interface Noun {
  kind: CollectionKind;
  /** Of the one app or form; undefined where the path names it. */
  key: string | undefined;
  /** The prefix of schema names: `OrdersRecord`, `OrdersRecordCreate`, … */
  one: string;
  /** What operations call it: `createOrdersRecord`, or `createRecord`. */
  called: string;
  thing: "record" | "submission";
  many: "records" | "submissions";
  /** The paths of the list and of one item. */
  list: string;
  item: string;
  /** Path parameters that the list and an item need besides the item's own id. */
  listParameters: Schema[];
  itemParameters: Schema[];
}

/**
 * Names for one app or form; without a key, for whichever the path names. `Record` alone is a type of some languages,
 * and what stands behind the word is of no key: so no two documents give one name to two things.
 */
export function nounOf(kind: CollectionKind, key?: string): Noun {
  const within = key ?? `{${kind}}`;
  const parameters = key === undefined ? [ref("parameters", kind)] : [];
  const [what, thing, many] =
    kind === "app"
      ? (["Record", "record", "records"] as const)
      : (["Submission", "submission", "submissions"] as const);
  const own = key === undefined ? undefined : keyName(key) + what;
  const list = `/${kind}s/${within}/${many}`;
  return {
    kind,
    key,
    one: own ?? `${what}Of${kind === "app" ? "App" : "Form"}`,
    called: own ?? what,
    thing,
    many,
    list,
    item: kind === "app" ? `${list}/{id}` : "/submissions/{id}",
    listParameters: parameters,
    itemParameters: kind === "app" ? parameters : [],
  };
}
