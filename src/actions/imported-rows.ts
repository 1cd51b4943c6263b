import { nextRowId, rowIdStart } from "#domain/import/row-ids.ts";
import { problem } from "#domain/problem/problem.ts";
import type { GivenRowId } from "#store/data/row-ids.ts";
import type { TouchedItem } from "./batch-changes.ts";

/** The rows of a file that a batch imports: their stored items, and the IDs of their new ones. */
export class ImportedRows {
  /** The IDs of the items that the batch creates. */
  readonly newIds: string[] = [];
  readonly #givenIds: ReadonlyMap<string, GivenRowId>;
  readonly #items = new Map<string, TouchedItem>();

  constructor(givenIds: readonly GivenRowId[]) {
    this.#givenIds = new Map(givenIds.map((given) => [given.rowId, given]));
  }

  addStored(item: TouchedItem): void {
    this.#items.set(rowIdStart(item.lastState.id), item);
  }

  find(rowId: string): TouchedItem | undefined {
    return this.#items.get(rowIdStart(rowId));
  }

  /**
   * Returns the ID of the row's new item, which is another one if the first item was deleted permanently. Throws if an
   * item of the row can be restored.
   */
  newId(rowId: string, ulid: string): string {
    const given = this.#givenIds.get(rowId);
    if (given?.isRestorable) throw rowDeleted();
    const id = given?.isGiven ? nextRowId(rowId, ulid) : rowId;
    this.newIds.push(id);
    return id;
  }
}

const rowDeleted = () =>
  problem.conflict(
    "An earlier import of this row created an item that is now in “Deleted items”. Restore it there.",
    "row_deleted",
  );
