import { EdgeFormsError, renamed, toldBy } from "./problem.ts";
import type { Shape, Operation, Written } from "./types.ts";

const mostOperations = 100;
const mostBytes = 1_048_576;
const envelope = '{"operations":[]}'.length;

/** A batch that ended before all of its parts were written. */
export class BatchError<I = unknown> extends EdgeFormsError {
  override readonly name = "BatchError";
  /** What became of the operations before the refused part, which are stored. */
  readonly results: readonly Written<I>[];

  constructor(cause: EdgeFormsError, results: readonly Written<I>[]) {
    super(cause.message, { ...toldBy(cause), cause });
    this.results = results;
  }
}

/** From the operation `start` to the one before `end`. */
interface Part {
  start: number;
  end: number;
}

/** As many operations as one request takes, part after part; the same parts for the same operations. */
function partsOf(operations: readonly object[]): Part[] {
  const encoder = new TextEncoder();
  const parts: Part[] = [];
  let bytes = 0;
  for (const [index, operation] of operations.entries()) {
    const size = encoder.encode(JSON.stringify(operation)).length + 1;
    const last = parts.at(-1);
    const fits = last && index - last.start < mostOperations && bytes + size <= mostBytes;
    if (fits) {
      last.end = index + 1;
      bytes += size;
      continue;
    }
    parts.push({ start: index, end: index + 1 });
    bytes = envelope + size;
  }
  return parts;
}

/** Writes the parts in order. One that touches more than a batch may is halved: nothing of it was stored. */
export async function inParts<T extends Shape, I>(
  operations: readonly Operation<T>[],
  write: (part: readonly Operation<T>[], name: string) => Promise<Written<I>[]>,
): Promise<Written<I>[]> {
  const results: Written<I>[] = [];
  const parts = partsOf(operations);
  for (let part = parts.shift(); part; part = parts.shift()) {
    const { start, end } = part;
    try {
      results.push(...(await write(operations.slice(start, end), `${start}-${end}`)));
    } catch (error) {
      if (!(error instanceof EdgeFormsError)) throw error;
      if (error.status !== 413 || end - start === 1) {
        throw new BatchError(movedBy(error, start), results);
      }
      const middle = (start + end) >> 1;
      parts.unshift({ start, end: middle }, { start: middle, end });
    }
  }
  return results;
}

/** Errors of a part, told with the places that its operations have in the whole. */
function movedBy(error: EdgeFormsError, start: number): EdgeFormsError {
  const moved = (_: string, before: string, index: string) => `${before}${Number(index) + start}`;
  return renamed(error, (each) => ({
    ...each,
    field: each.field.replace(/^(operations\[)(\d+)/, moved),
    ...(each.pointer && { pointer: each.pointer.replace(/^(\/operations\/)(\d+)/, moved) }),
  }));
}

/** Errors of a lone operation, told as the single route tells them. */
export function alone(error: EdgeFormsError): EdgeFormsError {
  return renamed(error, (each) => ({
    ...each,
    field: each.field.replace(/^operations\[0\]\.?(data\.)?/, ""),
    ...(each.pointer && { pointer: each.pointer.replace(/^\/operations\/0/, "") }),
  }));
}
