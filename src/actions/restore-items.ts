import { loadCurrentCollection } from "./collection-cache.ts";
import { fitDefinition } from "#domain/data/fit-definition.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { searchEntries, uniqueValues, type UniqueValue } from "#domain/data/index-entries.ts";
import { filledFields, presentData } from "#domain/data/values.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { fileChanges } from "#domain/files/file-changes.ts";
import { recalculate } from "#domain/formula/recalculate.ts";
import {
  diffItems,
  itemAction,
  nextItemVersion,
  serializeData,
  type AuditedItemAction,
} from "#domain/item/change.ts";
import type { Item } from "#domain/item/item.ts";
import { viewMarks, viewWork } from "#domain/item/view-marks.ts";
import { Problem } from "#domain/problem/problem.ts";
import { storeBatch, type BatchWrite } from "#store/data/batch-write.ts";
import { loadDeletedItems } from "#store/data/deleted-items.ts";
import { findUniqueConflicts, type RequestedValue } from "#store/data/item-ranges.ts";
import { itemAuditRecord, type ActionContext } from "./context.ts";
import { numberedFields } from "./duplicates.ts";
import { retryOnConflict } from "./idempotent.ts";
import { emptyWrite } from "./remove-items.ts";
import { loadCollection } from "./visible.ts";

/** The reason why an item was not restored. */
export type RestoreRefusal =
  /** The item was erased, or was never deleted. */
  | { reason: "gone" }
  /** It was restored and deleted again since. */
  | { reason: "changed" }
  /** Another item has the ID. Only the former version of the service can create one, with a repeated import. */
  | { reason: "exists" }
  | { reason: "full" }
  /** Another item has the value of a unique field. */
  | { reason: "taken"; key: string; value: unknown; id: string }
  /** A pending change of the definition gives the field another type. */
  | { reason: "retyped"; key: string }
  | { reason: "too_large" };

export interface RestoredItem {
  id: string;
  /** The current item. Null if it was not restored, or if an earlier request restored it. */
  item: Item | null;
  /** Null if the item exists again. */
  refusal: RestoreRefusal | null;
}

/** The limits of one batch. The first item is always restored, whatever its size. */
const batchLimits = { items: 100, bytes: 2_000_000, formulaSteps: 1_000_000 };

/**
 * Restores deleted items with the current definition. Each item keeps its ID, number and history. Returns for each item
 * why it was not restored, if it was not. An item that already exists again counts as restored, so a request can be
 * repeated. With `versions`, restores only items that have these versions.
 */
export async function restoreItems(
  ctx: ActionContext,
  name: { kind: CollectionKind; key: string },
  ids: readonly string[],
  versions: ReadonlyMap<string, number> = new Map(),
): Promise<{ compiled: CompiledCollection; results: RestoredItem[] }> {
  let compiled = await loadCollection(ctx, name.kind, name.key);
  const results = new Map<string, RestoredItem>();
  const rest = () => ids.filter((id) => !results.has(id));
  while (rest().length > 0) {
    const batch = rest().slice(0, batchLimits.items);
    const restored = await retryOnConflict(ctx, async () => {
      const attempt = await restoreBatch(ctx, compiled, batch, versions);
      if (!attempt) ({ compiled } = await loadCurrentCollection(ctx, compiled));
      return attempt;
    });
    for (const result of restored) results.set(result.id, result);
  }
  return { compiled, results: ids.flatMap((id) => results.get(id) ?? []) };
}

/**
 * Restores the first of these items, as many as fit into a batch, and returns the items that it has decided on. Returns
 * undefined, for a retry, when a concurrent request changed the definition, an item, or the owner of a unique value.
 */
async function restoreBatch(
  ctx: ActionContext,
  compiled: CompiledCollection,
  ids: readonly string[],
  versions: ReadonlyMap<string, number>,
): Promise<RestoredItem[] | undefined> {
  const db = ctx.databases.of(compiled.collection);
  const { items, live, deleted } = await loadDeletedItems(db, ids, batchLimits.bytes);
  const decided = ids.flatMap((id): RestoredItem[] => {
    if (deleted.has(id))
      return live.has(id) ? [{ id, item: null, refusal: { reason: "exists" } }] : [];
    return [{ id, item: null, refusal: live.has(id) ? null : { reason: "gone" } }];
  });
  const plan = new RestorePlan(ctx, compiled);
  for (const item of items) {
    if (live.has(item.id)) continue;
    if (plan.isFull) break;
    const isCurrent = (versions.get(item.id) ?? item.version) === item.version;
    if (isCurrent) plan.add(item);
    else plan.refuse(item.id, { reason: "changed" });
  }
  const action = itemAction(compiled.collection.kind, "restore");
  while (plan.restorations.length > 0) {
    const auditRecord = itemAuditRecord(ctx, action, plan.now);
    const stored = await storeBatch(db, plan.write(action), null, auditRecord, { shownBy: null });
    if (stored.outcome === "created") {
      if (stored.hasListeners) ctx.notifyChange(compiled.collection);
      break;
    }
    if (stored.outcome === "closed") {
      const current = await loadCurrentCollection(ctx, compiled);
      const room =
        (current.compiled.collection.definition.acceptance.max_submissions ?? Infinity) -
        current.itemCount;
      plan.keepFirst(Math.max(0, Math.min(room, plan.restorations.length - 1)));
    } else if (stored.outcome !== "taken" || !(await plan.refuseTaken(db))) return undefined;
  }
  return [...decided, ...plan.results()];
}

