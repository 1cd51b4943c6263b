import { randomBytes } from "node:crypto";
import { open, readFile, rm, truncate } from "node:fs/promises";
import { Failure } from "./failure.ts";
import { chunksOf, type Chunk } from "./lines.ts";
import type { Target } from "./send.ts";
import { nameOf } from "./service.ts";

/** Lines of a file whose items are stored. */
interface Entry {
  /** The number of the first, from 1. */
  first: number;
  ids: string[];
  /** Of the lines, so that a file that was changed since is noticed. */
  hash: string;
  /** When it was written; the head has this as well. */
  at: number;
}

interface Head {
  run: string;
  at: number;
}

/**
 * What an import did so far, beside its file. It is there before anything is sent, and each batch's key is derived from
 * its run: whoever goes on after a kill repeats the last batch with the key that it had.
 */
export class Journal {
  readonly run: string;
  readonly #path: string;
  readonly #begun: number;
  readonly #entries: Entry[];

  private constructor(path: string, { run, at }: Head, entries: Entry[]) {
    this.#path = path;
    this.run = run;
    this.#begun = at;
    this.#entries = entries;
  }

  static async read(path: string): Promise<Journal | undefined> {
    const text = await readFile(path, "utf8").catch(() => undefined);
    // The last line is torn where a kill hit it: what it would have told is asked for again.
    const whole = text?.slice(0, text.lastIndexOf("\n") + 1);
    if (!whole) return undefined;
    await truncate(path, Buffer.byteLength(whole));
    try {
      const lines = whole.trimEnd().split("\n");
      const [head, ...entries] = lines.map((line) => JSON.parse(line) as unknown);
      return new Journal(path, head as Head, inOrder(entries as Entry[]));
    } catch {
      throw new Failure(`${path} is damaged. Without it, only --by can tell what is stored.`);
    }
  }

  static async begin(path: string): Promise<Journal> {
    await rm(path, { force: true });
    const head: Head = { run: randomBytes(12).toString("hex"), at: Date.now() };
    await note(path, head);
    return new Journal(path, head, []);
  }

  async anew(): Promise<Journal> {
    return Journal.begin(this.#path);
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** How many lines each batch had. */
  get sizes(): number[] {
    return this.#entries.map(({ ids }) => ids.length);
  }

  /** When it was last written. */
  get at(): number {
    return this.#entries.at(-1)?.at ?? this.#begun;
  }

  tells({ first }: Pick<Chunk, "first">): boolean {
    const last = this.#entries.at(-1);
    return last !== undefined && first < last.first + last.ids.length;
  }

  /** Of the lines of a chunk. */
  idsFrom(first: number): readonly string[] {
    return this.#entries.find((entry) => entry.first === first)?.ids ?? [];
  }

  async add({ first, ids, hash }: Omit<Entry, "at">): Promise<void> {
    const entry: Entry = { first, ids, hash, at: Date.now() };
    await note(this.#path, entry);
    this.#entries.push(entry);
  }
}

/** Two imports at once send the same batches by the same keys, and each tells of them. */
function inOrder(entries: readonly Entry[]): Entry[] {
  let next = 1;
  return entries.filter(({ first, ids }) => {
    if (first !== next) return false;
    next += ids.length;
    return true;
  });
}

async function note(path: string, line: object): Promise<void> {
  const handle = await open(path, "a");
  try {
    await handle.write(`${JSON.stringify(line)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The service knows keys for a day: after that, a batch whose answer was lost could be stored twice. */
const mostAge = 23 * 3_600_000;

/** What an earlier run left, where it is of this file, or a new journal. */
export async function openJournal(target: Target, append: boolean): Promise<Journal> {
  const path = pathOf(target);
  const { by, file } = target;
  const journal = await Journal.read(path);
  if (!journal) {
    if (by === undefined && !append) await refuseUnlessEmpty(target);
    return Journal.begin(path);
  }
  const { changed, left } = await standing(file, journal);
  if (changed !== undefined) {
    if (by !== undefined || append) return journal.anew();
    const from = `${file}:${changed} is not the line that was imported.`;
    throw new Failure(`${from} A changed file is sent again with --by FIELD, or --append.`);
  }
  if (left && by === undefined && !append && Date.now() - journal.at > mostAge) {
    const rest = "With --append it goes on, and stores that batch again if it was stored.";
    throw new Failure(`This import broke off a day ago, maybe behind a batch. ${rest}`);
  }
  return journal;
}

/** One for each file, service, and app or form. */
function pathOf({ file, url, named }: Target): string {
  const host = new URL(url).host.replaceAll(/[^\w.-]/g, "_");
  return `${file}.${host}.${named.kind}-${named.key}.import`;
}

/** The first line that was changed since it was imported, and whether there is more to import. */
async function standing(
  file: string,
  journal: Journal,
): Promise<{ changed?: number; left: boolean }> {
  const entries = new Map(journal.entries.map((entry) => [entry.first, entry]));
  let left = false;
  for await (const { first, hash } of chunksOf(file, journal.sizes)) {
    const entry = entries.get(first);
    entries.delete(first);
    if (entry && entry.hash !== hash) return { changed: first, left };
    left ||= !entry;
  }
  const [missing] = entries.keys();
  return missing === undefined ? { left } : { changed: missing, left };
}

async function refuseUnlessEmpty({ items, named }: Target): Promise<void> {
  for await (const _ of items.list({ limit: 1 })) {
    const ways = "--by FIELD finds them by a unique field, --append adds to them.";
    throw new Failure(`${nameOf(named)} has items already. ${ways}`);
  }
}
