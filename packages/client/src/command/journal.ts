import { randomBytes } from "node:crypto";
import { open, readFile, rm, truncate } from "node:fs/promises";
import { Failure } from "./failure.ts";
import { chunksOf, type Chunk } from "./lines.ts";
import type { Target } from "./send.ts";
import { nameOf } from "./service.ts";

/** A batch of lines whose items are stored. */
interface Entry {
  /** The number of the first line, starting at 1. */
  first: number;
  ids: string[];
  /** The hash of the lines, which detects a file that changed since. */
  hash: string;
  /** The time at which the entry was written. */
  at: number;
}

interface Head {
  run: string;
  at: number;
}

/**
 * Records the progress of an import in a file next to the items. It exists before the first batch is sent. Keys of
 * batches derive from `run`, so an import that resumes after a kill repeats the last batch with the same key.
 */
export class Journal {
  readonly run: string;
  readonly #path: string;
  readonly #startedAt: number;
  readonly #entries: Entry[];

  private constructor(path: string, { run, at }: Head, entries: Entry[]) {
    this.#path = path;
    this.run = run;
    this.#startedAt = at;
    this.#entries = entries;
  }

  static async read(path: string): Promise<Journal | undefined> {
    const text = await readFile(path, "utf8").catch(() => undefined);
    // A kill may leave the last line incomplete. That batch is sent again.
    const complete = text?.slice(0, text.lastIndexOf("\n") + 1);
    if (!complete) return undefined;
    await truncate(path, Buffer.byteLength(complete));
    try {
      const lines = complete.trimEnd().split("\n");
      const [head, ...entries] = lines.map((line) => JSON.parse(line) as unknown);
      return new Journal(path, head as Head, consecutiveEntries(entries as Entry[]));
    } catch {
      throw new Failure(
        `${path} is damaged. Delete it and use --by FIELD to find the stored items.`,
      );
    }
  }

  static async begin(path: string): Promise<Journal> {
    await rm(path, { force: true });
    const head: Head = { run: randomBytes(12).toString("hex"), at: Date.now() };
    await appendLine(path, head);
    return new Journal(path, head, []);
  }

  async restart(): Promise<Journal> {
    return Journal.begin(this.#path);
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** The number of lines in each batch. */
  get sizes(): number[] {
    return this.#entries.map(({ ids }) => ids.length);
  }

  /** The time of the last write. */
  get at(): number {
    return this.#entries.at(-1)?.at ?? this.#startedAt;
  }

  contains({ first }: Pick<Chunk, "first">): boolean {
    const last = this.#entries.at(-1);
    return last !== undefined && first < last.first + last.ids.length;
  }

  /** The item IDs of the chunk that starts at line `first`. */
  idsFrom(first: number): readonly string[] {
    return this.#entries.find((entry) => entry.first === first)?.ids ?? [];
  }

  async add({ first, ids, hash }: Omit<Entry, "at">): Promise<void> {
    const entry: Entry = { first, ids, hash, at: Date.now() };
    await appendLine(this.#path, entry);
    this.#entries.push(entry);
  }
}

/** Drops duplicate entries. Two concurrent imports send the same batches with the same keys, and both add entries. */
function consecutiveEntries(entries: readonly Entry[]): Entry[] {
  let next = 1;
  return entries.filter(({ first, ids }) => {
    if (first !== next) return false;
    next += ids.length;
    return true;
  });
}

async function appendLine(path: string, line: object): Promise<void> {
  const handle = await open(path, "a");
  try {
    await handle.write(`${JSON.stringify(line)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The service remembers keys for a day. Later, a batch whose response was lost could be stored twice. */
const maxAgeMs = 23 * 3_600_000;

/** Opens the journal of an earlier run of this file, or starts a new one. */
export async function openJournal(target: Target, append: boolean): Promise<Journal> {
  const path = pathOf(target);
  const { by, file } = target;
  const journal = await Journal.read(path);
  if (!journal) {
    if (by === undefined && !append) await assertEmpty(target);
    return Journal.begin(path);
  }
  const { changed: changedLine, left: hasMore } = await compareWithFile(file, journal);
  if (changedLine !== undefined) {
    if (by !== undefined || append) return journal.restart();
    const reason = `${file}:${changedLine} changed since its import.`;
    throw new Failure(`${reason} To import the changed file, use --by FIELD or --append.`);
  }
  if (hasMore && by === undefined && !append && Date.now() - journal.at > maxAgeMs) {
    const hint = "--append continues, but may store that batch twice.";
    throw new Failure(`This import stopped a day ago, possibly after sending a batch. ${hint}`);
  }
  return journal;
}

/** The journal's path. Each combination of file, service, and app or form has its own journal. */
function pathOf({ file, url, named }: Target): string {
  const host = new URL(url).host.replaceAll(/[^\w.-]/g, "_");
  return `${file}.${host}.${named.kind}-${named.key}.import`;
}

/** Returns the first line that changed since its import, and whether lines remain to be imported. */
async function compareWithFile(
  file: string,
  journal: Journal,
): Promise<{ changed?: number; left: boolean }> {
  const entries = new Map(journal.entries.map((entry) => [entry.first, entry]));
  let hasMore = false;
  for await (const { first, hash } of chunksOf(file, journal.sizes)) {
    const entry = entries.get(first);
    entries.delete(first);
    if (entry && entry.hash !== hash) return { changed: first, left: hasMore };
    hasMore ||= !entry;
  }
  const [missing] = entries.keys();
  return missing === undefined ? { left: hasMore } : { changed: missing, left: hasMore };
}

async function assertEmpty({ items, named }: Target): Promise<void> {
  for await (const _ of items.list({ limit: 1 })) {
    const hint = "Match them with --by FIELD, or add to them with --append.";
    throw new Failure(`${nameOf(named)} already has items. ${hint}`);
  }
}
