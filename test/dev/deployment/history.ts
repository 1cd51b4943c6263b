import type { Image, Storage } from "./storage.ts";

interface Snapshot {
  at: number;
  bookmark: string;
  image: Image;
}

/** Time Travel of one database: its earlier states by bookmark. */
export class History {
  readonly #storage: Storage;
  readonly #database: string;
  readonly #snapshots: Snapshot[] = [];

  constructor(storage: Storage, database: string) {
    this.#storage = storage;
    this.#database = database;
  }

  async note(): Promise<string> {
    const sequence = (this.#snapshots.length + 1).toString(16).padStart(8, "0");
    const bookmark = `${sequence}-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683`;
    const image = await this.#storage.image(this.#database);
    this.#snapshots.push({ at: Date.now(), bookmark, image });
    return bookmark;
  }

  /** Returns the bookmark of the newest state up to this time. Without a time, records the current state. */
  async bookmarkAt(time: string | null): Promise<string> {
    if (time === null) return this.note();
    const snapshot = this.#snapshots.findLast(({ at }) => at <= Date.parse(time));
    if (!snapshot) throw new Error(`The database did not exist at ${time}.`);
    return snapshot.bookmark;
  }

  async restore(bookmark: string): Promise<string> {
    const target = this.#snapshots.find((snapshot) => snapshot.bookmark === bookmark);
    if (!target) throw new Error(`There is no bookmark ${bookmark}.`);
    const previous = await this.note();
    await this.#storage.restore(this.#database, target.image);
    return previous;
  }
}
