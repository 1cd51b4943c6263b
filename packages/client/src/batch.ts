import { EdgeFormsError, renamed, toldBy } from "./problem.ts";
import type { Shape, Operation, Written } from "./types.ts";

const maxOperations = 100;
const maxBodyBytes = 1_048_576;
const envelopeBytes = '{"operations":[]}'.length;

/** A batch that failed before all of its parts were written. */
export class BatchError<I = unknown> extends EdgeFormsError {
  override readonly name = "BatchError";
  /** The results of the operations before the rejected part. These operations are stored. */
  readonly results: readonly Written<I>[];

  constructor(cause: EdgeFormsError, results: readonly Written<I>[]) {
    super(cause.message, { ...toldBy(cause), cause });
    this.results = results;
  }
}

/** The operations from index `start` up to, but not including, index `end`. */
interface Part {
  start: number;
  end: number;
}

/** Splits operations into parts that each fit one request. The same operations always give the same parts. */
function partsOf(operations: readonly object[]): Part[] {
  const encoder = new TextEncoder();
  const parts: Part[] = [];
  let bytes = 0;
  for (const [index, operation] of operations.entries()) {
    const size = encoder.encode(JSON.stringify(operation)).length + 1;
    const last = parts.at(-1);
    const fits = last && index - last.start < maxOperations && bytes + size <= maxBodyBytes;
    if (fits) {
      last.end = index + 1;
      bytes += size;
      continue;
    }
    parts.push({ start: index, end: index + 1 });
    bytes = envelopeBytes + size;
  }
  return parts;
}

/** Writes the parts in order. Halves a part that the service rejects with 413, because nothing of it was stored. */
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
        throw new BatchError(withShiftedIndexes(error, start), results);
      }
      const middle = (start + end) >> 1;
      parts.unshift({ start, end: middle }, { start: middle, end });
    }
  }
  return results;
}

/** Converts the operation indexes in field errors from the part to the whole batch. */
function withShiftedIndexes(error: EdgeFormsError, start: number): EdgeFormsError {
  const shiftIndex = (_: string, prefix: string, index: string) =>
    `${prefix}${Number(index) + start}`;
  return renamed(error, (fieldError) => ({
    ...fieldError,
    field: fieldError.field.replace(/^(operations\[)(\d+)/, shiftIndex),
    ...(fieldError.pointer && {
      pointer: fieldError.pointer.replace(/^(\/operations\/)(\d+)/, shiftIndex),
    }),
  }));
}

/** Removes the operation index from field errors, so that they look like errors of the route for one item. */
export function alone(error: EdgeFormsError): EdgeFormsError {
  return renamed(error, (fieldError) => ({
    ...fieldError,
    field: fieldError.field.replace(/^operations\[0\]\.?(data\.)?/, ""),
    ...(fieldError.pointer && { pointer: fieldError.pointer.replace(/^\/operations\/0/, "") }),
  }));
}
