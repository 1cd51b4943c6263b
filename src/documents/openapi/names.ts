import type { CollectionKind } from "#domain/definition/collection.ts";
import { keyName } from "./schema.ts";

/** The names of a collection's items in schemas and texts. Generators derive type names from them. */
export interface ResourceNames {
  kind: CollectionKind;
  /** The key of the app or form. Undefined when the path has it as a parameter. */
  key: string | undefined;
  /** The prefix of schema names: `OrdersRecord`, `OrdersRecordCreate`, … */
  one: string;
  thing: "record" | "submission";
  many: "records" | "submissions";
}

/**
 * Names for one app or form, or without a key, for any app or form. Without a key the schema is `RecordOfApp`, because
 * some languages reserve `Record`, and no key yields such a name.
 */
export function resourceNames(kind: CollectionKind, key?: string): ResourceNames {
  const [noun, thing, many] =
    kind === "app"
      ? (["Record", "record", "records"] as const)
      : (["Submission", "submission", "submissions"] as const);
  const one =
    key === undefined ? `${noun}Of${kind === "app" ? "App" : "Form"}` : keyName(key) + noun;
  return { kind, key, one, thing, many };
}
