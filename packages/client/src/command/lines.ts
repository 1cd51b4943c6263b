import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { Failure } from "./failure.ts";

/** What a line says: an item as it is exported, or its data alone with a status. */
export interface Line {
  data: Record<string, unknown>;
  status?: "draft" | "submitted" | "closed";
}

export interface Chunk {
  /** The number of its first line, from 1. */
  first: number;
  lines: Line[];
  hash: string;
  /** Bytes of the file up to its end. */
  bytes: number;
}

const mostLines = 100;
/** A batch of them is one request of at most 1 MiB. */
const mostBytes = 1_000_000;

/** The lines of a file as batches take them: first in the sizes that an earlier run sent. */
export async function* chunksOf(
  file: string,
  sizes: readonly number[],
): AsyncGenerator<Chunk, void, undefined> {
  const handle = await open(file);
  try {
    let [first, read, size, index] = [1, 0, 0, 0];
    let texts: string[] = [];
    const take = (): Chunk => {
      const chunk = { first, lines: texts.map((text, at) => parsed(file, first + at, text)) };
      const hash = createHash("sha256").update(texts.join("\n")).digest("base64url");
      [first, size, texts, index] = [first + texts.length, 0, [], index + 1];
      return { ...chunk, hash, bytes: read };
    };
    for await (const text of handle.readLines()) {
      const bytes = Buffer.byteLength(text) + 1;
      const given = sizes[index];
      if (given === undefined && texts.length > 0 && size + bytes > mostBytes) yield take();
      texts.push(text);
      size += bytes;
      read += bytes;
      if (texts.length >= (sizes[index] ?? mostLines)) yield take();
    }
    if (texts.length > 0) yield take();
  } finally {
    await handle.close();
  }
}

function parsed(file: string, number: number, text: string): Line {
  try {
    const line = JSON.parse(text) as Partial<Line> | null;
    if (typeof line?.data === "object" && line.data !== null) return line as Line;
  } catch (error) {
    throw new Failure(`${file}:${number} is no JSON: ${(error as Error).message}`);
  }
  throw new Failure(`${file}:${number} is no object with "data".`);
}
