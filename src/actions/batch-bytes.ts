import type { CollectionAccess } from "#domain/data/narrow.ts";
import type { Data } from "#domain/data/values.ts";
import { hiddenBytes, hiddenResultBytes, shownBytes } from "#domain/item/part-limits.ts";
import { problem } from "#domain/problem/problem.ts";

/**
 * The maximum data that a batch writes. A narrow caller has separate limits of the same size for data that it does not
 * see, and for hidden results.
 */
const maxWriteBytes = 8_000_000;

/** Limits the data that the operations of a batch write. */
export class BatchBytes {
  readonly #access: CollectionAccess;
  #shown = 0;
  #hidden: number;
  #results = 0;

  /** `hidden` is the size of what a narrow caller does not see of the loaded items. */
  constructor(access: CollectionAccess, hidden: number) {
    this.#access = access;
    this.#hidden = hidden;
  }

  /**
   * Counts visible data and hidden results for each operation, and other data once, because the caller cannot change
   * it.
   */
  add(data: Data, isCreated = false): void {
    this.#shown += shownBytes(this.#access, data);
    if (isCreated) this.#hidden += hiddenBytes(this.#access, data);
    else this.#results += hiddenResultBytes(this.#access, data);
    if (Math.max(this.#shown, this.#hidden, this.#results) > maxWriteBytes)
      throw problem.batchTooLarge(maxWriteBytes);
  }
}
