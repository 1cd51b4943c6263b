import { isDeepStrictEqual } from "node:util";
import { Difference, type Collection } from "./model.ts";
import type { Values } from "./formulas.ts";

type Json = Values[string];

/** What somebody outside has of a collection who is told of its changes and of nothing else. */
export class Copy {
  readonly #who: string;
  readonly #items = new Map<string, Json>();
  readonly #gone = new Set<string>();
  /** The last version of each item that was told. */
  readonly #told = new Map<string, number>();

  constructor(who: string) {
    this.#who = who;
  }

  /** Takes in an entry of the changes feed. Each version is told, in order; what was told may come again. */
  take(change: Json): void {
    const { id, type, version, item } = change;
    const told = this.#told.get(id) ?? 0;
    const next = type === "deleted" ? told : told + 1;
    if (version > next) {
      throw new Difference(`${this.#who} is told of ${id} at ${version} (${type}) after ${told}`);
    }
    this.#told.set(id, Math.max(told, version));
    if (item === undefined) {
      this.#items.delete(id);
      this.#gone.add(id);
      return;
    }
    if (this.#gone.has(id)) throw new Difference(`${this.#who} is shown ${id} after its deletion`);
    if (item.version >= (this.#items.get(id)?.version ?? 0)) this.#items.set(id, item);
  }

  /** What it has otherwise than the model, when that was compared with everything that is stored. */
  differenceTo(collection: Collection): string | undefined {
    for (const item of collection.items.values()) {
      const copied = this.#items.get(item.id);
      if (copied?.version !== item.known) {
        return `has ${item.id} at ${copied?.version}, not ${item.known}; told of ${this.#told.get(item.id)}`;
      }
      const { status = null, updated_at: at, updated_by: by } = copied;
      if (!isDeepStrictEqual([status, at, by], [item.status, item.updatedAt, item.updatedBy])) {
        return `has ${JSON.stringify(copied)}, not ${item.status} of ${item.updatedAt}`;
      }
      const other = Object.entries(copied.data as Values).find(
        ([key, value]) => !isValue(item.values[collection.names.get(key) ?? ""], value),
      );
      if (other) return `has ${item.id} with ${JSON.stringify(other)}`;
    }
    if (this.#items.size === collection.items.size) return undefined;
    const more = [...this.#items.keys()].filter((id) => !collection.items.has(id));
    return `has ${more.join()}, which nobody else has`;
  }
}

/** Of what its fields were when it was told: fields that came since are not there, and empty lists are nothing. */
function isValue(has: Json, told: Json): boolean {
  const plain = (value: Json) => (Array.isArray(value) && value.length === 0 ? null : value);
  return isDeepStrictEqual(plain(has) ?? null, plain(told) ?? null);
}
