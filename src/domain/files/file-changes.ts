import type { Data } from "#domain/data/values.ts";
import { isStoredFile, type StoredFile } from "./file.ts";

/** What a write does to the files of one item. */
export interface FileChanges {
  /** Files that the item takes, with their fields. */
  attached: [id: string, field: number][];
  /** Files that only the item's history refers to afterwards. */
  detached: string[];
}

/** The files in the data of an item, those of retired fields included, with their fields. */
export function filesIn(data: Data): Map<string, number> {
  const files = Object.entries(data).flatMap(([slot, value]) => {
    if (!Array.isArray(value)) return [];
    const entries = (value as (object | string)[]).filter(
      (entry): entry is StoredFile => typeof entry === "object" && isStoredFile(entry),
    );
    return entries.map(({ id }): [string, number] => [id, Number(slot)]);
  });
  return new Map(files);
}

/** `states` are those that the item takes one after the other. The last one stays, the others become its history. */
export function fileChanges(before: Data, states: readonly Data[]): FileChanges {
  const prior = filesIn(before);
  const taken = states.map(filesIn);
  const last = taken.at(-1) ?? prior;
  const all = new Map([...prior, ...taken.flatMap((files) => [...files])]);
  const attached = [...all].filter(([id]) => !prior.has(id));
  const detached = [...all.keys()].filter((id) => !last.has(id));
  return { attached, detached };
}
