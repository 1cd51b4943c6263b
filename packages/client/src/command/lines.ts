import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { Failure } from "./failure.ts";

/** A line: an exported item, or only its data and optionally a status. */
export interface Line {
  data: Record<string, unknown>;
  status?: "draft" | "submitted" | "closed";
}

export interface Chunk {
  /** The number of its first line, starting at 1. */
  first: number;
  lines: Line[];
  hash: string;
  /** The size in bytes of the file up to the end of this chunk. */
  bytes: number;
}

const maxLines = 100;
/** Leaves room for the rest of a request, which may have at most 1 MiB. */
const maxBytes = 1_000_000;

/** Splits the lines of a file into batches. The first batches have the sizes that an earlier run sent. */
export async function* chunksOf(
  file: string,
  sizes: readonly number[],
): AsyncGenerator<Chunk, void, undefined> {
  const handle = await open(file);
  try {
    let [first, read, size, index] = [1, 0, 0, 0];
    let texts: string[] = [];
    const takeChunk = (): Chunk => {
      const chunk = {
        first,
        lines: texts.map((text, offset) => parseLine(file, first + offset, text)),
      };
      const hash = createHash("sha256").update(texts.join("\n")).digest("base64url");
      [first, size, texts, index] = [first + texts.length, 0, [], index + 1];
      return { ...chunk, hash, bytes: read };
    };
    for await (const text of handle.readLines()) {
      const bytes = Buffer.byteLength(text) + 1;
      const plannedSize = sizes[index];
      if (plannedSize === undefined && texts.length > 0 && size + bytes > maxBytes)
        yield takeChunk();
      texts.push(text);
      size += bytes;
      read += bytes;
      if (texts.length >= (sizes[index] ?? maxLines)) yield takeChunk();
    }
    if (texts.length > 0) yield takeChunk();
  } finally {
    await handle.close();
  }
}

function parseLine(file: string, number: number, text: string): Line {
  try {
    const line = JSON.parse(text) as Partial<Line> | null;
    if (typeof line?.data === "object" && line.data !== null) return line as Line;
  } catch (error) {
    throw new Failure(`${file}:${number} is not valid JSON:  ${(error as Error).message}`);
  }
  throw new Failure(`${file}:${number} is not an object with "data".`);
}
