import type { CollectionKind } from "#domain/definition/collection.ts";
import { keyName, type Schema } from "./schema.ts";
import { componentPrefix, isLiteral, isMap } from "./versions.ts";

/** The names of a collection's items in schemas and texts. Generators derive type names from them. */
export interface ResourceNames {
  kind: CollectionKind;
  /** The key of the app or form. Undefined when the key is a parameter of the path. */
  key: string | undefined;
  /** The name of the item's schema, with which related names start: `OrdersRecord`, `OrdersRecordCreate`, … */
  schemaName: string;
  singular: "record" | "submission";
  plural: "records" | "submissions";
}

/**
 * Returns names for one app or form. Without a key, returns names for any app or form. The schema is then
 * `RecordOfApp`, because some languages reserve `Record`, and no key produces this name.
 */
export function resourceNames(kind: CollectionKind, key?: string): ResourceNames {
  const [noun, singular, plural] =
    kind === "app"
      ? (["Record", "record", "records"] as const)
      : (["Submission", "submission", "submissions"] as const);
  const schemaName =
    key === undefined ? `${noun}Of${kind === "app" ? "App" : "Form"}` : keyName(key) + noun;
  return { kind, key, schemaName, singular, plural };
}

/**
 * Numbers the names of components and operations that differ only in case or separators, such as the names for the keys
 * `a-b` and `ab`. Generators derive names of types and files from them. The first of them keeps its name.
 */
export function withDistinctNames(paths: Schema, components: Schema) {
  const newReferences = new Map<string, string>();
  for (const [section, parts] of Object.entries(components)) {
    for (const [from, to] of distinctNames(Object.keys(parts as Schema)))
      newReferences.set(
        `${componentPrefix}${section}/${from}`,
        `${componentPrefix}${section}/${to}`,
      );
  }
  const newOperationIds = distinctNames(operationIds(paths));
  if (newReferences.size === 0 && newOperationIds.size === 0) return { paths, components };
  const rename = (part: unknown) => renameIn(part, newReferences, newOperationIds);
  const entries = Object.entries(components).map(([section, parts]) => {
    const names = Object.entries(parts as Schema).map(([name, part]) => {
      const reference = `${componentPrefix}${section}/${name}`;
      return [(newReferences.get(reference) ?? reference).split("/").at(-1), rename(part)] as const;
    });
    return [section, Object.fromEntries(names)] as const;
  });
  return {
    paths: rename(paths) as Schema,
    components: Object.fromEntries(entries),
  };
}

/** Returns a new name for each name that resembles an earlier one. */
function distinctNames(names: readonly string[]): Map<string, string> {
  const usedNames = new Set<string>();
  const similarNames: string[] = [];
  for (const name of names) {
    if (usedNames.has(normalizeName(name))) similarNames.push(name);
    usedNames.add(normalizeName(name));
  }
  const newNames = similarNames.map((name) => {
    let number = 2;
    while (usedNames.has(normalizeName(`${name}${number}`))) number += 1;
    const newName = `${name}${number}`;
    usedNames.add(normalizeName(newName));
    return [name, newName] as const;
  });
  return new Map(newNames);
}

const normalizeName = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

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
  newReferences: ReadonlyMap<string, string>,
  newOperationIds: ReadonlyMap<string, string>,
  isInMap = false,
): unknown {
  // References also occur as values of a discriminator's mapping.
  if (typeof part === "string") return newReferences.get(part) ?? part;
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part))
    return part.map((item: unknown) => renameIn(item, newReferences, newOperationIds));
  const entries = Object.entries(part).map(([key, value]: [string, unknown]) => {
    if (isInMap) return [key, renameIn(value, newReferences, newOperationIds)];
    if (isLiteral(key)) return [key, value];
    if (key === "operationId") return [key, newOperationIds.get(String(value)) ?? value];
    return [key, renameIn(value, newReferences, newOperationIds, isMap(key))];
  });
  return Object.fromEntries(entries) as Schema;
}
