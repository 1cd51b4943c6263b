import type { CollectionKind } from "#domain/definition/collection.ts";
import { keyName, type Schema } from "./schema.ts";
import { componentPrefix, isLiteral, isMap } from "./versions.ts";

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

/**
 * Numbers the names of components and operations that differ only in case or separators, like those of the keys `a-b`
 * and `ab`. Generators derive names of types and files from them. The first of them keeps its name.
 */
export function withDistinctNames(paths: Schema, components: Schema) {
  const renamed = new Map<string, string>();
  for (const [section, parts] of Object.entries(components)) {
    for (const [from, to] of distinctNames(Object.keys(parts as Schema)))
      renamed.set(`${componentPrefix}${section}/${from}`, `${componentPrefix}${section}/${to}`);
  }
  const operations = distinctNames(operationIds(paths));
  if (renamed.size === 0 && operations.size === 0) return { paths, components };
  const rename = (part: unknown) => renameIn(part, renamed, operations);
  const entries = Object.entries(components).map(([section, parts]) => {
    const names = Object.entries(parts as Schema).map(([name, part]) => {
      const reference = `${componentPrefix}${section}/${name}`;
      return [(renamed.get(reference) ?? reference).split("/").at(-1), rename(part)] as const;
    });
    return [section, Object.fromEntries(names)] as const;
  });
  return {
    paths: rename(paths) as Schema,
    components: Object.fromEntries(entries),
  };
}

/** The new names of all names that an earlier name resembles. */
function distinctNames(names: readonly string[]): Map<string, string> {
  const taken = new Set<string>();
  const repeated: string[] = [];
  for (const name of names) {
    if (taken.has(plain(name))) repeated.push(name);
    taken.add(plain(name));
  }
  const renamed = repeated.map((name) => {
    let number = 2;
    while (taken.has(plain(`${name}${number}`))) number += 1;
    const distinct = `${name}${number}`;
    taken.add(plain(distinct));
    return [name, distinct] as const;
  });
  return new Map(renamed);
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

function operationIds(paths: Schema): string[] {
  return Object.values(paths).flatMap((path) =>
    Object.values(path as Schema).flatMap((operation) => {
      const { operationId } = operation as { operationId?: string };
      return operationId ?? [];
    }),
  );
}

function renameIn(
  part: unknown,
  references: ReadonlyMap<string, string>,
  operations: ReadonlyMap<string, string>,
  inMap = false,
): unknown {
  // References also occur as values of a discriminator's mapping.
  if (typeof part === "string") return references.get(part) ?? part;
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part))
    return part.map((item: unknown) => renameIn(item, references, operations));
  const entries = Object.entries(part).map(([key, value]: [string, unknown]) => {
    if (inMap) return [key, renameIn(value, references, operations)];
    if (isLiteral(key)) return [key, value];
    if (key === "operationId") return [key, operations.get(String(value)) ?? value];
    return [key, renameIn(value, references, operations, isMap(key))];
  });
  return Object.fromEntries(entries) as Schema;
}
