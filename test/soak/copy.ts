import { isDeepStrictEqual } from "node:util";
import { Difference, type Collection } from "./model.ts";
import type { Values } from "./formulas.ts";

type Json = Values[string];

/** A copy of a collection that is built only from its changes. */
export class Copy {
  readonly #owner: string;
  readonly #items = new Map<string, Json>();
  readonly #gone = new Set<string>();
  /** The last received version of each item. */
  readonly #lastVersions = new Map<string, number>();

  constructor(owner: string) {
    this.#owner = owner;
  }

  /** Applies a change. Versions must arrive in order without gaps, but may repeat. */
  apply(change: Json): void {
    const { id, type, version, item } = change;
    const lastVersion = this.#lastVersions.get(id) ?? 0;
    const maxVersion = type === "deleted" ? lastVersion : lastVersion + 1;
    if (version > maxVersion) {
      throw new Difference(
        `${this.#owner} received ${id} at ${version} (${type}) after ${lastVersion}`,
      );
    }
    this.#lastVersions.set(id, Math.max(lastVersion, version));
    if (item === undefined) {
      this.#items.delete(id);
      this.#gone.add(id);
      return;
    }
    if (this.#gone.has(id))
      throw new Difference(`${this.#owner} is shown ${id} after its deletion`);
    if (item.version >= (this.#items.get(id)?.version ?? 0)) this.#items.set(id, item);
  }

  /** Describes the first difference to the model, after the model was compared with the stored items. */
  differenceTo(collection: Collection): string | undefined {
    for (const item of collection.items.values()) {
      const copy = this.#items.get(item.id);
      if (copy?.version !== item.known) {
        return `has ${item.id} at ${copy?.version}, not ${item.known}; told of ${this.#lastVersions.get(item.id)}`;
      }
      const { status = null, updated_at: updatedAt, updated_by: updatedBy } = copy;
      if (
        !isDeepStrictEqual(
          [status, updatedAt, updatedBy],
          [item.status, item.updatedAt, item.updatedBy],
        )
      ) {
        return `has ${JSON.stringify(copy)}, not ${item.status} of ${item.updatedAt}`;
      }
      const wrongField = Object.entries(copy.data as Values).find(
        ([key, value]) => !isValue(item.values[collection.names.get(key) ?? ""], value),
      );
      if (wrongField) return `has ${item.id} with ${JSON.stringify(wrongField)}`;
    }
    if (this.#items.size === collection.items.size) return undefined;
    const extraIds = [...this.#items.keys()].filter((id) => !collection.items.has(id));
    return `has ${extraIds.join()}, which nobody else has`;
  }
}

/** Compares values. The copy lacks fields that were added later, and an empty list counts as no value. */
function isValue(expected: Json, copied: Json): boolean {
  const emptyToNull = (value: Json) => (Array.isArray(value) && value.length === 0 ? null : value);
  return isDeepStrictEqual(emptyToNull(expected) ?? null, emptyToNull(copied) ?? null);
}
