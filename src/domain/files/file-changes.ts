import type { Data } from "#domain/data/values.ts";
import { isStoredFile, type StoredFile } from "./file.ts";

/** The changes of a write to the files of one item. */
export interface FileChanges {
  /** Files that the item attaches, with their fields. */
  attached: [id: string, field: number][];
  /** Files that only the history of the item refers to after the write. */
  detached: string[];
}

/** Returns the files in the data of an item with their fields, including files in retired fields. */
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

/**
 * Returns the changes of files. `states` are the successive states of the item. The last one stays, and the others
 * become its history.
 */
export function fileChanges(before: Data, states: readonly Data[]): FileChanges {
  const prior = filesIn(before);
  const filesOfStates = states.map(filesIn);
  const last = filesOfStates.at(-1) ?? prior;
  const all = new Map([...prior, ...filesOfStates.flatMap((files) => [...files])]);
  const attached = [...all].filter(([id]) => !prior.has(id));
  const detached = [...all.keys()].filter((id) => !last.has(id));
  return { attached, detached };
}
