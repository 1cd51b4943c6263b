import type { CompiledFields } from "#domain/data/compile.ts";
import type { Field, FieldSet } from "#domain/definition/field.ts";
import { isObject } from "#domain/json.ts";
import { toStoredFile, type File, type StoredFile } from "./file.ts";

export type FileRefusal = "unknown_file" | "file_incomplete" | "file_in_use";

/** A file that a request names. The check accepts only instances of this class, so a request cannot invent a file. */
export class SentFile {
  readonly id: string;
  /** Undefined if the collection has no such file. */
  readonly #file: File | undefined;
  /** Whether the caller has uploaded the file. */
  readonly #isOwn: boolean;

  constructor(id: string, file?: File, isOwn = false) {
    this.id = id;
    this.#file = file;
    this.#isOwn = isOwn;
  }

  /**
   * Returns the file for a field of an item, or the reason why the field may not have it. The number of a new item is
   * null. An item may attach a file again that belonged to it. Files of other callers look like files that do not
   * exist.
   */
  usable(field: number, item: number | null): StoredFile | FileRefusal {
    const file = this.#file;
    if (!file || file.field !== field) return "unknown_file";
    const storedFile = toStoredFile(file);
    if (storedFile && file.item !== null && file.item === item) return storedFile;
    if (!this.#isOwn) return "unknown_file";
    if (file.item !== null) return "file_in_use";
    return storedFile ?? "file_incomplete";
  }
}

/** A file that a field may store, or the reason why it may not. */
export class OfferedFile {
  readonly id: string;
  readonly result: StoredFile | FileRefusal;

  constructor(id: string, result: StoredFile | FileRefusal) {
    this.id = id;
    this.result = result;
  }
}

export const fileKeys = (fields: readonly Field[]): string[] =>
  fields.flatMap(({ key, type }) => (type === "files" ? [key] : []));

/** Whether items may have files, including files in retired fields. */
export const mayHaveFiles = ({ fields, retired }: FieldSet): boolean =>
  [...fields, ...retired].some(({ type }) => type === "files");

/** Returns the ID that an entry of a list in a request names. */
export function sentFileId(entry: unknown): string | undefined {
  if (typeof entry === "string") return entry;
  if (entry instanceof SentFile || entry instanceof OfferedFile) return entry.id;
  const id = isObject(entry) ? entry["id"] : undefined;
  return typeof id === "string" ? id : undefined;
}

/** Replaces the entries of the lists of files in a body. */
export function mapSentFiles(
  { byKey, fileKeys: keys }: CompiledFields,
  body: unknown,
  replace: (entry: unknown, field: number) => unknown,
): unknown {
  if (keys.length === 0 || !isObject(body) || !isObject(body["data"])) return body;
  const data = { ...body["data"] };
  for (const key of keys) {
    const entries = data[key];
    const field = byKey.get(key)?.field.id;
    if (!Array.isArray(entries) || field === undefined) continue;
    data[key] = entries.map((entry) => replace(entry, field));
  }
  return { ...body, data };
}

/** Decides which of the files in a request an item may have. */
export const offerFiles = (fields: CompiledFields, body: unknown, item: number | null): unknown =>
  mapSentFiles(fields, body, (entry, field) =>
    entry instanceof SentFile ? new OfferedFile(entry.id, entry.usable(field, item)) : entry,
  );
