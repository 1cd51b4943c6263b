import type { Collection } from "../definition/collection";
import { uniqueIdOf, type Field } from "../definition/field";

/** What a column can become: the key of a field, or one of these of the item itself. */
export const ownTargets = { id: "$id", status: "$status" } as const;

/** The fields that people write; what is calculated is not imported. */
export function importable({ definition }: Collection): Field[] {
  return definition.fields.fields.filter(({ type }) => type !== "computed");
}

/** How an item is found that a row changes: by its id, or by the value of a unique field. */
export function finders({ definition }: Collection): Field[] {
  return definition.fields.fields.filter((field) => uniqueIdOf(field) !== undefined);
}

export function targetsOf(collection: Collection): string[] {
  const own = collection.kind === "form" ? Object.values(ownTargets) : [ownTargets.id];
  return [...own, ...importable(collection).map(({ key }) => key)];
}

/** The target of each column, by key or label; empty where there is none, or where a column before has it. */
export function matchColumns(header: readonly string[], collection: Collection): string[] {
  const targets = targetsOf(collection);
  // Other systems have ids and states of their own.
  const own: [string, string][] = isSpreadsheet(header)
    ? [
        ["id", ownTargets.id],
        ["status", ownTargets.status],
      ]
    : [];
  const names = new Map<string, string>([
    ...own,
    ...importable(collection).flatMap(({ key, label, previous_keys: former }) =>
      [label, ...former].map((name): [string, string] => [name.toLowerCase(), key]),
    ),
  ]);
  const taken = new Set<string>();
  return header.map((name) => {
    const target = targets.includes(name) ? name : names.get(name.toLowerCase());
    if (target === undefined || !targets.includes(target) || taken.has(target)) return "";
    taken.add(target);
    return target;
  });
}

/** Whether the service wrote it for spreadsheets. */
const isSpreadsheet = (header: readonly string[]) =>
  ["Id", "Version", "Created at"].every((name) => header.includes(name));

/** Whether the service wrote it for programs: its header has the names of system columns. */
export function isLossless(header: readonly string[]): boolean {
  return header.includes("$id") && header.includes("$version");
}