interface Restoration {
  before: Item;
  after: Item;
  data: string;
  values: UniqueValue[];
}

/** The items of one batch. An item that cannot be restored is removed, and the batch runs again without it. */
class RestorePlan {
  readonly now: number;
  restorations: Restoration[] = [];
  readonly #ctx: ActionContext;
  readonly #compiled: CompiledCollection;
  readonly #refused: RestoredItem[] = [];
  /** The item of this batch that gets each value. */
  readonly #takers = new Map<string, string>();
  /** The steps of formulas, and the work of deciding which views the items match. */
  #formulaSteps = 0;

  constructor(ctx: ActionContext, compiled: CompiledCollection) {
    this.#ctx = ctx;
    this.#compiled = compiled;
    this.now = ctx.now();
  }

  get isFull(): boolean {
    return this.#formulaSteps > batchLimits.formulaSteps;
  }

  /** Converts the item to the current definition, or rejects it. */
  add(before: Item): void {
    const { collection } = this.#compiled;
    const retyped = filledFields(collection.pending?.emptied ?? [], before.data)[0];
    if (retyped) return this.refuse(before.id, { reason: "retyped", key: retyped.key });
    const { actor, databases } = this.#ctx;
    const state = { status: before.status, data: this.#presentDataOf(before) };
    const after = nextItemVersion(
      this.#compiled,
      before,
      state,
      actor,
      this.now,
      databases.timeline,
    );
    const values = uniqueValues(collection, after.data, after.status);
    for (const value of values) {
      const id = this.#takers.get(JSON.stringify(value));
      if (id !== undefined) return this.refuse(before.id, this.#taken(after, value[0], id));
    }
    this.#formulaSteps += viewWork(this.#compiled, after);
    try {
      const data = serializeData(this.#compiled, before, after);
      this.restorations.push({ before, after, data, values });
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "too_large") throw error;
      return this.refuse(before.id, { reason: "too_large" });
    }
    for (const value of values) this.#takers.set(JSON.stringify(value), before.id);
  }

  /** Returns the data in the form of the current definition. Unchanged values need no new results. */
  #presentDataOf({ data, definitionVersion }: Item): Item["data"] {
    if (definitionVersion === this.#compiled.collection.version) return data;
    const fitted = fitDefinition(this.#compiled, data);
    const { after, formulaSteps } = recalculate(this.#compiled, fitted, this.now);
    this.#formulaSteps += formulaSteps;
    return after;
  }

  refuse(id: string, refusal: RestoreRefusal): void {
    this.#refused.push({ id, item: null, refusal });
  }

  #taken({ data }: Item, fieldNumber: number, id: string): RestoreRefusal {
    const { collection } = this.#compiled;
    const key = numberedFields(collection).find(({ number }) => number === fieldNumber)?.key ?? "";
    return { reason: "taken", key, value: presentData(this.#compiled, data)[key], id };
  }

  /** Rejects the items after the first ones, because the form is full. */
  keepFirst(count: number): void {
    for (const { before } of this.restorations.slice(count))
      this.refuse(before.id, { reason: "full" });
    this.restorations = this.restorations.slice(0, count);
  }

  /** Rejects the items whose values other items have. Returns false if no items remain. */
  async refuseTaken(db: Parameters<typeof findUniqueConflicts>[0]): Promise<boolean> {
    const requested = this.restorations.flatMap(({ before, values }) =>
      values.map((value): RequestedValue => [...value, before.number]),
    );
    const conflicts = await findUniqueConflicts(db, requested);
    const count = this.restorations.length;
    this.restorations = this.restorations.filter(({ before, after }) => {
      const conflict = conflicts.find(({ wanting }) => wanting === before.number);
      if (conflict) this.refuse(before.id, this.#taken(after, conflict.field, conflict.id));
      return !conflict;
    });
    return this.restorations.length < count;
  }

  write(action: AuditedItemAction): BatchWrite {
    const { collection } = this.#compiled;
    const entries = this.restorations.map(({ after }) => ({
      number: after.number,
      entries: searchEntries(collection, after.data, after),
    }));
    return {
      ...emptyWrite(this.#compiled, this.now),
      maxAddedItems: this.restorations.length,
      expectedDeleted: this.restorations.map(({ before }) => [before.number, before.version]),
      uniqueValuesToAdd: this.restorations.flatMap(({ before, values }) =>
        values.map((value): [number, ...UniqueValue] => [before.number, ...value]),
      ),
      entriesToAdd: entries.flatMap(({ number, entries: own }) =>
        own.map((entry): [number, ...typeof entry] => [number, ...entry]),
      ),
      restoredItems: this.restorations.map(({ after, data }) => ({
        ref: after.number,
        id: after.id,
        status: after.status,
        version: after.version,
        updatedAt: after.updatedAt,
        data,
      })),
      files: this.restorations.map(({ before, after }) => ({
        item: before.id,
        ...fileChanges(before.data, [after.data]),
      })),
      changes: this.restorations.map(({ before, after }) => {
        const { fields, former } = diffItems(this.#compiled, before, after);
        return {
          ref: after.number,
          id: after.id,
          action,
          version: after.version,
          views: viewMarks(this.#compiled, null, after),
          fields: JSON.stringify(fields),
          former: JSON.stringify(former),
        };
      }),
    };
  }

  /** Returns the rejected items and the items of the batch. */
  results(): RestoredItem[] {
    return [
      ...this.#refused,
      ...this.restorations.map(({ after }) => ({ id: after.id, item: after, refusal: null })),
    ];
  }
}
